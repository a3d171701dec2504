/** The events for which a function of a plugin configuration failed for good, and the requests to deliver them again. */
import type { Db } from '../sql/db.ts'
import { among, chunks, oneOf, rows, sql } from '../sql/template.ts'
import { type Counted, deleteBefore, listPage, type Paging, type Stoppable } from './rows.ts'

export const DELIVERY_FUNCTIONS = ['onEvent', 'exportEvents', 'composeWebhook'] as const
export type DeliveryFunction = (typeof DELIVERY_FUNCTIONS)[number]

export interface FailedDeliveryRow {
  id: string
  plugin_config_id: number
  function: DeliveryFunction
  event_uuid: string
  /** The name of the event. */
  event: string
  error: string
  /** Failed attempts, retries and replays included. */
  attempts: number
  failed_at: string
  /** Null for a delivery that does not wait for a replay. */
  replay_requested_at: string | null
}

/** Deliveries of one configuration that do not wait for a replay, and as many that do. */
export const MAX_FAILED_DELIVERIES = 1_000

export interface DeliveryFilter {
  function?: DeliveryFunction
}

const matching = ({ function: name }: DeliveryFilter) => (name === undefined ? sql`` : sql`and function = ${name}`)

/** The newest first. */
export function list(
  db: Db,
  plugin_config_id: number,
  filter: DeliveryFilter,
  paging: Paging,
): Promise<Counted<FailedDeliveryRow>> {
  const found = sql`from plugin_failed_deliveries where plugin_config_id = ${plugin_config_id} ${matching(filter)}`
  return listPage(db, paging, sql`*`, found, sql`failed_at desc, id desc`)
}

export function get(db: Db, plugin_config_id: number, id: string): Promise<FailedDeliveryRow | undefined> {
  return db.get<FailedDeliveryRow>(
    sql`select * from plugin_failed_deliveries where id = ${id} and plugin_config_id = ${plugin_config_id}`,
  )
}

/** Adds deliveries and drops the oldest above the limit. Those that wait for a replay are not dropped. */
export async function add(
  tx: Db,
  plugin_config_id: number,
  failed: readonly Omit<FailedDeliveryRow, 'plugin_config_id' | 'replay_requested_at'>[],
): Promise<void> {
  for (const some of chunks(failed))
    await tx.run(sql`
      insert into plugin_failed_deliveries (id, plugin_config_id, function, event_uuid, event, error, attempts,
        failed_at)
      values ${rows(
        some.map(({ id, function: name, event_uuid, event, error, attempts, failed_at }) => [
          id,
          plugin_config_id,
          name,
          event_uuid,
          event,
          error,
          attempts,
          failed_at,
        ]),
      )}
      on conflict (plugin_config_id, event_uuid, function) do update set error = excluded.error,
        attempts = plugin_failed_deliveries.attempts + excluded.attempts, failed_at = excluded.failed_at`)
  await tx.run(sql`
    delete from plugin_failed_deliveries
    where id ${among(sql`
      select id from plugin_failed_deliveries
      where plugin_config_id = ${plugin_config_id} and replay_requested_at is null
      order by failed_at desc, id desc limit ${failed.length} offset ${MAX_FAILED_DELIVERIES}`)}`)
}

/** Requests the replay of one delivery or of all, the oldest first, up to the limit. Returns how many are added to those that wait. */
export function requestReplay(
  tx: Db,
  plugin_config_id: number,
  { id, ...filter }: DeliveryFilter & { id?: string },
  now: string,
  max_waiting = MAX_FAILED_DELIVERIES,
): Promise<number> {
  return tx.run(sql`
    update plugin_failed_deliveries set replay_requested_at = ${now}
    where replay_requested_at is null and id ${among(sql`
      select id from plugin_failed_deliveries
      where plugin_config_id = ${plugin_config_id} and replay_requested_at is null ${matching(filter)}
        ${id === undefined ? sql`` : sql`and id = ${id}`}
      order by failed_at, id
      limit (
        select case when count(*) < ${max_waiting} then ${max_waiting} - count(*) else 0 end
        from plugin_failed_deliveries
        where plugin_config_id = ${plugin_config_id} and replay_requested_at is not null)`)}`)
}

/** The configurations with deliveries that wait for a replay. */
export async function configsWithReplays(db: Db): Promise<Set<number>> {
  const found = await db.all<{ plugin_config_id: number }>(
    sql`select distinct plugin_config_id from plugin_failed_deliveries where replay_requested_at is not null`,
  )
  return new Set(found.map(({ plugin_config_id }) => plugin_config_id))
}

/** The deliveries that wait for a replay, in the order of the requests. */
export function waiting(db: Db, plugin_config_id: number, limit: number): Promise<FailedDeliveryRow[]> {
  return db.all<FailedDeliveryRow>(sql`
    select * from plugin_failed_deliveries
    where plugin_config_id = ${plugin_config_id} and replay_requested_at is not null
    order by replay_requested_at, id limit ${limit}`)
}

/** Removes the deliveries whose replay succeeded. */
export async function remove(tx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length) await tx.run(sql`delete from plugin_failed_deliveries where id in ${oneOf(ids)}`)
}

/** Keeps a delivery whose replay failed. */
export async function keep(tx: Db, id: string, error: string): Promise<void> {
  await tx.run(sql`
    update plugin_failed_deliveries set error = ${error}, attempts = attempts + 1, replay_requested_at = null
    where id = ${id}`)
}

/** Deletes the deliveries that failed before `before`. */
export const prune = (db: Db, work: Stoppable, before: string): Promise<void> =>
  deleteBefore(db, work, 'plugin_failed_deliveries', ['id'], 'failed_at', before)
