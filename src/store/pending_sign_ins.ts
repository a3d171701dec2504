import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'
import { deleteAll } from './rows.ts'
import type { SignInMethod } from './sessions.ts'

/** A sign-in whose first step succeeded and that waits for the second factor. */
export interface PendingSignInRow {
  user_id: number
  method: SignInMethod
  expires_at: string
}

export async function create(db: Db, pending: PendingSignInRow & { token_hash: string }): Promise<void> {
  await db.run(sql`
    insert into pending_sign_ins (token_hash, user_id, method, expires_at)
    values (${pending.token_hash}, ${pending.user_id}, ${pending.method}, ${pending.expires_at})`)
}

export function get(db: Db, token_hash: string, now: string): Promise<PendingSignInRow | undefined> {
  return db.get<PendingSignInRow>(sql`
    select user_id, method, expires_at from pending_sign_ins where token_hash = ${token_hash} and expires_at > ${now}`)
}

/** False when it was used before. */
export async function remove(db: Db, token_hash: string): Promise<boolean> {
  return (await db.run(sql`delete from pending_sign_ins where token_hash = ${token_hash}`)) > 0
}

export async function removeAll(db: Db, user_id: number): Promise<void> {
  await db.run(sql`delete from pending_sign_ins where user_id = ${user_id}`)
}

export async function removeExpired(db: Db, now: string): Promise<void> {
  await deleteAll(db, {
    table: sql`pending_sign_ins`,
    key: [sql`token_hash`],
    where: sql`expires_at <= ${now}`,
    order: sql`expires_at`,
  })
}
