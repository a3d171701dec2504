/** Sends one request to a server and maps failures to exit codes. */
import { type ClientConfig, readClientConfig, type Variables } from '../config.ts'
import { commandError, describeFailure, EXIT, usageError } from './failure.ts'
import { escapeControls } from './print.ts'

export interface ConnectionOptions {
  baseUrl?: string
  key?: string
  json?: boolean
}

export interface Connection {
  url: string
  key: string | undefined
}

/** Reads the connection from flags and variables. An invalid value is a usage error that names both. */
export function readConnection(variables: Variables, { baseUrl, key }: ConnectionOptions): Connection {
  let config: ClientConfig
  try {
    config = readClientConfig({
      ...variables,
      ...(baseUrl !== undefined && { WORKSPACE_URL: baseUrl }),
      ...(key !== undefined && { WORKSPACE_KEY: key }),
    })
  } catch (error) {
    throw usageError(
      describeFailure(error)
        .message.replace('WORKSPACE_URL', '--base-url or WORKSPACE_URL')
        .replace('WORKSPACE_KEY', '--key or WORKSPACE_KEY'),
    )
  }
  return { url: config.WORKSPACE_URL.replace(/(?<!\/)\/+$/, ''), key: config.WORKSPACE_KEY?.trim() }
}

export interface Outgoing {
  method: string
  /** The path with its query. */
  path: string
  body?: unknown
}

/** Resolves only with a 2xx response; throws an error with the matching exit code otherwise. */
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
    // Following a redirect could turn a POST into a GET, or send the key to another host.
    redirect: 'manual',
  }).catch((error) => {
    throw unreachable(url, error)
  })
  if (response.ok) return response
  const location = response.headers.get('location')
  if (location && response.status < 400)
    throw commandError(EXIT.failed, `${url} redirects to ${escapeControls(location)}. Set --base-url to the final URL.`)
  const text = await response.text().catch((error) => {
    throw unreachable(url, error)
  })
  throw commandError(
    exitOf(response.status),
    json && isError(text) ? text.trim() : describeError(response.status, text),
  )
}

const isError = (text: string): boolean => typeof parseError(text)?.detail === 'string'

function parseError(text: string): { detail?: unknown; attr?: unknown } | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function describeError(status: number, text: string): string {
  const error = parseError(text)
  if (typeof error?.detail !== 'string')
    return `The server responded with ${status} and no error message. Check that --base-url is a workspace-admin server.`
  const field = typeof error.attr === 'string' ? ` (field ${error.attr})` : ''
  return escapeControls(`${error.detail}${field}`)
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
