import type { Db } from '../sql/db.ts'
import { type Either, oneOf, type Sql, sql } from '../sql/template.ts'
import { deleteBefore, type Stoppable } from './rows.ts'

/** PostgreSQL sums to a numeric, which its driver returns as text. */
const BIGINT: Either = { sqlite: sql`integer`, postgres: sql`bigint` }

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

/** Counts events that had failed for good as delivered on retry, in the hour in which they failed. */
export async function countReplayed(
  tx: Db,
  { plugin_config_id, hour, category }: Pick<MetricRow, 'plugin_config_id' | 'hour' | 'category'>,
  events: number,
): Promise<void> {
  await tx.run(sql`
    update plugin_metrics set failures = failures - ${events}, successes_on_retry = successes_on_retry + ${events}
    where plugin_config_id = ${plugin_config_id} and hour = ${hour} and category = ${category} and failures >= ${events}`)
}

/** The counts by hour and category. */
export function list(
  db: Db,
  plugin_config_id: number,
  { from, to, category }: { from: string; to: string; category?: MetricCategory },
): Promise<MetricRow[]> {
  return db.all<MetricRow>(sql`
    select * from plugin_metrics where plugin_config_id = ${plugin_config_id} and hour >= ${from} and hour < ${to}
      ${category === undefined ? sql`` : sql`and category = ${category}`} order by hour, category`)
}

export type CallTotals = Pick<MetricRow, 'plugin_config_id' | 'successes' | 'successes_on_retry' | 'failures'>

/** The calls since an hour, by configuration. */
export function totals(db: Db, ids: readonly number[], since: string): Promise<CallTotals[]> {
  return db.all<CallTotals>(sql`
    select plugin_config_id, cast(sum(successes) as ${BIGINT}) as successes,
      cast(sum(successes_on_retry) as ${BIGINT}) as successes_on_retry, cast(sum(failures) as ${BIGINT}) as failures
    from plugin_metrics where plugin_config_id in ${oneOf(ids)} and hour >= ${since} group by plugin_config_id`)
}

/** Deletes counts and values of hours before `before`. */
export async function prune(db: Db, work: Stoppable, before: string): Promise<void> {
  await deleteBefore(db, work, 'plugin_metrics', ['plugin_config_id', 'hour', 'category'], 'hour', before)
  await deleteBefore(db, work, 'plugin_metric_values', ['plugin_config_id', 'hour', 'name', 'kind'], 'hour', before)
}

export type ValueKind = 'sum' | 'max' | 'min'

/** The value of a metric that a plugin declares, in one hour. */
export interface MetricValueRow {
  plugin_config_id: number
  /** ISO 8601, the start of the hour. */
  hour: string
  name: string
  kind: ValueKind
  value: number
}

/** The functions for two values. SQLite has them as functions of several arguments. */
const COMBINED: Record<ValueKind, Sql | Either> = {
  sum: sql`plugin_metric_values.value + excluded.value`,
  max: {
    sqlite: sql`max(plugin_metric_values.value, excluded.value)`,
    postgres: sql`greatest(plugin_metric_values.value, excluded.value)`,
  },
  min: {
    sqlite: sql`min(plugin_metric_values.value, excluded.value)`,
    postgres: sql`least(plugin_metric_values.value, excluded.value)`,
  },
}

/** Adds to the values of an hour. Does nothing when the configuration was removed. */
export async function addValue(db: Db, row: MetricValueRow): Promise<void> {
  await db.run(sql`
    insert into plugin_metric_values (plugin_config_id, hour, name, kind, value)
    select id, ${row.hour}, ${row.name}, ${row.kind}, ${row.value} from plugin_configs where id = ${row.plugin_config_id}
    on conflict (plugin_config_id, hour, name, kind) do update set value = ${COMBINED[row.kind]}`)
}

/** The values by hour and name. */
export function listValues(
  db: Db,
  plugin_config_id: number,
  { from, to }: { from: string; to: string },
): Promise<MetricValueRow[]> {
  return db.all<MetricValueRow>(sql`
    select * from plugin_metric_values
    where plugin_config_id = ${plugin_config_id} and hour >= ${from} and hour < ${to} order by hour, name, kind`)
}
