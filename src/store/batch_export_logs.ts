import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'
import type { Counted, Paging } from './rows.ts'
import { type LogEntryFilter, listEntries } from './search.ts'

export const LOG_LEVELS = ['DEBUG', 'LOG', 'INFO', 'WARNING', 'ERROR'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LogEntryRow {
  project_id: number
  batch_export_id: string
  /** Empty for entries about the export itself. */
  run_id: string
  timestamp: string
  level: LogLevel
  message: string
}

/** Does nothing when the export was deleted in the meantime. */
export async function write(db: Db, entry: LogEntryRow): Promise<void> {
  await db.run(sql`
    insert into batch_export_log_entries (project_id, batch_export_id, run_id, timestamp, level, message)
    select ${entry.project_id}, id, ${entry.run_id}, ${entry.timestamp}, ${entry.level}, ${entry.message}
    from batch_exports where id = ${entry.batch_export_id}`)
}

export interface LogFilter extends LogEntryFilter {
  batch_export_id: string
  run_id?: string
  levels?: readonly LogLevel[]
}

/** The newest first. Looks at a bounded number of entries. */
export function list(
  db: Db,
  { batch_export_id, run_id, ...filter }: LogFilter,
  paging: Paging,
): Promise<Counted<LogEntryRow>> {
  const ofRun = run_id === undefined ? sql`` : sql`and run_id = ${run_id}`
  const entries = sql`batch_export_log_entries where batch_export_id = ${batch_export_id} ${ofRun}`
  return listEntries(db, entries, filter, paging)
}
