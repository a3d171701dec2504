/** Authenticates requests by key or session. */
import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { authenticate, bearer, type Caller, cachedKeyLookup, callerWithSession } from '../auth/caller.ts'
import { SESSION_COOKIE } from '../auth/cookie-names.ts'
import { sha256 } from '../auth/hash.ts'
import { activeAt, isActive, isTouchDue } from '../auth/sessions.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import * as sessions from '../store/sessions.ts'
import { isSecure, readCookie } from './cookies.ts'
import { isSafe, requireCsrfToken, requireSameOrigin } from './csrf.ts'
import type { PluginCallers } from './plugin-api.ts'
import { originOf } from './request-url.ts'

export interface Authenticator {
  /** The end of a plugin's call, if a plugin sends the request with `posthog.api`. */
  pluginSignal(request: FastifyRequest): AbortSignal | undefined
  /** The key or session token of the request, valid or not. Undefined for plugins. */
  credentialOf(request: FastifyRequest): string | undefined
  /** A key takes precedence over a session: an invalid key is an error even with a valid session. */
  authenticate(request: FastifyRequest): Promise<Caller>
  /** The session of a request to a public operation. Null for a session that has ended. */
  currentSession(request: FastifyRequest): Promise<sessions.SessionRow | null>
  /** The user of that session. An unsafe request needs the CSRF token of the session. */
  currentCaller(request: FastifyRequest): Promise<Caller | undefined>
}

export function createAuthenticator(
  { db, config, now, milliseconds, signIn, background }: Deps,
  pluginCallers: PluginCallers,
): Authenticator {
  const findKey = cachedKeyLookup(db)

  /** Requests of plugins have no socket. */
  const pluginOf = ({ headers, raw }: FastifyRequest) =>
    pluginCallers.size === 0 || raw.socket instanceof Socket
      ? undefined
      : pluginCallers.get(bearer(headers.authorization) ?? '')

  const tokenOf = (request: FastifyRequest): string | undefined =>
    readCookie(request, SESSION_COOKIE, isSecure(request, config))

  async function findSession(token: string): Promise<Caller | undefined> {
    const found = await sessions.getByHash(db, sha256(token))
    const time = milliseconds()
    const active = activeAt(time, signIn.limits)
    if (!found || !isActive(found.session, active)) return undefined
    const { id } = found.session
    if (isTouchDue(found.session, time))
      background("updating a session's last_used_at", () => sessions.touch(db, id, active.now))
    return callerWithSession(found)
  }

  /** Pages of other sites can send the cookie, but not the header with the token. */
  function requireOwnPage(request: FastifyRequest, token: string): void {
    if (isSafe(request.method)) return
    requireSameOrigin(request.headers, originOf(request, config))
    requireCsrfToken(request.headers, token)
  }

  return {
    pluginSignal: (request) => pluginOf(request)?.signal,
    credentialOf: (request) =>
      pluginOf(request) ? undefined : (bearer(request.headers.authorization) ?? tokenOf(request)),
    authenticate: async (request) => {
      const plugin = pluginOf(request)
      if (plugin) return plugin.caller
      const { headers } = request
      const token = bearer(headers.authorization) === undefined ? tokenOf(request) : undefined
      if (token === undefined) return authenticate(findKey, headers.authorization, now)
      const caller = await findSession(token)
      if (!caller) throw new AppError({ code: 'not_authenticated', detail: 'This session has ended. Sign in again.' })
      requireOwnPage(request, token)
      return caller
    },
    currentCaller: async (request) => {
      const token = tokenOf(request)
      const caller = token === undefined ? undefined : await findSession(token)
      if (caller && token !== undefined) requireOwnPage(request, token)
      return caller
    },
    currentSession: async (request) => {
      const token = tokenOf(request)
      return (token === undefined ? undefined : await findSession(token))?.session ?? null
    },
  }
}
