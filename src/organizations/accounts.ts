/** Activation and deactivation of accounts by the operator. */
import { endSignIns } from '../auth/credentials.ts'
import { notFound } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import * as apiKeys from '../store/api_keys.ts'
import * as members from '../store/members.ts'
import { lockOrganization } from '../store/organizations.ts'
import * as users from '../store/users.ts'

export interface Deactivated {
  email: string
  keys_revoked: number
}

/** Ends the keys and sessions of the account. Its memberships stay, and `member_count` no longer counts them. */
export async function deactivate(tx: Db, email: string): Promise<Deactivated> {
  const user = await users.getByEmail(tx, email)
  if (!user || !(await users.deactivate(tx, user.id))) throw notFound()
  for (const { organization_id } of await members.ofUser(tx, user.id)) {
    await lockOrganization(tx, organization_id)
    await members.decrementMemberCount(tx, organization_id)
  }
  await endSignIns(tx, user.id)
  return { email: user.email, keys_revoked: await apiKeys.removeAll(tx, user.id) }
}

export async function activate(tx: Db, email: string): Promise<{ email: string }> {
  const user = await users.findByEmail(tx, email)
  if (!user || !(await users.activate(tx, user.id))) throw notFound()
  for (const { organization_id } of await members.ofUser(tx, user.id)) {
    await lockOrganization(tx, organization_id)
    await members.incrementMemberCount(tx, organization_id)
  }
  return { email: user.email }
}
