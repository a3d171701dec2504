/** Organizations with one resource of every kind, and the kinds of their ids. */
import assert from 'node:assert/strict'
import { type Operation, resolve } from '../../../src/contract/table.ts'
import * as logs from '../../../src/store/batch_export_logs.ts'
import * as organizations from '../../../src/store/organizations.ts'
import * as failedDeliveries from '../../../src/store/plugin_failed_deliveries.ts'
import * as pluginLogs from '../../../src/store/plugin_logs.ts'
import type { SendOptions, TestApp } from '../app.ts'
import { defined, itemAt } from '../assertions/items.ts'
import type { BodyAt } from '../response-bodies.ts'

export const PLUGIN_FAMILIES = ['pipeline_destinations', 'pipeline_frontend_apps', 'pipeline_import_apps'] as const

const KINDS = [
  'organizations',
  'projects',
  'members',
  'invites',
  'signup_tokens',
  'domains',
  'alerts',
  'api_keys',
  'sessions',
  'providers',
  'batch_exports',
  'batch_export_runs',
  'batch_export_backfills',
  'integrations',
  ...PLUGIN_FAMILIES,
  'plugin_configs',
  'plugin_failed_deliveries',
  'plugin_test_events',
  'web_tokens',
  'project_tokens',
  'events',
  'persons',
  'distinct_ids',
] as const

/** The kind of resource that an id names. */
export type Kind = (typeof KINDS)[number]

export interface Tenant {
  owner: { id: number; uuid: string; key: string }
  /** API keys of other members. */
  admin: string
  member: string
  ids: Record<Kind, Id[]>
}

const PARAMETERS: Record<string, Kind> = {
  organization_id: 'organizations',
  project_id: 'projects',
  batch_export_id: 'batch_exports',
  run_id: 'batch_export_runs',
  user__uuid: 'members',
  invite_id: 'invites',
  session_id: 'sessions',
  user_uuid: 'members',
  provider: 'providers',
  plugin_config_id: 'plugin_configs',
  web_token: 'web_tokens',
  hash: 'web_tokens',
  token: 'project_tokens',
}

/** Areas that list the resources of another area. */
export const SAME_KIND: Record<string, Kind> = {
  project_batch_exports: 'batch_exports',
  organization_projects: 'projects',
}

/** The kind of a path parameter. Throws for an unknown parameter. */
export function kindOf(operation: Operation, parameter: string): Kind {
  const area = SAME_KIND[operation.area] ?? operation.area
  const kind = parameter === 'id' ? KINDS.find((known) => known === area) : PARAMETERS[parameter]
  if (!kind) throw new Error(`${operation.id}: add the kind of {${parameter}} to test/helpers/seeds/tenants.ts.`)
  return kind
}

/** The kinds of body fields that contain an id. */
export const REFERENCES: Record<string, Kind> = {
  organization: 'organizations',
  team_id: 'projects',
  batch_export_id: 'batch_exports',
  set_current_organization: 'organizations',
  set_current_team: 'projects',
  plugin: 'pipeline_destinations',
  integration: 'integrations',
  scoped_organizations: 'organizations',
  scoped_teams: 'projects',
}

export const parametersOf = (operation: Operation): string[] =>
  [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

export type Id = string | number

export interface Request {
  path: Record<string, Id>
  query: Record<string, string>
  body: unknown
}

export const urlOf = (operation: Operation, path: Record<string, Id>): string =>
  operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(defined(path[name], name)))

/** A request with the ids of this tenant. It succeeds, or at least finds its resources. */
export function requestOf(operation: Operation, { ids }: Pick<Tenant, 'ids'>): Request {
  // Areas with the same kind of resource delete different ones.
  const index = ['batch_exports', 'organization_projects'].includes(operation.area) ? -1 : 0
  const path = Object.fromEntries(
    parametersOf(operation).map((name) => [name, itemAt(ids[kindOf(operation, name)], index)]),
  )
  const media = operation.source.requestBody?.content['application/json']
  const example = media && structuredClone(resolve(Object.values(media.examples ?? {})[0] ?? { value: {} }).value)
  return { path, query: {}, body: media && replaceIds(example, ids) }
}

const DESTINATION = { type: 'NoOp', config: {} }

