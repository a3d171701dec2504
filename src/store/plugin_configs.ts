import type { Db } from '../sql/db.ts'
import { assignments, forUpdate, insertion, lookup, sql } from '../sql/template.ts'
import { definedFields } from './changes.ts'
import { type Counted, listPage, type Paging, returnedRow } from './rows.ts'

export interface PluginConfigRow {
  id: number
  plugin_id: number
  project_id: number
  enabled: boolean | number
  sort_order: number
  /** JSON without the secrets. */
  config: string
  /** JSON list of the keys of the secrets. */
  secret_keys: string
  /** Encrypted JSON object of the secrets; null without secrets. */
  secrets: string | null
  name: string | null
  description: string | null
  /** Null while it is enabled, and if it never was. */
  disabled_at: string | null
  /** JSON of the events that the plugin gets; null for all. */
  filters: string | null
  /** The administrator who allowed `posthog.api`, which reads what they can read; null if nobody did. */
  api_access_user_id: number | null
  /** Part of the URL of the site app. No response contains it otherwise. */
  web_token: string
  created_at: string
  updated_at: string
}

export interface EnabledConfigRow {
  id: number
  plugin_id: number
  project_id: number
  organization_id: string
  name: string
}

export type PluginConfigWrite = Partial<
  Pick<
    PluginConfigRow,
    'sort_order' | 'config' | 'secret_keys' | 'secrets' | 'name' | 'description' | 'filters' | 'api_access_user_id'
  >
> & { enabled?: boolean }

export const list = (db: Db, project_id: number, paging: Paging): Promise<Counted<PluginConfigRow>> =>
  listPage(db, paging, sql`*`, sql`from plugin_configs where project_id = ${project_id}`, sql`sort_order, id`)

export function get(db: Db, project_id: number, id: number): Promise<PluginConfigRow | undefined> {
  return db.get<PluginConfigRow>(lookup`select * from plugin_configs where project_id = ${project_id} and id = ${id}`)
}

/** Whether a configuration of the plugin, in any project, has secrets or may use `posthog.api`. */
export async function haveSecretsOrAccess(db: Db, plugin_id: number): Promise<boolean> {
  const found = await db.get(sql`
    select 1 from plugin_configs
    where plugin_id = ${plugin_id} and (secrets is not null or api_access_user_id is not null) limit 1`)
  return found !== undefined
}

/** The enabled configurations of a plugin in all projects, with the name that logs show. */
export function enabledOf(tx: Db, plugin_id: number): Promise<EnabledConfigRow[]> {
  return tx.all<EnabledConfigRow>(sql`
    select c.id, c.plugin_id, c.project_id, r.organization_id, coalesce(c.name, p.name, '') as name
    from plugin_configs c join projects r on r.id = c.project_id join plugins p on p.id = c.plugin_id
    where c.plugin_id = ${plugin_id} and c.enabled = ${true} order by c.id`)
}

/** Locks the configuration until the transaction ends; undefined when it was deleted. */
export function lock(tx: Db, id: number): Promise<PluginConfigRow | undefined> {
  return tx.get<PluginConfigRow>(sql`select * from plugin_configs where id = ${id} ${forUpdate}`)
}

/** Creates a row without secrets, because they are encrypted with the id of the row. */
export async function create(
  tx: Db,
  config: Omit<PluginConfigRow, 'id' | 'secrets' | 'disabled_at' | 'created_at' | 'updated_at'>,
  now: string,
): Promise<PluginConfigRow> {
  const row = insertion({ ...config, created_at: now, updated_at: now })
  const created = await tx.get<PluginConfigRow>(sql`insert into plugin_configs ${row} returning *`)
  return returnedRow(created)
}

/** Lock the configuration first. */
export async function update(tx: Db, id: number, changes: PluginConfigWrite, now: string): Promise<PluginConfigRow> {
  const { enabled } = changes
  const disabled_at = enabled === undefined ? undefined : enabled ? null : now
  const changed = await tx.get<PluginConfigRow>(sql`
    update plugin_configs set ${assignments(definedFields({ ...changes, disabled_at, updated_at: now }))}
    where id = ${id} returning *`)
  return returnedRow(changed)
}

export async function remove(tx: Db, id: number): Promise<void> {
  await tx.run(sql`delete from plugin_configs where id = ${id}`)
}
