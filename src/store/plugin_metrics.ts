import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'

export type MetricCategory = 'processEvent' | 'onEvent' | 'composeWebhook' | 'exportEvents' | 'scheduledTask' | 'job'

export interface MetricCounts {
  successes: number
  successes_on_retry: number
  failures: number
  /** Events that `processEvent` dropped or changed. They are successes too. */
  dropped: number
  changed: number
  milliseconds: number
}

export interface MetricRow extends MetricCounts {
  plugin_config_id: number
  /** ISO 8601, the start of the hour. */
  hour: string
  category: MetricCategory
}

/** Adds to the counts of an hour. Does nothing when the configuration was removed. */
export async function add(db: Db, row: MetricRow): Promise<void> {
  await db.run(sql`
    insert into plugin_metrics (plugin_config_id, hour, category, successes, successes_on_retry, failures, dropped, changed,
      milliseconds)
    select id, ${row.hour}, ${row.category}, ${row.successes}, ${row.successes_on_retry}, ${row.failures}, ${row.dropped},
      ${row.changed}, ${row.milliseconds}
    from plugin_configs where id = ${row.plugin_config_id}
    on conflict (plugin_config_id, hour, category) do update set
      successes = plugin_metrics.successes + excluded.successes,
      successes_on_retry = plugin_metrics.successes_on_retry + excluded.successes_on_retry,
      failures = plugin_metrics.failures + excluded.failures,
      dropped = plugin_metrics.dropped + excluded.dropped,
      changed = plugin_metrics.changed + excluded.changed,
      milliseconds = plugin_metrics.milliseconds + excluded.milliseconds`)
}

/** By hour and category. */
export function list(
  db: Db,
  plugin_config_id: number,
  { from, to, category }: { from: string; to: string; category?: MetricCategory },
): Promise<MetricRow[]> {
  return db.all<MetricRow>(sql`
    select * from plugin_metrics where plugin_config_id = ${plugin_config_id} and hour >= ${from} and hour < ${to}
      ${category === undefined ? sql`` : sql`and category = ${category}`} order by hour, category`)
}

/** Deletes counts of hours before `before`. */
export async function prune(db: Db, before: string): Promise<void> {
  await db.run(sql`delete from plugin_metrics where hour < ${before}`)
}
