import type { Db } from '../sql/db.ts'
import { insertion, lookup, sql } from '../sql/template.ts'
import { type Counted, deleteBefore, listPage, type Paging, type Stoppable } from './rows.ts'
import { type UserRow, userColumns } from './users.ts'

/** How a user signed in: `password`, `link`, `signup`, or the name of a single sign-on provider. */
export type SignInMethod = 'password' | 'link' | 'signup' | 'saml' | 'google-oauth2' | 'github' | 'gitlab' | 'oidc'

export interface SessionRow {
  id: string
  user_id: number
  method: SignInMethod
  /** The login domain whose SAML provider vouched for the user. */
  domain_id: string | null
  second_factor: boolean | number
  address: string
  user_agent: string
  created_at: string
  last_used_at: string
  expires_at: string
}

const columns = sql`s.id, s.user_id, s.method, s.domain_id, s.second_factor, s.address, s.user_agent, s.created_at,
  s.last_used_at, s.expires_at`

/** A session and its active user, expired or not. */
export async function getByHash(
  db: Db,
  token_hash: string,
): Promise<{ session: SessionRow; user: UserRow } | undefined> {
  const row = await db.get<SessionRow & UserRow & { session_id: string; session_created_at: string }>(lookup`
    select ${columns}, s.id as session_id, s.created_at as session_created_at, ${userColumns}
    from sessions s join users u on u.id = s.user_id where s.token_hash = ${token_hash} and u.is_active`)
  return row && { session: { ...row, id: row.session_id, created_at: row.session_created_at }, user: row }
}

export async function create(db: Db, session: SessionRow, token_hash: string): Promise<SessionRow> {
  await db.run(sql`insert into sessions ${insertion({ ...session, token_hash })}`)
  return session
}

export interface Active {
  now: string
  /** Sessions that were not used since then have ended. */
  idle_since: string
}

const isActive = ({ now, idle_since }: Active) => sql`s.expires_at > ${now} and s.last_used_at > ${idle_since}`

export async function list(db: Db, user_id: number, active: Active, paging: Paging): Promise<Counted<SessionRow>> {
  const found = sql`from sessions s where s.user_id = ${user_id} and ${isActive(active)}`
  return listPage(db, paging, columns, found, sql`s.last_used_at desc, s.id desc`)
}

export async function touch(db: Db, id: string, now: string): Promise<void> {
  await db.run(sql`update sessions set last_used_at = ${now} where id = ${id} and last_used_at < ${now}`)
}

/** A session that was signed in with a password only, and then set up a second factor, counts as confirmed. */
export async function confirmSecondFactor(db: Db, id: string): Promise<void> {
  await db.run(sql`update sessions set second_factor = ${true} where id = ${id}`)
}

export async function remove(db: Db, user_id: number, id: string): Promise<boolean> {
  return (await db.run(sql`delete from sessions where id = ${id} and user_id = ${user_id}`)) > 0
}

export interface EndedSession {
  id: string
  user_id: number
  /** The user's address. */
  email: string
}

/** Ends the user's sessions, except one. Returns them in the order of their ids. */
export async function removeAll(
  db: Db,
  { id: user_id, email }: Pick<UserRow, 'id' | 'email'>,
  except: string | null = null,
): Promise<EndedSession[]> {
  const rows = await db.all<{ id: string }>(
    sql`delete from sessions where user_id = ${user_id} and id <> ${except ?? ''} returning id`,
  )
  return rows.map(({ id }) => ({ id, user_id, email })).sort(byId)
}

/** Ends the password sessions of every user whose address ends with `@domain`. Returns them in the order of their ids. */
export async function removeOfDomain(db: Db, domain: string): Promise<EndedSession[]> {
  const suffix = `@${domain}`
  const rows = await db.all<EndedSession>(sql`
    delete from sessions where method in ('password', 'signup') and user_id in (
      select id from users where substr(email_key, length(email_key) - ${suffix.length - 1}) = ${suffix})
    returning id, user_id, (select email from users u where u.id = sessions.user_id) as email`)
  return rows.sort(byId)
}

const byId = (a: EndedSession, b: EndedSession): number => (a.id < b.id ? -1 : 1)

/** The tables with an `expires_at`, and the key of each. */
const EXPIRING = [
  ['sessions', 'id'],
  ['pending_sign_ins', 'token_hash'],
  ['one_time_tokens', 'token_hash'],
  ['pending_identities', 'token_hash'],
  ['sso_requests', 'id_hash'],
  ['used_assertions', 'id_hash'],
] as const

/** Deletes expired sessions, tokens, incomplete sign-ins and failures. */
export async function removeExpired(
  db: Db,
  work: Stoppable,
  { now, idle_since }: Active,
  failed_before: string,
): Promise<void> {
  for (const [table, key] of EXPIRING) await deleteBefore(db, work, table, [key], 'expires_at', now)
  await deleteBefore(db, work, 'sessions', ['id'], 'last_used_at', idle_since)
  await deleteBefore(db, work, 'sign_in_failures', ['name'], 'last_failed_at', failed_before)
}
