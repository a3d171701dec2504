/** The build environment of an expression, and the shape of the function tables. */
import { type Sql, sql } from '../sql/template.ts'
import type { Call, Expr } from './ast.ts'
import { HogqlError } from './error.ts'
import { booleanParam, derive, type HogType, type TypedSql } from './typed.ts'

/** A column that expressions can name. */
export interface FieldColumn {
  type: HogType
  sql: Sql
  nullable: boolean
  /** Reads the person `p`. */
  person: boolean
}

/** A table other than `events`. */
export interface Table {
  readonly name: string
  readonly fields: Record<string, FieldColumn>
}

export interface Context {
  /** The result of now() and the base of today(), in microseconds since 1970. */
  readonly now: number
  /** Column aliases, for the clauses that may refer to them. */
  readonly aliases?: ReadonlyMap<string, Expr>
  /** `events` by default. */
  readonly table?: Table
}

export interface Env extends Context {
  /** Parameters of the enclosing lambdas. */
  readonly names: ReadonlyMap<string, TypedSql>
  /** The enclosing aggregation. */
  readonly aggregation: string | null
  readonly build: (expr: Expr, env: Env) => TypedSql
}

/** A list of at least `Min` arguments. */
export type Args<Min extends number, Head extends readonly TypedSql[] = []> = Head['length'] extends Min
  ? readonly [...Head, ...TypedSql[]]
  : Args<Min, readonly [...Head, TypedSql]>

/** The exact number of arguments, or its bounds. */
export type Arity<Min extends number> = Min | readonly [min: Min, max: number]

export interface Fn {
  readonly min: number
  readonly max: number
  readonly build: (args: readonly TypedSql[], call: Call, env: Env) => TypedSql
  /** Replaces `build` for functions with lambdas, which build their arguments themselves. */
  readonly buildRaw?: (call: Call, env: Env) => TypedSql
}

export interface Aggregation {
  readonly min: number
  readonly max: number
  /** Number of parameters before the arguments, as in quantile(0.9)(x). */
  readonly params?: number
  readonly build: (args: readonly TypedSql[], filter: Sql | null, call: Call, params: readonly TypedSql[]) => TypedSql
}

export type Functions = Readonly<Record<string, Fn>>

export const bounds = <Min extends number>(arity: Arity<Min>): { min: Min; max: number } =>
  typeof arity === 'number' ? { min: arity, max: arity } : { min: arity[0], max: arity[1] }

/** `buildCall` checks the number of arguments. This assertion only narrows the type. */
export function assertArgs<Min extends number>(
  args: readonly TypedSql[],
  min: Min,
  { name }: Call,
): asserts args is readonly TypedSql[] & Args<Min> {
  if (args.length < min) throw new Error(`${name} built with ${args.length} of ${min} arguments`)
}

/** A function whose `build` receives its required arguments as a tuple. */
export function fn<Min extends number>(
  arity: Arity<Min>,
  build: (args: Args<Min>, call: Call, env: Env) => TypedSql,
): Fn {
  const { min, max } = bounds(arity)
  return {
    min,
    max,
    build: (args, call, env) => {
      assertArgs(args, min, call)
      return build(args, call, env)
    },
  }
}

/**
 * Evaluates each value once and exposes it to `body` as `t.<name>`, on PostgreSQL. Without OFFSET the planner inlines the
 * values wherever they are used, and nested calls grow exponentially: one line of HogQL took 20 GB.
 */
export function bindOnce(values: Readonly<Record<string, Sql>>, body: Sql): Sql {
  const names = Object.keys(values)
  const list: Sql = {
    strings: ['', ...names.map((name, i) => ` as ${name}${i < names.length - 1 ? ', ' : ''}`)],
    parts: Object.values(values),
  }
  return sql`(select ${body} from (select ${list} offset 0) t)`
}

/** The value of a constant string. Patterns, units and formats must be constants, so they are checked before the query runs. */
export function constantString(value: TypedSql, label: string, call: Call): string {
  if (typeof value.literal === 'string') return value.literal
  throw new HogqlError(`${label} of ${call.name} must be a constant string.`, value.at)
}

/** better-sqlite3 returns every number from a user-defined function as a float. */
export const sqliteInteger = (value: Sql): Sql => sql`cast(${value} as integer)`

export const FALSE: Sql = booleanParam(false)
export const boolean = (at: number, value: Sql, from: readonly TypedSql[], nullable = false): TypedSql =>
  derive(at, { kind: 'boolean' }, value, from, nullable)
