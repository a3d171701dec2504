import type { Lease } from '../background/leases.ts'
import type { components } from '../contract/openapi.ts'
import type { Db } from '../sql/db.ts'
import { among, lookup, oneOf, type Sql, sql } from '../sql/template.ts'
import { beyond, DELETED_ROWS } from './rows.ts'

export type RunStatus = components['schemas']['BatchExportRunStatus']

export interface RunRow {
  id: string
  batch_export_id: string
  project_id: number
  kind: 'scheduled' | 'retry' | 'backfill'
  backfill_id: string | null
  status: RunStatus
  data_interval_start: string
  data_interval_end: string
  /** Half-open range of positions; null for backfills, which select by event time. */
  from_position: number | null
  to_position: number | null
  records_completed: number | null
  records_total_count: number | null
  bytes_completed: number | null
  latest_error: string | null
  /** JSON. The next attempt continues here. */
  checkpoint: string | null
  attempts: number
  next_attempt_at: string
  lease_owner: string | null
  lease_until: string | null
  created_at: string
  finished_at: string | null
  last_updated_at: string
}

export type NewRun = Pick<
  RunRow,
  | 'id'
  | 'batch_export_id'
  | 'project_id'
  | 'kind'
  | 'backfill_id'
  | 'data_interval_start'
  | 'data_interval_end'
  | 'from_position'
  | 'to_position'
> & { now: string }

/** Undefined when the window already has a scheduled run. An `empty` run is created as completed. */
export function create(tx: Db, run: NewRun & { empty?: boolean }): Promise<RunRow | undefined> {
  const { empty = false } = run
  return tx.get<RunRow>(sql`
    insert into batch_export_runs (id, batch_export_id, project_id, kind, backfill_id, status, data_interval_start,
      data_interval_end, from_position, to_position, attempts, next_attempt_at, created_at, last_updated_at, finished_at,
      records_completed, records_total_count, bytes_completed)
    values (${run.id}, ${run.batch_export_id}, ${run.project_id}, ${run.kind}, ${run.backfill_id}, ${empty ? 'Completed' : 'Starting'},
      ${run.data_interval_start}, ${run.data_interval_end}, ${run.from_position}, ${run.to_position}, 0, ${run.now},
      ${run.now}, ${run.now}, ${empty ? run.now : null}, ${empty ? 0 : null}, ${empty ? 0 : null}, ${empty ? 0 : null})
    on conflict do nothing returning *`)
}

export function get(db: Db, batch_export_id: string, id: string): Promise<RunRow | undefined> {
  return db.get<RunRow>(
    lookup`select * from batch_export_runs where batch_export_id = ${batch_export_id} and id = ${id}`,
  )
}

/** The scheduled run of the window that ends at a time. */
export function endingAt(db: Db, batch_export_id: string, end: string): Promise<RunRow | undefined> {
  return db.get<RunRow>(sql`
    select * from batch_export_runs
    where batch_export_id = ${batch_export_id} and data_interval_end = ${end} and kind = 'scheduled'`)
}

/** Maps each run that exists to whether it has finished. */
export async function ended(db: Db, ids: readonly string[]): Promise<Map<string, boolean>> {
  const rows = await db.all<Pick<RunRow, 'id' | 'finished_at'>>(
    sql`select id, finished_at from batch_export_runs where id in ${oneOf(ids)}`,
  )
  return new Map(rows.map(({ id, finished_at }) => [id, finished_at !== null]))
}

/** The newest `each` runs of every export. */
export function latest(db: Db, batch_export_ids: readonly string[], each: number): Promise<RunRow[]> {
  const newest = sql`where i.batch_export_id = x.value order by i.created_at desc, i.id desc limit ${each}`
  return db.all<RunRow>(
    sql`${{
      sqlite: sql`
      select r.* from json_each(${JSON.stringify(batch_export_ids)}) x
      join batch_export_runs r on r.id in (select i.id from batch_export_runs i ${newest})
      order by r.created_at desc, r.id desc`,
      postgres: sql`
      select r.* from json_array_elements_text(${JSON.stringify(batch_export_ids)}::json) x,
      lateral (select i.* from batch_export_runs i ${newest}) r
      order by r.created_at desc, r.id desc`,
    }}`,
  )
}

export interface RunFilter {
  batch_export_id: string
  /** `after` and `before` bound `created_at`, `start` and `end` bound the window. All are inclusive. */
  after?: string
  before?: string
  start?: string
  end?: string
}

/** The columns that a page of runs can be sorted by. */
export type RunOrder = 'created_at' | 'data_interval_start'

