import { SECONDS } from './range.ts'
import type { Trend } from './trend.ts'

const minutes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** Days and weeks begin at midnight UTC, which is another time in most zones. */
export function intervalLabel({ starts, interval }: Trend, index: number): string {
  const start = (starts[index] ?? 0) * 1000
  return minutes.formatRange(start, start + SECONDS[interval] * 1000)
}

export const rangeText = ({ range: { from, to }, interval }: Trend): string =>
  (interval === 'minute' || interval === 'hour' ? minutes : days).formatRange(from, to)
