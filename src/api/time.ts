import { invalid } from '../errors.ts'

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** Any ISO 8601 moment, without a zone in UTC, as the one form that is stored; 400 naming `attr` for anything else. */
export function parseTime(text: string, attr: string): string {
  const match = ISO.exec(text.trim())
  if (match) {
    const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
    const offset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase()
    const moment = new Date(
      `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`,
    )
    // JavaScript rolls the 31st of a short month over into the next one.
    const real =
      !Number.isNaN(moment.getTime()) && new Date(Date.UTC(+year!, +month! - 1, +day!)).getUTCDate() === +day!
    if (real && /^\d{4}-/.test(moment.toISOString())) return moment.toISOString()
  }
  throw invalid(attr, `Send "${attr}" as an ISO 8601 time, such as 2026-11-02T09:15:00Z.`)
}

const MICROSECONDS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DATE =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/i
const RELATIVE = /^-?(\d{0,6})([hdwmqy])(Start|End)?$/

/**
 * A moment in microseconds since 1970: ISO 8601, without a zone in UTC, or relative to now such as `-24h`, `-7d`, `-3m`
 * (months), `dStart`, `mEnd`. 400 naming `attr` for anything else.
 */
export function parseMoment(text: string, attr: string, now: string): number {
  const moment = isoMoment(text.trim()) ?? relativeMoment(text.trim(), now)
  if (moment === undefined || Number.isNaN(moment))
    throw invalid(
      attr,
      `Send "${attr}" as an ISO 8601 time, such as 2026-11-02T09:15:00Z, or relative to now, such as -24h, -7d or dStart.`,
    )
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, moment))
}

function isoMoment(text: string): number | undefined {
  const match = DATE.exec(text)
  if (!match) return undefined
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
  const real = new Date(Date.UTC(+year!, +month - 1, +day)).getUTCDate() === +day
  const offset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase()
  const seconds = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)
  return real ? seconds * MICROSECONDS + Number(fraction.padEnd(6, '0').slice(0, 6)) : undefined
}

function relativeMoment(text: string, now: string): number | undefined {
  const match = RELATIVE.exec(text)
  if (!match) return undefined
  const [, count, letter, edge] = match
  const moment = back(new Date(now), Number(count || 0), letter!)
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
  const start = starts[letter!]
  // An end is the last microsecond before the next one begins.
  return start === undefined ? undefined : start * MICROSECONDS - next
}

function back(from: Date, count: number, letter: string): Date {
  const lengths: Record<string, number> = { h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS, q: 13 * 7 * DAY_MS }
  const length = lengths[letter]
  if (length !== undefined) return new Date(from.getTime() - count * length)
  const months = letter === 'y' ? count * 12 : count
  const moment = new Date(from)
  moment.setUTCDate(1)
  moment.setUTCMonth(moment.getUTCMonth() - months)
  // The 31st of a short month is its last day.
  const days = new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 0)).getUTCDate()
  moment.setUTCDate(Math.min(from.getUTCDate(), days))
  return moment
}

/** A moment as it is answered: milliseconds, and microseconds where there are any. */
export function momentText(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / MICROSECONDS)
  const text = new Date(milliseconds).toISOString()
  const rest = microseconds - milliseconds * MICROSECONDS
  return rest === 0 ? text : `${text.slice(0, -1)}${String(rest).padStart(3, '0')}Z`
}
