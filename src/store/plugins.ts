import type { Db } from '../sql/db.ts'
import { assignments, chunks, forUpdate, oneOf, rows, type Sql, sql, type Value } from '../sql/template.ts'

/** One table holds all families; which one a plugin is in was decided when it was made. */
export type Family = 'pipeline_destinations' | 'pipeline_frontend_apps' | 'pipeline_import_apps'

export type PluginType = 'local' | 'custom' | 'repository' | 'source'

/** A plugin with its owner's name. What is JSON is text. */
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
  /** Sealed. */
  private_token: string | null
  icon: string | null
  config_schema: string
  tag: string | null
  latest_tag: string | null
  is_global: boolean | number
  capabilities: string
  metrics: string | null
  public_jobs: string | null
  /** Moves with every change of the code, so that two who change it at once notice. */
  revision: number
}

/** What a change writes; JSON as text. */
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
  /** What is wrong with the code; null where it parses or is none. */
  error: string | null
}

interface Paging {
  limit: number
  offset: number
}

const row = sql`p.id, p.organization_id, o.name as organization_name, p.family, p.plugin_type, p.name, p.description,
  p.url, p.url_key, p.private_token, p.icon, p.config_schema, p.tag, p.latest_tag, p.is_global, p.capabilities, p.metrics,
  p.public_jobs, p.revision`

const plugins = sql`from plugins p join organizations o on o.id = p.organization_id`

/** Its own, the global ones, and those its projects have configured: what a project uses does not vanish from sight. */
export const visibleTo = (organization_id: string): Sql => sql`p.deleted_at is null and p.id in (
  select id from plugins where organization_id = ${organization_id}
  union select id from plugins where is_global
  union select c.plugin_id from projects r join plugin_configs c on c.project_id = r.id
    where r.organization_id = ${organization_id})`

const enabledIn = (organization_id: string): Sql => sql`p.id in (
  select c.plugin_id from projects r join plugin_configs c on c.project_id = r.id
  where r.organization_id = ${organization_id} and c.enabled = ${true})`

/** `unused` are enabled in none of the organization's projects; `sending` are enabled in one and send events elsewhere. */
export type PluginFilter = 'all' | 'unused' | 'sending'

const narrowed = (which: PluginFilter, organization_id: string): Sql => {
  if (which === 'unused') return sql`and not ${enabledIn(organization_id)}`
  return which === 'sending' ? sql`and ${enabledIn(organization_id)} and p.sends_events = ${true}` : sql``
}

export async function list(
  db: Db,
  organization_id: string,
  family: Family,
  which: PluginFilter,
  { limit, offset }: Paging,
): Promise<{ count: number; rows: PluginRow[] }> {
  const chosen = sql`p.family = ${family} and ${visibleTo(organization_id)} ${narrowed(which, organization_id)}`
  const found = await db.all<PluginRow>(
    sql`select ${row} ${plugins} where ${chosen} order by p.id limit ${limit} offset ${offset}`,
  )
  return { count: await db.count(sql`from plugins p where ${chosen}`), rows: found }
}

/** Undefined for what the organization does not see. Without a family, of whichever it is. */
export function get(db: Db, organization_id: string, id: number, family?: Family): Promise<PluginRow | undefined> {
  return db.get<PluginRow>(sql`
    select ${row} ${plugins} where p.id = ${id} and ${visibleTo(organization_id)}
    ${family === undefined ? sql`` : sql`and p.family = ${family}`}`)
}

/** Whoever sees them; uninstalled ones too. */
export async function byIds(db: Db, ids: readonly number[]): Promise<Map<number, PluginRow>> {
  if (ids.length === 0) return new Map()
  const found = await db.all<PluginRow>(sql`select ${row} ${plugins} where p.id in ${oneOf(ids)}`)
  return new Map(found.map((plugin) => [plugin.id, plugin]))
}

/** Holds it until the transaction ends. Undefined when it is gone. */
export async function lock(tx: Db, id: number): Promise<PluginRow | undefined> {
  const held = await tx.get(sql`select id from plugins where id = ${id} and deleted_at is null ${forUpdate}`)
  return held ? tx.get<PluginRow>(sql`select ${row} ${plugins} where p.id = ${id}`) : undefined
}

