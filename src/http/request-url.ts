import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { operations } from '../contract/table.ts'

/** Longer URLs are truncated in the log. */
const MAX_LOGGED_CHARACTERS = 300

/** The URL of a request as path and query string. */
export function splitUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): { path: string; search: string } {
  const mark = url.indexOf('?')
  return mark < 0 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark + 1) }
}

export const pathOf = (request: Pick<IncomingMessage, 'url'>): string => splitUrl(request).path

/** Decodes `%40` in the path. The router does not decode it in static segments such as `@me`. */
export function decodeAtSigns(request: Pick<IncomingMessage, 'url'>): string {
  const { url = '/' } = request
  if (!url.includes('%40')) return url
  const { path } = splitUrl(request)
  return path.replaceAll('%40', '@') + url.slice(path.length)
}

let parameterNames: Set<string> | undefined

/**
 * The URL for the log. Query strings contain tokens, addresses and data of events. Only numbers and booleans of parameters
 * that the contract has are logged.
 */
export function loggedUrl(request: Pick<IncomingMessage, 'url'>): string {
  const { path, search } = splitUrl(request)
  const url = search === '' ? path : `${path}?${loggedSearch(search)}`
  return url.length <= MAX_LOGGED_CHARACTERS ? url : `${url.slice(0, MAX_LOGGED_CHARACTERS)}…`
}

function loggedSearch(search: string): string {
  parameterNames ??= new Set(
    operations.flatMap(({ parameters }) => parameters.flatMap((one) => (one.in === 'query' ? [one.name] : []))),
  )
  const shown: string[] = []
  for (const pair of search.slice(0, MAX_LOGGED_CHARACTERS).split('&')) {
    const [name = '', value = ''] = pair.split('=', 2)
    if (parameterNames.has(name)) shown.push(`${name}=${/^(\d{1,15}|true|false)$/.test(value) ? value : '…'}`)
  }
  return shown.join('&')
}

/** Scheme and host of this server: `SITE_URL`, or else those of the request. */
export const originOf = ({ protocol, host }: FastifyRequest, { SITE_URL }: { SITE_URL?: string }): string =>
  SITE_URL ?? `${protocol}://${host || 'localhost'}`
