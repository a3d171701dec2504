/** Dates and datetimes: microseconds in UTC. A date is its midnight. */
import { type Sql, sql } from '../sql/template.ts'
import {
  coerce,
  DAY,
  floorTo,
  mustBe,
  number,
  postgresDate,
  postgresTimestamp,
  remainder,
  SECOND,
  sqliteSeconds,
} from './convert.ts'
import { FORMATS, parseFormat } from './datetime.ts'
import { type Fn, type Functions, literalText } from './env.ts'
import { didYouMean, HogqlError, shown } from './error.ts'
import { MICROSECONDS, shift } from './shift.ts'
import {
  DATE,
  DATETIME,
  type HogType,
  INTEGER,
  INTERVAL,
  type IntervalUnit,
  integerParam,
  isTime,
  made,
  on,
  STRING,
  type Typed,
} from './typed.ts'

const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const
const title = (word: string): string => word[0]!.toUpperCase() + word.slice(1)

function timed(value: Typed, who: string): Sql {
  mustBe(value, isTime, 'a datetime', who)
  return coerce(value, DATETIME)
}

const fn = (build: (time: Sql) => Sql, type: HogType = INTEGER): Fn => ({
  min: 1,
  max: 1,
  build: ([value], { at, name }) => made(at, type, build(timed(value!, name)), [value!]),
})

const sqlitePart = (time: Sql, format: string): Sql =>
  sql`cast(strftime(${format}, ${sqliteSeconds(time)}, 'unixepoch') as integer)`
const year = (time: Sql): Sql => on(sqlitePart(time, '%Y'), sql`extract(year from ${postgresDate(time)})::bigint`)
const month = (time: Sql): Sql => on(sqlitePart(time, '%m'), sql`extract(month from ${postgresDate(time)})::bigint`)
const dayOfMonth = (time: Sql): Sql => on(sqlitePart(time, '%d'), sql`extract(day from ${postgresDate(time)})::bigint`)
const quarter = (time: Sql): Sql =>
  on(sql`((${sqlitePart(time, '%m')} + 2) / 3)`, sql`extract(quarter from ${postgresDate(time)})::bigint`)

/** 1970-01-01 was a Thursday: `first` is how many days the week's first day lies before it. */
const weekIndex = (time: Sql, first: number): Sql =>
  sql`((${floorTo(time, DAY)} + ${number(first + 7_000_000)}) / 7 - 1000000)`
const startOfWeek = (time: Sql, first: number): Sql =>
  sql`((${weekIndex(time, first)} * 7 - ${number(first)}) * ${number(DAY)})`
const SUNDAY = 4
const MONDAY = 3

const startOfMonths = (time: Sql, unit: 'month' | 'quarter' | 'year'): Sql => {
  const word: Sql = { strings: [`'${unit}'`], parts: [] }
  const seconds = sqliteSeconds(time)
  const sqlite =
    unit === 'quarter'
      ? sql`unixepoch(${seconds}, 'unixepoch', 'start of month', '-' || ((${sqlitePart(time, '%m')} - 1) % 3) || ' months')`
      : unit === 'month'
        ? sql`unixepoch(${seconds}, 'unixepoch', 'start of month')`
        : sql`unixepoch(${seconds}, 'unixepoch', 'start of year')`
  return on(
    sql`(${sqlite} * ${number(SECOND)})`,
    sql`((date_trunc(${word}, ${postgresDate(time)}::timestamp)::date - date '1970-01-01')::bigint * ${number(DAY)})`,
  )
}

function startOf(time: Sql, unit: IntervalUnit, firstDay = MONDAY): Sql {
  if (unit === 'week') return startOfWeek(time, firstDay)
  const size = MICROSECONDS[unit]
  return size
    ? sql`(${floorTo(time, size)} * ${number(size)})`
    : startOfMonths(time, unit as 'month' | 'quarter' | 'year')
}

const isDateUnit = (unit: IntervalUnit): boolean => ['week', 'month', 'quarter', 'year'].includes(unit)

function unitOf(value: Typed | undefined, who: Parameters<Fn['build']>[1]): IntervalUnit {
  const text = literalText(value, 'The unit', who)
  const unit = UNITS.find((word) => word === text.toLowerCase().replace(/s$/, ''))
  if (!unit)
    throw new HogqlError(
      `Unknown unit ${shown(text)} at position ${value!.at}.${didYouMean(text, UNITS)} Units: ${UNITS.join(', ')}.`,
      value!.at,
    )
  return unit
}

/** Boundaries of the unit that lie between. */
function index(time: Sql, unit: IntervalUnit): Sql {
  if (unit === 'week') return weekIndex(time, MONDAY)
  const size = MICROSECONDS[unit]
  if (size) return floorTo(time, size)
  if (unit === 'year') return year(time)
  return unit === 'month' ? sql`(${year(time)} * 12 + ${month(time)})` : sql`(${year(time)} * 4 + ${quarter(time)})`
}

const dateDiff: Fn = {
  min: 3,
  max: 3,
  build: ([unit, from, to], call) => {
    const word = unitOf(unit, call)
    const [a, b] = [timed(from!, 'dateDiff'), timed(to!, 'dateDiff')]
    return made(call.at, INTEGER, sql`(${index(b, word)} - ${index(a, word)})`, [from!, to!])
  },
}

