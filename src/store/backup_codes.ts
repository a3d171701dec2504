import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'

export const count = (db: Db, user_id: number): Promise<number> =>
  db.count(sql`from backup_codes where user_id = ${user_id}`)

export async function replace(tx: Db, user_id: number, hashes: readonly string[]): Promise<void> {
  await removeAll(tx, user_id)
  for (const code_hash of hashes)
    await tx.run(sql`insert into backup_codes (user_id, code_hash) values (${user_id}, ${code_hash})`)
}

/** Consumes a code. False if the code does not exist. */
export async function use(db: Db, user_id: number, code_hash: string): Promise<boolean> {
  return (await db.run(sql`delete from backup_codes where user_id = ${user_id} and code_hash = ${code_hash}`)) > 0
}

export async function removeAll(tx: Db, user_id: number): Promise<void> {
  await tx.run(sql`delete from backup_codes where user_id = ${user_id}`)
}
