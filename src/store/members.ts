import type { Db } from '../sql/db.ts'
import { lookup, oneOf, type Sql, sql } from '../sql/template.ts'
import { type Counted, listPage, type Paging } from './rows.ts'
import { emailKey, searchText, type UserRow, userColumns } from './users.ts'

export const MEMBER = 1
export const ADMIN = 8
export const OWNER = 15
export type Level = typeof MEMBER | typeof ADMIN | typeof OWNER

export interface MemberRow extends UserRow {
  membership_id: string
  level: Level
  joined_at: string
  updated_at: string
  has_social_auth: boolean | number
}

export interface MemberFilter {
  order?: 'joined_at' | '-joined_at'
  email?: string
  search?: string
  updated_after?: string
}

const row = sql`m.id as membership_id, m.level, m.joined_at, m.updated_at, ${userColumns},
  exists (select 1 from identities i where i.user_id = u.id) as has_social_auth`
const people = sql`from members m join users u on u.id = m.user_id`

/** The user with this id, if they are an active member of the project's organization. */
export function userOfProject(db: Db, user_id: number, project_id: number): Promise<UserRow | undefined> {
  return db.get<UserRow>(lookup`
    select ${userColumns} ${people} join projects p on p.organization_id = m.organization_id
    where u.id = ${user_id} and u.is_active and p.id = ${project_id}`)
}

export function list(
  db: Db,
  organization_id: string,
  { order = '-joined_at', email, search, updated_after }: MemberFilter,
  paging: Paging,
): Promise<Counted<MemberRow>> {
  const byEmail = email === undefined ? sql`` : sql`and u.email_key = ${emailKey(email)}`
  const bySearch = search === undefined ? sql`` : sql`and ${contains(sql`u.search_key`, searchText(search))}`
  const byUpdate = updated_after === undefined ? sql`` : sql`and m.updated_at > ${updated_after}`
  const found = sql`${people} where m.organization_id = ${organization_id} and u.is_active
    ${byEmail} ${bySearch} ${byUpdate}`
  const ordered = order === 'joined_at' ? sql`m.joined_at, m.id` : sql`m.joined_at desc, m.id desc`
  return listPage(db, paging, row, found, ordered)
}

const contains = (text: Sql, part: string): Sql =>
  sql`${{ sqlite: sql`instr(${text}, ${part}) > 0`, postgres: sql`strpos(${text}, ${part}) > 0` }}`

export function get(db: Db, organization_id: string, user_uuid: string): Promise<MemberRow | undefined> {
  return db.get<MemberRow>(
    lookup`select ${row} ${people} where m.organization_id = ${organization_id} and u.uuid = ${user_uuid} and u.is_active`,
  )
}

/** Whether a member has this address. Ignores case. */
export async function hasEmail(db: Db, organization_id: string, email: string): Promise<boolean> {
  const found = await db.get(
    sql`select 1 ${people} where m.organization_id = ${organization_id} and u.email_key = ${emailKey(email)}`,
  )
  return found !== undefined
}

/** The active members with these addresses. Ignores case. */
export function withEmails(
  db: Db,
  organization_id: string,
  emails: readonly string[],
): Promise<{ id: string; email: string }[]> {
  return db.all<{ id: string; email: string }>(sql`
    select m.id, u.email ${people} where m.organization_id = ${organization_id} and u.is_active
      and u.email_key in ${oneOf(emails.map(emailKey))} order by m.joined_at, m.id`)
}

/** Undefined when the user is not a member. */
export async function levelOf(db: Db, organization_id: string, user_id: number): Promise<Level | undefined> {
  const found = await db.get<{ level: Level }>(
    sql`select level from members where organization_id = ${organization_id} and user_id = ${user_id}`,
  )
  return found?.level
}

export interface Membership {
  id: string
  organization_id: string
  organization_name: string
  level: Level
}

/** The memberships of the user, in the order in which organizations are locked. */
export function ofUser(db: Db, user_id: number): Promise<Membership[]> {
  return db.all<Membership>(sql`
    select m.id, m.organization_id, o.name as organization_name, m.level
    from members m join organizations o on o.id = m.organization_id where m.user_id = ${user_id}
    order by m.organization_id`)
}

/** The memberships of all these users. */
export function ofUsers(db: Db, user_ids: readonly number[]): Promise<{ user_id: number; organization_id: string }[]> {
  return db.all(sql`
    select user_id, organization_id from members where user_id in ${oneOf(user_ids)} order by user_id, organization_id`)
}

/** Whether the organization has an active owner besides this user. */
export async function hasOtherOwner(tx: Db, organization_id: string, user_id: number): Promise<boolean> {
  const found = await tx.get(sql`
    select 1 ${people} where m.organization_id = ${organization_id} and m.level = ${OWNER}
      and u.id <> ${user_id} and u.is_active limit 1`)
  return found !== undefined
}

/** The other members, if the organization has emails about new members enabled. */
export function membersToNotify(db: Db, organization_id: string, joined_user_id: number): Promise<{ email: string }[]> {
  return db.all<{ email: string }>(sql`
    select u.email ${people} join organizations o on o.id = m.organization_id
    where m.organization_id = ${organization_id} and u.id <> ${joined_user_id} and u.is_active
      and o.is_member_join_email_enabled
    order by m.joined_at, m.id`)
}

/** The administrators and owners of the organization of a project. */
export function administrators(db: Db, project_id: number): Promise<{ email: string; organization: string }[]> {
  return db.all<{ email: string; organization: string }>(sql`
    select u.email, o.name as organization from projects p
    join organizations o on o.id = p.organization_id
    join members m on m.organization_id = o.id and m.level >= ${ADMIN}
    join users u on u.id = m.user_id
    where p.id = ${project_id} and u.is_active order by m.joined_at, m.id`)
}

/** Adds to `member_count` in the same transaction, so reading an organization counts no rows. */
export async function create(
  tx: Db,
  member: { id: string; organization_id: string; user_id: number; level: number; now: string },
): Promise<void> {
  await tx.run(sql`
    insert into members (id, organization_id, organization_created_at, user_id, level, joined_at, updated_at)
    values (${member.id}, ${member.organization_id},
      coalesce((select created_at from organizations where id = ${member.organization_id}), ''),
      ${member.user_id}, ${member.level}, ${member.now}, ${member.now})`)
  await tx.run(sql`update organizations set member_count = member_count + 1 where id = ${member.organization_id}`)
}

export async function setLevel(tx: Db, membership_id: string, level: number, now: string): Promise<void> {
  await tx.run(sql`update members set level = ${level}, updated_at = ${now} where id = ${membership_id}`)
}

/** For a member whose account was activated again. */
export async function incrementMemberCount(tx: Db, organization_id: string): Promise<void> {
  await tx.run(sql`update organizations set member_count = member_count + 1 where id = ${organization_id}`)
}

/** For a member whose account was disabled: `member_count` counts active members. */
export async function decrementMemberCount(tx: Db, organization_id: string): Promise<void> {
  await tx.run(sql`update organizations set member_count = member_count - 1 where id = ${organization_id}`)
}

export async function remove(tx: Db, organization_id: string, membership_id: string): Promise<void> {
  const removed = await tx.run(sql`delete from members where id = ${membership_id}`)
  await tx.run(sql`update organizations set member_count = member_count - ${removed} where id = ${organization_id}`)
}
