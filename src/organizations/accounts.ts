/** Activation and deactivation of accounts by the operator. */
import { endSignIns } from '../auth/credentials.ts'
import { notFound } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { OPERATOR, recordForUser } from '../store/activity_log.ts'
import * as apiKeys from '../store/api_keys.ts'
import { type FieldChange, fieldChanges } from '../store/field-changes.ts'
import * as members from '../store/members.ts'
import { lockOrganization } from '../store/organizations.ts'
import * as users from '../store/users.ts'

export interface Deactivated {
  email: string
  keys_revoked: number
}

/** Ends the keys and sessions of the account. Its memberships stay, and `member_count` no longer counts them. */
export async function deactivate(tx: Db, ids: Ids, now: string, email: string): Promise<Deactivated> {
  const user = await users.getByEmail(tx, email)
  if (!user || !(await users.deactivate(tx, user.id))) throw notFound()
  for (const { organization_id } of await members.ofUser(tx, user.id)) {
    await lockOrganization(tx, organization_id)
    await members.decrementMemberCount(tx, organization_id)
  }
  const keys_revoked = await apiKeys.removeAll(tx, user.id)
  await recordAccount(tx, ids, now, user, 'deactivated', fieldChanges({ keys: keys_revoked }, { keys: 0 }))
  await endSignIns(tx, { ids, now, actor: OPERATOR, reason: 'deactivated' }, user)
  return { email: user.email, keys_revoked }
}

export async function activate(tx: Db, ids: Ids, now: string, email: string): Promise<{ email: string }> {
  const user = await users.findByEmail(tx, email)
  if (!user || !(await users.activate(tx, user.id))) throw notFound()
  for (const { organization_id } of await members.ofUser(tx, user.id)) {
    await lockOrganization(tx, organization_id)
    await members.incrementMemberCount(tx, organization_id)
  }
  await recordAccount(tx, ids, now, user, 'activated')
  return { email: user.email }
}

function recordAccount(
  tx: Db,
  ids: Ids,
  now: string,
  { id, uuid, email }: users.UserRow,
  activity: 'deactivated' | 'activated',
  changes: FieldChange[] = [],
): Promise<void> {
  return recordForUser(tx, ids, now, OPERATOR, id, {
    area: 'users',
    activity,
    item_id: uuid,
    item_name: email,
    changes,
  })
}
