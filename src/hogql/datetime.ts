/** Parses and formats datetimes in JavaScript, for constants and for SQLite. Times are microseconds in UTC. */
import { dayOfDate, daysInMonth, microsecondsOf, secondOfDay } from '../time/calendar.ts'
import { DAY, SECOND } from './convert.ts'
import { MAX_DATETIME, MAX_YEAR, MIN_DATETIME, MIN_YEAR } from './limits.ts'

/** Longer strings are rejected before any pattern runs on them. */
export const MAX_DATETIME_LENGTH = 100

/**
 * The accepted datetime formats. Both engines use these patterns, so they only contain syntax that both support.
 * Groups: year, month, day (or day, month, year), hour, minute, second, fraction, zone.
 */
const TIME =
  '(?:(?:T| +)([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?)?(?: *(Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?))?'
export const YEAR_FIRST = `^ *([0-9]{4})[-/]([0-9]{1,2})[-/]([0-9]{1,2})${TIME} *$`
export const DAY_FIRST = `^ *([0-9]{1,2})[-/.]([0-9]{1,2})[-/.]([0-9]{4})${TIME} *$`
/** `Sat, 07 Jan 2012 20:00:00 +0200`, case-insensitive. Groups: day, month, year, hour, minute, second, zone. */
export const RFC_822 =
  '^ *(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), *)?([0-9]{1,2}) +(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +([0-9]{4}|[0-9]{2}) +([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?(?: *(Z|UTC?|GMT|[ECMP][SD]T|[+-][0-9]{4}))? *$'
/** Seconds since 1970, or milliseconds if there are 13 digits. */
export const UNIX = '^ *([0-9]{9,10})(?:[.]([0-9]{1,9}))? *$'
export const UNIX_MILLIS = '^ *([0-9]{10})([0-9]{3}) *$'

/** Named time zones of RFC 822. */
export const ZONES: Record<string, string> = {
  EST: '-0500',
  EDT: '-0400',
  CST: '-0600',
  CDT: '-0500',
  MST: '-0700',
  MDT: '-0600',
  PST: '-0800',
  PDT: '-0700',
}
/** Two-digit years below this are in the 2000s. */
export const PIVOT_YEAR = 50

const yearFirst = new RegExp(YEAR_FIRST)
const dayFirst = new RegExp(DAY_FIRST)
const rfc822 = new RegExp(RFC_822, 'i')
const unix = new RegExp(UNIX)
const unixMillis = new RegExp(UNIX_MILLIS)

/** Returns null if the text is not a datetime or the date does not exist, such as February 30. */
export function parseDatetime(text: string): number | null {
  if (text.length > MAX_DATETIME_LENGTH) return null
  const seconds = unix.exec(text) ?? unixMillis.exec(text)
  if (seconds) return inRange(Number(seconds[1]) * SECOND + microsecondsOf(seconds[2] ?? ''))
  const [, year, month, day, ...iso] = yearFirst.exec(text) ?? []
  if (year) return toMicroseconds([year, month, day, ...iso])
  const [, first, second, last, ...rest] = dayFirst.exec(text) ?? []
  return first ? toMicroseconds([last, second, first, ...rest]) : parseRfc822(text)
}

/** Returns null if the text is not an RFC 822 date. */
export function parseRfc822(text: string): number | null {
  const [, day, name, year, hour, minute, second, zone] =
    (text.length <= MAX_DATETIME_LENGTH && rfc822.exec(text)) || []
  if (name === undefined || year === undefined) return null
  const month = MONTHS.findIndex((word) => word.slice(0, 3).toLowerCase() === name.toLowerCase()) + 1
  const century = year.length === 4 ? '' : Number(year) < PIVOT_YEAR ? '20' : '19'
  const offset = zone && (ZONES[zone.toUpperCase()] ?? zone)
  return toMicroseconds([century + year, String(month), day, hour, minute, second, undefined, offset])
}

/** `parts` are year, month, day, hour, minute, second, fraction and zone. */
function toMicroseconds(parts: readonly (string | undefined)[]): number | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(0, 6)
    .map((part) => Number(part ?? 0))
  if (year < MIN_YEAR || year > MAX_YEAR) return null
  const days = dayOfDate(year, month, day)
  const seconds = secondOfDay(hour, minute, second)
  if (days === null || seconds === null) return null
  const zone = /^([+-])(\d\d):?(\d\d)?$/.exec(parts[7] ?? '')
  const offset = zone ? (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3] ?? 0)) * 60 : 0
  return inRange(days * DAY + (seconds - offset) * SECOND + microsecondsOf(parts[6] ?? ''))
}

export const inRange = (time: number): number | null => (time >= MIN_DATETIME && time <= MAX_DATETIME ? time : null)

const toDate = (time: number): Date => new Date(Math.floor(time / 1000))
const sinceMidnight = (time: number): number => ((time % DAY) + DAY) % DAY

