/**
 * From native values to the forms the contract puts on the wire: the one place that knows them, so that another
 * dialect can be served from the same handlers.
 */
import type { components } from '../contract/openapi.ts'
import type { Dialect } from '../contract/table.ts'
import { parseElements } from '../events/elements.ts'
import type { ListedEvent, PersonSummary } from '../events/list.ts'
import { isoOf } from '../events/time.ts'
import type { CatalogueEntry } from '../plugins/catalogue.ts'
import { fieldsOf, MASK, shown } from '../plugins/settings.ts'
import type { ApiKey } from '../store/api_keys.ts'
import type { LogEntryRow } from '../store/batch_export_logs.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import type { DomainRow } from '../store/domains.ts'
import { expiredBefore, type Invite } from '../store/invites.ts'
import type { MemberRow } from '../store/members.ts'
import type { OrganizationRow } from '../store/organizations.ts'
import type { ActivityRow, Change } from '../store/plugin_activity.ts'
import type { PluginConfigRow } from '../store/plugin_configs.ts'
import type { PluginFile, PluginRow } from '../store/plugins.ts'
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

/** The same for a whole record, from JSON text to JSON: what is stored leaves without being parsed. */
const written = (record: Record<string, string>, jsonFields: readonly string[], dialect: Dialect): string =>
  dialect === 'standard'
    ? JSON.stringify(record)
    : `{${Object.entries(record)
        .map(([name, value]) => `"${name}":${jsonFields.includes(name) ? value : JSON.stringify(value)}`)
        .join(',')}}`

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

/** The destination as it was sent, without its secrets. */
export function batchExport(row: BatchExportRow, latest_runs: RunRow[]): Schemas['BatchExport'] {
  return {
    id: row.id,
    team_id: row.project_id,
    name: row.name,
    destination: {
      type: row.destination_type,
      config: JSON.parse(row.destination_config),
    } as Schemas['Destination'],
    interval: row.interval as Schemas['BatchExportInterval'],
    paused: Boolean(row.paused),
    created_at: row.created_at,
    last_updated_at: row.last_updated_at,
    last_paused_at: row.last_paused_at,
    start_at: row.start_at,
    end_at: row.end_at,
    latest_runs: latest_runs.map(run),
    hogql_query: row.hogql_query,
    schema: row.schema === null ? null : JSON.parse(row.schema),
  }
}

export function run(row: RunRow): Schemas['BatchExportRun'] {
  return {
    id: row.id,
    status: row.status as Schemas['BatchExportRunStatus'],
    records_completed: row.records_completed,
    latest_error: row.latest_error,
    data_interval_start: row.data_interval_start,
    data_interval_end: row.data_interval_end,
    cursor: null,
    created_at: row.created_at,
    finished_at: row.finished_at,
    last_updated_at: row.last_updated_at,
    records_total_count: row.records_total_count,
    batch_export: row.batch_export_id,
  }
}

export function logEntry(row: LogEntryRow): Schemas['BatchExportLogEntry'] {
  const { project_id: team_id, batch_export_id, run_id, timestamp, level, message } = row
  return { team_id, batch_export_id, run_id, timestamp, level, message }
}

const parsed = (text: string | null) => (text === null ? null : JSON.parse(text))

export function plugin(row: PluginRow): Schemas['Plugin'] {
  return {
    id: row.id,
    plugin_type: row.plugin_type,
    name: row.name,
    description: row.description,
    url: row.url,
    icon: row.icon,
    config_schema: parsed(row.config_schema),
    tag: row.tag,
    latest_tag: row.latest_tag,
    is_global: Boolean(row.is_global),
    organization_id: row.organization_id,
    organization_name: row.organization_name,
    capabilities: parsed(row.capabilities),
    metrics: parsed(row.metrics),
    public_jobs: parsed(row.public_jobs),
  }
}

export function pluginWithSource(row: PluginRow, files: readonly PluginFile[]): Schemas['PluginWithSource'] {
  return {
    ...plugin(row),
    source: Object.fromEntries(files.map(({ name, text }) => [name, text])),
    source_errors: Object.fromEntries(files.flatMap(({ name, error }) => (error === null ? [] : [[name, error]]))),
  }
}

