import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CookieOptions, Cookies } from '../api/handler-context.ts'

/** More than our cookies take. A browser sends at most about 4 KiB per cookie. */
const MAX_HEADER = 16_384

/** On https, cookies are `Secure` and have the `__Host-` prefix, which no other host or path can set. */
export function cookiesOf(request: FastifyRequest, reply: FastifyReply, secure: boolean): Cookies {
  const nameOf = (name: string): string => (secure ? `__Host-${name}` : name)
  const write = (name: string, value: string, { max_age_seconds, readable = false }: CookieOptions): void => {
    const cookie = stringifySetCookie({
      name: nameOf(name),
      value,
      path: '/',
      sameSite: 'lax',
      secure,
      httpOnly: !readable,
      ...(max_age_seconds !== undefined && { maxAge: max_age_seconds }),
    })
    const before = reply.getHeader('set-cookie')
    reply.header('set-cookie', [...(before === undefined ? [] : [before].flat().map(String)), cookie])
  }
  return {
    get: (name) => readCookie(request.headers.cookie, nameOf(name)),
    set: (name, value, options = {}) => write(name, value, options),
    clear: (name) => write(name, '', { max_age_seconds: 0 }),
  }
}

function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > MAX_HEADER || !header.includes(name)) return undefined
  return parseCookie(header)[name]
}
