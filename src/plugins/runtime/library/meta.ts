/** `meta`, the argument of all functions of a plugin. */
import { Buffer } from './buffer.ts'
import { ask, parse, stringify, sync } from './host.ts'
import { plugin } from './plugin.ts'
import { watchAll } from './promises.ts'
import { deepFreeze, requireNumber } from './values.ts'

const MAX_KEY_LENGTH = 200
const MAX_PUSHED = 1_000
const MAX_METRICS = 100
const MAX_METRIC_VALUE = 1e15

function requireKey(key: unknown): string {
  const text = typeof key === 'number' ? String(key) : key
  if (typeof text !== 'string' || text === '' || text.length > MAX_KEY_LENGTH)
    throw new TypeError(`A key must be a number or a text of 1 to ${MAX_KEY_LENGTH} characters.`)
  return text
}

const storage = watchAll({
  get: async (key: unknown, fallback: unknown) => {
    const text = await ask<string | null>('storage.get', [requireKey(key)])
    return text === null ? fallback : parse(text)
  },
  set: async (key: unknown, value: unknown) => {
    const text = stringify(value)
    await ask('storage.set', [requireKey(key), text === undefined ? null : text])
  },
  del: async (key: unknown) => {
    await ask('storage.set', [requireKey(key), null])
  },
})

const cached = <Result = unknown>(operation: string, key: unknown, ...args: unknown[]): Promise<Result> =>
  ask('cache', [operation, requireKey(key), ...args])

interface CacheOptions {
  jsonSerialize?: boolean
}

const cache = watchAll({
  set: async (key: unknown, value: unknown, seconds?: unknown, { jsonSerialize = true }: CacheOptions = {}) => {
    const text = jsonSerialize ? (stringify(value) ?? 'null') : String(value)
    await cached('set', key, text, seconds === undefined ? null : requireNumber(seconds, 'ttlSeconds'))
  },
  get: async (key: unknown, fallback: unknown = null, { jsonSerialize = true }: CacheOptions = {}) => {
    const text = await cached<string | null>('get', key)
    if (text === null) return fallback
    if (!jsonSerialize) return text
    try {
      return parse(text)
    } catch {
      return fallback
    }
  },
  incr: async (key: unknown) => cached('incr', key),
  expire: async (key: unknown, seconds: unknown) => cached('expire', key, requireNumber(seconds, 'ttlSeconds')),
  lpush: async (key: unknown, items: unknown) => {
    if (typeof items !== 'string' && !Array.isArray(items)) throw new TypeError('lpush takes a text or a list.')
    if (items.length > MAX_PUSHED && Array.isArray(items))
      throw new TypeError(`lpush takes at most ${MAX_PUSHED} items.`)
    return cached('lpush', key, [items].flat().map(String))
  },
  lrange: async (key: unknown, from: unknown, to: unknown) =>
    cached('lrange', key, requireNumber(from, 'start'), requireNumber(to, 'end')),
  llen: async (key: unknown) => cached('llen', key),
  lpop: async (key: unknown, count: unknown = 1) => cached('lpop', key, requireNumber(count, 'count')),
  lrem: async (key: unknown, count: unknown, item: unknown) =>
    cached('lrem', key, requireNumber(count, 'count'), String(item)),
})

const cursor = watchAll({
  init: async (key: unknown, start: unknown = 0) => {
    await ask('cursor.init', [requireKey(key), requireNumber(start, 'The start')])
  },
  increment: async (key: unknown, by: unknown = 1) =>
    ask('cursor.increment', [requireKey(key), requireNumber(by, 'The step')]),
})

const SECOND = 1_000
const DAY = 86_400 * SECOND
const UNITS: Record<string, number> = {
  milliseconds: 1,
  seconds: SECOND,
  minutes: 60 * SECOND,
  hours: 3_600 * SECOND,
  days: DAY,
  weeks: 7 * DAY,
  months: 30 * DAY,
  quarters: 91 * DAY,
  years: 365 * DAY,
}

function requireJob(name: string | symbol): string {
  if (!Object.hasOwn(plugin.jobs, name)) throw new Error(`The plugin has no job "${String(name)}".`)
  return String(name)
}

const scheduled = (name: string, payload: unknown, delay_ms: number): Promise<unknown> =>
  ask('job', [name, payload ?? null, Math.max(0, delay_ms)])

const jobs = new Proxy(
  {},
  {
    get: (_, name) => (payload: unknown) =>
      watchAll({
        runNow: async () => scheduled(requireJob(name), payload, 0),
        runIn: async (amount: unknown, unit: unknown) => {
          const size = UNITS[String(unit)] ?? UNITS[`${unit}s`]
          if (size === undefined) throw new Error(`Unknown time unit: ${unit}`)
          return scheduled(requireJob(name), payload, requireNumber(amount, 'The duration') * size)
        },
        runAt: async (date: unknown) =>
          scheduled(requireJob(name), payload, requireNumber(Number(date), 'The time') - Date.now()),
      }),
  },
)

export interface Meta {
  config: Record<string, unknown>
  attachments: Record<string, { content_type: string; file_name: string; contents: Buffer | null }>
  metrics: Record<string, Record<string, (value: unknown) => void>>
  [name: string]: unknown
}

export const meta: Meta = {
  config: {},
  attachments: {},
  global: {},
  storage,
  cache,
  geoip: watchAll({ locate: async (address: unknown) => ask('geoip', [String(address)]) }),
  jobs,
  metrics: {},
  utils: { cursor },
}

interface Attachment {
  key: string
  content_type: string
  file_name: string
  base64: string | null
}

export function setSettings(config: Record<string, unknown>, attachments: Attachment[]): void {
  meta.config = deepFreeze(config)
  meta.attachments = Object.fromEntries(
    attachments.map(({ key, content_type, file_name, base64 }) => [
      key,
      { content_type, file_name, contents: base64 === null ? null : Buffer.from(base64, 'base64') },
    ]),
  )
}

/** The function of `meta.metrics` by kind. */
const METRIC_FUNCTIONS = new Map([
  ['sum', 'increment'],
  ['max', 'max'],
  ['min', 'min'],
])

/** `word`: the kind as the plugin writes it. */
export function addMetric(name: string, word: unknown): void {
  const kind = String(word).toLowerCase()
  const work = METRIC_FUNCTIONS.get(kind)
  if (!work) throw new TypeError(`The metric "${name}" must be "sum", "max" or "min".`)
  if (name.length > MAX_KEY_LENGTH || Object.keys(meta.metrics).length >= MAX_METRICS)
    throw new RangeError(`A plugin has at most ${MAX_METRICS} metrics with names of ${MAX_KEY_LENGTH} characters.`)
  meta.metrics[name] = {
    [work]: (value) => {
      if (Math.abs(requireNumber(value, 'The value of a metric')) > MAX_METRIC_VALUE)
        throw new RangeError(`The value of a metric is at most ${MAX_METRIC_VALUE}.`)
      sync('metric', name, kind, value)
    },
  }
}
