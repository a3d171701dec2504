import { createHash } from 'node:crypto'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import * as sessions from '../store/sessions.ts'
import { addMilliseconds } from '../time/stored.ts'
import { sha256 } from './hash.ts'

const HOUR_MS = 3_600_000
/** Sensitive operations need a sign-in within the last hour. */
export const FRESH_MS = HOUR_MS
/** How often the use of a session is recorded. */
const TOUCH_EVERY_MS = 60_000
const MAX_USER_AGENT = 400

export interface SessionLimits {
  /** A session ends this long after the sign-in. */
  lifetime_hours: number
  /** A session ends this long after its last use. */
  idle_hours: number
}

/** The client of a request. */
export interface Client {
  address: string
  user_agent: string
}

export interface NewSession {
  user_id: number
  method: sessions.SignInMethod
  domain_id?: string | null
  second_factor: boolean
  client: Client
}

/** The token is the value of the cookie. Only its hash is stored. */
export async function createSession(
  tx: Db,
  { ids, now, lifetime_hours }: { ids: Ids; now: string; lifetime_hours: number },
  { client, domain_id = null, ...session }: NewSession,
): Promise<{ session: sessions.SessionRow; token: string }> {
  const token = ids.sessionToken()
  const row: sessions.SessionRow = {
    ...session,
    domain_id,
    id: ids.uuid(),
    address: client.address,
    user_agent: client.user_agent.slice(0, MAX_USER_AGENT),
    created_at: now,
    last_used_at: now,
    expires_at: addMilliseconds(now, lifetime_hours * HOUR_MS),
  }
  return { session: await sessions.create(tx, row, sha256(token)), token }
}

/** The sessions that are active at a time. */
export const activeAt = (milliseconds: number, { idle_hours }: SessionLimits): sessions.Active => ({
  now: new Date(milliseconds).toISOString(),
  idle_since: new Date(milliseconds - idle_hours * HOUR_MS).toISOString(),
})

export const isActive = (
  { expires_at, last_used_at }: sessions.SessionRow,
  { now, idle_since }: sessions.Active,
): boolean => expires_at > now && last_used_at > idle_since

/** Whether the use of a session should be recorded now. */
export const isTouchDue = ({ last_used_at }: sessions.SessionRow, milliseconds: number): boolean =>
  Date.parse(last_used_at) < milliseconds - TOUCH_EVERY_MS

export const isFresh = ({ created_at }: sessions.SessionRow, milliseconds: number): boolean =>
  Date.parse(created_at) > milliseconds - FRESH_MS

const PASSWORD_METHODS: readonly sessions.SignInMethod[] = ['password', 'signup', 'link']

/** Whether a single sign-on provider vouched for the user. */
export const isSingleSignOn = ({ method }: sessions.SessionRow): boolean => !PASSWORD_METHODS.includes(method)

/** Derived from the session's token: only the browser that has the cookie, and this server, can know it. */
export const csrfTokenOf = (token: string): string =>
  createHash('sha256').update('workspace-admin csrf').update(token).digest('base64url')
