/** The values that plugins keep, for each configuration. */
import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'

/** JSON; null when there is no value. */
export async function get(db: Db, plugin_config_id: number, key: string): Promise<string | null> {
  const row = await db.get<{ value: string }>(
    sql`select value from plugin_storage where plugin_config_id = ${plugin_config_id} and key = ${key}`,
  )
  return row?.value ?? null
}

/** Does nothing when the configuration was removed. */
export async function set(db: Db, plugin_config_id: number, key: string, value: string): Promise<void> {
  await db.run(sql`
    insert into plugin_storage (plugin_config_id, key, value)
    select id, ${key}, ${value} from plugin_configs where id = ${plugin_config_id}
    on conflict (plugin_config_id, key) do update set value = excluded.value`)
}

/** The number of keys, and the characters of all values. */
export async function size(db: Db, plugin_config_id: number): Promise<{ keys: number; characters: number }> {
  const row = await db.get<{ keys: number; characters: number }>(sql`
    select count(*) as keys, coalesce(sum(length(value)), 0) as characters from plugin_storage
    where plugin_config_id = ${plugin_config_id}`)
  return { keys: Number(row?.keys ?? 0), characters: Number(row?.characters ?? 0) }
}

export async function remove(db: Db, plugin_config_id: number, key: string): Promise<void> {
  await db.run(sql`delete from plugin_storage where plugin_config_id = ${plugin_config_id} and key = ${key}`)
}

/** Keeps an existing value. */
export async function init(db: Db, plugin_config_id: number, key: string, value: string): Promise<void> {
  await db.run(sql`
    insert into plugin_storage (plugin_config_id, key, value)
    select id, ${key}, ${value} from plugin_configs where id = ${plugin_config_id}
    on conflict (plugin_config_id, key) do nothing`)
}

/** Sets a value only if it still is `before`. */
export async function replace(
  db: Db,
  plugin_config_id: number,
  key: string,
  { before, after }: { before: string; after: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    update plugin_storage set value = ${after}
    where plugin_config_id = ${plugin_config_id} and key = ${key} and value = ${before}`)
  return changed > 0
}
