/** Datetimes in JavaScript: for constants, and for SQLite. All in microseconds, UTC. */
import { DAY, SECOND } from './convert.ts'
import { MAX_DATETIME, MAX_YEAR, MIN_DATETIME, MIN_YEAR } from './limits.ts'

/**
 * The forms a datetime is read in. Both engines use these patterns, so they keep to what means the same in both.
 * Groups: year, month, day, hour, minute, second, fraction, zone; the second has the day first.
 */
const TIME =
  '(?:(?:T| +)([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?)? *(Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)?'
export const YEAR_FIRST = `^ *([0-9]{4})[-/]([0-9]{1,2})[-/]([0-9]{1,2})${TIME} *$`
export const DAY_FIRST = `^ *([0-9]{1,2})[-/.]([0-9]{1,2})[-/.]([0-9]{4})${TIME} *$`
/** Seconds since 1970, or milliseconds when there are 13 digits. */
export const UNIX = '^ *([0-9]{9,10})(?:[.]([0-9]{1,9}))? *$'
export const UNIX_MILLIS = '^ *([0-9]{10})([0-9]{3}) *$'

const forms = [YEAR_FIRST, DAY_FIRST, UNIX, UNIX_MILLIS].map((pattern) => new RegExp(pattern))

const fraction = (digits: string | undefined): number => Number((digits ?? '').slice(0, 6).padEnd(6, '0'))

/** NULL when it is none, or does not exist: the 30th of February. */
export function parseDatetime(text: string): number | null {
  const [year_first, day_first, unix, millis] = forms.map((form) => form.exec(text))
  const seconds = unix ?? millis
  if (seconds) return inRange(Number(seconds[1]) * SECOND + fraction(seconds[2]))
  const found = year_first ?? day_first
  if (!found) return null
  const [year, month, day] = (year_first ? [1, 2, 3] : [3, 2, 1]).map((group) => Number(found[group])) as [
    number,
    number,
    number,
  ]
  const [hour, minute, second] = [found[4], found[5], found[6]].map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
  ]
  if (year < MIN_YEAR || year > MAX_YEAR || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null
  if (hour > 23 || minute > 59 || second > 59) return null
  const zone = /^([+-])(\d\d):?(\d\d)?$/.exec(found[8] ?? '')
  const ahead = zone ? (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3] ?? 0)) : 0
  const milliseconds = Date.UTC(year, month - 1, day, hour, minute, second) - ahead * 60_000
  return inRange(milliseconds * 1000 + fraction(found[7]))
}

export const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate()

export const inRange = (time: number): number | null => (time >= MIN_DATETIME && time <= MAX_DATETIME ? time : null)

const dateOf = (time: number): Date => new Date(Math.floor(time / 1000))
const sinceMidnight = (time: number): number => ((time % DAY) + DAY) % DAY

/** The same day of another month, or that month's last. */
export function addMonths(time: number, months: number): number | null {
  const date = dateOf(time)
  const target = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
  const [year, month] = [target.getUTCFullYear(), target.getUTCMonth() + 1]
  const day = Math.min(date.getUTCDate(), daysIn(year, month))
  return inRange(Date.UTC(year, month - 1, day) * 1000 + sinceMidnight(time))
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

const two = (value: number): string => String(value).padStart(2, '0')

/** Each letter after a percent sign: in JavaScript, and in the words of PostgreSQL's to_char. */
export const FORMATS: Record<string, { js: (date: Date, time: number) => string; postgres: string }> = {
  Y: { js: (d) => String(d.getUTCFullYear()).padStart(4, '0'), postgres: 'YYYY' },
  y: { js: (d) => two(d.getUTCFullYear() % 100), postgres: 'YY' },
  m: { js: (d) => two(d.getUTCMonth() + 1), postgres: 'MM' },
  d: { js: (d) => two(d.getUTCDate()), postgres: 'DD' },
  H: { js: (d) => two(d.getUTCHours()), postgres: 'HH24' },
  I: { js: (d) => two(d.getUTCHours() % 12 || 12), postgres: 'HH12' },
  h: { js: (d) => two(d.getUTCHours() % 12 || 12), postgres: 'HH12' },
  i: { js: (d) => two(d.getUTCMinutes()), postgres: 'MI' },
  S: { js: (d) => two(d.getUTCSeconds()), postgres: 'SS' },
  s: { js: (d) => two(d.getUTCSeconds()), postgres: 'SS' },
  f: { js: (_, time) => String(((time % SECOND) + SECOND) % SECOND).padStart(6, '0'), postgres: 'US' },
  p: { js: (d) => (d.getUTCHours() < 12 ? 'AM' : 'PM'), postgres: 'AM' },
  j: {
    js: (d) =>
      String(
        (Date.UTC(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate()) - Date.UTC(d.getUTCFullYear(), 0, 0)) /
          86_400_000,
      ).padStart(3, '0'),
    postgres: 'DDD',
  },
  u: { js: (d) => String(d.getUTCDay() || 7), postgres: 'ID' },
  Q: { js: (d) => String(Math.floor(d.getUTCMonth() / 3) + 1), postgres: 'Q' },
  M: { js: (d) => MONTHS[d.getUTCMonth()]!, postgres: 'FMMonth' },
  b: { js: (d) => MONTHS[d.getUTCMonth()]!.slice(0, 3), postgres: 'Mon' },
  W: { js: (d) => DAYS[d.getUTCDay()]!, postgres: 'FMDay' },
  a: { js: (d) => DAYS[d.getUTCDay()]!.slice(0, 3), postgres: 'Dy' },
}
const SHORTHANDS: Record<string, string> = { F: '%Y-%m-%d', T: '%H:%i:%S', R: '%H:%i', D: '%m/%d/%y' }

/** A format as a list of letters and of texts between them, or the first that is unknown. */
export function parseFormat(format: string): ({ letter: string } | { text: string })[] | { unknown: string } {
  const long = format.replace(/%%|%([FTRD])/g, (whole, letter?: string) => (letter ? SHORTHANDS[letter]! : whole))
  const parts: ({ letter: string } | { text: string })[] = []
  for (const [piece] of long.matchAll(/%[\s\S]?|[^%]+/g)) {
    if (!piece.startsWith('%')) parts.push({ text: piece })
    else if (piece === '%%') parts.push({ text: '%' })
    else if (piece === '%n' || piece === '%t') parts.push({ text: piece === '%n' ? '\n' : '\t' })
    else if (FORMATS[piece[1] ?? '']) parts.push({ letter: piece[1]! })
    else return { unknown: piece }
  }
  return parts
}

export function formatDatetime(time: number, format: string): string | null {
  const parts = parseFormat(format)
  if ('unknown' in parts) return null
  const date = dateOf(time)
  return parts.map((part) => ('text' in part ? part.text : FORMATS[part.letter]!.js(date, time))).join('')
}
