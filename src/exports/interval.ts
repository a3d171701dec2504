/** Windows: one interval long, aligned to UTC. Weeks start on Sunday. */
import type { components } from '../contract/openapi.ts'

export type Interval = components['schemas']['BatchExportInterval']

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

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** The last boundary at or before a time. */
export function boundaryBefore(interval: Interval, moment: string): string {
  const shift = interval === 'week' ? FIRST_SUNDAY_MS : 0
  const length = LENGTHS[interval]
  return iso(Math.floor((Date.parse(moment) - shift) / length) * length + shift)
}

/** The first boundary after a time. */
export const boundaryAfter = (interval: Interval, moment: string): string =>
  addInterval(interval, boundaryBefore(interval, moment))

/** One interval later, without alignment. */
export const addInterval = (interval: Interval, moment: string): string => iso(Date.parse(moment) + LENGTHS[interval])

/** The number of windows between two times. */
export const countWindows = (interval: Interval, start: string, end: string): number =>
  Math.ceil((Date.parse(end) - Date.parse(start)) / LENGTHS[interval])
