import type { Client as FetchClient, FetchOptions } from 'openapi-fetch'
import openapiFetch from 'openapi-fetch'
import type { components as PosthogComponents, paths as PosthogPaths } from '../../src/contract/openapi.posthog.ts'
import type { components, paths } from '../../src/contract/openapi.ts'
import type { ErrorCode } from '../../src/errors.ts'

export type { ErrorCode, PosthogPaths, paths }

/** The resources of the contract: `Schemas['Organization']`. */
export type Schemas = components['schemas']
/** The same resources as `serve --dialect posthog` returns them. */
export type PosthogSchemas = PosthogComponents['schemas']

export type Client<Paths extends object = paths> = FetchClient<Paths, 'application/json'>

export interface ClientOptions {
  /** For example `https://workspaces.example.com`. */
  baseUrl: string
  /** A personal API key. Without one only public operations work. */
  key?: string
  /** How often a response with `Retry-After` is retried. Default: 3. */
  retries?: number
  /** The longest `Retry-After` to wait for. A response with a longer one is returned. Default: 60. */
  max_wait_seconds?: number
  /** Default: the runtime's `fetch`. */
  fetch?: (request: Request) => Promise<Response>
}

const RETRIES = 3
const MAX_WAIT_SECONDS = 60

/** One function per method, typed by the contract: `client.GET('/api/organizations/')`. */
export function createClient<Paths extends object = paths>({
  baseUrl,
  key,
  retries = RETRIES,
  max_wait_seconds = MAX_WAIT_SECONDS,
  fetch = globalThis.fetch,
}: ClientOptions): Client<Paths> {
  return openapiFetch<Paths, 'application/json'>({
    baseUrl,
    ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
    fetch: (request) => fetchWithRetries(request, fetch, retries, max_wait_seconds),
  })
}

/** A 503 may follow a commit whose result was lost, so only requests that are safe to repeat are retried. */
async function fetchWithRetries(
  request: Request,
  fetch: (request: Request) => Promise<Response>,
  retries: number,
  max_wait_seconds: number,
): Promise<Response> {
  for (let left = retries; ; left--) {
    const response = await fetch(request.clone())
    const retryable = response.status === 429 || (response.status === 503 && request.method !== 'POST')
    if (left <= 0 || !retryable) return response
    const seconds = secondsUntil(response.headers.get('retry-after'))
    if (seconds === undefined || seconds > max_wait_seconds) return response
    await response.body?.cancel()
    await wait(seconds * 1000, request.signal)
  }
}

/** `Retry-After` is a number of seconds or a date. */
function secondsUntil(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000)
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}

/** An error response. Branch on `code`. `detail` explains the problem and its remedy. `attr` names the field, with nested names joined by `__`. */
export class WorkspaceError extends Error {
  readonly status: number
  readonly type: Schemas['Error']['type']
  readonly code: ErrorCode
  readonly detail: string
  readonly attr: string | null
  /** Where the error is in the text of the field. Null if the field is not a text with lines. */
  readonly position: { line: number; column: number } | null
  /** Include it when you contact the operator of the server. */
  readonly request_id: string | null

  constructor(error: unknown, { status, statusText, headers }: Response) {
    // The response of a proxy may have another body.
    const body =
      typeof error === 'object' && error !== null ? (error as Partial<Schemas['Error'] & { code: ErrorCode }>) : {}
    const detail = body.detail ?? `The server returned ${status} ${statusText}.`
    super(detail)
    this.name = 'WorkspaceError'
    this.status = status
    this.type = body.type ?? (status >= 500 ? 'server_error' : 'invalid_request')
    this.code = body.code ?? 'error'
    this.detail = detail
    this.attr = body.attr ?? null
    this.position = body.position ?? null
    this.request_id = headers.get('x-request-id')
  }
}

/** Returns the response body of a call; throws `WorkspaceError` on an error response. */
export async function answer<Data>(call: Promise<{ data?: Data; error?: unknown; response: Response }>): Promise<Data> {
  const { data, error, response } = await call
  if (!response.ok) throw new WorkspaceError(error, response)
  return data as Data
}

interface Paged {
  next: string | null
  results: unknown[]
}

interface List<Page> {
  get: { responses: { 200: { content: { 'application/json': Page } } } }
}

