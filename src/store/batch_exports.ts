import type { Db } from '../sql/db.ts'
import { assignments, forUpdate, type Sql, sql, type Value } from '../sql/template.ts'

export interface BatchExportRow {
  id: string
  project_id: number
  name: string
  destination_type: string
  /** JSON without the secrets. */
  destination_config: string
  /** Sealed JSON of the secrets; null where there are none. */
  secrets: string | null
  interval: string
  paused: boolean | number
  created_at: string
  last_updated_at: string
  last_paused_at: string | null
  /** Since when its failures count. */
  resumed_at: string
  start_at: string | null
  end_at: string | null
  hogql_query: string | null
  /** JSON. */
  schema: string | null
  /** The first position that no scheduled run holds. */
  watermark: number
  /** The window that will hold it: where it begins, and where it ends; null where nothing is scheduled any more. */
  window_start: string
  next_at: string | null
}

export type BatchExportChanges = Partial<Omit<BatchExportRow, 'id' | 'project_id' | 'created_at'>>

/** Whose exports: a project's, or those of all projects of an organization. */
export type Owner = { project_id: number } | { organization_id: string }

const ownedBy = (owner: Owner): Sql =>
  'project_id' in owner
    ? sql`x.project_id = ${owner.project_id}`
    : sql`x.project_id in (select id from projects where organization_id = ${owner.organization_id})`

export async function list(
  db: Db,
  owner: Owner,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ count: number; rows: BatchExportRow[] }> {
  const owned = sql`from batch_exports x where ${ownedBy(owner)}`
  const rows = await db.all<BatchExportRow>(
    sql`select * ${owned} order by created_at desc, id desc limit ${limit} offset ${offset}`,
  )
  return { count: await db.count(owned), rows }
}

export function get(db: Db, owner: Owner, id: string): Promise<BatchExportRow | undefined> {
  return db.get<BatchExportRow>(sql`select * from batch_exports x where ${ownedBy(owner)} and id = ${id}`)
}

export function getById(db: Db, id: string): Promise<BatchExportRow | undefined> {
  return db.get<BatchExportRow>(sql`select * from batch_exports where id = ${id}`)
}

/**
 * Undefined when it was deleted. Held until the transaction ends: planning, pausing and changing wait for each other. Who
 * changes its runs holds it first, as a deletion does: the other way round each would wait for the other.
 */
export function lock(tx: Db, id: string): Promise<BatchExportRow | undefined> {
  return tx.get<BatchExportRow>(sql`select * from batch_exports where id = ${id} ${forUpdate}`)
}

export async function create(tx: Db, row: BatchExportRow): Promise<void> {
  await tx.run(sql`
    insert into batch_exports (id, project_id, name, destination_type, destination_config, secrets, interval, paused,
      created_at, last_updated_at, last_paused_at, resumed_at, start_at, end_at, hogql_query, schema, watermark,
      window_start, next_at)
    values (${row.id}, ${row.project_id}, ${row.name}, ${row.destination_type}, ${row.destination_config},
      ${row.secrets}, ${row.interval}, ${row.paused}, ${row.created_at}, ${row.last_updated_at}, ${row.last_paused_at},
      ${row.resumed_at}, ${row.start_at}, ${row.end_at}, ${row.hogql_query}, ${row.schema}, ${row.watermark},
      ${row.window_start}, ${row.next_at})`)
}

export async function update(tx: Db, id: string, changes: BatchExportChanges): Promise<BatchExportRow> {
  const row = await tx.get<BatchExportRow>(
    sql`update batch_exports set ${assignments(changes as Record<string, Value>)} where id = ${id} returning *`,
  )
  return row!
}

export async function remove(db: Db, id: string): Promise<boolean> {
  return (await db.run(sql`delete from batch_exports where id = ${id}`)) > 0
}

/** No window follows a pause before the pause itself is planned. */
const settled = sql`not exists (
  select 1 from batch_export_pauses p where p.batch_export_id = batch_exports.id and p.resumed_at is not null)`

/** Those whose next window has ended, the longest waiting first. */
export function due(db: Db, now: string, limit: number): Promise<BatchExportRow[]> {
  return db.all<BatchExportRow>(sql`
    select * from batch_exports where not paused and next_at <= ${now} and ${settled}
    order by next_at, id limit ${limit}`)
}

/** When the next window of any export ends. */
export async function nextDue(db: Db): Promise<string | null> {
  const row = await db.get<{ next_at: string }>(sql`
    select next_at from batch_exports where not paused and next_at is not null and ${settled}
    order by next_at limit 1`)
  return row?.next_at ?? null
}

/** The highest position that any export or pause has stored. */
export async function highestPosition(db: Db): Promise<number> {
  const row = await db.get<{ position: number | null }>(sql`
    select max(position) as position from (
      select max(watermark) as position from batch_exports
      union all select max(coalesce(resumed_position, position)) from batch_export_pauses) reached`)
  return row?.position ?? 0
}
