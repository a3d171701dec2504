/** Conversions, NULL, choices and numbers. */
import { type Sql, sql } from '../sql/template.ts'
import { asText, coerce, DAY, datetimeWithin, floorTo, integerWithin, mustBe, number, toText } from './convert.ts'
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
import { boolean, bound, type Fn, type Functions, sqliteInteger } from './env.ts'
import { HogqlError } from './error.ts'
import { sqliteFloat, sqliteWhole } from './json.ts'
import { MAX_YEAR, MIN_YEAR } from './limits.ts'
import { OPERATORS } from './operators.ts'
import {
  BOOLEAN,
  common,
  DATE,
  DATETIME,
  FLOAT,
  type HogType,
  INTEGER,
  integerParam,
  isNumber,
  isText,
  isTime,
  made,
  NULL_TYPE,
  on,
  STRING,
  type Typed,
  typeName,
  UUID,
} from './typed.ts'

const one = (build: (value: Typed, at: number) => Typed, anyCase = false): Fn => ({
  min: 1,
  max: 1,
  anyCase,
  build: ([value], { at }) => build(value!, at),
})

/** Spellings of numbers that both engines read alike. Anything longer is no number here. */
export const WHOLE = '^[+-]?[0-9]{1,16}$'
export const DECIMAL = '^[+-]?([0-9]{1,40}([.][0-9]{0,40})?|[.][0-9]{1,40})([eE][+-]?[0-9]{1,2})?$'
const UUID_FORM = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

const cannot = (value: Typed, to: string): HogqlError =>
  new HogqlError(`A value of type ${typeName(value.type)} at position ${value.at} cannot be made ${to}.`, value.at)

const nothing = (at: number, type: HogType): Typed =>
  made(at, type, coerce(made(at, NULL_TYPE, sql`null`, []), type), [], true)

function toInt(value: Typed, at: number): Typed {
  const inner = value.sql
  switch (value.type.kind) {
    case 'integer':
      return value
    case 'null':
      return nothing(at, INTEGER)
    case 'float':
      return made(
        at,
        INTEGER,
        on(
          sqliteInteger(sql`hogql_whole(${inner})`),
          integerWithin(bound({ v: inner }, sql`case when t.v = trunc(t.v) and abs(t.v) < 1e16 then t.v::bigint end`)),
        ),
        [value],
        true,
      )
    case 'boolean':
      return made(at, INTEGER, on(inner, sql`(${inner})::int::bigint`), [value])
    case 'string':
      return made(
        at,
        INTEGER,
        on(
          (value.json && sqliteWhole(value.json)) ?? sqliteInteger(sql`hogql_integer(${inner})`),
          integerWithin(bound({ v: inner }, sql`case when t.v ~ ${WHOLE}::text then t.v::bigint end`)),
        ),
        [value],
        true,
      )
    default:
      throw cannot(value, isTime(value.type) ? 'a whole number. Use toUnixTimestamp' : 'a whole number')
  }
}

export function toFloat(value: Typed, at: number): Typed {
  switch (value.type.kind) {
    case 'float':
      return value
    case 'null':
    case 'integer':
      return made(at, FLOAT, coerce(value, FLOAT), [value])
    case 'boolean':
      return made(at, FLOAT, on(sql`cast(${value.sql} as real)`, sql`(${value.sql})::int::float8`), [value])
    case 'string':
      return made(
        at,
        FLOAT,
        on(
          (value.json && sqliteFloat(value.json)) ?? sql`hogql_float(${value.sql})`,
          bound({ v: value.sql }, sql`case when t.v ~ ${DECIMAL}::text then t.v::float8 end`),
        ),
        [value],
        true,
      )
    default:
      throw cannot(value, isTime(value.type) ? 'a number. Use toUnixTimestamp' : 'a number')
  }
}

