import type { Db } from '../sql/db.ts'
import { insertion, sql } from '../sql/template.ts'
import type { SignInMethod } from './sessions.ts'

/** A sign-in whose first step succeeded and that waits for the second factor. */
export interface PendingSignInRow {
  user_id: number
  method: SignInMethod
  expires_at: string
}

export async function create(db: Db, pending: PendingSignInRow & { token_hash: string }): Promise<void> {
  await db.run(sql`insert into pending_sign_ins ${insertion({ ...pending })}`)
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
