import type { Db } from '../sql/db.ts'
import { skipLocked, sql } from '../sql/template.ts'

/** A record of a created invite. It stays after the invite was used, replaced or deleted. */
export interface MadeInviteRow {
  id: string
  organization_id: string
  inviter_id: number
  target_hash: string
  created_at: string
}

const MAX_DELETED_ROWS = 100
/** Invites to this address by the organization or the inviter, newest first. */
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

export async function create(tx: Db, row: MadeInviteRow): Promise<void> {
  await tx.run(sql`
    insert into made_invites (id, organization_id, inviter_id, target_hash, created_at)
    values (${row.id}, ${row.organization_id}, ${row.inviter_id}, ${row.target_hash}, ${row.created_at})`)
}

/** Deletes some old rows. Later invites delete the rest. */
export async function removeBefore(tx: Db, before: string): Promise<void> {
  await tx.run(sql`
    delete from made_invites where id in (
      select id from made_invites where created_at <= ${before} limit ${MAX_DELETED_ROWS} ${skipLocked})`)
}