export async function hasUrl(db: Db, organization_id: string, url_key: string): Promise<boolean> {
  const found = await db.get(sql`
    select 1 from plugins where organization_id = ${organization_id} and url_key = ${url_key} and deleted_at is null`)
  return found !== undefined
}

/** Undefined when the organization has a plugin from that URL already. */
export async function create(tx: Db, plugin: NewPlugin, now: string): Promise<number | undefined> {
  const made = await tx.get<{ id: number }>(sql`
    insert into plugins (organization_id, family, plugin_type, name, description, url, url_key, private_token, icon,
      config_schema, tag, latest_tag, latest_tag_checked_at, is_global, capabilities, sends_events, metrics, public_jobs,
      revision, created_at, updated_at, deleted_at)
    values (${plugin.organization_id}, ${plugin.family}, ${plugin.plugin_type}, ${plugin.name}, ${plugin.description},
      ${plugin.url}, ${plugin.url_key}, null, ${plugin.icon}, ${plugin.config_schema}, ${plugin.tag},
      ${plugin.latest_tag}, ${plugin.latest_tag === null ? null : now}, ${plugin.is_global}, ${plugin.capabilities},
      ${sendsEvents(plugin.capabilities)}, ${plugin.metrics}, ${plugin.public_jobs}, 0, ${now}, ${now}, null)
    on conflict do nothing returning id`)
  return made?.id
}

/** Sealed for its row, which has to be there first. */
export async function setToken(tx: Db, id: number, private_token: string): Promise<void> {
  await tx.run(sql`update plugins set private_token = ${private_token} where id = ${id}`)
}

/** Whoever holds the plugin changes it. */
export async function update(tx: Db, id: number, changes: PluginWrite, now: string): Promise<void> {
  const { capabilities } = changes
  const set = {
    ...definedOf(changes),
    ...(capabilities !== undefined && { sends_events: sendsEvents(capabilities) }),
    updated_at: now,
  }
  await tx.run(sql`update plugins set ${assignments(set)} where id = ${id}`)
}

/** New code. False when it changed, or went, since `revision` was read: read again, then decide. */
export async function replaceFiles(
  tx: Db,
  { id, revision }: Pick<PluginRow, 'id' | 'revision'>,
  files: readonly PluginFile[],
): Promise<boolean> {
  const moved = await tx.run(sql`
    update plugins set revision = revision + 1 where id = ${id} and revision = ${revision} and deleted_at is null`)
  if (!moved) return false
  await tx.run(sql`delete from plugin_files where plugin_id = ${id}`)
  for (const some of chunks(files))
    await tx.run(sql`
      insert into plugin_files (plugin_id, name, text, error)
      values ${rows(some.map(({ name, text, error }): Value[] => [id, name, text, error]))}`)
  return true
}

export function files(db: Db, plugin_id: number): Promise<PluginFile[]> {
  return db.all<PluginFile>(
    sql`select name, text, error from plugin_files where plugin_id = ${plugin_id} order by name`,
  )
}

/** It changes nothing that somebody wrote, so `updated_at` stays. */
export async function setLatestTag(db: Db, id: number, latest_tag: string | null, now: string): Promise<void> {
  await db.run(sql`
    update plugins set latest_tag = ${latest_tag}, latest_tag_checked_at = ${now} where id = ${id} and deleted_at is null`)
}

/** Code, secrets and configurations go; the row stays for its activity. */
export async function remove(tx: Db, id: number, now: string): Promise<void> {
  await tx.run(sql`delete from plugin_files where plugin_id = ${id}`)
  await tx.run(sql`delete from plugin_configs where plugin_id = ${id}`)
  await tx.run(sql`
    update plugins set deleted_at = ${now}, updated_at = ${now}, private_token = null, revision = revision + 1
    where id = ${id}`)
}

const SENDING_METHODS = ['onEvent', 'composeWebhook', 'exportEvents']

const sendsEvents = (capabilities: string): boolean => {
  const { methods } = JSON.parse(capabilities)
  return Array.isArray(methods) && methods.some((method) => SENDING_METHODS.includes(method))
}

const definedOf = (changes: object): Record<string, Value> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
