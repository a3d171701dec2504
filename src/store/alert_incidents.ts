/** The problems that alerts have reported and that have not ended. */
import type { Db } from '../sql/db.ts'
import { oneOf, type Sql, sql } from '../sql/template.ts'

/** Failures of scheduled runs and of backfills are separate: a scheduled run that completes does not repair a backfill. */
export type IncidentKind = 'runs' | 'backfills' | 'lag'

export interface IncidentRow {
  batch_export_id: string
  kind: IncidentKind
  alert_id: string
  /** The end of the oldest window that was not delivered; null unless the kind is `lag`. */
  late_since: string | null
  created_at: string
}

type LagIncident = Pick<IncidentRow, 'alert_id' | 'batch_export_id'> & { late_since: string }

/** False when the problem is already known. */
export async function open(
  tx: Db,
  {
    batch_export_id,
    kind,
    alert_id,
    now,
  }: Pick<IncidentRow, 'batch_export_id' | 'kind' | 'alert_id'> & { now: string },
): Promise<boolean> {
  const inserted = await tx.run(sql`
    insert into alert_incidents (batch_export_id, kind, alert_id, late_since, created_at)
    values (${batch_export_id}, ${kind}, ${alert_id}, null, ${now}) on conflict do nothing`)
  return inserted > 0
}

/** Returns the ids of the alerts that reported the problem. */
export async function close(tx: Db, batch_export_id: string, kind: IncidentKind): Promise<string[]> {
  const rows = await tx.all<{ alert_id: string }>(sql`
    delete from alert_incidents where batch_export_id = ${batch_export_id} and kind = ${kind} returning alert_id`)
  return rows.map(({ alert_id }) => alert_id)
}

export async function discard(tx: Db, alert_id: string, kinds: readonly IncidentKind[]): Promise<void> {
  await tx.run(sql`delete from alert_incidents where alert_id = ${alert_id} and kind in ${oneOf(kinds)}`)
}

/** The alerts among these that have reported failures of the export. */
export async function withFailures(tx: Db, batch_export_id: string, alert_ids: readonly string[]): Promise<string[]> {
  const rows = await tx.all<{ alert_id: string }>(sql`
    select distinct alert_id from alert_incidents
    where batch_export_id = ${batch_export_id} and kind in ('runs', 'backfills') and alert_id in ${oneOf(alert_ids)}`)
  return rows.map(({ alert_id }) => alert_id)
}

/** The thresholds of all enabled alerts about lag. */
export async function lagThresholds(db: Db): Promise<number[]> {
  const rows = await db.all<{ lag_minutes: number }>(
    sql`select distinct lag_minutes from alerts where on_lag and enabled order by lag_minutes`,
  )
  return rows.map(({ lag_minutes }) => lag_minutes)
}

/**
 * Exports with a scheduled window that ended before `cutoff` and is not delivered. An export that was unpaused after
 * `cutoff` gets the time of the threshold to catch up.
 */
const lateExports = (cutoff: string): Sql => sql`
  select x.id, x.project_id, min(w.window_end) as late_since
  from (
    select id as batch_export_id, next_at as window_end from batch_exports where not paused and next_at < ${cutoff}
    union all
    select batch_export_id, data_interval_end as window_end from batch_export_runs
    where status in ('Starting', 'Running') and kind = 'scheduled' and data_interval_end < ${cutoff}) w
  join batch_exports x on x.id = w.batch_export_id
  where not x.paused and x.resumed_at < ${cutoff} group by x.id, x.project_id`

/** Inserts and returns up to `limit` new incidents of alerts with this threshold. */
export function openLag(
  tx: Db,
  { lag_minutes, cutoff, now, limit }: { lag_minutes: number; cutoff: string; now: string; limit: number },
): Promise<LagIncident[]> {
  // In one order, so that two nodes do not block each other.
  return tx.all<LagIncident>(sql`
    insert into alert_incidents (batch_export_id, kind, alert_id, late_since, created_at)
    select late.id, 'lag', a.id, late.late_since, ${now}
    from (${lateExports(cutoff)}) late
    join projects p on p.id = late.project_id
    join alerts a on a.organization_id = p.organization_id
    where a.enabled and a.on_lag and a.lag_minutes = ${lag_minutes}
      and (a.project_id is null or a.project_id = p.id) and (a.batch_export_id is null or a.batch_export_id = late.id)
      and not exists (
        select 1 from alert_incidents i where i.batch_export_id = late.id and i.kind = 'lag' and i.alert_id = a.id)
    order by late.id, a.id limit ${limit}
    on conflict do nothing returning batch_export_id, alert_id, late_since`)
}

/** Deletes and returns up to `limit` incidents of exports that are no longer late. */
export function closeLag(
  tx: Db,
  { lag_minutes, cutoff, limit }: { lag_minutes: number; cutoff: string; limit: number },
): Promise<LagIncident[]> {
  return tx.all<LagIncident>(sql`
    delete from alert_incidents where kind = 'lag' and (batch_export_id, alert_id) in (
      select i.batch_export_id, i.alert_id from alert_incidents i join alerts a on a.id = i.alert_id
      where i.kind = 'lag' and a.on_lag and a.lag_minutes = ${lag_minutes}
        and i.batch_export_id not in (select id from (${lateExports(cutoff)}) late)
      order by i.batch_export_id, i.alert_id limit ${limit})
    returning batch_export_id, alert_id, late_since`)
}
