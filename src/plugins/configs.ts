/** Creates, changes and removes configurations: the settings of a plugin in one project. */
import { isDeepStrictEqual } from 'node:util'
import { requireLevel } from '../auth/access.ts'
import { requireScope } from '../auth/caller.ts'
import { ALL_SCOPES } from '../auth/scopes.ts'
import type { Config } from '../config.ts'
import type { components } from '../contract/openapi.ts'
import { invalid, notFound } from '../errors.ts'
import { followCondition } from '../events/follow.ts'
import { resumePosition } from '../events/positions.ts'
import type { Ids } from '../ids.ts'
import { storedJson } from '../json/stored.ts'
import type { Database, Db } from '../sql/db.ts'
import type { UserActor } from '../store/activity_log.ts'
import * as activityLog from '../store/activity_log.ts'
import { changedFields, isEmpty } from '../store/changes.ts'
import { secretChange } from '../store/field-changes.ts'
import { ADMIN, type Level, userOfProject } from '../store/members.ts'
import type { Activity, FieldChange } from '../store/plugin_activity.ts'
import * as store from '../store/plugin_configs.ts'
import * as jobs from '../store/plugin_jobs.ts'
import * as logs from '../store/plugin_logs.ts'
import * as states from '../store/plugin_states.ts'
import * as plugins from '../store/plugins.ts'
import { returnedRow } from '../store/rows.ts'
import { ownerOf } from '../store/secrets.ts'
import { decryptIfReadable, type Vault } from '../store/vault.ts'
import { epochMicroseconds } from '../time/stored.ts'
import { loggedChanges } from './activity.ts'
import { fileDigest, fileInfo, storedFile } from './attachments.ts'
import { diffFields } from './changes.ts'
import { type RunState, runStates } from './metrics.ts'
import type { Capabilities } from './runtime/capabilities.ts'
import { changeWithin } from './service.ts'
import { type ConfigValues, fieldsOf, MASK, maskSecrets, requireComplete, resolveValues } from './settings.ts'
import { requireLoads } from './switch-off.ts'

type Schemas = components['schemas']

export interface ConfigService {
  config: Pick<Config, 'GEOIP_DATABASE'>
  db: Db
  events: Database
  ids: Ids
  now: () => string
  vault: Vault
}

export interface ConfigWithPlugin {
  config: store.PluginConfigRow
  plugin: plugins.PluginRow
}

export interface DescribedConfig extends ConfigWithPlugin {
  state: RunState
}

/** Precedes the name of a setting in the activity log. */
const SETTING = 'config__'
export const NO_VALUES: ConfigValues = { open: {}, secrets: {} }

export async function list(
  { db, now }: Pick<ConfigService, 'db' | 'now'>,
  project_id: number,
  paging: { limit: number; offset: number },
): Promise<{ count: number; rows: DescribedConfig[] }> {
  const { count, rows } = await store.list(db, project_id, paging)
  const plugin_ids = new Set(rows.map(({ plugin_id }) => plugin_id))
  const ids = rows.map(({ id }) => id)
  const [pluginOf, stateOf] = await Promise.all([plugins.byIds(db, [...plugin_ids]), runStates(db, ids, now())])
  return {
    count,
    rows: rows.flatMap((config) => {
      const plugin = pluginOf.get(config.plugin_id)
      return plugin ? [{ config, plugin, state: stateOf(config.id) }] : []
    }),
  }
}

export async function describe(
  { db, now }: Pick<ConfigService, 'db' | 'now'>,
  config: store.PluginConfigRow,
): Promise<DescribedConfig> {
  const [described, stateOf] = await Promise.all([withPlugin(db, config), runStates(db, [config.id], now())])
  return { ...described, state: stateOf(config.id) }
}

export async function withPlugin(db: Db, config: store.PluginConfigRow): Promise<ConfigWithPlugin> {
  const found = await plugins.byIds(db, [config.plugin_id])
  return { config, plugin: returnedRow(found.get(config.plugin_id)) }
}

/** The project that a configuration belongs to, the caller's level in its organization, and the caller's scopes. */
interface Project {
  id: number
  organization_id: string
  membership_level: Level
  scopes: readonly string[]
}

