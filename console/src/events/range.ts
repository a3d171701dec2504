import { ALL, INTERVALS, type Interval } from './search.ts'

/** Time ranges that end now. */
export const PRESETS: { value: string; short: string; long: string; hours: number }[] = [
  { value: '-1h', short: '1 h', long: 'Last hour', hours: 1 },
  { value: '-24h', short: '24 h', long: 'Last 24 hours', hours: 24 },
  { value: '-7d', short: '7 d', long: 'Last 7 days', hours: 168 },
  { value: '-30d', short: '30 d', long: 'Last 30 days', hours: 720 },
  { value: ALL, short: 'All', long: 'All time', hours: Number.POSITIVE_INFINITY },
]

/** The start of a range in milliseconds; undefined for all time and for relative times that only the server knows. */
export function startOf(after: string): number | undefined {
  const preset = PRESETS.find(({ value }) => value === after)
  const start = preset ? Date.now() - preset.hours * 3_600_000 : /^\d{4}-/.test(after) ? Date.parse(after) : Number.NaN
  return Number.isFinite(start) ? start : undefined
}

/** The length of an interval in seconds. */
export const SECONDS: Record<Interval, number> = { minute: 60, hour: 3_600, day: 86_400, week: 604_800 }

/** The first week began on a Sunday. */
const FIRST_SUNDAY = 3 * 86_400

/** The server counts no more intervals at once. */
const MAX_INTERVALS = 1_000
const SUITABLE_INTERVALS = 120

/** A range in milliseconds. The start is included, the end is not. */
export interface TimeRange {
  from: number
  to: number
}

/** The longest range that an interval can divide, in hours. */
export const longestRange = (interval: Interval): number =>
  Math.floor(((MAX_INTERVALS - 1) * SECONDS[interval]) / 3_600)

/** Whether an interval divides a range of this length into few enough parts. */
export const fits = (interval: Interval, milliseconds: number): boolean =>
  milliseconds / 3_600_000 <= longestRange(interval)

/** The shortest interval that divides the range into about 120, or weeks. */
export const suitableInterval = ({ from, to }: TimeRange): Interval =>
  INTERVALS.find((interval) => (to - from) / 1000 / SECONDS[interval] <= SUITABLE_INTERVALS) ?? 'week'

/** The starts of the intervals of a range, in seconds. They begin at full minutes, hours, days or weeks (Sunday) in UTC. */
export function startsOf({ from, to }: TimeRange, interval: Interval): number[] {
  const length = SECONDS[interval]
  const origin = interval === 'week' ? FIRST_SUNDAY : 0
  const first = Math.floor((from / 1000 - origin) / length) * length + origin
  return Array.from({ length: Math.max(0, Math.ceil((to / 1000 - first) / length)) }, (_, i) => first + i * length)
}

/** The period before, with intervals that begin at the same places. */
export function periodBefore({ from, to }: TimeRange, interval: Interval): TimeRange {
  const length = SECONDS[interval] * 1000
  const shift = Math.ceil((to - from - TOLERANCE_MS) / length) * length
  return { from: from - shift, to: to - shift }
}

/** The server's ranges that end now end a few seconds later. */
const TOLERANCE_MS = 10_000

/** The length of the range of a search in milliseconds. Undefined if only the server knows it. */
export function lengthOf(after: string, before: string | undefined): number | undefined {
  const from = startOf(after)
  const to = before === undefined ? Date.now() : startOf(before)
  return from === undefined || to === undefined ? undefined : to - from
}
