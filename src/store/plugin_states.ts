/** The position in the order of ingestion, the retries and the failures of each plugin configuration. */
import type { Lease } from '../background/leases.ts'
import type { Db } from '../sql/db.ts'
import { oneOf, sql } from '../sql/template.ts'

export interface PluginStateRow {
  plugin_config_id: number
  /** The last event that was offered. */
  position: number
  seq: number
  /** Failed attempts at the next event, or at `setupPlugin`. */
  attempts: number
  /** The time before which the next attempt does not start. */
  retry_at: string | null
  /** Failed calls in a row. */
  failures: number
  /** Calls that took too long since `timeouts_since`. */
  timeouts: number
  timeouts_since: string | null
  /** JSON of the last error; null after a success. */
  error: string | null
  lease_owner: string | null
  lease_until: string | null
}

export interface Position {
  position: number
  seq: number
}

export function get(db: Db, plugin_config_id: number): Promise<PluginStateRow | undefined> {
  return db.get<PluginStateRow>(sql`select * from plugin_states where plugin_config_id = ${plugin_config_id}`)
}

/** JSON of the last error by configuration, for those that have one. */
export async function errorsOf(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await db.all<{ plugin_config_id: number; error: string }>(sql`
    select plugin_config_id, error from plugin_states where error is not null and plugin_config_id in ${oneOf(ids)}`)
  return new Map(rows.map(({ plugin_config_id, error }) => [plugin_config_id, error]))
}

/** The first event to offer is at `position`. An existing position stays, unless `skip` is set. Failures start anew. */
export async function enable(tx: Db, plugin_config_id: number, position: number, skip: boolean): Promise<void> {
  await tx.run(sql`
    insert into plugin_states (plugin_config_id, position, seq, attempts, failures, timeouts)
    values (${plugin_config_id}, ${position}, 0, 0, 0, 0)
    on conflict (plugin_config_id) do update set attempts = 0, retry_at = null, failures = 0, timeouts = 0,
      timeouts_since = null
      ${skip ? sql`, position = ${position}, seq = 0` : sql``}`)
}

/** Undefined when another node has it, or a retry is not due. */
export function claim(db: Db, plugin_config_id: number, lease: Lease): Promise<PluginStateRow | undefined> {
  const { owner, now, until, latest } = lease
  return db.get<PluginStateRow>(sql`
    update plugin_states set lease_owner = ${owner}, lease_until = ${until}
    where plugin_config_id = ${plugin_config_id} and (retry_at is null or retry_at <= ${now})
      and (lease_until is null or lease_until < ${now} or lease_until > ${latest})
    returning *`)
}

/** False when another node has claimed it, or the configuration was removed. */
export async function renew(db: Db, plugin_config_id: number, { owner, until }: Lease): Promise<boolean> {
  const renewed = await db.run(sql`
    update plugin_states set lease_until = ${until}
    where plugin_config_id = ${plugin_config_id} and lease_owner = ${owner}`)
  return renewed > 0
}

export async function release(db: Db, plugin_config_id: number, owner: string): Promise<void> {
  await db.run(sql`
    update plugin_states set lease_owner = null, lease_until = null
    where plugin_config_id = ${plugin_config_id} and lease_owner = ${owner}`)
}

/** Moves the position, and schedules a retry of the event after it. False when another node has claimed it. */
export async function advance(
  db: Db,
  plugin_config_id: number,
  owner: string,
  { position, seq }: Position,
  { attempts, retry_at }: Pick<PluginStateRow, 'attempts' | 'retry_at'> = { attempts: 0, retry_at: null },
): Promise<boolean> {
  const moved = await db.run(sql`
    update plugin_states set position = ${position}, seq = ${seq}, attempts = ${attempts}, retry_at = ${retry_at}
    where plugin_config_id = ${plugin_config_id} and lease_owner = ${owner}`)
  return moved > 0
}

export interface StateError {
  name: string
  message: string
  stack: string
  /** The function that failed. */
  method: string
  time: string
}

export async function setError(tx: Db, plugin_config_id: number, error: StateError): Promise<void> {
  await tx.run(sql`
    update plugin_states set error = ${JSON.stringify(error)} where plugin_config_id = ${plugin_config_id}`)
}

export interface CallResults {
  /** Whether a call succeeded. */
  succeeded: boolean
  /** The calls that failed after the last success. */
  failures: number
  timeouts: number
  /** JSON of the last error. */
  error: string | null
}

/** Counts failures. Time-outs are counted for an hour. Undefined when the configuration was removed. */
export function recordCalls(
  db: Db,
  plugin_config_id: number,
  { succeeded, failures, timeouts, error }: CallResults,
  { now, hour_ago }: { now: string; hour_ago: string },
): Promise<Pick<PluginStateRow, 'failures' | 'timeouts'> | undefined> {
  const isRecent = sql`plugin_states.timeouts_since is not null and plugin_states.timeouts_since > ${hour_ago}`
  return db.get<Pick<PluginStateRow, 'failures' | 'timeouts'>>(sql`
    update plugin_states set
      failures = ${succeeded ? sql`${failures}` : sql`failures + ${failures}`},
      timeouts = case when ${isRecent} then timeouts else 0 end + ${timeouts},
      timeouts_since = case when ${isRecent} then timeouts_since else ${timeouts > 0 ? now : null} end,
      error = ${error}
    where plugin_config_id = ${plugin_config_id} returning failures, timeouts`)
}
