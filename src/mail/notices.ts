/** Emails users about changes to their account. */
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import * as outbox from './outbox.ts'

export interface NoticeDeps {
  ids: Ids
  now: () => string
  /** Null when email is not configured. */
  mailer: { wake(): void } | null
}

/** Enqueues an email in the transaction of the change. Does nothing if email is not configured. Wake the mailer after the commit. */
export async function notifyUser(
  { mailer, ids, now }: NoticeDeps,
  tx: Db,
  { email, first_name }: { email: string; first_name: string },
  event: outbox.AccountEvent,
  detail: string | null = null,
): Promise<void> {
  if (!mailer) return
  const content: outbox.AccountNoticeContent = { event, first_name, detail, at: now() }
  await outbox.enqueue(tx, { id: ids.uuid(), kind: 'account_notice', recipient: email, content, now: now() })
}
