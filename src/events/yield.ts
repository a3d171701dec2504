import { setImmediate as turn } from 'node:timers/promises'

/** The longest time that one request may block the event loop. */
const SLICE_MS = 5

/** Returns a function to await between steps of long work. It yields to the event loop after each time slice. */
export function createYielder(): () => Promise<void> | undefined {
  let start = performance.now()
  return () => {
    if (performance.now() - start < SLICE_MS) return undefined
    return turn().then(() => {
      start = performance.now()
    })
  }
}
