import type { Db } from '../sql/db.ts'
import { chunks, rows, type Sql, sql } from '../sql/template.ts'
import { deleteAll, listPage } from './rows.ts'
import { type LogEntryFilter, matchingEntries } from './search.ts'

export const LOG_LEVELS = ['DEBUG', 'LOG', 'INFO', 'WARN', 'ERROR'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** `SYSTEM`: the server. `PLUGIN`: errors of the plugin. `CONSOLE`: what the plugin printed. */
export type LogSource = 'SYSTEM' | 'PLUGIN' | 'CONSOLE'

export interface LogEntryRow {
  id: number
  project_id: number
  plugin_id: number
  plugin_config_id: number
  timestamp: string
  source: LogSource
  level: LogLevel
  message: string
}

/** Does nothing when the configuration was removed. */
export async function write(
  db: Db,
  plugin_config_id: number,
  entries: readonly Omit<LogEntryRow, 'id' | 'plugin_config_id'>[],
): Promise<void> {
  for (const some of chunks(entries))
    await db.tx(async (tx) => {
      const exists = await tx.get(sql`select 1 from plugin_configs where id = ${plugin_config_id}`)
      if (!exists) return
      await tx.run(sql`
        insert into plugin_log_entries (project_id, plugin_id, plugin_config_id, timestamp, source, level, message)
        values ${rows(
          some.map(({ project_id, plugin_id, timestamp, source, level, message }) => [
            project_id,
            plugin_id,
            plugin_config_id,
            timestamp,
            source,
            level,
            message,
          ]),
        )}`)
    })
}

export interface LogFilter extends LogEntryFilter {
  plugin_config_id: number
  levels?: readonly LogLevel[]
}

/** The newest first. */
export async function list(
  db: Db,
  { plugin_config_id, ...filter }: LogFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ count: number; rows: LogEntryRow[] }> {
  const found: Sql = sql`
    from plugin_log_entries where plugin_config_id = ${plugin_config_id}
      ${matchingEntries(filter)}`
  return listPage<LogEntryRow>(
    db,
    sql`select * ${found} order by timestamp desc, id desc limit ${limit} offset ${offset}`,
    found,
  )
}

/** Deletes the entries older than `before`. */
export async function pruneAll(db: Db, before: string): Promise<void> {
  await deleteAll(db, {
    table: sql`plugin_log_entries`,
    key: [sql`id`],
    where: sql`timestamp < ${before}`,
    order: sql`timestamp`,
  })
}
