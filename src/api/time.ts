import { invalid } from '../errors.ts'
import { parseRfc822 } from '../hogql/datetime.ts'

const MICROSECONDS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Wider than events/time.ts, which rejects times outside its microsecond range: 9999-12-31 is a valid end or expiry. */
const ISO =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/i
const WHOLE_DATE = /^\d{4}-\d{2}-\d{2}/
const RELATIVE = /^-?(\d{0,6})([hdwmqy])(Start|End)?$/

/** Parses an ISO 8601 time, UTC without a zone, into stored form. Throws invalid_input for `attr`. */
export function parseIsoTime(text: string, attr: string): string {
  const moment = WHOLE_DATE.test(text.trim()) ? isoMoment(text.trim()) : undefined
  const stored = moment && new Date(moment.milliseconds + Math.floor(moment.microseconds / 1_000)).toISOString()
  if (stored && WHOLE_DATE.test(stored)) return stored
  throw invalid(attr, `\`${attr}\` must be an ISO 8601 time, such as 2026-11-02T09:15:00Z.`)
}

/**
 * Parses a time into microseconds since 1970: ISO 8601 or RFC 822, UTC without a zone, or relative to now such as `-24h`,
 * `-7d`, `-3m` (months), `dStart`, `mEnd`. Throws invalid_input for `attr`.
 */
export function parseMoment(text: string, attr: string, now: string): number {
  const iso = isoMoment(text.trim())
  const moment = iso
    ? iso.milliseconds * MICROSECONDS + iso.microseconds
    : (parseRfc822(text) ?? relativeMoment(text.trim(), now))
  if (moment === undefined || Number.isNaN(moment))
    throw invalid(
      attr,
      `\`${attr}\` must be an ISO 8601 time, such as 2026-11-02T09:15:00Z, or relative to now, such as -24h, -7d or dStart.`,
    )
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, moment))
}

/** The time in whole seconds as milliseconds, and its fraction in microseconds. */
function isoMoment(text: string): { milliseconds: number; microseconds: number } | undefined {
  const match = ISO.exec(text)
  if (!match) return undefined
  const [, year = '', month = '01', day = '01', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] =
    match
  const offset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase()
  const milliseconds = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)
  // JavaScript accepts the 31st of a shorter month as a day of the next one.
  const exists = new Date(Date.UTC(+year, +month - 1, +day)).getUTCDate() === +day
  if (Number.isNaN(milliseconds) || !exists) return undefined
  return { milliseconds, microseconds: Number(fraction.padEnd(6, '0').slice(0, 6)) }
}

function relativeMoment(text: string, now: string): number | undefined {
  const match = RELATIVE.exec(text)
  if (!match) return undefined
  const [, count = '', unit = '', edge] = match
  const moment = subtract(new Date(now), Number(count), unit)
  if (!edge) return moment.getTime() * MICROSECONDS
  const [year, month, day, hour] = [
    moment.getUTCFullYear(),
    moment.getUTCMonth(),
    moment.getUTCDate(),
    moment.getUTCHours(),
  ]
  const next = edge === 'End' ? 1 : 0
  const starts: Record<string, number> = {
    h: Date.UTC(year, month, day, hour + next),
    d: Date.UTC(year, month, day + next),
    m: Date.UTC(year, month + next),
    y: Date.UTC(year + next, 0),
  }
  const start = starts[unit]
  // An end is the last microsecond before the next unit.
  return start === undefined ? undefined : start * MICROSECONDS - next
}

function subtract(from: Date, count: number, unit: string): Date {
  const lengths: Record<string, number> = { h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS, q: 13 * 7 * DAY_MS }
  const length = lengths[unit]
  if (length !== undefined) return new Date(from.getTime() - count * length)
  const months = unit === 'y' ? count * 12 : count
  const moment = new Date(from)
  moment.setUTCDate(1)
  moment.setUTCMonth(moment.getUTCMonth() - months)
  // In a shorter month, the last day replaces the 31st.
  const days = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 0)).getUTCDate()
  moment.setUTCDate(Math.min(from.getUTCDate(), days))
  return moment
}
