/** Answers a HogQL SELECT over events, persons or sessions. */
import { invalid } from '../errors.ts'
import { constant, type Expr, field, list, type Select } from '../hogql/ast.ts'
import { canonical } from '../hogql/canonical.ts'
import { decode } from '../hogql/convert.ts'
import type { PlaceholderValues } from '../hogql/cursor.ts'
import { HogqlError, invalidHogql } from '../hogql/error.ts'
import { MAX_LIST } from '../hogql/limits.ts'
import { compileQuery, type Parts, partsOf, type Query } from '../hogql/query.ts'
import { parseSelect } from '../hogql/select.ts'
import { CHANGING_FEEDS, MODELS, type Model } from './models.ts'
import type { EventReader } from './readers.ts'
import { defaultOrder, STAR, typeOf } from './rows.ts'
import type { TimeRange } from './time.ts'
import { rowsOf, type Way, wayOfModel, waysOfEvents } from './ways.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 50_000

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
  const { signal } = query
  const start = performance.now()
  const { select, parts, compiled, model } = withPositions(query.text, () => parseQuery(query))
  const limit = Math.min(select.limit ?? DEFAULT_LIMIT, MAX_LIMIT)
  const offset = select.offset ?? 0
  const parsed = performance.now()
  const question = { ...query, parts, compiled }
  const ways = model === 'events' ? waysOfEvents(reader, question) : [wayOfModel(model, question)]
  const { way, rows, rows_read } = await rowsOf(reader, ways, question, { limit: limit + 1, offset }, signal)
  return {
    columns: compiled.columns.map(({ name }) => name),
    types: compiled.columns.map((column) => [column.name, typeOf(column)]),
    hogql: canonical(select),
    limit,
    offset,
    rows: rows.slice(0, limit),
    resultOf: (row) => compiled.columns.map(({ type }, i) => decode(row[i], type)),
    more: rows.length > limit,
    rows_read,
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
  const star = (fields ? Object.keys(fields) : STAR).map((name) => field(1, [name]))
  const columns = select.columns.flatMap((column) => (column.kind === 'star' ? star : [column]))
  const sent = { ...partsOf(select), columns }
  const compiled = compileQuery(sent, context)
  if (!compiled.aggregate || select.order_by.length) return { select, parts: sent, compiled, model }
  const parts = { ...sent, order_by: defaultOrder(columns, context) }
  return { select, parts, compiled: compileQuery(parts, context), model }
}

/** The values as constants. `{filters}` is always true: the time range already applies to the whole query. */
const placeholders = (values: HogqlQuery['values']): PlaceholderValues => ({
  filters: { value: constant(1, true), characters: 0 },
  ...Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const found = placeholder(name, value)
      return [name, { value: found, characters: JSON.stringify(value).length }]
    }),
  ),
})

function placeholder(name: string, value: unknown): Expr {
  const constants = (Array.isArray(value) ? value : [value]).map((item: unknown) => {
    if (Number.isFinite(item)) return constant(1, Number(item), !Number.isSafeInteger(item))
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
