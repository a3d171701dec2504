/** Answers the calls that plugin code makes outside of the sandbox, and bounds their number. */
import { AppError } from '../../errors.ts'
import type { ApiRequest } from './api.ts'
import { FetchError, type FetchRequest, type FetchResponse } from './fetch.ts'
import type { SandboxReply } from './messages.ts'

/** The functions that plugins can call outside of the sandbox. The plugin sees the name and message of their errors. */
export interface PluginHost {
  /** Ends the call when it is aborted: another node has claimed the work. */
  signal?: AbortSignal
  fetch(request: FetchRequest, body: Uint8Array | undefined, signal: AbortSignal): Promise<FetchResponse>
  /** JSON; null when there is no value. */
  storageGet(key: string): Promise<string | null>
  /** Null deletes the value. */
  storageSet(key: string, value: string | null): Promise<void>
  cursorInit(key: string, start: number): Promise<void>
  cursorIncrement(key: string, by: number): Promise<number>
  cache(operation: string, key: string, args: readonly unknown[]): Promise<unknown>
  /** The location of an IP address; null if it is unknown. */
  locate(address: string): Promise<unknown>
  job(name: string, payload: unknown, delay_ms: number): Promise<void>
  capture(event: string, properties: Record<string, unknown>): Promise<void>
  api(request: ApiRequest, signal: AbortSignal): Promise<FetchResponse>
}

/** How many calls of the host one request may make, and how many more for each event. */
const ALLOWANCES = {
  fetch: { base: 100, each: 10, name: 'requests' },
  'storage.get': { base: 1_000, each: 100, name: 'reads of the storage' },
  'storage.set': { base: 1_000, each: 20, name: 'writes to the storage' },
  'cursor.init': { base: 100, each: 10, name: 'cursors' },
  'cursor.increment': { base: 1_000, each: 20, name: 'steps of cursors' },
  cache: { base: 10_000, each: 100, name: 'calls of the cache' },
  geoip: { base: 1_000, each: 20, name: 'lookups of addresses' },
  job: { base: 100, each: 5, name: 'jobs' },
  capture: { base: 100, each: 5, name: 'captured events' },
  api: { base: 100, each: 1, name: 'calls of posthog.api' },
}
type Operation = keyof typeof ALLOWANCES
const isOperation = (name: string): name is Operation => Object.hasOwn(ALLOWANCES, name)
/** Requests to other servers and to the API. */
const MAX_CONCURRENT_FETCHES = 20

interface Answer {
  succeeded: boolean
  text: string
  body?: Uint8Array
}

/** Answers the calls of one request. */
export function createAnswers(host: PluginHost, events: number) {
  const used = new Map<Operation, number>()
  const abort = new AbortController()
  const queue: (() => void)[] = []
  let fetches = 0

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (fetches >= MAX_CONCURRENT_FETCHES) await new Promise<void>((start) => queue.push(start))
    else fetches++
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else fetches--
    }
  }

  const operations: Record<Operation, (args: unknown[], body?: Uint8Array) => Promise<unknown>> = {
    fetch: ([request], body) => inTurn(() => host.fetch(fetchRequestOf(request), body, abort.signal)),
    'storage.get': ([key]) => host.storageGet(textOf(key)),
    'storage.set': ([key, value]) => host.storageSet(textOf(key), value === null ? null : textOf(value)),
    'cursor.init': ([key, start]) => host.cursorInit(textOf(key), numberOf(start)),
    'cursor.increment': ([key, by]) => host.cursorIncrement(textOf(key), numberOf(by)),
    cache: ([operation, key, ...args]) => host.cache(textOf(operation), textOf(key), args),
    geoip: ([address]) => host.locate(textOf(address)),
    job: ([name, payload, delay_ms]) => host.job(textOf(name), payload, numberOf(delay_ms)),
    capture: ([captured]) => {
      const { event, properties } = recordOf(captured)
      return host.capture(textOf(event), recordOf(properties ?? {}))
    },
    api: ([method, path, body]) =>
      inTurn(() => {
        const request = { method: textOf(method), path: textOf(path), ...(body !== null && { body: textOf(body) }) }
        return host.api(request, abort.signal)
      }),
  }

  return {
    answer: async ({ operation, args, body }: Extract<SandboxReply, { kind: 'ask' }>): Promise<Answer> => {
      try {
        if (!isOperation(operation)) throw new TypeError('The plugin asked for something unknown.')
        const { base, each, name } = ALLOWANCES[operation]
        const limit = base + each * events
        const count = (used.get(operation) ?? 0) + 1
        used.set(operation, count)
        if (count > limit) throw new RangeError(`A call is limited to ${limit} ${name}.`)
        const list: unknown = JSON.parse(args)
        const value = await operations[operation](Array.isArray(list) ? list : [], body)
        if (operation !== 'fetch' && operation !== 'api')
          return { succeeded: true, text: JSON.stringify(value ?? null) }
        const { body: received, ...response } = value as FetchResponse
        return { succeeded: true, text: JSON.stringify(response), body: received }
      } catch (error) {
        const { name, message } = isForPlugins(error) ? error : new Error('The call failed. Try again later.')
        return { succeeded: false, text: JSON.stringify([name, message]) }
      }
    },
    /** Cancels the requests that nobody waits for any more. */
    end: (): void => abort.abort(),
  }
}

/** Other errors, such as those of the database, are not for plugins. */
const isForPlugins = (error: unknown): error is Error =>
  error instanceof FetchError || error instanceof AppError || error instanceof TypeError || error instanceof RangeError

const textOf = (value: unknown): string => {
  if (typeof value !== 'string') throw new TypeError('The argument must be a text.')
  return value
}
const numberOf = (value: unknown): number => {
  if (typeof value !== 'number') throw new TypeError('The argument must be a number.')
  return value
}
const recordOf = (value: unknown): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) throw new TypeError('The argument must be an object.')
  return { ...value }
}

function fetchRequestOf(value: unknown): FetchRequest {
  const { url, method, headers, redirect, timeout } = recordOf(value)
  const pairs = Array.isArray(headers) ? headers : []
  return {
    url: textOf(url),
    method: textOf(method),
    headers: pairs.map((pair): [string, string] => [textOf(pair?.[0]), textOf(pair?.[1])]),
    redirect: textOf(redirect),
    ...(typeof timeout === 'number' && { timeout }),
  }
}
