import type { Db } from '../sql/db.ts'
import { chunks, rows, sql } from '../sql/template.ts'
import { type Counted, deleteBefore, type Paging, type Stoppable } from './rows.ts'
import { type LogEntryFilter, listEntries } from './search.ts'

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

/** A message without characters that PostgreSQL cannot store. */
export const storable = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()

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

/** The newest first. Looks at a bounded number of entries. */
export function list(
  db: Db,
  { plugin_config_id, ...filter }: LogFilter,
  paging: Paging,
): Promise<Counted<LogEntryRow>> {
  return listEntries(db, sql`plugin_log_entries where plugin_config_id = ${plugin_config_id}`, filter, paging)
}

/** Deletes the entries older than `before`. */
export const pruneAll = (db: Db, work: Stoppable, before: string): Promise<void> =>
  deleteBefore(db, work, 'plugin_log_entries', ['id'], 'timestamp', before)
