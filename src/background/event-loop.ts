/** Reports how long the main thread computes without returning to the event loop, and the work that was in progress. */

/** The CPU time between two turns of the event loop that counts as a stall. Other requests wait for at least as long. */
export const STALL_MS = 100
/** How often the CPU time is read. A turn that takes longer delays the reading to its end. */
const SAMPLE_MS = 20

export interface Stall {
  cpu_ms: number
  /** Operations and background loops that were in progress. One of them caused the stall. */
  active: string[]
}

/** Work in progress in this process, by name. */
const running = new Map<string, number>()
/** Work that was in progress at any time since the last sample. */
const seen = new Set<string>()

export function beginWork(name: string): void {
  running.set(name, (running.get(name) ?? 0) + 1)
  seen.add(name)
}

export function endWork(name: string): void {
  const left = (running.get(name) ?? 0) - 1
  if (left > 0) running.set(name, left)
  else running.delete(name)
}

/**
 * Calls `onStall` after each stall. CPU time excludes the time that other processes take, so a busy machine causes no stalls.
 * Node before 22.19 cannot measure it, and `onStall` is never called. Returns a function that stops.
 */
export function watchEventLoop(onStall: (stall: Stall) => void): () => void {
  if (typeof process.threadCpuUsage !== 'function') return () => undefined
  let before = process.threadCpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    const cpu_ms = (user + system) / 1000
    // Turns that are shorter than the sampling interval add up to the interval at most.
    if (cpu_ms > STALL_MS + SAMPLE_MS) onStall({ cpu_ms: Math.round(cpu_ms), active: [...seen] })
    seen.clear()
    for (const name of running.keys()) seen.add(name)
  }, SAMPLE_MS).unref()
  return () => clearInterval(timer)
}
