/** One request to a server, and what its failure means to a command. */
import { type ClientConfig, readClientConfig, type Variables } from '../config.ts'
import { EXIT, failure, usage } from './failure.ts'
import { harmless } from './print.ts'

export interface ConnectionOptions {
  baseUrl?: string
  key?: string
  json?: boolean
}

export interface Connection {
  url: string
  key: string | undefined
}

/** A flag that is wrong is wrong usage; a variable that is wrong is a wrong setting. */
export function connection(variables: Variables, { baseUrl, key }: ConnectionOptions): Connection {
  let config: ClientConfig
  try {
    config = readClientConfig({
      ...variables,
      ...(baseUrl !== undefined && { WORKSPACE_URL: baseUrl }),
      ...(key !== undefined && { WORKSPACE_KEY: key }),
    })
  } catch (error) {
    const { message } = error as Error
    throw usage(
      message
        .replace('WORKSPACE_URL', '--base-url or WORKSPACE_URL')
        .replace('WORKSPACE_KEY', '--key or WORKSPACE_KEY'),
    )
  }
  return { url: config.WORKSPACE_URL.replace(/(?<!\/)\/+$/, ''), key: config.WORKSPACE_KEY?.trim() }
}

export interface Outgoing {
  method: string
  /** With its query, from the root of the server. */
  path: string
  body?: unknown
}

/** Answers only what succeeded; throws with the exit code of the kind of failure otherwise. */
export async function request(
  { url, key }: Connection,
  { method, path, body }: Outgoing,
  json: boolean,
): Promise<Response> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    // Following one would turn a POST into a GET, or take the key elsewhere.
    redirect: 'manual',
  }).catch((error) => {
    throw unreachable(url, error)
  })
  if (response.ok) return response
  const place = response.headers.get('location')
  if (place && response.status < 400)
    throw failure(EXIT.failed, `${url} sends on to ${harmless(place)}. Use the right server as --base-url.`)
  const text = await response.text().catch((error) => {
    throw unreachable(url, error)
  })
  throw failure(exitOf(response.status), json && isError(text) ? text.trim() : sentence(response.status, text))
}

const isError = (text: string): boolean => typeof errorOf(text)?.detail === 'string'

function errorOf(text: string): { detail?: unknown; attr?: unknown } | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function sentence(status: number, text: string): string {
  const error = errorOf(text)
  if (typeof error?.detail !== 'string')
    return `The server answered ${status} and did not say why. Check that --base-url is a workspace-admin server.`
  const field = typeof error.attr === 'string' ? ` (field ${error.attr})` : ''
  return harmless(`${error.detail}${field}`)
}

export function unreachable(url: string, error: unknown): Error {
  const { code, message } = ((error as Error).cause ?? error) as { code?: string; message: string }
  return failure(
    EXIT.not_reachable,
    `Nothing answers at ${url} (${code ?? message}). Start a server with \`workspace-admin serve\`, or name another with --base-url.`,
  )
}

const EXITS: Record<number, number> = {
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

const exitOf = (status: number): number => EXITS[status] ?? (status >= 500 ? EXIT.server_error : EXIT.failed)
