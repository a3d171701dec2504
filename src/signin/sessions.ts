/** Ending the caller's sessions. */
import { isUuid } from '../auth/access.ts'
import { type Ending, recordEndedSessions } from '../auth/ended-sessions.ts'
import { notFound } from '../errors.ts'
import type { UserActor } from '../store/activity_log.ts'
import * as store from '../store/sessions.ts'
import { recordSession } from './activity.ts'
import type { SignInService } from './service.ts'

/** Does nothing for a key. */
export async function signOut(service: SignInService, actor: UserActor): Promise<void> {
  const { user, session_id } = actor
  if (session_id === null) return
  await service.db.tx(async (tx) => {
    if (await store.remove(tx, user.id, session_id))
      await recordSession(service, tx, actor, user, { activity: 'signed_out', item_id: session_id })
  })
}

/** Throws not_found for an unknown session and for that of another user. */
export async function end(service: SignInService, actor: UserActor, session_id: string): Promise<void> {
  const { user } = actor
  await service.db.tx(async (tx) => {
    const id = session_id.toLowerCase()
    if (!isUuid(id) || !(await store.remove(tx, user.id, id))) throw notFound()
    await recordEndedSessions(tx, endingBy(service, actor), [{ id, user_id: user.id, email: user.email }])
  })
}

/** Ends all sessions except the one of the request. */
export async function endOthers(service: SignInService, actor: UserActor): Promise<void> {
  const { user, session_id } = actor
  await service.db.tx(async (tx) => {
    await recordEndedSessions(tx, endingBy(service, actor), await store.removeAll(tx, user, session_id))
  })
}

const endingBy = ({ ids, now }: SignInService, actor: UserActor): Ending => ({
  ids,
  now: now(),
  actor,
  reason: 'ended_by_user',
})
