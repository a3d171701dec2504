/** Where a bounded amount of work is under way at once; the rest waits, the smallest first. */
export interface Room {
  /**
   * Begins when there is room for so much, which counts until the work has ended, or until it knows that it is less.
   * What is too much for the room goes in alone.
   */
  with<Result>(size: number, work: (shrink: (size: number) => void) => Promise<Result>): Promise<Result>
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
      let held = size
      const shrink = (left: number): void => {
        taken -= held - left
        held = left
        admit()
      }
      try {
        return await work(shrink)
      } finally {
        shrink(0)
      }
    },
  }
}
