import type { Db } from '../sql/db.ts'
import { assignments, forUpdate, sql } from '../sql/template.ts'
import { changedFields, isEmpty } from './changes.ts'

export interface UserRow {
  id: number
  uuid: string
  distinct_id: string
  email: string
  first_name: string
  last_name: string
  is_email_verified: boolean | number | null
  hedgehog_config: string | null
  current_organization_id: string | null
  current_project_id: number | null
  /** A new address that is not verified yet. */
  pending_email: string | null
  two_factor_enabled_at: string | null
}

/** The columns of a UserRow, for statements with users as `u`. */
export const userColumns = sql`u.id, u.uuid, u.distinct_id, u.email, u.first_name, u.last_name, u.is_email_verified,
  u.hedgehog_config, u.current_organization_id, u.current_project_id, u.pending_email, u.two_factor_enabled_at`

/** Addresses that differ only in case belong to one user. */
export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase()

export function getByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.get<UserRow>(sql`select ${userColumns} from users u where u.email_key = ${emailKey(email)} and u.is_active`)
}

/** Locks the account until the transaction ends, so it cannot join an organization while it is superseded. */
export async function lockUserByEmail(tx: Db, email: string): Promise<void> {
  await tx.get(sql`select id from users where email_key = ${emailKey(email)} and is_active ${forUpdate}`)
}

/** Locks the account until the transaction ends. Undefined when it was disabled. */
export function lockUser(tx: Db, id: number): Promise<UserRow | undefined> {
  return tx.get<UserRow>(sql`select ${userColumns} from users u where u.id = ${id} and u.is_active ${forUpdate}`)
}

export function oldest(db: Db): Promise<UserRow | undefined> {
  return db.get<UserRow>(sql`select ${userColumns} from users u where u.is_active order by u.id limit 1`)
}

export async function exist(db: Db): Promise<boolean> {
  return (await db.get(sql`select 1 from users limit 1`)) !== undefined
}

export type UserSummary = Pick<UserRow, 'id' | 'uuid' | 'email' | 'first_name'> & {
  is_email_verified: boolean | null
  organizations: number
  keys: number
  created_at: string
}

/** All active users, with the number of their organizations and keys. */
export async function list(db: Db): Promise<UserSummary[]> {
  const rows = await db.all<UserSummary>(sql`
    select u.id, u.uuid, u.email, u.first_name, u.is_email_verified, u.created_at,
      (select count(*) from members m where m.user_id = u.id) as organizations,
      (select count(*) from api_keys k where k.user_id = u.id) as keys
    from users u where u.is_active order by u.id`)
  return rows.map((row) => ({
    ...row,
    is_email_verified: row.is_email_verified === null ? null : Boolean(row.is_email_verified),
  }))
}

/** Lower-cased here, because SQLite lower-cases only ASCII. */
export const searchText = (text: string): string => text.normalize('NFC').toLowerCase()

export const searchKey = (user: { first_name: string; last_name?: string; email: string }): string =>
  searchText(`${user.first_name} ${user.last_name ?? ''} ${user.email}`)

export interface NewUser {
  uuid: string
  distinct_id: string
  email: string
  first_name: string
  last_name?: string
  is_email_verified?: boolean
  now: string
}

/** Undefined when the address already has an account. */
export function create(db: Db, user: NewUser): Promise<UserRow | undefined> {
  return db.get<UserRow>(sql`
    insert into users (uuid, distinct_id, email, email_key, first_name, last_name, is_email_verified, is_active,
      hedgehog_config, current_organization_id, current_project_id, search_key, created_at)
    values (${user.uuid}, ${user.distinct_id}, ${user.email}, ${emailKey(user.email)}, ${user.first_name},
      ${user.last_name ?? ''}, ${user.is_email_verified ?? null}, ${true}, null, null, null, ${searchKey(user)}, ${user.now})
    on conflict (email_key) do nothing returning *`)
}

export interface UserInput {
  first_name?: string
  last_name?: string
  current_organization_id?: string
  current_project_id?: number | null
}

/** Requires the lock: the search key is computed from the whole row. */
export async function update(tx: Db, row: UserRow, input: UserInput): Promise<UserRow> {
  const changes = changedFields(row, input)
  if (isEmpty(changes)) return row
  const after = { ...row, ...changes }
  await tx.run(sql`
    update users set ${assignments({ ...changes, search_key: searchKey(after) })} where id = ${row.id}`)
  return after
}

/** Clears the current organization if it is this one, which the user left. Joining again does not make it current. */
export async function clearCurrentWorkspace(tx: Db, id: number, organization_id: string): Promise<void> {
  await tx.run(sql`
    update users set current_organization_id = null, current_project_id = null
    where id = ${id} and current_organization_id = ${organization_id}`)
}

export async function verifyEmail(tx: Db, id: number): Promise<void> {
  await tx.run(sql`update users set is_email_verified = ${true} where id = ${id}`)
}

/** Disables the account and frees its address. False when it is verified or already disabled. */
export async function disable(tx: Db, { id, uuid }: Pick<UserRow, 'id' | 'uuid'>): Promise<boolean> {
  // RFC 2606 reserves `.invalid`, so no mail is delivered there.
  const email = `${uuid}@superseded.invalid`
  const disabled = await tx.run(sql`
    update users set is_active = ${false}, is_email_verified = ${false}, email = ${email}, email_key = ${email},
      search_key = ${email}, current_organization_id = null, current_project_id = null
    where id = ${id} and is_active and is_email_verified is not true`)
  return disabled > 0
}

/** False when the account is not active. */
export async function deactivate(tx: Db, id: number): Promise<boolean> {
  return (await tx.run(sql`update users set is_active = ${false} where id = ${id} and is_active`)) > 0
}

export async function activate(tx: Db, id: number): Promise<boolean> {
  return (await tx.run(sql`update users set is_active = ${true} where id = ${id} and not is_active`)) > 0
}

/** Also finds deactivated accounts. Superseded accounts have lost their address. */
export function findByEmail(db: Db, email: string): Promise<(UserRow & { is_active: boolean | number }) | undefined> {
  return db.get(sql`select ${userColumns}, u.is_active from users u where u.email_key = ${emailKey(email)}`)
}
