import { AppError, forbidden } from '../errors.ts'
import type { Database, Db } from '../sql/db.ts'
import { type ApiKey, getByHash } from '../store/api_keys.ts'
import type { UserRow } from '../store/users.ts'
import { hashOf } from './api_keys.ts'
import { grants } from './scopes.ts'

/** Who is asking, and with which key. */
export interface Caller {
  user: UserRow
  key: ApiKey
}

/** The key in `Authorization: Bearer <key>`; other schemes count as none. */
export function bearer(authorization: string | undefined): string | undefined {
  return /^bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
}

/** Finds whom a key belongs to. */
export type Find = (value: string) => Promise<Caller | undefined>

// The lookup is by hash, so its timing says nothing about the value.
export const keyLookup =
  (db: Db): Find =>
  (value) =>
    getByHash(db, hashOf(value))

/** More than one server's callers; beyond it nobody is remembered, and all are still served. */
const MOST_REMEMBERED = 10_000

/**
 * Looks up whom it does not remember, and remembers nobody beyond the next commit: a key that is revoked opens nothing from
 * that moment on, whichever process revoked it. Where the database cannot tell of commits, every request asks.
 */
export function cachedKeyLookup(db: Database): Find {
  const find = keyLookup(db)
  const known = new Map<string, Caller>()
  let changes: number | undefined
  return async (value) => {
    const now = db.changes()
    if (now === undefined) return find(value)
    if (now !== changes) known.clear()
    changes = now
    const remembered = known.get(value)
    if (remembered) return remembered
    const found = await find(value)
    // What was found may be from before a commit that was seen meanwhile.
    if (found && changes === now && known.size < MOST_REMEMBERED) known.set(value, found)
    return found
  }
}

/** Throws not_authenticated without a key, authentication_failed for one that is unknown, revoked or expired. */
export async function authenticate(find: Find, authorization: string | undefined, now: () => string): Promise<Caller> {
  const value = bearer(authorization)
  if (!value)
    throw new AppError({
      code: 'not_authenticated',
      detail: 'Send a personal API key in the header "Authorization: Bearer <key>".',
    })
  const found = await find(value)
  if (!found || (found.key.expires_at !== null && found.key.expires_at <= now()))
    throw new AppError({
      code: 'authentication_failed',
      detail: 'This key is unknown, revoked or expired. Make a new one and send that.',
    })
  return found
}

export function requireScope({ key }: Caller, required: string | undefined): void {
  if (required !== undefined && !grants(key.scopes, required))
    throw forbidden(`This key lacks the scope '${required}'. Use a key that holds it.`)
}
