import type { components } from '../contract/openapi.ts'
import type { Db } from '../sql/db.ts'
import { assignments, forUpdate, insertion, lookup, oneOf, type Sql, sql } from '../sql/template.ts'
import { definedFields } from './changes.ts'
import { type Counted, listPage, type Paging, returnedRow } from './rows.ts'
import { contains } from './search.ts'

type Schemas = components['schemas']

export interface BatchExportRow {
  id: string
  project_id: number
  name: string
  destination_type: Schemas['DestinationType']
  /** JSON without the secrets. */
  destination_config: string
  /** Encrypted JSON of the secrets; null without secrets. */
  secrets: string | null
  /** The integration with the credentials; null if the export has its own. */
  integration_id: string | null
  interval: Schemas['BatchExportInterval']
  /** The IANA zone of days and weeks, and their offset from Sunday and midnight. */
  timezone: string
  offset_day: number
  offset_hour: number
  paused: boolean | number
  created_at: string
  last_updated_at: string
  last_paused_at: string | null
  /** Failures before this time are ignored when counting towards an automatic pause. */
  resumed_at: string
  start_at: string | null
  end_at: string | null
  /** Never changes. */
  model: Schemas['BatchExportModel']
  /** JSON: conditions on events as in a list of events. Null without conditions. */
  filters: string | null
  hogql_query: string | null
  /** JSON. */
  schema: string | null
  /** The first position that no scheduled run covers. */
  watermark: number
  /** Bounds of the next window. `next_at` is null once the schedule has ended. */
  window_start: string
  next_at: string | null
}

export type BatchExportChanges = Partial<Omit<BatchExportRow, 'id' | 'project_id' | 'created_at' | 'model'>>

/** Selects the exports of one project, or of every project of an organization. */
export type Owner = { project_id: number } | { organization_id: string }

const ownedBy = (owner: Owner): Sql =>
  'project_id' in owner
    ? sql`x.project_id = ${owner.project_id}`
    : sql`x.project_id in (select id from projects where organization_id = ${owner.organization_id})`

export function list(
  db: Db,
  owner: Owner,
  { search, integration, run, ...paging }: Paging & { search?: string; integration?: string; run?: string },
): Promise<Counted<BatchExportRow>> {
  const named = search ? sql`and ${contains(sql`x.name`, search)}` : sql``
  const using = integration === undefined ? sql`` : sql`and x.integration_id = ${integration}`
  const withRun =
    run === undefined
      ? sql``
      : sql`and x.id = (select r.batch_export_id from batch_export_runs r where r.id = ${run.toLowerCase()})`
  const owned = sql`from batch_exports x where ${ownedBy(owner)} ${named} ${using} ${withRun}`
  return listPage(db, paging, sql`*`, owned, sql`created_at desc, id desc`)
}

export function get(db: Db, owner: Owner, id: string): Promise<BatchExportRow | undefined> {
  return db.get<BatchExportRow>(lookup`select * from batch_exports x where ${ownedBy(owner)} and id = ${id}`)
}

export function getById(db: Db, id: string): Promise<BatchExportRow | undefined> {
  return db.get<BatchExportRow>(sql`select * from batch_exports where id = ${id}`)
}

/**
 * Locks the export until the transaction ends; undefined when it was deleted. Lock it before changing its runs, in the
 * same order as a deletion, to avoid deadlocks.
 */
export function lock(tx: Db, id: string): Promise<BatchExportRow | undefined> {
  return tx.get<BatchExportRow>(sql`select * from batch_exports where id = ${id} ${forUpdate}`)
}

export async function create(tx: Db, row: BatchExportRow): Promise<void> {
  await tx.run(sql`insert into batch_exports ${insertion({ ...row })}`)
}

export async function update(tx: Db, id: string, changes: BatchExportChanges): Promise<BatchExportRow> {
  const row = await tx.get<BatchExportRow>(
    sql`update batch_exports set ${assignments(definedFields(changes))} where id = ${id} returning *`,
  )
  return returnedRow(row)
}

export async function remove(db: Db, id: string): Promise<boolean> {
  return (await db.run(sql`delete from batch_exports where id = ${id}`)) > 0
}

/** An ended pause must be planned before any later window. */
const hasNoEndedPause = sql`not exists (
  select 1 from batch_export_pauses p where p.batch_export_id = batch_exports.id and p.resumed_at is not null)`

/** Exports whose next window has ended, the longest overdue first. */
export function due(
  db: Db,
  now: string,
  { except, limit }: { except: readonly string[]; limit: number },
): Promise<BatchExportRow[]> {
  return db.all<BatchExportRow>(sql`
    select * from batch_exports where not paused and next_at <= ${now} and id not in ${oneOf(except)} and ${hasNoEndedPause}
    order by next_at, id limit ${limit}`)
}

/** The end of the earliest upcoming window. */
export async function nextDue(db: Db, except: readonly string[]): Promise<string | null> {
  const row = await db.get<{ next_at: string }>(sql`
    select next_at from batch_exports
    where not paused and next_at is not null and id not in ${oneOf(except)} and ${hasNoEndedPause}
    order by next_at limit 1`)
  return row?.next_at ?? null
}

/** The highest position stored by any export or pause. */
export async function highestPosition(db: Db): Promise<number> {
  const row = await db.get<{ position: number | null }>(sql`
    select max(position) as position from (
      select max(watermark) as position from batch_exports
      union all select max(coalesce(resumed_position, position)) from batch_export_pauses
      union all select max(position) from plugin_states) reached`)
  return row?.position ?? 0
}
