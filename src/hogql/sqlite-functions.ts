/** User-defined functions for SQLite connections. They are pure and return NULL if an argument is NULL. */

import type { Database } from 'better-sqlite3'
import { RE2JS } from 're2js'
import { isJsonObject } from '../json/object.ts'
import { storedJson } from '../json/stored.ts'
import { MAX_NUMBER_LENGTH, NUMBER_PATTERN } from './convert.ts'
import { addMonths, formatDatetime, inRange, parseDatetime } from './datetime.ts'
import { addTo, averageOf, type ExactSum, emptySum, sumOf } from './exact-sum.ts'
import { foldCase } from './like.ts'
import { MAX_CACHED_PATTERNS, MAX_INTEGER } from './limits.ts'
import { compareCodePoints, formatFloat, roundHalfUp } from './numbers.ts'
import { DOMAIN, PATH } from './text-functions.ts'
import { INTEGER_PATTERN } from './value-functions.ts'

type Cell = string | number | null

export function registerFunctions(handle: Database): void {
  for (const [name, fn] of Object.entries(FUNCTIONS)) handle.function(`hogql_${name}`, { deterministic: true }, fn)
  registerArgExtreme(handle, 'hogql_arg_max', 1)
  registerArgExtreme(handle, 'hogql_arg_min', -1)
  registerSum(handle, 'hogql_sum', sumOf)
  registerSum(handle, 'hogql_avg', averageOf)
}

function registerSum(handle: Database, name: string, result: (sum: ExactSum) => number | null): void {
  handle.aggregate<ExactSum>(name, {
    start: emptySum,
    step: (sum, value: unknown) => {
      if (typeof value === 'number') addTo(sum, value)
    },
    result,
    deterministic: true,
  })
}

interface Best {
  value: unknown
  key: string | number
  seq: number
}

/** The arguments are (value, key, seq). Ties go to the lowest seq. */
function registerArgExtreme(handle: Database, name: string, sign: 1 | -1): void {
  handle.aggregate<Best | null>(name, {
    start: null,
    step: (best, value: unknown, key?: string | number, seq?: number) => {
      if (key === undefined || seq === undefined) return best
      const order = best ? compare(key, best.key) * sign : 1
      return !best || order > 0 || (order === 0 && seq < best.seq) ? { value, key, seq } : best
    },
    result: (best) => best?.value ?? null,
    deterministic: true,
  })
}

const compare = (a: string | number | boolean, b: string | number | boolean): number =>
  typeof a === 'string' && typeof b === 'string' ? compareCodePoints(a, b) : Number(a) - Number(b)

/** Returns NULL if an argument is NULL. better-sqlite3 registers a function with the arity of its `length`. */
function strict<Params extends Cell[]>(fn: (...args: Params) => Cell): (...args: Params) => Cell {
  const wrapped = (...args: Params): Cell => (args.includes(null) ? null : fn(...args))
  return Object.defineProperty(wrapped, 'length', { value: fn.length })
}

/** Compiled patterns. The oldest one is evicted first. */
const patterns = new Map<string, RE2JS>()
function compiled(pattern: string): RE2JS {
  let regex = patterns.get(pattern)
  if (regex) return regex
  regex = RE2JS.compile(pattern)
  const [oldest] = patterns.keys()
  if (patterns.size >= MAX_CACHED_PATTERNS && oldest !== undefined) patterns.delete(oldest)
  patterns.set(pattern, regex)
  return regex
}

