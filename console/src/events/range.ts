import { ALL } from './search.ts'

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
