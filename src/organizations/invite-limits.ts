import { sha256 } from '../auth/hash.ts'
import { AppError } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import * as madeInvites from '../store/made_invites.ts'
import { emailKey } from '../store/users.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

interface Limit {
  by: 'organization_id' | 'inviter_id'
  max: number
  window_ms: number
}

/** Limits of invites to one address. The limits per inviter stop a user who creates many organizations. */
const LIMITS: readonly Limit[] = [
  { by: 'organization_id', max: 3, window_ms: HOUR_MS },
  { by: 'organization_id', max: 10, window_ms: DAY_MS },
  { by: 'inviter_id', max: 10, window_ms: HOUR_MS },
  { by: 'inviter_id', max: 20, window_ms: DAY_MS },
]

export interface NewInvite {
  id: string
  organization_id: string
  inviter_id: number
  target_email: string
  now: string
}

/**
 * Counts an invite. Throws `throttled` when the address received too many. The caller has locked the organization and the
 * inviter, so concurrent invites are counted in turn.
 */
export async function countInvite(
  tx: Db,
  { id, organization_id, inviter_id, target_email, now }: NewInvite,
  attr: string | null,
): Promise<void> {
  const now_ms = Date.parse(now)
  const day_ago = new Date(now_ms - DAY_MS).toISOString()
  const invite = { id, organization_id, inviter_id, target_hash: sha256(emailKey(target_email)), created_at: now }
  const recent = await madeInvites.list(tx, invite, day_ago)
  for (const { by, max, window_ms } of LIMITS) {
    const oldest = recent.filter((other) => other[by] === invite[by])[max - 1]
    if (!oldest) continue
    const wait_ms = Date.parse(oldest.created_at) + window_ms - now_ms
    if (wait_ms <= 0) continue
    const seconds = Math.ceil(wait_ms / 1_000)
    throw new AppError({
      code: 'throttled',
      detail: `Too many invites to this address. Try again in ${seconds} seconds.`,
      attr,
      retry_after_seconds: seconds,
    })
  }
  await madeInvites.create(tx, invite)
  await madeInvites.removeBefore(tx, day_ago)
}
