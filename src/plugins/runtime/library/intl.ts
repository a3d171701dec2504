/** `Intl` and the methods that depend on a locale. The host has the data of the locales. */
import { sync } from './host.ts'

for (const name of ['toLocaleDateString', 'toLocaleTimeString', 'toLocaleString'] as const)
  Date.prototype[name] = function (locales?: unknown, options?: unknown): string {
    const time = this.getTime()
    return Number.isNaN(time) ? 'Invalid Date' : sync('format.date', name, time, locales ?? null, options ?? null)
  }

Number.prototype.toLocaleString = function (locales?: unknown, options?: unknown): string {
  return sync('format.number', Number(this), locales ?? null, options ?? null)
}

const ALPHANUMERIC = /^[a-z0-9]*$/i

String.prototype.localeCompare = function (other: unknown, locales?: unknown, options?: unknown): number {
  const [a, b] = [String(this), String(other)]
  if (a === b) return 0
  // A sort of 10,000 texts would take seconds with calls of the host. Case decides only between equal letters.
  if (locales === undefined && options === undefined && ALPHANUMERIC.test(a) && ALPHANUMERIC.test(b)) {
    const [left, right] = [a.toLowerCase(), b.toLowerCase()]
    return left === right ? (a > b ? -1 : 1) : left < right ? -1 : 1
  }
  return sync('intl', 'Collator', locales ?? null, options ?? null, 'compare', [a, b])
}

/** Dates cross the border as numbers. */
const plainArgument = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value)

const METHODS = {
  Collator: ['compare'],
  DateTimeFormat: ['format', 'formatToParts', 'formatRange'],
  ListFormat: ['format', 'formatToParts'],
  NumberFormat: ['format', 'formatToParts'],
  PluralRules: ['select'],
  RelativeTimeFormat: ['format', 'formatToParts'],
}

/** Methods are bound, because `sort(collator.compare)` is usual. */
function constructorOf(type: string, methods: string[]) {
  // Some of the constructors can be called without `new`.
  return function Format(this: object, locales?: unknown, options?: unknown): object {
    const format = new.target ? this : Object.create(Format.prototype)
    const call = (method: string, args: unknown[]): unknown =>
      sync('intl', type, locales ?? null, options ?? null, method, args)
    for (const method of [...methods, 'resolvedOptions'])
      Object.defineProperty(format, method, {
        value: (...args: unknown[]) => {
          const isNow = type === 'DateTimeFormat' && method !== 'resolvedOptions' && args[0] === undefined
          return call(method, isNow ? [Date.now()] : args.map(plainArgument))
        },
      })
    call('resolvedOptions', [])
    return format
  }
}

export const intl = Object.fromEntries(
  Object.entries(METHODS).map(([type, methods]) => [type, constructorOf(type, methods)]),
)
