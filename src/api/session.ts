import { CSRF_COOKIE, LINK_COOKIE, PENDING_COOKIE, SESSION_COOKIE } from '../auth/cookie-names.ts'
import { activeAt, csrfTokenOf } from '../auth/sessions.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import * as sessions from '../signin/sessions.ts'
import * as flows from '../signin/sign-in.ts'
import * as store from '../store/sessions.ts'
import { consolePage } from './console-page.ts'
import type { Area, Cookies } from './handler-context.ts'
import { page, paging } from './page.ts'

const PENDING_SECONDS = 600

export const session = (deps: Deps): Area<'session'> => {
  const { db, milliseconds, signIn } = deps

  /** Sets the cookies of a session, or throws `2fa_required` and sets the cookie of the second step. */
  const finish = (cookies: Cookies, result: flows.SignedIn): { success: true } => {
    if ('pending_token' in result) {
      cookies.set(PENDING_COOKIE, result.pending_token, { max_age_seconds: PENDING_SECONDS })
      throw new AppError({
        code: '2fa_required',
        detail: 'Enter the code of your authenticator app. Send it to POST /api/login/token/.',
      })
    }
    if (cookies.get(LINK_COOKIE) !== undefined) cookies.clear(LINK_COOKIE)
    setSessionCookies(cookies, result.token, signIn.limits.lifetime_hours)
    return { success: true }
  }

  return {
    operations: {
      'session.precheck': async ({ body: { email } }) => {
        const found = await flows.precheck(signIn, email)
        return { ...found, sso_enforcement: found.sso_enforcement || null }
      },

      'session.create': async (call) => {
        const { body, client, cookies } = call
        const input = { ...body, client, replaces: await call.currentSession(), link_token: cookies.get(LINK_COOKIE) }
        return finish(cookies, await flows.signInWithPassword(signIn, input))
      },

      'session.use_link': async (call) => {
        const { body, client, cookies } = call
        const replaces = await call.currentSession()
        return finish(cookies, await flows.signInWithLink(signIn, { token: body.token, client, replaces }))
      },

      'session.verify_second_factor': async (call) => {
        const { body, client, cookies } = call
        const pending_token = cookies.get(PENDING_COOKIE)
        const replaces = await call.currentSession()
        const input = { pending_token, code: body.token, client, replaces, link_token: cookies.get(LINK_COOKIE) }
        const result = await flows.completeSecondFactor(signIn, input)
        cookies.clear(PENDING_COOKIE)
        return finish(cookies, result)
      },

      'session.page': consolePage,

      'session.delete': async ({ actor, cookies }) => {
        await sessions.signOut(signIn, actor)
        clearSessionCookies(cookies)
      },

      'session.list': async ({ caller, query, url }) => {
        const active = activeAt(milliseconds(), signIn.limits)
        const { count, rows } = await store.list(db, caller.user.id, active, paging(query))
        return page({ url, query }, count, rows, (row) => serialize(row, row.id === caller.session?.id))
      },

      'session.end': ({ actor, params: { session_id } }) => sessions.end(signIn, actor, session_id),

      'session.end_others': ({ actor }) => sessions.endOthers(signIn, actor),
    },
  }
}

export function setSessionCookies(cookies: Cookies, token: string, lifetime_hours: number): void {
  const max_age_seconds = lifetime_hours * 3_600
  cookies.set(SESSION_COOKIE, token, { max_age_seconds })
  cookies.set(CSRF_COOKIE, csrfTokenOf(token), { max_age_seconds, readable: true })
}

export function clearSessionCookies(cookies: Cookies): void {
  cookies.clear(SESSION_COOKIE)
  cookies.clear(CSRF_COOKIE)
}

const serialize = (row: store.SessionRow, is_current: boolean): components['schemas']['Session'] => ({
  id: row.id,
  is_current,
  method: row.method,
  second_factor: Boolean(row.second_factor),
  address: row.address,
  user_agent: row.user_agent,
  created_at: row.created_at,
  last_used_at: row.last_used_at,
  expires_at: row.expires_at,
})
