import { authenticate, bearer, type Caller, keyLookup } from '../auth/caller.ts'
import type { Deps } from '../deps.ts'
import * as rules from '../organizations/signup.ts'
import { acceptInvite } from '../signin/signup.ts'
import { consolePage } from './console-page.ts'
import type { Area, HandlerContext } from './handler-context.ts'
import { setSessionCookies } from './session.ts'
import { serializeUser } from './users.ts'

export const signup = (deps: Deps): Area<'signup'> => {
  /** A key is optional here, but an invalid key is an error. Without one, the recipient's session is used. */
  const callerOf = async (
    call: Pick<HandlerContext<'signup.accept'>, 'headers' | 'currentCaller'>,
    link: { invite_id: string; token: string },
  ): Promise<Caller | undefined> =>
    bearer(call.headers.authorization) === undefined
      ? rules.recipientSession(deps, link, await call.currentCaller())
      : authenticate(keyLookup(deps.db), call.headers.authorization, deps.now)

  return {
    operations: {
      'signup.retrieve': async (call) => {
        const link = { invite_id: call.params.invite_id, token: call.query.token }
        const { superseded, ...invite } = await rules.openInvite(deps, link, await callerOf(call, link))
        const { id, target_email, first_name, organization_name, message, created_by_name } = invite
        const supersedes_account = superseded !== undefined
        return { id, target_email, first_name, organization_name, message, created_by_name, supersedes_account }
      },

      'signup.accept': async (call) => {
        const { params, body, client, cookies } = call
        const input = { ...body, invite_id: params.invite_id }
        const caller = await callerOf(call, input)
        const replaces = await call.currentSession()
        const accepted = await acceptInvite({ ...deps.signIn, log: deps.log }, input, caller, { client, replaces })
        const { user, organization_id, api_key, session_token } = accepted
        if (session_token !== null) setSessionCookies(cookies, session_token, deps.signIn.limits.lifetime_hours)
        return { user: serializeUser(user), organization_id, api_key }
      },

      'signup.page': consolePage,
    },
  }
}
