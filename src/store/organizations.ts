import type { Db } from '../sql/db.ts'
import { assignments, forUpdate, lookup, type Sql, sql } from '../sql/template.ts'
import { changedFields, isEmpty, pickDefined } from './changes.ts'
import { allowsOrganization, type KeyRestrictions, organizationFilter, projectFilter } from './key-restrictions.ts'
import { type Level, OWNER } from './members.ts'
import * as purges from './purges.ts'
import { type Counted, listPage, type Paging } from './rows.ts'

/** 0 no plugins, 3 view and configure, 6 install, 9 share with all organizations. */
export type PluginsAccessLevel = 0 | 3 | 6 | 9

/** An organization as one of its members sees it. */
export interface OrganizationRow {
  id: string
  name: string
  slug: string
  created_at: string
  updated_at: string
  membership_level: Level
  plugins_access_level: PluginsAccessLevel
  is_member_join_email_enabled: boolean | number
  customer_id: string | null
  enforce_2fa: boolean | number | null
  member_count: number
}

export interface OrganizationInput {
  name?: string
  is_member_join_email_enabled?: boolean
  enforce_2fa?: boolean | null
}

const row = sql`o.id, o.name, o.slug, o.created_at, o.updated_at, m.level as membership_level, o.plugins_access_level,
  o.is_member_join_email_enabled, o.customer_id, o.enforce_2fa, o.member_count`

const memberships = sql`from members m join organizations o on o.id = m.organization_id`

/**
 * Where `enforce_2fa` does not apply to a caller: everywhere, or only in the organization that verified this login domain.
 */
export type Exemption = 'everywhere' | { domain_id: string | null }

/** A condition for statements with an organization as `id`: leaves out those whose `enforce_2fa` applies to the caller. */
export function enforcementFilter(id: Sql, exemption: Exemption): Sql {
  if (exemption === 'everywhere') return sql``
  return sql`and not exists (select 1 from organizations e where e.id = ${id} and e.enforce_2fa = ${true}
    and not exists (select 1 from domains d where d.id = ${exemption.domain_id} and d.organization_id = e.id
      and d.verified_at is not null))`
}

export function list(
  db: Db,
  user_id: number,
  restrictions: KeyRestrictions,
  exemption: Exemption,
  paging: Paging,
): Promise<Counted<OrganizationRow>> {
  const visible = sql`where m.user_id = ${user_id} ${organizationFilter(restrictions)}
    ${enforcementFilter(sql`m.organization_id`, exemption)}`
  const order = sql`m.organization_created_at, m.organization_id`
  return listPage(db, paging, row, sql`${memberships} ${visible}`, order, sql`from members m ${visible}`)
}

/** Undefined unless the user is a member and the key allows the organization. */
export async function get(
  db: Db,
  user_id: number,
  restrictions: KeyRestrictions,
  id: string,
): Promise<OrganizationRow | undefined> {
  if (!allowsOrganization(restrictions, id)) return undefined
  return db.get<OrganizationRow>(lookup`select ${row} ${memberships} where m.user_id = ${user_id} and o.id = ${id}`)
}

/** The current organization of the user, or else the first one joined. */
export function current(
  db: Db,
  user: { id: number; current_organization_id: string | null },
  restrictions: KeyRestrictions,
): Promise<OrganizationRow | undefined> {
  return db.get<OrganizationRow>(sql`
    select ${row} ${memberships} where m.user_id = ${user.id} ${organizationFilter(restrictions)}
    order by case when o.id = ${user.current_organization_id} then 0 else 1 end, m.joined_at, o.id limit 1`)
}

/** Makes this the first organization of the installation. False when there was one before. */
export async function claimFirst(tx: Db, id: string): Promise<boolean> {
  const claimed = await tx.run(
    sql`update installation set first_organization_id = ${id} where first_organization_id is null`,
  )
  return claimed > 0
}

export interface NewOrganization extends OrganizationInput {
  id: string
  name: string
  slug: string
  plugins_access_level: PluginsAccessLevel
  now: string
}

/** Creates an organization without members. False when the slug is taken. */
export async function create(tx: Db, organization: NewOrganization): Promise<boolean> {
  const { id, name, slug, plugins_access_level, now, ...rest } = organization
  const { is_member_join_email_enabled = true, enforce_2fa = null } = rest
  const created = await tx.run(sql`
    insert into organizations (id, name, slug, created_at, updated_at, plugins_access_level,
      is_member_join_email_enabled, enforce_2fa, customer_id, member_count)
    values (${id}, ${name}, ${slug}, ${now}, ${now}, ${plugins_access_level}, ${is_member_join_email_enabled},
      ${enforce_2fa}, null, 0)
    on conflict (slug) do nothing`)
  return created > 0
}

