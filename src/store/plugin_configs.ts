import type { Db } from '../sql/db.ts'
import { assignments, forUpdate, lookup, sql } from '../sql/template.ts'
import { definedFields } from './changes.ts'
import { listPage, returnedRow } from './rows.ts'

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
  /** JSON of the events that webhooks get; null for all. */
  filters: string | null
  /** Part of the URL of the site app. No response contains it otherwise. */
  web_token: string
  created_at: string
  updated_at: string
}

export type PluginConfigWrite = Partial<
  Pick<PluginConfigRow, 'sort_order' | 'config' | 'secret_keys' | 'secrets' | 'name' | 'description' | 'filters'>
> & { enabled?: boolean }

export async function list(
  db: Db,
  project_id: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ count: number; rows: PluginConfigRow[] }> {
  const owned = sql`from plugin_configs where project_id = ${project_id}`
  return listPage<PluginConfigRow>(
    db,
    sql`select * ${owned} order by sort_order, id limit ${limit} offset ${offset}`,
    owned,
  )
}

export function get(db: Db, project_id: number, id: number): Promise<PluginConfigRow | undefined> {
  return db.get<PluginConfigRow>(lookup`select * from plugin_configs where project_id = ${project_id} and id = ${id}`)
}

/** Whether a configuration of the plugin, in any project, has secrets. */
export async function haveSecrets(db: Db, plugin_id: number): Promise<boolean> {
  return (
    (await db.get(sql`select 1 from plugin_configs where plugin_id = ${plugin_id} and secrets is not null limit 1`)) !==
    undefined
  )
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
  const created = await tx.get<PluginConfigRow>(sql`
    insert into plugin_configs (plugin_id, project_id, enabled, sort_order, config, secret_keys, secrets, name,
      description, filters, web_token, created_at, updated_at)
    values (${config.plugin_id}, ${config.project_id}, ${config.enabled}, ${config.sort_order}, ${config.config},
      ${config.secret_keys}, null, ${config.name}, ${config.description}, ${config.filters}, ${config.web_token}, ${now}, ${now})
    returning *`)
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
