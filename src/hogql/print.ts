/** Tree to SQL: one fragment for both engines, in which users' texts are parameters only. */
import { joined, type Sql, sql } from '../sql/template.ts'
import { arrayLiteral } from './array-functions.ts'
import type { Constant, Expr } from './ast.ts'
import { output } from './convert.ts'
import type { Context, Env } from './env.ts'
import { HogqlError } from './error.ts'
import { resolve } from './fields.ts'
import { buildCall } from './functions.ts'
import { MAX_SQL_PARTS } from './limits.ts'
import {
  BOOLEAN,
  booleanParam,
  FLOAT,
  floatParam,
  type HogType,
  INTEGER,
  integerParam,
  made,
  NULL_TYPE,
  on,
  STRING,
  sizeOf,
  type Typed,
  textParam,
} from './typed.ts'

export type { Context } from './env.ts'
export type { HogType } from './typed.ts'

export interface Compiled {
  /** The value inside a statement: datetimes are microseconds, arrays the engine's own. */
  readonly sql: Sql
  /** The value as a column of the result, for `decode`. */
  readonly output: Sql
  readonly type: HogType
  readonly nullable: boolean
  readonly aggregate: boolean
  /** It reads the row outside of any aggregation, so that beside one it must be grouped by. */
  readonly row: boolean
  /** It reads `p`, which the caller joins. */
  readonly usesPerson: boolean
}

/** The expression over `events e` (and `person p`, where it says so). */
export function compile(expr: Expr, context: Context): Compiled {
  const typed = build(expr, { ...context, names: new Map(), aggregation: null, build })
  if (typed.type.kind === 'interval')
    throw new HogqlError(`An interval at position ${typed.at} is only good for adding to a datetime.`, typed.at)
  const shown = collated(output(typed), typed.type)
  if (Math.max(sizeOf(typed.sql), sizeOf(shown)) > MAX_SQL_PARTS)
    throw new HogqlError(`The expression at position ${expr.at} is too complex.`, expr.at)
  return {
    sql: typed.sql,
    output: shown,
    type: typed.type,
    nullable: typed.nullable,
    aggregate: typed.aggregate,
    row: typed.row,
    usesPerson: typed.person,
  }
}

/** Ordered by its position, a text column goes by code points. */
const collated = (column: Sql, { kind }: HogType): Sql =>
  ['integer', 'float', 'boolean'].includes(kind) ? column : on(column, sql`(${column}) collate "C"`)

/** The expression as a condition: for WHERE and HAVING. */
export function compileCondition(expr: Expr, context: Context): Compiled {
  const compiled = compile(expr, context)
  if (compiled.type.kind !== 'boolean' && compiled.type.kind !== 'null')
    throw new HogqlError(
      `A condition is true or false, but the expression at position ${expr.at} is of type ${compiled.type.kind}.`,
      expr.at,
    )
  return compiled.type.kind === 'null' ? { ...compiled, type: BOOLEAN, sql: on(sql`0`, sql`false`) } : compiled
}

function build(expr: Expr, env: Env): Typed {
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
      throw new HogqlError(
        `A lambda at position ${expr.at} is only good as an argument of arrayMap and the like.`,
        expr.at,
      )
    case 'star':
      throw new HogqlError(`"*" at position ${expr.at} is not a value.`, expr.at)
  }
}

function constant({ at, value, float }: Constant): Typed {
  if (value === null) return { ...made(at, NULL_TYPE, on(sql`null`, sql`null::text`), [], true), literal: null }
  if (typeof value === 'string') return { ...made(at, STRING, textParam(value), []), literal: value }
  if (typeof value === 'boolean') return { ...made(at, BOOLEAN, booleanParam(value), []), literal: value }
  return float
    ? { ...made(at, FLOAT, floatParam(value), []), literal: value }
    : { ...made(at, INTEGER, integerParam(value), []), literal: value }
}

/** A row of values: to be looked up in, or to be shown. */
function tuple(at: number, items: readonly Typed[]): Typed {
  const cells = items.map((item) => {
    const { kind } = item.type
    if (kind === 'boolean')
      return on(sql`json(case ${item.sql} when 1 then 'true' when 0 then 'false' else 'null' end)`, item.sql)
    if (kind === 'array' || kind === 'tuple' || kind === 'json')
      return on(sql`json(${output(item)})`, sql`(${output(item)})::json`)
    return output(item)
  })
  const list = joined(cells, ', ')
  return {
    ...made(
      at,
      { kind: 'tuple', of: items.map((item) => item.type) },
      on(sql`json_array(${list})`, sql`json_build_array(${list})`),
      items,
      false,
    ),
    items,
  }
}
