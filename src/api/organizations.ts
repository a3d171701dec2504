import type { components } from '../contract/openapi.ts'
import type { Dialect } from '../contract/table.ts'
import type { Deps } from '../deps.ts'
import * as rules from '../organizations/organizations.ts'
import type { Area } from './handler-context.ts'
import { page, paging } from './page.ts'
import { serializeTeam } from './projects.ts'

export const organizations = (deps: Deps): Area<'organizations'> => {
  const serialize = (found: rules.OrganizationWithTeams) => serializeOrganization(found, deps.config.DIALECT)

  return {
    operations: {
      'organizations.list': async ({ caller, query, url }) => {
        const { count, results } = await rules.list(deps, caller, paging(query))
        return page({ url, query }, count, results, serialize)
      },

      'organizations.create': async ({ caller, actor, body }) =>
        serialize(await rules.create(deps, caller, actor, body)),

      'organizations.retrieve': async ({ organization }) => serialize(await rules.withTeams(deps, organization)),

      'organizations.update': async ({ caller, actor, organization, body = {} }) =>
        serialize(await rules.update(deps, caller, actor, organization, body)),

      'organizations.delete': ({ actor, organization }) => rules.remove(deps, actor, organization),
    },
  }
}

function serializeOrganization(
  { organization, teams }: rules.OrganizationWithTeams,
  dialect: Dialect,
): components['schemas']['Organization'] {
  return {
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    created_at: organization.created_at,
    updated_at: organization.updated_at,
    membership_level: organization.membership_level,
    plugins_access_level: organization.plugins_access_level,
    teams: teams.map(serializeTeam),
    available_product_features: [],
    is_member_join_email_enabled: Boolean(organization.is_member_join_email_enabled),
    metadata: jsonText({ instance_tag: 'none' }, dialect),
    customer_id: organization.customer_id,
    enforce_2fa: organization.enforce_2fa === null ? null : Boolean(organization.enforce_2fa),
    member_count: jsonText(organization.member_count, dialect),
  }
}

/** JSON text in the standard dialect, the value itself in the other. Handlers are typed by the standard contract. */
const jsonText = (value: unknown, dialect: Dialect): string =>
  dialect === 'standard' ? JSON.stringify(value) : (value as string)
