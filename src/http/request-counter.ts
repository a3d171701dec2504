import { AppError } from '../errors.ts'
import type { RequestCount, RequestTotal } from '../store/request_counts.ts'

/** At most `limit` requests in `seconds`. */
export interface RateWindow {
  readonly limit: number
  readonly seconds: number
}

/** The windows of a limit. Responses report the first one. */
export type RateWindows = readonly [RateWindow, ...RateWindow[]]

/** Per user, for all keys together, except for reading events. */
export const PER_USER: RateWindows = [
  { limit: 480, seconds: 60 },
  { limit: 4_800, seconds: 3_600 },
]
/** Per user, for all keys together, for reading events. */
export const PER_USER_EVENTS: RateWindows = [
  { limit: 240, seconds: 60 },
  { limit: 1_200, seconds: 3_600 },
]
/** Per user, for all sessions together. */
export const PER_USER_SESSIONS: RateWindows = [{ limit: 1_200, seconds: 60 }]

/** Per configuration of a plugin, for `posthog.api`. */
export const PER_PLUGIN: RateWindows = [
  { limit: 120, seconds: 60 },
  { limit: 1_200, seconds: 3_600 },
]

/** Per address, for invalid keys, signup and rejected events. */
export const PER_ADDRESS: RateWindows = [{ limit: 60, seconds: 60 }]

/** Per project, for capture. Far above the usual traffic of a project, and low enough to protect other projects. */
export const PER_PROJECT_CAPTURE: RateWindows = [{ limit: 4_800, seconds: 10 }]

/** The lengths of all windows, in seconds. */
export const WINDOW_LENGTHS = [
  ...new Set(
    [PER_USER, PER_USER_EVENTS, PER_USER_SESSIONS, PER_PLUGIN, PER_ADDRESS, PER_PROJECT_CAPTURE]
      .flat()
      .map(({ seconds }) => seconds),
  ),
]

/** Bounds memory. Above it, the counter drops the least recently used name. */
export const MAX_NAMES = 50_000

export interface RateLimitStatus {
  limit: number
  remaining: number
  reset_seconds: number
}

interface WindowCount {
  window: RateWindow
  /** Of the current window, in milliseconds. */
  start: number
  current: number
  previous: number
}

type WindowCounts = [WindowCount, ...WindowCount[]]

const startOf = ({ seconds }: RateWindow, now: number): number => now - (now % (seconds * 1_000))

/** The current window plus the share of the previous window that a sliding window still overlaps. */
const used = ({ window, start, current, previous }: WindowCount, now: number): number =>
  current + previous * (1 - (now - start) / (window.seconds * 1_000))

const secondsLeft = ({ window, start }: WindowCount, now: number): number =>
  Math.max(1, Math.ceil(window.seconds - (now - start) / 1_000))

/** A key of the counts that other nodes do not know yet. */
const pendingKey = (name: string, seconds: number, start: number): string => `${seconds} ${start} ${name}`

/**
 * Counts requests by name in sliding windows, with two numbers per window instead of a log of requests. Windows start at
 * the same times for every name and on every node, so nodes can add up their counts.
 */
export function createCounter(
  windows: RateWindows,
  milliseconds: () => number,
  shared = false,
  /** Called when a name has reached a limit. */
  onThrottled?: () => void,
) {
  const counts = new Map<string, WindowCounts>()
  let pending = new Map<string, RequestCount>()

  const open = (window: RateWindow, now: number): WindowCount => ({
    window,
    start: startOf(window, now),
    current: 0,
    previous: 0,
  })

  function countsOf(name: string, now: number): WindowCounts {
    const [first, ...others] = windows
    const list = counts.get(name) ?? [open(first, now), ...others.map((window) => open(window, now))]
    // The map is ordered by last use.
    counts.delete(name)
    counts.set(name, list)
    if (counts.size > MAX_NAMES) {
      const [oldest = name] = counts.keys()
      counts.delete(oldest)
    }
    for (const count of list) {
      const start = startOf(count.window, now)
      if (start === count.start) continue
      // After a backward clock step the count starts at zero. Otherwise the name could stay throttled.
      count.previous = start - count.start === count.window.seconds * 1_000 ? count.current : 0
      count.current = 0
      count.start = start
    }
    return list
  }

  return {
    /** Throws `throttled` if the name has reached the limit of a window. Does not count a request. */
    check(name: string): void {
      const now = milliseconds()
      for (const count of countsOf(name, now)) {
        if (used(count, now) + 1 <= count.window.limit) continue
        const wait_seconds = secondsLeft(count, now)
        onThrottled?.()
        throw new AppError({
          code: 'throttled',
          detail: `Too many requests. Try again in ${wait_seconds} seconds.`,
          retry_after_seconds: wait_seconds,
        })
      }
    },
    /** Counts a request. Returns the status of the first window. */
    count(name: string): RateLimitStatus {
      const now = milliseconds()
      const list = countsOf(name, now)
      for (const count of list) {
        count.current++
        if (!shared) continue
        const { start } = count
        const { seconds } = count.window
        const key = pendingKey(name, seconds, start)
        const known = pending.get(key)
        if (known) known.count++
        else if (pending.size < MAX_NAMES) pending.set(key, { name, seconds, start, count: 1 })
      }
      const [first] = list
      return {
        limit: first.window.limit,
        remaining: Math.max(0, Math.floor(first.window.limit - used(first, now))),
        reset_seconds: secondsLeft(first, now),
      }
    },
    /** Returns the counts since the previous call, for the other nodes. */
    takePending(): RequestCount[] {
      const taken = [...pending.values()]
      pending = new Map()
      return taken
    },
    /** Applies the total of all nodes, which includes the counts that this node has shared. */
    applyTotal({ name, seconds, start, count: total, previous }: RequestTotal): void {
      const count = counts.get(name)?.find(({ window }) => window.seconds === seconds)
      if (!count) return
      const unshared = pending.get(pendingKey(name, seconds, start))?.count ?? 0
      // The total may lack counts that this node could not share, so a count never decreases.
      if (count.start === start) {
        count.current = Math.max(count.current, total + unshared)
        count.previous = Math.max(count.previous, previous)
      } else if (count.start === start + seconds * 1_000) count.previous = Math.max(count.previous, total + unshared)
    },
  }
}
