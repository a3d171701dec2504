import { AbortError, type AbortSignal } from './abort.ts'
import { Buffer, bytesOf } from './buffer.ts'
import { ask, parse } from './host.ts'
import { watched } from './promises.ts'
import { URLSearchParams } from './url.ts'

export class Headers {
  #values = new Map<string, string>()
  constructor(init?: unknown) {
    if (init instanceof Headers || Array.isArray(init)) for (const [name, value] of init) this.append(name, value)
    else if (init)
      for (const [name, value] of Object.entries(init)) this.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  append(name: unknown, value: unknown): void {
    this.set(name, this.has(name) ? `${this.get(name)}, ${value}` : value)
  }
  delete(name: unknown): void {
    this.#values.delete(String(name).toLowerCase())
  }
  get(name: unknown): string | null {
    return this.#values.get(String(name).toLowerCase()) ?? null
  }
  has(name: unknown): boolean {
    return this.#values.has(String(name).toLowerCase())
  }
  set(name: unknown, value: unknown): void {
    this.#values.set(String(name).toLowerCase(), String(value))
  }
  raw(): Record<string, string[]> {
    return Object.fromEntries([...this.#values].map(([name, value]) => [name, [value]]))
  }
  forEach(visit: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    for (const [name, value] of this.#values) visit.call(self, value, name, this)
  }
  keys(): IterableIterator<string> {
    return this.#values.keys()
  }
  values(): IterableIterator<string> {
    return this.#values.values()
  }
  entries(): IterableIterator<[string, string]> {
    return this.#values.entries()
  }
  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries()
  }
}

interface ResponseInit {
  status?: number
  statusText?: string
  headers?: unknown
  url?: string
  redirected?: boolean
}

export class Response {
  #bytes: Buffer
  bodyUsed = false
  status: number
  statusText: string
  headers: Headers
  url: string
  redirected: boolean
  ok: boolean
  constructor(
    body?: unknown,
    { status = 200, statusText = '', headers, url = '', redirected = false }: ResponseInit = {},
  ) {
    this.#bytes = bytesOf(body) ?? new Buffer(0)
    this.status = status
    this.statusText = statusText
    this.headers = new Headers(headers)
    this.url = url
    this.redirected = redirected
    this.ok = status >= 200 && status < 300
  }
  #take(): Buffer {
    if (this.bodyUsed) throw new TypeError(`body used already for: ${this.url}`)
    this.bodyUsed = true
    return this.#bytes
  }
  async text(): Promise<string> {
    return this.#take().toString()
  }
  async json(): Promise<unknown> {
    return parse(this.#take().toString())
  }
  async buffer(): Promise<Buffer> {
    return this.#take()
  }
  async arrayBuffer(): Promise<ArrayBuffer> {
    return contentOf(this.#take())
  }
  clone(): Response {
    if (this.bodyUsed) throw new TypeError('cannot clone body after it is used')
    return new Response(this.#bytes, this)
  }
}

interface RequestInit {
  method?: unknown
  headers?: unknown
  body?: unknown
}

export class Request {
  url: string
  method: unknown
  headers: Headers
  body: unknown
  constructor(input: unknown, init: RequestInit = {}) {
    const from = (input ?? {}) as RequestInit & { url?: unknown }
    this.url = String(from.url ?? input)
    this.method = init.method ?? from.method ?? 'GET'
    this.headers = new Headers(init.headers ?? from.headers)
    this.body = init.body ?? from.body
  }
}

interface FetchInit extends RequestInit {
  signal?: AbortSignal
  redirect?: unknown
  timeout?: unknown
}

export const fetch = watched(async (input: unknown, init: FetchInit = {}): Promise<Response> => {
  const from = input instanceof Request ? input : undefined
  const { method = from?.method ?? 'GET', body = from?.body, signal, redirect = 'follow', timeout } = init
  const headers = new Headers(init.headers ?? from?.headers)
  if (body != null && !headers.has('content-type')) {
    if (body instanceof URLSearchParams) headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
    else if (typeof body === 'string') headers.set('content-type', 'text/plain;charset=UTF-8')
  }
  signal?.throwIfAborted?.()
  const bytes = bytesOf(body)
  const request = {
    url: String(from?.url ?? input),
    method: String(method).toUpperCase(),
    headers: [...headers],
    redirect,
    ...(typeof timeout === 'number' && timeout > 0 && { timeout }),
  }
  const sent = ask<ResponseInit & { body?: ArrayBuffer }>('fetch', [request], bytes && contentOf(bytes))
  const aborted = new Promise<never>((_, reject) => signal?.addEventListener?.('abort', () => reject(signal.reason)))
  const { body: received, ...response } = await (signal ? Promise.race([sent, aborted]) : sent)
  return new Response(received, response)
})

const contentOf = ({ buffer, byteOffset, length }: Buffer): ArrayBuffer => buffer.slice(byteOffset, byteOffset + length)

/** The module `node-fetch`. */
export const nodeFetch = (...args: Parameters<typeof fetch>): Promise<Response> => fetch(...args)
Object.assign(nodeFetch, { fetch: nodeFetch, Headers, Request, Response, AbortError })
