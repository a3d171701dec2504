import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import * as rules from '../organizations/invites.ts'
import { pickDefined } from '../store/changes.ts'
import * as store from '../store/invites.ts'
import type { Area, AreaAccess } from './handler-context.ts'
import { page, paging } from './page.ts'
import { serializeUser } from './users.ts'

export const invites = (deps: Deps): Area<'invites', store.Invite> => {
  const serialize = (invite: rules.CreatedInvite) => serializeInvite(invite, deps.now())

  return {
    subject: ({ params, organization }: AreaAccess<'invites'>) => rules.get(deps, organization, params.id),

    operations: {
      'invites.list': async ({ organization, query, url }) => {
        const { count, rows } = await store.list(deps.db, organization.id, paging(query))
        return page({ url, query }, count, rows, serialize)
      },

      'invites.create': async ({ caller, actor, organization, body }) =>
        serialize(await rules.create(deps, { caller, actor }, organization, body)),

      'invites.bulk': async ({ caller, actor, organization, body }) =>
        Array.isArray(body)
          ? (await rules.createMany(deps, { caller, actor }, organization, body)).map(serialize)
          : serialize(await rules.create(deps, { caller, actor }, organization, body)),

      'invites.delete': ({ actor, subject }) => rules.remove(deps, actor, subject),
    },
  }
}

/** `signup_token` is present when the invite was created without mail. */
function serializeInvite(row: rules.CreatedInvite, now: string): components['schemas']['InviteCreated'] {
  return {
    id: row.id,
    target_email: row.target_email,
    first_name: row.first_name,
    emailing_attempt_made: Boolean(row.emailing_attempt_made),
    level: row.level,
    is_expired: row.created_at < store.expiryCutoff(now),
    created_by: row.created_by && serializeUser(row.created_by),
    created_at: row.created_at,
    updated_at: row.updated_at,
    message: row.message,
    ...pickDefined(row, ['signup_token']),
  }
}
