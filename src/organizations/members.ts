import { isUuid } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { requireMayGrant, requireMayManage } from '../auth/levels.ts'
import { requireFresh } from '../auth/session-rules.ts'
import { invalid, notFound } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { type Actor, record, type UserActor } from '../store/activity_log.ts'
import { type FieldChange, fieldChanges } from '../store/field-changes.ts'
import * as invites from '../store/invites.ts'
import * as store from '../store/members.ts'
import { lockOrganization, type OrganizationRow } from '../store/organizations.ts'
import * as removedMembers from '../store/removed_members.ts'
import type { UserRow } from '../store/users.ts'

export const ME = '@me'

/** The member with this uuid or `@me`. Throws permission_denied when the caller may not manage them. */
export async function get(
  { db }: { db: Db },
  { user }: Caller,
  organization: OrganizationRow,
  user_uuid: string,
): Promise<store.MemberRow> {
  const uuid = user_uuid === ME ? user.uuid : user_uuid.toLowerCase()
  const member = isUuid(uuid) ? await store.get(db, organization.id, uuid) : undefined
  if (!member) throw notFound()
  requireMayManage({ id: user.id, level: organization.membership_level }, member)
  return member
}

/** Throws `reauthentication_required` when an old session changes who owns the organization. */
export async function update(
  { db, ids, now, milliseconds }: { db: Db; ids: Ids; now: () => string; milliseconds: () => number },
  { caller, actor }: { caller: Caller; actor: UserActor },
  organization: OrganizationRow,
  member: store.MemberRow,
  { level }: { level?: store.Level },
): Promise<store.MemberRow> {
  if (level === undefined) return member
  return db.tx(async (tx) => {
    const { own, target } = await lockMembers(tx, actor, organization, member)
    if (level === target.level) return target
    requireMayGrant(own, target, level)
    if (level === store.OWNER || target.level === store.OWNER) requireFresh(caller, milliseconds())
    const updated_at = now()
    await store.setLevel(tx, target.membership_id, level, updated_at)
    await invites.removeAbove(tx, organization.id, target.id, level)
    const changes = fieldChanges({ level: target.level }, { level })
    await recordMember(tx, ids, updated_at, actor, 'updated', organization.id, target, changes)
    return { ...target, level, updated_at }
  })
}

export async function remove(
  { db, ids, now }: { db: Db; ids: Ids; now: () => string },
  actor: UserActor,
  organization: OrganizationRow,
  member: store.MemberRow,
): Promise<void> {
  await db.tx(async (tx) => {
    const { target } = await lockMembers(tx, actor, organization, member)
    if (target.level === store.OWNER)
      throw invalid(null, 'An owner cannot leave or be removed. Another owner must lower their level first.')
    await store.remove(tx, organization.id, target.membership_id)
    if (target.id !== actor.user.id) await removedMembers.add(tx, organization.id, target.id)
    await invites.removeAbove(tx, organization.id, target.id, 0)
    await recordMember(tx, ids, now(), actor, 'removed', organization.id, target)
  })
}

export interface NewMember {
  organization_id: string
  user: Pick<UserRow, 'id' | 'uuid' | 'email'>
  level: number
}

/** Adds a member. Needs the lock on the organization. */
export async function addMember(
  tx: Db,
  ids: Ids,
  now: string,
  actor: Actor,
  { organization_id, user, level }: NewMember,
): Promise<void> {
  await store.create(tx, { id: ids.uuid(), organization_id, user_id: user.id, level, now })
  await recordMember(tx, ids, now, actor, 'joined', organization_id, user, fieldChanges({}, { level }))
}

export function recordMember(
  tx: Db,
  ids: Ids,
  now: string,
  actor: Actor,
  activity: 'joined' | 'updated' | 'removed' | 'deactivated',
  organization_id: string,
  { uuid, email }: Pick<UserRow, 'uuid' | 'email'>,
  changes: FieldChange[] = [],
): Promise<void> {
  const item = { item_id: uuid, item_name: email }
  return record(tx, ids, now, actor, { organization_id, area: 'members', activity, ...item, changes })
}

/** Locks the levels of the organization and reads those of the caller and the member again. */
async function lockMembers(
  tx: Db,
  { user }: UserActor,
  { id }: OrganizationRow,
  { uuid }: store.MemberRow,
): Promise<{ own: Pick<store.MemberRow, 'id' | 'level'>; target: store.MemberRow }> {
  await lockOrganization(tx, id)
  const level = await store.levelOf(tx, id, user.id)
  const target = await store.get(tx, id, uuid)
  if (level === undefined || !target) throw notFound()
  const own = { id: user.id, level }
  requireMayManage(own, target)
  return { own, target }
}
