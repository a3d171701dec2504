import { createHash } from 'node:crypto'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import * as apiKeys from '../store/api_keys.ts'

export const hashOf = (value: string): string => createHash('sha256').update(value).digest('hex')

/** Enough to recognise a key by, too little to use it. */
const maskOf = (value: string): string => `${value.slice(0, 4)}...${value.slice(-4)}`

export type NewKey = Pick<apiKeys.ApiKey, 'user_id' | 'label' | 'scopes' | 'reach' | 'expires_at'>

/** Makes a key. The value in the answer is the only copy there will ever be. */
export async function issue(db: Db, ids: Ids, now: string, key: NewKey): Promise<apiKeys.ApiKey & { value: string }> {
  const value = ids.keyValue()
  const made = await apiKeys.create(db, {
    ...key,
    id: ids.keyId(),
    value_hash: hashOf(value),
    mask_value: maskOf(value),
    now,
  })
  return { ...made, value }
}

/** Gives a key another value; undefined when it was revoked meanwhile. */
export async function roll(db: Db, ids: Ids, id: string): Promise<(apiKeys.ApiKey & { value: string }) | undefined> {
  const value = ids.keyValue()
  const rolled = await apiKeys.roll(db, id, { value_hash: hashOf(value), mask_value: maskOf(value) })
  return rolled && { ...rolled, value }
}
