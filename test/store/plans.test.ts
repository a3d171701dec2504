/**
 * Every statement that any suite runs is explained on a filled database: none gets slower with every row of a table that
 * grows. `npm test` runs this file last, with the statements of all other files. Alone, it first runs some of them.
 */
import { execFile } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import t, { type Test } from 'tap'
import { positionAt } from '../../src/events/positions.ts'
import type { EventReader } from '../../src/events/readers.ts'
import { registerFunctions } from '../../src/hogql/sqlite-functions.ts'
import { isDistributed } from '../../src/sql/distribution.ts'
import { ADMINISTRATION, EVENTS, migrate } from '../../src/sql/migrate.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { describeTables } from '../../src/sql/tables.ts'
import { type Engine, name, sql } from '../../src/sql/template.ts'
import { ENGINES, openApp } from '../helpers/app.ts'
import { rowOf } from '../helpers/assertions/items.ts'
import {
  clusterProblems,
  postgresPlan,
  postgresProblems,
  sqliteProblems,
  sqliteSchema,
} from '../helpers/assertions/plans.ts'
import { freshFolder } from '../helpers/folders.ts'
import { migratedDatabase, serverUrl } from '../helpers/programs/postgres.ts'
import { fillDatabase, seriesOf } from '../helpers/seeds/filled.ts'
import { ALLOWED, type Allowed } from './allowed-plans.ts'

const NOW = '2026-01-01T00:00:00.000Z'
const SIZES = { others: 5_000, events: 20_000, event_sessions: 10_000, batch_export_runs: 20_000 }
/** The suites that run first when this file runs alone. They cover every table. */
const WORKLOAD = ['contract/isolation', 'events/purge', 'exports/models', 'exports/engine', 'signin/sign-in']
const RECORDER = resolve('test/helpers/programs/record-statements.cjs')
t.setTimeout(8 * 60_000)

/** Returns the folder with the statements. */
async function record(t: Test): Promise<string> {
  if (process.env.STATEMENTS_FOLDER) return process.env.STATEMENTS_FOLDER
  const folder = freshFolder(t)
  chmodSync(folder, 0o777)
  const extension = import.meta.url.endsWith('.js') ? 'js' : 'ts'
  const env = {
    ...process.env,
    NODE_OPTIONS: `--require=${RECORDER}`,
    STATEMENTS_FOLDER: folder,
    TEST_POSTGRES_URL: await serverUrl(),
  }
  for (const name of WORKLOAD) {
    const file = fileURLToPath(new URL(`../${name}.test.${extension}`, import.meta.url))
    const args = [...(extension === 'ts' ? ['--import=tsx'] : []), file]
    // The result of a suite does not matter here.
    await promisify(execFile)(process.execPath, args, { env, maxBuffer: 2 ** 28 }).catch(() => undefined)
  }
  return folder
}

let folder = ''
t.before(async () => {
  folder = await record(t)
})

/** Exports also compile parts of a statement. */
const STATEMENT = /^\s*(select|insert|update|delete|with)\b/i
const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join('src', file), 'utf8'))
  .join('')

/** The statements of the program. Tests write others. */
const recorded = (engine: Engine): string[] =>
  readdirSync(folder)
    .filter((file) => file.startsWith(`${engine}-`))
    .map((file): { text: string; literal: string } => JSON.parse(readFileSync(join(folder, file), 'utf8')))
    .filter(({ text, literal }) => STATEMENT.test(text) && SOURCES.includes(literal))
    .map(({ text }) => text)

