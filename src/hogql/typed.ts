/** An expression compiled to SQL for both engines, with its type. */
import { type Part, type Sql, sql } from '../sql/template.ts'
import type { IntervalUnit } from './units.ts'

export type HogType =
  | { readonly kind: 'string' | 'integer' | 'float' | 'boolean' | 'datetime' | 'date' | 'uuid' | 'json' | 'null' }
  | { readonly kind: 'array'; readonly of: HogType }
  | { readonly kind: 'tuple'; readonly of: readonly HogType[] }
  | { readonly kind: 'interval' }

export const STRING: HogType = { kind: 'string' }
export const INTEGER: HogType = { kind: 'integer' }
export const FLOAT: HogType = { kind: 'float' }
export const BOOLEAN: HogType = { kind: 'boolean' }
export const DATETIME: HogType = { kind: 'datetime' }
export const DATE: HogType = { kind: 'date' }
export const UUID: HogType = { kind: 'uuid' }
export const JSON_TYPE: HogType = { kind: 'json' }
export const NULL_TYPE: HogType = { kind: 'null' }
export const INTERVAL: HogType = { kind: 'interval' }
export const arrayOf = (of: HogType): HogType => ({ kind: 'array', of })

export interface TypedSql {
  readonly at: number
  readonly sql: Sql
  readonly type: HogType
  readonly nullable: boolean
  /** Contains an aggregation, so the value belongs to the group and not to a row. */
  readonly aggregate: boolean
  /** Reads a column of the row outside of any aggregation. */
  readonly row: boolean
  /** Reads the joined person. */
  readonly person: boolean
  /** The value of a constant. */
  readonly literal?: string | number | boolean | null
  /** The items of a list literal. */
  readonly items?: readonly TypedSql[]
  /** The path inside a JSON column that this value was read from. */
  readonly json?: JsonPath
  /** The JSON that this string is the text of. */
  readonly document?: JsonPath
  /** The shortest decimal of this float, which DuckDB adds exactly. */
  readonly decimal?: Sql | undefined
  readonly interval?: { readonly unit: IntervalUnit; readonly amount: TypedSql }
}

/** A property of the event `e` or the person `p`. */
export interface MirroredProperty {
  readonly of: 'e' | 'p'
  readonly key: string
}

export interface JsonPath {
  readonly root: Sql
  /** Keys, and 1-based indexes. A negative index counts from the end. */
  readonly path: readonly (string | number)[]
  /** The property, if the mirror has columns for it. */
  readonly mirrored?: MirroredProperty | undefined
}

/** A value computed from `from`, whose flags it inherits. */
export function derive(
  at: number,
  type: HogType,
  fragment: Sql,
  from: readonly TypedSql[],
  nullable: boolean = from.some((part) => part.nullable),
): TypedSql {
  return {
    at,
    type,
    sql: fragment,
    nullable,
    aggregate: from.some((part) => part.aggregate),
    row: from.some((part) => part.row),
    person: from.some((part) => part.person),
  }
}

/** A fragment that differs between the engines. Without the third form, DuckDB cannot run it. */
export const either = (sqlite: Sql, postgres: Sql, duckdb?: Sql): Sql =>
  sql`${{ sqlite, postgres, ...(duckdb && { duckdb }) }}`

/** A fragment that is the same on PostgreSQL and DuckDB. */
export const sqliteOr = (sqlite: Sql, others: Sql): Sql => either(sqlite, others, others)

/**
 * PostgreSQL cannot infer the type of these parameters, and better-sqlite3 binds every number as a float. The driver of
 * DuckDB binds every whole number as an integer, so a float is a text.
 */
export const textParam = (value: string): Sql => sqliteOr(sql`${value}`, sql`${value}::text`)
export const integerParam = (value: number): Sql => sqliteOr(sql`cast(${value} as integer)`, sql`${value}::bigint`)
export const floatParam = (value: number): Sql =>
  either(sql`${value}`, sql`${value}::float8`, sql`${String(value)}::float8`)
export const booleanParam = (value: boolean): Sql =>
  value ? sqliteOr(sql`1`, sql`true`) : sqliteOr(sql`0`, sql`false`)

/** Fails on DuckDB, whose result would differ. The query then runs on the database of the events. */
export const INEXACT: Sql = sql`error('mirror_inexact')`

/** Divides integers and drops the remainder. */
export const DIVIDED_BY: Sql = either(sql`/`, sql`/`, sql`//`)

/** `((a and b) and (c and d))`: a balanced tree keeps long chains within SQLite's expression depth limit. */
export function balanced(parts: readonly Sql[], operator: 'and' | 'or' | '||'): Sql {
  const [first] = parts
  if (first && parts.length === 1) return first
  const half = parts.length >> 1
  const [left, right] = [balanced(parts.slice(0, half), operator), balanced(parts.slice(half), operator)]
  if (operator === '||') return sql`(${left} || ${right})`
  return operator === 'and' ? sql`(${left} and ${right})` : sql`(${left} or ${right})`
}

const sizes = new WeakMap<object, number>()

/** Number of parts in the written statement. Fragments are shared, so each is measured once. */
export function sizeOf(part: Part): number {
  if (typeof part !== 'object' || part === null || part instanceof Uint8Array) return 1
  let size = sizes.get(part)
  if (size === undefined) {
    size =
      'strings' in part
        ? part.parts.reduce<number>((sum, inner) => sum + sizeOf(inner), part.strings.length)
        : Math.max(sizeOf(part.sqlite), sizeOf(part.postgres))
    sizes.set(part, size)
  }
  return size
}

export const typeName = (type: HogType): string => {
  switch (type.kind) {
    case 'array':
      return `array of ${typeName(type.of)}`
    case 'json':
      return 'JSON'
    default:
      return type.kind
  }
}

export const isNumber = (type: HogType): boolean => type.kind === 'integer' || type.kind === 'float'
export const isTime = (type: HogType): boolean => type.kind === 'datetime' || type.kind === 'date'
export const isText = (type: HogType): boolean => type.kind === 'string' || type.kind === 'uuid'

export function sameType(a: HogType, b: HogType): boolean {
  if (a.kind === 'array' && b.kind === 'array') return sameType(a.of, b.of)
  return a.kind === b.kind
}

/** The narrowest type that includes both. */
export function commonType(a: HogType, b: HogType): HogType | undefined {
  if (a.kind === 'null') return b
  if (b.kind === 'null') return a
  if (a.kind === 'array' && b.kind === 'array') {
    const of = commonType(a.of, b.of)
    return of && arrayOf(of)
  }
  if (sameType(a, b)) return a
  if (isNumber(a) && isNumber(b)) return FLOAT
  if (isTime(a) && isTime(b)) return DATETIME
  if (isText(a) && isText(b)) return STRING
  return undefined
}

/** The type of arithmetic on these numbers. NULL counts as an integer. */
export const numericType = (values: readonly TypedSql[]): HogType =>
  values.some(({ type }) => type.kind === 'float') ? FLOAT : INTEGER

/** The PostgreSQL type that stores it. */
export function columnType(type: HogType): Sql {
  switch (type.kind) {
    case 'integer':
    case 'datetime':
    case 'date':
      return sql`bigint`
    case 'float':
      return sql`float8`
    case 'boolean':
      return sql`boolean`
    case 'array':
      return sql`${columnType(type.of)}[]`
    case 'json':
    case 'tuple':
      return sql`json`
    default:
      return sql`text`
  }
}
