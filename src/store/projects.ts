import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { assignments, forUpdate, lookup, oneOf, sql } from '../sql/template.ts'
import { changedFields, isEmpty, pickDefined } from './changes.ts'
import { allowsProject, type KeyRestrictions, projectFilter } from './key-restrictions.ts'
import type { Level } from './members.ts'
import { type Exemption, enforcementFilter, type PluginsAccessLevel } from './organizations.ts'
import * as purges from './purges.ts'
import { type Counted, listPage, type Paging, returnedRow } from './rows.ts'

export interface ProjectRow {
  id: number
  uuid: string
  organization_id: string
  api_token: string
  name: string
  timezone: string
  ingested_event: boolean | number
  event_retention_days: number | null
  created_at: string
  updated_at: string
}

/** A project as a part of its organization. */
export type TeamRow = Omit<ProjectRow, 'event_retention_days' | 'created_at' | 'updated_at'>

/** A project as a member of its organization sees it. */
export interface MembersProjectRow extends ProjectRow {
  membership_level: Level
  /** Of its organization. */
  enforce_2fa: boolean | number | null
  plugins_access_level: PluginsAccessLevel
}

export interface ProjectInput {
  name?: string
  event_retention_days?: number | null
}

export const DEFAULT_PROJECT_NAME = 'Default project'

const team = sql`p.id, p.uuid, p.organization_id, p.api_token, p.name, p.timezone, p.ingested_event`
const row = sql`${team}, p.event_retention_days, p.created_at, p.updated_at`

const memberships = sql`from members m join projects p on p.organization_id = m.organization_id`
const membersView = sql`${row}, m.level as membership_level, o.enforce_2fa, o.plugins_access_level
  ${memberships} join organizations o on o.id = p.organization_id`

export function list(
  db: Db,
  user_id: number,
  restrictions: KeyRestrictions,
  exemption: Exemption,
  paging: Paging,
): Promise<Counted<ProjectRow>> {
  const visible = sql`${memberships} where m.user_id = ${user_id} ${projectFilter(restrictions)}
    ${enforcementFilter(sql`p.organization_id`, exemption)}`
  return listPage(db, paging, row, visible, sql`p.id`)
}

/** Undefined unless the user is a member of the organization and the key allows the project. */
export async function get(
  db: Db,
  user_id: number,
  restrictions: KeyRestrictions,
  id: number,
): Promise<MembersProjectRow | undefined> {
  const found = await db.get<MembersProjectRow>(
    lookup`select ${membersView} where m.user_id = ${user_id} and p.id = ${id}`,
  )
  return found && allowsProject(restrictions, found.id, found.organization_id) ? found : undefined
}

/** The current project of the user, or else the oldest project of their current or first joined organization. */
export function current(
  db: Db,
  user: { id: number; current_organization_id: string | null; current_project_id: number | null },
  restrictions: KeyRestrictions,
): Promise<MembersProjectRow | undefined> {
  return db.get<MembersProjectRow>(sql`
    select ${membersView} where m.user_id = ${user.id} ${projectFilter(restrictions)}
    order by case when p.id = ${user.current_project_id} then 0
                  when p.organization_id = ${user.current_organization_id} then 1 else 2 end,
      m.joined_at, p.id limit 1`)
}

/** How many ids a background loop reads at once. */
const IDS = 1_000

/** The next ids of projects, in their order. */
export async function idsAfter(db: Db, after: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`select id from projects where id > ${after} order by id limit ${IDS}`)
  return rows.map(({ id }) => id)
}

/** The project with this id if it belongs to the organization. Without an id, its oldest project. */
export function within(db: Db, organization_id: string, id?: number): Promise<{ id: number } | undefined> {
  return db.get<{ id: number }>(sql`
    select id from projects where organization_id = ${organization_id}
      ${id === undefined ? sql`` : sql`and id = ${id}`} order by id limit 1`)
}

