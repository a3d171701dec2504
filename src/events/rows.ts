/** HogQL on events: `where` as a condition of the event list, `select` as rows with selected columns. */
import { invalid } from '../errors.ts'
import { call, constant, type Expr, field, list, type Order } from '../hogql/ast.ts'
import { decode } from '../hogql/convert.ts'
import { HogqlError, invalidHogql } from '../hogql/error.ts'
import { splitLabel } from '../hogql/lexer.ts'
import { parseExpression } from '../hogql/parser.ts'
import { type Context, compile, compileCondition, type HogType } from '../hogql/print.ts'
import { type Column, compileQuery } from '../hogql/query.ts'
import { parseOrder } from '../hogql/select.ts'
import { combine } from './filters.ts'
import { type Condition, selected as conditionsOf, type ListQuery } from './list.ts'
import type { EventReader } from './readers.ts'
import { rowsOf, UNSORTABLE, waysOfEvents } from './ways.ts'

export interface RowsQuery extends Omit<ListQuery, 'condition' | 'from' | 'oldestFirst' | 'withPerson'> {
  select: readonly string[]
  where: readonly string[]
  /** The condition of the `properties` filter. */
  filter?: Expr
  orderBy: readonly string[]
  now: number
}

export interface Rows {
  columns: string[]
  types: string[]
  /** Rows as the database returns them. */
  rows: unknown[][]
  /** Converts a row to JSON values. A row may have a megabyte, so convert one at a time. */
  resultOf(row: unknown[]): unknown[]
  more: boolean
}

/** The columns of `*` and of `person`. */
export const STAR = [
  'uuid',
  'event',
  'properties',
  'timestamp',
  'team_id',
  'distinct_id',
  'elements_chain',
  'created_at',
]
const PERSON = ['id', 'created_at', 'properties']

/** The condition of `properties` and `where` together. Undefined without either. */
export function conditionOf(filter: Expr | undefined, where: readonly string[], now: number): Condition | undefined {
  const parts = where.map((text, i) =>
    withAttr(`where__${i}`, text, () => {
      const expr = parseExpression(text)
      if (compileCondition(expr, { now }).aggregate)
        throw new HogqlError('"where" cannot aggregate without "select": it applies to single events.', expr.at)
      return expr
    }),
  )
  const condition = combine('and', [filter, ...parts])
  return condition && withAttr('where', null, () => compileCondition(condition, { now }))
}

export async function rows(reader: EventReader, query: RowsQuery, limit: number): Promise<Rows> {
  const { project_id, now, signal, offset } = query
  const selected = (query.select.length ? query.select : ['*']).map((text, i) =>
    withAttr(`select__${i}`, text, () => parseSelected(text, now)),
  )
  const columns = selected.flatMap(({ parts }) => parts)
  const aliases = new Map(
    columns.flatMap((column): [string, Expr][] => (column.kind === 'alias' ? [[column.name, column.expr]] : [])),
  )
  // Compiled one by one first, to attribute an error to its parameter.
  const where = query.where.map((text, i) =>
    withAttr(`where__${i}`, text, () => {
      const expr = parseExpression(text)
      compileCondition(expr, { now, aliases })
      return expr
    }),
  )
  const parts = {
    columns,
    where: [...scopeOf(query), ...(query.filter ? [query.filter] : []), ...where],
    order_by: orderOf(query.orderBy, columns, now),
  }
  const compiled = withAttr('select', null, () => compileQuery(parts, { now }))
  const { person_id } = query
  const names = isShort(query.names) ? undefined : query.names
  const isSelected = person_id !== undefined || names !== undefined
  const question = {
    project_id,
    now,
    parts,
    compiled,
    range: { from: query.after === undefined ? undefined : query.after + 1, to: query.before },
    selected: isSelected ? conditionsOf({ project_id, names, person_id }) : undefined,
  }
  const page = { limit: limit + 1, offset }
  const { rows: found } = await rowsOf(reader, waysOfEvents(reader, question), question, page, signal)
  /** Splits one value per compiled column into the values of each selected column. */
  const grouped = <Value>(values: readonly Value[]): Value[][] => {
    const rest = [...values]
    return selected.map(({ parts }) => rest.splice(0, parts.length))
  }
  const columnTypes = grouped(compiled.columns.map(typeOf))
  return {
    columns: selected.map(({ name }) => name),
    types: selected.map(({ assemble }, i) => {
      const types = columnTypes[i]?.join(', ') ?? ''
      return assemble ? `Tuple(${types})` : types
    }),
    rows: found.slice(0, limit),
    resultOf: (row) => {
      const cells = grouped(compiled.columns.map(({ type }, i) => decode(row[i], type)))
      return selected.map(({ assemble }, i) => {
        const own = cells[i] ?? []
        return assemble ? assemble(own) : own[0]
      })
    },
    more: found.length > limit,
  }
}

