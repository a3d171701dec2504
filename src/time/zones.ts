/** Local times of IANA time zones. All times are milliseconds; a local time counts as if its zone were UTC. */

const HOUR_MS = 3_600_000
/** Longer than any offset from UTC, and than any change of one. */
const DAY_MS = 24 * HOUR_MS
/** Intl also accepts abbreviations that are not IANA names, such as IST, and offsets. */
const ABBREVIATION = /^[A-Za-z]{3}$/
const SHORT_NAMES = ['CET', 'EET', 'EST', 'GMT', 'HST', 'MET', 'MST', 'PRC', 'ROC', 'ROK', 'UCT', 'UTC', 'WET']
const IANA_NAME = /^(?!SystemV\/)[A-Za-z][A-Za-z0-9_+-]{1,31}(?:\/[A-Za-z0-9_+-]{1,31}){0,2}$/
const OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/
/** A formatter takes about 30 kB. */
const MAX_FORMATTERS = 100

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(zone: string): Intl.DateTimeFormat {
  let found = formatters.get(zone)
  if (!found) {
    if (formatters.size >= MAX_FORMATTERS) formatters.clear()
    found = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    formatters.set(zone, found)
  }
  return found
}

/** The name of a time zone with the usual capitals. Undefined for an unknown zone. */
export function findTimeZone(name: string): string | undefined {
  if (!IANA_NAME.test(name) || (ABBREVIATION.test(name) && !SHORT_NAMES.includes(name.toUpperCase()))) return undefined
  try {
    // V8 replaces some names by older ones, such as Asia/Kolkata by Asia/Calcutta. Those keep the name that was sent.
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions()
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name
  } catch {
    return undefined
  }
}

export function offsetAt(zone: string, time: number): number {
  if (zone === 'UTC') return 0
  const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(formatterOf(zone).format(time)) ?? []
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -offset : offset
}

export const localTime = (zone: string, time: number): number => time + offsetAt(zone, time)

/**
 * The first instant at which the clocks of the zone show this local time or a later one. If the clocks skip the local time,
 * that is when they change; if they show it twice, it is the first time.
 */
export function instantOf(zone: string, local: number): number {
  const before = offsetAt(zone, local - DAY_MS)
  const after = offsetAt(zone, local + DAY_MS)
  if (before === after || offsetAt(zone, local - before) === before) return local - before
  if (offsetAt(zone, local - after) === after) return local - after
  // Skipped: the change is between these two.
  let [earlier, later] = [local - after, local - before]
  while (later - earlier > 1) {
    const middle = Math.floor((earlier + later) / 2)
    if (offsetAt(zone, middle) === after) later = middle
    else earlier = middle
  }
  return later
}
