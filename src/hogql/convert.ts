/** Converts values between types, and to and from result columns. */
import { name, type Sql, sql } from '../sql/template.ts'
import { bindOnce } from './env.ts'
import { HogqlError } from './error.ts'
import { jsonText, sqliteJsonFloat } from './json.ts'
import { MAX_DATETIME, MAX_INTEGER, MIN_DATETIME } from './limits.ts'
import { decimalColumn, floatColumn } from './mirror-columns.ts'
import {
  columnType,
  DIVIDED_BY,
  derive,
  either,
  FLOAT,
  type HogType,
  isNumber,
  isText,
  isTime,
  STRING,
  sameType,
  sqliteOr,
  type TypedSql,
  typeName,
} from './typed.ts'

export const SECOND = 1_000_000
export const DAY = 86_400_000_000
/** Added before a division, so that times before 1970 are positive and round down. */
const EPOCH_SHIFT = 1_000_000 * DAY

/** An integer in the statement's text instead of a parameter. Never for user input. */
export const integerLiteral = (value: number): Sql => ({ strings: [String(BigInt(value))], parts: [] })

/** Units since 1970, rounded down. The unit must divide a day. */
export const floorTo = (time: Sql, unit: number): Sql =>
  sql`((${time} + ${integerLiteral(EPOCH_SHIFT)}) ${DIVIDED_BY} ${integerLiteral(unit)} - ${integerLiteral(EPOCH_SHIFT / unit)})`

/** Microseconds since the start of the current unit. */
export const remainder = (time: Sql, unit: number): Sql =>
  sql`((${time} + ${integerLiteral(EPOCH_SHIFT)}) % ${integerLiteral(unit)})`

export const wholeSeconds = (time: Sql): Sql => floorTo(time, SECOND)
export const postgresTimestamp = (time: Sql): Sql => sql`(timestamp '1970-01-01' + ${time} * interval '1 microsecond')`
export const postgresDate = (time: Sql): Sql => sql`(date '1970-01-01' + (${floorTo(time, DAY)})::int)`

/** A time in microseconds as DuckDB's type. */
export const duckdbTimestamp = (time: Sql): Sql => sql`make_timestamp(${time})`

/** NULL outside the range. Uses the value once, and also returns NULL for NULL although PostgreSQL's `least` ignores it. */
function within(value: Sql, low: number, high: number): Sql {
  const [under, over] = [integerLiteral(low - 1), integerLiteral(high + 1)]
  return sqliteOr(
    sql`nullif(nullif(max(min(${value}, ${over}), ${under}), ${over}), ${under})`,
    sql`nullif(nullif(greatest(least(${value}, ${over}), ${under}), ${over}), ${under})::bigint`,
  )
}
export const integerWithin = (value: Sql): Sql => within(value, -(MAX_INTEGER - 1), MAX_INTEGER - 1)
export const datetimeWithin = (value: Sql): Sql => within(value, MIN_DATETIME, MAX_DATETIME)

/** PostgreSQL's string functions take 32-bit integers. Its `least` and `greatest` ignore NULL, which must stay NULL. */
export const int4 = (value: Sql): Sql =>
  sql`(case when ${value} is not null then least(greatest(${value}, -1000000000), 1000000000)::int end)`

/** Casts NULL and integers to `type`. Other values already have a compatible type. */
export function coerce(value: TypedSql, type: HogType): Sql {
  if (value.type.kind === 'null') return sqliteOr(sql`null`, sql`null::${columnType(type)}`)
  if (type.kind === 'float' && value.type.kind === 'integer')
    return sqliteOr(sql`cast(${value.sql} as real)`, sql`(${value.sql})::float8`)
  if (type.kind === 'array' && value.type.kind === 'array' && !sameType(type, value.type))
    return either(value.sql, sql`(${value.sql})::${columnType(type)}`)
  return value.sql
}

