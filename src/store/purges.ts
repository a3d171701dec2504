import type { Db } from '../sql/db.ts'
import { type Sql, sql } from '../sql/template.ts'

/** A deleted project whose events are not deleted yet. */
export interface PurgeRow {
  project_id: number
  queued_at: string
}

/** Queues the projects that match a condition, in the transaction that deletes them. */
export async function queue(tx: Db, condition: Sql, now: string): Promise<void> {
  await tx.run(sql`
    insert into purges (project_id, queued_at) select p.id, ${now} from projects p where ${condition}
    on conflict (project_id) do nothing`)
}

export const list = (db: Db): Promise<PurgeRow[]> =>
  db.all<PurgeRow>(sql`select project_id, queued_at from purges order by queued_at, project_id`)

export async function remove(db: Db, project_id: number): Promise<void> {
  await db.run(sql`delete from purges where project_id = ${project_id}`)
}

/** The projects with a retention limit. */
export const retentions = (db: Db): Promise<{ project_id: number; days: number }[]> =>
  db.all(sql`
    select id as project_id, event_retention_days as days from projects where event_retention_days is not null
    order by id`)
