import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'

export const MEMBER = 1
export const ADMIN = 8
export const OWNER = 15

/** `member_count` moves in the same transaction, so that reading an organization never counts. */
export async function create(
  tx: Db,
  member: { id: string; organization_id: string; user_id: number; level: number; now: string },
): Promise<void> {
  await tx.run(sql`
    insert into members (id, organization_id, user_id, level, joined_at, updated_at)
    values (${member.id}, ${member.organization_id}, ${member.user_id}, ${member.level}, ${member.now}, ${member.now})`)
  await tx.run(sql`update organizations set member_count = member_count + 1 where id = ${member.organization_id}`)
}
