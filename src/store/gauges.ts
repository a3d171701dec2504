/** Reads the gauges that cover all nodes. Every statement reads a bounded number of rows. */
import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'
import { returnedRow } from './rows.ts'

/** Counts stop here. 10,000 open runs take 17 ms on SQLite. */
const MAX_ROWS = 10_000

export interface OpenRuns {
  destination: string
  status: 'Starting' | 'Running'
  count: number
  /** The end of the oldest window of a scheduled run. */
  oldest_window: string | null
}

export async function openRuns(db: Db): Promise<OpenRuns[]> {
  return db.all<OpenRuns>(sql`
    select e.destination_type as destination, r.status, count(*) as count,
      min(case when r.kind = 'scheduled' then r.data_interval_end end) as oldest_window
    from (select batch_export_id, status, kind, data_interval_end from batch_export_runs
      where status in ('Starting', 'Running') limit ${MAX_ROWS}) r
    join batch_exports e on e.id = r.batch_export_id
    group by e.destination_type, r.status`)
}

export interface DueExports {
  destination: string
  oldest_window: string
}

/** The oldest windows that are not planned yet. */
export async function dueExports(db: Db, now: string): Promise<DueExports[]> {
  return db.all<DueExports>(sql`
    select destination_type as destination, min(next_at) as oldest_window
    from (select destination_type, next_at from batch_exports
      where not paused and next_at <= ${now} order by next_at limit ${MAX_ROWS}) due
    group by destination_type`)
}

export interface ExportsBehind {
  destination: string
  count: number
}

/** Exports with a window that ended before `late`, whether a run for it is open or not planned yet. */
export async function exportsBehind(db: Db, late: string): Promise<ExportsBehind[]> {
  return db.all<ExportsBehind>(sql`
    select e.destination_type as destination, count(*) as count
    from (
      select id from (select id from batch_exports
        where not paused and next_at < ${late} order by next_at limit ${MAX_ROWS}) due
      union
      select batch_export_id from (select batch_export_id, kind, data_interval_end from batch_export_runs
        where status in ('Starting', 'Running') limit ${MAX_ROWS}) r
      where kind = 'scheduled' and data_interval_end < ${late}
      limit ${MAX_ROWS}) behind
    join batch_exports e on e.id = behind.id
    group by e.destination_type`)
}

export interface QueueLengths {
  mails: number
  oldest_mail: string | null
  purges: number
  sessions: number
}

export async function queueLengths(db: Db, now: string): Promise<QueueLengths> {
  const row = await db.get<QueueLengths>(sql`
    select
      (select count(*) from (select 1 as one from letters limit ${MAX_ROWS}) some_mails) as mails,
      (select min(created_at) from (select created_at from letters limit ${MAX_ROWS}) some_mails) as oldest_mail,
      (select count(*) from (select 1 as one from purges limit ${MAX_ROWS}) some_purges) as purges,
      (select count(*) from (select 1 as one from sessions where expires_at > ${now} limit ${MAX_ROWS}) some_sessions)
        as sessions`)
  return returnedRow(row)
}

/** PostgreSQL adds up the files of the database, without reading tables. */
export async function databaseBytes(db: Db): Promise<number> {
  const row = await db.get<{ bytes: number }>(sql`select pg_database_size(current_database()) as bytes`)
  return row?.bytes ?? 0
}
