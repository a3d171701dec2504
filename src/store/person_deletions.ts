import type { Db } from '../sql/db.ts'
import { insertion, sql } from '../sql/template.ts'

/** A person whose deletion has begun. The row is deleted when the event store has deleted the person. */
export interface PersonDeletionRow {
  id: string
  project_id: number
  person_id: string
  delete_events: boolean | number
  deleted_at: string
}

export async function create(tx: Db, row: PersonDeletionRow): Promise<void> {
  await tx.run(sql`insert into person_deletions ${insertion({ ...row })}`)
}

/** Deletions that began before a time. */
export const list = (db: Db, before: string): Promise<PersonDeletionRow[]> =>
  db.all<PersonDeletionRow>(sql`
    select * from person_deletions where deleted_at < ${before} order by deleted_at, id limit 1000`)

export async function remove(db: Db, id: string): Promise<void> {
  await db.run(sql`delete from person_deletions where id = ${id}`)
}
