/** A copy of a value. `seen` has the copies so far, for cycles. */
export function structuredClone(value: unknown, seen = new Map<unknown, unknown>()): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError('A function cannot be cloned.')
  if (typeof value !== 'object' || value === null) return value
  if (seen.has(value)) return seen.get(value)
  if (value instanceof Date) return new Date(value)
  if (value instanceof RegExp) return new RegExp(value)
  if (value instanceof ArrayBuffer) return value.slice(0)
  if (ArrayBuffer.isView(value)) return (value as Uint8Array).slice()
  if (value instanceof Map) {
    const copy = new Map()
    seen.set(value, copy)
    for (const [key, item] of value) copy.set(structuredClone(key, seen), structuredClone(item, seen))
    return copy
  }
  if (value instanceof Set) {
    const copy = new Set()
    seen.set(value, copy)
    for (const item of value) copy.add(structuredClone(item, seen))
    return copy
  }
  const copy: object = Array.isArray(value) ? [] : {}
  seen.set(value, copy)
  for (const [key, item] of Object.entries(value)) Reflect.set(copy, key, structuredClone(item, seen))
  return copy
}
