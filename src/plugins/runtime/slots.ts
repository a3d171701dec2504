/** Shares the processes of the sandbox among projects. */
import { unavailable } from '../../errors.ts'

const MAX_WAITING = 1_000

export const shuttingDown = () => unavailable('The server is shutting down. Retry the request.')

interface Waiting {
  project_id: number | null
  start(): void
  fail(error: Error): void
}

/** Chooses the next request. A project uses at most half of the processes, so that others always find one soon. */
export function createSlots(max: number) {
  const waiting: Waiting[] = []
  const runningOf = new Map<number | null, number>()
  const max_per_project = Math.ceil(max / 2)
  let running = 0
  let stopped = false

  const isFree = (project_id: number | null): boolean =>
    running < max && (project_id === null || (runningOf.get(project_id) ?? 0) < max_per_project)

  function occupy(project_id: number | null): () => void {
    running++
    runningOf.set(project_id, (runningOf.get(project_id) ?? 0) + 1)
    return () => {
      running--
      const left = (runningOf.get(project_id) ?? 1) - 1
      if (left === 0) runningOf.delete(project_id)
      else runningOf.set(project_id, left)
      const next = waiting.findIndex((other) => isFree(other.project_id))
      if (next >= 0) waiting.splice(next, 1)[0]?.start()
    }
  }

  return {
    get stopped() {
      return stopped
    },
    /** Returns the function that frees the slot. Undefined when none is free until `until`. */
    take: async (project_id: number | null, until: number): Promise<(() => void) | undefined> => {
      if (stopped) throw shuttingDown()
      if (isFree(project_id)) return occupy(project_id)
      if (waiting.length >= MAX_WAITING) throw unavailable('Too many plugins are waiting to run. Retry the request.')
      return new Promise((resolve, reject) => {
        let timer: NodeJS.Timeout | undefined
        const own: Waiting = {
          project_id,
          start: () => {
            clearTimeout(timer)
            resolve(occupy(project_id))
          },
          fail: reject,
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
