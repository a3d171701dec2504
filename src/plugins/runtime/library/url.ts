/** `URL`, `URLSearchParams` and the modules `url` and `querystring`. The host parses and formats. */
import { sync } from './host.ts'

type Pair = [name: string, value: string]

/** Tells the URL that a list of parameters belongs to about a change. */
const owners = new WeakMap<URLSearchParams, (search: string) => void>()

export class URLSearchParams {
  #list: Pair[]
  constructor(init: unknown = '') {
    if (typeof init !== 'object' || init === null) this.#list = sync('params.parse', String(init))
    else {
      const isList = Symbol.iterator in init && typeof init[Symbol.iterator] === 'function'
      const pairs = isList ? [...(init as Iterable<[unknown, unknown]>)] : Object.entries(init)
      this.#list = pairs.map(([name, value]) => [String(name), String(value)])
    }
  }
  #changed(): void {
    owners.get(this)?.(this.toString())
  }
  get size(): number {
    return this.#list.length
  }
  append(name: unknown, value: unknown): void {
    this.#list.push([String(name), String(value)])
    this.#changed()
  }
  delete(name: unknown, value?: unknown): void {
    this.#list = this.#list.filter(
      ([key, own]) => key !== String(name) || (value !== undefined && own !== String(value)),
    )
    this.#changed()
  }
  get(name: unknown): string | null {
    return this.#list.find(([key]) => key === String(name))?.[1] ?? null
  }
  getAll(name: unknown): string[] {
    return this.#list.filter(([key]) => key === String(name)).map(([, value]) => value)
  }
  has(name: unknown, value?: unknown): boolean {
    return this.#list.some(([key, own]) => key === String(name) && (value === undefined || own === String(value)))
  }
  set(name: unknown, value: unknown): void {
    const first = this.#list.find(([key]) => key === String(name))
    if (first) {
      first[1] = String(value)
      this.#list = this.#list.filter((item) => item === first || item[0] !== String(name))
    } else this.#list.push([String(name), String(value)])
    this.#changed()
  }
  sort(): void {
    this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    this.#changed()
  }
  forEach(visit: (value: string, name: string, params: URLSearchParams) => void, self?: unknown): void {
    for (const [name, value] of this.#list) visit.call(self, value, name, this)
  }
  keys(): IterableIterator<string> {
    return this.#list.map(([name]) => name).values()
  }
  values(): IterableIterator<string> {
    return this.#list.map(([, value]) => value).values()
  }
  entries(): IterableIterator<Pair> {
    return this.#list.map(([name, value]): Pair => [name, value]).values()
  }
  [Symbol.iterator](): IterableIterator<Pair> {
    return this.entries()
  }
  toString(): string {
    return sync('params.format', this.#list)
  }
}

const PARTS = [
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
  'href',
  'origin',
] as const
type Part = (typeof PARTS)[number]

let partOf: (url: URL, name: Part) => string
let change: (url: URL, name: Part, value: unknown) => void

export class URL {
  #parts: Record<Part, string>
  #params: URLSearchParams | undefined
  constructor(url: unknown, base?: unknown) {
    this.#parts = sync('url.parse', String(url), base === undefined ? null : String(base))
  }
  static {
    partOf = (url, name) => url.#parts[name]
    change = (url, name, value) => {
      url.#parts = sync('url.set', url.#parts.href, name, String(value))
      if (name !== 'hash') url.#params = undefined
    }
  }
  static canParse(url: unknown, base?: unknown): boolean {
    try {
      new URL(url, base)
      return true
    } catch {
      return false
    }
  }
  get searchParams(): URLSearchParams {
    if (!this.#params) {
      this.#params = new URLSearchParams(this.#parts.search)
      owners.set(this.#params, (search) => {
        this.#parts = sync('url.set', this.#parts.href, 'search', search)
      })
    }
    return this.#params
  }
  toString(): string {
    return this.#parts.href
  }
  toJSON(): string {
    return this.#parts.href
  }
}

for (const name of PARTS)
  Object.defineProperty(URL.prototype, name, {
    configurable: true,
    enumerable: true,
    get(this: URL) {
      return partOf(this, name)
    },
    ...(name !== 'origin' && {
      set(this: URL, value: unknown) {
        change(this, name, value)
      },
    }),
  })

export const querystring = {
  parse: (text: unknown): Record<string, string | string[]> => {
    const found: Record<string, string | string[]> = {}
    for (const [name, value] of new URLSearchParams(text))
      found[name] = Object.hasOwn(found, name) ? [found[name] ?? [], value].flat() : value
    return found
  },
  stringify: (values: object): string =>
    Object.entries(values)
      .flatMap(([name, value]) => [value].flat().map((one) => [name, one ?? '']))
      .map((pair) => pair.map(encodeURIComponent).join('='))
      .join('&'),
}

export const url = {
  URL,
  URLSearchParams,
  parse: (text: unknown, withQuery = false): object => {
    const parts = sync<{ query: string | null }>('url.legacy', String(text))
    return { ...parts, query: withQuery ? querystring.parse(parts.query ?? '') : parts.query }
  },
  format: (value: unknown): string => (value instanceof URL ? value.toString() : sync('url.format', value)),
  resolve: (from: unknown, to: unknown): string => new URL(to, from).toString(),
}
