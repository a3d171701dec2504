/** Values of plugins, which can be anything. */
import { stringify } from './host.ts'

export type AnyFunction = (...args: unknown[]) => unknown

export const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function'

export const isObject = (value: unknown): value is Record<string, unknown> =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

export const isThenable = (value: unknown): value is PromiseLike<unknown> => isObject(value) && isFunction(value.then)

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** The text of a value in logs and errors. */
export function textOf(value: unknown): string {
  try {
    if (value instanceof Error) return value.stack ? `${value}\n${value.stack}`.trimEnd() : String(value)
    return isPlain(value) ? stringify(value) : String(value)
  } catch {
    return '[a value without text]'
  }
}

export function requireNumber(value: unknown, name: string): number {
  if (typeof value !== 'number' || Number.isNaN(value)) throw new TypeError(`${name} must be a number.`)
  return value
}

export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}