/** `at` is the value and id of the boundary row, which is excluded from the page. */
export function page(
  db: Db,
  { batch_export_id, after, before, start, end }: RunFilter,
  { by, descending, at, limit }: { by: RunOrder; descending: boolean; at?: [string, string]; limit: number },
): Promise<RunRow[]> {
  const column = by === 'created_at' ? sql`created_at` : sql`data_interval_start`
  const bound = (condition: Sql, value: string | undefined): Sql =>
    value === undefined ? sql`` : sql`and ${condition} ${value}`
  return db.all<RunRow>(sql`
    select * from batch_export_runs where batch_export_id = ${batch_export_id}
      ${bound(sql`created_at >=`, after)} ${bound(sql`created_at <=`, before)}
      ${bound(sql`data_interval_start >=`, start)} ${bound(sql`data_interval_end <=`, end)}
      ${beyond(sql`${column}, id`, at, descending)}
    order by ${descending ? sql`${column} desc, id desc` : sql`${column}, id`} limit ${limit}`)
}

/** Owners whose process has ended. Their leases are free if they end before `before`, which gives child processes time to exit. */
export interface EndedOwners {
  owners: readonly string[]
  before: string
}

/** The condition of the index `open_runs`. SQLite uses the index only for statements that repeat it. */
const OPEN = sql`status in ('Starting', 'Running')`

/** The owners of all leases. */
export async function leaseOwners(db: Db): Promise<string[]> {
  const rows = await db.all<{ lease_owner: string }>(sql`
    select distinct lease_owner from batch_export_runs
    where ${OPEN} and status = 'Running' and lease_owner is not null`)
  return rows.map(({ lease_owner }) => lease_owner)
}

/**
 * Claims the next run that is due or whose lease is free, except the runs in `working`. The project with the fewest
 * active runs comes first, then the oldest window. `interrupted`: the attempt before has no result. Undefined when there
 * is no such run.
 */
export function claim(
  db: Db,
  { owner, now, until, latest: last }: Lease,
  working: readonly string[],
  ended: EndedOwners = { owners: [], before: now },
): Promise<{ run: RunRow; interrupted: boolean } | undefined> {
  const isFree = sql`(r.lease_until < ${now} or r.lease_until > ${last}
    or (r.lease_until < ${ended.before} and r.lease_owner in ${oneOf(ended.owners)}))`
  return db.tx(async (tx) => {
    // The runs of each project are counted once. A subquery in `order by` would count them for each open run.
    const found = await tx.get<Pick<RunRow, 'id' | 'status'>>(sql`
      with active as materialized (
        select project_id, count(*) as count from batch_export_runs
        where ${OPEN} and status = 'Running' and lease_until >= ${now} group by project_id)
      select r.id, r.status from batch_export_runs r left join active a on a.project_id = r.project_id
      where r.status in ('Starting', 'Running') and r.id not in ${oneOf(working)} and (
        (r.status = 'Starting' and r.next_attempt_at <= ${now}) or (r.status = 'Running' and ${isFree}))
      order by coalesce(a.count, 0), r.data_interval_end, r.created_at, r.id
      limit 1 ${{ sqlite: sql``, postgres: sql`for update of r skip locked` }}`)
    const run =
      found &&
      (await tx.get<RunRow>(sql`
        update batch_export_runs set status = 'Running', lease_owner = ${owner}, lease_until = ${until},
          attempts = attempts + 1, last_updated_at = ${now}
        where id = ${found.id} returning *`))
    return run && { run, interrupted: found.status === 'Running' }
  })
}

export interface Progress {
  records_completed?: number
  records_total_count?: number
  bytes_completed?: number
}

/** Returns false when another owner has claimed the run. */
export async function renew(
  db: Db,
  id: string,
  { owner, until, now }: Lease,
  progress: Progress & { checkpoint?: string },
): Promise<boolean> {
  const { records_completed = null, records_total_count = null, bytes_completed = null, checkpoint = null } = progress
  const changed = await db.run(sql`
    update batch_export_runs set lease_until = ${until}, last_updated_at = ${now},
      records_completed = coalesce(${records_completed}, records_completed),
      records_total_count = coalesce(${records_total_count}, records_total_count),
      bytes_completed = coalesce(${bytes_completed}, bytes_completed),
      checkpoint = coalesce(${checkpoint}, checkpoint)
    where id = ${id} and lease_owner = ${owner} and status = 'Running'`)
  return changed > 0
}

export interface RunResult {
  status: 'Completed' | 'Failed' | 'FailedRetryable'
  now: string
  records_completed?: number
  bytes_completed?: number
  latest_error?: string
}

