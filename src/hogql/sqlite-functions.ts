/** What SQLite lacks, as functions on the connection. Each is a pure function of its arguments; NULL in, NULL out. */
import type { Database } from 'better-sqlite3'
import { RE2JS } from 're2js'
import { addMonths, formatDatetime, inRange, parseDatetime } from './datetime.ts'
import { folded } from './like.ts'
import { MAX_CACHED_PATTERNS, MAX_INTEGER } from './limits.ts'
import { compareTexts, floatText, roundHalfUp } from './numbers.ts'
import { DOMAIN, PATH } from './text-functions.ts'
import { DECIMAL, WHOLE } from './value-functions.ts'

type Cell = string | number | null

export function registerFunctions(handle: Database): void {
  for (const [name, fn] of Object.entries(FUNCTIONS as Record<string, (...args: never[]) => Cell>)) {
    const strict = (...args: Cell[]): Cell => (args.includes(null) ? null : fn(...(args as never[])))
    handle.function(`hogql_${name}`, { deterministic: true }, withArity(strict, fn.length))
  }
  for (const [name, fn] of Object.entries(NULLABLE)) handle.function(`hogql_${name}`, { deterministic: true }, fn)
  for (const [name, sign] of [
    ['hogql_arg_max', 1],
    ['hogql_arg_min', -1],
  ] as const)
    handle.aggregate(name, {
      start: null,
      step: (best: Best | null, value: Cell, key: string | number, seq: number): Best | null => {
        const order = best ? compare(key, best.key) * sign : 1
        return order > 0 || (order === 0 && seq < best!.seq) ? { value, key, seq } : best
      },
      result: (best: Best | null) => best?.value ?? null,
      deterministic: true,
    } as never)
}

