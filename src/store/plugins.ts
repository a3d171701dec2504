import { storedJson } from '../json/stored.ts'
import type { Db } from '../sql/db.ts'
import {
  assignments,
  chunks,
  type Either,
  forUpdate,
  insertion,
  oneOf,
  rows,
  type Sql,
  sql,
  type Value,
} from '../sql/template.ts'
import { definedFields } from './changes.ts'
import { type Counted, listPage, type Paging } from './rows.ts'

/** All families share one table. The family of a plugin never changes. */
export type Family = 'pipeline_destinations' | 'pipeline_frontend_apps' | 'pipeline_import_apps'

export type PluginType = 'local' | 'custom' | 'repository' | 'source'

/** A plugin with the name of its organization. JSON columns are text. */
export interface PluginRow {
  id: number
  organization_id: string
  organization_name: string
  family: Family
  plugin_type: PluginType | null
  name: string | null
  description: string | null
  url: string | null
  url_key: string | null
  /** Encrypted. */
  private_token: string | null
  icon: string | null
  config_schema: string
  tag: string | null
  latest_tag: string | null
  is_global: boolean | number
  capabilities: string
  metrics: string | null
  public_jobs: string | null
  /** Incremented with every change of the code, to detect concurrent changes. */
  revision: number
}

/** The columns of an update; JSON as text. */
export interface PluginWrite {
  plugin_type?: PluginType | null
  name?: string | null
  description?: string | null
  icon?: string | null
  config_schema?: string
  tag?: string | null
  latest_tag?: string | null
  is_global?: boolean
  capabilities?: string
  metrics?: string | null
  public_jobs?: string | null
}

export interface NewPlugin extends Required<PluginWrite> {
  organization_id: string
  family: Family
  url: string | null
  url_key: string | null
}

export interface PluginFile {
  name: string
  text: string
  /** The syntax error of the code; null when it parses or is not code. */
  error: string | null
  /** Null for errors of the whole file. */
  error_line: number | null
  error_column: number | null
}

export interface TranspiledFile extends PluginFile {
  /** JavaScript for a browser; null when the file does not run there or has an error. */
  transpiled: string | null
}

const row = sql`p.id, p.organization_id, o.name as organization_name, p.family, p.plugin_type, p.name, p.description,
  p.url, p.url_key, p.private_token, p.icon, p.config_schema, p.tag, p.latest_tag, p.is_global, p.capabilities, p.metrics,
  p.public_jobs, p.revision`

const plugins = sql`from plugins p join organizations o on o.id = p.organization_id`

/** SQLite would read all plugins: it does not know that few are global. */
const GLOBAL: Either = { sqlite: sql`plugins indexed by global_plugins`, postgres: sql`plugins` }

/** Its own plugins, global ones, and all plugins that its projects have configured. */
export const visibleTo = (organization_id: string): Sql => sql`p.deleted_at is null and p.id in (
  select id from plugins where organization_id = ${organization_id}
  union select id from ${GLOBAL} where is_global
  union select c.plugin_id from projects r join plugin_configs c on c.project_id = r.id
    where r.organization_id = ${organization_id})`

const enabledIn = (organization_id: string): Sql => sql`p.id in (
  select c.plugin_id from projects r join plugin_configs c on c.project_id = r.id
  where r.organization_id = ${organization_id} and c.enabled = ${true})`

/** `unused` plugins are enabled in none of the organization's projects; `sending` ones are enabled and send events out. */
export type PluginFilter = 'all' | 'unused' | 'sending'

const filterBy = (filter: PluginFilter, organization_id: string): Sql => {
  if (filter === 'unused') return sql`and not ${enabledIn(organization_id)}`
  return filter === 'sending' ? sql`and ${enabledIn(organization_id)} and p.sends_events = ${true}` : sql``
}

export function list(
  db: Db,
  organization_id: string,
  family: Family,
  filter: PluginFilter,
  paging: Paging,
): Promise<Counted<PluginRow>> {
  const chosen = sql`p.family = ${family} and ${visibleTo(organization_id)} ${filterBy(filter, organization_id)}`
  const found = sql`${plugins} where ${chosen}`
  return listPage(db, paging, row, found, sql`p.id`, sql`from plugins p where ${chosen}`)
}

/** Undefined when the organization cannot see the plugin. Without a family, all families match. */
export function get(db: Db, organization_id: string, id: number, family?: Family): Promise<PluginRow | undefined> {
  return db.get<PluginRow>(sql`
    select ${row} ${plugins} where p.id = ${id} and ${visibleTo(organization_id)}
    ${family === undefined ? sql`` : sql`and p.family = ${family}`}`)
}

