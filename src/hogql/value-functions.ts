/** Conversions, NULL handling, conditionals and numeric functions. */
import { joined, type Sql, sql } from '../sql/template.ts'
import {
  asText,
  cannotConvert,
  coerce,
  DAY,
  datetimeWithin,
  decimalOf,
  decimalsOf,
  floorTo,
  integerLiteral,
  integerWithin,
  requireType,
  toFloat,
  toText,
} from './convert.ts'
import {
  DAY_FIRST,
  MAX_DATETIME_LENGTH,
  PIVOT_YEAR,
  parseDatetime,
  RFC_822,
  UNIX,
  UNIX_MILLIS,
  YEAR_FIRST,
  ZONES,
} from './datetime.ts'
import { duckdbRound } from './duckdb-digits.ts'
import { type Args, bindOnce, boolean, type Fn, type Functions, fn, sqliteInteger } from './env.ts'
import { HogqlError } from './error.ts'
import { sqliteJsonInteger } from './json.ts'
import { MAX_YEAR, MIN_YEAR } from './limits.ts'
import { equal } from './operators.ts'
import {
  BOOLEAN,
  commonType,
  DATE,
  DATETIME,
  derive,
  either,
  FLOAT,
  type HogType,
  INTEGER,
  integerParam,
  isText,
  isTime,
  NULL_TYPE,
  numericType,
  STRING,
  sqliteOr,
  type TypedSql,
  typeName,
  UUID,
} from './typed.ts'

const unary = (build: (value: TypedSql, at: number) => TypedSql): Fn => fn(1, ([value], { at }) => build(value, at))

/** The format that both engines parse alike. Longer integers are not accepted. */
export const INTEGER_PATTERN = '^[+-]?[0-9]{1,16}$'
const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

const nullOf = (at: number, type: HogType): TypedSql =>
  derive(at, type, coerce(derive(at, NULL_TYPE, sql`null`, []), type), [], true)

function toInt(value: TypedSql, at: number): TypedSql {
  const inner = value.sql
  switch (value.type.kind) {
    case 'integer':
      return value
    case 'null':
      return nullOf(at, INTEGER)
    case 'float':
      return derive(
        at,
        INTEGER,
        either(
          sqliteInteger(sql`hogql_whole(${inner})`),
          integerWithin(
            bindOnce({ v: inner }, sql`case when t.v = trunc(t.v) and abs(t.v) < 1e16 then t.v::bigint end`),
          ),
          integerWithin(sql`case when ${inner} = trunc(${inner}) and abs(${inner}) < 1e16 then (${inner})::bigint end`),
        ),
        [value],
        true,
      )
    case 'boolean':
      return derive(at, INTEGER, sqliteOr(inner, sql`(${inner})::int::bigint`), [value])
    case 'string':
      return derive(
        at,
        INTEGER,
        either(
          (value.json && sqliteJsonInteger(value.json)) ?? sqliteInteger(sql`hogql_integer(${inner})`),
          integerWithin(bindOnce({ v: inner }, sql`case when t.v ~ ${INTEGER_PATTERN}::text then t.v::bigint end`)),
          integerWithin(
            sql`case when regexp_matches(${inner}, ${INTEGER_PATTERN}) then try_cast(${inner} as bigint) end`,
          ),
        ),
        [value],
        true,
      )
    default:
      throw cannotConvert(value, isTime(value.type) ? 'an integer. Use toUnixTimestamp' : 'an integer')
  }
}

export function toDateTime(value: TypedSql, at: number): TypedSql {
  if (typeof value.literal === 'string') {
    const time = parseDatetime(value.literal)
    return time === null ? nullOf(at, DATETIME) : derive(at, DATETIME, integerParam(time), [])
  }
  switch (value.type.kind) {
    case 'datetime':
      return value
    case 'date':
      return derive(at, DATETIME, value.sql, [value])
    case 'null':
      return nullOf(at, DATETIME)
    case 'integer':
      return derive(
        at,
        DATETIME,
        datetimeWithin(
          either(
            sql`(${value.sql} * 1000000)`,
            sql`((${value.sql})::numeric * 1000000)`,
            sql`((${value.sql})::hugeint * 1000000)`,
          ),
        ),
        [value],
        true,
      )
    case 'float':
      return derive(
        at,
        DATETIME,
        either(
          sqliteInteger(sql`hogql_seconds(${value.sql})`),
          bindOnce(
            { v: value.sql },
            sql`case when abs(t.v) < 1e11 then ${datetimeWithin(sql`round(t.v * 1000000)::bigint`)} end`,
          ),
        ),
        [value],
        true,
      )
    case 'string':
    case 'uuid':
      return derive(
        at,
        DATETIME,
        either(sqliteInteger(sql`hogql_datetime(${value.sql})`), postgresDatetime(value.sql)),
        [value],
        true,
      )
    default:
      throw cannotConvert(value, 'a datetime')
  }
}

