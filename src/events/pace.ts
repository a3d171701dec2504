import { setImmediate as turn } from 'node:timers/promises'

/** How long one request may keep the others waiting. */
const SLICE_MS = 5

/** Await it between pieces of much work: when a slice is used up, everybody else gets a turn. */
export function pacer(): () => Promise<void> | undefined {
  let start = performance.now()
  return () => {
    if (performance.now() - start < SLICE_MS) return undefined
    return turn().then(() => {
      start = performance.now()
    })
  }
}
