/** HogQL on the mirror: every query that it accepts returns the same rows on DuckDB as on SQLite. */
import assert from 'node:assert/strict'
import { type DuckDBConnection, DuckDBInstance, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { call, constant, field } from '../../src/hogql/ast.ts'
import { canonical } from '../../src/hogql/canonical.ts'
import { decode } from '../../src/hogql/convert.ts'
import { duckdbFold, duckdbLower, duckdbUpper, LOWERED, UPPERED } from '../../src/hogql/duckdb-case.ts'
import { HogqlError } from '../../src/hogql/error.ts'
import { foldCase } from '../../src/hogql/like.ts'
import { decimalColumn, floatColumn, keyOfColumn, textColumn } from '../../src/hogql/mirror-columns.ts'
import { isMirrored, mirroredStatement } from '../../src/hogql/mirrored.ts'
import { parseExpression } from '../../src/hogql/parser.ts'
import { compile } from '../../src/hogql/print.ts'
import { compileQuery, type Parts, partsOf, type Query } from '../../src/hogql/query.ts'
import { parseSelect } from '../../src/hogql/select.ts'
import { registerFunctions } from '../../src/hogql/sqlite-functions.ts'
import { typeOfValue } from '../../src/mirror/duckdb.ts'
import { joined, type Sql, sql, compile as statement } from '../../src/sql/template.ts'
import { bySize, figure, sampled } from '../helpers/assertions/figures.ts'
import { cycled } from '../helpers/assertions/items.ts'
import { CORPUS } from './corpus.ts'
import { EVENTS, NOW, US } from './fixtures.ts'
import { generatedExpression, generatedMirrored, patternAndText } from './generate.ts'

const RUNS = bySize({ quick: 42, full: 600, prove: 20_000 })
const SEED = 20_261_119

t.setTimeout(bySize({ full: 5, prove: 60 }) * 60_000)

const words = (text: string): string[] => text.split(' ')
/** Texts that are numbers, and texts that other languages take for numbers. */
const NUMBER_TEXTS = [
  ...words(
    '0x10 1_000 inf -Infinity nan NaN -0 0 5 +7 007 .5 5. 1.10 1e3 1e99 1e400 1e-400 9007199254740993 1,5 true null',
  ),
  ...[' 1 ', '5\n', '99999999999999999999'],
]
const LETTERS = words('x X ab aXb é É e\u0301 ß İ İx ſ ΟΣ \u212aelvin straße ÀÉÿ Жук 你好 😀 a😀b \uffee')
const SYMBOLS = [
  ...words('{"a":1} [1] back\\slash a*b [x] 100% a%b a_b A_B ? 2026-01-01 //cdn/é/ü example.com/?id='),
  ...['', ' ', 'a\nb', '\tx', '\u00a0x\u00a0', 'it\'s "q"', 'https://me@shop.example.com:80/cart/x?id=17&q=a%20b#top'],
]
const TEXTS = [...NUMBER_TEXTS, ...LETTERS, ...SYMBOLS]
const JSON_VALUES = [
  ...[0, 5, -5, 19.99, 0.1, 1e21, 1e-7, 1e99, 1e300, 5e-324, 123456789012345680000, 2 ** 53, -1.5, 1e15],
  ...[true, false, null, [], {}, [1, 'a', null], { a: 1, b: { c: null } }, [[]], { '': 'é' }],
]
const VALUES = [...TEXTS, ...JSON_VALUES]
const TIMES = ['2025-12-01T10:30:00Z', '2024-02-29T23:59:59.999Z', '1969-12-31T23:59:59.5Z', '2026-03-29T01:00:00Z']

interface TestEvent {
  event: string
  distinct_id: string
  timestamp: number
  properties: object
}

/** Each value is a property of an event. The prices have two decimal places, and the tiny numbers nine. */
const MIXED: TestEvent[] = VALUES.flatMap((_, i) => [i, i + VALUES.length]).map((i) => ({
  event: cycled(['paid', 'seen', 'Ünïcode 😀'], i),
  distinct_id: `person ${i % 7}`,
  timestamp: Date.parse(cycled(TIMES, i)) * US + i * 31 * 60_000_000 + (i % 3) * 7,
  properties: {
    a: cycled(VALUES, i),
    b: cycled(VALUES, i * 7 + 3),
    n: cycled([1, 2, '3', 4, '5', 11, null, 'x'], i),
    price: cycled([19.99, 5, -0.01, '2.5', 1_000_000.07, 0.1, 0.2, null, 'free', 3], i),
    tiny: cycled([1e-9, 0.000_000_123, 12_345.678_9, -0.5], i),
    ...(i % 2 ? { Foo: cycled(VALUES, i) } : { foo: cycled(VALUES, i) }),
    'a b': i % 5,
    '': cycled(TEXTS, i),
    'a*b': `star ${i % 3}`,
    mark: `\ufeff${i}`,
    ключ: i % 2 === 0,
    ...(i % 3 ? { $session_id: `s-${i % 4}` } : {}),
  },
}))
const ALL: TestEvent[] = [...EVENTS, ...MIXED]

/** The events on SQLite, and their mirror on DuckDB. */
interface Both {
  sqlite: Sqlite.Database
  duckdb: DuckDBConnection
  /** The properties with columns. */
  keys: Set<string>
  close(): void
}

const COLUMNS = ['project_id', 'seq', 'event', 'distinct_id', 'timestamp']

async function openBoth(t: Test): Promise<Both> {
  const both = await openEvents(ALL)
  t.teardown(both.close)
  return both
}

async function openEvents(events: readonly TestEvent[]): Promise<Both> {
  const sqlite = new Sqlite(':memory:')
  registerFunctions(sqlite)
  sqlite.exec(
    'create table events (project_id integer, seq integer, event text, distinct_id text, timestamp bigint, properties text)',
  )
  const insert = sqlite.prepare('insert into events values (1, ?, ?, ?, ?, ?)')
  for (const [i, { event, distinct_id, timestamp, properties }] of events.entries())
    insert.run(i + 1, event, distinct_id, timestamp, JSON.stringify(properties))
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const duckdb = await instance.connect()
  await duckdb.run(
    'create table e (project_id bigint not null, seq bigint not null, event varchar not null, distinct_id varchar not null, timestamp bigint not null)',
  )
  for (const row of sqlite
    .prepare(`select ${COLUMNS.join(', ')} from events order by seq`)
    .raw()
    .all())
    await duckdb.run('insert into e values ($1, $2, $3, $4, $5)', row as (string | number)[])
  const close = (): void => {
    sqlite.close()
    duckdb.closeSync()
    instance.closeSync()
  }
  return { sqlite, duckdb, keys: new Set(), close }
}

/** The text and the number of a property, in the order of the events. */
function valuesOf({ sqlite }: Both, key: string): [string | null, number | null][] {
  const property = field(1, ['properties', key])
  const [text, number] = [property, call(1, 'toFloat', [property])].map((expr) => compile(expr, { now: NOW }).sql)
  if (!text || !number) throw new Error('Two expressions are compiled.')
  const query = statement(sql`select ${text}, ${number} from events e order by e.seq`, 'sqlite')
  return sqlite.prepare(query.text).raw().all(query.values) as [string | null, number | null][]
}

/** Adds the columns of a property to the mirror. */
async function addProperty(both: Both, key: string): Promise<void> {
  if (both.keys.has(key)) return
  both.keys.add(key)
  const values = valuesOf(both, key)
  const floats = values.map(([, float]) => (Object.is(float, -0) ? '-0' : (float?.toString() ?? null)))
  await addColumn(
    both,
    textColumn(key),
    'varchar',
    values.map(([text]) => text),
  )
  await addColumn(both, floatColumn(key), 'double', floats)
  const decimals = values.map(([, float]) => (float === null ? null : decimalOf(float)))
  const scale = Math.max(...decimals.map((text) => text?.split('.')[1]?.length ?? 0))
  // Without decimals that fit, the column does not exist and DuckDB refuses the sum.
  if (decimals.every((text) => !text || text.replace(/^-|\..*/g, '').length + scale <= 18))
    await addColumn(both, decimalColumn(key), `decimal(18, ${scale})`, decimals)
}

async function addColumn({ duckdb }: Both, column: string, type: string, values: (string | null)[]): Promise<void> {
  await duckdb.run(`alter table e add column ${column} ${type}`)
  await duckdb.run(
    `update e set ${column} = cast(list_extract($1, seq) as ${type})`,
    [listValue(values)],
    [LIST(VARCHAR)],
  )
}

/** The shortest decimal without an exponent. */
function decimalOf(value: number): string {
  const [mantissa = '', exponent] = Math.abs(value).toExponential().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = `${'0'.repeat(400)}${whole}${fraction}${'0'.repeat(400)}`
  const point = 400 + whole.length + Number(exponent)
  const text = `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/^0+(?=\d)|\.?0+$/g, '')
  return value < 0 ? `-${text}` : text
}

/** The whole statement, as for the ways of answering a query. */
function statementOf({ select, where, having, group_by, order_by, aggregate, columns }: Query, page: Sql): Sql {
  const groups = columns.flatMap(({ aggregate }, i): Sql[] =>
    aggregate ? [] : [{ strings: [`${i + 1} asc nulls last`], parts: [] }],
  )
  const order = [...(order_by ? [order_by] : []), ...(aggregate ? groups : [sql`e.seq`])]
  const table: Sql = sql`${{ sqlite: sql`events`, postgres: sql`events`, duckdb: sql`e` }}`
  return sql`select ${select}, ${aggregate ? sql`cast(sum(count(*)) over () as bigint)` : sql`1`} as read
    from ${table} e where e.project_id = ${1} ${where ? sql`and ${where}` : sql``}
    ${group_by ? sql`group by ${group_by}` : sql``} ${having ? sql`having ${having}` : sql``}
    ${order.length ? sql`order by ${joined(order, ', ')}` : sql``} ${page}`
}

type Outcome = 'not accepted' | 'refused' | 'equal'

/** Runs a query on both databases if the mirror accepts it, and compares the rows. */
async function outcomeOf(both: Both, parts: Parts, page = sql``): Promise<Outcome> {
  const query = compileQuery(parts, { now: NOW })
  const built = statementOf(query, page)
  const mirrored = isMirrored(parts) ? mirroredStatement(built) : undefined
  // `test/mirror/` compares queries over persons.
  if (!mirrored || query.usesPerson) return 'not accepted'
  for (const [column] of mirrored.text.matchAll(/\b[pfd]_[0-9a-f]*\b/g)) await addProperty(both, keyOfColumn(column))
  const { text, values } = statement(built, 'sqlite')
  const expected = both.sqlite.prepare(text).raw().all(values) as unknown[][]
  const rows = await refusable(both.duckdb, mirrored.text, mirrored.values as (string | number)[])
  if (!rows) return 'refused'
  assert.deepStrictEqual(decoded(rows, query), decoded(expected, query))
  return 'equal'
}

const REFUSALS =
  /mirror_inexact|to DECIMAL|Overflow|out of range|d_[0-9a-f]*" not found|does not have a column named "d_[0-9a-f]*"/i

/** Null if DuckDB cannot compute the rows exactly. The query then runs on the database of the events. */
async function refusable(duckdb: DuckDBConnection, text: string, values: (string | number)[]) {
  try {
    const reader = await duckdb.runAndReadAll(text, values, values.map(typeOfValue))
    return reader.getRowsJS().map((row) => row.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell)))
  } catch (error) {
    if (error instanceof Error && REFUSALS.test(error.message)) return null
    throw error
  }
}

const decoded = (rows: unknown[][], { columns }: Query): unknown[][] =>
  rows.map((row) => [...columns.map(({ type }, i) => decode(row[i], type)), row.at(-1)])

const ofExpression = (text: string): Parts => ({ columns: [parseExpression(text)] })

/** Undefined for an expression that no engine accepts. */
function validParts(text: string): Parts | undefined {
  try {
    const parts = ofExpression(text)
    compileQuery(parts, { now: NOW })
    return parts
  } catch (error) {
    if (error instanceof HogqlError) return undefined
    throw error
  }
}

t.test('evaluates the accepted expressions of the corpus', async (t) => {
  const both = await openBoth(t)
  const outcomes: Record<Outcome, string[]> = { equal: [], refused: [], 'not accepted': [] }
  const expressions = sampled(CORPUS, 3)
  for (const [, expression] of expressions) {
    const outcome = await outcomeOf(both, ofExpression(expression)).catch((error) => {
      throw new Error(`${expression}: ${error.message}`, { cause: error })
    })
    outcomes[outcome].push(expression)
  }
  if (process.env.SHOW) t.comment(JSON.stringify(outcomes, null, 1))
  t.ok(outcomes.equal.length > expressions.length / 2, `${outcomes.equal.length} of ${expressions.length}`)
  t.comment(`${outcomes.refused.length} are refused`)
  figure(t, { area: 'HogQL', count: outcomes.equal.length, of: 'expressions', result: 'DuckDB agrees' })
})

/** Queries that must not be answered elsewhere one day without anybody noticing. */
const ACCEPTED = [
  'select count() from events',
  "select properties.plan, count() from events where event = 'paid' group by properties.plan order by count() desc",
  "select properties['a b'] as c, uniq(distinct_id) from events where c is not null group by c having count() > 1",
  'select toStartOfDay(timestamp) as day, $session_id, sum(toFloat(properties.price)) from events group by 1, 2 order by day',
  "select avgIf(toFloat(properties.price), properties.n in ('1', '3')) from events where timestamp > '2025-01-01'",
  'select events.properties.a, min(timestamp), max(events.timestamp) from events group by events.properties.a',
  'select count(distinct properties.a) from events where properties.price > 5 and not properties.b = true',
  'select distinct properties.a from events order by 1 desc',
  'select SUM(toInt(properties.n)), Count(*) from events where timestamp >= now() - interval 3 month',
  "select multiIf(properties.n < 3, 'few', 'many') as size, uniqIf(distinct_id, properties.a = 'x') from events group by size",
  "select properties['ключ'], properties['a*b'], properties[''], any(event) from events group by 1, 2, 3",
]

/** Queries over other values than those of the mirror, and functions that differ on DuckDB. */
const NOT_ACCEPTED = [
  'select count() from events where uuid is not null',
  'select max(created_at) from events',
  'select count(elements_chain) from events',
  'select count() from events where person.properties is not null',
  'select person.properties.a.b, count() from events group by 1',
  'select count(properties) from events',
  'select properties.a.b, count() from events group by 1',
  'select properties.a[1], count() from events group by 1',
  "select properties['quo\"te'], count() from events group by 1",
  "select properties['back\\\\slash'], count() from events group by 1",
  `select properties.${'k'.repeat(201)}, count() from events group by 1`,
  "select count() from events where JSONExtractString(properties, 'a') = 'x'",
  'select reverse(event) as properties, count() from events group by properties',
  'select reverse(properties.a) from events group by 1',
  "select count() from events where event ilike '%é%'",
  'select sum(toFloat(properties.a) * 2) from events',
  'select avg(toFloat(event)) from events',
  'select max(round(toFloat(properties.price), 1)) from events',
  'select toString(toFloat(properties.a)), count() from events group by 1',
  'select groupArray(properties.a) from events',
  'select groupUniqArray(properties.a) from events',
  'select count() from events where toDateTime(properties.a) > now()',
  "select count() from events where has(['a'], properties.a)",
  'select [1], count() from events',
  'select (event, 1), count() from events',
  'select count() from events where constructor(event) = 1 or toString is null',
]

t.test('accepts the queries of the mirror and no others', async (t) => {
  const both = await openBoth(t)
  for (const text of ACCEPTED) t.equal(await outcomeOf(both, partsOf(parseSelect(text))), 'equal', text)
  t.equal(await outcomeOf(both, partsOf(parseSelect('select max(properties.mark) from events'))), 'refused')
  for (const text of NOT_ACCEPTED) t.equal(await outcomeOrRejected(both, text), 'not accepted', text)
})

/** The list also has queries that are invalid: `isMirrored` must not accept a name that no table has. */
async function outcomeOrRejected(both: Both, text: string): Promise<Outcome> {
  const parts = partsOf(parseSelect(text))
  try {
    return await outcomeOf(both, parts)
  } catch (error) {
    if (!(error instanceof HogqlError)) throw error
    return isMirrored(parts) ? 'equal' : 'not accepted'
  }
}

t.test('answers generated queries', async (t) => {
  const both = await openBoth(t)
  const counts = { equal: 0, refused: 0, 'not accepted': 0 }
  await fc.assert(
    fc.asyncProperty(generatedMirrored, async (text) => {
      const select = parseSelect(text)
      const page = sql`limit ${select.limit ?? 1000} offset ${select.offset ?? 0}`
      counts[await outcomeOf(both, partsOf(select), page)]++
    }),
    { numRuns: RUNS, seed: SEED },
  )
  t.equal(counts['not accepted'], 0)
  t.ok(counts.equal > RUNS / 2, JSON.stringify(counts))
  figure(t, { area: 'HogQL', count: RUNS, of: 'queries', result: 'DuckDB agrees', seed: SEED })
})

t.test('evaluates generated expressions', async (t) => {
  const both = await openBoth(t)
  const counts = { equal: 0, refused: 0, 'not accepted': 0 }
  await fc.assert(
    fc.asyncProperty(generatedExpression, async (text) => {
      const parts = validParts(text)
      if (parts) counts[await outcomeOf(both, parts)]++
    }),
    { numRuns: RUNS * 4, seed: SEED },
  )
  t.comment(JSON.stringify(counts))
  figure(t, { area: 'HogQL', count: RUNS * 4, of: 'expressions', result: 'DuckDB agrees', seed: SEED })
})

/** Prices, and sums whose quotients round. Some have too many digits for the decimals of the mirror. */
const amount = fc
  .tuple(fc.oneof(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.maxSafeInteger()), fc.nat(6))
  .map(([digits, places]) => Number(`${digits}e-${places}`))

const AGGREGATED = [
  'sum(X)',
  'avg(X)',
  'median(X)',
  'quantile(0.3)(X)',
  'round(avg(X), 3)',
  'sum(X) / count()',
  'max(X)',
]

t.test('adds and averages numbers exactly', async (t) => {
  const counts = { equal: 0, refused: 0, 'not accepted': 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(amount, { minLength: 1, maxLength: 20 }), async (amounts) => {
      const events = amounts.map((x) => ({ event: 'paid', distinct_id: 'ann', timestamp: NOW, properties: { x } }))
      const both = await openEvents(events)
      try {
        for (const text of AGGREGATED)
          counts[await outcomeOf(both, ofExpression(text.replace('X', 'toFloat(properties.x)')))]++
      } finally {
        both.close()
      }
    }),
    { numRuns: RUNS / 3, seed: SEED },
  )
  t.equal(counts['not accepted'], 0)
  t.ok(counts.equal > counts.refused, JSON.stringify(counts))
  figure(t, { area: 'HogQL', count: RUNS / 3, of: 'lists of numbers', result: 'DuckDB agrees', seed: SEED })
})

t.test('regular expressions match the same text', async (t) => {
  const both = await openBoth(t)
  const quoted = (text: string): string => canonical(constant(1, text))
  const counts = { equal: 0, refused: 0, 'not accepted': 0 }
  await fc.assert(
    fc.asyncProperty(patternAndText, async ([pattern, text]) => {
      for (const call of [
        `match(concat(${quoted(text)}, ''), ${quoted(pattern)})`,
        `extract(concat(${quoted(text)}, ''), ${quoted(pattern)})`,
        `replaceRegexpOne(concat(${quoted(text)}, ''), ${quoted(pattern)}, '<\\\\0>')`,
        `replaceRegexpAll(concat(${quoted(text)}, ''), ${quoted(pattern)}, '<\\\\0>')`,
      ]) {
        const parts = validParts(call)
        if (parts) counts[await outcomeOf(both, parts)]++
      }
    }),
    { numRuns: RUNS * 2, seed: SEED },
  )
  t.equal(counts.equal, counts.equal + counts.refused + counts['not accepted'])
  t.ok(counts.equal > RUNS, JSON.stringify(counts))
  figure(t, { area: 'HogQL', count: RUNS * 2, of: 'patterns', result: 'DuckDB agrees', seed: SEED })
})

/** Each character that is not half of a surrogate pair. A text from DuckDB cannot begin with U+FEFF. */
const CHARACTERS = sampled(
  Array.from({ length: 0x11_0000 }, (_, point) => String.fromCodePoint(point)).filter(
    (character) => character.isWellFormed() && character !== '\ufeff',
  ),
  7,
)

t.test('changes the case of each character that DuckDB may change', async (t) => {
  const { duckdb } = await openBoth(t)
  for (const { change, known, expected } of [
    { change: duckdbLower, known: LOWERED, expected: (text: string) => text.toLowerCase() },
    { change: duckdbUpper, known: UPPERED, expected: (text: string) => text.toUpperCase() },
  ]) {
    const pattern = new RegExp(`^${known.replaceAll('\\x', '\\u')}$`, 'u')
    const characters = CHARACTERS.filter((character) => pattern.test(character))
    const { text } = statement(change(sql`c`), 'duckdb')
    const reader = await duckdb.runAndReadAll(
      `select ${text} from (select unnest($2) as c)`,
      [known, listValue(characters)],
      [VARCHAR, LIST(VARCHAR)],
    )
    t.ok(characters.length > CHARACTERS.length / 40, `${characters.length} characters`)
    t.strictSame(reader.getRowsJS().flat(), characters.map(expected))
  }
})

t.test('folds the case of each character for patterns in ASCII', async (t) => {
  const { duckdb } = await openBoth(t)
  const fold = statement(sql`${duckdbFold(sql`c`, 'x') ?? sql``}`, 'duckdb')
  const query = `select ${fold.text} from (select unnest($1) as c)`
  const reader = await duckdb.runAndReadAll(query, [listValue(CHARACTERS)], [LIST(VARCHAR)])
  // Such a pattern does not tell other characters apart.
  const ascii = (text: string): string => text.replace(/[^\0-\x7f]/gu, '\x80')
  const folded = reader.getRowsJS().map(([text]) => ascii(String(text)))
  const differing = CHARACTERS.filter((character, i) => folded[i] !== ascii(foldCase(character)))
  t.strictSame(differing, [])
})