const namedZones: Sql = {
  strings: [
    Object.entries(ZONES)
      .map(([name, offset]) => `when '${name}' then '${offset}'`)
      .join(' '),
  ],
  parts: [],
}

/**
 * parseDatetime in SQL. `make_date` fails for a day that does not exist, so the day is checked before the call. OFFSET
 * keeps the planner from inlining the text wherever it is used, as in `bindOnce`.
 */
function postgresDatetime(text: Sql): Sql {
  const matches = sql`(select regexp_match(x.s, ${YEAR_FIRST}::text) as a, regexp_match(x.s, ${DAY_FIRST}::text) as b, regexp_match(x.s, ${RFC_822}::text, 'i') as r, regexp_match(x.s, ${UNIX}::text) as u, regexp_match(x.s, ${UNIX_MILLIS}::text) as k from (select case when char_length(v.s) <= ${integerLiteral(MAX_DATETIME_LENGTH)} then v.s end as s from (select ${text} as s offset 0) v offset 0) x offset 0) m`
  const group = (n: number): Sql => sql`coalesce(m.a[${integerLiteral(n)}], m.b[${integerLiteral(n)}])`
  const year = sql`(case when char_length(m.r[3]) = 4 then '' when m.r[3]::int < ${integerLiteral(PIVOT_YEAR)} then '20' else '19' end || m.r[3])`
  const month = sql`((strpos('janfebmaraprmayjunjulaugsepoctnovdec', lower(m.r[2])) + 2) / 3)`
  const zone = sql`(case upper(m.r[7]) ${namedZones} else m.r[7] end)`
  const parts = sql`(select coalesce(m.a[1], m.b[3], ${year})::int as y, coalesce(${group(2)}::int, ${month}) as mo, coalesce(m.a[3], m.b[1], m.r[1])::int as d, coalesce(${group(4)}, m.r[4], '0')::int as h, coalesce(${group(5)}, m.r[5], '0')::int as mi, coalesce(${group(6)}, m.r[6], '0')::int as s, rpad(left(coalesce(${group(7)}, ''), 6), 6, '0')::bigint as f, regexp_match(coalesce(${group(8)}, ${zone}), '^([+-])([0-9]{2}):?([0-9]{2})?$') as z, coalesce(m.u[1], m.k[1])::bigint as unix, rpad(left(coalesce(m.u[2], m.k[2], ''), 6), 6, '0')::bigint as unix_f from ${matches} offset 0) t`
  const ahead = sql`(case when t.z is null then 0 else (case t.z[1] when '-' then -1 else 1 end) * (t.z[2]::int * 60 + coalesce(t.z[3], '0')::int) end)`
  const last = sql`(array[31, case when t.y % 4 = 0 and (t.y % 100 <> 0 or t.y % 400 = 0) then 29 else 28 end, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])[t.mo]`
  return sql`(select case when t.unix is not null then ${datetimeWithin(sql`t.unix * 1000000 + t.unix_f`)} when t.y between ${integerLiteral(MIN_YEAR)} and ${integerLiteral(MAX_YEAR)} and t.mo between 1 and 12 and t.d between 1 and ${last} and t.h < 24 and t.mi < 60 and t.s < 60 then ${datetimeWithin(sql`(make_date(t.y, t.mo, t.d) - date '1970-01-01')::bigint * ${integerLiteral(DAY)} + ((t.h * 60 + t.mi - ${ahead}) * 60 + t.s)::bigint * 1000000 + t.f`)} end from ${parts})`
}

