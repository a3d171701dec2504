import type { Db } from '../sql/db.ts'
import { insertion, name, skipLocked, sql } from '../sql/template.ts'

/** A record of a created invite. It stays after the invite was used, replaced or deleted. */
export interface MadeInviteRow {
  id: string
  organization_id: string
  inviter_id: number
  /** Of the mailbox. */
  target_hash: string
  created_at: string
}

const MAX_DELETED_ROWS = 100

/** Invites to this mailbox by the organization or the inviter, newest first. */
export function list(
  tx: Db,
  { organization_id, inviter_id, target_hash }: Omit<MadeInviteRow, 'id' | 'created_at'>,
  since: string,
): Promise<MadeInviteRow[]> {
  return tx.all<MadeInviteRow>(sql`
    select * from made_invites where target_hash = ${target_hash} and created_at > ${since}
      and (organization_id = ${organization_id} or inviter_id = ${inviter_id})
    order by created_at desc, id desc`)
}

/** The time of the nth newest invite of an organization or inviter, to any mailbox. */
export async function nthNewest(
  tx: Db,
  by: 'organization_id' | 'inviter_id',
  id: string | number,
  nth: number,
  since: string,
): Promise<string | undefined> {
  const row = await tx.get<{ created_at: string }>(sql`
    select created_at from made_invites where ${name(by)} = ${id} and created_at > ${since}
    order by created_at desc limit 1 offset ${nth - 1}`)
  return row?.created_at
}

export async function create(tx: Db, row: MadeInviteRow): Promise<void> {
  await tx.run(sql`insert into made_invites ${insertion({ ...row })}`)
}

/** Deletes some old rows. Later invites delete the rest. */
export async function removeBefore(tx: Db, before: string): Promise<void> {
  await tx.run(sql`
    delete from made_invites where id in (
      select id from made_invites where created_at <= ${before} limit ${MAX_DELETED_ROWS} ${skipLocked})`)
}
