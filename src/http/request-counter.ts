import { AppError } from '../errors.ts'
import type { RequestCount, RequestTotal } from '../store/request_counts.ts'

/** So many requests in so many seconds. */
export interface RateWindow {
  readonly limit: number
  readonly seconds: number
}

/** Per user, all keys together, for everything but events. */
export const PER_USER: readonly RateWindow[] = [
  { limit: 480, seconds: 60 },
  { limit: 4_800, seconds: 3_600 },
]
/** Per user, all keys together, for reading events. */
export const PER_USER_EVENTS: readonly RateWindow[] = [
  { limit: 240, seconds: 60 },
  { limit: 1_200, seconds: 3_600 },
]
/** Per address, for bad keys and for operations that need none. */
export const PER_ADDRESS: readonly RateWindow[] = [{ limit: 60, seconds: 60 }]

/** Per project, for events coming in: far above what a project sends, far below what keeps others from being served. */
export const PER_PROJECT_CAPTURE: readonly RateWindow[] = [{ limit: 4_800, seconds: 10 }]

/** How many names are counted at most; beyond it the one that has been quiet longest is forgotten. */
export const MOST_NAMES = 50_000

export interface Standing {
  limit: number
  remaining: number
  reset_seconds: number
}

/**
 * Counts by name in sliding windows: the share of the previous window that still overlaps, plus the current one.
 * Two numbers a window instead of a log of every request. Windows begin at the same moments for every name and on every
 * node, so that nodes can add up what they counted: `untold` is what the others do not know yet, `learn` what they do.
 */
export function createCounter(windows: readonly RateWindow[], milliseconds: () => number, shared = false) {
  type Count = { start: number; current: number; previous: number }
  const counts = new Map<string, Count[]>()
  let untold = new Map<string, RequestCount>()

  const startOf = (window: RateWindow, now: number): number => now - (now % (window.seconds * 1_000))
  const keyOf = (name: string, seconds: number, start: number): string => `${seconds} ${start} ${name}`

  const at = (name: string, now: number): Count[] => {
    const list = counts.get(name) ?? windows.map((window) => ({ start: startOf(window, now), current: 0, previous: 0 }))
    // Moved to the end, so that the quiet ones stand first.
    counts.delete(name)
    counts.set(name, list)
    if (counts.size > MOST_NAMES) counts.delete(counts.keys().next().value!)
    for (const [i, count] of list.entries()) {
      const start = startOf(windows[i]!, now)
      if (start === count.start) continue
      // A clock that steps back begins anew, or it would lock somebody out.
      count.previous = start - count.start === windows[i]!.seconds * 1_000 ? count.current : 0
      count.current = 0
      count.start = start
    }
    return list
  }

  const used = (count: Count, window: RateWindow, now: number): number => {
    const left = 1 - (now - count.start) / (window.seconds * 1_000)
    return count.current + count.previous * left
  }

  return {
    /** Throws throttled when the name has used up a window; counts nothing. */
    check(name: string): void {
      const now = milliseconds()
      for (const [i, count] of at(name, now).entries()) {
        const window = windows[i]!
        if (used(count, window, now) + 1 <= window.limit) continue
        const wait = Math.max(1, Math.ceil(window.seconds - (now - count.start) / 1_000))
        throw new AppError({
          code: 'throttled',
          detail: `Too many requests. Try again in ${wait} seconds.`,
          retry_after_seconds: wait,
        })
      }
    },
    /** Counts one request; answers where the name now stands in its shortest window. */
    count(name: string): Standing {
      const now = milliseconds()
      const list = at(name, now)
      for (const [i, count] of list.entries()) {
        count.current++
        if (!shared) continue
        const { seconds } = windows[i]!
        const key = keyOf(name, seconds, count.start)
        const telling = untold.get(key)
        if (telling) telling.count++
        else if (untold.size < MOST_NAMES) untold.set(key, { name, seconds, start: count.start, count: 1 })
      }
      const [count, window] = [list[0]!, windows[0]!]
      return {
        limit: window.limit,
        remaining: Math.max(0, Math.floor(window.limit - used(count, window, now))),
        reset_seconds: Math.max(1, Math.ceil(window.seconds - (now - count.start) / 1_000)),
      }
    },
    /** What was counted since the last time this was asked. */
    untold(): RequestCount[] {
      const told = [...untold.values()]
      untold = new Map()
      return told
    },
    /** What everybody together counted, this node's own included as far as it told. */
    learn({ name, seconds, start, count: total, previous }: RequestTotal): void {
      const i = windows.findIndex((window) => window.seconds === seconds)
      const count = counts.get(name)?.[i]
      if (!count) return
      const since = untold.get(keyOf(name, seconds, start))?.count ?? 0
      // Never less than this node knows: what it could not tell has happened all the same.
      if (count.start === start) {
        count.current = Math.max(count.current, total + since)
        count.previous = Math.max(count.previous, previous)
      } else if (count.start === start + seconds * 1_000) count.previous = Math.max(count.previous, total + since)
    },
  }
}
