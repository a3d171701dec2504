import type { components } from '../contract/openapi.ts'
import type { Db } from '../sql/db.ts'
import { joined, oneOf, type Sql, sql } from '../sql/template.ts'
import type { RunRow } from './batch_export_runs.ts'
import type { BatchExportRow } from './batch_exports.ts'
import { beyond, returnedRow } from './rows.ts'

type Schemas = components['schemas']

/** As shown to callers. A backfill is `Starting` until its first run starts. */
export type BackfillStatus = Schemas['BackfillStatus']
export const BACKFILL_STATUSES = [
  'Starting',
  'Running',
  'Completed',
  'Failed',
  'Cancelled',
] as const satisfies BackfillStatus[]

/** A range of event times that is exported window by window. */
export interface BackfillRow {
  id: string
  batch_export_id: string
  start_at: string
  end_at: string
  status: 'Running' | 'Completed' | 'Failed' | 'Cancelled'
  /** The windows at the start of the backfill. Null for a backfill of an older version: those of the export. */
  interval: BatchExportRow['interval'] | null
  timezone: string | null
  /** The end of the last completed window. */
  window_end: string | null
  windows_completed: number
  records_completed: number
  bytes_completed: number
  latest_error: string | null
  created_at: string
  finished_at: string | null
  last_updated_at: string | null
}

/** A backfill with the progress of its current run, whose columns are null if there is none. */
export interface ListedBackfill extends BackfillRow {
  run_attempts: number | null
  run_records: number | null
  run_total: number | null
  run_bytes: number | null
  /** The error of its last failed attempt. */
  run_error: string | null
  run_updated_at: string | null
}

const listed = sql`
  select b.*, r.attempts as run_attempts, r.records_completed as run_records, r.records_total_count as run_total,
    r.bytes_completed as run_bytes, r.latest_error as run_error, r.last_updated_at as run_updated_at
  from batch_export_backfills b
  left join batch_export_runs r on r.backfill_id = b.id and r.kind = 'backfill' and r.status in ('Starting', 'Running')`

const starting = sql`b.windows_completed = 0 and coalesce(r.attempts, 0) = 0`

/** The condition that `statusOf` computes. */
function hasStatus(status: BackfillStatus): Sql {
  if (status === 'Starting') return sql`b.status = 'Running' and ${starting}`
  if (status === 'Running') return sql`b.status = 'Running' and not (${starting})`
  return sql`b.status = ${status}`
}

export const statusOf = ({ status, windows_completed, run_attempts }: ListedBackfill): BackfillStatus =>
  status === 'Running' && windows_completed === 0 && (run_attempts ?? 0) === 0 ? 'Starting' : status

export function get(db: Db, batch_export_id: string, id: string): Promise<ListedBackfill | undefined> {
  return db.get<ListedBackfill>(sql`${listed} where b.batch_export_id = ${batch_export_id} and b.id = ${id}`)
}

/** `at` is the time and id of the boundary row, which is excluded from the page. */
export function page(
  db: Db,
  { batch_export_id, statuses }: { batch_export_id: string; statuses?: readonly BackfillStatus[] },
  { descending, at, limit }: { descending: boolean; at?: [string, string]; limit: number },
): Promise<ListedBackfill[]> {
  const filter = statuses?.length
    ? sql`and (${joined(
        statuses.map((s) => sql`(${hasStatus(s)})`),
        ' or ',
      )})`
    : sql``
  return db.all<ListedBackfill>(sql`
    ${listed} where b.batch_export_id = ${batch_export_id} ${filter}
      ${beyond(sql`b.created_at, b.id`, at, descending)}
    order by ${descending ? sql`b.created_at desc, b.id desc` : sql`b.created_at, b.id`} limit ${limit}`)
}

type NewBackfill = Pick<BackfillRow, 'id' | 'batch_export_id' | 'start_at' | 'end_at' | 'interval' | 'timezone'>

/** Creates a backfill, or returns the active one for the same range. */
export async function create(
  tx: Db,
  { id, batch_export_id, start_at, end_at, interval, timezone, now }: NewBackfill & { now: string },
): Promise<{ backfill: BackfillRow; isNew: boolean }> {
  const created = await tx.get<BackfillRow>(sql`
    insert into batch_export_backfills (id, batch_export_id, start_at, end_at, interval, timezone, status, created_at,
      last_updated_at)
    values (${id}, ${batch_export_id}, ${start_at}, ${end_at}, ${interval}, ${timezone}, 'Running', ${now}, ${now})
    on conflict do nothing returning *`)
  if (created) return { backfill: created, isNew: true }
  const active = await tx.get<BackfillRow>(sql`
    select * from batch_export_backfills
    where batch_export_id = ${batch_export_id} and start_at = ${start_at} and end_at = ${end_at} and status = 'Running'`)
  return { backfill: returnedRow(active), isNew: false }
}

export function active(tx: Db, id: string): Promise<BackfillRow | undefined> {
  return tx.get<BackfillRow>(sql`select * from batch_export_backfills where id = ${id} and status = 'Running'`)
}

/** Adds a completed run. */
export async function addWindow(
  tx: Db,
  id: string,
  { data_interval_end, records_completed, bytes_completed }: RunRow,
  now: string,
): Promise<void> {
  await tx.run(sql`
    update batch_export_backfills set windows_completed = windows_completed + 1, window_end = ${data_interval_end},
      records_completed = records_completed + ${records_completed ?? 0},
      bytes_completed = bytes_completed + ${bytes_completed ?? 0}, last_updated_at = ${now}
    where id = ${id}`)
}

/** Returns whether the backfill was active. */
export async function end(
  tx: Db,
  id: string,
  { status, latest_error = null, now }: { status: BackfillRow['status']; latest_error?: string | null; now: string },
): Promise<boolean> {
  const ended = await tx.run(sql`
    update batch_export_backfills
    set status = ${status}, latest_error = ${latest_error}, finished_at = ${now}, last_updated_at = ${now}
    where id = ${id} and status = 'Running'`)
  return ended > 0
}

/** Cancels an active backfill of an export, or all of them, and their runs. Returns the ids of both. */
export async function cancel(
  tx: Db,
  { batch_export_id, id }: { batch_export_id: string; id?: string },
  now: string,
): Promise<{ backfills: string[]; runs: string[] }> {
  const one = id === undefined ? sql`` : sql`and id = ${id}`
  const ended = await tx.all<{ id: string }>(sql`
    update batch_export_backfills set status = 'Cancelled', finished_at = ${now}, last_updated_at = ${now}
    where batch_export_id = ${batch_export_id} and status = 'Running' ${one} returning id`)
  const backfills = ended.map((row) => row.id)
  if (backfills.length === 0) return { backfills, runs: [] }
  const cancelled = await tx.all<{ id: string }>(sql`
    update batch_export_runs set status = 'Cancelled', finished_at = ${now}, last_updated_at = ${now},
      lease_owner = null, lease_until = null
    where backfill_id in ${oneOf(backfills)} and status in ('Starting', 'Running') returning id`)
  return { backfills, runs: cancelled.map((row) => row.id) }
}
