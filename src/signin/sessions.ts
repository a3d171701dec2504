/** Ending the caller's sessions. */
import { isUuid } from '../auth/access.ts'
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
    await recordSession(service, tx, actor, user, { activity: 'ended', item_id: id })
  })
}

/** Ends all sessions except the one of the request. */
export async function endOthers(service: SignInService, actor: UserActor): Promise<void> {
  const { user, session_id } = actor
  await service.db.tx(async (tx) => {
    const ended = await store.removeAll(tx, user.id, session_id)
    for (const id of ended) await recordSession(service, tx, actor, user, { activity: 'ended', item_id: id })
  })
}
