import { authenticate, bearer, type Caller, keyLookup } from '../auth/caller.ts'
import type { Deps } from '../deps.ts'
import * as rules from '../organizations/signup.ts'
import { acceptInvite } from '../signin/signup.ts'
import type { Area } from './handler-context.ts'
import { setSessionCookies } from './session.ts'
import { SIGNUP_PAGE } from './signup-page.ts'
import { serializeUser } from './users.ts'

export const signup = (deps: Deps): Area<'signup'> => {
  /** A key is optional here, but an invalid key is an error. */
  const callerOf = async (authorization: string | undefined): Promise<Caller | undefined> =>
    bearer(authorization) === undefined ? undefined : authenticate(keyLookup(deps.db), authorization, deps.now)

  return {
    operations: {
      'signup.retrieve': async ({ params: { invite_id }, query: { token }, authorization }) => {
        const invite = await rules.openInvite(deps, { invite_id, token }, await callerOf(authorization))
        const { id, target_email, first_name, organization_name, superseded } = invite
        return { id, target_email, first_name, organization_name, supersedes_account: superseded !== undefined }
      },

      'signup.accept': async (call) => {
        const { params, body, authorization, client, cookies } = call
        const caller = await callerOf(authorization)
        const input = { ...body, invite_id: params.invite_id }
        const replaces = await call.currentSession()
        const accepted = await acceptInvite({ ...deps.signIn, log: deps.log }, input, caller, { client, replaces })
        const { user, organization_id, api_key, session_token } = accepted
        if (session_token !== null) setSessionCookies(cookies, session_token, deps.signIn.limits.lifetime_hours)
        return { user: serializeUser(user), organization_id, api_key }
      },

      'signup.page': async () => SIGNUP_PAGE,
    },
  }
}