/** The result of toString. */
export function asText(value: TypedSql): Sql {
  const { sql: inner, type } = value
  switch (type.kind) {
    case 'string':
    case 'uuid':
      return inner
    case 'null':
      return sqliteOr(sql`null`, sql`null::text`)
    case 'integer':
      return sqliteOr(sql`cast(${inner} as text)`, sql`(${inner})::text`)
    case 'float':
      return either(sql`hogql_float_text(${inner})`, sql`(${inner} + 0::float8)::text`)
    case 'boolean':
      return sqliteOr(sql`(case ${inner} when 1 then 'true' when 0 then 'false' end)`, sql`(${inner})::text`)
    case 'datetime':
      return either(
        sql`(strftime('%Y-%m-%d %H:%M:%S', ${wholeSeconds(inner)}, 'unixepoch') || printf('.%06d', ${remainder(inner, SECOND)}))`,
        sql`to_char(${postgresTimestamp(inner)}, 'YYYY-MM-DD HH24:MI:SS.US')`,
        sql`strftime(${duckdbTimestamp(inner)}, '%Y-%m-%d %H:%M:%S.%f')`,
      )
    case 'date':
      return either(
        sql`strftime('%Y-%m-%d', ${wholeSeconds(inner)}, 'unixepoch')`,
        sql`to_char(${postgresDate(inner)}, 'YYYY-MM-DD')`,
        sql`strftime(${duckdbTimestamp(inner)}, '%Y-%m-%d')`,
      )
    case 'json':
      return value.json ? jsonText(value.json) : either(sql`(${inner} || '')`, sql`(${inner})::text`)
    case 'array':
      return arrayJson(value, type.of)
    case 'tuple':
      return either(sql`(${inner} || '')`, sql`(${inner})::text`)
    case 'interval':
      throw misplacedInterval(value.at)
  }
}

export const misplacedInterval = (at: number): HogqlError =>
  new HogqlError(`The interval can only be added to or subtracted from a datetime.`, at)

/** The array as JSON, with datetimes formatted as text. */
function arrayJson({ sql: inner }: TypedSql, of: HogType): Sql {
  if (of.kind !== 'datetime' && of.kind !== 'date')
    return either(sql`(${inner} || '')`, sql`array_to_json(${inner})::text`)
  const item = (column: Sql): Sql => asText(derive(1, of, column, []))
  return either(
    sql`(select json_group_array(${item(sql`i.value`)} order by i.key) from json_each(${inner}) i)`,
    sql`array_to_json(array(select ${item(sql`i.v`)} from unnest(${inner}) with ordinality i(v, n) order by i.n))::text`,
  )
}

/**
 * The format of numbers in texts that both engines parse alike. Longer texts are not accepted; PostgreSQL matches
 * `[0-9]{1,40}` five to ten times slower than `[0-9]+` with a check of the length.
 */
export const NUMBER_PATTERN = '^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,2})?$'
export const MAX_NUMBER_LENGTH = 80

/** Whether the text is a number, on PostgreSQL. */
export const isNumberText = (text: Sql): Sql =>
  sql`octet_length(${text}) <= ${integerLiteral(MAX_NUMBER_LENGTH)} and ${text} ~ ${NUMBER_PATTERN}::text`

export const cannotConvert = (value: TypedSql, target: string): HogqlError =>
  new HogqlError(`A value of type ${typeName(value.type)} cannot be converted to ${target}.`, value.at)

export function toFloat(value: TypedSql, at: number): TypedSql {
  switch (value.type.kind) {
    case 'float':
      return value
    case 'null':
    case 'integer':
      return derive(at, FLOAT, coerce(value, FLOAT), [value])
    case 'boolean':
      return derive(at, FLOAT, sqliteOr(sql`cast(${value.sql} as real)`, sql`(${value.sql})::int::float8`), [value])
    case 'string':
      return textToFloat(value, at)
    default:
      throw cannotConvert(value, isTime(value.type) ? 'a number. Use toUnixTimestamp' : 'a number')
  }
}

function textToFloat(value: TypedSql, at: number): TypedSql {
  const mirrored = value.json?.mirrored
  const text = either(
    (value.json && sqliteJsonFloat(value.json)) ?? sql`hogql_float(${value.sql})`,
    bindOnce({ v: value.sql }, sql`case when ${isNumberText(sql`t.v`)} then t.v::float8 end`),
    mirrored && sql`${name(mirrored.of)}.${name(floatColumn(mirrored.key))}`,
  )
  const decimal = mirrored?.of === 'e' ? sql`e.${name(decimalColumn(mirrored.key))}` : undefined
  return { ...derive(at, FLOAT, text, [value], true), decimal }
}

/** The numbers as values that DuckDB adds exactly, if it can. */
export function decimalsOf(values: readonly TypedSql[]): Sql[] | undefined {
  const decimals = values.map(decimalOf)
  return decimals.every((decimal) => decimal !== undefined) ? decimals : undefined
}

export function decimalOf({ type, sql: value, decimal }: TypedSql): Sql | undefined {
  if (type.kind === 'null') return sql`null`
  return type.kind === 'integer' ? value : decimal
}

export const toText = (value: TypedSql): TypedSql => derive(value.at, STRING, asText(value), [value])

