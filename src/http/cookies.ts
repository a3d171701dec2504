import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CookieOptions, Cookies } from '../api/handler-context.ts'
import { originOf } from './request-url.ts'

/** Longer than the server needs for its own cookies. Longer headers are ignored. */
const MAX_HEADER = 16_384

/** On https, cookies are `Secure` and have the `__Host-` prefix, which no other host or path can set. */
export const isSecure = (request: FastifyRequest, config: { SITE_URL?: string }): boolean =>
  originOf(request, config).startsWith('https:')

const nameOf = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name)

export function readCookie({ headers: { cookie } }: FastifyRequest, name: string, secure: boolean): string | undefined {
  if (cookie === undefined || cookie.length > MAX_HEADER || !cookie.includes(name)) return undefined
  return parseCookie(cookie)[nameOf(name, secure)]
}

export function cookiesOf(request: FastifyRequest, reply: FastifyReply, config: { SITE_URL?: string }): Cookies {
  const secure = isSecure(request, config)
  const write = (name: string, value: string, options: CookieOptions): void => {
    const { max_age_seconds, readable = false, cross_site = false } = options
    const cookie = stringifySetCookie({
      name: nameOf(name, secure),
      value,
      path: '/',
      secure,
      httpOnly: !readable,
      // Browsers send `SameSite=None` only with `Secure`. Without https the attribute is left out.
      ...(cross_site ? secure && { sameSite: 'none' as const } : { sameSite: 'lax' as const }),
      ...(max_age_seconds !== undefined && { maxAge: max_age_seconds }),
    })
    // Fastify collects several values of this header.
    reply.header('set-cookie', cookie)
  }
  return {
    get: (name) => readCookie(request, name, secure),
    set: (name, value, options = {}) => write(name, value, options),
    clear: (name) => write(name, '', { max_age_seconds: 0 }),
  }
}