/** Ignores memberships; for commands that work on the database. */
export function byId(db: Db, id: number): Promise<ProjectRow | undefined> {
  return db.get<ProjectRow>(sql`select ${row} from projects p where p.id = ${id}`)
}

/** The projects with this name. SQLite ignores the case of ASCII letters only. For commands that work on the database. */
export function named(db: Db, name: string): Promise<{ id: number; name: string }[]> {
  return db.all<{ id: number; name: string }>(
    sql`select p.id, p.name from projects p where lower(p.name) = lower(${name}) order by p.id`,
  )
}

/** The organizations of these projects. */
export async function organizationsOf(db: Db, ids: readonly number[]): Promise<string[]> {
  const rows = await db.all<{ organization_id: string }>(
    sql`select distinct organization_id from projects where id in ${oneOf(ids)}`,
  )
  return rows.map(({ organization_id }) => organization_id)
}

/** Locks the project until the transaction ends. Undefined when it was deleted. */
export function lockProject(tx: Db, id: number): Promise<ProjectRow | undefined> {
  return tx.get<ProjectRow>(sql`select ${row} from projects p where p.id = ${id} ${forUpdate}`)
}

/** The projects of these organizations, oldest first. */
export async function ofOrganizations(db: Db, organization_ids: readonly string[]): Promise<TeamRow[]> {
  const [first, ...others] = organization_ids
  if (first === undefined) return []
  // An equality uses the index without expanding a JSON list.
  if (others.length === 0)
    return db.all<TeamRow>(lookup`select ${team} from projects p where p.organization_id = ${first} order by p.id`)
  return db.all<TeamRow>(
    sql`select ${team} from projects p where p.organization_id in ${oneOf(organization_ids)} order by p.id`,
  )
}

export function byToken(db: Db, api_token: string): Promise<Pick<ProjectRow, 'id' | 'ingested_event'> | undefined> {
  return db.get(lookup`select id, ingested_event from projects where api_token = ${api_token}`)
}

/** Records that the project received an event. `updated_at` stays: it is the time of the last change by a member. */
export async function markIngested(db: Db, id: number): Promise<void> {
  await db.run(sql`update projects set ingested_event = ${true} where id = ${id} and ingested_event = ${false}`)
}

export async function create(
  db: Db,
  ids: Ids,
  now: string,
  project: ProjectInput & { organization_id: string; name: string },
): Promise<ProjectRow> {
  const created = await db.get<ProjectRow>(sql`
    insert into projects (uuid, organization_id, api_token, name, timezone, ingested_event, event_retention_days,
      created_at, updated_at)
    values (${ids.uuid()}, ${project.organization_id}, ${ids.projectToken()}, ${project.name}, 'UTC', ${false},
      ${project.event_retention_days ?? null}, ${now}, ${now})
    returning *`)
  return returnedRow(created)
}

/** Undefined when the project was deleted. */
export async function update(
  db: Db,
  row: ProjectRow,
  input: ProjectInput,
  now: string,
): Promise<ProjectRow | undefined> {
  const changes = changedFields(row, pickDefined(input, ['name', 'event_retention_days']))
  if (isEmpty(changes)) return row
  return db.get<ProjectRow>(
    sql`update projects set ${assignments({ ...changes, updated_at: now })} where id = ${row.id} returning *`,
  )
}

/** The old token stops working with this statement. Undefined when the project was deleted. */
export function resetToken(db: Db, id: number, api_token: string, now: string): Promise<ProjectRow | undefined> {
  return db.get<ProjectRow>(
    sql`update projects set api_token = ${api_token}, updated_at = ${now} where id = ${id} returning *`,
  )
}

/** Queues the deletion of its events, of which there may be millions. False when the project was deleted before. */
export async function remove(tx: Db, id: number, now: string): Promise<boolean> {
  await purges.queue(tx, sql`p.id = ${id}`, now)
  return (await tx.run(sql`delete from projects where id = ${id}`)) > 0
}
