/** Limits the memory of concurrent work. Work that does not fit waits, the smallest first. */
export interface MemoryGate {
  /** Starts the work when its size fits. Work larger than the limit runs alone. */
  run<Result>(size: number, work: () => Promise<Result>): Promise<Result>
}

export function createMemoryGate(limit: number): MemoryGate {
  const waiting: { size: number; start: () => void }[] = []
  let used = 0

  const fits = (size: number): boolean => used === 0 || used + size <= limit

  function startWaiting(): void {
    for (let [next] = waiting; next && fits(next.size); [next] = waiting) {
      waiting.shift()
      used += next.size
      next.start()
    }
  }

  return {
    run: async (size, work) => {
      await new Promise<void>((start) => {
        const index = waiting.findIndex((other) => other.size > size)
        waiting.splice(index === -1 ? waiting.length : index, 0, { size, start })
        startWaiting()
      })
      try {
        return await work()
      } finally {
        used -= size
        startWaiting()
      }
    },
  }
}