/** Returns the fields that changed. */
export async function update(
  db: Db,
  row: OrganizationRow,
  input: OrganizationInput,
  now: string,
): Promise<OrganizationInput> {
  const changes = changedFields(row, pickDefined(input, ['name', 'is_member_join_email_enabled', 'enforce_2fa']))
  if (!isEmpty(changes))
    await db.run(sql`update organizations set ${assignments({ ...changes, updated_at: now })} where id = ${row.id}`)
  return changes
}

/**
 * Deletes the organization with its members and projects, and queues the deletion of its events. False when it was
 * deleted before.
 */
export async function remove(tx: Db, id: string, now: string): Promise<boolean> {
  await purges.queue(tx, sql`p.organization_id = ${id}`, now)
  // PostgreSQL may cascade to integrations before it cascades to the exports that reference them.
  await tx.run(sql`
    delete from batch_exports where integration_id in (select id from integrations where organization_id = ${id})`)
  return (await tx.run(sql`delete from organizations where id = ${id}`)) > 0
}

/** For the operator; members cannot change it. False if the organization does not exist. */
export async function setPluginsAccess(db: Db, id: string, level: number, now: string): Promise<boolean> {
  const changed = await db.run(
    sql`update organizations set plugins_access_level = ${level}, updated_at = ${now} where id = ${id}`,
  )
  return changed > 0
}

/** 0 when the organization was deleted. */
export async function pluginsAccess(db: Db, id: string): Promise<PluginsAccessLevel> {
  const found = await db.get<{ level: PluginsAccessLevel }>(
    lookup`select plugins_access_level as level from organizations where id = ${id}`,
  )
  return found?.level ?? 0
}

export interface Oldest {
  organization_id: string | null
  owner_email: string | null
  project_id: number | null
  project_token: string | null
}

/** The oldest organization, its first active owner and its oldest project; null for those that do not exist. */
export async function oldest(db: Db): Promise<Oldest> {
  const found = await db.get<Oldest>(sql`
    select o.id as organization_id, u.email as owner_email, p.id as project_id, p.api_token as project_token
    from organizations o
    left join projects p on p.organization_id = o.id
    left join members m on m.organization_id = o.id and m.level = ${OWNER}
    left join users u on u.id = m.user_id and u.is_active
    order by o.created_at, o.id, p.id, case when u.id is null then 1 else 0 end, m.joined_at limit 1`)
  return found ?? { organization_id: null, owner_email: null, project_id: null, project_token: null }
}

/** The organizations with this name. SQLite ignores the case of ASCII letters only. For commands that work on the database. */
export function named(db: Db, name: string): Promise<{ id: string; name: string }[]> {
  return db.all<{ id: string; name: string }>(
    sql`select o.id, o.name from organizations o where lower(o.name) = lower(${name}) order by o.created_at, o.id`,
  )
}

/**
 * Locks the organization until the transaction ends. Levels change under this lock, so two owners who demote each other
 * concurrently leave one owner. Returns the name; undefined when the organization was deleted.
 */
export async function lockOrganization(tx: Db, id: string): Promise<{ name: string } | undefined> {
  return tx.get<{ name: string }>(sql`select name from organizations where id = ${id} ${forUpdate}`)
}

export async function enforcesTwoFactor(db: Db, id: string): Promise<boolean> {
  return (await db.get(lookup`select 1 from organizations where id = ${id} and enforce_2fa = ${true}`)) !== undefined
}

/**
 * Whether the `enforce_2fa` of any organization that a key with these restrictions reaches applies to the caller. A key
 * restricted to projects reaches their organizations.
 */
export async function anyEnforcesTwoFactor(
  db: Db,
  user_id: number,
  restrictions: KeyRestrictions,
  exemption: Exemption,
): Promise<boolean> {
  if (exemption === 'everywhere') return false
  const reached = restrictions.projects
    ? sql`and exists (select 1 from projects p where p.organization_id = o.id ${projectFilter(restrictions)})`
    : organizationFilter(restrictions)
  const row = await db.get(sql`
    select 1 ${memberships} where m.user_id = ${user_id} and o.enforce_2fa = ${true} ${reached}
      and not exists (select 1 from domains d where d.id = ${exemption.domain_id} and d.organization_id = o.id
        and d.verified_at is not null) limit 1`)
  return row !== undefined
}
