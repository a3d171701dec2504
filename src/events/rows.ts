/** HogQL on events: `where` as a condition of the event list, `select` as rows with selected columns. */
import { invalid } from '../errors.ts'
import { type Expr, field, type Order } from '../hogql/ast.ts'
import { decode } from '../hogql/convert.ts'
import { HogqlError, invalidHogql } from '../hogql/error.ts'
import { splitLabel } from '../hogql/lexer.ts'
import { parseExpression } from '../hogql/parser.ts'
import { type Context, compile, compileCondition, type HogType } from '../hogql/print.ts'
import { type Column, compileQuery, type Query } from '../hogql/query.ts'
import { parseOrder } from '../hogql/select.ts'
import { either } from '../hogql/typed.ts'
import { joined, name, type Sql, sql } from '../sql/template.ts'
import { combine } from './filters.ts'
import { type Condition, conditions, type ListQuery, personJoin } from './list.ts'
import { MAX_RESULT_LENGTH, TOO_LARGE } from './reader-messages.ts'
import type { EventReader } from './readers.ts'

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
const STAR = ['uuid', 'event', 'properties', 'timestamp', 'team_id', 'distinct_id', 'elements_chain', 'created_at']
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
  const compiled = withAttr('select', null, () =>
    compileQuery(
      {
        columns,
        where: query.filter ? [query.filter, ...where] : where,
        order_by: orderOf(query.orderBy, columns, now),
      },
      { now },
    ),
  )
  const found = await reader.rows(statement(query, compiled, limit + 1, offset), { project_id, lane: 'slow', signal })
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
    candidates.find((column) => column.aggregate)
  if (time && !candidates.some((column) => column.aggregate)) return [{ expr: time.expr, descending: true }]
  if (aggregate) {
    // Groups with the same value keep their order from page to page.
    const groups = candidates.filter((column) => !column.aggregate && !UNSORTABLE_GROUPS.includes(column.type.kind))
    return [{ expr: aggregate.expr, descending: true }, ...groups.map(({ expr }) => ({ expr, descending: false }))]
  }
  const sortable = candidates.find(({ type }) => !UNSORTABLE.includes(type.kind))
  return sortable ? [{ expr: sortable.expr, descending: false }] : []
}

const UNSORTABLE_GROUPS = ['json', 'array', 'tuple']
const UNSORTABLE = [...UNSORTABLE_GROUPS, 'interval']

function statement(query: RowsQuery, compiled: Query, limit: number, offset: number): Sql {
  const { select, where, having, group_by, order_by, aggregate, usesPerson } = compiled
  const person = usesPerson ? personJoin(query.project_id) : sql``
  const unique = aggregate ? sql`` : sql`${order_by ? sql`,` : sql``} e.timestamp desc, e.uuid desc`
  return guarded(
    compiled.columns.map(({ type }) => type),
    sql`
    select ${select} from events e ${person} where ${conditions(query)} ${where ? sql`and ${where}` : sql``}
    ${group_by ? sql`group by ${group_by}` : sql``} ${having ? sql`having ${having}` : sql``}
    ${order_by || !aggregate ? sql`order by ${order_by ?? sql``} ${unique}` : sql``} limit ${limit} offset ${offset}`,
  )
}

/** The rows `c0`, `c1`, … of a statement, without texts that the driver cannot read. */
export function guarded(types: readonly HogType[], rows: Sql): Sql {
  const cells = types.map((type, i) => {
    const cell = sql`r.${name(`c${i}`)}`
    return ['string', 'json', 'array', 'tuple'].includes(type.kind) ? limited(cell) : cell
  })
  return either(rows, sql`select ${joined(cells, ', ')} from (${rows}) r`)
}

/**
 * The PostgreSQL driver crashes on a cell above 512 MB. The statement raises an error itself,
 * by casting text to a number. SQLite's reader checks the size of each row.
 */
export const limited = (cell: Sql): Sql => {
  const fail = sql`(${TOO_LARGE}::text || octet_length(${cell}))::int::text`
  return sql`case when octet_length(${cell}) > ${MAX_RESULT_LENGTH}::int then ${fail} else ${cell} end`
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
