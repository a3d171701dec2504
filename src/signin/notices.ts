/** Mails to users about changes to their account. */
import * as outbox from '../mail/outbox.ts'
import type { Db } from '../sql/db.ts'
import type { UserRow } from '../store/users.ts'
import type { SignInService } from './service.ts'

/** Enqueues a mail in the transaction of the change. Without mail it does nothing. Wake the mailer after the commit. */
export async function notifyUser(
  { mailer, ids, now }: Pick<SignInService, 'mailer' | 'ids' | 'now'>,
  tx: Db,
  { email, first_name }: Pick<UserRow, 'email' | 'first_name'>,
  event: outbox.AccountEvent,
  detail: string | null = null,
): Promise<void> {
  if (!mailer) return
  const content: outbox.AccountNoticeContent = { event, first_name, detail, at: now() }
  await outbox.enqueue(tx, { id: ids.uuid(), kind: 'account_notice', recipient: email, content, now: now() })
}
