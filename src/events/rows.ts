/** HogQL on events: `where` as a condition of the list, `select` as rows of the caller's own columns. */
import { invalid } from '../errors.ts'
import { type Expr, field, type Order } from '../hogql/ast.ts'
import { decode } from '../hogql/convert.ts'
import { HogqlError } from '../hogql/error.ts'
import { splitLabel } from '../hogql/lexer.ts'
import { parseExpression } from '../hogql/parser.ts'
import { compile, compileCondition, type HogType } from '../hogql/print.ts'
import { type Column, compileQuery, type Query } from '../hogql/query.ts'
import { parseOrder } from '../hogql/select.ts'
import { either } from '../hogql/typed.ts'
import { joined, name, type Sql, sql } from '../sql/template.ts'
import { all } from './filters.ts'
import { type Condition, conditions, type ListQuery, personJoin } from './list.ts'
import { MAX_RESULT_LENGTH, TOO_LARGE } from './reader-messages.ts'
import type { EventReader } from './readers.ts'

export interface RowsQuery extends Omit<ListQuery, 'condition' | 'from' | 'oldestFirst' | 'withPerson'> {
  select: readonly string[]
  where: readonly string[]
  /** From the `properties` filter. */
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

/** What `*` holds, and `person`. */
const STAR = ['uuid', 'event', 'properties', 'timestamp', 'team_id', 'distinct_id', 'elements_chain', 'created_at']
const PERSON = ['id', 'created_at', 'properties']

/** What must hold of an event, from `properties` and `where` together; undefined where nothing must. */
export function conditionOf(filter: Expr | undefined, where: readonly string[], now: number): Condition | undefined {
  const parts = where.map((text, i) =>
    named(`where__${i}`, () => {
      const expr = parseExpression(text)
      if (compileCondition(expr, { now }).aggregate)
        throw new HogqlError(
          'Without "select" there is nothing to aggregate: "where" looks at one event at a time.',
          expr.at,
        )
      return expr
    }),
  )
  const whole = all('and', [filter, ...parts])
  return whole && named('where', () => compileCondition(whole, { now }))
}

export async function rows(reader: EventReader, query: RowsQuery, limit: number): Promise<Rows> {
  const { project_id, now, signal, offset } = query
  const shown = (query.select.length ? query.select : ['*']).map((text, i) =>
    named(`select__${i}`, () => shownAs(text, now)),
  )
  const columns = shown.flatMap(({ parts }) => parts)
  const aliases = new Map(
    columns.flatMap((column): [string, Expr][] => (column.kind === 'alias' ? [[column.name, column.expr]] : [])),
  )
  // Each compiled by itself first, so that what is wrong with it is told of where it came in.
  const where = query.where.map((text, i) =>
    named(`where__${i}`, () => {
      const expr = parseExpression(text)
      compileCondition(expr, { now, aliases })
      return expr
    }),
  )
  const compiled = named('select', () =>
    compileQuery(
      {
        columns,
        where: query.filter ? [query.filter, ...where] : where,
        order_by: ordering(query.orderBy, columns, now),
      },
      { now },
    ),
  )
  const found = await reader.rows(statement(query, compiled, limit + 1, offset), { project_id, lane: 'slow', signal })
  const types = shown.map(({ parts, assemble }, i) => {
    const at = shown.slice(0, i).reduce((sum, one) => sum + one.parts.length, 0)
    return assemble
      ? `Tuple(${parts.map((_, j) => typeOf(compiled.columns[at + j]!)).join(', ')})`
      : typeOf(compiled.columns[at]!)
  })
  return {
    columns: shown.map(({ name }) => name),
    types,
    rows: found.slice(0, limit),
    resultOf: (row) => {
      const cells = row.map((cell, i) => decode(cell, compiled.columns[i]!.type))
      let at = 0
      return shown.map(({ parts, assemble }) => {
        const own = cells.slice(at, at + parts.length)
        at += parts.length
        return assemble ? assemble(own) : own[0]
      })
    },
    more: found.length > limit,
  }
}

interface Shown {
  name: string
  parts: Expr[]
  /** For what is one value to the caller and several to the database. */
  assemble?: (cells: unknown[]) => unknown
}

/** A trailing comment names a column, and so does AS. */
function shownAs(text: string, now: number): Shown {
  const { text: bare, label } = splitLabel(text)
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
  const expr = parseExpression(bare)
  compile(expr, { now })
  return { name: label ?? (expr.kind === 'alias' ? expr.name : bare), parts: [expr] }
}

/** As asked; else newest first where the time is shown, the most first where there is a count, or by the first column. */
function ordering(asked: readonly string[], columns: readonly Expr[], now: number): Order[] {
  const given = asked.map((text, i) => named(`orderBy__${i}`, () => parseOrder(text)))
  if (given.length) return given
  const bare = columns.map((column) => (column.kind === 'alias' ? column.expr : column))
  const isField = (expr: Expr, name: string): boolean => expr.kind === 'field' && expr.chain.join() === name
  const time = bare.find((expr) => isField(expr, 'timestamp'))
  const counted = bare.find((expr) => expr.kind === 'call' && expr.name === 'count')
  const { columns: compiled } = named('select', () => compileQuery({ columns }, { now }))
  const summed = bare.find((_, i) => compiled[i]!.aggregate)
  const sortable = bare.find((_, i) => !['json', 'array', 'tuple', 'interval'].includes(compiled[i]!.type.kind))
  if (time && !compiled.some((column) => column.aggregate)) return [{ expr: time, descending: true }]
  if (counted ?? summed) return [{ expr: (counted ?? summed)!, descending: true }, ...others(bare, compiled)]
  return sortable ? [{ expr: sortable, descending: false }] : []
}

/** Groups with the same count keep one order from page to page. */
const others = (bare: readonly Expr[], compiled: readonly Column[]): Order[] =>
  bare
    .filter((_, i) => !compiled[i]!.aggregate && !['json', 'array', 'tuple'].includes(compiled[i]!.type.kind))
    .map((expr) => ({ expr, descending: false }))

function statement(query: RowsQuery, compiled: Query, limit: number, offset: number): Sql {
  const { select, where, having, group_by, order_by, aggregate, usesPerson } = compiled
  const person = usesPerson ? personJoin(query.project_id) : sql``
  const unique = aggregate ? sql`` : sql`${order_by ? sql`,` : sql``} e.timestamp desc, e.uuid desc`
  return guarded(
    compiled.columns,
    sql`
    select ${select} from events e ${person} where ${conditions(query)} ${where ? sql`and ${where}` : sql``}
    ${group_by ? sql`group by ${group_by}` : sql``} ${having ? sql`having ${having}` : sql``}
    ${order_by || !aggregate ? sql`order by ${order_by ?? sql``} ${unique}` : sql``} limit ${limit} offset ${offset}`,
  )
}

/**
 * The PostgreSQL driver crashes on a cell above 512 MB. The statement therefore fails by itself,
 * by casting text to a number. SQLite's reader checks the size of each row.
 */
function guarded(columns: readonly Column[], rows: Sql): Sql {
  const cells = columns.map(({ type }, i) => {
    const cell = sql`r.${name(`c${i}`)}`
    if (!['string', 'json', 'array', 'tuple'].includes(type.kind)) return cell
    const fail = sql`(${TOO_LARGE}::text || octet_length(${cell}))::int::text`
    return sql`case when octet_length(${cell}) > ${MAX_RESULT_LENGTH}::int then ${fail} else ${cell} end`
  })
  return either(rows, sql`select ${joined(cells, ', ')} from (${rows}) r`)
}

function typeOf({ type, nullable, expression }: Column): string {
  const name = /^(count|uniq)/.test(expression) ? 'UInt64' : typeName(type)
  return nullable && !/^(Array|Tuple|Nullable)/.test(name) ? `Nullable(${name})` : name
}

function typeName(type: HogType): string {
  switch (type.kind) {
    case 'integer':
      return 'Int64'
    case 'float':
      return 'Float64'
    case 'boolean':
      return 'Bool'
    case 'datetime':
      return "DateTime64(6, 'UTC')"
    case 'date':
      return 'Date'
    case 'uuid':
      return 'UUID'
    case 'null':
      return 'Nullable(Nothing)'
    case 'array':
      return `Array(${typeName(type.of)})`
    case 'tuple':
      return `Tuple(${type.of.map(typeName).join(', ')})`
    default:
      return 'String'
  }
}

/** What is wrong with an expression is the fault of the parameter it came in. */
function named<Result>(attr: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof HogqlError) throw invalid(attr, error.message)
    throw error
  }
}