/** The value as a selected column, for `decode`. */
export function output(value: TypedSql): Sql {
  if (isTime(value.type)) {
    const text = asText(value)
    // Formatting each row would take DuckDB several times as long as grouping the numbers.
    return either(text, text, value.sql)
  }
  return ['json', 'array', 'tuple', 'null', 'interval'].includes(value.type.kind) ? asText(value) : value.sql
}

/** Converts a selected cell to a JSON value that is the same on both engines. */
export function decode(cell: unknown, type: HogType): unknown {
  if (cell === null || cell === undefined) return null
  switch (type.kind) {
    case 'integer':
    case 'float': {
      const value = Number(cell)
      return Object.is(value, -0) ? 0 : value
    }
    case 'boolean':
      return cell === true || cell === 1 || cell === 'true'
    case 'json':
      return JSON.parse(String(cell))
    case 'tuple':
      return decodeItems(JSON.parse(String(cell)), type)
    case 'array':
      return parseArray(cell).map((item) => decode(item, type.of))
    case 'datetime':
      return typeof cell === 'number' ? isoMicroseconds(cell) : isoTime(String(cell))
    case 'date':
      return typeof cell === 'number' ? isoMicroseconds(cell).slice(0, 'YYYY-MM-DD'.length) : cell
    default:
      return cell
  }
}

function parseArray(cell: unknown): unknown[] {
  const value: unknown = JSON.parse(String(cell))
  if (!Array.isArray(value)) throw new TypeError('an array column does not contain a JSON array')
  return value
}

/** The items of a tuple are already JSON, except that datetimes are not in ISO format. */
function decodeItems(value: unknown, type: HogType | undefined): unknown {
  if (type?.kind === 'datetime' && typeof value === 'string') return isoTime(value)
  if (!Array.isArray(value)) return value
  if (type?.kind === 'array') return value.map((item) => decodeItems(item, type.of))
  return type?.kind === 'tuple' ? value.map((item, i) => decodeItems(item, type.of[i])) : value
}

/** `2026-01-02 03:04:05.678000` → `2026-01-02T03:04:05.678Z`. Microseconds appear only if they are not zero, as in events. */
const isoTime = (text: string): string => `${text.replace(' ', 'T').replace(/000$/, '')}Z`

/** Microseconds since 1970 in the same format. */
function isoMicroseconds(time: number): string {
  const milliseconds = Math.floor(time / 1000)
  const rest = time - milliseconds * 1000
  const text = new Date(milliseconds).toISOString()
  return rest ? text.replace('Z', `${String(rest).padStart(3, '0')}Z`) : text
}

const isSortable = ({ kind }: HogType): boolean => !['json', 'array', 'tuple', 'interval', 'boolean'].includes(kind)

/** The argument types that functions require, and how error messages name them. */
const EXPECTATIONS = {
  string: { noun: 'a string', accepts: isText },
  number: { noun: 'a number', accepts: isNumber },
  integer: { noun: 'an integer', accepts: ({ kind }) => kind === 'integer' },
  boolean: { noun: 'a boolean', accepts: ({ kind }) => kind === 'boolean' },
  datetime: { noun: 'a datetime', accepts: isTime },
  array: { noun: 'an array', accepts: ({ kind }) => kind === 'array' },
  'string or array': { noun: 'a string or an array', accepts: (type) => isText(type) || type.kind === 'array' },
  sortable: { noun: 'a sortable value', accepts: isSortable },
  scalar: { noun: 'a scalar value', accepts: (type) => isSortable(type) || type.kind === 'boolean' },
} satisfies Record<string, { noun: string; accepts: (type: HogType) => boolean }>

type Expected = keyof typeof EXPECTATIONS

/** Throws unless the argument has the expected type. NULL is accepted everywhere. */
export function requireType(value: TypedSql, expected: Expected, fnName: string): void {
  const { noun, accepts } = EXPECTATIONS[expected]
  if (value.type.kind === 'null' || accepts(value.type)) return
  throw new HogqlError(
    `${fnName} expects ${noun}, but the value is of type ${typeName(value.type)}.${conversionHint(value.type, expected)}`,
    value.at,
  )
}

function conversionHint(type: HogType, expected: Expected): string {
  if (expected === 'string' || expected === 'string or array') return ' Use toString.'
  if (!isText(type)) return ''
  if (expected === 'number') return ' Use toFloat.'
  if (expected === 'integer') return ' Use toInt.'
  return expected === 'datetime' ? ' Use toDateTime.' : ''
}
