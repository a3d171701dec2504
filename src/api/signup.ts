import { authenticate, bearer, type Caller, keyLookup } from '../auth/caller.ts'
import type { Deps } from '../deps.ts'
import * as rules from '../organizations/signup.ts'
import type { Area } from './handler-context.ts'
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

      'signup.accept': async ({ params: { invite_id }, body, authorization, client }) => {
        const caller = await callerOf(authorization)
        const accepted = await rules.acceptInvite(deps, { ...body, invite_id }, caller, client.address)
        const { user, organization_id, api_key } = accepted
        return { user: serializeUser(user), organization_id, api_key }
      },

      'signup.page': async () => SIGNUP_PAGE,
    },
  }
}
