/** Date and time functions. Datetimes are microseconds in UTC; a date is its midnight. */
import { type Sql, sql } from '../sql/template.ts'
import type { Call } from './ast.ts'
import {
  coerce,
  DAY,
  duckdbTimestamp,
  floorTo,
  integerLiteral,
  postgresDate,
  postgresTimestamp,
  remainder,
  requireType,
  SECOND,
  wholeSeconds,
} from './convert.ts'
import { FORMATS, type Format, parseFormat } from './datetime.ts'
import { constantString, type Fn, type Functions, fn } from './env.ts'
import { didYouMean, display, HogqlError } from './error.ts'
import { isFixedUnit, MICROSECONDS, shift } from './shift.ts'
import {
  DATE,
  DATETIME,
  DIVIDED_BY,
  derive,
  either,
  type HogType,
  INTEGER,
  INTERVAL,
  integerParam,
  STRING,
  type TypedSql,
} from './typed.ts'
import { capitalized, INTERVAL_UNITS, type IntervalUnit, parseUnit } from './units.ts'

function datetimeArgument(value: TypedSql, fnName: string): Sql {
  requireType(value, 'datetime', fnName)
  return coerce(value, DATETIME)
}

/** A function of one datetime. */
const timeFn = (build: (time: Sql) => Sql, type: HogType = INTEGER): Fn =>
  fn(1, ([value], { at, name }) => derive(at, type, build(datetimeArgument(value, name)), [value]))

const sqlitePart = (time: Sql, format: string): Sql =>
  sql`cast(strftime(${format}, ${wholeSeconds(time)}, 'unixepoch') as integer)`

/** A part of the date, which DuckDB and PostgreSQL call alike. */
function datePart(time: Sql, part: 'year' | 'quarter' | 'month' | 'day' | 'doy', sqlite: Sql): Sql {
  const name: Sql = { strings: [part], parts: [] }
  return either(
    sqlite,
    sql`extract(${name} from ${postgresDate(time)})::bigint`,
    sql`extract(${name} from ${duckdbTimestamp(time)})`,
  )
}
const year = (time: Sql): Sql => datePart(time, 'year', sqlitePart(time, '%Y'))
const month = (time: Sql): Sql => datePart(time, 'month', sqlitePart(time, '%m'))
const dayOfMonth = (time: Sql): Sql => datePart(time, 'day', sqlitePart(time, '%d'))
const dayOfYear = (time: Sql): Sql => datePart(time, 'doy', sqlitePart(time, '%j'))
const quarter = (time: Sql): Sql => datePart(time, 'quarter', sql`((${sqlitePart(time, '%m')} + 2) / 3)`)

/** Days from the start of the week to 1970-01-01, a Thursday. */
const SUNDAY = 4
const MONDAY = 3

const weekIndex = (time: Sql, firstDay: number): Sql =>
  sql`((${floorTo(time, DAY)} + ${integerLiteral(firstDay + 7_000_000)}) ${DIVIDED_BY} 7 - 1000000)`
const startOfWeek = (time: Sql, firstDay: number): Sql =>
  sql`((${weekIndex(time, firstDay)} * 7 - ${integerLiteral(firstDay)}) * ${integerLiteral(DAY)})`

const startOfMonths = (time: Sql, unit: 'month' | 'quarter' | 'year'): Sql => {
  const literal: Sql = { strings: [`'${unit}'`], parts: [] }
  const seconds = wholeSeconds(time)
  const sqlite =
    unit === 'quarter'
      ? sql`unixepoch(${seconds}, 'unixepoch', 'start of month', '-' || ((${sqlitePart(time, '%m')} - 1) % 3) || ' months')`
      : unit === 'month'
        ? sql`unixepoch(${seconds}, 'unixepoch', 'start of month')`
        : sql`unixepoch(${seconds}, 'unixepoch', 'start of year')`
  return either(
    sql`(${sqlite} * ${integerLiteral(SECOND)})`,
    sql`((date_trunc(${literal}, ${postgresDate(time)}::timestamp)::date - date '1970-01-01')::bigint * ${integerLiteral(DAY)})`,
    sql`epoch_us(date_trunc(${literal}, ${duckdbTimestamp(time)}))`,
  )
}

function startOf(time: Sql, unit: IntervalUnit): Sql {
  if (unit === 'week') return startOfWeek(time, MONDAY)
  if (!isFixedUnit(unit)) return startOfMonths(time, unit)
  const size = MICROSECONDS[unit]
  return sql`(${floorTo(time, size)} * ${integerLiteral(size)})`
}

const isDateUnit = (unit: IntervalUnit): boolean => ['week', 'month', 'quarter', 'year'].includes(unit)

function unitArgument(value: TypedSql, call: Call): IntervalUnit {
  const text = constantString(value, 'The unit', call)
  const unit = parseUnit(text)
  if (!unit)
    throw new HogqlError(
      `Unknown unit ${display(text)}.${didYouMean(text, INTERVAL_UNITS)} Use one of: ${INTERVAL_UNITS.join(', ')}.`,
      value.at,
    )
  return unit
}

/** The number of whole units since a fixed start, so a difference counts the unit boundaries between two times. */
function unitIndex(time: Sql, unit: IntervalUnit): Sql {
  if (unit === 'week') return weekIndex(time, MONDAY)
  if (isFixedUnit(unit)) return floorTo(time, MICROSECONDS[unit])
  if (unit === 'year') return year(time)
  return unit === 'month' ? sql`(${year(time)} * 12 + ${month(time)})` : sql`(${year(time)} * 4 + ${quarter(time)})`
}

