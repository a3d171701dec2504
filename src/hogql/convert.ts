/** From one type to another, and out to the reader. */
import { type Sql, sql } from '../sql/template.ts'
import { HogqlError } from './error.ts'
import { jsonText } from './json.ts'
import { MAX_DATETIME, MAX_INTEGER, MIN_DATETIME } from './limits.ts'
import { columnType, type HogType, isText, made, on, STRING, sameType, type Typed, typeName } from './typed.ts'

/** A million days before 1970, in microseconds: added before a division so that it rounds down for every year. */
export const EPOCH_SHIFT_DAYS = 1_000_000
export const DAY = 86_400_000_000
export const EPOCH_SHIFT = EPOCH_SHIFT_DAYS * DAY
export const SECOND = 1_000_000

/** A number of ours in the statement's text. */
export const number = (value: number): Sql => ({ strings: [String(BigInt(value))], parts: [] })

/** Whole units of the calendar since 1970, rounded down. The unit divides a day. */
export const floorTo = (time: Sql, unit: number): Sql =>
  sql`((${time} + ${number(EPOCH_SHIFT)}) / ${number(unit)} - ${number(EPOCH_SHIFT / unit)})`

/** What is left over after that. */
export const remainder = (time: Sql, unit: number): Sql => sql`((${time} + ${number(EPOCH_SHIFT)}) % ${number(unit)})`

export const sqliteSeconds = (time: Sql): Sql => floorTo(time, SECOND)
export const postgresTimestamp = (time: Sql): Sql => sql`(timestamp '1970-01-01' + ${time} * interval '1 microsecond')`
export const postgresDate = (time: Sql): Sql => sql`(date '1970-01-01' + (${floorTo(time, DAY)})::int)`

/** NULL outside of the range, with the value mentioned once. `least` ignores NULL on PostgreSQL: it ends as NULL too. */
function within(value: Sql, low: number, high: number): Sql {
  const [under, over] = [number(low - 1), number(high + 1)]
  return on(
    sql`nullif(nullif(max(min(${value}, ${over}), ${under}), ${over}), ${under})`,
    sql`nullif(nullif(greatest(least(${value}, ${over}), ${under}), ${over}), ${under})::bigint`,
  )
}
export const integerWithin = (value: Sql): Sql => within(value, -(MAX_INTEGER - 1), MAX_INTEGER - 1)
export const datetimeWithin = (value: Sql): Sql => within(value, MIN_DATETIME, MAX_DATETIME)

/** PostgreSQL counts characters in 32 bits. `least` and `greatest` skip NULL there, which must stay NULL. */
export const int4 = (value: Sql): Sql =>
  sql`(case when ${value} is not null then least(greatest(${value}, -1000000000), 1000000000)::int end)`

/** As NULL of the wanted type, as a float from an integer, or as it is. */
export function coerce(value: Typed, type: HogType): Sql {
  if (value.type.kind === 'null') return on(sql`null`, sql`null::${columnType(type)}`)
  if (type.kind === 'float' && value.type.kind === 'integer')
    return on(sql`cast(${value.sql} as real)`, sql`(${value.sql})::float8`)
  if (type.kind === 'array' && value.type.kind === 'array' && !sameType(type, value.type))
    return on(value.sql, sql`(${value.sql})::${columnType(type)}`)
  return value.sql
}

