import type { Db } from '../sql/db.ts'
import { insertion, sql } from '../sql/template.ts'
import type { SignInMethod } from './sessions.ts'

/** A user at a single sign-on provider. Never keyed by address, because addresses are reassigned. */
export interface Identity {
  issuer: string
  subject: string
  provider: SignInMethod
  email: string
}

export async function userOf(
  db: Db,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
): Promise<number | undefined> {
  const row = await db.get<{ user_id: number }>(
    sql`select user_id from identities where issuer = ${issuer} and subject = ${subject}`,
  )
  return row?.user_id
}

/** Records the use of an identity, and links it to the user if it is new. */
export async function link(tx: Db, user_id: number, identity: Identity, now: string): Promise<void> {
  await tx.run(sql`
    insert into identities (issuer, subject, user_id, provider, email, created_at, last_used_at)
    values (${identity.issuer}, ${identity.subject}, ${user_id}, ${identity.provider}, ${identity.email}, ${now}, ${now})
    on conflict (issuer, subject) do update set email = ${identity.email}, last_used_at = ${now}`)
}

export async function removeAll(tx: Db, user_id: number): Promise<void> {
  await tx.run(sql`delete from identities where user_id = ${user_id}`)
}

/** An identity that waits until the owner of the account confirms it with the password. */
export async function createPending(
  db: Db,
  pending: Identity & { token_hash: string; user_id: number; expires_at: string },
): Promise<void> {
  await db.run(sql`insert into pending_identities ${insertion({ ...pending })}`)
}

/** Deletes and returns it. Undefined when it is expired or belongs to another user. */
export function usePending(tx: Db, user_id: number, token_hash: string, now: string): Promise<Identity | undefined> {
  return tx.get<Identity>(sql`
    delete from pending_identities where token_hash = ${token_hash} and user_id = ${user_id} and expires_at > ${now}
    returning issuer, subject, provider, email`)
}
