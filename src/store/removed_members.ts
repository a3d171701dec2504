/** Members that an administrator removed. They can rejoin with an invite, but not through single sign-on. */
import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'

export async function add(tx: Db, organization_id: string, user_id: number): Promise<void> {
  await tx.run(sql`
    insert into removed_members (organization_id, user_id) values (${organization_id}, ${user_id})
    on conflict (organization_id, user_id) do nothing`)
}

export async function has(db: Db, organization_id: string, user_id: number): Promise<boolean> {
  const row = await db.get(sql`
    select 1 from removed_members where organization_id = ${organization_id} and user_id = ${user_id}`)
  return row !== undefined
}

export async function remove(tx: Db, organization_id: string, user_id: number): Promise<void> {
  await tx.run(sql`delete from removed_members where organization_id = ${organization_id} and user_id = ${user_id}`)
}
