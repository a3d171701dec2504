import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as startTimer } from 'node:timers'
import { beginWork, endWork } from './event-loop.ts'

export interface LoopOptions {
  /** Names the loop in the log, as the caller of a stall. */
  name: string
  /** One round. Returns the milliseconds until the next one. */
  round(): Promise<number>
  /** The delay before the first round. Default: none. */
  first_ms?: number
  /** The delay after a round that failed. */
  retry_ms: number
  onError(error: unknown): void
}

export interface LoopLog {
  info(fields: object, text: string): void
  error(fields: object, text: string): void
}

/** Background work of one process: a round on every wake-up, and again after the delay that the last round returned. */
export interface Loop {
  readonly stopped: boolean
  /** Starts the first round after `delay_ms`, by default after `first_ms`. Until then, wake-ups do nothing. */
  start(delay_ms?: number): void
  /** Starts a round, or another one after the round that is running. */
  wake(): void
  /** Runs a round now, after the one that is running. Throws its error. */
  work(): Promise<void>
  /** Resolves when no round is running. */
  idle(): Promise<void>
  /** Starts no further round and waits for the running one. */
  stop(): Promise<void>
}

export function createLoop({ name, round, first_ms, retry_ms, onError }: LoopOptions): Loop {
  // A wake-up by a request must not make the round a part of the request's trace.
  const inOwnContext = AsyncLocalStorage.snapshot()
  let started = false
  let stopped = false
  let woken = false
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  function wake(): void {
    if (!started || stopped) return
    woken = true
    running ??= inOwnContext(rounds)
  }

  async function rounds(): Promise<void> {
    clearTimeout(timer)
    let delay_ms = retry_ms
    beginWork(name)
    while (woken && !stopped) {
      woken = false
      delay_ms = await round().catch((error) => {
        onError(error)
        return retry_ms
      })
    }
    endWork(name)
    // No await between the last check of `woken` and this line: a wake-up in between would be lost.
    running = undefined
    if (!stopped) timer = startTimer(wake, delay_ms).unref()
  }

  return {
    get stopped() {
      return stopped
    },
    start: (delay_ms = first_ms) => {
      started = true
      if (delay_ms === undefined) wake()
      else timer = startTimer(wake, delay_ms).unref()
    },
    wake,
    work: async () => {
      await running
      await round()
    },
    idle: async () => running,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
