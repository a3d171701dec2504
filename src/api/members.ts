import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import * as rules from '../organizations/members.ts'
import * as store from '../store/members.ts'
import type { Area, AreaAccess } from './handler-context.ts'
import { page, paging } from './page.ts'
import { parseIsoTime } from './time.ts'
import { serializeUser } from './users.ts'

export const members = (deps: Deps): Area<'members', store.MemberRow> => ({
  subject: ({ params, caller, organization }: AreaAccess<'members'>) =>
    rules.get(deps, caller, organization, params.user__uuid),

  operations: {
    'members.list': async ({ organization, query, url }) => {
      const { order, email, search, updated_after: after } = query
      const updated_after = after === undefined ? undefined : parseIsoTime(after, 'updated_after')
      const filter = { order, email, search, updated_after }
      const { count, rows } = await store.list(deps.db, organization.id, filter, paging(query))
      return page({ url, query }, count, rows, serializeMember)
    },

    'members.update': async ({ caller, actor, organization, subject, body = {} }) =>
      serializeMember(await rules.update(deps, { caller, actor }, organization, subject, body)),

    'members.remove': ({ actor, organization, subject }) => rules.remove(deps, actor, organization, subject),
  },
})

function serializeMember(row: store.MemberRow): components['schemas']['Member'] {
  return {
    id: row.membership_id,
    user: serializeUser(row),
    level: row.level,
    joined_at: row.joined_at,
    updated_at: row.updated_at,
    is_2fa_enabled: row.two_factor_enabled_at !== null,
    has_social_auth: Boolean(row.has_social_auth),
  }
}