/** An example with its ids replaced. */
function replaceIds(value: unknown, ids: Tenant['ids']): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceIds(item, ids))
  if (typeof value !== 'object' || value === null) return value
  if ('type' in value && 'config' in value) return DESTINATION
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      const kind = REFERENCES[key]
      if (kind) return [key, Array.isArray(child) ? [ids[kind][0]] : ids[kind][0]]
      // No connections to other hosts.
      if (key === 'url') return [key, null]
      if (key === 'destination') return [key, DESTINATION]
      if (key === 'api_key') return [key, ids.project_tokens[0]]
      if (key === 'token' && 'first_name' in value) return [key, ids.signup_tokens[0]]
      return [key, replaceIds(child, ids)]
    }),
  )
}

/** Creates an organization with a resource of every kind over the API. All of its texts contain the unique word. */
export async function createTenant(app: TestApp, word: string): Promise<Tenant> {
  const owner = await app.stranger(`${word}@example.com`)
  const { organization_id, project_id } = owner
  await organizations.setPluginsAccess(app.deps.db, organization_id, 9, app.deps.now())
  const send: Send = async (method, path, options) => {
    const response = await app.send(method, path, { key: owner.key, ...options })
    assert(response.status < 300, `${method} ${path} responded with ${response.status}: ${response.text}`)
    return response.body
  }
  const created = await createResources(send, { organization_id, project_id, owner_uuid: owner.uuid }, word)
  const [batch_export_id, [first_run]] = [String(created.ids.batch_exports[0]), created.ids.batch_export_runs]
  const [plugin_config_id] = created.ids.plugin_configs
  const [plugin_id] = created.ids.pipeline_destinations
  await pluginLogs.write(app.deps.db, Number(plugin_config_id), [
    {
      project_id,
      plugin_id: Number(plugin_id),
      timestamp: app.deps.now(),
      source: 'CONSOLE',
      level: 'LOG',
      message: word,
    },
  ])
  const entry = { project_id, batch_export_id, timestamp: app.deps.now(), level: 'INFO' as const }
  for (const run_id of ['', String(first_run)])
    await logs.write(app.deps.db, { ...entry, run_id, message: `About ${word}.` })
  const headers = await app.session({ user_id: owner.id })
  const sessions = await send('GET', '/api/users/@me/login_sessions/', { key: null, headers })
  const ids = {
    ...created.ids,
    sessions: sessions.results.map(({ id }) => id),
    plugin_failed_deliveries: [await createFailedDelivery(app, Number(plugin_config_id), word)],
  }
  return { owner, ...created, ids }
}

/** A delivery fails only in a plugin that runs. Returns its id. */
export async function createFailedDelivery({ deps }: TestApp, plugin_config_id: number, word: string): Promise<string> {
  const [id, event_uuid] = [deps.ids.uuid(), deps.ids.uuid()]
  const failed = { function: 'onEvent', event: `seen-${word}`, error: `Error: ${word}`, attempts: 1 } as const
  await failedDeliveries.add(deps.db, plugin_config_id, [{ id, event_uuid, failed_at: deps.now(), ...failed }])
  return id
}

/** Sends a request, by default as the owner, and returns the response body. Throws for an error response. */
export type Send = <const Method extends string, const Url extends string>(
  method: Method,
  url: Url,
  options?: SendOptions,
) => Promise<BodyAt<Method, Url>>

