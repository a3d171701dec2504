/**
 * The boundaries of windows. Days and weeks begin at an hour of a time zone; shorter windows are aligned to UTC. A window
 * across a change of the clocks is shorter or longer.
 */
import type { components } from '../contract/openapi.ts'
import { instantOf, localTime } from '../time/zones.ts'

export type Interval = components['schemas']['BatchExportInterval']

/** When windows begin. */
export interface Cadence {
  interval: Interval
  timezone: string
  /** 0 is Sunday. Only weeks have one. */
  offset_day: number
  /** Only days and weeks have one. */
  offset_hour: number
}

/** The default: days begin at midnight and weeks on Sunday, in UTC. */
export const inUtc = (interval: Interval): Cadence => ({ interval, timezone: 'UTC', offset_day: 0, offset_hour: 0 })

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** 1970 began on a Thursday. */
const FIRST_SUNDAY_MS = 3 * DAY_MS

const LENGTHS: Record<Interval, number> = {
  'every 5 minutes': 5 * MINUTE_MS,
  'every 15 minutes': 15 * MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
}

export const hasOffsetHour = (interval: Interval): boolean => LENGTHS[interval] >= DAY_MS
export const hasOffsetDay = (interval: Interval): boolean => interval === 'week'

/** Boundaries at the local times `anchor + n * length`, for all integers `n`. */
interface Grid {
  zone: string
  length: number
  anchor: number
}

const zoneOf = ({ interval, timezone }: Pick<Cadence, 'interval' | 'timezone'>): string =>
  LENGTHS[interval] < DAY_MS ? 'UTC' : timezone

const gridOf = (cadence: Cadence): Grid => ({
  zone: zoneOf(cadence),
  length: LENGTHS[cadence.interval],
  anchor:
    (hasOffsetDay(cadence.interval) ? FIRST_SUNDAY_MS + cadence.offset_day * DAY_MS : 0) +
    (hasOffsetHour(cadence.interval) ? cadence.offset_hour * HOUR_MS : 0),
})

/** The boundaries of windows that are counted from a time: the same local time on later days. */
const gridFrom = (cadence: Pick<Cadence, 'interval' | 'timezone'>, start: string): Grid => {
  const zone = zoneOf(cadence)
  return { zone, length: LENGTHS[cadence.interval], anchor: localTime(zone, Date.parse(start)) }
}

const boundary = ({ zone, length, anchor }: Grid, n: number): number => instantOf(zone, anchor + n * length)

const indexAt = ({ zone, length, anchor }: Grid, time: number): number =>
  Math.floor((localTime(zone, time) - anchor) / length)

function firstAfter(grid: Grid, time: number): string {
  let n = indexAt(grid, time) + 1
  while (boundary(grid, n) <= time) n++
  return iso(boundary(grid, n))
}

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** The last boundary at or before a time. */
export function boundaryBefore(cadence: Cadence, moment: string): string {
  const [grid, time] = [gridOf(cadence), Date.parse(moment)]
  // When the clocks are set back, the next local boundary may already have passed.
  let n = indexAt(grid, time) + 1
  while (boundary(grid, n) > time) n--
  return iso(boundary(grid, n))
}

/** The first boundary after a time. */
export const boundaryAfter = (cadence: Cadence, moment: string): string =>
  firstAfter(gridOf(cadence), Date.parse(moment))

/** The first boundary after a time, for windows counted from `start`. */
export const windowEnd = (cadence: Pick<Cadence, 'interval' | 'timezone'>, start: string, moment: string): string =>
  firstAfter(gridFrom(cadence, start), Date.parse(moment))

/** The number of windows between two times, counted from the first. */
export function countWindows(cadence: Pick<Cadence, 'interval' | 'timezone'>, start: string, end: string): number {
  if (start >= end) return 0
  const [grid, time] = [gridFrom(cadence, start), Date.parse(end)]
  let count = Math.max(1, indexAt(grid, time))
  while (boundary(grid, count) < time) count++
  return count
}