const dateDiff = fn(3, ([unit, from, to], call) => {
  const word = unitArgument(unit, call)
  const [a, b] = [datetimeArgument(from, 'dateDiff'), datetimeArgument(to, 'dateDiff')]
  return derive(call.at, INTEGER, sql`(${unitIndex(b, word)} - ${unitIndex(a, word)})`, [from, to])
})

const dateTrunc = fn(2, ([unit, value], call) => {
  const word = unitArgument(unit, call)
  const type = isDateUnit(word) ? DATE : DATETIME
  return derive(call.at, type, startOf(datetimeArgument(value, 'dateTrunc'), word), [value])
})

const toStartOfWeek = fn([1, 2], ([value, mode], { at, name }) => {
  const firstDay = mode ? weekMode(mode) : SUNDAY
  return derive(at, DATE, startOfWeek(datetimeArgument(value, name), firstDay), [value])
})

function weekMode({ literal, at }: TypedSql): number {
  if (literal === 0 || literal === 2) return SUNDAY
  if (literal === 1 || literal === 3) return MONDAY
  throw new HogqlError(`The mode of toStartOfWeek must be 0 (Sunday) or 1 (Monday).`, at)
}

/** Undefined for a specifier that DuckDB does not have, and for an empty format, which it rejects. */
function duckdbFormat(time: Sql, parts: readonly ({ format: Format } | { text: string })[]): Sql | undefined {
  const pieces = parts.map((part) => ('format' in part ? part.format.duckdb : part.text.replaceAll('%', '%%')))
  if (!pieces.length || pieces.includes(undefined)) return undefined
  return sql`strftime(${duckdbTimestamp(time)}, ${pieces.join('')})`
}

const formatDateTime = fn(2, ([value, format], call) => {
  const text = constantString(format, 'The format', call)
  const parts = parseFormat(text)
  if ('unknown' in parts)
    throw new HogqlError(
      `Unknown format ${display(parts.unknown)}. Use one of: ${Object.keys(FORMATS)
        .map((letter) => `%${letter}`)
        .join(' ')}.`,
      format.at,
    )
  const time = datetimeArgument(value, 'formatDateTime')
  const pattern = parts
    .map((part) => ('format' in part ? part.format.postgres : `"${part.text.replace(/["\\]/g, '\\$&')}"`))
    .join('')
  return derive(
    call.at,
    STRING,
    either(
      sql`hogql_format(${time}, ${text})`,
      // to_char returns NULL for an empty format. The leading x prevents that.
      sql`substr(to_char(${postgresTimestamp(time)}, ${`x${pattern}`}::text), 2)`,
      duckdbFormat(time, parts),
    ),
    [value],
  )
})

/** addDays, subtractMonths, … */
const shifts = (sign: 'add' | 'subtract'): Functions =>
  Object.fromEntries(
    INTERVAL_UNITS.map((unit) => [
      `${sign}${capitalized(unit)}s`,
      fn(2, ([time, amount], { at, name }) => {
        const datetime = datetimeArgument(time, name)
        const start = time.type.kind === 'null' ? derive(at, DATETIME, datetime, [time]) : time
        return shift(start, unit, amount, sign === 'subtract', at)
      }),
    ]),
  )

/** toIntervalDay, … */
const intervals: Functions = Object.fromEntries(
  INTERVAL_UNITS.map((unit) => [
    `toInterval${capitalized(unit)}`,
    fn(1, ([amount], { at, name }) => {
      requireType(amount, 'integer', name)
      return { ...derive(at, INTERVAL, sql`null`, [amount]), interval: { unit, amount } }
    }),
  ]),
)

/** toStartOfDay, … */
const starts: Functions = Object.fromEntries(
  INTERVAL_UNITS.filter((unit) => unit !== 'week').map((unit) => [
    `toStartOf${capitalized(unit)}`,
    timeFn((time) => startOf(time, unit), isDateUnit(unit) ? DATE : DATETIME),
  ]),
)

const clock = (name: 'now' | 'today' | 'yesterday'): Fn =>
  fn(0, (_, { at }, { now }) => {
    const midnight = Math.floor(now / DAY) * DAY
    const time = name === 'now' ? now : name === 'today' ? midnight : midnight - DAY
    return derive(at, name === 'now' ? DATETIME : DATE, integerParam(time), [])
  })

export const TIME_FUNCTIONS: Functions = {
  now: clock('now'),
  today: clock('today'),
  yesterday: clock('yesterday'),
  ...starts,
  toStartOfWeek,
  toMonday: timeFn((time) => startOfWeek(time, MONDAY), DATE),
  toYear: timeFn(year),
  toQuarter: timeFn(quarter),
  toMonth: timeFn(month),
  toDayOfMonth: timeFn(dayOfMonth),
  toDayOfWeek: timeFn((time) => sql`((${floorTo(time, DAY)} + 7000003) % 7 + 1)`),
  toDayOfYear: timeFn(dayOfYear),
  toHour: timeFn((time) => sql`(${remainder(time, DAY)} ${DIVIDED_BY} ${integerLiteral(3600 * SECOND)})`),
  toMinute: timeFn((time) => sql`(${remainder(time, 3600 * SECOND)} ${DIVIDED_BY} ${integerLiteral(60 * SECOND)})`),
  toSecond: timeFn((time) => sql`(${remainder(time, 60 * SECOND)} ${DIVIDED_BY} ${integerLiteral(SECOND)})`),
  toYYYYMM: timeFn((time) => sql`(${year(time)} * 100 + ${month(time)})`),
  toYYYYMMDD: timeFn((time) => sql`(${year(time)} * 10000 + ${month(time)} * 100 + ${dayOfMonth(time)})`),
  toUnixTimestamp: timeFn((time) => floorTo(time, SECOND)),
  dateDiff,
  dateTrunc,
  formatDateTime,
  ...shifts('add'),
  ...shifts('subtract'),
  ...intervals,
}
