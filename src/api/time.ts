import { invalid } from '../errors.ts'
import { exact, MAX_TIME } from '../events/time.ts'
import { parseRfc822 } from '../hogql/datetime.ts'
import { daysInMonth } from '../time/calendar.ts'
import { parseIso } from '../time/iso.ts'

const MILLISECOND = 1_000
const SECOND = 1_000_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const STARTS_WITH_DATE = /^\d{4}-\d{2}-\d{2}/
const RELATIVE = /^-?(\d{0,6})([hdwmqy])(Start|End)?$/

/** Converts an ISO 8601 time to the stored form. Without a zone it is UTC. Throws `invalid_input` with `attr`. */
export function parseIsoTime(text: string, attr: string): string {
  const instant = STARTS_WITH_DATE.test(text.trim()) ? parseIso(text.trim()) : undefined
  const milliseconds = instant && instant.seconds * 1000 + Math.floor(instant.microseconds / MILLISECOND)
  const stored = typeof milliseconds === 'number' ? new Date(milliseconds).toISOString() : ''
  if (STARTS_WITH_DATE.test(stored)) return stored
  throw invalid(attr, `\`${attr}\` must be an ISO 8601 time, such as 2026-11-02T09:15:00Z.`)
}

/**
 * Returns microseconds since 1970 of an ISO 8601 or RFC 822 time, or of a time relative to now: `-24h`, `-7d`, `-3m`
 * (months), `dStart`, `mEnd`. Without a zone it is UTC. Throws `invalid_input` with `attr`.
 */
export function parseMoment(text: string, attr: string, now: string): number {
  const iso = parseIso(text.trim())
  const moment = iso
    ? iso.seconds * SECOND + iso.microseconds
    : (parseRfc822(text) ?? relativeMoment(text.trim(), new Date(now)))
  if (moment === undefined || Number.isNaN(moment))
    throw invalid(
      attr,
      `\`${attr}\` must be an ISO 8601 time, such as 2026-11-02T09:15:00Z, or relative to now, such as -24h, -7d or dStart.`,
    )
  // No event has a time beyond it.
  return exact(moment) ?? Math.sign(moment) * MAX_TIME
}

function relativeMoment(text: string, now: Date): number | undefined {
  const [, count, unit, edge] = RELATIVE.exec(text) ?? []
  if (unit === undefined) return undefined
  const moment = subtract(now, Number(count || 0), unit)
  if (!edge) return moment.getTime() * MILLISECOND
  const next = edge === 'End' ? 1 : 0
  const start = startOf(unit, moment, next)
  // An end is the last microsecond before the next unit begins.
  return start === undefined ? undefined : start * MILLISECOND - next
}

/** The start of the hour, day, month or year that is `next` units after the one that contains `moment`. */
function startOf(unit: string, moment: Date, next: number): number | undefined {
  const [year, month] = [moment.getUTCFullYear(), moment.getUTCMonth()]
  const [day, hour] = [moment.getUTCDate(), moment.getUTCHours()]
  const starts: Record<string, number> = {
    h: Date.UTC(year, month, day, hour + next),
    d: Date.UTC(year, month, day + next),
    m: Date.UTC(year, month + next),
    y: Date.UTC(year + next, 0),
  }
  return starts[unit]
}

function subtract(from: Date, count: number, unit: string): Date {
  const lengths: Record<string, number> = { h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS, q: 13 * 7 * DAY_MS }
  const length = lengths[unit]
  if (length !== undefined) return new Date(from.getTime() - count * length)
  const moment = new Date(from)
  moment.setUTCDate(1)
  moment.setUTCMonth(moment.getUTCMonth() - (unit === 'y' ? count * 12 : count))
  // In a shorter month, the 31st becomes the last day.
  const days = daysInMonth(moment.getUTCFullYear(), moment.getUTCMonth() + 1)
  moment.setUTCDate(Math.min(from.getUTCDate(), days))
  return moment
}
