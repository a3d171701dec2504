/**
 * Columns, conditions and order as the pieces of one statement. Where a column aggregates, the others are grouped by;
 * a condition that aggregates belongs to HAVING.
 */
import { joined, type Sql, sql } from '../sql/template.ts'
import type { Expr, Order, Select } from './ast.ts'
import { canonical, columnName } from './canonical.ts'
import { HogqlError, shown } from './error.ts'
import { type Compiled, type Context, compile, compileCondition, type HogType } from './print.ts'
import { isText } from './typed.ts'

export interface Column {
  /** The alias, or the canonical text. */
  readonly name: string
  /** Canonical, without the alias. */
  readonly expression: string
  readonly type: HogType
  readonly nullable: boolean
  readonly aggregate: boolean
  /** As selected; the name in the statement is ours: c0, c1, … */
  readonly sql: Sql
}

export interface Query {
  readonly columns: readonly Column[]
  /** `<column> as c0, <column> as c1`. */
  readonly select: Sql
  /** Conditions; null where there is none. */
  readonly where: Sql | null
  readonly having: Sql | null
  /** `1, 3`: by position, for PostgreSQL does not see that two expressions with parameters are one. */
  readonly group_by: Sql | null
  readonly order_by: Sql | null
  readonly aggregate: boolean
  readonly usesPerson: boolean
}

export interface Parts {
  readonly columns: readonly Expr[]
  readonly where?: readonly Expr[]
  readonly having?: readonly Expr[]
  readonly group_by?: readonly Expr[]
  readonly order_by?: readonly Order[]
  readonly distinct?: boolean
}

export const partsOf = (select: Select): Parts => ({
  columns: select.columns,
  where: select.where ? [select.where] : [],
  having: select.having ? [select.having] : [],
  group_by: select.group_by,
  order_by: select.order_by,
  distinct: select.distinct,
})

const bare = (expr: Expr): Expr => (expr.kind === 'alias' ? bare(expr.expr) : expr)
const digits = (position: number): Sql => ({ strings: [String(position)], parts: [] })

export function compileQuery(parts: Parts, { now }: Pick<Context, 'now'>): Query {
  const aliases = new Map<string, Expr>()
  for (const column of parts.columns)
    if (column.kind === 'alias') {
      if (aliases.has(column.name))
        throw new HogqlError(`The name ${shown(column.name)} at position ${column.at} is given twice.`, column.at)
      aliases.set(column.name, column.expr)
    }
  const context: Context = { now, aliases }
  const compiled = parts.columns.map((column) => compile(column, { now }))
  const texts = parts.columns.map((column) => canonical(bare(column)))
  /** A clause that names a column, by its alias or by writing it again, means that column. */
  const positionOf = (expr: Expr): number => {
    const inner = bare(expr)
    const alias = inner.kind === 'field' && inner.chain.length === 1 ? aliases.get(inner.chain[0]) : undefined
    return texts.indexOf(canonical(bare(alias ?? inner))) + 1
  }

  const conditions = (parts.where ?? []).map((expr) => compileCondition(expr, context))
  const having = (parts.having ?? []).map((expr) => compileCondition(expr, context))
  const order = (parts.order_by ?? []).map(({ expr, descending }) => ({
    expr,
    descending,
    value: compile(expr, context),
  }))
  const groups = new Set((parts.group_by ?? []).map((expr) => grouped(expr, positionOf, compiled)))
  const aggregate =
    parts.distinct === true ||
    groups.size > 0 ||
    having.length > 0 ||
    [...compiled, ...conditions, ...order.map(({ value }) => value)].some((value) => value.aggregate)

  if (parts.distinct && (groups.size || having.length || compiled.some((column) => column.aggregate)))
    throw new HogqlError('DISTINCT and an aggregation cannot stand in one query.', 1)
  if (aggregate)
    compiled.forEach((column, i) => {
      if (!column.aggregate) groups.add(i + 1)
      else if (column.row) throw mixed(parts.columns[i]!)
    })
  for (const [i, { expr, value }] of order.entries()) {
    if (!aggregate || positionOf(expr)) continue
    if (value.row) throw mixed(order[i]!.expr)
  }
  for (const [i, value] of having.entries()) if (value.row) throw mixed(parts.having![i]!)
  conditions.forEach((value, i) => {
    if (value.aggregate && value.row) throw mixed(parts.where![i]!)
  })

  const all = [...compiled, ...conditions, ...having, ...order.map(({ value }) => value)]
  const after = [...conditions.filter((value) => value.aggregate), ...having]
  return {
    columns: compiled.map((column, i) => ({
      name: columnName(parts.columns[i]!),
      expression: texts[i]!,
      type: column.type,
      nullable: column.nullable,
      aggregate: column.aggregate,
      sql: column.output,
    })),
    select: joined(
      compiled.map(({ output }, i) => sql`${output} as c${digits(i)}`),
      ', ',
    ),
    where: allOf(conditions.filter((value) => !value.aggregate)),
    having: allOf(after),
    group_by: groups.size ? joined([...groups].sort((a, b) => a - b).map(digits), ', ') : null,
    order_by: order.length
      ? joined(
          order.map(({ expr, descending, value }) => ordering(value, descending, aggregate ? positionOf(expr) : 0)),
          ', ',
        )
      : null,
    aggregate,
    usesPerson: all.some(({ usesPerson }) => usesPerson),
  }
}

const allOf = (values: readonly Compiled[]): Sql | null =>
  values.length
    ? joined(
        values.map((value) => value.sql),
        ' and ',
      )
    : null

function grouped(expr: Expr, positionOf: (expr: Expr) => number, compiled: readonly Compiled[]): number {
  const position = positionOf(expr)
  if (!position)
    throw new HogqlError(`What is grouped by at position ${expr.at} must be among the selected columns.`, expr.at)
  if (compiled[position - 1]!.aggregate)
    throw new HogqlError(`An aggregation at position ${expr.at} cannot be grouped by.`, expr.at)
  return position
}

/**
 * NULL comes last either way. Where rows are grouped a selected column is ordered by its position: the engines do not see
 * that two expressions with parameters are one, and would compute an aggregation twice.
 */
function ordering(value: Compiled, descending: boolean, position: number): Sql {
  const { kind } = value.type
  if (['json', 'tuple', 'array', 'interval'].includes(kind))
    throw new HogqlError(`Values of type ${kind} have no order.`, 1)
  const inner = position ? digits(position) : value.sql
  const collate = isText(value.type) && !position ? sql` collate "C"` : sql``
  const way = descending ? sql`desc nulls last` : sql`asc nulls last`
  return sql`${inner}${{ sqlite: sql``, postgres: collate }} ${way}`
}

const mixed = (expr: Expr): HogqlError =>
  new HogqlError(
    `The expression at position ${expr.at} mixes an aggregation with a value of each event. Select that value as a column of its own, or aggregate it too.`,
    expr.at,
  )
