import type { Db } from '../sql/db.ts'
import { insertion, sql } from '../sql/template.ts'
import type { SignInMethod } from './sessions.ts'

/** A sign-on that a browser started and the provider has not completed yet. */
export interface SsoRequestRow {
  provider: SignInMethod
  /** The login domain, for SAML. */
  domain_id: string | null
  /** The hash of the cookie of the browser that started it. */
  browser_hash: string
  /** The path to return to. */
  next: string
  invite_id: string | null
  expires_at: string
}

export async function create(db: Db, request: SsoRequestRow & { id_hash: string }): Promise<void> {
  await db.run(sql`insert into sso_requests ${insertion({ ...request })}`)
}

/** Deletes and returns the request: each can be used once. */
export function use(db: Db, id_hash: string, now: string): Promise<SsoRequestRow | undefined> {
  return db.get<SsoRequestRow>(sql`
    delete from sso_requests where id_hash = ${id_hash} and expires_at > ${now}
    returning provider, domain_id, browser_hash, next, invite_id, expires_at`)
}

/** False when the assertion was used before. */
export async function useAssertion(db: Db, id_hash: string, expires_at: string): Promise<boolean> {
  const used = await db.run(sql`
    insert into used_assertions (id_hash, expires_at) values (${id_hash}, ${expires_at}) on conflict (id_hash) do nothing`)
  return used > 0
}
