/** The SELECT that chooses the columns and events of an export. */

import { type AppError, invalid } from '../errors.ts'
import { customColumn, customCondition, type Extract } from '../events/extract.ts'
import { parseFilterList } from '../events/filters.ts'
import type { Column } from '../events/lines.ts'
import { CHANGING_FEEDS, type Model } from '../events/models.ts'
import { type Expr, type Select, withoutAlias } from '../hogql/ast.ts'
import { canonical } from '../hogql/canonical.ts'
import { display, HogqlError, invalidHogql } from '../hogql/error.ts'
import { type Context, compile, type Table } from '../hogql/print.ts'
import { parseSelect } from '../hogql/select.ts'

export interface QuerySchema {
  fields: { expression: string; alias: string }[]
  values: Record<string, unknown>
  hogql_query: string
}

/** Throws HogqlError for an invalid query. */
export function queryColumns(
  query: string,
  model: Model,
  now: number,
): { columns: readonly Column[]; where: Extract['where'] } {
  const { columns, where } = parseSelect(query, [model])
  const context = { now, table: tableOf(model) }
  return {
    columns: columns.map((column) => customColumn(nameOf(column), withoutAlias(column), context)),
    where: where && customCondition(where, { ...context, aliases: aliasesOf(columns) }),
  }
}

/** Throws with attr `hogql_query` when the query cannot be used for an export. */
export function querySchema(query: string, model: Model, now: number): QuerySchema {
  try {
    const select = parseSelect(query, [model])
    requirePlainSelect(select, { now, table: tableOf(model) })
    queryColumns(query, model, now)
    return {
      fields: select.columns.map((column) => ({ expression: canonical(withoutAlias(column)), alias: nameOf(column) })),
      values: {},
      hogql_query: canonical(select),
    }
  } catch (error) {
    if (error instanceof HogqlError) throw invalidHogql('hogql_query', error, query)
    throw error
  }
}

/** The condition of the filters of an export. Throws with attr `filters__…` for an invalid one. */
export function filterCondition(filters: readonly unknown[] | null, now: number): Extract['where'] {
  const condition = filters && parseFilterList(filters, 'filters', now)
  return condition ? customCondition(condition, { now }) : null
}

const tableOf = (model: Model): Table | undefined =>
  model === 'events' ? undefined : { name: model, fields: CHANGING_FEEDS[model].fields }

const aliasesOf = (columns: readonly Expr[]): Map<string, Expr> =>
  new Map(columns.flatMap((column): [string, Expr][] => (column.kind === 'alias' ? [[column.name, column.expr]] : [])))

/** The alias, the name of a field, or the canonical text. */
const nameOf = (expr: Expr): string =>
  expr.kind === 'alias' ? expr.name : expr.kind === 'field' ? expr.chain.join('.') : canonical(expr)

/** An export delivers individual rows in the order of ingestion. */
function requirePlainSelect(select: Select, context: Context): void {
  const [clause] = select.clauses
  if (clause)
    throw new HogqlError(
      `${clause.name} is not supported, because an export delivers individual ${select.from}.`,
      clause.at,
    )
  for (const column of select.columns)
    if (compile(withoutAlias(column), context).aggregate)
      throw new HogqlError(
        `Aggregations are not supported, because an export delivers individual ${select.from}.`,
        column.at,
      )
  const names = select.columns.map(nameOf)
  const duplicate = select.columns.find((column, i) => names.indexOf(nameOf(column)) !== i)
  if (duplicate)
    throw new HogqlError(
      `Duplicate column name ${display(nameOf(duplicate))}. Rename one of the columns with AS.`,
      duplicate.at,
    )
}

export const unsupportedQuery = (type: string): AppError =>
  invalid('hogql_query', `${type} exports do not support a query. Omit "hogql_query".`)