export async function create(
  service: ConfigService,
  project: Project,
  input: Schemas['PluginConfigCreate'],
  actor: UserActor,
): Promise<DescribedConfig> {
  const { db, events, ids, now, vault } = service
  const position = await resumePosition(events, 'events')
  const created = await changeWithin(db, project.organization_id, async (tx) => {
    const plugin = await plugins.lock(tx, input.plugin)
    if (!plugin || !(await plugins.get(tx, project.organization_id, input.plugin)))
      throw invalid('plugin', 'This plugin does not exist or is not visible. Check the id.', 'does_not_exist')
    if (input.enabled) await requireLoads(tx, plugin.id)
    const values = resolveValues(fieldsOf(plugin), input.config ?? {}, NO_VALUES)
    checkFilters(input.filters, plugin, now())
    const empty = await store.create(
      tx,
      {
        plugin_id: plugin.id,
        project_id: project.id,
        enabled: input.enabled ?? false,
        sort_order: input.order ?? 0,
        config: '{}',
        secret_keys: '[]',
        name: input.name ?? null,
        description: input.description ?? null,
        filters: filtersText(input.filters) ?? null,
        api_access_user_id: input.api_access ? allowedBy(project, actor) : null,
        web_token: ids.webToken(),
      },
      now(),
    )
    const config = await store.update(tx, empty.id, encryptedColumns(vault, empty.id, values), now())
    if (config.enabled) await begin(tx, service, { config, plugin }, position, false)
    await recordChange(tx, service, { project, actor, plugin, after: config })
    return config
  })
  return describe(service, created)
}

export async function update(
  service: ConfigService,
  project: Project,
  { id, plugin_id }: store.PluginConfigRow,
  input: Schemas['PluginConfigWrite'],
  actor: UserActor,
): Promise<DescribedConfig> {
  const { db, events, now, vault } = service
  const position = await resumePosition(events, 'events')
  const updated = await changeWithin(db, project.organization_id, async (tx) => {
    const plugin = await plugins.lock(tx, plugin_id)
    const before = await store.lock(tx, id)
    if (!plugin || !before) throw notFound()
    const fields = fieldsOf(plugin)
    const visible = visibleFields({ config: before, plugin })
    const isChanged = !isDeepStrictEqual(input.config, visible.config)
    const values =
      input.config && isChanged
        ? resolveValues(fields, input.config, valuesToUpdate(vault, before, input.config), project.membership_level)
        : undefined
    // A setting may decide where the plugin sends what it reads.
    if (values && before.api_access_user_id !== null) requireLevel(project.membership_level, ADMIN)
    if (input.enabled && !before.enabled) await requireLoads(tx, plugin.id)
    // After an upgrade of the plugin, stored settings may be incomplete. Disabling must still work.
    if (!values && input.enabled && !before.enabled) requireComplete(fields, valuesOf(vault, before))
    const { enabled, order, name, description } = input
    const { order: sort_order, ...rest } = changedFields(visible, { enabled, order, name, description })
    const filters = isDeepStrictEqual(input.filters, visible.filters) ? undefined : filtersText(input.filters)
    const access = await accessChange(tx, project, before, input.api_access, actor)
    if (filters !== undefined) checkFilters(input.filters, plugin, now())
    const changes = {
      ...rest,
      ...(access !== undefined && { api_access_user_id: access }),
      ...(filters !== undefined && { filters }),
      ...(sort_order !== undefined && { sort_order }),
      ...(values && encryptedColumns(vault, id, values)),
    }
    if (isEmpty(changes)) return before
    const config = await store.update(tx, id, changes, now())
    if (config.enabled && !before.enabled) await begin(tx, service, { config, plugin }, position, input.skip ?? false)
    await recordChange(tx, service, { project, actor, plugin, before, after: config })
    return config
  })
  return describe(service, updated)
}

/** Who allows `posthog.api` from now on; undefined for no change. Another administrator takes over from one who has left. */
async function accessChange(
  tx: Db,
  project: Project,
  { api_access_user_id: allowed }: store.PluginConfigRow,
  sent: boolean | undefined,
  actor: UserActor,
): Promise<number | null | undefined> {
  if (sent === undefined) return undefined
  if (!sent) return allowed === null ? undefined : null
  const isKept = allowed !== null && (await userOfProject(tx, allowed, project.id)) !== undefined
  return isKept ? undefined : allowedBy(project, actor)
}

/** The plugin reads what this administrator can read, with all scopes, so a key with fewer cannot allow it. */
function allowedBy({ membership_level, scopes }: Project, { user }: UserActor): number {
  requireLevel(membership_level, ADMIN)
  requireScope({ scopes }, ALL_SCOPES)
  return user.id
}

