import { AppError, forbidden } from '../errors.ts'
import type { Database, Db } from '../sql/db.ts'
import { type UserActor, userActor } from '../store/activity_log.ts'
import { type ApiKey, getByHash } from '../store/api_keys.ts'
import { type KeyRestrictions, UNRESTRICTED } from '../store/key-restrictions.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { UserRow } from '../store/users.ts'
import { sha256 } from './hash.ts'
import { grants } from './scopes.ts'

/** The user of a request: with a key, with a session, or through a plugin that reads on their behalf. */
export interface Caller {
  user: UserRow
  key: ApiKey | null
  session: SessionRow | null
  /** The configuration of the plugin that sends the request with `posthog.api`. */
  plugin_config_id: number | null
  scopes: readonly string[]
  restrictions: KeyRestrictions
  /** When the key expires; null for a session. */
  expires_at: string | null
}

const callerWithKey = ({ user, key }: { user: UserRow; key: ApiKey }): Caller => ({
  user,
  key,
  session: null,
  plugin_config_id: null,
  scopes: key.scopes,
  restrictions: key.restrictions,
  expires_at: key.expires_at,
})

/** A session has all scopes. */
export const callerWithSession = ({ user, session }: { user: UserRow; session: SessionRow }): Caller => ({
  user,
  key: null,
  session,
  plugin_config_id: null,
  scopes: ['*'],
  restrictions: UNRESTRICTED,
  expires_at: null,
})

/** The caller as the activity log records them. */
export const actorOf = ({ user, key, session }: Caller, address: string): UserActor =>
  userActor(user, address, { key_id: key?.id ?? null, session_id: session?.id ?? null })

/** The key in `Authorization: Bearer <key>`. Other schemes are ignored. */
export function bearer(authorization: string | undefined): string | undefined {
  return /^bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
}

export type KeyLookup = (value: string) => Promise<Caller | undefined>

// Looks up a hash, so the duration reveals nothing about the value.
export const keyLookup =
  (db: Db): KeyLookup =>
  async (value) => {
    const found = await getByHash(db, sha256(value))
    return found && callerWithKey(found)
  }

/** Keys beyond this number are looked up on every request. */
const MAX_CACHED_KEYS = 10_000

/**
 * Caches callers until the next commit of any process, so a revoked key stops working immediately. PostgreSQL does not
 * report commits: there every request looks up its key.
 */
export function cachedKeyLookup(db: Database): KeyLookup {
  const lookup = keyLookup(db)
  const cache = new Map<string, Caller>()
  let changes: number | undefined
  return async (value) => {
    const now = db.changes()
    if (now === undefined) return lookup(value)
    if (now !== changes) cache.clear()
    changes = now
    const cached = cache.get(value)
    if (cached) return cached
    const found = await lookup(value)
    // A commit during the lookup may have changed the key.
    if (found && changes === now && cache.size < MAX_CACHED_KEYS) cache.set(value, found)
    return found
  }
}

/** Throws not_authenticated without a key, and authentication_failed for an unknown, revoked or expired key. */
export async function authenticate(
  lookup: KeyLookup,
  authorization: string | undefined,
  now: () => string,
): Promise<Caller> {
  const value = bearer(authorization)
  if (!value)
    throw new AppError({
      code: 'not_authenticated',
      detail: 'Send a personal API key in the header "Authorization: Bearer <key>", or sign in.',
    })
  const found = await lookup(value)
  if (!found || (found.expires_at !== null && found.expires_at <= now()))
    throw new AppError({
      code: 'authentication_failed',
      detail: 'This key is unknown, revoked or expired. Create a new key.',
    })
  return found
}

export function requireScope({ scopes }: Pick<Caller, 'scopes'>, required: string | undefined): void {
  if (required !== undefined && !grants(scopes, required))
    throw forbidden(`This key lacks the scope '${required}'. Use a key with that scope.`)
}