/** Keeps the day of the month, or uses the last day of a shorter month. */
export function addMonths(time: number, months: number): number | null {
  const date = toDate(time)
  const target = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
  const [year, month] = [target.getUTCFullYear(), target.getUTCMonth() + 1]
  const day = Math.min(date.getUTCDate(), daysInMonth(year, month))
  return inRange(Date.UTC(year, month - 1, day) * 1000 + sinceMidnight(time))
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

const twoDigits = (value: number): string => String(value).padStart(2, '0')
const monthName = (date: Date): string => MONTHS[date.getUTCMonth()] ?? ''
const dayName = (date: Date): string => DAYS[date.getUTCDay()] ?? ''

export interface Format {
  readonly js: (date: Date, time: number) => string
  /** The template pattern of PostgreSQL's to_char. */
  readonly postgres: string
  /** The specifier of DuckDB's strftime. */
  readonly duckdb?: string
}

/** Format specifiers, by the letter after the percent sign. */
export const FORMATS: Readonly<Record<string, Format>> = {
  Y: { js: (d) => String(d.getUTCFullYear()).padStart(4, '0'), postgres: 'YYYY', duckdb: '%Y' },
  y: { js: (d) => twoDigits(d.getUTCFullYear() % 100), postgres: 'YY', duckdb: '%y' },
  m: { js: (d) => twoDigits(d.getUTCMonth() + 1), postgres: 'MM', duckdb: '%m' },
  d: { js: (d) => twoDigits(d.getUTCDate()), postgres: 'DD', duckdb: '%d' },
  H: { js: (d) => twoDigits(d.getUTCHours()), postgres: 'HH24', duckdb: '%H' },
  I: { js: (d) => twoDigits(d.getUTCHours() % 12 || 12), postgres: 'HH12', duckdb: '%I' },
  h: { js: (d) => twoDigits(d.getUTCHours() % 12 || 12), postgres: 'HH12', duckdb: '%I' },
  i: { js: (d) => twoDigits(d.getUTCMinutes()), postgres: 'MI', duckdb: '%M' },
  S: { js: (d) => twoDigits(d.getUTCSeconds()), postgres: 'SS', duckdb: '%S' },
  s: { js: (d) => twoDigits(d.getUTCSeconds()), postgres: 'SS', duckdb: '%S' },
  f: { js: (_, time) => String(((time % SECOND) + SECOND) % SECOND).padStart(6, '0'), postgres: 'US', duckdb: '%f' },
  p: { js: (d) => (d.getUTCHours() < 12 ? 'AM' : 'PM'), postgres: 'AM', duckdb: '%p' },
  j: {
    js: (d) =>
      String(
        (Date.UTC(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate()) - Date.UTC(d.getUTCFullYear(), 0, 0)) /
          86_400_000,
      ).padStart(3, '0'),
    postgres: 'DDD',
    duckdb: '%j',
  },
  u: { js: (d) => String(d.getUTCDay() || 7), postgres: 'ID', duckdb: '%u' },
  Q: { js: (d) => String(Math.floor(d.getUTCMonth() / 3) + 1), postgres: 'Q' },
  M: { js: monthName, postgres: 'FMMonth', duckdb: '%B' },
  b: { js: (d) => monthName(d).slice(0, 3), postgres: 'Mon', duckdb: '%b' },
  W: { js: dayName, postgres: 'FMDay', duckdb: '%A' },
  a: { js: (d) => dayName(d).slice(0, 3), postgres: 'Dy', duckdb: '%a' },
}
const SHORTHANDS: Record<string, string> = { F: '%Y-%m-%d', T: '%H:%i:%S', R: '%H:%i', D: '%m/%d/%y' }

/** Splits a format into specifiers and the text between them. Returns the first unknown specifier, if there is one. */
export function parseFormat(text: string): ({ format: Format } | { text: string })[] | { unknown: string } {
  const expanded = text.replace(/%%|%([FTRD])/g, (match, letter?: string) => (letter && SHORTHANDS[letter]) || match)
  const parts: ({ format: Format } | { text: string })[] = []
  for (const [piece] of expanded.matchAll(/%[\s\S]?|[^%]+/g)) {
    const format = piece.startsWith('%') ? FORMATS[piece.slice(1)] : undefined
    if (!piece.startsWith('%')) parts.push({ text: piece })
    else if (piece === '%%') parts.push({ text: '%' })
    else if (piece === '%n' || piece === '%t') parts.push({ text: piece === '%n' ? '\n' : '\t' })
    else if (format) parts.push({ format })
    else return { unknown: piece }
  }
  return parts
}

export function formatDatetime(time: number, format: string): string | null {
  const parts = parseFormat(format)
  if ('unknown' in parts) return null
  const date = toDate(time)
  return parts.map((part) => ('text' in part ? part.text : part.format.js(date, time))).join('')
}