/** Starts an enabled configuration. `skip`: without the events of the pause. */
async function begin(
  tx: Db,
  service: ConfigService,
  { config, plugin }: ConfigWithPlugin,
  position: number,
  skip: boolean,
): Promise<void> {
  await states.enable(tx, config.id, position, skip)
  await queueSetup(tx, service, plugin, config.id)
  await warnWithoutLocations(tx, service, config)
}

/** Plugins with jobs or schedules are loaded when they are enabled, because `setupPlugin` may start jobs. Others are loaded with the first event. */
async function queueSetup(
  tx: Db,
  { ids, now }: ConfigService,
  { capabilities }: plugins.PluginRow,
  plugin_config_id: number,
): Promise<void> {
  const { jobs: own = [], scheduled_tasks = [] } = storedJson<Partial<Capabilities>>(capabilities)
  if (own.length + scheduled_tasks.length === 0) return
  const time = now()
  const job = { id: ids.uuid(), plugin_config_id, name: jobs.SETUP, payload: 'null', origin: null }
  await jobs.create(tx, { ...job, run_at: time, created_at: time })
}

/** Without a database of locations, `geoip.locate` returns null. */
async function warnWithoutLocations(
  tx: Db,
  { config: { GEOIP_DATABASE }, now }: ConfigService,
  { id, plugin_id, project_id }: store.PluginConfigRow,
): Promise<void> {
  if (GEOIP_DATABASE !== undefined) return
  const files = await plugins.files(tx, plugin_id)
  if (!files.some(({ text }) => text.includes('geoip') && text.includes('locate'))) return
  const message =
    'The plugin uses geoip, which finds no locations here. The operator provides them with GEOIP_DATABASE.'
  await logs.write(tx, id, [{ plugin_id, project_id, timestamp: now(), source: 'SYSTEM', level: 'WARN', message }])
}

export function remove(
  service: ConfigService,
  project: Pick<Project, 'id' | 'organization_id'>,
  { id, plugin_id }: store.PluginConfigRow,
  actor: UserActor,
): Promise<void> {
  return changeWithin(service.db, project.organization_id, async (tx) => {
    const plugin = await plugins.lock(tx, plugin_id)
    const before = await store.lock(tx, id)
    if (!plugin || !before) throw notFound()
    await store.remove(tx, id)
    await recordChange(tx, service, { project, actor, plugin, before })
  })
}

/** The fields that callers see: secrets are masked, and name and description default to those of the plugin. */
export function visibleFields({ config: row, plugin }: ConfigWithPlugin) {
  const fields = fieldsOf(plugin)
  return {
    enabled: Boolean(row.enabled),
    order: row.sort_order,
    config: maskSecrets(fields, storedJson(row.config), storedJson(row.secret_keys)),
    name: row.name || plugin.name || '',
    description: row.description || plugin.description || '',
    filters: row.filters === null ? null : storedJson<Schemas['PluginFilters']>(row.filters),
    api_access: row.api_access_user_id !== null,
  }
}

/** A condition can read what only stored events have, such as their persons. */
function checkFilters(filters: Schemas['PluginConfigWrite']['filters'], plugin: plugins.PluginRow, now: string): void {
  if (filters?.where === undefined) return
  const { methods = [] } = storedJson<Partial<Capabilities>>(plugin.capabilities)
  if (methods.includes('processEvent'))
    throw invalid(
      'filters__where',
      'A HogQL condition applies to stored events, and this plugin has processEvent. Use "events" instead.',
    )
  followCondition(filters.where, 'filters__where', epochMicroseconds(now))
}

/** Undefined is not sent, null is no filter. */
const filtersText = (filters: Schemas['PluginConfigWrite']['filters']): string | null | undefined =>
  filters ? JSON.stringify(filters) : filters

export const valuesOf = (vault: Vault, { id, config, secrets }: store.PluginConfigRow): ConfigValues => ({
  open: storedJson(config),
  secrets: secrets === null ? {} : storedJson(vault.decrypt(secrets, ownerOf('plugin_configs', id))),
})

/** Secrets that cannot be decrypted are treated as missing if all of them are sent. Throws `secret_unreadable` otherwise. */
function valuesToUpdate(vault: Vault, row: store.PluginConfigRow, sent: Record<string, unknown>): ConfigValues {
  const keys = storedJson<string[]>(row.secret_keys)
  const isReplaced = keys.every((key) => sent[key] !== undefined && sent[key] !== null && sent[key] !== MASK)
  return isReplaced && isLost(vault, row) ? { open: storedJson(row.config), secrets: {} } : valuesOf(vault, row)
}

