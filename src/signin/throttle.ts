/** Throttles password and code guessing. Counts are in the database, so all nodes share them. */

import { sha256 } from '../auth/hash.ts'
import { AppError } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import * as failures from '../store/sign_in_failures.ts'

const MINUTE_MS = 60_000
const MAX_BLOCK_MS = 15 * MINUTE_MS
/** Failures are forgotten after an hour without another one. */
export const FORGET_MS = 60 * MINUTE_MS

/** After `limit` failures, each further one doubles the wait, from `first_wait_ms` up to 15 minutes. */
export interface Throttle {
  name: string
  limit: number
  first_wait_ms: number
}

/** An account at one address: an attacker elsewhere cannot lock out its owner. */
export const accountThrottle = (email_key: string, address: string): Throttle => ({
  name: sha256(`account ${email_key} ${address}`),
  limit: 10,
  first_wait_ms: 30_000,
})

export const addressThrottle = (address: string): Throttle => ({
  name: sha256(`address ${address}`),
  limit: 100,
  first_wait_ms: 30_000,
})

/** For all addresses: there are only a million codes. */
export const secondFactorThrottle = (user_id: number): Throttle => ({
  name: sha256(`second factor ${user_id}`),
  limit: 1,
  first_wait_ms: 1_000,
})

export interface Clock {
  db: Db
  milliseconds: () => number
}

/** Seconds until the next attempt is allowed; 0 for now. */
export async function blockedSeconds({ db, milliseconds }: Clock, { name }: Throttle): Promise<number> {
  const row = await failures.get(db, name)
  return row ? Math.max(0, Math.ceil((Date.parse(row.blocked_until) - milliseconds()) / 1000)) : 0
}

/** Throws `throttled` while any of the throttles blocks. */
export async function requireUnblocked(clock: Clock, throttles: readonly Throttle[]): Promise<void> {
  for (const throttle of throttles) {
    const seconds = await blockedSeconds(clock, throttle)
    if (seconds > 0)
      throw new AppError({
        code: 'throttled',
        detail: `Too many failed attempts. Try again in ${seconds} seconds.`,
        retry_after_seconds: seconds,
      })
  }
}

export async function countFailure(
  { db, milliseconds }: Clock,
  { name, limit, first_wait_ms }: Throttle,
): Promise<void> {
  const time = milliseconds()
  const count = await failures.add(db, name, iso(time), iso(time - FORGET_MS))
  if (count < limit) return
  const wait_ms = Math.min(MAX_BLOCK_MS, first_wait_ms * 2 ** Math.min(20, count - limit))
  await failures.block(db, name, iso(time + wait_ms))
}

export const clearFailures = ({ db }: Clock, { name }: Throttle): Promise<void> => failures.remove(db, name)

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()
