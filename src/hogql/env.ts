/** What building a part of an expression may know and ask, and the shape of the tables of functions. */
import { type Sql, sql } from '../sql/template.ts'
import type { Call, Expr } from './ast.ts'
import { HogqlError } from './error.ts'
import { made, on, type Typed } from './typed.ts'

export interface Context {
  /** What now() and today() say: microseconds since 1970. Time is an input. */
  readonly now: number
  /** Names given to columns, for the clauses that may use them. */
  readonly aliases?: ReadonlyMap<string, Expr>
}

export interface Env extends Context {
  /** Names of enclosing lambdas. */
  readonly names: ReadonlyMap<string, Typed>
  /** The aggregation this is an argument of. */
  readonly aggregation: string | null
  readonly build: (expr: Expr, env: Env) => Typed
}

export interface Fn {
  readonly min: number
  readonly max: number
  /** Written in any case. The others are exact. */
  readonly anyCase?: boolean
  readonly build: (args: readonly Typed[], call: Call, env: Env) => Typed
  /** For those that take lambdas: builds its arguments itself. */
  readonly buildRaw?: (call: Call, env: Env) => Typed
}

export interface Aggregation {
  readonly min: number
  readonly max: number
  readonly anyCase?: boolean
  /** Parameters before the arguments: quantile(0.9)(x). */
  readonly params?: number
  readonly build: (args: readonly Typed[], filter: Sql | null, call: Call, params: readonly Typed[]) => Typed
}

export type Functions = Readonly<Record<string, Fn>>

/**
 * Several names for one thing that must be written once: on PostgreSQL a row of its own, `t`. Without the OFFSET the
 * planner would put each value back wherever its name stands, so that what is nested grows exponentially: a line of
 * HogQL made it ask for 20 GB.
 */
export function bound(values: Readonly<Record<string, Sql>>, body: Sql): Sql {
  const columns = Object.entries(values)
  const list: Sql = {
    strings: [...columns.map((_, i) => (i ? ` as ${columns[i - 1]![0]}, ` : '')), ` as ${columns.at(-1)![0]}`],
    parts: columns.map(([, value]) => value),
  }
  return sql`(select ${body} from (select ${list} offset 0) t)`
}

/** A text that stands in the expression itself: patterns, units and formats are checked before anything runs. */
export function literalText(value: Typed | undefined, what: string, who: Call): string {
  if (typeof value?.literal === 'string') return value.literal
  const at = value?.at ?? who.at
  throw new HogqlError(`${what} of ${who.name} at position ${at} must be a constant text.`, at)
}

/** A function of ours on the SQLite connection returns numbers as floats. */
export const sqliteInteger = (value: Sql): Sql => sql`cast(${value} as integer)`

export const FALSE: Sql = on(sql`0`, sql`false`)
export const boolean = (at: number, value: Sql, from: readonly Typed[], nullable = false): Typed =>
  made(at, { kind: 'boolean' }, value, from, nullable)
