import { removeCredentials } from '../auth/credentials.ts'
import { AppError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import type { Actor } from '../store/activity_log.ts'
import * as apiKeys from '../store/api_keys.ts'
import * as invites from '../store/invites.ts'
import * as members from '../store/members.ts'
import { lockOrganization } from '../store/organizations.ts'
import * as users from '../store/users.ts'
import { recordMember } from './members.ts'

export interface Superseded {
  id: number
  uuid: string
  keys_revoked: number
  /** The organizations that the account is no longer a member of. */
  left: { id: string; name: string }[]
  /** The organizations whose only owner it was. It stays their owner on record, but cannot sign in. */
  without_owner: { id: string; name: string }[]
}

/**
 * Disables an unverified account. It loses its address, credentials, memberships and invites; the next account with this
 * address inherits nothing. Throws account_exists for a verified account.
 */
export async function supersede(
  tx: Db,
  ids: Ids,
  now: string,
  actor: Actor,
  user: Pick<users.UserRow, 'id' | 'uuid' | 'email'>,
): Promise<Superseded> {
  // First, because it locks the account: no membership is added while the loop below runs.
  if (!(await users.disable(tx, user)))
    throw new AppError({
      code: 'account_exists',
      detail: 'The address of this account is verified, so it cannot be superseded.',
    })
  await removeCredentials(tx, { ids, now, actor, reason: 'superseded' }, user)
  const superseded: Superseded = {
    id: user.id,
    uuid: user.uuid,
    keys_revoked: await apiKeys.removeAll(tx, user.id),
    left: [],
    without_owner: [],
  }
  for (const { id, organization_id, organization_name, level } of await members.ofUser(tx, user.id)) {
    await lockOrganization(tx, organization_id)
    await invites.removeAbove(tx, organization_id, user.id, 0)
    const organization = { id: organization_id, name: organization_name }
    if (level === members.OWNER && !(await members.hasOtherOwner(tx, organization_id, user.id))) {
      await members.decrementMemberCount(tx, organization_id)
      superseded.without_owner.push(organization)
      await recordMember(tx, ids, now, actor, 'deactivated', organization_id, user)
    } else {
      await members.remove(tx, organization_id, id)
      superseded.left.push(organization)
      await recordMember(tx, ids, now, actor, 'removed', organization_id, user)
    }
  }
  return superseded
}
