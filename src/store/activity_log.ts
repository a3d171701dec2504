/** The activity log. Entries are written in the transaction of the change and never updated. */
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { type Sql, sql } from '../sql/template.ts'
import type { FieldChange } from './field-changes.ts'
import type { KeyRestrictions } from './key-restrictions.ts'
import * as members from './members.ts'
import { organizationsOf } from './projects.ts'
import { beyond, deleteBefore, type Stoppable } from './rows.ts'
import type { UserRow } from './users.ts'

/** A user, with a key or a session. Both are null before a sign-in and for a mailed link. */
export interface UserActor {
  kind: 'user'
  user: Pick<UserRow, 'id' | 'uuid' | 'email' | 'first_name'>
  key_id: string | null
  session_id: string | null
  address: string
}

/** `operator` is a command on the database, `system` the server itself. */
export type Actor = UserActor | { kind: 'operator' } | { kind: 'system' }

export const OPERATOR: Actor = { kind: 'operator' }
export const SYSTEM: Actor = { kind: 'system' }

/** The user of a request without credentials, such as one with a mailed link. */
export const userActor = (
  user: UserActor['user'],
  address: string,
  { key_id = null, session_id = null }: Partial<Pick<UserActor, 'key_id' | 'session_id'>> = {},
): UserActor => ({ kind: 'user', user, key_id, session_id, address })

export type ActivityArea =
  | 'organizations'
  | 'members'
  | 'invites'
  | 'domains'
  | 'users'
  | 'api_keys'
  | 'sessions'
  | 'projects'
  | 'batch_exports'
  | 'batch_export_runs'
  | 'integrations'
  | 'alerts'
  | 'plugins'
  | 'plugin_configs'
  | 'persons'

export interface Activity {
  area: ActivityArea
  activity: string
  item_id: string | number | null
  item_name: string | null
  changes?: FieldChange[]
  /** The plugin that the item belongs to, with the changes as its own list shows them. */
  plugin?: { id: number; changes: readonly object[] }
}

/** Entries of a project may leave out the organization. */
export type Place =
  | { organization_id: string | null; project_id?: number | null }
  | { organization_id?: undefined; project_id: number }

export interface ActivityRow {
  id: string
  project_id: number | null
  actor: Actor['kind']
  user_uuid: string | null
  user_email: string | null
  user_first_name: string | null
  key_id: string | null
  session_id: string | null
  address: string | null
  area: string
  item_id: string | null
  item_name: string | null
  activity: string
  /** JSON. */
  changes: string
  created_at: string
}

export async function record(tx: Db, ids: Ids, now: string, actor: Actor, entry: Activity & Place): Promise<void> {
  const { organization_id, project_id = null, area, activity, item_id, item_name, changes = [], plugin } = entry
  const { user = null, key_id = null, session_id = null, address = null } = actor.kind === 'user' ? actor : {}
  const organization =
    organization_id === undefined
      ? sql`(select organization_id from projects where id = ${project_id})`
      : organization_id
  await tx.run(sql`
    insert into activity_log (id, organization_id, project_id, actor, user_id, user_uuid, user_email, user_first_name,
      key_id, session_id, address, area, item_id, item_name, activity, changes, plugin_id, plugin_changes, created_at)
    values (${ids.uuid()}, ${organization}, ${project_id}, ${actor.kind}, ${user?.id ?? null}, ${user?.uuid ?? null},
      ${user?.email ?? null}, ${user?.first_name ?? null}, ${key_id}, ${session_id}, ${address}, ${area},
      ${item_id === null ? null : String(item_id)}, ${item_name}, ${activity}, ${JSON.stringify(changes)},
      ${plugin?.id ?? null}, ${plugin?.changes.length ? JSON.stringify(plugin.changes) : null}, ${now})`)
}

/**
 * Records an activity in every organization of a user, or in those that one of the restrictions allows. Without any
 * organization, it is recorded for the operator only.
 */
export async function recordForUser(
  tx: Db,
  ids: Ids,
  now: string,
  actor: Actor,
  user_id: number,
  entry: Activity,
  restrictions: readonly KeyRestrictions[] = [],
): Promise<void> {
  const allowed: (readonly string[] | null)[] = []
  for (const { organizations, projects } of restrictions)
    allowed.push(projects ? await organizationsOf(tx, projects) : organizations)
  const isAllowed = (id: string): boolean =>
    allowed.length === 0 || allowed.some((organizations) => organizations === null || organizations.includes(id))
  const found = (await members.ofUser(tx, user_id)).filter(({ organization_id }) => isAllowed(organization_id))
  for (const { organization_id } of found) await record(tx, ids, now, actor, { ...entry, organization_id })
  if (found.length === 0) await record(tx, ids, now, actor, { ...entry, organization_id: null })
}

export interface ActivityFilter {
  organization_id: string
  area?: string
  user_uuid?: string
  item_id?: string
  /** Both exclusive. */
  after?: string
  before?: string
}

export interface ActivityPosition {
  /** The boundary row, which is not included. */
  at: [created_at: string, id: string] | undefined
  descending: boolean
  limit: number
}

export function list(
  db: Db,
  filter: ActivityFilter,
  { at, descending, limit }: ActivityPosition,
): Promise<ActivityRow[]> {
  const { organization_id, area, user_uuid, item_id, after, before } = filter
  const when = (value: string | undefined, condition: (value: string) => Sql): Sql =>
    value === undefined ? sql`` : condition(value)
  return db.all<ActivityRow>(sql`
    select id, project_id, actor, user_uuid, user_email, user_first_name, key_id, session_id, address, area, item_id,
      item_name, activity, changes, created_at
    from activity_log where organization_id = ${organization_id}
      ${when(area, (value) => sql`and area = ${value}`)}
      ${when(user_uuid, (value) => sql`and user_uuid = ${value}`)}
      ${when(item_id, (value) => sql`and item_id = ${value}`)}
      ${when(after, (value) => sql`and created_at > ${value}`)}
      ${when(before, (value) => sql`and created_at < ${value}`)}
      ${beyond(sql`created_at, id`, at, descending)}
    ${descending ? sql`order by created_at desc, id desc` : sql`order by created_at, id`} limit ${limit}`)
}

/** Whether the user has signed in before, and whether from this address. */
export async function earlierSignIns(
  db: Db,
  user_id: number,
  address: string,
): Promise<{ any: boolean; from_address: boolean }> {
  const signIns = sql`select 1 from activity_log where user_id = ${user_id} and activity = 'signed_in'`
  const found = await db.get<{ any: boolean | number; from_address: boolean | number }>(sql`
    select exists (${signIns}) as "any", exists (${signIns} and address = ${address}) as from_address`)
  return { any: Boolean(found?.any), from_address: Boolean(found?.from_address) }
}

/** Removes the settings of plugins from the entries of a deleted organization. */
export async function removePluginChanges(tx: Db, organization_id: string): Promise<void> {
  await tx.run(sql`
    update activity_log set plugin_changes = null
    where organization_id = ${organization_id} and plugin_id is not null and plugin_changes is not null`)
}

/** Deletes the entries before this time. */
export const pruneAll = (db: Db, work: Stoppable, created_before: string): Promise<void> =>
  deleteBefore(db, work, 'activity_log', ['id'], 'created_at', created_before)