export function toDateTime(value: Typed, at: number): Typed {
  if (typeof value.literal === 'string') {
    const time = parseDatetime(value.literal)
    return time === null ? nothing(at, DATETIME) : made(at, DATETIME, integerParam(time), [])
  }
  switch (value.type.kind) {
    case 'datetime':
      return value
    case 'date':
      return made(at, DATETIME, value.sql, [value])
    case 'null':
      return nothing(at, DATETIME)
    case 'integer':
      return made(
        at,
        DATETIME,
        datetimeWithin(on(sql`(${value.sql} * 1000000)`, sql`((${value.sql})::numeric * 1000000)`)),
        [value],
        true,
      )
    case 'float':
      return made(
        at,
        DATETIME,
        on(
          sqliteInteger(sql`hogql_seconds(${value.sql})`),
          bound(
            { v: value.sql },
            sql`case when abs(t.v) < 1e11 then ${datetimeWithin(sql`round(t.v * 1000000)::bigint`)} end`,
          ),
        ),
        [value],
        true,
      )
    case 'string':
    case 'uuid':
      return made(
        at,
        DATETIME,
        on(sqliteInteger(sql`hogql_datetime(${value.sql})`), postgresDatetime(value.sql)),
        [value],
        true,
      )
    default:
      throw cannot(value, 'a datetime')
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

/** The reading of parseDatetime, without a function: the calendar is asked only about days that exist. */
function postgresDatetime(text: Sql): Sql {
  const matches = sql`(select regexp_match(x.s, ${YEAR_FIRST}::text) as a, regexp_match(x.s, ${DAY_FIRST}::text) as b, regexp_match(x.s, ${RFC_822}::text, 'i') as r, regexp_match(x.s, ${UNIX}::text) as u, regexp_match(x.s, ${UNIX_MILLIS}::text) as k from (select case when char_length(v.s) <= ${number(MAX_DATETIME_LENGTH)} then v.s end as s from (select ${text} as s) v) x) m`
  const group = (n: number): Sql => sql`coalesce(m.a[${number(n)}], m.b[${number(n)}])`
  const year = sql`(case when char_length(m.r[3]) = 4 then '' when m.r[3]::int < ${number(PIVOT_YEAR)} then '20' else '19' end || m.r[3])`
  const month = sql`((strpos('janfebmaraprmayjunjulaugsepoctnovdec', lower(m.r[2])) + 2) / 3)`
  const zone = sql`(case upper(m.r[7]) ${namedZones} else m.r[7] end)`
  const parts = sql`(select coalesce(m.a[1], m.b[3], ${year})::int as y, coalesce(${group(2)}::int, ${month}) as mo, coalesce(m.a[3], m.b[1], m.r[1])::int as d, coalesce(${group(4)}, m.r[4], '0')::int as h, coalesce(${group(5)}, m.r[5], '0')::int as mi, coalesce(${group(6)}, m.r[6], '0')::int as s, rpad(left(coalesce(${group(7)}, ''), 6), 6, '0')::bigint as f, regexp_match(coalesce(${group(8)}, ${zone}), '^([+-])([0-9]{2}):?([0-9]{2})?$') as z, coalesce(m.u[1], m.k[1])::bigint as unix, rpad(left(coalesce(m.u[2], m.k[2], ''), 6), 6, '0')::bigint as unix_f from ${matches}) t`
  const ahead = sql`(case when t.z is null then 0 else (case t.z[1] when '-' then -1 else 1 end) * (t.z[2]::int * 60 + coalesce(t.z[3], '0')::int) end)`
  const last = sql`(array[31, case when t.y % 4 = 0 and (t.y % 100 <> 0 or t.y % 400 = 0) then 29 else 28 end, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])[t.mo]`
  return sql`(select case when t.unix is not null then ${datetimeWithin(sql`t.unix * 1000000 + t.unix_f`)} when t.y between ${number(MIN_YEAR)} and ${number(MAX_YEAR)} and t.mo between 1 and 12 and t.d between 1 and ${last} and t.h < 24 and t.mi < 60 and t.s < 60 then ${datetimeWithin(sql`(make_date(t.y, t.mo, t.d) - date '1970-01-01')::bigint * ${number(DAY)} + ((t.h * 60 + t.mi - ${ahead}) * 60 + t.s)::bigint * 1000000 + t.f`)} end from ${parts})`
}

export const toDate = (value: Typed, at: number): Typed => {
  if (value.type.kind === 'date') return value
  const time = toDateTime(value, at)
  return made(at, DATE, sql`(${floorTo(time.sql, DAY)} * ${number(DAY)})`, [time])
}

const toUUID = one((value, at) => {
  if (value.type.kind === 'uuid') return value
  if (value.type.kind === 'null') return nothing(at, UUID)
  mustBe(value, isText, 'a text', 'toUUID')
  return made(
    at,
    UUID,
    on(
      sql`hogql_uuid(${value.sql})`,
      bound({ v: value.sql }, sql`case when t.v ~ ${UUID_FORM}::text then lower(t.v) end`),
    ),
    [value],
    true,
  )
})

function toJSONString(value: Typed, at: number): Typed {
  const { type, sql: inner } = value
  if (type.kind === 'json') return made(at, STRING, asText(value), [value])
  if (type.kind === 'null') return { ...made(at, STRING, on(sql`'null'`, sql`'null'::text`), []), literal: undefined }
  if (isText(type) || isTime(type)) {
    const text = asText(value)
    return made(
      at,
      STRING,
      on(sql`(case when ${text} is not null then json_quote(${text}) || '' end)`, sql`to_json(${text})::text`),
      [value],
    )
  }
  return made(at, STRING, asText({ ...value, sql: inner }), [value])
}

/** One type for several values, or an error that names two that do not go together. */
export function unified(values: readonly Typed[], who: string): HogType {
  return values.reduce<HogType>((type, value) => {
    const next = common(type, value.type)
    if (!next || next.kind === 'interval')
      throw new HogqlError(
        `${who} needs values of one type, but position ${value.at} is of type ${typeName(value.type)} and another is of type ${typeName(type)}.`,
        value.at,
      )
    return next
  }, NULL_TYPE)
}

/** NULL alone has no type: as text it can go anywhere. */
const solid = (type: HogType): HogType => (type.kind === 'null' ? STRING : type)

/** `case when c then a … else z end`; the pairs first, the rest last. */
function choice(args: readonly Typed[], at: number, who: string): Typed {
  const results = args.filter((_, i) => i % 2 === 1 || i === args.length - 1)
  const type = solid(unified(results, who))
  const branches: Sql[] = []
  for (let i = 0; i + 1 < args.length; i += 2) {
    mustBe(args[i]!, ({ kind }) => kind === 'boolean', 'a condition', who)
    branches.push(sql`when ${coerce(args[i]!, BOOLEAN)} then ${coerce(args[i + 1]!, type)}`)
  }
  const list: Sql = { strings: ['', ...branches.slice(1).map(() => ' '), ''], parts: branches }
  const nullable = results.some((value) => value.nullable)
  return made(at, type, sql`(case ${list} else ${coerce(args.at(-1)!, type)} end)`, args, nullable)
}

function coalesce(args: readonly Typed[], at: number, who: string): Typed {
  const type = solid(unified(args, who))
  const list: Sql = { strings: ['', ...args.slice(1).map(() => ', '), ''], parts: args.map((arg) => coerce(arg, type)) }
  return made(
    at,
    type,
    args.length === 1 ? coerce(args[0]!, type) : sql`coalesce(${list})`,
    args,
    args.every((arg) => arg.nullable),
  )
}

const transform: Fn = {
  min: 3,
  max: 4,
  build: ([subject, from, to, otherwise], call, env) => {
    if (!from!.items || !to!.items || from!.items.length !== to!.items.length)
      throw new HogqlError(`transform at position ${call.at} needs two written lists of the same length.`, call.at)
    const last = otherwise ?? subject!
    if (!from!.items.length) return last
    const pairs = from!.items.flatMap((item, i) => [
      OPERATORS.equals!.build([subject!, item], call, env),
      to!.items![i]!,
    ])
    return choice([...pairs, last], call.at, 'transform')
  },
}

/** Half away from zero, on the fifteen digits that both engines agree on. */
const round: Fn = {
  min: 1,
  max: 2,
  anyCase: true,
  build: ([value, digits], { at }) => {
    mustBe(value!, isNumber, 'a number', 'round')
    const wanted = digits ? digits.literal : 0
    if (typeof wanted !== 'number' || !Number.isInteger(wanted))
      throw new HogqlError(`The digits of round at position ${digits!.at} must be a constant whole number.`, digits!.at)
    const places = number(Math.max(-30, Math.min(30, wanted)))
    const inner = coerce(value!, FLOAT)
    const rounded = on(sql`hogql_round(${inner}, ${places})`, sql`round((${inner})::numeric, ${places})::float8`)
    if (value!.type.kind !== 'integer') return made(at, FLOAT, rounded, [value!])
    return made(at, INTEGER, on(sqliteInteger(rounded), sql`(${rounded})::bigint`), [value!])
  },
}

const rounding = (name: 'floor' | 'ceil'): Fn =>
  one((value, at) => {
    mustBe(value, isNumber, 'a number', name)
    if (value.type.kind === 'integer') return value
    const inner = coerce(value, FLOAT)
    return made(at, FLOAT, name === 'floor' ? sql`floor(${inner})` : sql`ceil(${inner})`, [value])
  }, true)

export const VALUE_FUNCTIONS: Functions = {
  toString: one((value) => toText(value)),
  toInt: one(toInt),
  toFloat: one(toFloat),
  toDecimal: { min: 1, max: 2, build: ([value], { at }) => toFloat(value!, at) },
  toUUID,
  toDate: one(toDate),
  toDateTime: {
    min: 1,
    max: 2,
    build: ([value, zone], { at }) => {
      if (zone) mustBeUtc(zone)
      return toDateTime(value!, at)
    },
  },
  parseDateTimeBestEffort: one(toDateTime),
  toTimeZone: {
    min: 2,
    max: 2,
    build: ([value, zone], { at }) => {
      mustBeUtc(zone!)
      return toDateTime(value!, at)
    },
  },
  toJSONString: one(toJSONString),

  coalesce: { min: 1, max: 100, anyCase: true, build: (args, { at }) => coalesce(args, at, 'coalesce') },
  ifNull: { min: 2, max: 2, anyCase: true, build: (args, { at }) => coalesce(args, at, 'ifNull') },
  nullIf: {
    min: 2,
    max: 2,
    anyCase: true,
    build: (args, call, env) => {
      const [value] = args as [Typed]
      const same = OPERATORS.equals!.build(args, call, env)
      const type = solid(value.type)
      return made(call.at, type, sql`(case when not ${same.sql} then ${coerce(value, type)} end)`, args, true)
    },
  },
  isNull: one((value, at) => boolean(at, sql`(${value.sql} is null)`, [value]), true),
  isNotNull: one((value, at) => boolean(at, sql`(${value.sql} is not null)`, [value])),
  if: { min: 3, max: 3, anyCase: true, build: (args, { at }) => choice(args, at, 'if') },
  multiIf: {
    min: 3,
    max: 201,
    build: (args, { at }) => {
      if (args.length % 2 === 0)
        throw new HogqlError(`multiIf at position ${at} needs pairs of a condition and a value, and a last value.`, at)
      return choice(args, at, 'multiIf')
    },
  },
  transform,

  round,
  floor: rounding('floor'),
  ceil: rounding('ceil'),
  abs: one((value, at) => {
    mustBe(value, isNumber, 'a number', 'abs')
    return made(at, common(value.type, INTEGER)!, sql`abs(${coerce(value, common(value.type, INTEGER)!)})`, [value])
  }),
}

function mustBeUtc(zone: Typed): void {
  if (zone.literal !== 'UTC' && zone.literal !== 'Etc/UTC')
    throw new HogqlError(
      `The time zone at position ${zone.at} must be 'UTC': that is the zone of every project here.`,
      zone.at,
    )
}
