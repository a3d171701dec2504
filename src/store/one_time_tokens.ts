import type { Db } from '../sql/db.ts'
import { insertion, sql } from '../sql/template.ts'

export type TokenKind = 'sign_in' | 'password_reset' | 'email_verification'

export interface OneTimeTokenRow {
  kind: TokenKind
  user_id: number
  /** The address that the token was issued for. The token is invalid once the user has another address. */
  email: string
  created_at: string
  expires_at: string
}

/** Voids earlier tokens of the user and kind. */
export async function create(db: Db, token: OneTimeTokenRow & { token_hash: string }): Promise<void> {
  await removeAll(db, token.user_id, token.kind)
  await db.run(sql`insert into one_time_tokens ${insertion({ ...token })}`)
}

export function get(db: Db, kind: TokenKind, token_hash: string, now: string): Promise<OneTimeTokenRow | undefined> {
  return db.get<OneTimeTokenRow>(sql`
    select kind, user_id, email, created_at, expires_at from one_time_tokens
    where token_hash = ${token_hash} and kind = ${kind} and expires_at > ${now}`)
}

/** Deletes the token and returns it. Of two concurrent uses, one gets undefined. */
export function use(db: Db, kind: TokenKind, token_hash: string, now: string): Promise<OneTimeTokenRow | undefined> {
  return db.get<OneTimeTokenRow>(sql`
    delete from one_time_tokens where token_hash = ${token_hash} and kind = ${kind} and expires_at > ${now}
    returning kind, user_id, email, created_at, expires_at`)
}

/** Voids the user's tokens of a kind. */
export async function removeAll(db: Db, user_id: number, kind?: TokenKind): Promise<void> {
  await db.run(sql`
    delete from one_time_tokens where user_id = ${user_id} ${kind === undefined ? sql`` : sql`and kind = ${kind}`}`)
}
