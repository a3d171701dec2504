import { forbidden } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import { firstOrganization } from '../store/installation.ts'
import { OWNER } from '../store/members.ts'
import * as organizations from '../store/organizations.ts'
import type { Caller } from './caller.ts'
import { requireSecondFactor } from './session-rules.ts'

/** Throws permission_denied unless the caller is an owner of the first organization, whose owners run the installation. */
export async function requireFirstOwner(db: Db, caller: Caller): Promise<void> {
  const id = await firstOrganization(db)
  const first = id === null ? undefined : await organizations.get(db, caller.user.id, caller.restrictions, id)
  if (!first || first.membership_level < OWNER)
    throw forbidden('Only owners of the first organization of this installation can see its status. Ask one of them.')
  await requireSecondFactor(db, caller, first)
}
