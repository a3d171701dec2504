/** Installs, changes, upgrades and uninstalls plugins. Every change is recorded in the activity log. */
import { requireLevel } from '../auth/access.ts'
import type { components } from '../contract/openapi.ts'
import { invalid, notFound, unavailable } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import type { UserActor } from '../store/activity_log.ts'
import { ADMIN } from '../store/members.ts'
import { lockOrganization, type OrganizationRow } from '../store/organizations.ts'
import type { Activity, FieldChange } from '../store/plugin_activity.ts'
import { haveSecretsOrAccess } from '../store/plugin_configs.ts'
import * as store from '../store/plugins.ts'
import { returnedRow } from '../store/rows.ts'
import { ownerOf } from '../store/secrets.ts'
import type { Vault } from '../store/vault.ts'
import { requireMayShare } from './access.ts'
import { diffPlugins, recordPluginActivity } from './activity.ts'
import { diffFiles } from './changes.ts'
import {
  changedColumns,
  fetchedPlugin,
  manifestColumns,
  type NewPluginInput,
  type PluginInput,
  publishedColumns,
  uploadedPlugin,
} from './columns.ts'
import type { CodeInspector } from './runtime/sandbox.ts'
import { inspectFiles, manifestIn, mergeFiles, readEdit, textsOf } from './source-files.ts'
import type { PluginSources } from './sources.ts'
import { mainError, replaceBroken } from './switch-off.ts'
import type { PluginUrl } from './url.ts'

type Schemas = components['schemas']

/** Of several concurrent edits of one plugin, at least one succeeds in each attempt. */
const MAX_ATTEMPTS = 5

export interface PluginService {
  db: Db
  ids: Ids
  now: () => string
  vault: Vault
  sources: PluginSources
  inspector: CodeInspector
}

/** Locks the organization first, in every change of plugins and configurations, to avoid deadlocks. */
export const changeWithin = <Result>(
  db: Db,
  organization_id: string,
  work: (tx: Db) => Promise<Result>,
): Promise<Result> =>
  db.tx(async (tx) => {
    if (!(await lockOrganization(tx, organization_id))) throw notFound()
    return work(tx)
  })

export async function install(
  { db, ids, now, vault, sources, inspector }: PluginService,
  organization: OrganizationRow,
  family: store.Family,
  input: NewPluginInput,
  actor: UserActor,
): Promise<store.PluginRow> {
  if (input.is_global) requireMayShare(organization)
  const url = input.url ? sources.parse(input.url) : null
  if (url && (input.source || input.plugin_type === 'source'))
    throw invalid('url', 'A plugin has either a URL or a source. Send one of the two.')
  if (url && (await store.hasUrl(db, organization.id, url.key))) throw urlTaken()
  const { columns, code } = url
    ? await fetchedPlugin(inspector, url, input, await sources.fetch(url.origin, url.token))
    : await uploadedPlugin(inspector, input)

  return changeWithin(db, organization.id, async (tx) => {
    const id = await store.create(tx, { organization_id: organization.id, family, ...columns }, now())
    if (id === undefined) throw urlTaken()
    if (url?.token) await store.setToken(tx, id, vault.encrypt(url.token, ownerOf('plugins', id)))
    await store.replaceFiles(tx, { id, revision: 0 }, code.files)
    const plugin = returnedRow(await store.lock(tx, id))
    await recordPluginActivity(tx, { plugin, actor, activity: 'installed', ids, now: now() })
    return plugin
  })
}

export function update(
  { db, ids, now }: PluginService,
  organization: OrganizationRow,
  id: number,
  input: PluginInput,
  actor: UserActor,
): Promise<store.PluginRow> {
  return changeWithin(db, organization.id, async (tx) => {
    const before = await store.lock(tx, id)
    if (!before) throw notFound()
    if (input.is_global !== undefined && input.is_global !== Boolean(before.is_global)) requireMayShare(organization)
    const columns = changedColumns(before, input)
    if (columns.config_schema !== undefined && columns.config_schema !== before.config_schema)
      await requireMayChangeCode(tx, id, organization.membership_level)
    return change(tx, before, columns, { ids, actor, activity: 'updated', now: now() })
  })
}

export function uninstall(
  { db, ids, now }: PluginService,
  { organization_id, id }: store.PluginRow,
  actor: UserActor,
): Promise<void> {
  return changeWithin(db, organization_id, async (tx) => {
    const plugin = await store.lock(tx, id)
    if (!plugin) throw notFound()
    if (plugin.is_global)
      throw invalid(null, 'This plugin is global. Set "is_global" to false before you uninstall it.')
    await store.remove(tx, id, now())
    await recordPluginActivity(tx, { plugin, actor, activity: 'uninstalled', ids, now: now() })
  })
}

export interface PluginWithFiles {
  plugin: store.PluginRow
  files: store.PluginFile[]
}