/** The value of a URL parameter: from `?name=`, `&name=` or `#name=` to the next `&` or `#`. */
function parameter(text: string, name: string): string {
  const key = `${name}=`
  for (let at = text.indexOf(key, 1); at > 0; at = text.indexOf(key, at + 1)) {
    if (!'?&#'.includes(text.charAt(at - 1))) continue
    const value = text.slice(at + key.length)
    return value.slice(0, /[&#]/.exec(value)?.index)
  }
  return ''
}

function replace(text: string, pattern: string, replacement: string, all: number): string {
  const parts = storedJson<(string | number)[]>(replacement)
  const matcher = compiled(pattern).matcher(text)
  let output = ''
  let from = 0
  while (matcher.find()) {
    output += text.slice(from, matcher.start())
    for (const part of parts) output += typeof part === 'string' ? part : (matcher.group(part) ?? '')
    from = matcher.end()
    if (!all) break
  }
  return output + text.slice(from)
}

function valueAt(json: string, path: string): unknown {
  let value: unknown = JSON.parse(json)
  const keys = storedJson<(string | number)[]>(path)
  for (const key of keys) {
    if (typeof key === 'number') value = Array.isArray(value) ? value.at(key > 0 ? key - 1 : key) : undefined
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  return value
}

function parseArray(array: string): Cell[] {
  const items = storedJson<(Cell | boolean)[]>(array)
  return items.map((item) => (typeof item === 'boolean' ? Number(item) : item))
}

function substring(text: string, offset: number, count: number): string {
  if (offset === 0 || count <= 0) return ''
  const chars = [...text]
  const start = offset > 0 ? offset - 1 : chars.length + offset
  return chars.slice(Math.max(start, 0), Math.max(start + count, 0)).join('')
}

const safeInteger = (value: number): number | null =>
  Number.isInteger(value) && Math.abs(value) < MAX_INTEGER ? value : null
const domain = new RegExp(DOMAIN, 'u')
const path = new RegExp(PATH, 'u')
const whole = new RegExp(INTEGER_PATTERN)
const decimal = new RegExp(NUMBER_PATTERN)
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const FUNCTIONS = {
  json_text: strict((json: string, path: string) => {
    const value = valueAt(json, path)
    if (value === null || value === undefined) return null
    return typeof value === 'string' ? value : JSON.stringify(value)
  }),
  json_raw: strict((json: string, path: string) => {
    const value = valueAt(json, path)
    return value === undefined ? null : JSON.stringify(value)
  }),
  json_length: strict((json: string) => {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
  }),
  raw_items: strict((json: string) => {
    const items = storedJson<unknown[]>(json)
    return JSON.stringify(items.map((item) => JSON.stringify(item)))
  }),

  lower: strict((text: string) => text.toLowerCase()),
  upper: strict((text: string) => text.toUpperCase()),
  fold: strict(foldCase),
  reverse: strict((text: string) => [...text].reverse().join('')),
  substring: strict(substring),
  left: strict((text: string, count: number) => [...text].slice(0, count).join('')),
  right: strict((text: string, count: number) => {
    const chars = [...text]
    return chars.slice(count >= 0 ? Math.max(chars.length - count, 0) : -count).join('')
  }),
  replace_one: strict((text: string, from: string, to: string) => {
    const at = from === '' ? -1 : text.indexOf(from)
    return at < 0 ? text : text.slice(0, at) + to + text.slice(at + from.length)
  }),
  replace_all: strict((text: string, from: string, to: string) => (from === '' ? text : text.split(from).join(to))),
  match: strict((text: string, pattern: string) => (compiled(pattern).test(text) ? 1 : 0)),
  extract: strict((text: string, pattern: string) => {
    const regex = compiled(pattern)
    const matcher = regex.matcher(text)
    return matcher.find() ? (matcher.group(regex.groupCount() ? 1 : 0) ?? '') : ''
  }),
  replace: strict(replace),
  domain: strict((text: string) => domain.exec(text)?.[1] ?? ''),
  path: strict((text: string) => path.exec(text)?.[1] ?? ''),
  parameter: strict(parameter),

  integer: strict((text: string) => (whole.test(text) ? safeInteger(Number(text)) : null)),
  whole: strict(safeInteger),
  float: strict((text: string) => (text.length <= MAX_NUMBER_LENGTH && decimal.test(text) ? Number(text) : null)),
  float_text: strict(formatFloat),
  digits: strict((value: number) => Number(value.toPrecision(15))),
  round: strict(roundHalfUp),
  uuid: strict((text: string) => (uuid.test(text) ? text.toLowerCase() : null)),

  datetime: strict(parseDatetime),
  seconds: strict((value: number) => inRange(Math.round(value * 1_000_000))),
  add_months: strict(addMonths),
  format: strict(formatDatetime),

  element: strict((array: string, index: number) =>
    index === 0 ? null : (parseArray(array).at(index > 0 ? index - 1 : index) ?? null),
  ),
  join: strict((array: string, separator: string) =>
    parseArray(array)
      .filter((item) => item !== null)
      .join(separator),
  ),
  sorted: strict((array: string) => {
    const items = storedJson<(string | number | boolean)[]>(array)
    return JSON.stringify(items.sort(compare))
  }),

  // An array may contain NULL, so these search for it.
  index_of: (array: string, value: Cell): Cell => parseArray(array).indexOf(value) + 1,
  has: (array: string, value: Cell): Cell => (parseArray(array).includes(value) ? 1 : 0),
  // Arrays are never NULL: splitting NULL returns an empty array.
  split: (text: string | null, separator: string): Cell =>
    text === null ? '[]' : JSON.stringify(separator === '' ? [...text] : text.split(separator)),
}
