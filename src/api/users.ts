import type { Caller } from '../auth/caller.ts'
import { SESSION_COOKIE } from '../auth/cookie-names.ts'
import { csrfTokenOf } from '../auth/sessions.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { storedJson } from '../json/stored.ts'
import * as me from '../signin/me.ts'
import { requestVerification, verifyEmail } from '../signin/profile.ts'
import type { UserRow } from '../store/users.ts'
import type { Area, Cookies } from './handler-context.ts'
import { serializeTeamRef } from './projects.ts'

type Schemas = components['schemas']

export const users = ({ signIn }: Deps): Area<'users'> => ({
  operations: {
    'users.me': async ({ caller, cookies }) => serializeMe(await me.get(signIn, caller), csrfToken(caller, cookies)),

    'users.update': async ({ caller, actor, cookies, body = {} }) =>
      serializeMe(await me.update(signIn, caller, actor, body), csrfToken(caller, cookies)),

    'users.verify_email': async ({ body: { uuid, token }, client: { address } }) => {
      await verifyEmail(signIn, { uuid, token, address })
      return { success: true }
    },

    'users.request_email_verification': async ({ caller }) => {
      await requestVerification(signIn, caller.user)
      return { success: true }
    },
  },
})

/** Null with a key. */
function csrfToken({ session }: Caller, cookies: Cookies): string | null {
  const token = session && cookies.get(SESSION_COOKIE)
  return token ? csrfTokenOf(token) : null
}

function serializeMe(
  { user, organization, project, has_password, has_social_auth, reauthenticate_by }: me.Me,
  csrf_token: string | null,
): Schemas['Me'] {
  return {
    ...serializeUser(user),
    organization: organization
      ? {
          id: organization.id,
          name: organization.name,
          slug: organization.slug,
          membership_level: organization.membership_level,
        }
      : null,
    team: project ? serializeTeamRef(project) : null,
    pending_email: user.pending_email,
    has_password,
    has_social_auth,
    is_2fa_enabled: user.two_factor_enabled_at !== null,
    csrf_token,
    reauthenticate_by,
  }
}

export function serializeUser(row: UserRow): Schemas['User'] {
  return {
    id: row.id,
    uuid: row.uuid,
    distinct_id: row.distinct_id,
    first_name: row.first_name,
    last_name: row.last_name,
    email: row.email,
    is_email_verified: row.is_email_verified === null ? null : Boolean(row.is_email_verified),
    hedgehog_config: row.hedgehog_config === null ? null : storedJson(row.hedgehog_config),
  }
}
