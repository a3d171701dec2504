import { AppError } from './errors.ts'

/** So many requests in so many seconds. */
export interface Window {
  readonly limit: number
  readonly seconds: number
}

/** Per key, for everything but events. */
export const PER_KEY: readonly Window[] = [
  { limit: 480, seconds: 60 },
  { limit: 4_800, seconds: 3_600 },
]
/** Per key, for what reads events. */
export const PER_KEY_EVENTS: readonly Window[] = [
  { limit: 240, seconds: 60 },
  { limit: 1_200, seconds: 3_600 },
]
/** Per address, for bad keys and for operations that need none. */
export const PER_ADDRESS: readonly Window[] = [{ limit: 60, seconds: 60 }]

/** Per project, for events coming in: far above what a project sends, far below what keeps others from being served. */
export const PER_PROJECT_CAPTURE: readonly Window[] = [{ limit: 4_800, seconds: 10 }]

/** How many names are counted at most; beyond it the one that has been quiet longest is forgotten. */
export const MOST_NAMES = 50_000

export interface Standing {
  limit: number
  remaining: number
  reset_seconds: number
}

/**
 * Counts by name in sliding windows: the share of the previous window that still overlaps, plus the current one.
 * Two numbers a window instead of a log of every request; exact while the previous window is empty.
 */
export function limiter(windows: readonly Window[], milliseconds: () => number) {
  type Count = { start: number; current: number; previous: number }
  const counts = new Map<string, Count[]>()

  const at = (name: string, now: number): Count[] => {
    const list = counts.get(name) ?? windows.map(() => ({ start: now, current: 0, previous: 0 }))
    // Moved to the end, so that the quiet ones stand first.
    counts.delete(name)
    counts.set(name, list)
    if (counts.size > MOST_NAMES) counts.delete(counts.keys().next().value!)
    for (const [i, count] of list.entries()) {
      const length = windows[i]!.seconds * 1_000
      // A clock that steps back starts the window again instead of freezing it.
      const passed = now < count.start ? 2 : Math.floor((now - count.start) / length)
      if (passed === 0) continue
      count.previous = passed === 1 ? count.current : 0
      count.current = 0
      count.start = passed === 1 ? count.start + length : now
    }
    return list
  }

  const used = (count: Count, window: Window, now: number): number => {
    const left = 1 - (now - count.start) / (window.seconds * 1_000)
    return count.current + count.previous * Math.max(0, left)
  }

  return {
    /** Throws throttled when the name has used up a window; counts nothing. */
    check(name: string): void {
      const now = milliseconds()
      for (const [i, count] of at(name, now).entries()) {
        const window = windows[i]!
        if (used(count, window, now) + 1 <= window.limit) continue
        const wait = Math.max(1, Math.ceil(window.seconds - (now - count.start) / 1_000))
        throw new AppError('throttled', `Too many requests. Try again in ${wait} seconds.`, null, wait)
      }
    },
    /** Counts one request; answers where the name now stands in its shortest window. */
    count(name: string): Standing {
      const now = milliseconds()
      const list = at(name, now)
      for (const count of list) count.current++
      const [count, window] = [list[0]!, windows[0]!]
      return {
        limit: window.limit,
        remaining: Math.max(0, Math.floor(window.limit - used(count, window, now))),
        reset_seconds: Math.max(1, Math.ceil(window.seconds - (now - count.start) / 1_000)),
      }
    },
  }
}
