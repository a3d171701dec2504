import type { components } from '../contract/openapi.ts'
import type { Db } from '../sql/db.ts'
import { assignments, type Either, insertion, lookup, oneOf, type Sql, sql } from '../sql/template.ts'
import type { BatchExportRow } from './batch_exports.ts'
import { definedFields } from './changes.ts'
import { type Counted, listPage, type Paging, returnedRow } from './rows.ts'

export type Channel = components['schemas']['AlertChannel']
export type Trigger = components['schemas']['AlertTrigger']

export interface AlertRow {
  id: string
  organization_id: string
  name: string
  enabled: boolean | number
  on_failure: boolean | number
  on_recovery: boolean | number
  on_pause: boolean | number
  on_lag: boolean | number
  lag_minutes: number
  /** Null for all projects. */
  project_id: number | null
  /** Null for all exports. */
  batch_export_id: string | null
  channel: Channel
  /** Null unless the channel is a webhook. */
  url: string | null
  /** Encrypted. */
  secret: string | null
  last_triggered_at: string | null
  latest_error: string | null
  created_at: string
  updated_at: string
}

export type AlertChanges = Partial<Omit<AlertRow, 'id' | 'organization_id' | 'channel' | 'created_at'>>

/** Keeps the rows from being deleted until the transaction ends. Updates do not wait for it. */
const forKeyShare = (table: Sql): Either => ({ sqlite: sql``, postgres: sql`for key share of ${table}` })
/** Excludes other updates. Unlike `for update`, it does not block rows that reference this one. */
const forNoKeyUpdate: Either = { sqlite: sql``, postgres: sql`for no key update` }

export const list = (db: Db, organization_id: string, paging: Paging): Promise<Counted<AlertRow>> =>
  listPage(db, paging, sql`*`, sql`from alerts where organization_id = ${organization_id}`, sql`created_at, id`)

export const count = (tx: Db, organization_id: string): Promise<number> =>
  tx.count(sql`from alerts where organization_id = ${organization_id}`)

export function get(db: Db, organization_id: string, id: string): Promise<AlertRow | undefined> {
  return db.get<AlertRow>(lookup`select * from alerts where organization_id = ${organization_id} and id = ${id}`)
}

export function getById(db: Db, id: string): Promise<AlertRow | undefined> {
  return db.get<AlertRow>(sql`select * from alerts where id = ${id}`)
}

export function withIds(db: Db, ids: readonly string[]): Promise<AlertRow[]> {
  return db.all<AlertRow>(sql`select * from alerts where id in ${oneOf(ids)}`)
}

/** Undefined when the alert was deleted. Lock the project and the export that it will reference before it. */
export function lock(tx: Db, id: string): Promise<AlertRow | undefined> {
  return tx.get<AlertRow>(sql`select * from alerts where id = ${id} ${forNoKeyUpdate}`)
}

/** Undefined when the organization has no such project. */
export function lockProject(tx: Db, organization_id: string, id: number): Promise<{ id: number } | undefined> {
  return tx.get<{ id: number }>(sql`
    select p.id from projects p where p.organization_id = ${organization_id} and p.id = ${id} ${forKeyShare(sql`p`)}`)
}

/** Undefined when the organization has no such export. */
export function lockExport(
  tx: Db,
  organization_id: string,
  id: string,
): Promise<Pick<BatchExportRow, 'id' | 'project_id'> | undefined> {
  return tx.get<Pick<BatchExportRow, 'id' | 'project_id'>>(sql`
    select x.id, x.project_id from batch_exports x join projects p on p.id = x.project_id
    where p.organization_id = ${organization_id} and x.id = ${id} ${forKeyShare(sql`x`)}`)
}

export async function create(tx: Db, row: AlertRow): Promise<AlertRow> {
  return returnedRow(await tx.get<AlertRow>(sql`insert into alerts ${insertion({ ...row })} returning *`))
}

export async function update(tx: Db, id: string, changes: AlertChanges): Promise<AlertRow> {
  const row = await tx.get<AlertRow>(
    sql`update alerts set ${assignments(definedFields(changes))} where id = ${id} returning *`,
  )
  return returnedRow(row)
}

export async function setLatestError(db: Db, id: string, latest_error: string | null): Promise<void> {
  await db.run(sql`update alerts set latest_error = ${latest_error} where id = ${id}`)
}

export async function setTriggered(tx: Db, ids: readonly string[], now: string): Promise<void> {
  await tx.run(sql`update alerts set last_triggered_at = ${now} where id in ${oneOf(ids)}`)
}

export async function remove(tx: Db, id: string): Promise<boolean> {
  return (await tx.run(sql`delete from alerts where id = ${id}`)) > 0
}

export async function setRecipients(tx: Db, alert_id: string, member_ids: readonly string[]): Promise<void> {
  await tx.run(sql`delete from alert_recipients where alert_id = ${alert_id}`)
  for (const member_id of member_ids)
    await tx.run(sql`insert into alert_recipients (alert_id, member_id) values (${alert_id}, ${member_id})`)
}

/** The addresses of the active members who get the messages of these alerts. */
export function recipients(db: Db, alert_ids: readonly string[]): Promise<{ alert_id: string; email: string }[]> {
  return db.all<{ alert_id: string; email: string }>(sql`
    select r.alert_id, u.email from alert_recipients r
    join members m on m.id = r.member_id join users u on u.id = m.user_id
    where r.alert_id in ${oneOf(alert_ids)} and u.is_active order by u.email`)
}

/** The names in the messages about an export. */
export interface Place {
  organization: { id: string; name: string }
  project: { id: number; name: string }
}

export async function placeOf(db: Db, project_id: number): Promise<Place | undefined> {
  const row = await db.get<{ organization_id: string; organization_name: string; name: string }>(sql`
    select o.id as organization_id, o.name as organization_name, p.name
    from projects p join organizations o on o.id = p.organization_id where p.id = ${project_id}`)
  return (
    row && {
      organization: { id: row.organization_id, name: row.organization_name },
      project: { id: project_id, name: row.name },
    }
  )
}

/** The enabled alerts about this export. They cannot be deleted until the transaction ends. */
export function matching(tx: Db, { id, project_id }: Pick<BatchExportRow, 'id' | 'project_id'>): Promise<AlertRow[]> {
  return tx.all<AlertRow>(sql`
    select a.* from alerts a join projects p on p.organization_id = a.organization_id
    where p.id = ${project_id} and a.enabled and (a.project_id is null or a.project_id = p.id)
      and (a.batch_export_id is null or a.batch_export_id = ${id})
    order by a.id ${forKeyShare(sql`a`)}`)
}
