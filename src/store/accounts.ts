/** Users with their credentials. Rows of this type never leave the sign-in code. */
import type { Db } from '../sql/db.ts'
import { forUpdate, sql } from '../sql/template.ts'
import { emailKey, searchKey, type UserRow, userColumns } from './users.ts'

export interface AccountRow extends UserRow {
  password_hash: string | null
  /** Encrypted. */
  totp_secret: string | null
  /** The start of a setup that is not complete; null if there is none. */
  totp_setup_at: string | null
  /** Whether a single sign-on identity is linked. */
  has_social_auth: boolean | number
}

const columns = sql`${userColumns}, u.password_hash, u.totp_secret, u.totp_setup_at,
  exists (select 1 from identities i where i.user_id = u.id) as has_social_auth`

export function get(db: Db, id: number): Promise<AccountRow | undefined> {
  return db.get<AccountRow>(sql`select ${columns} from users u where u.id = ${id} and u.is_active`)
}

export function getByEmail(db: Db, email: string): Promise<AccountRow | undefined> {
  return db.get<AccountRow>(sql`
    select ${columns} from users u where u.email_key = ${emailKey(email)} and u.is_active`)
}

/** Locks the account until the transaction ends. Undefined when it is gone or deactivated. */
export function lock(tx: Db, id: number): Promise<AccountRow | undefined> {
  return tx.get<AccountRow>(sql`select ${columns} from users u where u.id = ${id} and u.is_active ${forUpdate}`)
}

export async function setPassword(tx: Db, id: number, password_hash: string | null): Promise<void> {
  await tx.run(sql`update users set password_hash = ${password_hash} where id = ${id}`)
}

export async function setPendingEmail(tx: Db, id: number, pending_email: string | null): Promise<void> {
  await tx.run(sql`update users set pending_email = ${pending_email} where id = ${id}`)
}

/** Undefined when another account has the address. */
export async function changeEmail<Row extends UserRow>(
  tx: Db,
  user: Row,
  email: string,
  verified: boolean,
): Promise<Row | undefined> {
  const isSame = emailKey(email) === emailKey(user.email)
  // A verification counts for its address only. Null stays: it marks an account that the operator created.
  const unverified = isSame || user.is_email_verified === null ? user.is_email_verified : false
  const is_email_verified = verified || unverified
  const changed = await tx.run(sql`
    update users set email = ${email}, email_key = ${emailKey(email)}, pending_email = null,
      search_key = ${searchKey({ ...user, email })}, is_email_verified = ${is_email_verified}
    where id = ${user.id}
      and not exists (select 1 from users u where u.email_key = ${emailKey(email)} and u.id <> ${user.id})`)
  return changed > 0 ? { ...user, email, pending_email: null, is_email_verified } : undefined
}

/** False when two-factor authentication is on. */
export async function startTotpSetup(db: Db, id: number, totp_secret: string, now: string): Promise<boolean> {
  const started = await db.run(sql`
    update users set totp_secret = ${totp_secret}, totp_setup_at = ${now}, totp_last_step = null
    where id = ${id} and two_factor_enabled_at is null`)
  return started > 0
}

/** The code that completes the setup counts as used. */
export async function enableTwoFactor(tx: Db, id: number, step: number, now: string): Promise<void> {
  await tx.run(sql`
    update users set two_factor_enabled_at = ${now}, totp_last_step = ${step}, totp_setup_at = null where id = ${id}`)
}

export async function disableTwoFactor(tx: Db, id: number): Promise<void> {
  await tx.run(sql`
    update users set two_factor_enabled_at = null, totp_secret = null, totp_last_step = null, totp_setup_at = null
    where id = ${id}`)
}

/** False when this step or a later one was used. */
export async function useTotpStep(tx: Db, id: number, step: number): Promise<boolean> {
  const used = await tx.run(sql`
    update users set totp_last_step = ${step}
    where id = ${id} and (totp_last_step is null or totp_last_step < ${step})`)
  return used > 0
}