/** More names are no expression: they would exceed its size. */
const MAX_NAMES = 100
const isShort = (names: readonly string[] | undefined): boolean => (names?.length ?? 0) <= MAX_NAMES

/** A few names and the distinct id of a query as conditions. */
function scopeOf({ names, distinct_id }: RowsQuery): Expr[] {
  const texts = (isShort(names) ? (names ?? []) : []).map((text) => constant(1, text))
  return [
    ...(texts.length ? [call(1, 'in', [field(1, ['event']), list(1, 'tuple', texts)])] : []),
    ...(distinct_id === undefined ? [] : [call(1, 'equals', [field(1, ['distinct_id']), constant(1, distinct_id)])]),
  ]
}

interface SelectedColumn {
  name: string
  parts: Expr[]
  /** Builds the value of a column that consists of several database columns. */
  assemble?: (cells: unknown[]) => unknown
}

/** A trailing comment or AS names a column. */
function parseSelected(text: string, now: number): SelectedColumn {
  const { text: unlabelled, label } = splitLabel(text)
  const bare = unlabelled.trim()
  const person = PERSON.map((name) => field(1, ['person', name]))
  const personOf = ([id, created_at, properties]: unknown[]): unknown =>
    id === null ? null : { id, created_at, properties }
  if (bare === '*')
    return {
      name: label ?? '*',
      parts: [...STAR.map((name) => field(1, [name])), ...person],
      assemble: (cells) => ({
        ...Object.fromEntries(STAR.map((name, i) => [name, cells[i]])),
        person: personOf(cells.slice(STAR.length)),
      }),
    }
  if (bare === 'person')
    return {
      name: label ?? 'person',
      parts: [field(1, ['distinct_id']), ...person],
      assemble: ([distinct_id, id, created_at, properties]) =>
        id === null ? { distinct_id } : { uuid: id, created_at, properties, distinct_id },
    }
  const expr = parseExpression(unlabelled)
  compile(expr, { now })
  return { name: label ?? (expr.kind === 'alias' ? expr.name : bare), parts: [expr] }
}

function orderOf(orderBy: readonly string[], columns: readonly Expr[], now: number): Order[] {
  const requested = orderBy.map((text, i) => withAttr(`orderBy__${i}`, text, () => parseOrder(text)))
  return requested.length ? requested : withAttr('select', null, () => defaultOrder(columns, { now }))
}

/** Newest first if `timestamp` is selected, largest first with an aggregate, else by the first column. */
export function defaultOrder(columns: readonly Expr[], context: Omit<Context, 'aliases'>): Order[] {
  const { columns: compiled } = compileQuery({ columns }, context)
  const candidates = columns.flatMap((column, i) => {
    const result = compiled[i]
    return result ? [{ expr: column.kind === 'alias' ? column.expr : column, ...result }] : []
  })
  const isField = (expr: Expr, name: string): boolean => expr.kind === 'field' && expr.chain.join() === name
  const time = candidates.find(({ expr }) => isField(expr, 'timestamp'))
  const aggregate =
    candidates.find(({ expr }) => expr.kind === 'call' && expr.name === 'count') ??
    candidates.find((column) => column.aggregate && !UNSORTABLE.includes(column.type.kind))
  if (time && !candidates.some((column) => column.aggregate)) return [{ expr: time.expr, descending: true }]
  if (aggregate) {
    // Groups with the same value keep their order from page to page.
    const groups = candidates.filter((column) => !column.aggregate && !UNSORTABLE.includes(column.type.kind))
    return [{ expr: aggregate.expr, descending: true }, ...groups.map(({ expr }) => ({ expr, descending: false }))]
  }
  const sortable = candidates.find(({ type }) => !UNSORTABLE.includes(type.kind))
  return sortable ? [{ expr: sortable.expr, descending: false }] : []
}

export function typeOf({ type, nullable, expression }: Column): string {
  const name = /^(count|uniq)/.test(expression) ? 'UInt64' : typeName(type)
  return nullable && !/^(Array|Tuple|Nullable)/.test(name) ? `Nullable(${name})` : name
}

/** The names of the types that differ from a string. */
const TYPE_NAMES: Partial<Record<HogType['kind'], string>> = {
  integer: 'Int64',
  float: 'Float64',
  boolean: 'Bool',
  datetime: "DateTime64(6, 'UTC')",
  date: 'Date',
  uuid: 'UUID',
  null: 'Nullable(Nothing)',
}

function typeName(type: HogType): string {
  if (type.kind === 'array') return `Array(${typeName(type.of)})`
  if (type.kind === 'tuple') return `Tuple(${type.of.map(typeName).join(', ')})`
  return TYPE_NAMES[type.kind] ?? 'String'
}

/** Attributes an error in an expression to its parameter, and to its position in the text if it concerns one text. */
function withAttr<Result>(attr: string, text: string | null, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof HogqlError)
      throw text === null ? invalid(attr, error.message) : invalidHogql(attr, error, text)
    throw error
  }
}
