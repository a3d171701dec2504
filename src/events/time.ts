/** Times of events: microseconds since 1970, UTC. */

const SECOND = 1_000_000
const DAY = 86_400 * SECOND
/** How far ahead of us a clock may be before we no longer believe it. */
const FUTURE = 23 * 3_600 * SECOND

const DATE = '(\\d{4})(?:-(\\d\\d)-(\\d\\d)|-(\\d{3})|-?W(\\d\\d)-?([1-7])|-(\\d\\d))?'
const TIME = '(\\d\\d):?(\\d\\d)(?::?(\\d\\d)(?:[.,](\\d+))?)?'
const ISO = new RegExp(`^${DATE}(?:[T ]${TIME})?\\s*(?:Z|([+-])(\\d\\d):?(\\d\\d)?)?$`, 'i')
const ZONE = /(?:Z|UTC|GMT|[+-]\d\d:?\d\d|\b[ECMP][SD]T)$/i
/** `Sat Jan 07 2012 20:00:00 GMT+0200 (Central European Standard Time)` has 67 characters. Longer texts are no times. */
const MAX_TIME_LENGTH = 128

/**
 * Undefined for what is no time. ISO 8601 with calendar, week (2021-W43-5) or ordinal (2021-302) dates, and whatever else
 * the language's own parser reads. A time without a zone is UTC; a number is milliseconds.
 */
export function parseTime(value: unknown): number | undefined {
  if (typeof value === 'number') return exact(value * 1000)
  if (typeof value !== 'string') return undefined
  const text = value.length > MAX_TIME_LENGTH ? '' : value.trim()
  const iso = ISO.exec(text)
  if (iso) return parseIso(iso)
  const milliseconds = Date.parse(namesZone(text) ? text : `${text} UTC`)
  return exact(milliseconds * 1000)
}

/** Whether a text ends with a time zone, optionally followed by a comment in parentheses. */
function namesZone(text: string): boolean {
  const end = text.endsWith(')') ? text.lastIndexOf('(') : text.length
  return ZONE.test(text.slice(0, Math.max(end, 0)).trimEnd())
}

function parseIso(match: RegExpExecArray): number | undefined {
  const [, year, month, day, ordinal, week, weekday, monthOnly, hour, minute, second, fraction, sign, zh, zm] = match
  const [h, m, s] = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)]
  const date = dateOf(Number(year), Number(month ?? monthOnly ?? 1), Number(day ?? 1), ordinal, week, weekday)
  if (date === undefined || h > 23 || m > 59 || s > 59) return undefined
  const offset = sign ? (Number(zh) * 3_600 + Number(zm ?? 0) * 60) * (sign === '-' ? -1 : 1) : 0
  const micro = fraction ? Number(fraction.slice(0, 6).padEnd(6, '0')) : 0
  return exact(date * 1000 + (h * 3_600 + m * 60 + s - offset) * SECOND + micro)
}

/** Milliseconds of the day's beginning; undefined for a day that no calendar has. */
function dateOf(
  year: number,
  month: number,
  day: number,
  ordinal: string | undefined,
  week: string | undefined,
  weekday: string | undefined,
): number | undefined {
  if (ordinal !== undefined) {
    const number = Number(ordinal)
    return number < 1 || number > (isLeap(year) ? 366 : 365) ? undefined : utc(year, 1, number)
  }
  if (week !== undefined) {
    const number = Number(week)
    if (number < 1 || number > 53) return undefined
    // The fourth of January is always in the first week.
    const fourth = utc(year, 1, 4)
    const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * (DAY / 1000)
    return monday + ((number - 1) * 7 + Number(weekday) - 1) * (DAY / 1000)
  }
  if (month < 1 || month > 12 || day < 1 || (day > 28 && day > daysIn(year, month))) return undefined
  return utc(year, month, day)
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const daysIn = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

/** `Date.UTC` reads years below 100 as 1900 and more. */
const utc = (year: number, month: number, day: number): number =>
  year < 100 ? new Date(0).setUTCFullYear(year, month - 1, day) : Date.UTC(year, month - 1, day)

/**
 * What a number holds exactly: microseconds from 1684 to 2255, milliseconds outside of that, as those are multiples of
 * eight microseconds.
 */
function exact(microseconds: number): number | undefined {
  if (!Number.isFinite(microseconds)) return undefined
  const whole = Math.floor(microseconds)
  if (Number.isSafeInteger(whole)) return whole
  const milliseconds = Math.floor(microseconds / 1000)
  return Math.abs(milliseconds) > 62_167_219_200_000 ? undefined : milliseconds * 1000
}

/** When a sender's clock says it sent: ISO 8601, or seconds since 1970, or milliseconds where those are too many. */
export function parseSentAt(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > MAX_TIME_LENGTH) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return exact(Number(text) * (text.length > 11 ? 1000 : SECOND))
  return parseTime(text)
}

export interface Times {
  timestamp: unknown
  /** Milliseconds of age. */
  offset: unknown
  /** When the sender's clock says it sent; null where it did not say, or asked us not to look. */
  sent_at: number | null
  /** When it arrived. */
  now: number
}

/** When an event happened, by our clock. What cannot be read, or lies a day ahead, happened now. */
export function eventTime({ timestamp, offset, sent_at, now }: Times): number {
  const happened = happenedAt(timestamp, offset, sent_at, now)
  return happened === undefined || happened > now + FUTURE ? now : happened
}

function happenedAt(timestamp: unknown, offset: unknown, sent_at: number | null, now: number): number | undefined {
  if (typeof offset === 'number') return exact(now - offset * 1000)
  if (timestamp === undefined || timestamp === null) return now
  const told = parseTime(timestamp)
  if (told === undefined || sent_at === null) return told
  return exact(now + (told - sent_at))
}

/** ISO 8601, UTC, with microseconds where there are any. */
export function isoOf(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = microseconds - milliseconds * 1000
  const text = new Date(milliseconds).toISOString()
  return rest === 0 ? text : `${text.slice(0, -1)}${String(rest).padStart(3, '0')}Z`
}