/** Undefined when another owner has claimed the run. */
export function finish(
  tx: Db,
  id: string,
  owner: string,
  { status, now, records_completed, bytes_completed, latest_error }: RunResult,
): Promise<RunRow | undefined> {
  return tx.get<RunRow>(sql`
    update batch_export_runs set status = ${status}, finished_at = ${now}, last_updated_at = ${now},
      records_completed = coalesce(${records_completed ?? null}, records_completed),
      records_total_count = coalesce(${records_completed ?? null}, records_total_count),
      bytes_completed = coalesce(${bytes_completed ?? null}, bytes_completed),
      latest_error = ${latest_error ?? null}, checkpoint = null, lease_owner = null, lease_until = null
    where id = ${id} and lease_owner = ${owner} and status = 'Running' returning *`)
}

/** Schedules another attempt. `uncounted` does not count this attempt towards the limit. */
export async function postpone(
  db: Db,
  id: string,
  owner: string,
  {
    now,
    next_attempt_at,
    latest_error,
    uncounted = false,
  }: { now: string; next_attempt_at: string; latest_error: string | null; uncounted?: boolean },
): Promise<boolean> {
  const changed = await db.run(sql`
    update batch_export_runs set status = 'Starting', next_attempt_at = ${next_attempt_at}, last_updated_at = ${now},
      latest_error = coalesce(${latest_error}, latest_error), lease_owner = null, lease_until = null,
      attempts = attempts - ${uncounted ? 1 : 0}
    where id = ${id} and lease_owner = ${owner} and status = 'Running'`)
  return changed > 0
}

/** Undefined when the run has already finished. */
export function cancel(tx: Db, id: string, now: string): Promise<RunRow | undefined> {
  return tx.get<RunRow>(sql`
    update batch_export_runs set status = 'Cancelled', finished_at = ${now}, last_updated_at = ${now},
      lease_owner = null, lease_until = null
    where id = ${id} and status in ('Starting', 'Running') returning *`)
}

/** Bytes per record of the last `among` completed runs with records. Null if there are none. */
export async function bytesPerRecord(db: Db, batch_export_id: string, among: number): Promise<number | null> {
  const row = await db.get<{ records: number | null; bytes: number | null }>(sql`
    select cast(sum(records_completed) as bigint) as records, cast(sum(bytes_completed) as bigint) as bytes from (
      select records_completed, bytes_completed from batch_export_runs
      where batch_export_id = ${batch_export_id} and status = 'Completed' and records_completed > 0
        and bytes_completed is not null
      order by last_updated_at desc limit ${among}) r`)
  return row?.records ? Number(row.bytes) / Number(row.records) : null
}

/** The number of failures among the last `among` runs created since then. */
export function recentFailures(tx: Db, batch_export_id: string, since: string, among: number): Promise<number> {
  return tx.count(sql`
    from (
      select status from batch_export_runs
      where batch_export_id = ${batch_export_id} and finished_at is not null and created_at >= ${since}
      order by last_updated_at desc limit ${among}) r
    where status in ('Failed', 'FailedRetryable')`)
}

/** When the next run can be claimed: at its next attempt or when its lease expires. */
export async function nextClaim(db: Db, working: readonly string[]): Promise<string | null> {
  const others = sql`${OPEN} and id not in ${oneOf(working)}`
  const row = await db.get<{ at: string | null }>(sql`
    select min(at) as at from (
      select min(next_attempt_at) as at from batch_export_runs where ${others} and status = 'Starting'
      union all select min(lease_until) as at from batch_export_runs where ${others} and status = 'Running') claims`)
  return row?.at ?? null
}

/** Deletes some runs, log entries and backfills older than `before`. Returns the number of deleted rows. */
export async function prune(db: Db, before: string): Promise<number> {
  const runs = await db.run(sql`
    delete from batch_export_runs where id ${among(sql`
      select id from batch_export_runs where finished_at < ${before} order by finished_at limit ${DELETED_ROWS}`)}`)
  const entries = await db.run(sql`
    delete from batch_export_log_entries where id ${among(sql`
      select id from batch_export_log_entries where timestamp < ${before} order by timestamp limit ${DELETED_ROWS}`)}`)
  // A retry may be newer than its backfill.
  const backfills = await db.run(sql`
    delete from batch_export_backfills where id ${among(sql`
      select b.id from batch_export_backfills b
      where b.finished_at < ${before} and not exists (select 1 from batch_export_runs r where r.backfill_id = b.id)
      order by b.finished_at limit ${DELETED_ROWS}`)}`)
  return runs + entries + backfills
}