export function pluginWithActivity(row: PluginRow, entries: readonly ActivityRow[]): Schemas['PluginWithActivity'] {
  const fields = fieldsOf(JSON.parse(row.config_schema))
  const secret = new Set(fields.filter((field) => field.secret).map(({ key }) => `config__${key}`))
  // What has become a secret since is masked in what was noted before.
  const masked = (change: Change): Change =>
    secret.has(change.field)
      ? { ...change, before: change.before === null ? null : MASK, after: change.after === null ? null : MASK }
      : change
  return {
    ...plugin(row),
    activity: entries.map((entry) => ({
      user: { first_name: entry.first_name, email: entry.email },
      activity: entry.activity,
      scope: entry.scope,
      item_id: entry.item_id,
      detail: {
        name: entry.name,
        changes: (parsed(entry.changes) as Change[] | null)?.map(masked) ?? null,
        trigger: null,
        type: null,
        short_id: null,
      },
      created_at: entry.created_at,
    })),
  }
}

export function pluginConfig(row: PluginConfigRow, of: PluginRow): Schemas['PluginConfig'] {
  return {
    id: row.id,
    plugin: row.plugin_id,
    enabled: Boolean(row.enabled),
    order: row.sort_order,
    config: shown(fieldsOf(JSON.parse(of.config_schema)), JSON.parse(row.config), JSON.parse(row.secret_keys)),
    team_id: row.project_id,
    plugin_info: plugin(of),
    name: row.name || of.name || '',
    description: row.description || of.description || '',
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** In the shape of a plugin, for clients that show both the same way. */
export function catalogPlugin(
  entry: CatalogueEntry,
  place: number,
  { id, name }: Pick<OrganizationRow, 'id' | 'name'>,
): Schemas['CatalogPlugin'] {
  return {
    id: place,
    plugin_type: 'repository',
    name: entry.name,
    description: entry.description,
    url: entry.url,
    icon: entry.icon ?? null,
    config_schema: [],
    tag: null,
    latest_tag: null,
    is_global: false,
    organization_id: id,
    organization_name: name,
    capabilities: {},
    metrics: {},
    public_jobs: {},
    verified: entry.verified,
    maintainer: entry.maintainer,
    type: entry.type,
  }
}

/** As the contract has it, and as a row of a table in every dialect: all strings, what is stored as JSON text as it is. */
export function event(row: ListedEvent): Schemas['Event'] {
  return {
    id: row.uuid,
    distinct_id: row.distinct_id,
    properties: row.properties,
    event: row.event,
    timestamp: isoOf(row.timestamp),
    person: row.person ? personText(row.person) : 'null',
    elements: row.elements_chain === '' ? '[]' : JSON.stringify(parseElements(row.elements_chain)),
    elements_chain: row.elements_chain,
  }
}

/** An event as JSON. */
export const eventText = (row: ListedEvent, dialect: Dialect): string => written({ ...event(row) }, JSON_FIELDS, dialect)

/** What each field holds in several events, given as JSON text of a list, as JSON. */
export const valuesText = (lists: Schemas['Event'], dialect: Dialect): string =>
  written({ ...lists }, EVENT_FIELDS, dialect)

/** The order of the columns where events are a table. */
export const EVENT_FIELDS = [
  'id',
  'distinct_id',
  'properties',
  'event',
  'timestamp',
  'person',
  'elements',
  'elements_chain',
] as const satisfies (keyof Schemas['Event'])[]

/** Those of them that hold JSON text. */
export const JSON_FIELDS: readonly string[] = ['properties', 'person', 'elements'] satisfies (keyof Schemas['Event'])[]

function personText({ is_identified, first_distinct_id, email, name, username }: PersonSummary): string {
  const known = Object.entries({ email, name, username }).filter(([, text]) => text !== null)
  const properties = known.map(([key, text]) => `"${key}":${text}`).join(',')
  return `{"is_identified":${is_identified},"distinct_ids":[${JSON.stringify(first_distinct_id)}],"properties":{${properties}}}`
}
