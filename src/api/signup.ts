import { isUuid } from '../auth/access.ts'
import { authenticate, bearer, type Caller, keyLookup } from '../auth/caller.ts'
import { acceptInvite, openInvite } from '../auth/invites.ts'
import type { Deps } from '../deps.ts'
import type { Area } from './handler-context.ts'
import { SIGNUP_PAGE } from './signup-page.ts'
import * as wire from './wire.ts'

const NO_INVITE = '00000000-0000-0000-0000-000000000000'

export const signup = ({ db, ids, now, mailer, log }: Deps): Area<'signup'> => {
  /** Nobody need say who they are; who does must be right. */
  const callerOf = async (authorization: string | undefined): Promise<Caller | undefined> =>
    bearer(authorization) === undefined ? undefined : authenticate(keyLookup(db), authorization, now)

  const idOf = (sent: string): string => (isUuid(sent) ? sent.toLowerCase() : NO_INVITE)

  return {
    operations: {
      'signup.retrieve': async ({ params, query, authorization }) => {
        const caller = await callerOf(authorization)
        const invite = await openInvite(db, {
          invite_id: idOf(params.invite_id),
          token: query.token,
          caller,
          now: now(),
        })
        const { id, target_email, first_name, organization_name, superseded } = invite
        return { id, target_email, first_name, organization_name, supersedes_account: superseded !== undefined }
      },

      'signup.accept': async ({ params, body, authorization }) => {
        const { token, first_name, last_name } = body
        const caller = await callerOf(authorization)
        const sent = {
          invite_id: idOf(params.invite_id),
          token,
          first_name,
          last_name,
          caller,
          mailed: mailer !== null,
        }
        const { user, organization_id, api_key, superseded } = await acceptInvite(db, ids, now(), sent)
        mailer?.wake()
        if (superseded) log.warn({ superseded, by: user.uuid }, 'superseded an unverified account')
        return { user: wire.user(user), organization_id, api_key }
      },

      'signup.page': async () => SIGNUP_PAGE,
    },
  }
}
