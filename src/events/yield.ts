import { setImmediate as turn } from 'node:timers/promises'

/** The longest time that a request may block the event loop. */
const SLICE_MS = 5

/** Await it between steps of long work. It yields to the event loop when the time slice is used up. */
export function pacer(): () => Promise<void> | undefined {
  let start = performance.now()
  return () => {
    if (performance.now() - start < SLICE_MS) return undefined
    return turn().then(() => {
      start = performance.now()
    })
  }
}