interface Best {
  value: Cell
  key: string | number
  seq: number
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : Number(a) - Number(b)

/** better-sqlite3 registers a function under the number of arguments it declares. */
function withArity(fn: (...args: Cell[]) => Cell, count: number): (...args: Cell[]) => Cell {
  Object.defineProperty(fn, 'length', { value: count })
  return fn
}

/** The most recently used patterns, compiled. */
const patterns = new Map<string, RE2JS>()
function compiled(pattern: string): RE2JS {
  let regex = patterns.get(pattern)
  if (regex) return regex
  regex = RE2JS.compile(pattern)
  if (patterns.size >= MAX_CACHED_PATTERNS) patterns.delete(patterns.keys().next().value!)
  patterns.set(pattern, regex)
  return regex
}

/** The value of a parameter of an address: between `?name=`, `&name=` or `#name=` and the next `&` or `#`. */
function parameter(text: string, name: string): string {
  const wanted = `${name}=`
  for (let at = text.indexOf(wanted, 1); at > 0; at = text.indexOf(wanted, at + 1)) {
    if (!'?&#'.includes(text[at - 1]!)) continue
    const value = text.slice(at + wanted.length)
    return value.slice(0, /[&#]/.exec(value)?.index)
  }
  return ''
}

function replace(text: string, pattern: string, replacement: string, all: number): string {
  const parts = JSON.parse(replacement) as (string | number)[]
  const matcher = compiled(pattern).matcher(text)
  let out = ''
  let from = 0
  while (matcher.find()) {
    out += text.slice(from, matcher.start())
    for (const part of parts) out += typeof part === 'string' ? part : (matcher.group(part) ?? '')
    from = matcher.end()
    if (!all) break
  }
  return out + text.slice(from)
}

function found(json: string, path: string): unknown {
  let value: unknown = JSON.parse(json)
  for (const key of JSON.parse(path) as (string | number)[]) {
    if (typeof value !== 'object' || value === null) return undefined
    if (Array.isArray(value) !== (typeof key === 'number')) return undefined
    if (typeof key === 'number') value = (value as unknown[]).at(key > 0 ? key - 1 : key)
    else value = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
  }
  return value
}

const listed = (array: string): Cell[] =>
  (JSON.parse(array) as (Cell | boolean)[]).map((item) => (typeof item === 'boolean' ? Number(item) : item))

function substring(text: string, offset: number, count: number): string {
  if (offset === 0 || count <= 0) return ''
  const chars = [...text]
  const start = offset > 0 ? offset - 1 : chars.length + offset
  return chars.slice(Math.max(start, 0), Math.max(start + count, 0)).join('')
}

const exact = (value: number): number | null =>
  Number.isInteger(value) && Math.abs(value) < MAX_INTEGER ? value : null
const domain = new RegExp(DOMAIN, 'u')
const path = new RegExp(PATH, 'u')
const whole = new RegExp(WHOLE)
const decimal = new RegExp(DECIMAL)
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const FUNCTIONS = {
  json_text: (json: string, path: string): Cell => {
    const value = found(json, path)
    if (value === null || value === undefined) return null
    return typeof value === 'string' ? value : JSON.stringify(value)
  },
  json_raw: (json: string, path: string): Cell => {
    const value = found(json, path)
    return value === undefined ? null : JSON.stringify(value)
  },
  json_length: (json: string): Cell => {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
  },
  raw_items: (json: string): Cell =>
    JSON.stringify((JSON.parse(json) as unknown[]).map((item) => JSON.stringify(item))),

  lower: (text: string): Cell => text.toLowerCase(),
  upper: (text: string): Cell => text.toUpperCase(),
  fold: (text: string): Cell => folded(text),
  reverse: (text: string): Cell => [...text].reverse().join(''),
  substring,
  left: (text: string, count: number): Cell => [...text].slice(0, count).join(''),
  right: (text: string, count: number): Cell => {
    const chars = [...text]
    return chars.slice(count >= 0 ? Math.max(chars.length - count, 0) : -count).join('')
  },
  replace_one: (text: string, from: string, to: string): Cell => {
    const at = from === '' ? -1 : text.indexOf(from)
    return at < 0 ? text : text.slice(0, at) + to + text.slice(at + from.length)
  },
  replace_all: (text: string, from: string, to: string): Cell => (from === '' ? text : text.split(from).join(to)),
  match: (text: string, pattern: string): Cell => (compiled(pattern).test(text) ? 1 : 0),
  extract: (text: string, pattern: string): Cell => {
    const regex = compiled(pattern)
    const matcher = regex.matcher(text)
    return matcher.find() ? (matcher.group(regex.groupCount() ? 1 : 0) ?? '') : ''
  },
  replace: (text: string, pattern: string, replacement: string, all: number): Cell =>
    replace(text, pattern, replacement, all),
  domain: (text: string): Cell => domain.exec(text)?.[1] ?? '',
  path: (text: string): Cell => path.exec(text)?.[1] ?? '',
  parameter,

  integer: (text: string): Cell => (whole.test(text) ? exact(Number(text)) : null),
  whole: (value: number): Cell => exact(value),
  float: (text: string): Cell => (decimal.test(text) ? Number(text) : null),
  float_text: (value: number): Cell => floatText(value),
  digits: (value: number): Cell => Number(value.toPrecision(15)),
  round: (value: number, places: number): Cell => roundHalfUp(value, places),
  uuid: (text: string): Cell => (uuid.test(text) ? text.toLowerCase() : null),

  datetime: (text: string): Cell => parseDatetime(text),
  seconds: (value: number): Cell => inRange(Math.round(value * 1_000_000)),
  add_months: (time: number, months: number): Cell => addMonths(time, months),
  format: (time: number, format: string): Cell => formatDatetime(time, format),

  element: (array: string, index: number): Cell =>
    index === 0 ? null : (listed(array).at(index > 0 ? index - 1 : index) ?? null),
  join: (array: string, separator: string): Cell =>
    listed(array)
      .filter((item) => item !== null)
      .join(separator),
  sorted: (array: string): Cell =>
    JSON.stringify(
      (JSON.parse(array) as (string | number | boolean)[]).sort((a, b) =>
        typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : Number(a) - Number(b),
      ),
    ),
} satisfies Record<string, (...args: never[]) => Cell>

/** NULL is an element like another, and a text that is not there has no pieces. */
const NULLABLE = {
  index_of: (array: string, value: Cell): Cell => listed(array).indexOf(value) + 1,
  has: (array: string, value: Cell): Cell => (listed(array).includes(value) ? 1 : 0),
  split: (text: string | null, separator: string): Cell =>
    text === null ? '[]' : JSON.stringify(separator === '' ? [...text] : text.split(separator)),
}
