/** Shares a limited number of processes among owners, such as projects. */
import { unavailable } from '../errors.ts'

export const shuttingDown = () => unavailable('The server is shutting down. Retry the request.')

export interface SlotsOptions {
  max: number
  max_waiting: number
  /** By default, one owner may fill the queue. */
  max_waiting_per_owner?: number
  /** The error when the queue is full. */
  full: string
}

type Owner = string | number | null

interface Waiting {
  owner: Owner
  start(): void
  fail(error: Error): void
}

/** Chooses the next request. An owner uses at most half of the slots, so that others always find one soon. */
export function createSlots({ max, max_waiting, max_waiting_per_owner = max_waiting, full }: SlotsOptions) {
  const waiting: Waiting[] = []
  const runningOf = new Map<Owner, number>()
  const max_per_owner = Math.ceil(max / 2)
  let running = 0
  let stopped = false

  const isFree = (owner: Owner): boolean =>
    running < max && (owner === null || (runningOf.get(owner) ?? 0) < max_per_owner)

  const isFull = (owner: Owner): boolean =>
    waiting.length >= max_waiting || waiting.filter((other) => other.owner === owner).length >= max_waiting_per_owner

  function occupy(owner: Owner): () => void {
    running++
    runningOf.set(owner, (runningOf.get(owner) ?? 0) + 1)
    return () => {
      running--
      const left = (runningOf.get(owner) ?? 1) - 1
      if (left === 0) runningOf.delete(owner)
      else runningOf.set(owner, left)
      const next = waiting.findIndex((other) => isFree(other.owner))
      if (next >= 0) waiting.splice(next, 1)[0]?.start()
    }
  }

  return {
    get stopped() {
      return stopped
    },
    /** Returns the function that frees the slot. Undefined when none is free until `until`. Throws `unavailable`. */
    take: async (owner: Owner, until: number): Promise<(() => void) | undefined> => {
      if (stopped) throw shuttingDown()
      if (isFree(owner)) return occupy(owner)
      if (isFull(owner)) throw unavailable(full)
      return new Promise((resolve, reject) => {
        let timer: NodeJS.Timeout | undefined
        const own: Waiting = {
          owner,
          start: () => {
            clearTimeout(timer)
            resolve(occupy(owner))
          },
          fail: (error) => {
            clearTimeout(timer)
            reject(error)
          },
        }
        waiting.push(own)
        if (until === Number.POSITIVE_INFINITY) return
        timer = setTimeout(
          () => {
            waiting.splice(waiting.indexOf(own), 1)
            resolve(undefined)
          },
          Math.max(0, until - performance.now()),
        )
      })
    },
    stop: (): void => {
      stopped = true
      for (const { fail } of waiting.splice(0)) fail(shuttingDown())
    },
  }
}
