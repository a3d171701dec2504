/**
 * Compiles columns, conditions and order to the clauses of one statement. If a column aggregates, the other columns are
 * grouped by. A condition that aggregates becomes part of HAVING.
 */
import { joined, type Sql, sql } from '../sql/template.ts'
import { type Expr, type Order, type Select, withoutAlias } from './ast.ts'
import { canonical, columnName } from './canonical.ts'
import { display, HogqlError } from './error.ts'
import { type Compiled, type Context, compile, compileCondition, type HogType } from './print.ts'
import { isText, typeName } from './typed.ts'

export interface Column {
  /** The alias, or the canonical text. */
  readonly name: string
  /** The canonical text without the alias. */
  readonly expression: string
  readonly type: HogType
  readonly nullable: boolean
  readonly aggregate: boolean
  /** The selected value. Its name in the statement is c0, c1, … */
  readonly sql: Sql
}

export interface Query {
  readonly columns: readonly Column[]
  /** `<column> as c0, <column> as c1`. */
  readonly select: Sql
  readonly where: Sql | null
  readonly having: Sql | null
  /** `1, 3`: positions, since PostgreSQL does not recognize two equal expressions with parameters. */
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

const digits = (position: number): Sql => ({ strings: [String(position)], parts: [] })

interface Part {
  readonly expr: Expr
  readonly value: Compiled
}

export function compileQuery(parts: Parts, base: Omit<Context, 'aliases'>): Query {
  const aliases = columnAliases(parts.columns)
  const context: Context = { ...base, aliases }
  const columns = parts.columns.map((expr) => ({
    expr,
    text: canonical(withoutAlias(expr)),
    value: compile(expr, base),
  }))
  /** The 1-based position of the column that a clause names by its alias or repeats, or 0. */
  const positionOf = (expr: Expr): number => {
    const inner = withoutAlias(expr)
    const alias = inner.kind === 'field' && inner.chain.length === 1 ? aliases.get(inner.chain[0]) : undefined
    const text = canonical(withoutAlias(alias ?? inner))
    return columns.findIndex((column) => column.text === text) + 1
  }
  /** `ORDER BY 2` and `GROUP BY 1` name columns by their position. */
  const atPosition = (expr: Expr): Expr => {
    if (expr.kind !== 'constant' || typeof expr.value !== 'number' || expr.float) return expr
    const column = parts.columns[expr.value - 1]
    if (!column)
      throw new HogqlError(`There is no column ${expr.value}. The query selects ${parts.columns.length}.`, expr.at)
    return withoutAlias(column)
  }
  const conditionsOf = (exprs: readonly Expr[] = []): Part[] =>
    exprs.map((expr) => ({ expr, value: compileCondition(expr, context) }))

  const conditions = conditionsOf(parts.where)
  const having = conditionsOf(parts.having)
  const order = (parts.order_by ?? []).map(({ expr: sent, descending }) => {
    const expr = atPosition(sent)
    return { expr, descending, value: compile(expr, context) }
  })
  const groups = new Set(
    (parts.group_by ?? []).map(atPosition).map((expr) => groupPosition(expr, positionOf(expr), columns)),
  )
  const aggregate =
    parts.distinct === true ||
    groups.size > 0 ||
    having.length > 0 ||
    [...columns, ...conditions, ...order].some(({ value }) => value.aggregate)

  if (parts.distinct && (groups.size || having.length || columns.some(({ value }) => value.aggregate)))
    throw new HogqlError('DISTINCT cannot be combined with an aggregation.', columns[0]?.expr.at ?? 1)
  if (aggregate)
    for (const [i, { expr, value }] of columns.entries()) {
      if (!value.aggregate) groups.add(i + 1)
      else if (value.row) throw mixed(expr)
    }
  for (const { expr, value } of order) if (aggregate && !positionOf(expr) && value.row) throw mixed(expr)
  for (const { expr, value } of having) if (value.row) throw mixed(expr)
  for (const { expr, value } of conditions) if (value.aggregate && value.row) throw mixed(expr)

  return {
    columns: columns.map(({ expr, text, value }) => ({
      name: columnName(expr),
      expression: text,
      type: value.type,
      nullable: value.nullable,
      aggregate: value.aggregate,
      sql: value.output,
    })),
    select: joined(
      columns.map(({ value }, i) => sql`${value.output} as c${digits(i)}`),
      ', ',
    ),
    where: allOf(conditions.filter(({ value }) => !value.aggregate)),
    having: allOf([...conditions.filter(({ value }) => value.aggregate), ...having]),
    group_by: groups.size ? joined([...groups].sort((a, b) => a - b).map(digits), ', ') : null,
    order_by: order.length
      ? joined(
          order.map(({ expr, descending, value }) =>
            ordering(expr, value, descending, aggregate ? positionOf(expr) : 0),
          ),
          ', ',
        )
      : null,
    aggregate,
    usesPerson: [...columns, ...conditions, ...having, ...order].some(({ value }) => value.usesPerson),
  }
}

/** The columns by their aliases. */
export function columnAliases(columns: readonly Expr[]): Map<string, Expr> {
  const aliases = new Map<string, Expr>()
  for (const column of columns)
    if (column.kind === 'alias') {
      if (aliases.has(column.name)) throw new HogqlError(`Duplicate column name ${display(column.name)}.`, column.at)
      aliases.set(column.name, column.expr)
    }
  return aliases
}

const allOf = (conditions: readonly Part[]): Sql | null =>
  conditions.length
    ? joined(
        conditions.map(({ value }) => value.sql),
        ' and ',
      )
    : null

function groupPosition(expr: Expr, position: number, columns: readonly Part[]): number {
  const column = columns[position - 1]
  if (!column) throw new HogqlError(`The GROUP BY expression must be one of the selected columns.`, expr.at)
  if (column.value.aggregate) throw new HogqlError(`GROUP BY cannot contain an aggregation.`, expr.at)
  return position
}

/**
 * NULL sorts last in both directions. A grouped query orders selected columns by position: the engines do not recognize
 * two equal expressions with parameters and would compute an aggregation twice.
 */
function ordering(expr: Expr, value: Compiled, descending: boolean, position: number): Sql {
  const { kind } = value.type
  if (['json', 'tuple', 'array', 'interval'].includes(kind))
    throw new HogqlError(`Values of type ${typeName(value.type)} have no order.`, expr.at)
  const inner = position ? digits(position) : value.sql
  const collate = isText(value.type) && !position ? sql` collate "C"` : sql``
  const way = descending ? sql`desc nulls last` : sql`asc nulls last`
  return sql`${inner}${{ sqlite: sql``, postgres: collate, duckdb: sql`` }} ${way}`
}

const mixed = (expr: Expr): HogqlError =>
  new HogqlError(
    `The expression mixes an aggregation with a value of a single event. Select that value as a separate column, or aggregate it too.`,
    expr.at,
  )
