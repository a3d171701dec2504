/** Requests to deliver failed events again. The deliveries of the runtime carry them out. */
import { invalid } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import type { UserActor } from '../store/activity_log.ts'
import * as activityLog from '../store/activity_log.ts'
import { fieldChanges } from '../store/field-changes.ts'
import * as store from '../store/plugin_failed_deliveries.ts'
import type { ConfigWithPlugin } from './configs.ts'

export interface ReplayService {
  db: Db
  ids: Ids
  now: () => string
}

/** Requests the replay of one failed delivery or of all. Returns how many were added to those that wait. */
export async function requestReplay(
  { db, ids, now }: ReplayService,
  { config, plugin }: ConfigWithPlugin,
  organization_id: string,
  which: store.DeliveryFilter & { id?: string },
  actor: UserActor,
): Promise<number> {
  if (!config.enabled) throw invalid(null, 'This configuration is not enabled. Enable it, then replay its deliveries.')
  const time = now()
  return db.tx(async (tx) => {
    const queued = await store.requestReplay(tx, config.id, which, time)
    if (queued > 0)
      await activityLog.record(tx, ids, time, actor, {
        organization_id,
        project_id: config.project_id,
        area: 'plugin_configs',
        activity: 'deliveries_replayed',
        item_id: config.id,
        item_name: config.name || plugin.name,
        changes: fieldChanges({}, { deliveries: queued, function: which.function }),
      })
    return queued
  })
}