/** Tests also write statements about tables and functions of their own. */
function isForeign(error: unknown, tables: ReadonlySet<string>): boolean {
  const message = String(error)
  const [, table] = /no such table: (\w+)|relation "(\w+)" does not exist/.exec(message)?.filter(Boolean) ?? []
  return table === undefined ? /function .* does not exist|no such function/.test(message) : !tables.has(table)
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Compares the problems of all statements with the list of those that are allowed. */
function assertAllowed(
  t: Test,
  engine: Engine,
  problems: ReadonlyMap<string, readonly string[]>,
  rule: Allowed['rule'],
) {
  const allowed = ALLOWED.filter((entry) => entry.rule === rule && (!entry.engine || entry.engine === engine))
  for (const [text, found] of problems)
    if (!allowed.some(({ statement }) => statement.test(oneLine(text))))
      t.fail(`${found.join(', ')}: ${oneLine(text)}`, { diagnostic: false })
  t.pass(`${problems.size} statements of ${engine} need a reason (${rule})`)
}

t.test('every foreign key starts an index, so deletions find the rows that refer to a row', async (t) => {
  const { url, drop } = await migratedDatabase()
  t.teardown(drop)
  const db = await openDatabase(url)
  t.teardown(() => db.close())
  t.strictSame(
    await db.all(sql`
      select f.conrelid::regclass::text as table, f.conname as name from pg_constraint f
      where f.contype = 'f' and not exists (
        select 1 from pg_index i where i.indrelid = f.conrelid and i.indkey[0] = f.conkey[1])`),
    [],
  )
})

for (const engine of ENGINES)
  t.test(`the end of a window is found with few lookups among many later events (${engine})`, async (t) => {
    const { deps } = await openApp(t, engine)
    const count = 30_000
    // Each event arrives up to 8 s before or after its place in the order.
    const created_at = `(i * 1000000 + (i * 7919 % 17 - 8) * 1000000)`
    const position = engine === 'postgres' ? 'position, ' : ''
    await deps.events.exec(`
      insert into events (project_id, uuid, event, distinct_id, timestamp, properties, elements_chain, ${position} created_at)
      select 1 + i % 2, 'u' || i, 'e', 'd', i, '{}', '', ${position && 'i, '} ${created_at}
      from ${seriesOf(engine, count)}`)
    const { seq } = await rowOf<{ seq: number }>(deps.events, sql`select min(seq) as seq from events`)
    const from = engine === 'postgres' ? 1 : seq
    const to = from + count
    let lookups = 0
    const reader: EventReader = {
      ...deps.eventReader,
      rows: (...args: Parameters<EventReader['rows']>) => {
        lookups++
        return deps.eventReader.rows(...args) as never
      },
    }
    const place = sql`${{ sqlite: sql`seq`, postgres: sql`position` }}`
    for (const time of [-1e9, 1e6, 5e9, 12_345e6, 29_990e6, 1e12]) {
      lookups = 0
      const row = await deps.events.get<{ last: number | null }>(sql`
        select max(${place}) as last from events where project_id = 1 and created_at < ${time}`)
      const expected = row?.last ? row.last + 1 : from
      t.equal(await positionAt(reader, { project_id: 1, model: 'events', from, to, time }), expected, `${time}`)
      t.ok(lookups <= 10, `${lookups} lookups`)
    }
  })

for (const engine of ENGINES)
  t.test(`each filter of the activity log has an index that also orders its entries (${engine})`, async (t) => {
    const { deps, first } = await openApp(t, engine)
    await deps.db.exec(`
      insert into activity_log (id, organization_id, actor, user_uuid, area, item_id, activity, changes, created_at)
      select 'a' || i, '${first.organization_id}', 'user', 'ada', 'projects', 'p', 'updated', '[]', '${NOW}'
      from ${seriesOf(engine, 5_000)}`)
    if (engine === 'postgres') await deps.db.exec('analyze activity_log')
    const explain = sql`${{ sqlite: sql`explain query plan`, postgres: sql`explain` }}`
    for (const [column, index] of [
      ['item_id', 'activity_log_of_item'],
      ['user_uuid', 'activity_log_of_actor'],
      ['area', 'activity_log_of_area'],
    ] as const) {
      const plan = JSON.stringify(
        await deps.db.all(sql`
          ${explain} select id from activity_log where organization_id = ${first.organization_id}
            and ${name(column)} = 'rare' order by created_at desc, id desc limit 100`),
      )
      t.match(plan, index)
      t.notMatch(plan, /sort|temp b-tree/i)
    }
  })

const TABLES = "select name from sqlite_master where type = 'table'"

t.test('no statement reads a table that grows as a whole (sqlite)', async (t) => {
  const files = new Map<string, ReturnType<typeof sqliteSchema> & { db: Sqlite.Database }>()
  for (const track of [ADMINISTRATION, EVENTS]) {
    const place = freshFolder(t)
    const db = await openDatabase(`sqlite:${place}`, { file: track.file })
    await migrate(db, NOW, track)
    const growing = await fillDatabase(db, { ...SIZES, others: 100, events: 1_000 })
    await db.close()
    const raw = new Sqlite(join(place, track.file), { readonly: true })
    t.teardown(() => raw.close())
    registerFunctions(raw)
    files.set(track.file, { db: raw, ...sqliteSchema(raw, growing) })
  }
  const problems = new Map<string, string[]>()
  const failed: string[] = []
  const texts = recorded('sqlite')
  const tables = new Set([...files.values()].flatMap(({ db }) => db.prepare(TABLES).pluck().all().map(String)))
  for (const text of texts) {
    const errors: unknown[] = []
    const isExplained = [...files.values()].some((schema) => {
      try {
        const found = sqliteProblems(schema.db, text, schema)
        if (found.length) problems.set(text, found)
        return true
      } catch (error) {
        errors.push(error)
        return false
      }
    })
    if (!isExplained && !errors.some((error) => isForeign(error, tables)))
      failed.push(`${errors.join(', ')}: ${oneLine(text).slice(0, 300)}`)
  }
  t.ok(texts.length > 300, `${texts.length} statements`)
  t.strictSame(failed, [], 'every statement can be explained')
  assertAllowed(t, 'sqlite', problems, 'scan')
})

t.test('no statement reads a table that grows as a whole, and each names its project (postgres)', async (t) => {
  const { url, drop } = await migratedDatabase()
  t.teardown(drop)
  const db = await openDatabase(url)
  const growing = new Set(await fillDatabase(db, SIZES))
  const described = await describeTables(db)
  const tables = new Set(described.map(({ name }) => name))
  const distributed = new Set(described.filter(isDistributed).map(({ name }) => name))
  await db.close()
  const client = new pg.Client(url)
  await client.connect()
  t.teardown(() => client.end())
  const indexes = await client.query(
    'select indexrelid::regclass::text as name from pg_index where indpred is not null',
  )
  const schema = { growing, distributed, partial: new Set<string>(indexes.rows.map(({ name }) => name)) }
  const scans = new Map<string, string[]>()
  const cluster = new Map<string, string[]>()
  const failed: string[] = []
  const texts = recorded('postgres')
  for (const text of texts)
    try {
      const plan = await postgresPlan(client, text)
      const [found, split] = [postgresProblems(plan, schema), clusterProblems(text, plan, schema)]
      if (found.length) scans.set(text, found)
      if (split.length) cluster.set(text, split)
    } catch (error) {
      if (!isForeign(error, tables)) failed.push(`${String(error)}: ${oneLine(text).slice(0, 300)}`)
    }
  t.ok(texts.length > 300, `${texts.length} statements`)
  t.strictSame(failed, [], 'every statement can be explained')
  assertAllowed(t, 'postgres', scans, 'scan')
  assertAllowed(t, 'postgres', cluster, 'cluster')
})