export const toDate = (value: TypedSql, at: number): TypedSql => {
  if (value.type.kind === 'date') return value
  const time = toDateTime(value, at)
  return derive(at, DATE, sql`(${floorTo(time.sql, DAY)} * ${integerLiteral(DAY)})`, [time])
}

const toUUID = unary((value, at) => {
  if (value.type.kind === 'uuid') return value
  if (value.type.kind === 'null') return nullOf(at, UUID)
  requireType(value, 'string', 'toUUID')
  return derive(
    at,
    UUID,
    either(
      sql`hogql_uuid(${value.sql})`,
      bindOnce({ v: value.sql }, sql`case when t.v ~ ${UUID_PATTERN}::text then lower(t.v) end`),
    ),
    [value],
    true,
  )
})

function toJSONString(value: TypedSql, at: number): TypedSql {
  const { type } = value
  if (type.kind === 'json') return derive(at, STRING, asText(value), [value])
  if (type.kind === 'null') return derive(at, STRING, either(sql`'null'`, sql`'null'::text`), [])
  if (isText(type) || isTime(type)) {
    const text = asText(value)
    return derive(
      at,
      STRING,
      either(sql`(case when ${text} is not null then json_quote(${text}) || '' end)`, sql`to_json(${text})::text`),
      [value],
    )
  }
  return derive(at, STRING, asText(value), [value])
}

/** The common type of all values. Throws if two of them have none. */
export function requireCommonType(values: readonly TypedSql[], fnName: string): HogType {
  return values.reduce<HogType>((type, value) => {
    const next = commonType(type, value.type)
    if (!next || next.kind === 'interval')
      throw new HogqlError(
        `${fnName} expects values of one type, but the value is of type ${typeName(value.type)} and another is of type ${typeName(type)}.`,
        value.at,
      )
    return next
  }, NULL_TYPE)
}

/** A list of NULLs has no type. Treat it as strings. */
const nullAsString = (type: HogType): HogType => (type.kind === 'null' ? STRING : type)

interface Branch {
  readonly condition: TypedSql
  readonly value: TypedSql
}

/** `case when … then … else … end`. */
function conditional(branches: readonly Branch[], otherwise: TypedSql, at: number, fnName: string): TypedSql {
  const values = [...branches.map(({ value }) => value), otherwise]
  const type = nullAsString(requireCommonType(values, fnName))
  const whens = branches.map(({ condition, value }) => {
    requireType(condition, 'boolean', fnName)
    return sql`when ${coerce(condition, BOOLEAN)} then ${coerce(value, type)}`
  })
  const from = [...branches.flatMap(({ condition, value }) => [condition, value]), otherwise]
  const nullable = values.some((value) => value.nullable)
  const choice = sql`(case ${joined(whens, ' ')} else ${coerce(otherwise, type)} end)`
  return { ...derive(at, type, choice, from, nullable), decimal: decimalChoice(branches, otherwise) }
}

/** The same choice between exact decimals. */
function decimalChoice(branches: readonly Branch[], otherwise: TypedSql): Sql | undefined {
  const decimals = decimalsOf(branches.map(({ value }) => value))
  const last = decimalOf(otherwise)
  if (!decimals || !last) return undefined
  const whens = branches.map(({ condition }, i) => sql`when ${coerce(condition, BOOLEAN)} then ${decimals[i] ?? last}`)
  return sql`(case ${joined(whens, ' ')} else ${last} end)`
}

const multiIf = fn([3, 201], (args, { at }) => {
  const otherwise = args.at(-1)
  if (!otherwise || args.length % 2 === 0)
    throw new HogqlError(`multiIf expects pairs of a condition and a value, then a last value.`, at)
  return conditional(toBranches(args.slice(0, -1)), otherwise, at, 'multiIf')
})

function toBranches([condition, value, ...rest]: readonly TypedSql[]): Branch[] {
  return condition && value ? [{ condition, value }, ...toBranches(rest)] : []
}

/** The value of the pair whose first item equals the subject, else `otherwise` or the subject itself. */
const transform = fn([3, 4], ([subject, from, to, otherwise = subject], { at }) => {
  const { items: keys } = from
  const { items: values } = to
  if (!keys || !values || keys.length !== values.length)
    throw new HogqlError(`transform expects two lists of the same length.`, at)
  const branches = keys.flatMap((key, i) => {
    const value = values[i]
    return value ? { condition: equal(at, subject, key), value } : []
  })
  return branches.length ? conditional(branches, otherwise, at, 'transform') : otherwise
})