/** What toString says: the text that the value would be shown as. */
export function asText(value: Typed): Sql {
  const { sql: inner, type } = value
  switch (type.kind) {
    case 'string':
    case 'uuid':
      return inner
    case 'null':
      return on(sql`null`, sql`null::text`)
    case 'integer':
      return on(sql`cast(${inner} as text)`, sql`(${inner})::text`)
    case 'float':
      return on(sql`hogql_float_text(${inner})`, sql`(${inner} + 0::float8)::text`)
    case 'boolean':
      return on(sql`(case ${inner} when 1 then 'true' when 0 then 'false' end)`, sql`(${inner})::text`)
    case 'datetime':
      return on(
        sql`(strftime('%Y-%m-%d %H:%M:%S', ${sqliteSeconds(inner)}, 'unixepoch') || printf('.%06d', ${remainder(inner, SECOND)}))`,
        sql`to_char(${postgresTimestamp(inner)}, 'YYYY-MM-DD HH24:MI:SS.US')`,
      )
    case 'date':
      return on(
        sql`strftime('%Y-%m-%d', ${sqliteSeconds(inner)}, 'unixepoch')`,
        sql`to_char(${postgresDate(inner)}, 'YYYY-MM-DD')`,
      )
    case 'json':
      return value.json ? jsonText(value.json) : on(sql`(${inner} || '')`, sql`(${inner})::text`)
    case 'array':
      return arrayJson(value, type.of)
    case 'tuple':
      return on(sql`(${inner} || '')`, sql`(${inner})::text`)
    case 'interval':
      throw new HogqlError(`An interval at position ${value.at} is only good for adding to a datetime.`, value.at)
  }
}

/** Elements that are datetimes are shown as text, too. */
function arrayJson({ sql: inner }: Typed, of: HogType): Sql {
  if (of.kind !== 'datetime' && of.kind !== 'date') return on(sql`(${inner} || '')`, sql`array_to_json(${inner})::text`)
  const item = (column: Sql): Sql => asText(made(1, of, column, []))
  return on(
    sql`(select json_group_array(${item(sql`i.value`)} order by i.key) from json_each(${inner}) i)`,
    sql`array_to_json(array(select ${item(sql`i.v`)} from unnest(${inner}) with ordinality i(v, n) order by i.n))::text`,
  )
}

export const toText = (value: Typed): Typed => made(value.at, STRING, asText(value), [value])

/** The column as it is selected: `decode` reads it. */
export function output(value: Typed): Sql {
  switch (value.type.kind) {
    case 'datetime':
    case 'date':
    case 'json':
    case 'array':
    case 'tuple':
    case 'null':
    case 'interval':
      return asText(value)
    default:
      return value.sql
  }
}

/** A selected cell as JSON: the same value whichever engine it came from. */
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
      return JSON.parse(cell as string)
    case 'tuple':
      return decodeItems(JSON.parse(cell as string), type)
    case 'array':
      return (JSON.parse(cell as string) as unknown[]).map((item) => decode(item, type.of))
    case 'datetime':
      return isoTime(cell as string)
    default:
      return cell
  }
}

/** The items of a tuple are JSON already; only their times are not as they are shown. */
function decodeItems(value: unknown, type: HogType): unknown {
  if (type.kind === 'datetime' && typeof value === 'string') return isoTime(value)
  if (!Array.isArray(value)) return value
  if (type.kind === 'array') return value.map((item) => decodeItems(item, type.of))
  return type.kind === 'tuple' ? value.map((item, i) => decodeItems(item, type.of[i]!)) : value
}

/** `2026-01-02 03:04:05.678000` → `2026-01-02T03:04:05.678Z`: microseconds only where there are any, as for events. */
const isoTime = (text: string): string => `${text.replace(' ', 'T').replace(/000$/, '')}Z`

export function mustBe(value: Typed, ok: (type: HogType) => boolean, wanted: string, who: string): void {
  if (value.type.kind !== 'null' && !ok(value.type))
    throw new HogqlError(
      `${who} needs ${wanted}, but position ${value.at} is of type ${typeName(value.type)}.${remedy(value.type, wanted)}`,
      value.at,
    )
}

function remedy(type: HogType, wanted: string): string {
  if (wanted.startsWith('a text')) return ' Use toString.'
  if (isText(type) && wanted.startsWith('a number')) return ' Use toFloat.'
  if (isText(type) && wanted.startsWith('a whole')) return ' Use toInt.'
  if (isText(type) && wanted.startsWith('a datetime')) return ' Use toDateTime.'
  return ''
}
