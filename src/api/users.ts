import * as rules from '../auth/users.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import type { UserRow } from '../store/users.ts'
import type { Area } from './handler-context.ts'
import { serializeTeamRef } from './projects.ts'

type Schemas = components['schemas']

export const users = (deps: Deps): Area<'users'> => ({
  operations: {
    'users.me': async ({ caller }) => serializeMe(await rules.get(deps, caller)),

    'users.update': async ({ caller, body = {} }) => serializeMe(await rules.update(deps, caller, body)),
  },
})

function serializeMe({ user, organization, project }: rules.Profile): Schemas['Me'] {
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
    hedgehog_config: row.hedgehog_config === null ? null : JSON.parse(row.hedgehog_config),
  }
}
