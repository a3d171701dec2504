/** Series of counts over time, and those of the histogram. */
import type { HistogramPart } from './queries.ts'
import type { TimeRange } from './range.ts'
import type { EventsSearch, Interval } from './search.ts'

/** The event name or the value of a series. */
export type SeriesValue =
  | { kind: 'all' }
  | { kind: 'value'; value: string }
  /** Events without the property. */
  | { kind: 'none' }
  /** All values that have no series of their own. */
  | { kind: 'rest' }

export interface TrendSeries {
  value: SeriesValue
  counts: number[]
  /** Null if it is not known. */
  total: number | null
}

export interface Trend {
  interval: Interval
  range: TimeRange
  /** In seconds. */
  starts: number[]
  /** The largest first, then events without the property, then the rest. */
  series: TrendSeries[]
  total: number | null
  /** The part of the time range that is counted, from 0 to 1. */
  counted: number
  /** How long counting took. */
  took_ms: number
}

/** Whether the histogram can count this. */
export const isHistogram = ({ measure, breakdown }: EventsSearch): boolean =>
  measure === undefined && breakdown === undefined

/** One part of a histogram takes about as long, if there are several. */
const PART_MS = 1_000

/** Every part of a histogram has all intervals. */
export function trendOf(parts: HistogramPart[]): Trend | undefined {
  const [first, last] = [parts[0], parts.at(-1)]
  if (!first || !last) return undefined
  const starts = first.results.map(({ start }) => Date.parse(start) / 1000)
  const counts = starts.map((_, i) => parts.reduce((sum, { results }) => sum + (results[i]?.count ?? 0), 0))
  const total = sum(counts)
  // The start of the range is not included, and is a microsecond before a full millisecond.
  const range = { from: Date.parse(last.after) + 1, to: Date.parse(last.before) }
  const series: TrendSeries[] = [{ value: { kind: 'all' }, counts, total }]
  const took_ms = (parts.length - 1) * PART_MS
  return { interval: first.interval, range, starts, series, total, counted: last.progress, took_ms }
}

export const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0)
