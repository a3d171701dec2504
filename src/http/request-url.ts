import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'

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

/** Scheme and host of this server: `SITE_URL`, or else those of the request. */
export const originOf = ({ protocol, host }: FastifyRequest, { SITE_URL }: { SITE_URL?: string }): string =>
  SITE_URL ?? `${protocol}://${host || 'localhost'}`
