/** The plugin configurations that run: enabled, with code that loads, in organizations that may use plugins. */
import type { Db } from '../sql/db.ts'
import { oneOf, sql } from '../sql/template.ts'
import type { PluginConfigRow } from './plugin_configs.ts'
import { MAIN_FILE } from './plugin-main-file.ts'

export interface RunningConfigRow
  extends Omit<PluginConfigRow, 'enabled' | 'description' | 'disabled_at' | 'web_token' | 'created_at'> {
  organization_id: string
  project_name: string
  plugin_name: string | null
  config_schema: string
  /** JSON. */
  capabilities: string
  /** Changes with the code. */
  revision: number
}

const columns = sql`c.id, c.plugin_id, c.project_id, c.config, c.secret_keys, c.secrets, c.name, c.filters,
  c.sort_order, c.api_access_user_id, c.updated_at, r.organization_id, r.name as project_name, p.name as plugin_name, p.config_schema, p.capabilities, p.revision`

const tables = sql`from plugin_configs c
  join plugins p on p.id = c.plugin_id and p.deleted_at is null
  join projects r on r.id = c.project_id
  join organizations o on o.id = r.organization_id and o.plugins_access_level > 0`

const running = sql`${tables} where c.enabled = ${true}`

/** The configurations in the order in which they change events. */
export function ofProject(db: Db, project_id: number): Promise<RunningConfigRow[]> {
  return db.all<RunningConfigRow>(sql`
    select ${columns} ${running} and c.project_id = ${project_id} order by c.sort_order, c.id`)
}

/** Undefined when the configuration does not run (any more). */
export function get(db: Db, id: number): Promise<RunningConfigRow | undefined> {
  return db.get<RunningConfigRow>(sql`select ${columns} ${running} and c.id = ${id}`)
}

/** Which of these configurations run. */
export async function runningAmong(db: Db, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db.all<{ id: number }>(sql`select c.id ${running} and c.id in ${oneOf(ids)}`)
  return new Set(rows.map(({ id }) => id))
}

export interface SendingConfigRow {
  id: number
  project_id: number
  /** Null, as `seq`, when the configuration was enabled by a version without positions. */
  position: number | null
  seq: number | null
  retry_at: string | null
}

/** The configurations that events are sent to, without their settings: it runs every second. */
export function sending(db: Db): Promise<SendingConfigRow[]> {
  return db.all<SendingConfigRow>(sql`
    select c.id, c.project_id, s.position, s.seq, s.retry_at ${tables}
    left join plugin_states s on s.plugin_config_id = c.id
    where c.enabled = ${true} and p.sends_events = ${true} order by c.id`)
}

/** The configurations with scheduled tasks, without their settings: it runs every two seconds. */
export function scheduled(db: Db): Promise<Pick<RunningConfigRow, 'id' | 'capabilities'>[]> {
  return db.all<Pick<RunningConfigRow, 'id' | 'capabilities'>>(sql`
    select c.id, p.capabilities ${running} and p.capabilities like '%"runEvery%' order by c.id`)
}

/** The files that run on the server, by path. Undefined without a main file. */
export async function code(db: Db, plugin_id: number): Promise<Record<string, string> | undefined> {
  const files = await db.all<{ name: string; text: string }>(sql`
    select name, text from plugin_files
    where plugin_id = ${plugin_id} and name not in ('plugin.json', 'frontend.tsx', 'site.ts')`)
  if (!files.some(({ name }) => name === MAIN_FILE)) return undefined
  return Object.fromEntries(files.map(({ name, text }) => [name, text]))
}
