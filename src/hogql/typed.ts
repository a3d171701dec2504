/** An expression on its way to SQL: a fragment for both engines and what is known about it. */
import { type Part, type Sql, sql } from '../sql/template.ts'

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

export interface Typed {
  readonly at: number
  readonly sql: Sql
  readonly type: HogType
  readonly nullable: boolean
  /** It holds an aggregation, so it is a value of the group and not of the row. */
  readonly aggregate: boolean
  /** It reads the row outside of any aggregation. */
  readonly row: boolean
  readonly person: boolean
  /** Its value, when the text itself says it. */
  readonly literal?: string | number | boolean | null
  /** The items of a list that is written out. */
  readonly items?: readonly Typed[]
  /** Where in a JSON column the text, or the JSON itself, was found. */
  readonly json?: JsonPath
  /** The JSON that it is the text of. */
  readonly document?: JsonPath
  readonly interval?: { readonly unit: IntervalUnit; readonly amount: Typed }
}

export type IntervalUnit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'

export interface JsonPath {
  readonly root: Sql
  /** Keys, and indexes counted from 1 (or from the end, when negative). */
  readonly path: readonly (string | number)[]
}

/** What a result inherits from what it is made of. */
export function made(
  at: number,
  type: HogType,
  fragment: Sql,
  from: readonly Typed[],
  nullable: boolean = from.some((part) => part.nullable),
): Typed {
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

/** The same statement in the words of each engine. */
export const on = (sqlite: Sql, postgres: Sql): Sql => sql`${{ sqlite, postgres }}`

/** Parameters have no type of their own on PostgreSQL, and on SQLite every number that is bound is a float. */
export const textParam = (value: string): Sql => on(sql`${value}`, sql`${value}::text`)
export const integerParam = (value: number): Sql => on(sql`cast(${value} as integer)`, sql`${value}::bigint`)
export const floatParam = (value: number): Sql => on(sql`${value}`, sql`${value}::float8`)
export const booleanParam = (value: boolean): Sql => (value ? on(sql`1`, sql`true`) : on(sql`0`, sql`false`))

/** `((a and b) and (c and d))`: a long chain must not be a deep one. */
export function balanced(parts: readonly Sql[], operator: 'and' | 'or' | '||'): Sql {
  if (parts.length === 1) return parts[0]!
  const half = parts.length >> 1
  const [left, right] = [balanced(parts.slice(0, half), operator), balanced(parts.slice(half), operator)]
  if (operator === '||') return sql`(${left} || ${right})`
  return operator === 'and' ? sql`(${left} and ${right})` : sql`(${left} or ${right})`
}

const sizes = new WeakMap<object, number>()

/** Parts of the statement when it is written out. Fragments are shared, so each is measured once. */
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
    case 'tuple':
      return 'tuple'
    case 'string':
      return 'text'
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

/** The type that holds both, if there is one. */
export function common(a: HogType, b: HogType): HogType | undefined {
  if (a.kind === 'null') return b
  if (b.kind === 'null') return a
  if (a.kind === 'array' && b.kind === 'array') {
    const of = common(a.of, b.of)
    return of && arrayOf(of)
  }
  if (sameType(a, b)) return a
  if (isNumber(a) && isNumber(b)) return FLOAT
  if (isTime(a) && isTime(b)) return DATETIME
  if (isText(a) && isText(b)) return STRING
  return undefined
}

/** The type of PostgreSQL that carries it. */
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
