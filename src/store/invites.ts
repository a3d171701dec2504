import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'
import { addMilliseconds } from '../time/stored.ts'
import { type Level, MEMBER } from './members.ts'
import { type Counted, listPage, type Paging } from './rows.ts'
import { emailKey, type UserRow, userColumns } from './users.ts'

export const INVITE_LIFETIME_MS = 72 * 3_600_000

export interface InviteRow {
  id: string
  organization_id: string
  target_email: string
  first_name: string
  level: Level
  message: string | null
  emailing_attempt_made: boolean | number
  created_by_id: number | null
  created_at: string
  updated_at: string
}

export interface Invite extends InviteRow {
  created_by: UserRow | null
}

export interface InviteInput {
  target_email: string
  first_name?: string
  level?: Level
  message?: string | null
}

const row = sql`i.id as invite_id, i.organization_id, i.target_email, i.first_name as invite_first_name, i.level,
  i.message, i.emailing_attempt_made, i.created_by_id, i.created_at, i.updated_at`

const invites = sql`from invites i left join users u on u.id = i.created_by_id`

type Joined = Omit<InviteRow, 'id' | 'first_name'> & UserRow & { invite_id: string; invite_first_name: string }

const toInvite = (found: Joined): Invite => ({
  ...found,
  id: found.invite_id,
  first_name: found.invite_first_name,
  created_by: found.id === null ? null : found,
})

/** Invites created before this time have expired by `now`. */
export const expiryCutoff = (now: string): string => addMilliseconds(now, -INVITE_LIFETIME_MS)

export async function list(db: Db, organization_id: string, paging: Paging): Promise<Counted<Invite>> {
  const owned = sql`where i.organization_id = ${organization_id}`
  const { count, rows } = await listPage<Joined>(
    db,
    paging,
    sql`${row}, ${userColumns}`,
    sql`${invites} ${owned}`,
    sql`i.created_at desc, i.id desc`,
    sql`from invites i ${owned}`,
  )
  return { count, rows: rows.map(toInvite) }
}

export async function get(db: Db, organization_id: string, id: string): Promise<Invite | undefined> {
  const found = await db.get<Joined>(sql`
    select ${row}, ${userColumns} ${invites} where i.organization_id = ${organization_id} and i.id = ${id}`)
  return found && toInvite(found)
}

/** Replaces an earlier invite to the same address, whose link stops working. */
export async function create(
  db: Db,
  invite: InviteInput & {
    id: string
    organization_id: string
    created_by_id: number
    emailing_attempt_made: boolean
    token_hash: string | null
    /** An invite that is not mailed does not need it. */
    mailbox_hash?: string
    now: string
  },
): Promise<void> {
  await db.run(sql`
    insert into invites (id, organization_id, target_email, target_email_key, first_name, level, message,
      emailing_attempt_made, token_hash, mailbox_hash, created_by_id, created_at, updated_at)
    values (${invite.id}, ${invite.organization_id}, ${invite.target_email}, ${emailKey(invite.target_email)},
      ${invite.first_name ?? ''}, ${invite.level ?? MEMBER}, ${invite.message ?? null}, ${invite.emailing_attempt_made},
      ${invite.token_hash}, ${invite.mailbox_hash ?? null}, ${invite.created_by_id}, ${invite.now}, ${invite.now})
    on conflict (organization_id, target_email_key) do update set id = excluded.id,
      target_email = excluded.target_email, first_name = excluded.first_name, level = excluded.level,
      message = excluded.message, emailing_attempt_made = excluded.emailing_attempt_made,
      token_hash = excluded.token_hash, mailbox_hash = excluded.mailbox_hash, mail_id = null,
      created_by_id = excluded.created_by_id, created_at = excluded.created_at, updated_at = excluded.updated_at`)
}

/** An invite that is waiting to be mailed. */
export interface UnmailedInvite {
  id: string
  organization_id: string
  organization_name: string
  target_email: string
  mailbox_hash: string
  first_name: string
  message: string | null
  inviter: string | null
  inviter_email: string | null
  created_at: string
}

/** Enough for all invites that an organization may send to a mailbox in a day. The others are in the next email. */
const MAX_UNMAILED = 20

/** Open invites that no other email contains. */
const unmailed = (mail_id: string, now: string) => sql`
  select i.id, i.organization_id, o.name as organization_name, i.target_email, i.mailbox_hash, i.first_name, i.message,
    coalesce(nullif(u.first_name, ''), u.email) as inviter, u.email as inviter_email, i.created_at
  from invites i join organizations o on o.id = i.organization_id left join users u on u.id = i.created_by_id
  where (i.mail_id is null or i.mail_id = ${mail_id}) and i.created_at >= ${expiryCutoff(now)}`

