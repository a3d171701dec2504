/**
 * From native values to the forms the contract puts on the wire: the one place that knows them, so that another
 * dialect can be served from the same handlers.
 */
import type { components } from '../contract/openapi.ts'
import type { Dialect } from '../contract/table.ts'
import type { ApiKey } from '../store/api_keys.ts'
import type { DomainRow } from '../store/domains.ts'
import { expiredBefore, type Invite } from '../store/invites.ts'
import type { MemberRow } from '../store/members.ts'
import type { OrganizationRow } from '../store/organizations.ts'
import type { ProjectRow, TeamRow } from '../store/projects.ts'
import type { UserRow } from '../store/users.ts'

type Schemas = components['schemas']

/** SQLite answers 0 and 1. */
const boolean = <Null extends null>(value: boolean | number | Null): boolean | Null =>
  value === null ? value : Boolean(value)

/**
 * What the contract has as JSON text and the other dialect as the value itself. Handlers are typed by the contract; that
 * answers fit their dialect is what the tests check, one by one.
 */
const text = (value: unknown, dialect: Dialect): string =>
  dialect === 'standard' ? JSON.stringify(value) : (value as string)

export function organization(row: OrganizationRow, projects: TeamRow[], dialect: Dialect): Schemas['Organization'] {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    created_at: row.created_at,
    updated_at: row.updated_at,
    membership_level: row.membership_level as 1 | 8 | 15,
    plugins_access_level: row.plugins_access_level as 0 | 3 | 6 | 9,
    teams: projects.map(team),
    available_product_features: [],
    is_member_join_email_enabled: Boolean(row.is_member_join_email_enabled),
    metadata: text({ instance_tag: 'none' }, dialect),
    customer_id: row.customer_id,
    enforce_2fa: boolean(row.enforce_2fa),
    member_count: text(row.member_count, dialect),
  }
}

function team(row: TeamRow): Schemas['Team'] {
  // Not by way of `teamRef`: spreading it was an eighth of a list of 100.
  return {
    id: row.id,
    uuid: row.uuid,
    organization: row.organization_id,
    api_token: row.api_token,
    name: row.name,
    timezone: row.timezone,
    completed_snippet_onboarding: false,
    has_completed_onboarding_for: null,
    ingested_event: Boolean(row.ingested_event),
    is_demo: false,
    access_control: false,
  }
}

function teamRef(row: TeamRow): Schemas['TeamRef'] {
  return {
    id: row.id,
    uuid: row.uuid,
    organization: row.organization_id,
    api_token: row.api_token,
    name: row.name,
    timezone: row.timezone,
  }
}

export function project(row: ProjectRow): Schemas['Project'] {
  return {
    ...teamRef(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
    event_retention_days: row.event_retention_days,
  }
}

export function user(row: UserRow): Schemas['User'] {
  return {
    id: row.id,
    uuid: row.uuid,
    distinct_id: row.distinct_id,
    first_name: row.first_name,
    last_name: row.last_name,
    email: row.email,
    is_email_verified: boolean(row.is_email_verified),
    hedgehog_config: row.hedgehog_config === null ? null : JSON.parse(row.hedgehog_config),
  }
}

export function me(row: UserRow, organization?: OrganizationRow, current?: ProjectRow): Schemas['Me'] {
  return {
    ...user(row),
    organization: organization
      ? {
          id: organization.id,
          name: organization.name,
          slug: organization.slug,
          membership_level: organization.membership_level as 1 | 8 | 15,
        }
      : null,
    team: current ? teamRef(current) : null,
  }
}

/** `value` is there in the answers that make one. */
export function apiKey(key: ApiKey & { value?: string }): Schemas['ApiKey'] {
  return {
    id: key.id,
    label: key.label,
    value: key.value ?? null,
    mask_value: key.mask_value,
    created_at: key.created_at,
    last_used_at: key.last_used_at,
    expires_at: key.expires_at,
    user_id: key.user_id,
    scopes: key.scopes as Schemas['Scope'][],
    scoped_teams: [...(key.reach.projects ?? [])],
    scoped_organizations: [...(key.reach.organizations ?? [])],
  }
}

export function member(row: MemberRow): Schemas['Member'] {
  return {
    id: row.membership_id,
    user: user(row),
    level: row.level as 1 | 8 | 15,
    joined_at: row.joined_at,
    updated_at: row.updated_at,
    is_2fa_enabled: false,
    has_social_auth: false,
  }
}

/** `signup_token` is there in the answer that makes one without mail. */
export function invite(row: Invite & { signup_token?: string }, now: string): Schemas['InviteCreated'] {
  return {
    id: row.id,
    target_email: row.target_email,
    first_name: row.first_name,
    emailing_attempt_made: Boolean(row.emailing_attempt_made),
    level: row.level as 1 | 8 | 15,
    is_expired: row.created_at < expiredBefore(now),
    created_by: row.created_by && user(row.created_by),
    created_at: row.created_at,
    updated_at: row.updated_at,
    message: row.message,
    ...(row.signup_token !== undefined && { signup_token: row.signup_token }),
  }
}

export function domain(row: DomainRow): Schemas['Domain'] {
  return {
    id: row.id,
    domain: row.domain,
    is_verified: row.verified_at !== null,
    verified_at: row.verified_at,
    verification_challenge: row.verification_challenge,
    jit_provisioning_enabled: Boolean(row.jit_provisioning_enabled),
    sso_enforcement: row.sso_enforcement as Schemas['Domain']['sso_enforcement'],
    has_saml: Boolean(row.saml_entity_id && row.saml_acs_url && row.saml_x509_cert),
    saml_entity_id: row.saml_entity_id,
    saml_acs_url: row.saml_acs_url,
    saml_x509_cert: row.saml_x509_cert,
  }
}