/** Creates a resource of every kind in an organization with full plugin access. */
export async function createResources(
  send: Send,
  { organization_id, project_id, owner_uuid }: { organization_id: string; project_id: number; owner_uuid: string },
  word: string,
): Promise<Omit<Tenant, 'owner'>> {
  const create = <const Url extends string>(url: Url, body: object) => send('POST', url, { body })
  const organization = `/api/organizations/${organization_id}` as const
  const project = `/api/projects/${project_id}` as const

  const join = async (role: string, level: number): Promise<{ key: string; uuid: string }> => {
    const invite = await create(`${organization}/invites/`, { target_email: `${role}-${word}@example.com`, level })
    const joined = await send('POST', `/api/signup/${invite.id}/`, { key: null, body: { token: invite.signup_token } })
    return { key: String(joined.api_key), uuid: joined.user.uuid }
  }
  const admin = await join('admin', 8)
  const member = await join('member', 1)
  const invite = await create(`${organization}/invites/`, { target_email: `guest-${word}@example.com` })
  const domain = await create(`${organization}/domains/`, { domain: `${word}.example` })
  const alert = await create(`${organization}/alerts/`, {
    name: word,
    triggers: ['failure'],
    channel: 'email',
    emails: [`admin-${word}@example.com`],
  })
  const key = await create('/api/personal_api_keys/', { label: word, scopes: ['*'] })

  const { api_token } = await send('GET', `${project}/`)
  const distinct_id = `person-${word}`
  await send('POST', '/batch/', {
    key: null,
    body: {
      api_key: api_token,
      batch: [
        { event: `seen-${word}`, distinct_id, properties: { plan: word, $set: { name: word } } },
        { event: 'seen', distinct_id: `other-${word}`, properties: { number: 5, plan: word } },
      ],
    },
  })
  const seen = (await send('GET', `${project}/events/?select=["uuid","person_id"]`)).results as [string, string][]

  const second = await create(`${organization}/projects/`, { name: `Second of ${word}` })

  const install = (family: (typeof PLUGIN_FAMILIES)[number]) =>
    create(`${organization}/${family}/`, {
      plugin_type: 'source',
      name: `${family} of ${word}`,
      config_schema: [{ key: 'address', name: 'Address', type: 'string' }],
      source: { 'notes.md': word, 'frontend.tsx': `export const title = '${word}'` },
    })
  const destinations = await install('pipeline_destinations')
  const frontend_apps = await install('pipeline_frontend_apps')
  const import_apps = await install('pipeline_import_apps')
  const config = await create(`${project}/plugin_configs/`, {
    plugin: destinations.id,
    enabled: true,
    config: { address: word },
  })

  const test_event = await create(`${project}/plugin_configs/${config.id}/test_events/`, {
    name: word,
    event: { event: word, distinct_id: word },
    expected: { events: [] },
  })

  // Without secrets, which PostgreSQL stores only with a SECRET_KEY.
  const integration = await create(`${organization}/integrations/`, {
    name: word,
    kind: 'AwsS3',
    config: { region: 'eu-central-1', use_default_credentials: true },
  })
  const destination = { type: 'NoOp', config: {} }
  const batch_export = await create(`${project}/batch_exports/`, { name: word, destination, interval: 'hour' })
  const wide = await create(`${organization}/batch_exports/`, { name: `${word} wide`, destination, interval: 'day' })
  const [start_at, end_at] = ['2025-12-01T00:00:00Z', '2025-12-01T03:00:00Z']
  // A backfill must not end before the first event.
  await send('POST', '/batch/', {
    key: null,
    body: { api_key: api_token, batch: [{ event: 'seen', distinct_id: `other-${word}`, timestamp: start_at }] },
  })
  const { latest_runs, backfill_id } = await create(`${project}/batch_exports/${batch_export.id}/backfill/`, {
    start_at,
    end_at,
  })

  return {
    admin: admin.key,
    member: member.key,
    ids: {
      organizations: [organization_id],
      projects: [project_id, second.id],
      members: [member.uuid, admin.uuid, owner_uuid],
      invites: [invite.id],
      signup_tokens: [String(invite.signup_token)],
      domains: [domain.id],
      alerts: [alert.id],
      api_keys: [key.id],
      // Only a session can list them.
      sessions: [UNKNOWN_UUID],
      providers: [`provider-${word}`],
      batch_exports: [batch_export.id, wide.id],
      batch_export_runs: latest_runs.map(({ id }) => id),
      batch_export_backfills: [backfill_id],
      integrations: [integration.id],
      pipeline_destinations: [destinations.id],
      pipeline_frontend_apps: [frontend_apps.id],
      pipeline_import_apps: [import_apps.id],
      plugin_configs: [config.id],
      plugin_test_events: [test_event.id],
      // Only a plugin that runs has them.
      plugin_failed_deliveries: [UNKNOWN_UUID],
      // The plugin has no site app, so every token is wrong.
      web_tokens: [`web-${word}`],
      project_tokens: [api_token],
      events: seen.map(([uuid]) => uuid),
      persons: seen.map(([, person_id]) => person_id),
      distinct_ids: [distinct_id],
    },
  }
}

/** An id with the format of this kind that does not exist. */
export const unknownId = (kind: Kind): string | number =>
  INTEGERS.has(kind) ? 999_999_999 : (TEXTS[kind] ?? UNKNOWN_UUID)

const UNKNOWN_UUID = '99999999-9999-7999-8999-999999999999'
const INTEGERS = new Set<Kind>(['projects', ...PLUGIN_FAMILIES, 'plugin_configs'])
const TEXTS: Partial<Record<Kind, string>> = {
  signup_tokens: `invite${'9'.repeat(37)}`,
  api_keys: 'key99999999',
  project_tokens: `phc_known${'9'.repeat(38)}`,
  distinct_ids: 'person99999999',
  providers: 'provider99999999',
  web_tokens: `web${'9'.repeat(40)}`,
}
