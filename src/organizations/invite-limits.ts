import { AppError } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import * as madeInvites from '../store/made_invites.ts'
import { mailboxHash } from './mailbox.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

interface Limit {
  by: 'organization_id' | 'inviter_id'
  max: number
  window_ms: number
}

/** Limits of invites to one mailbox. The limits per inviter stop a user who creates many organizations. */
const MAILBOX_LIMITS: readonly Limit[] = [
  { by: 'organization_id', max: 3, window_ms: HOUR_MS },
  { by: 'organization_id', max: 10, window_ms: DAY_MS },
  { by: 'inviter_id', max: 10, window_ms: HOUR_MS },
  { by: 'inviter_id', max: 20, window_ms: DAY_MS },
]

/** Limits of invites to all mailboxes together. */
const TOTAL_LIMITS: readonly Limit[] = [
  { by: 'inviter_id', max: 100, window_ms: HOUR_MS },
  { by: 'inviter_id', max: 300, window_ms: DAY_MS },
  { by: 'organization_id', max: 200, window_ms: HOUR_MS },
  { by: 'organization_id', max: 500, window_ms: DAY_MS },
]

const TOO_MANY = {
  inviter_id: 'You have created too many invites',
  organization_id: 'This organization has created too many invites',
}

export interface NewInvite {
  id: string
  organization_id: string
  inviter_id: number
  target_email: string
  now: string
}

/**
 * Counts an invite. Throws `throttled` when the mailbox received, or the inviter or the organization created too many. The
 * caller has locked the organization and the inviter, so concurrent invites are counted in turn.
 */
export async function countInvite(
  tx: Db,
  { id, organization_id, inviter_id, target_email, now }: NewInvite,
  attr: string | null,
): Promise<void> {
  const now_ms = Date.parse(now)
  const ago = (milliseconds: number): string => new Date(now_ms - milliseconds).toISOString()
  const invite = { id, organization_id, inviter_id, target_hash: mailboxHash(target_email), created_at: now }
  const recent = await madeInvites.list(tx, invite, ago(DAY_MS))
  for (const { by, max, window_ms } of MAILBOX_LIMITS) {
    const oldest = recent.filter((other) => other[by] === invite[by])[max - 1]?.created_at
    requireElapsed(oldest, window_ms, now_ms, 'Too many invites to this mailbox', attr)
  }
  for (const { by, max, window_ms } of TOTAL_LIMITS) {
    const oldest = await madeInvites.nthNewest(tx, by, invite[by], max, ago(window_ms))
    requireElapsed(oldest, window_ms, now_ms, TOO_MANY[by], null)
  }
  await madeInvites.create(tx, invite)
  await madeInvites.removeBefore(tx, ago(DAY_MS))
}

function requireElapsed(
  since: string | undefined,
  window_ms: number,
  now_ms: number,
  reason: string,
  attr: string | null,
): void {
  const seconds = since === undefined ? 0 : Math.ceil((Date.parse(since) + window_ms - now_ms) / 1_000)
  if (seconds <= 0) return
  throw new AppError({
    code: 'throttled',
    detail: `${reason}. Try again in ${seconds} seconds.`,
    attr,
    retry_after_seconds: seconds,
  })
}
