/** Where a bounded amount of work is under way at once; the rest waits, the smallest first. */
export interface Room {
  /** Starts the work when there is room for its size. Work larger than the room runs alone. */
  with<Result>(size: number, work: () => Promise<Result>): Promise<Result>
}

export function createRoom(most: number): Room {
  const waiting: { size: number; enter: () => void }[] = []
  let taken = 0

  const fits = (size: number): boolean => taken === 0 || taken + size <= most

  function admit(): void {
    while (waiting.length > 0 && fits(waiting[0]!.size)) {
      const { size, enter } = waiting.shift()!
      taken += size
      enter()
    }
  }

  return {
    with: async (size, work) => {
      await new Promise<void>((enter) => {
        const place = waiting.findIndex((other) => other.size > size)
        waiting.splice(place === -1 ? waiting.length : place, 0, { size, enter })
        admit()
      })
      try {
        return await work()
      } finally {
        taken -= size
        admit()
      }
    },
  }
}