const isLost = (vault: Vault, { id, secrets }: store.PluginConfigRow): boolean =>
  secrets !== null && decryptIfReadable(vault, secrets, ownerOf('plugin_configs', id)) === null

function encryptedColumns(vault: Vault, id: number, { open, secrets }: ConfigValues) {
  const keys = Object.keys(secrets)
  return {
    config: JSON.stringify(open),
    secret_keys: JSON.stringify(keys),
    secrets: keys.length ? vault.encrypt(JSON.stringify(secrets), ownerOf('plugin_configs', id)) : null,
  }
}

interface ConfigChange {
  project: Pick<Project, 'id' | 'organization_id'>
  actor: UserActor
  plugin: plugins.PluginRow
  /** Absent when the configuration was created. */
  before?: store.PluginConfigRow
  /** Absent when the configuration was removed. */
  after?: store.PluginConfigRow
}

/** Records nothing when no field changed. */
async function recordChange(
  tx: Db,
  { vault, ids, now }: ConfigService,
  { project, actor, plugin, before, after }: ConfigChange,
): Promise<void> {
  const row = after ?? before
  if (!row) return
  const old = before ? comparableFields(before, plugin) : {}
  const current = after ? comparableFields(after, plugin) : {}
  const visible = diffFields('PluginConfig', old, current)
  // A replaced secret looks the same before and after, because both are masked.
  const replaced = before && after ? replacedIn(vault, before, after) : []
  const masked = replaced
    .filter((field) => !visible.some((change) => change.field === field))
    .map((field): FieldChange => {
      const mask = old[field] ?? current[field]
      return { type: 'PluginConfig', action: 'changed', field, before: mask, after: mask }
    })
  const changes = [...visible, ...masked]
  if (changes.length === 0) return
  const activity = activityOf(before, after, changes)
  const name = row.name || plugin.name
  await activityLog.record(tx, ids, now(), actor, {
    organization_id: project.organization_id,
    project_id: project.id,
    area: 'plugin_configs',
    activity,
    item_id: row.id,
    item_name: name,
    // An upgrade of the plugin may declare a setting secret later, so no setting has values here.
    changes: loggedChanges(changes).map((change) =>
      change.field.startsWith(SETTING) ? secretChange(change.field) : change,
    ),
    plugin: { id: plugin.id, changes },
  })
}

function activityOf(
  before: store.PluginConfigRow | undefined,
  after: store.PluginConfigRow | undefined,
  changes: readonly FieldChange[],
): Activity {
  if (!after) return 'config_deleted'
  if (Boolean(before?.enabled) !== Boolean(after.enabled)) return after.enabled ? 'enabled' : 'disabled'
  if (!before) return 'config_created'
  return changes.every(({ field }) => field === 'order') ? 'order_changed' : 'config_updated'
}

function comparableFields(row: store.PluginConfigRow, plugin: plugins.PluginRow): Record<string, unknown> {
  const { enabled, order, config, filters, api_access } = visibleFields({ config: row, plugin })
  const open = storedJson<Record<string, unknown>>(row.config)
  const files = fieldsOf(plugin).filter(({ type }) => type === 'attachment')
  const settings = Object.entries(config).map(([key, value]) => {
    const isFile = value !== MASK && files.some((field) => field.key === key)
    const file = isFile ? storedFile(key, open[key]) : undefined
    return [`${SETTING}${key}`, file ? { ...fileInfo(key, file), sha256: fileDigest(file) } : value]
  })
  return {
    enabled,
    order,
    name: row.name,
    description: row.description,
    filters,
    api_access,
    ...Object.fromEntries(settings),
  }
}

/** Secrets that could not be decrypted are replaced if the row has others now. */
function replacedIn(vault: Vault, before: store.PluginConfigRow, after: store.PluginConfigRow): string[] {
  if (before.secrets === after.secrets) return []
  if (isLost(vault, before)) return storedJson<string[]>(before.secret_keys).map((key) => `${SETTING}${key}`)
  return replacedSecrets(valuesOf(vault, before), valuesOf(vault, after))
}

const replacedSecrets = (before: ConfigValues, after: ConfigValues): string[] =>
  Object.keys(after.secrets)
    .filter((key) => Object.hasOwn(before.secrets, key))
    .filter((key) => JSON.stringify(before.secrets[key]) !== JSON.stringify(after.secrets[key]))
    .map((key) => `${SETTING}${key}`)
