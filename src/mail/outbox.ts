/** The queue of outgoing mail. An email is a row, written in the transaction that decided to send it. */
import { storedJson } from '../json/stored.ts'
import type { Db } from '../sql/db.ts'
import { skipLocked, sql } from '../sql/template.ts'

/** The email may contain other invites to the same mailbox. */
export interface InviteContent {
  invite_id: string
}

export interface MemberJoinedContent {
  name: string
  email: string
  organization: string
}

/** A message of an alert. `path` is the page of the console that the email links to. */
export interface AlertContent {
  subject: string
  sentences: string[]
  path: string | null
}

export interface PluginDisabledContent {
  name: string
  organization: string
  reason: string
}

/** An email with a link that contains a token. The token is created when the email is sent. */
export interface AccountLinkContent {
  user_id: number
  first_name: string
  email: string
}

export type AccountEvent =
  | 'password_changed'
  | 'email_change_requested'
  | 'email_changed'
  | 'two_factor_enabled'
  | 'two_factor_disabled'
  | 'backup_code_used'
  | 'key_created'
  | 'new_sign_in'

export interface AccountNoticeContent {
  event: AccountEvent
  first_name: string
  /** The new address, the label of the key, or the client of the sign-in. */
  detail: string | null
  at: string
}

/** The template parameters of each kind of email. They contain no tokens. */
export type MailContent =
  | { kind: 'invite'; content: InviteContent }
  | { kind: 'member_joined'; content: MemberJoinedContent }
  | { kind: 'alert'; content: AlertContent }
  | { kind: 'plugin_disabled'; content: PluginDisabledContent }
  | { kind: 'password_reset'; content: AccountLinkContent }
  | { kind: 'email_verification'; content: AccountLinkContent }
  | { kind: 'account_notice'; content: AccountNoticeContent }

export type QueuedMail = MailContent & { id: string; recipient: string; attempts: number }

interface MailRow {
  id: string
  kind: MailContent['kind']
  recipient: string
  /** JSON. */
  content: string
  attempts: number
}

const parse = ({ content, ...row }: MailRow): QueuedMail => ({ ...row, content: storedJson(content) }) as QueuedMail

/** Account mail is sent before notifications: somebody waits for it. */
const URGENT: Record<MailContent['kind'], boolean> = {
  password_reset: true,
  email_verification: true,
  invite: true,
  account_notice: true,
  member_joined: false,
  alert: false,
  plugin_disabled: false,
}

export async function enqueue(
  tx: Db,
  mail: MailContent & { id: string; recipient: string; now: string },
): Promise<void> {
  await tx.run(sql`
    insert into letters (id, kind, recipient, content, urgent, state, attempts, next_attempt_at, created_at)
    values (${mail.id}, ${mail.kind}, ${mail.recipient}, ${JSON.stringify(mail.content)}, ${URGENT[mail.kind]},
      'waiting', 0, ${mail.now}, ${mail.now})`)
}

/** Claims the next email that is due, among the urgent ones or among the others. No other process can claim it. */
export async function claim(db: Db, now: string, urgent: boolean): Promise<QueuedMail | undefined> {
  const row = await db.get<MailRow>(sql`
    update letters set state = 'sending', attempts = attempts + 1, next_attempt_at = ${now}
    where id = (select id from letters where state = 'waiting' and urgent = ${urgent} and next_attempt_at <= ${now}
      order by next_attempt_at, id limit 1 ${skipLocked})
    returning id, kind, recipient, content, attempts`)
  return row && parse(row)
}

/** Schedules another attempt. Only for an email that certainly did not arrive. */
export async function postpone(db: Db, id: string, next_attempt_at: string): Promise<void> {
  await db.run(sql`update letters set state = 'waiting', next_attempt_at = ${next_attempt_at} where id = ${id}`)
}

/** Ends an attempt without counting it. Only for an email that certainly did not arrive. */
export async function defer(db: Db, id: string, next_attempt_at: string): Promise<void> {
  await db.run(sql`
    update letters set state = 'waiting', attempts = attempts - 1, next_attempt_at = ${next_attempt_at} where id = ${id}`)
}

/** Call it after an email was sent, was abandoned or may have been delivered. */
export async function remove(db: Db, id: string): Promise<void> {
  await db.run(sql`delete from letters where id = ${id}`)
}

/** Deletes emails whose sending process died. They may have arrived, so they are not sent again. */
export async function removeAbandoned(db: Db, sending_since: string): Promise<QueuedMail[]> {
  const rows = await db.all<MailRow>(sql`
    delete from letters where state = 'sending' and next_attempt_at < ${sending_since}
    returning id, kind, recipient, content, attempts`)
  return rows.map(parse)
}
