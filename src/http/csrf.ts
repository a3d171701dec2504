import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { csrfTokenOf } from '../auth/sessions.ts'
import { forbidden } from '../errors.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

export const isSafe = (method: string): boolean => SAFE_METHODS.includes(method)

/** Throws `permission_denied` for a request that a page of another origin sent. `site_url` may have a path. */
export function requireSameOrigin({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders, site_url: string): void {
  const own = new URL(site_url).origin
  // Browsers send at least one of them with unsafe methods. Clients without either are not browsers.
  if (origin !== undefined && origin !== own)
    throw forbidden(`This request comes from ${origin}. Requests with a session must come from ${own}.`)
  if (origin === undefined && site !== undefined && site !== 'same-origin' && site !== 'none')
    throw forbidden(`This request comes from another site. Requests with a session must come from ${own}.`)
}

/** Throws `permission_denied` unless the request carries the CSRF token of its session. */
export function requireCsrfToken(headers: IncomingHttpHeaders, session_token: string): void {
  const expected = Buffer.from(csrfTokenOf(session_token))
  const sent = headers['x-csrf-token']
  const actual = Buffer.from(typeof sent === 'string' ? sent : '')
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected))
    throw forbidden('The header "X-CSRF-Token" is missing or wrong. Send the value of the cookie "workspace_csrf".')
}
