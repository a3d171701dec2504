/** Times of events: microseconds since 1970, UTC. */
import { parseIso } from '../time/iso.ts'
import { instantOf } from '../time/zones.ts'

const SECOND = 1_000_000
/** Events further in the future get the time of arrival: their clock is wrong. */
const MAX_AHEAD = 23 * 3_600 * SECOND

/** `Date.parse` also finds a date in texts such as "Order 12". */
const DATE = /^(?:\d|sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[^\d]*\d+[^\d]+\d/i
const ZONE = /(?:Z|UTC|GMT|[+-]\d\d:?\d\d|\b[ECMP][SD]T)$/i
/** `Sat Jan 07 2012 20:00:00 GMT+0200 (Central European Standard Time)` has 67 characters. */
const MAX_TIME_LENGTH = 128

/**
 * Returns undefined if the value is not a time. Accepts ISO 8601 with calendar, week (2021-W43-5) or ordinal (2021-302)
 * dates, and other texts that begin with a day, a month or a number and that `Date.parse` accepts. A text without a zone is
 * a local time of `zone`; a number is milliseconds.
 */
export function parseEventTime(value: unknown, zone = 'UTC'): number | undefined {
  if (typeof value === 'number') return exact(value * 1000)
  if (typeof value !== 'string') return undefined
  const text = value.length > MAX_TIME_LENGTH ? '' : value.trim()
  const instant = parseIso(text, { lenient: true })
  if (instant === null) return undefined
  const isZoned = instant ? !parseIso(`${text}Z`, { lenient: true }) : namesZone(text)
  const time = instant
    ? exact(instant.seconds * SECOND + instant.microseconds)
    : DATE.test(text)
      ? exact(Date.parse(isZoned ? text : `${text} UTC`) * 1000)
      : undefined
  return time === undefined || isZoned || zone === 'UTC' ? time : fromLocal(time, zone)
}

function fromLocal(local: number, zone: string): number | undefined {
  const milliseconds = Math.floor(local / 1000)
  const instant = instantOf(zone, milliseconds)
  return exact(instant * 1000 + (local - milliseconds * 1000))
}

/** Whether the text ends with a time zone. A comment in parentheses may follow. */
function namesZone(text: string): boolean {
  const end = text.endsWith(')') ? text.lastIndexOf('(') : text.length
  return ZONE.test(text.slice(0, Math.max(end, 0)).trimEnd())
}

/** Microseconds from 1970 to the start of year 0. Milliseconds in microseconds are exact up to here. */
export const MAX_TIME = 62_167_219_200_000_000

/** Rounds down to a number that is exact: microseconds from 1684 to 2255, milliseconds outside of that. */
export function exact(microseconds: number): number | undefined {
  if (!Number.isFinite(microseconds)) return undefined
  const whole = Math.floor(microseconds)
  if (Number.isSafeInteger(whole)) return whole
  const milliseconds = Math.floor(microseconds / 1000)
  return Math.abs(milliseconds * 1000) > MAX_TIME ? undefined : milliseconds * 1000
}

/** Parses `sent_at`: seconds since 1970, milliseconds if there are more than 11 digits, or a time. */
export function parseSentAt(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > MAX_TIME_LENGTH) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) return exact(Number(text) * (text.length > 11 ? 1000 : SECOND))
  return parseEventTime(text)
}

export interface Times {
  timestamp: unknown
  /** The age of the event in milliseconds. */
  offset: unknown
  /** The time of sending by the sender's clock. Null if it is unknown or must not correct the timestamp. */
  sent_at: number | null
  /** The time of arrival. */
  now: number
}

/** The time of an event by the server's clock. The time of arrival if the timestamp is invalid or in the future. */
export function eventTime({ timestamp, offset, sent_at, now }: Times): number {
  const time = uncheckedTime(timestamp, offset, sent_at, now)
  return time === undefined || time > now + MAX_AHEAD ? now : time
}

function uncheckedTime(timestamp: unknown, offset: unknown, sent_at: number | null, now: number): number | undefined {
  if (typeof offset === 'number') return exact(now - offset * 1000)
  if (timestamp === undefined || timestamp === null) return now
  const sender_time = parseEventTime(timestamp)
  if (sender_time === undefined || sent_at === null) return sender_time
  return exact(now + (sender_time - sent_at))
}

/** ISO 8601, UTC, with microseconds if there are any. */
export function isoOf(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000)
  const rest = microseconds - milliseconds * 1000
  const text = new Date(milliseconds).toISOString()
  return rest === 0 ? text : `${text.slice(0, -1)}${String(rest).padStart(3, '0')}Z`
}

/** Microseconds: `from` is included, `to` is not. */
export interface TimeRange {
  from?: number | undefined
  to?: number | undefined
}