/** The paths of paged lists. */
export type Lists<Paths> = { [Path in keyof Paths]: Paths[Path] extends List<Paged> ? Path : never }[keyof Paths]

type GetOf<Path> = Path extends { get: infer Get } ? Get : never

/** A page of the list at a path: `results`, `next`, and the other fields of the response, such as `count`. */
export type PageOf<Path> = Path extends List<infer Page> ? Page : never

type ItemOf<Path> = PageOf<Path> extends { results: (infer Item)[] } ? Item : never
type RowOf<Path> = Extract<ItemOf<Path>, unknown[]>
type Init<Path> = FetchOptions<GetOf<Path>>

/** The paths of lists that return rows instead of objects if the query has `select`. */
type RowLists<Paths> = { [Path in keyof Paths]: RowOf<Paths[Path]> extends never ? never : Path }[keyof Paths]

/**
 * Iterates over the pages of a list, by offset or by cursor. Only the query of `next` is used: every request has the path and
 * the origin of the first one, so the key is never sent elsewhere.
 */
export function pages<Paths extends object, Path extends Lists<Paths>>(
  client: Client<Paths>,
  path: Path,
  init?: Init<Paths[Path]>,
): AsyncGenerator<PageOf<Paths[Path]>, void, undefined> {
  return follow(client, path, init) as unknown as AsyncGenerator<PageOf<Paths[Path]>, void, undefined>
}

async function* follow<Paths extends object>(
  client: Client<Paths>,
  path: unknown,
  init: unknown,
): AsyncGenerator<Paged, void, undefined> {
  const get = client.GET as unknown as (path: unknown, init: object) => Promise<{ data?: Paged; response: Response }>
  const options = (init ?? {}) as { params?: { query?: object } }
  let query = options.params?.query
  for (;;) {
    const page = await answer(get(path, { ...options, params: { ...options.params, query } }))
    yield page
    if (page.next === null) return
    query = queryOf(page.next)
  }
}

function queryOf(url: string): object {
  const { searchParams } = new URL(url)
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const values = searchParams.getAll(name)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

/** Iterates over every item of a list with one page in memory. Events with `select` are rows: lists of values. */
export function each<Paths extends object, Path extends Lists<Paths> & RowLists<Paths>>(
  client: Client<Paths>,
  path: Path,
  init: Init<Paths[Path]> & { params: { query: { select: string[] } } },
): AsyncGenerator<RowOf<Paths[Path]>, void, undefined>
export function each<Paths extends object, Path extends Lists<Paths>>(
  client: Client<Paths>,
  path: Path,
  init?: Init<Paths[Path]> & { params?: { query?: { select?: undefined } } },
): AsyncGenerator<Exclude<ItemOf<Paths[Path]>, unknown[]>, void, undefined>
export function each<Paths extends object, Path extends Lists<Paths>>(
  client: Client<Paths>,
  path: Path,
  init?: Init<Paths[Path]>,
): AsyncGenerator<ItemOf<Paths[Path]>, void, undefined>
export async function* each<Paths extends object, Path extends Lists<Paths>>(
  client: Client<Paths>,
  path: Path,
  init?: Init<Paths[Path]>,
): AsyncGenerator<ItemOf<Paths[Path]>, void, undefined> {
  for await (const { results } of follow(client, path, init)) yield* results as ItemOf<Paths[Path]>[]
}

/**
 * Adds a new user to an organization: invites the address and accepts the invite. Returns the user and a first API key. Works
 * on servers without email, such as those of tests; others send the invite to its recipient.
 */
export async function addMember(
  client: Client,
  organization_id: string,
  invite: Schemas['InviteCreate'],
): Promise<Schemas['SignupAccepted']> {
  const invites = '/api/organizations/{organization_id}/invites/'
  const created = await answer(client.POST(invites, { params: { path: { organization_id } }, body: invite }))
  if (created.signup_token === undefined)
    throw new Error('The server sent the invite by email. The recipient has to accept it there.')
  const params = { path: { invite_id: created.id } }
  const body = { token: created.signup_token }
  // With a key, the owner of the key would accept the invite.
  return answer(client.POST('/api/signup/{invite_id}/', { params, body, headers: { authorization: null } }))
}
