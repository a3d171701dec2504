/** Answers a HogQL SELECT over events, persons or sessions. The way depends on what the query reads: hourly counts, an index or rows. */
import { invalid } from '../errors.ts'
import { constant, type Expr, field, list, type Select } from '../hogql/ast.ts'
import { canonical } from '../hogql/canonical.ts'
import { decode } from '../hogql/convert.ts'
import type { PlaceholderValues } from '../hogql/cursor.ts'
import { HogqlError, invalidHogql } from '../hogql/error.ts'
import { MAX_LIST } from '../hogql/limits.ts'
import { compileQuery, type Parts, partsOf, type Query } from '../hogql/query.ts'
import { parseSelect } from '../hogql/select.ts'
import { INTEGER } from '../hogql/typed.ts'
import { joined, type Sql, sql } from '../sql/template.ts'
import { type CountedQuery, countedQuery, countsTable } from './counted-query.ts'
import { hasCounts } from './counts.ts'
import { coveringIndex } from './covering-index.ts'
import { personJoin } from './list.ts'
import { CHANGING_FEEDS, MODELS, type Model } from './models.ts'
import type { EventReader } from './readers.ts'
import { defaultOrder, guarded, typeOf } from './rows.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 50_000
/** The columns of `*`. */
const EVENT_FIELDS = [
  'uuid',
  'event',
  'properties',
  'timestamp',
  'team_id',
  'distinct_id',
  'elements_chain',
  'created_at',
]

/** Microseconds: `from` is included, `to` is not. */
export interface TimeRange {
  from?: number | undefined
  to?: number | undefined
}

export interface HogqlQuery {
  project_id: number
  text: string
  values: Readonly<Record<string, unknown>>
  range: TimeRange
  /** Microseconds since 1970. */
  now: number
  signal?: AbortSignal
}

export interface Answer {
  columns: string[]
  types: [name: string, type: string][]
  /** The canonical text of the query. */
  hogql: string
  limit: number
  offset: number
  /** Rows as the database returns them. */
  rows: unknown[][]
  /** Converts a row to JSON values. */
  resultOf(row: unknown[]): unknown[]
  more: boolean
  rows_read: number
  explain: { way: Way['name']; detail: string }
  seconds: { parse: number; read: number }
}

export async function answer(reader: EventReader, query: HogqlQuery): Promise<Answer> {
  const { project_id, signal } = query
  const start = performance.now()
  const { select, parts, compiled, model } = withPositions(query.text, () => parseQuery(query))
  const limit = Math.min(select.limit ?? DEFAULT_LIMIT, MAX_LIMIT)
  const offset = select.offset ?? 0
  const parsed = performance.now()
  const way = await wayOf(reader, query, model, parts, compiled)
  const types = compiled.columns.map(({ type }) => type)
  const found = await reader.rows(
    guarded([...types, INTEGER], statement(way, compiled, { limit: limit + 1, offset })),
    {
      project_id,
      lane: 'slow',
      signal,
    },
  )
  return {
    columns: compiled.columns.map(({ name }) => name),
    types: compiled.columns.map((column) => [column.name, typeOf(column)]),
    hogql: canonical(select),
    limit,
    offset,
    rows: found.slice(0, limit),
    resultOf: (row) => types.map((type, i) => decode(row[i], type)),
    more: found.length > limit,
    rows_read: compiled.aggregate ? Number(found[0]?.[types.length] ?? 0) : found.length,
    explain: { way: way.name, detail: way.detail },
    seconds: { parse: (parsed - start) / 1000, read: (performance.now() - parsed) / 1000 },
  }
}

/** Attributes an error to its position in the query. */
function withPositions<Result>(text: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw error instanceof HogqlError ? invalidHogql('query__query', error, text) : error
  }
}

interface ParsedQuery {
  select: Select
  parts: Parts
  compiled: Query
  model: Model
}

