/** Four events on both engines, and helpers that evaluate an expression for one of them. */
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import type { Test } from 'tap'
import { decode } from '../../src/hogql/convert.ts'
import { parseExpression } from '../../src/hogql/parser.ts'
import { compile, type HogType } from '../../src/hogql/print.ts'
import { compileQuery } from '../../src/hogql/query.ts'
import { registerFunctions } from '../../src/hogql/sqlite-functions.ts'
import { type Engine, type Sql, sql, compile as statement } from '../../src/sql/template.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { emptyDatabase } from '../helpers/programs/postgres.ts'

export const US = 1000
/** 2026-04-01 12:00:00 */
export const NOW = Date.UTC(2026, 3, 1, 12) * US

const at = (iso: string, micros = 0): number => Date.parse(iso) * US + micros

export const EVENTS = [
  {
    seq: 1,
    uuid: '0190a1b2-0000-7000-8000-000000000001',
    event: 'purchase',
    distinct_id: 'ann',
    timestamp: at('2026-03-15T14:30:45.123Z', 456),
    created_at: at('2026-03-15T14:31:00Z'),
    person: 'p1',
    properties: {
      $browser: 'Chrome',
      $session_id: 's-1',
      $group_0: 'acme',
      price: 19.99,
      quantity: 3,
      whole_text: '42',
      float_text: '1.5e3',
      bad_number: '12abc',
      big: 1e21,
      huge: 1e150,
      minute: 1e-150,
      long_whole: 1234567890123456,
      longer_whole: 100000000000000000000,
      tiny: 1e-7,
      negative: -5,
      zero: 0,
      paid: true,
      gift: false,
      paid_text: 'true',
      nothing: null,
      empty: '',
      space: '  padded  ',
      url: 'https://user@shop.example.com:8080/cart/items?id=17&utm_source=mail#top',
      email: 'Ann.Smith@Example.com',
      tags: ['red', 'green', 'blue'],
      nested: { a: { b: 'deep', n: 7, list: [10, { x: 'y' }] }, 'odd key': 1 },
      'key with space': 'spaced',
      'quo"te': 'quoted',
      'back\\slash': 'slashed',
      'per%cent': 'hundred',
      'new\nline': 'broken',
      '': 'nameless',
      '1': 'one',
      date: '2026-02-28',
      datetime: '2026-02-28T23:59:59.5+02:00',
      rfc_822: 'Sat, 07 Jan 2012 20:00:00 +0200',
      german_date: '28.02.2026 10:15',
      unix: '1767225600',
      bad_date: '2026-02-30',
      uuid: '0190A1B2-1111-7000-8000-00000000ABCD',
      lines: 'one\ntwo',
      path: '/a/b',
      csv: 'a,b,,c',
    },
  },
  {
    seq: 2,
    uuid: '0190a1b2-0000-7000-8000-000000000002',
    event: '$pageview',
    distinct_id: 'ann',
    timestamp: at('2026-01-01T00:00:00Z'),
    created_at: at('2026-01-01T00:00:01Z'),
    person: 'p1',
    properties: { $browser: 'Firefox', price: 5, quantity: 1, score: 0.1, ok: true },
  },
  {
    seq: 3,
    uuid: '0190a1b2-0000-7000-8000-000000000003',
    event: 'Ünïcode 😀',
    distinct_id: 'ζeta',
    timestamp: at('2024-02-29T23:59:59.999Z', 999),
    created_at: at('2024-03-01T00:00:00Z'),
    person: 'p2',
    properties: {
      greek: 'ΟΔΥΣΣΕΥΣ',
      german: 'STRAßE',
      accents: 'ÀÉÎõü',
      emoji: 'a😀b',
      chinese: '你好',
      turkish: 'İI',
      quotes: 'it\'s "fine" \\ done',
      price: 10,
      score: 0.2,
      ok: false,
    },
  },
  {
    seq: 4,
    uuid: '0190a1b2-0000-7000-8000-000000000004',
    event: 'empty',
    distinct_id: 'nobody',
    timestamp: at('1969-12-31T23:59:59Z'),
    created_at: at('2026-01-02T00:00:00Z'),
    person: null,
    properties: {},
  },
] as const

const PERSONS = [
  { id: 'p1', created_at: at('2025-05-05T05:05:05Z'), properties: { email: 'ann@example.com', plan: 'pro', age: 33 } },
  { id: 'p2', created_at: at('2023-01-01T00:00:00Z'), properties: {} },
]

export interface TestEngine {
  name: Engine
  rows: (query: Sql) => Promise<Record<string, unknown>[]>
  /** Prepares without running. */
  prepare: (query: Sql) => Promise<void>
}

const FROM = sql`from events e left join person p on p.id = e.person`

export async function engines(t: Test): Promise<TestEngine[]> {
  const handle = new Sqlite(':memory:')
  registerFunctions(handle)
  const database = await emptyDatabase()
  const client = new pg.Client(database.url)
  await client.connect()
  t.teardown(async () => {
    handle.close()
    await client.end()
    await database.drop()
  })
  const schema = (json: string): string =>
    `create table events (project_id integer, seq integer, uuid text, event text, distinct_id text, timestamp bigint,
       created_at bigint, person text, properties ${json}, elements_chain text);
     create table person (id text, properties ${json}, created_at bigint)`
  handle.exec(schema('text'))
  await client.query(schema('json'))
  const both: TestEngine[] = [
    {
      name: 'sqlite',
      rows: async (query) => {
        const { text, values } = statement(query, 'sqlite')
        return handle.prepare(text).all(values) as Record<string, unknown>[]
      },
      prepare: async (query) => void handle.prepare(statement(query, 'sqlite').text),
    },
    {
      name: 'postgres',
      rows: async (query) => {
        const { text, values } = statement(query, 'postgres')
        return (await client.query(text, values)).rows
      },
      prepare: async (query) => {
        const { text } = statement(query, 'postgres')
        await client.query(`prepare probe as ${text}`)
        await client.query('deallocate probe')
      },
    },
  ]
  for (const { rows } of both) {
    for (const e of EVENTS)
      await rows(
        sql`insert into events values (1, ${e.seq}, ${e.uuid}, ${e.event}, ${e.distinct_id}, ${e.timestamp}, ${e.created_at}, ${e.person}, ${JSON.stringify(e.properties)}, null) returning seq`,
      )
    for (const p of PERSONS)
      await rows(
        sql`insert into person values (${p.id}, ${JSON.stringify(p.properties)}, ${p.created_at}) returning id`,
      )
  }
  return both
}

/** Evaluates an expression for one event, or for all of them if it aggregates. */
export async function evaluate(engine: TestEngine, text: string, seq: number): Promise<unknown> {
  const compiled = compile(parseExpression(text), { now: NOW })
  const query = compiled.aggregate
    ? sql`select ${compiled.output} as c0 ${FROM}`
    : sql`select ${compiled.output} as c0 ${FROM} where e.seq = ${seq}`
  const [row] = await engine.rows(query)
  return decode(row?.c0, compiled.type)
}

/** A statement that evaluates an expression for every event, and the type to decode its result with. */
export function probe(text: string): { query: Sql; type: HogType } {
  const { select, aggregate, columns } = compileQuery({ columns: [parseExpression(text)] }, { now: NOW })
  return {
    query: sql`select ${select} ${FROM} ${aggregate ? sql`` : sql`order by e.seq`}`,
    type: itemAt(columns, 0).type,
  }
}
