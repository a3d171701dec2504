/** Compiles a tree to one SQL fragment for both engines. User input only appears as parameters. */
import { joined, type Sql, sql } from '../sql/template.ts'
import { arrayLiteral } from './array-functions.ts'
import type { Constant, Expr } from './ast.ts'
import { misplacedInterval, output } from './convert.ts'
import { type Context, type Env, FALSE } from './env.ts'
import { HogqlError } from './error.ts'
import { resolve } from './fields.ts'
import { buildCall } from './functions.ts'
import { MAX_SQL_PARTS } from './limits.ts'
import {
  BOOLEAN,
  booleanParam,
  derive,
  either,
  FLOAT,
  floatParam,
  type HogType,
  INTEGER,
  integerParam,
  NULL_TYPE,
  STRING,
  sizeOf,
  sqliteOr,
  type TypedSql,
  textParam,
  typeName,
} from './typed.ts'

export type { Context, Table } from './env.ts'
export type { HogType } from './typed.ts'

export interface Compiled {
  /** The value inside a statement: datetimes as microseconds, arrays in the engine's representation. */
  readonly sql: Sql
  /** The value as a result column, for `decode`. */
  readonly output: Sql
  readonly type: HogType
  readonly nullable: boolean
  readonly aggregate: boolean
  /** Reads a column of the row outside of any aggregation, so it must be grouped by if the query aggregates. */
  readonly row: boolean
  /** Reads `p`, which the caller must join. */
  readonly usesPerson: boolean
}

/** Compiles an expression over `events e` and, if `usesPerson` is set, `person p`, or over the table of the context. */
export function compile(expr: Expr, context: Context): Compiled {
  const typed = build(expr, { ...context, names: new Map(), aggregation: null, build })
  if (typed.type.kind === 'interval') throw misplacedInterval(typed.at)
  const column = collated(output(typed), typed.type)
  if (Math.max(sizeOf(typed.sql), sizeOf(column)) > MAX_SQL_PARTS)
    throw new HogqlError(`The expression is too complex.`, expr.at)
  return {
    sql: typed.sql,
    output: column,
    type: typed.type,
    nullable: typed.nullable,
    aggregate: typed.aggregate,
    row: typed.row,
    usesPerson: typed.person,
  }
}

/** ORDER BY a column's position must compare strings by code point. */
const collated = (column: Sql, { kind }: HogType): Sql =>
  ['integer', 'float', 'boolean'].includes(kind) ? column : either(column, sql`(${column}) collate "C"`, column)

/** Compiles a condition, for WHERE and HAVING. */
export function compileCondition(expr: Expr, context: Context): Compiled {
  const compiled = compile(expr, context)
  if (compiled.type.kind !== 'boolean' && compiled.type.kind !== 'null')
    throw new HogqlError(
      `A condition must be a boolean, but the expression is of type ${typeName(compiled.type)}.`,
      expr.at,
    )
  return compiled.type.kind === 'null' ? { ...compiled, type: BOOLEAN, sql: FALSE } : compiled
}

function build(expr: Expr, env: Env): TypedSql {
  switch (expr.kind) {
    case 'constant':
      return constant(expr)
    case 'field':
      return resolve(expr, env)
    case 'call':
      return buildCall(expr, env)
    case 'alias':
      return build(expr.expr, env)
    case 'array':
      return arrayLiteral(
        expr.at,
        expr.items.map((item) => build(item, env)),
      )
    case 'tuple':
      return tuple(
        expr.at,
        expr.items.map((item) => build(item, env)),
      )
    case 'lambda':
      throw new HogqlError(`The lambda must be an argument of a function such as arrayMap.`, expr.at)
    case 'star':
      throw new HogqlError(`"*" is not a value.`, expr.at)
  }
}

function constant({ at, value, float }: Constant): TypedSql {
  if (value === null) return { ...derive(at, NULL_TYPE, sqliteOr(sql`null`, sql`null::text`), [], true), literal: null }
  if (typeof value === 'string') return { ...derive(at, STRING, textParam(value), []), literal: value }
  if (typeof value === 'boolean') return { ...derive(at, BOOLEAN, booleanParam(value), []), literal: value }
  return float
    ? { ...derive(at, FLOAT, floatParam(value), []), literal: value }
    : { ...derive(at, INTEGER, integerParam(value), []), literal: value }
}

function tuple(at: number, items: readonly TypedSql[]): TypedSql {
  const cells = items.map((item) => {
    const { kind } = item.type
    if (kind === 'boolean')
      return either(sql`json(case ${item.sql} when 1 then 'true' when 0 then 'false' else 'null' end)`, item.sql)
    if (kind === 'array' || kind === 'tuple' || kind === 'json')
      return either(sql`json(${output(item)})`, sql`(${output(item)})::json`)
    return output(item)
  })
  const list = joined(cells, ', ')
  return {
    ...derive(
      at,
      { kind: 'tuple', of: items.map((item) => item.type) },
      either(sql`json_array(${list})`, sql`json_build_array(${list})`),
      items,
      false,
    ),
    items,
  }
}
