/** When the scheduled tasks of plugins run next. */
import type { Lease } from '../background/leases.ts'
import type { Db } from '../sql/db.ts'
import { oneOf, skipLocked, sql } from '../sql/template.ts'

export interface PluginScheduleRow {
  plugin_config_id: number
  task: string
  next_at: string
}

/** Keeps an existing schedule. */
export async function create(db: Db, { plugin_config_id, task, next_at }: PluginScheduleRow): Promise<void> {
  await db.run(sql`
    insert into plugin_schedules (plugin_config_id, task, next_at)
    select id, ${task}, ${next_at} from plugin_configs where id = ${plugin_config_id}
    on conflict (plugin_config_id, task) do nothing`)
}

type Key = Pick<PluginScheduleRow, 'plugin_config_id' | 'task'>

export const keyOf = ({ plugin_config_id, task }: Key): string => `${plugin_config_id} ${task}`

/** Claims a due task, except those with the keys of `running`: this process runs them, and their leases may have expired. */
export function claim(
  db: Db,
  { owner, now, until, latest }: Lease,
  running: readonly string[] = [],
): Promise<PluginScheduleRow | undefined> {
  const isFree = sql`(lease_until is null or lease_until < ${now} or lease_until > ${latest})
    and plugin_config_id || ' ' || task not in ${oneOf(running)}`
  return db.get<PluginScheduleRow>(sql`
    update plugin_schedules set lease_owner = ${owner}, lease_until = ${until}
    where (plugin_config_id, task) = (
      select plugin_config_id, task from plugin_schedules where next_at <= ${now} and ${isFree}
      order by next_at, plugin_config_id, task limit 1 ${skipLocked})
      and ${isFree}
    returning plugin_config_id, task, next_at`)
}

/** False when another node has claimed the task. */
export async function renew(db: Db, { plugin_config_id, task }: Key, { owner, until }: Lease): Promise<boolean> {
  const renewed = await db.run(sql`
    update plugin_schedules set lease_until = ${until}
    where plugin_config_id = ${plugin_config_id} and task = ${task} and lease_owner = ${owner}`)
  return renewed > 0
}

/** Ends the lease. Moves the task to its next time, unless it has to run again. */
export async function finish(
  db: Db,
  { plugin_config_id, task, next_at }: PluginScheduleRow,
  owner: string,
): Promise<void> {
  await db.run(sql`
    update plugin_schedules set next_at = ${next_at}, lease_owner = null, lease_until = null
    where plugin_config_id = ${plugin_config_id} and task = ${task} and lease_owner = ${owner}`)
}

/** When the next task is due or its lease ends. `running`: see `claim`. */
export async function nextAt(db: Db, running: readonly string[]): Promise<string | null> {
  const row = await db.get<{ at: string | null }>(sql`
    select min(case when lease_until is null then next_at else lease_until end) as at from plugin_schedules
    where plugin_config_id || ' ' || task not in ${oneOf(running)}`)
  return row?.at ?? null
}

export async function remove(db: Db, { plugin_config_id, task }: Key): Promise<void> {
  await db.run(sql`delete from plugin_schedules where plugin_config_id = ${plugin_config_id} and task = ${task}`)
}
