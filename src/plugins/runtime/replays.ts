/** Delivers failed events again on request. A row stays until its delivery has succeeded, so no request is lost. */
import { followedByUuid } from '../../events/follow.ts'
import type { EventReader } from '../../events/readers.ts'
import type { Db } from '../../sql/db.ts'
import type { FailedDeliveryRow } from '../../store/plugin_failed_deliveries.ts'
import * as store from '../../store/plugin_failed_deliveries.ts'
import { storable } from '../../store/plugin_logs.ts'
import * as metrics from '../../store/plugin_metrics.ts'
import { hourOf } from '../metrics.ts'
import type { RunningConfiguration } from './configurations.ts'
import type { LoadError, PluginError } from './messages.ts'
import { groupOf, type OfferOptions, replay } from './offer.ts'

export interface ReplayOptions extends OfferOptions {
  db: Db
  reader: EventReader
}

const PAGE_DELIVERIES = 100
const MAX_ERROR_LENGTH = 1_000
const DELETED = 'The event was deleted, so it cannot be delivered again.'

export const describeFailure = ({ name, message }: Pick<PluginError, 'name' | 'message'>): string =>
  storable(`${name}: ${message}`.slice(0, MAX_ERROR_LENGTH))

/** `loading`: why the code or `setupPlugin` failed. Nothing was delivered then. */
interface Replayed {
  results: { delivery: FailedDeliveryRow; error: string | null }[]
  loading?: LoadError
}

/** Delivers the next requested events to the function that failed for them. Undefined when there are none. */
export async function replayNext(
  options: ReplayOptions,
  configuration: RunningConfiguration,
  signal: AbortSignal,
): Promise<Replayed | undefined> {
  const page = await store.waiting(options.db, configuration.id, PAGE_DELIVERIES)
  const name = page[0]?.function
  if (name === undefined) return undefined
  const some = page.filter((delivery) => delivery.function === name)
  if (!configuration.capabilities.methods.includes(name))
    return { results: some.map((delivery) => ({ delivery, error: `The plugin has no ${name}.` })) }
  const uuids = some.map(({ event_uuid }) => event_uuid)
  const events = await followedByUuid(options.reader, configuration.project_id, uuids)
  const deliveryOf = new Map(some.map((delivery) => [delivery.event_uuid, delivery]))
  const stored = new Set(events.map(({ uuid }) => uuid))
  const results: Replayed['results'] = some
    .filter(({ event_uuid }) => !stored.has(event_uuid))
    .map((delivery) => ({ delivery, error: DELETED }))
  const group = groupOf(events, configuration.id)
  if (!group) return { results }
  const { count, failed, error: loading } = await replay(options, configuration, group, name, signal)
  if (loading) return { results, loading }
  const errors = new Map(failed.map(({ event, error }) => [event.uuid, describeFailure(error)]))
  for (const { uuid } of group.events.slice(0, count)) {
    const delivery = deliveryOf.get(uuid)
    if (delivery) results.push({ delivery, error: errors.get(uuid) ?? null })
  }
  return { results }
}

/** Removes the deliveries that succeeded and keeps the others. Call it within a transaction that holds the lease. */
export async function settleReplays(tx: Db, { results }: Replayed): Promise<void> {
  for (const { delivery, error } of results) if (error !== null) await store.keep(tx, delivery.id, error)
  const delivered = results.filter(({ error }) => error === null).map(({ delivery }) => delivery)
  const [first] = delivered
  if (!first) return
  await store.remove(
    tx,
    delivered.map(({ id }) => id),
  )
  const { plugin_config_id, function: category } = first
  for (const [hour, { length }] of Map.groupBy(delivered, (row) => hourOf(row.failed_at)))
    await metrics.countReplayed(tx, { plugin_config_id, hour, category }, length)
}
