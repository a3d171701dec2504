import { reportRejection } from './console.ts'
import { cancel, start } from './host.ts'
import { type AnyFunction, isThenable } from './values.ts'

let last = 0
/** The calls of the host by timer. */
const calls = new Map<number, number>()

export function setTimeout(callback: AnyFunction, delay: unknown = 0, ...args: unknown[]): number {
  const timer = ++last
  const call = start('sleep', [Number(delay) || 0], {
    resolve: () => {
      calls.delete(timer)
      const result = callback(...args)
      if (isThenable(result)) result.then(undefined, reportRejection)
    },
    reject: () => calls.delete(timer),
  })
  calls.set(timer, call)
  return timer
}

export function clearTimeout(timer: number): void {
  const call = calls.get(timer)
  if (call === undefined) return
  calls.delete(timer)
  cancel(call)
}

export const setImmediate = (callback: AnyFunction, ...args: unknown[]): number => setTimeout(callback, 0, ...args)

export function setInterval(): never {
  throw new Error('setInterval is not available in plugins. Export runEveryMinute, runEveryHour or runEveryDay.')
}