export function getUnmailed(db: Db, id: string, mail_id: string, now: string): Promise<UnmailedInvite | undefined> {
  return db.get<UnmailedInvite>(sql`${unmailed(mail_id, now)} and i.id = ${id}`)
}

/** The invites to a mailbox, oldest first. */
export function listUnmailed(db: Db, mailbox_hash: string, mail_id: string, now: string): Promise<UnmailedInvite[]> {
  return db.all<UnmailedInvite>(sql`
    ${unmailed(mail_id, now)} and i.mailbox_hash = ${mailbox_hash} order by i.created_at, i.id limit ${MAX_UNMAILED}`)
}

/** Stores the token that an email contains. */
export async function setToken(
  db: Db,
  { id, mail_id, token_hash }: { id: string; mail_id: string; token_hash: string },
): Promise<void> {
  await db.run(sql`update invites set token_hash = ${token_hash}, mail_id = ${mail_id} where id = ${id}`)
}

export async function remove(db: Db, id: string): Promise<boolean> {
  return (await db.run(sql`delete from invites where id = ${id}`)) > 0
}

/** Deletes the invites of a member above a level, which they may no longer grant. */
export async function removeAbove(
  tx: Db,
  organization_id: string,
  created_by_id: number,
  level: number,
): Promise<void> {
  await tx.run(sql`
    delete from invites
    where organization_id = ${organization_id} and created_by_id = ${created_by_id} and level > ${level}`)
}

/** An invite with the names that its recipient sees. */
export interface ReceivedInvite extends InviteRow {
  organization_name: string
  created_by_name: string | null
}

/** The invite with this id and token. */
export async function getByToken(db: Db, id: string, token_hash: string): Promise<ReceivedInvite | undefined> {
  return db.get<ReceivedInvite>(sql`
    select i.id, i.organization_id, i.target_email, i.first_name, i.level, i.message, i.emailing_attempt_made,
      i.created_by_id, i.created_at, i.updated_at, o.name as organization_name,
      nullif(trim(u.first_name || ' ' || u.last_name), '') as created_by_name
    from invites i join organizations o on o.id = i.organization_id left join users u on u.id = i.created_by_id
    where i.id = ${id} and i.token_hash = ${token_hash}`)
}

/** Marks the invite as used. False when a concurrent request used it first. */
export async function consume(tx: Db, invite: InviteRow, token_hash: string, now: string): Promise<boolean> {
  const taken = await tx.run(sql`delete from invites where id = ${invite.id} and token_hash = ${token_hash}`)
  if (!taken) return false
  await tx.run(sql`
    insert into used_invites (id, organization_id, token_hash, used_at)
    values (${invite.id}, ${invite.organization_id}, ${token_hash}, ${now})`)
  return true
}

/** Marks an open invite as used without its token, after another proof of the address. False when it was used or deleted. */
export async function consumeWithoutToken(tx: Db, { id }: Pick<InviteRow, 'id'>, now: string): Promise<boolean> {
  const taken = await tx.get<{ organization_id: string; token_hash: string | null }>(
    sql`delete from invites where id = ${id} returning organization_id, token_hash`,
  )
  if (taken?.token_hash)
    await tx.run(sql`
      insert into used_invites (id, organization_id, token_hash, used_at)
      values (${id}, ${taken.organization_id}, ${taken.token_hash}, ${now})`)
  return taken !== undefined
}

/** Whether an invite with this id and token was used. */
export async function wasUsed(db: Db, id: string, token_hash: string): Promise<boolean> {
  return (await db.get(sql`select 1 from used_invites where id = ${id} and token_hash = ${token_hash}`)) !== undefined
}

/** An invite that has not expired. */
export function getOpen(db: Db, id: string, now: string): Promise<InviteRow | undefined> {
  return db.get<InviteRow>(sql`select * from invites where id = ${id} and created_at >= ${expiryCutoff(now)}`)
}

/** The open invite of an organization to an address. */
export function getOpenTo(db: Db, organization_id: string, email: string, now: string): Promise<InviteRow | undefined> {
  return db.get<InviteRow>(sql`
    select * from invites where organization_id = ${organization_id} and target_email_key = ${emailKey(email)}
      and created_at >= ${expiryCutoff(now)}`)
}
