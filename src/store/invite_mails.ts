import type { Db } from '../sql/db.ts'
import { skipLocked, sql } from '../sql/template.ts'

/** The last email with invites of an organization to a mailbox. */
interface InviteMailRow {
  mailbox_hash: string
  mail_id: string
  sent_at: string
}

const MAX_DELETED_ROWS = 100

/** Reserves the time of an email. False if another one was sent to the mailbox after `since`. */
export async function reserve(
  db: Db,
  { mailbox_hash, mail_id, sent_at }: InviteMailRow,
  since: string,
): Promise<boolean> {
  const reserved = await db.get(sql`
    insert into invite_mails (mailbox_hash, mail_id, sent_at) values (${mailbox_hash}, ${mail_id}, ${sent_at})
    on conflict (mailbox_hash) do update set mail_id = excluded.mail_id, sent_at = excluded.sent_at
      where invite_mails.sent_at <= ${since} or invite_mails.mail_id = excluded.mail_id
    returning mailbox_hash`)
  return reserved !== undefined
}

export async function sentAt(db: Db, mailbox_hash: string): Promise<string | undefined> {
  const row = await db.get<InviteMailRow>(sql`select * from invite_mails where mailbox_hash = ${mailbox_hash}`)
  return row?.sent_at
}

/** Deletes some old rows. Later emails delete the rest. */
export async function removeBefore(db: Db, before: string): Promise<void> {
  await db.run(sql`
    delete from invite_mails where mailbox_hash in (
      select mailbox_hash from invite_mails where sent_at <= ${before} limit ${MAX_DELETED_ROWS} ${skipLocked})`)
}
