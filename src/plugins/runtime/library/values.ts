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

/** Values inside of others for which JSON has no form. */
function readable(_: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  if (value instanceof Error || typeof value === 'bigint') return String(value)
  return isFunction(value) ? `[function ${value.name}]` : value
}

/** The text of a value in logs and errors. */
export function textOf(value: unknown): string {
  try {
    if (value instanceof Error) return value.stack ? `${value}\n${value.stack}`.trimEnd() : String(value)
    if (value instanceof Date) return value.toISOString()
    if (value instanceof Map) return `Map ${stringify(value, readable)}`
    if (value instanceof Set) return `Set ${stringify(value, readable)}`
    return isPlain(value) ? stringify(value, readable) : String(value)
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
