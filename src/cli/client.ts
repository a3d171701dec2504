/** Sends requests to a server and maps failures to exit codes. */

import { setTimeout as sleep } from 'node:timers/promises'
import { parseJson } from '../json/parse.ts'
import type { Connection } from './connection.ts'
import { commandError, EXIT } from './failure.ts'

export type Body = Record<string, unknown>

export const isBody = (value: unknown): value is Body => typeof value === 'object' && value !== null

type Server = Pick<Connection, 'url' | 'key'> & {
  /** Aborts the requests. */
  signal?: AbortSignal
}

export interface Outgoing {
  method: string
  /** The path with its query. It starts with a slash. */
  path: string
  body?: unknown
  /** JSON that is gzipped already, in place of a body. */
  packed?: Buffer
}

interface RequestOptions {
  /** Wait when the server throttles. */
  patient?: boolean
  /** Also wait when it fails or cannot be reached. Only for requests that may be repeated. */
  persistent?: boolean
}

const MAX_RETRIES = 10
const MAX_RETRY_SECONDS = 60

/** Resolves only with a 2xx response; throws an error with the matching exit code otherwise. */
export async function request(server: Server, outgoing: Outgoing, options: RequestOptions = {}): Promise<Response> {
  const { url } = server
  const { patient, persistent } = options
  for (let retries = 0; ; retries++) {
    const mayRetry = retries < MAX_RETRIES
    const response = await send(server, outgoing).catch((error) => {
      if (persistent && mayRetry) return undefined
      throw error
    })
    if (response === undefined) {
      await waitToRetry(server, null, retries)
      continue
    }
    if (response.ok) return response
    const location = response.headers.get('location')
    if (location && response.status < 400)
      throw commandError(EXIT.failed, `${url} redirects to ${location}. Set --base-url to the final URL.`)
    const text = await response.text().catch((error) => {
      throw unreachable(url, error)
    })
    const isBusy = response.status === 429 ? patient || persistent : response.status >= 500 && persistent
    if (isBusy && mayRetry) {
      await waitToRetry(server, response.headers.get('retry-after'), retries)
      continue
    }
    const error = parseJson(text)
    const failure = commandError(
      exitOf(response.status),
      describeError(response.status, error),
      isError(error) ? error : undefined,
    )
    throw Object.assign(failure, { retry_seconds: secondsOf(response.headers.get('retry-after')) })
  }
}

/** The header may also be a date, which is rare. */
const secondsOf = (retryAfter: string | null): number | undefined =>
  retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined

/** As long as the server says, or else twice as long each time. */
async function waitToRetry({ url, signal }: Server, retryAfter: string | null, retries: number): Promise<void> {
  const seconds = secondsOf(retryAfter) ?? 2 ** retries
  await sleep(Math.min(MAX_RETRY_SECONDS, seconds) * 1000, undefined, { signal }).catch((error) => {
    throw unreachable(url, error)
  })
}

function send({ url, key, signal }: Server, { method, path, body, packed }: Outgoing): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...((body !== undefined || packed) && { 'content-type': 'application/json' }),
      ...(packed && { 'content-encoding': 'gzip' }),
    },
    body: packed ? new Uint8Array(packed) : body === undefined ? undefined : JSON.stringify(body),
    // Following a redirect could turn a POST into a GET, or send the key to another host.
    redirect: 'manual',
    signal,
  }).catch((error) => {
    throw unreachable(url, error)
  })
}

/** The JSON body of a 2xx response. */
export async function readJson(server: Server, response: Response): Promise<unknown> {
  const text = await response.text().catch((error) => {
    throw unreachable(server.url, error)
  })
  const body = parseJson(text)
  if (body !== undefined) return body
  throw commandError(
    EXIT.failed,
    `${server.url} does not respond with JSON. Check that it is a workspace-admin server.`,
  )
}

/** Reads a resource. Waits when the server throttles, unless `patient` is false. */
export async function get(server: Server, path: string, { patient = true } = {}): Promise<Body> {
  const body = await readJson(server, await request(server, { method: 'GET', path }, { patient }))
  if (!isBody(body)) throw commandError(EXIT.failed, `${server.url} responds with an unexpected body.`)
  return body
}

/** The pages of a list, or its single body. */
export async function* pages(server: Server, first: string): AsyncGenerator<unknown> {
  const [path] = first.split('?', 1)
  let url = first
  for (;;) {
    const response = await request(server, { method: 'GET', path: url }, { patient: true })
    const body = await readJson(server, response)
    yield body
    const next = nextQuery(body)
    if (next === undefined || `${path}${next}` === url) return
    // Only the query: the host of `next` may be the public one, and the key must not go elsewhere.
    url = `${path}${next}`
  }
}

/** The query of the next page. */
export function nextQuery(body: unknown): string | undefined {
  const next = isBody(body) ? body.next : undefined
  if (typeof next !== 'string' || !URL.canParse(next, 'http://localhost')) return undefined
  return new URL(next, 'http://localhost').search
}

/** All rows of a list. */
export async function listAll(server: Server, path: string): Promise<Body[]> {
  const rows: Body[] = []
  for await (const page of pages(server, path)) rows.push(...rowsOf(page))
  return rows
}

/** The rows of a page or of an array. */
export function rowsOf(body: unknown): Body[] {
  if (Array.isArray(body)) return body.filter(isBody)
  if (!isBody(body) || !Array.isArray(body.results)) return []
  const { results, columns } = body
  // The query parameter `select` returns lists of values.
  if (!Array.isArray(columns)) return results.filter(isBody)
  return results.map((row) => Object.fromEntries(columns.map((name, i) => [String(name), row[i]])))
}

function isError(body: unknown): body is { detail: string; attr?: unknown } {
  return isBody(body) && typeof body.detail === 'string'
}

function describeError(status: number, error: unknown): string {
  if (!isError(error))
    return `The server responded with ${status} and no error message. Check that --base-url is a workspace-admin server.`
  const field = typeof error.attr === 'string' ? ` (field ${error.attr})` : ''
  return `${error.detail}${field}`
}

export function unreachable(url: string, error: unknown): Error {
  const cause = Object(error instanceof Error ? (error.cause ?? error) : error)
  const reason = typeof cause.code === 'string' ? cause.code : (cause.message ?? String(cause))
  return commandError(
    EXIT.not_reachable,
    `No server responds at ${url} (${reason}). Start one with \`workspace-admin serve\`, or set --base-url.`,
  )
}

const EXIT_BY_STATUS: Record<number, number> = {
  400: EXIT.refused,
  401: EXIT.not_authenticated,
  403: EXIT.not_allowed,
  404: EXIT.not_found,
  409: EXIT.refused,
  413: EXIT.refused,
  415: EXIT.refused,
  422: EXIT.refused,
  429: EXIT.throttled,
}

const exitOf = (status: number): number => EXIT_BY_STATUS[status] ?? (status >= 500 ? EXIT.server_error : EXIT.failed)