/** Ignores visibility and includes uninstalled plugins. */
export async function byIds(db: Db, ids: readonly number[]): Promise<Map<number, PluginRow>> {
  if (ids.length === 0) return new Map()
  const found = await db.all<PluginRow>(sql`select ${row} ${plugins} where p.id in ${oneOf(ids)}`)
  return new Map(found.map((plugin) => [plugin.id, plugin]))
}

/** Locks the plugin until the transaction ends; undefined when it was uninstalled. */
export async function lock(tx: Db, id: number): Promise<PluginRow | undefined> {
  const locked = await tx.get(sql`select id from plugins where id = ${id} and deleted_at is null ${forUpdate}`)
  return locked ? tx.get<PluginRow>(sql`select ${row} ${plugins} where p.id = ${id}`) : undefined
}

export async function hasUrl(db: Db, organization_id: string, url_key: string): Promise<boolean> {
  const found = await db.get(sql`
    select 1 from plugins where organization_id = ${organization_id} and url_key = ${url_key} and deleted_at is null`)
  return found !== undefined
}

/** Undefined when the organization already has a plugin from that URL. */
export async function create(tx: Db, plugin: NewPlugin, now: string): Promise<number | undefined> {
  const row = insertion({
    ...plugin,
    latest_tag_checked_at: plugin.latest_tag === null ? null : now,
    sends_events: sendsEvents(plugin.capabilities),
    revision: 0,
    created_at: now,
    updated_at: now,
  })
  const created = await tx.get<{ id: number }>(sql`insert into plugins ${row} on conflict do nothing returning id`)
  return created?.id
}

/** A separate statement, because the token is encrypted with the id of the row. */
export async function setToken(tx: Db, id: number, private_token: string): Promise<void> {
  await tx.run(sql`update plugins set private_token = ${private_token} where id = ${id}`)
}

/** Lock the plugin first. */
export async function update(tx: Db, id: number, changes: PluginWrite, now: string): Promise<void> {
  const { capabilities } = changes
  const set = {
    ...definedFields(changes),
    ...(capabilities !== undefined && { sends_events: sendsEvents(capabilities) }),
    updated_at: now,
  }
  await tx.run(sql`update plugins set ${assignments(set)} where id = ${id}`)
}

/** Returns false when the code was changed or uninstalled since `revision` was read. */
export async function replaceFiles(
  tx: Db,
  { id, revision }: Pick<PluginRow, 'id' | 'revision'>,
  files: readonly TranspiledFile[],
): Promise<boolean> {
  const moved = await tx.run(sql`
    update plugins set revision = revision + 1 where id = ${id} and revision = ${revision} and deleted_at is null`)
  if (!moved) return false
  await tx.run(sql`delete from plugin_files where plugin_id = ${id}`)
  for (const chunk of chunks(files))
    await tx.run(sql`
      insert into plugin_files (plugin_id, name, text, error, error_line, error_column, transpiled)
      values ${rows(
        chunk.map((file): Value[] => [
          id,
          file.name,
          file.text,
          file.error,
          file.error_line,
          file.error_column,
          file.transpiled,
        ]),
      )}`)
  return true
}

export function files(db: Db, plugin_id: number): Promise<PluginFile[]> {
  return db.all<PluginFile>(sql`
    select name, text, error, error_line, error_column from plugin_files where plugin_id = ${plugin_id} order by name`)
}

/** Leaves `updated_at`, because no user changed the plugin. */
export async function setLatestTag(db: Db, id: number, latest_tag: string | null, now: string): Promise<void> {
  await db.run(sql`
    update plugins set latest_tag = ${latest_tag}, latest_tag_checked_at = ${now} where id = ${id} and deleted_at is null`)
}

/** Deletes code, token and configurations. The row remains for its activity. */
export async function remove(tx: Db, id: number, now: string): Promise<void> {
  await tx.run(sql`delete from plugin_files where plugin_id = ${id}`)
  await tx.run(sql`delete from plugin_configs where plugin_id = ${id}`)
  await tx.run(sql`
    update plugins set deleted_at = ${now}, updated_at = ${now}, private_token = null, revision = revision + 1
    where id = ${id}`)
}

const SENDING_METHODS = ['onEvent', 'composeWebhook', 'exportEvents']

const sendsEvents = (capabilities: string): boolean => {
  const { methods = [] } = storedJson<{ methods?: string[] }>(capabilities)
  return methods.some((method) => SENDING_METHODS.includes(method))
}