function coalesce(args: Args<1>, at: number, fnName: string): TypedSql {
  const type = nullAsString(requireCommonType(args, fnName))
  const values = args.map((arg) => coerce(arg, type))
  const fragment = args.length === 1 ? coerce(args[0], type) : sql`coalesce(${joined(values, ', ')})`
  const nullable = args.every((arg) => arg.nullable)
  const decimals = decimalsOf(args)
  return {
    ...derive(at, type, fragment, args, nullable),
    decimal: decimals && sql`coalesce(${joined(decimals, ', ')})`,
  }
}

/** Rounds half away from zero, on the 15 digits that both engines agree on. */
const round = fn([1, 2], ([value, digits], { at }) => {
  requireType(value, 'number', 'round')
  const places = integerLiteral(Math.max(-30, Math.min(30, digits ? decimalPlaces(digits) : 0)))
  const inner = coerce(value, FLOAT)
  const rounded = either(
    sql`hogql_round(${inner}, ${places})`,
    sql`round((${inner})::numeric, ${places})::float8`,
    // For each row this would take ten times as long as on the other engines.
    value.aggregate ? duckdbRound(inner, digits ? decimalPlaces(digits) : 0) : undefined,
  )
  if (value.type.kind !== 'integer') return derive(at, FLOAT, rounded, [value])
  return derive(at, INTEGER, sqliteOr(sqliteInteger(rounded), sql`(${rounded})::bigint`), [value])
})

function decimalPlaces({ literal, at }: TypedSql): number {
  if (typeof literal === 'number' && Number.isInteger(literal)) return literal
  throw new HogqlError(`The digits of round must be a constant integer.`, at)
}

const rounding = (name: 'floor' | 'ceil'): Fn =>
  unary((value, at) => {
    requireType(value, 'number', name)
    if (value.type.kind === 'integer') return value
    const inner = coerce(value, FLOAT)
    return derive(at, FLOAT, name === 'floor' ? sql`floor(${inner})` : sql`ceil(${inner})`, [value])
  })

export const VALUE_FUNCTIONS: Functions = {
  toString: unary((value) => toText(value)),
  toInt: unary(toInt),
  toFloat: unary(toFloat),
  toDecimal: fn([1, 2], ([value], { at }) => toFloat(value, at)),
  toUUID,
  toDate: unary(toDate),
  toDateTime: fn([1, 2], ([value, zone], { at }) => {
    if (zone) requireUtc(zone)
    return toDateTime(value, at)
  }),
  parseDateTimeBestEffort: unary(toDateTime),
  toTimeZone: fn(2, ([value, zone], { at }) => {
    requireUtc(zone)
    return toDateTime(value, at)
  }),
  toJSONString: unary(toJSONString),

  coalesce: fn([1, 100], (args, { at }) => coalesce(args, at, 'coalesce')),
  ifNull: fn(2, (args, { at }) => coalesce(args, at, 'ifNull')),
  nullIf: fn(2, (args, { at }) => {
    const [value, other] = args
    const same = equal(at, value, other)
    const type = nullAsString(value.type)
    return derive(at, type, sql`(case when not ${same.sql} then ${coerce(value, type)} end)`, args, true)
  }),
  isNull: unary((value, at) => boolean(at, sql`(${value.sql} is null)`, [value])),
  isNotNull: unary((value, at) => boolean(at, sql`(${value.sql} is not null)`, [value])),
  if: fn(3, ([condition, value, otherwise], { at }) => conditional([{ condition, value }], otherwise, at, 'if')),
  multiIf,
  transform,

  round,
  floor: rounding('floor'),
  ceil: rounding('ceil'),
  abs: unary((value, at) => {
    requireType(value, 'number', 'abs')
    const type = numericType([value])
    return derive(at, type, sql`abs(${coerce(value, type)})`, [value])
  }),
}

function requireUtc(zone: TypedSql): void {
  if (zone.literal !== 'UTC' && zone.literal !== 'Etc/UTC')
    throw new HogqlError(`The time zone must be 'UTC'. Other time zones are not supported.`, zone.at)
}
