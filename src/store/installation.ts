import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'

/**
 * Creates the row of the installation unless it exists, and locks it until the transaction ends: when two nodes start on
 * an empty database, only one finds it empty.
 */
export async function claim(tx: Db, uuid: string, now: string): Promise<void> {
  await tx.run(sql`
    insert into installation (id, uuid, created_at) values (1, ${uuid}, ${now})
    on conflict (id) do update set id = 1`)
}

/** The id of the installation; undefined before the first start. */
export async function identity(db: Db): Promise<string | undefined> {
  return (await db.get<{ uuid: string }>(sql`select uuid from installation`))?.uuid
}

/** Throws when the database does not respond. */
export async function ping(db: Db): Promise<void> {
  await db.get(sql`select 1 as alive`)
}