const dateTrunc: Fn = {
  min: 2,
  max: 2,
  build: ([unit, value], call) => {
    const word = unitOf(unit, call)
    return made(call.at, isDateUnit(word) ? DATE : DATETIME, startOf(timed(value!, 'dateTrunc'), word), [value!])
  },
}

const toStartOfWeek: Fn = {
  min: 1,
  max: 2,
  build: ([value, mode], { at, name }) => {
    if (mode && ![0, 1, 2, 3].includes(mode.literal as number))
      throw new HogqlError(
        `The mode of toStartOfWeek at position ${mode.at} must be 0 (Sunday) or 1 (Monday).`,
        mode.at,
      )
    const monday = mode && (mode.literal as number) % 2 === 1
    return made(at, DATE, startOfWeek(timed(value!, name), monday ? MONDAY : SUNDAY), [value!])
  },
}

const formatDateTime: Fn = {
  min: 2,
  max: 2,
  build: ([value, format], call) => {
    const text = literalText(format, 'The format', call)
    const parts = parseFormat(text)
    if ('unknown' in parts)
      throw new HogqlError(
        `Unknown format ${shown(parts.unknown)} at position ${format!.at}. Known: ${Object.keys(FORMATS)
          .map((letter) => `%${letter}`)
          .join(' ')}.`,
        format!.at,
      )
    const time = timed(value!, 'formatDateTime')
    // An empty format would be NULL on PostgreSQL: one letter goes in front and is cut off.
    const pattern = parts
      .map((part) => ('letter' in part ? FORMATS[part.letter]!.postgres : `"${part.text.replace(/["\\]/g, '\\$&')}"`))
      .join('')
    return made(
      call.at,
      STRING,
      on(
        sql`hogql_format(${time}, ${text})`,
        sql`substr(to_char(${postgresTimestamp(time)}, ${`x${pattern}`}::text), 2)`,
      ),
      [value!],
    )
  },
}

/** addDays, subtractMonths and so on; toIntervalDay and so on. */
const shifts = (sign: 'add' | 'subtract'): Functions =>
  Object.fromEntries(
    UNITS.map((unit): [string, Fn] => [
      `${sign}${title(unit)}s`,
      {
        min: 2,
        max: 2,
        build: ([time, amount], { at, name }) => {
          mustBe(time!, isTime, 'a datetime', name)
          return shift(
            time!.type.kind === 'null' ? made(at, DATETIME, timed(time!, name), [time!]) : time!,
            unit,
            amount!,
            sign === 'subtract',
            at,
          )
        },
      },
    ]),
  )

const intervals: Functions = Object.fromEntries(
  UNITS.map((unit): [string, Fn] => [
    `toInterval${title(unit)}`,
    {
      min: 1,
      max: 1,
      build: ([amount], { at, name }) => {
        mustBe(amount!, ({ kind }) => kind === 'integer', 'a whole number', name)
        return { ...made(at, INTERVAL, sql`null`, [amount!]), interval: { unit, amount: amount! } }
      },
    },
  ]),
)

const starts: Functions = Object.fromEntries(
  UNITS.filter((unit) => unit !== 'week').map((unit) => [
    `toStartOf${title(unit)}`,
    fn((time) => startOf(time, unit), isDateUnit(unit) ? DATE : DATETIME),
  ]),
)

const clock = (name: 'now' | 'today' | 'yesterday'): Fn => ({
  min: 0,
  max: 0,
  anyCase: name === 'now',
  build: (_, { at }, { now }) => {
    const midnight = Math.floor(now / DAY) * DAY
    const time = name === 'now' ? now : name === 'today' ? midnight : midnight - DAY
    return made(at, name === 'now' ? DATETIME : DATE, integerParam(time), [])
  },
})

export const TIME_FUNCTIONS: Functions = {
  now: clock('now'),
  today: clock('today'),
  yesterday: clock('yesterday'),
  ...starts,
  toStartOfWeek,
  toMonday: fn((time) => startOfWeek(time, MONDAY), DATE),
  toYear: fn(year),
  toQuarter: fn(quarter),
  toMonth: fn(month),
  toDayOfMonth: fn(dayOfMonth),
  toDayOfWeek: fn((time) => sql`((${floorTo(time, DAY)} + 7000003) % 7 + 1)`),
  toDayOfYear: fn((time) => on(sqlitePart(time, '%j'), sql`extract(doy from ${postgresDate(time)})::bigint`)),
  toHour: fn((time) => sql`(${remainder(time, DAY)} / ${number(3600 * SECOND)})`),
  toMinute: fn((time) => sql`(${remainder(time, 3600 * SECOND)} / ${number(60 * SECOND)})`),
  toSecond: fn((time) => sql`(${remainder(time, 60 * SECOND)} / ${number(SECOND)})`),
  toYYYYMM: fn((time) => sql`(${year(time)} * 100 + ${month(time)})`),
  toYYYYMMDD: fn((time) => sql`(${year(time)} * 10000 + ${month(time)} * 100 + ${dayOfMonth(time)})`),
  toUnixTimestamp: fn((time) => floorTo(time, SECOND)),
  dateDiff,
  dateTrunc,
  formatDateTime,
  ...shifts('add'),
  ...shifts('subtract'),
  ...intervals,
}
