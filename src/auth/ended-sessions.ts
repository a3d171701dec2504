/** Records sessions that end for any reason other than their own sign-out. */
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { type Actor, record, SYSTEM } from '../store/activity_log.ts'
import { fieldChanges } from '../store/field-changes.ts'
import * as members from '../store/members.ts'
import type { EndedSession } from '../store/sessions.ts'

export type EndReason =
  | 'ended_by_user'
  | 'password_changed'
  | 'password_reset'
  | 'two_factor_enabled'
  | 'two_factor_reset'
  | 'deactivated'
  | 'sso_enforced'
  | 'superseded'

export interface Ending {
  ids: Ids
  now: string
  actor: Actor
  reason: EndReason
  /** Set when the actor has no access to other organizations of the users: only the log of this one names the actor. */
  organization_id?: string
}

/** If more sessions end in one organization, a single entry records their number. */
const MAX_ENTRIES = 20

/** Records the sessions in every organization of their users, or for the operator only if a user has none. */
export async function recordEndedSessions(tx: Db, ending: Ending, ended: readonly EndedSession[]): Promise<void> {
  if (ended.length === 0) return
  const { ids, now, actor, reason } = ending
  for (const [organization_id, group] of await byOrganization(tx, ended)) {
    const isVisible = ending.organization_id === undefined || [null, ending.organization_id].includes(organization_id)
    const entry = { organization_id, area: 'sessions', activity: 'ended' } as const
    const items = group.length > MAX_ENTRIES ? [summaryOf(group)] : group.map(entryOf)
    for (const { changes, ...item } of items)
      await record(tx, ids, now, isVisible ? actor : SYSTEM, {
        ...entry,
        ...item,
        changes: [...fieldChanges({}, { reason }), ...changes],
      })
  }
}

const entryOf = ({ id, email }: EndedSession) => ({ item_id: id, item_name: email, changes: [] })

function summaryOf(group: readonly EndedSession[]) {
  const [email = null, ...others] = new Set(group.map((session) => session.email))
  const changes = fieldChanges({ sessions: group.length }, { sessions: 0 })
  return { item_id: null, item_name: others.length ? null : email, changes }
}

/** Users without an organization are grouped under null. */
async function byOrganization(tx: Db, ended: readonly EndedSession[]): Promise<Map<string | null, EndedSession[]>> {
  const users = [...new Set(ended.map(({ user_id }) => user_id))]
  const organizationsOf = new Map<number, string[]>()
  for (const { user_id, organization_id } of await members.ofUsers(tx, users))
    organizationsOf.set(user_id, [...(organizationsOf.get(user_id) ?? []), organization_id])
  const groups = new Map<string | null, EndedSession[]>()
  for (const session of ended)
    for (const organization_id of organizationsOf.get(session.user_id) ?? [null]) {
      const group = groups.get(organization_id)
      if (group) group.push(session)
      else groups.set(organization_id, [session])
    }
  return groups
}