function parseQuery({ text, values, now }: HogqlQuery): ParsedQuery {
  const select = parseSelect(text, MODELS, placeholders(values))
  const model = MODELS.find((name) => name === select.from) ?? 'events'
  const fields = model === 'events' ? undefined : CHANGING_FEEDS[model].current.fields
  const context = { now, ...(fields && { table: { name: model, fields } }) }
  const star = (fields ? Object.keys(fields) : EVENT_FIELDS).map((name) => field(1, [name]))
  const columns = select.columns.flatMap((column) => (column.kind === 'star' ? star : [column]))
  const order_by = select.order_by.length ? select.order_by : defaultOrder(columns, context)
  const parts = { ...partsOf(select), columns, order_by }
  return { select, parts, compiled: compileQuery(parts, context), model }
}

/** The values as constants. `{filters}` is where other clients insert the time range, which applies to the whole query here. */
const placeholders = (values: HogqlQuery['values']): PlaceholderValues => ({
  filters: constant(1, true),
  ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, placeholder(name, value)])),
})

function placeholder(name: string, value: unknown): Expr {
  const constants = (Array.isArray(value) ? value : [value]).map((item: unknown) => {
    if (typeof item === 'number') return constant(1, item, !Number.isSafeInteger(item))
    if (item === null || typeof item === 'boolean') return constant(1, item)
    if (typeof item === 'string' && !item.includes('\0')) return constant(1, item.toWellFormed())
    throw invalid(
      'query__values',
      `The value of {${name.slice(0, 100)}} must be a text without NUL characters, a number, a boolean, null or a list of these.`,
    )
  })
  if (constants.length > MAX_LIST)
    throw invalid('query__values', `The list of {${name.slice(0, 100)}} has more than ${MAX_LIST} items.`)
  const [first] = constants
  return Array.isArray(value) || !first ? list(1, 'tuple', constants) : first
}

/** How a query is answered. */
interface Way {
  name: 'counts' | 'index' | 'rows'
  detail: string
  /** The clauses FROM and WHERE. */
  from: Sql
  /** The compiled query, if it differs from that over rows. */
  compiled?: Query
}

async function wayOf(
  reader: EventReader,
  { project_id, range, now }: HogqlQuery,
  model: Model,
  parts: Parts,
  compiled: Query,
): Promise<Way> {
  if (model !== 'events') {
    const { from, time } = CHANGING_FEEDS[model].current
    const where = sql`where e.project_id = ${project_id} ${within(time, range)}`
    return { name: 'rows', detail: `The query reads the ${model}.`, from: sql`from ${from} ${where}` }
  }
  const counted = countedQuery(parts, range, now)
  if (counted.isCounted && (await hasCounts(reader, project_id))) return countsWay(project_id, counted)
  const index = compiled.aggregate ? coveringIndex(parts, range) : undefined
  const person = compiled.usesPerson ? personJoin(project_id) : sql``
  const where = sql`where e.project_id = ${project_id} ${within(sql`e.timestamp`, range)}`
  return {
    from: sql`from events e ${index?.hint ?? sql``} ${person} ${where}`,
    ...(index
      ? { name: 'index', detail: `The index ${index.name} has all fields of the query.` }
      : { name: 'rows', detail: counted.isCounted ? 'The events are not all counted yet.' : counted.reason }),
  }
}

const countsWay = (project_id: number, counted: CountedQuery): Way => ({
  name: 'counts',
  detail: 'The hourly counts of events answer the query.',
  from: sql`from ${countsTable(project_id, counted)} e where 1 = 1`,
  compiled: counted.compiled,
})

const within = (time: Sql, { from, to }: TimeRange): Sql => sql`
  ${from === undefined ? sql`` : sql`and ${time} >= ${from}`} ${to === undefined ? sql`` : sql`and ${time} < ${to}`}`

/** The last column of a query that aggregates is the number of rows that were added up. */
function statement(way: Way, rows: Query, page: { limit: number; offset: number }): Sql {
  const { select, where, having, group_by, order_by, aggregate, columns } = way.compiled ?? rows
  const read = aggregate ? sql`cast(sum(count(*)) over () as bigint)` : sql`1`
  const last: Sql = { strings: [` as c${columns.length}`], parts: [] }
  return sql`
    select ${joined([select, sql`${read} ${last}`], ', ')} ${way.from} ${where ? sql`and ${where}` : sql``}
    ${group_by ? sql`group by ${group_by}` : sql``} ${having ? sql`having ${having}` : sql``}
    ${order_by ? sql`order by ${order_by}` : sql``} limit ${page.limit} offset ${page.offset}`
}
