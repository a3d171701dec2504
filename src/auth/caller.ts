import { AppError, forbidden } from '../errors.ts'
import type { Db } from '../sql/db.ts'
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

/** Throws not_authenticated without a key, authentication_failed for one that is unknown, revoked or expired. */
export async function authenticate(db: Db, authorization: string | undefined, now: string): Promise<Caller> {
  const value = bearer(authorization)
  if (!value)
    throw new AppError('not_authenticated', 'Send a personal API key in the header "Authorization: Bearer <key>".')
  // The lookup is by hash, so its timing says nothing about the value.
  const found = await getByHash(db, hashOf(value))
  if (!found || (found.key.expires_at !== null && found.key.expires_at <= now))
    throw new AppError(
      'authentication_failed',
      'This key is unknown, revoked or expired. Make a new one and send that.',
    )
  return found
}

export function demandScope({ key }: Caller, required: string | undefined): void {
  if (required !== undefined && !grants(key.scopes, required))
    throw forbidden(`This key lacks the scope '${required}'. Use a key that holds it.`)
}