/** Merges an edit into the source. Retries when another edit was committed in the meantime. */
export async function updateSource(
  { db, ids, now, inspector }: PluginService,
  { membership_level }: OrganizationRow,
  { organization_id, id, family }: store.PluginRow,
  body: Schemas['PluginSourceWrite'],
  actor: UserActor,
): Promise<PluginWithFiles> {
  const edit = readEdit(body)
  const isAllowed = body.allow_broken ?? false
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const before = await store.get(db, organization_id, id, family)
    if (!before) throw notFound()
    const stored = await store.files(db, id)
    const texts = textsOf(stored)
    const merged = mergeFiles(texts, edit)
    const changedFiles = diffFiles(texts, merged)
    if (changedFiles.length === 0) return { plugin: before, files: stored }
    const { files, capabilities } = await inspectFiles(inspector, merged)
    const plugin = await changeWithin(db, organization_id, async (tx) => {
      const locked = await store.lock(tx, id)
      if (!locked) throw notFound()
      // Merge with the other edit first. Nothing is switched off for code that is not stored.
      if (locked.revision !== before.revision) return undefined
      await requireMayChangeCode(tx, id, membership_level)
      const error = mainError(files)
      if (error !== null)
        await replaceBroken(tx, { ids, now: now() }, id, { error, attr: 'source__index.ts', isAllowed })
      await store.replaceFiles(tx, locked, files)
      const manifest = merged['plugin.json'] === texts['plugin.json'] ? undefined : manifestIn(merged)
      const columns = { capabilities, ...(manifest && manifestColumns(manifest)) }
      return change(tx, locked, columns, { ids, actor, activity: 'source_updated', changedFiles, now: now() })
    })
    if (plugin) return { plugin, files }
  }
  throw unavailable('Other requests are changing the code of this plugin. Read the source again, then retry.')
}

/** Plugins without a remote origin have no updates. */
export async function checkForUpdates(service: PluginService, plugin: store.PluginRow): Promise<store.PluginRow> {
  const { db, now, sources } = service
  const url = remoteUrl(service, plugin)
  if (!url) return plugin
  const latest_tag = await sources.latest(url.origin, tokenOf(service, plugin))
  await store.setLatestTag(db, plugin.id, latest_tag, now())
  return { ...plugin, latest_tag }
}

export async function upgrade(
  service: PluginService,
  { membership_level }: OrganizationRow,
  plugin: store.PluginRow,
  actor: UserActor,
): Promise<store.PluginRow> {
  const { db, ids, now, sources } = service
  const url = remoteUrl(service, plugin)
  if (!url) return plugin
  const { tag, manifest, files } = await sources.fetch(url.origin, tokenOf(service, plugin))
  const code = await inspectFiles(service.inspector, files)
  return changeWithin(db, plugin.organization_id, async (tx) => {
    const before = await store.lock(tx, plugin.id)
    await requireMayChangeCode(tx, plugin.id, membership_level)
    const error = mainError(code.files)
    if (error !== null) await replaceBroken(tx, { ids, now: now() }, plugin.id, { error, attr: null, isAllowed: false })
    if (!before || !(await store.replaceFiles(tx, before, code.files))) throw notFound()
    const columns = { ...publishedColumns(manifest), capabilities: code.capabilities, tag, latest_tag: tag }
    return change(tx, before, columns, { ids, actor, activity: 'upgraded', now: now() })
  })
}

/**
 * New code can send the secrets of the plugin's configurations, and what they read with `posthog.api`, anywhere. A new schema can
 * make secrets visible. The plugin is locked, so no configuration with secrets or access is created meanwhile.
 */
async function requireMayChangeCode(tx: Db, plugin_id: number, level: number): Promise<void> {
  if (await haveSecretsOrAccess(tx, plugin_id)) requireLevel(level, ADMIN)
}

/** Undefined for plugins that were not fetched from a remote host. */
const remoteUrl = ({ sources }: PluginService, { url, plugin_type }: store.PluginRow): PluginUrl | undefined =>
  url === null || plugin_type === 'local' ? undefined : sources.parse(url)

const tokenOf = ({ vault }: PluginService, { id, private_token }: store.PluginRow): string | null =>
  private_token === null ? null : vault.decrypt(private_token, ownerOf('plugins', id))

/** Updates a locked plugin. Records an upgrade always, other activities only when something changed. */
async function change(
  tx: Db,
  before: store.PluginRow,
  columns: store.PluginWrite,
  {
    ids,
    actor,
    activity,
    changedFiles = [],
    now,
  }: { ids: Ids; actor: UserActor; activity: Activity; changedFiles?: FieldChange[]; now: string },
): Promise<store.PluginRow> {
  await store.update(tx, before.id, columns, now)
  const plugin = returnedRow(await store.lock(tx, before.id))
  const changes = [...changedFiles, ...diffPlugins(before, plugin)]
  if (changes.length || activity === 'upgraded')
    await recordPluginActivity(tx, { plugin, actor, activity, changes, ids, now })
  return plugin
}

const urlTaken = () =>
  invalid('url', 'This organization already has a plugin from that URL. Use the installed one.', 'unique')
