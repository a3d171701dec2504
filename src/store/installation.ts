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

/** The first organization, even if it was deleted since. */
export async function firstOrganization(db: Db): Promise<string | null> {
  const row = await db.get<{ id: string | null }>(sql`select first_organization_id as id from installation`)
  return row?.id ?? null
}

export async function recordBackup(db: Db, now: string): Promise<void> {
  await db.run(sql`update installation set last_backup_at = ${now}`)
}

export interface Workload {
  runs_waiting: number
  runs_running: number
  purges_waiting: number
  mails_waiting: number
  /** The end of the oldest window that is due and whose scheduled run has not finished. */
  oldest_window: string | null
  last_backup_at: string | null
}

/** The queues of all organizations. */
export async function workload(db: Db, now: string): Promise<Workload> {
  const open = sql`from batch_export_runs where status in ('Starting', 'Running')`
  const row = await db.get<Workload>(sql`
    select
      (select count(*) ${open} and status = 'Starting') as runs_waiting,
      (select count(*) ${open} and status = 'Running') as runs_running,
      (select count(*) from purges) as purges_waiting,
      (select count(*) from letters) as mails_waiting,
      (select min(at) from (
        select min(data_interval_end) as at ${open} and kind = 'scheduled'
        union all
        select min(next_at) as at from batch_exports where not paused and next_at <= ${now}) windows) as oldest_window,
      (select last_backup_at from installation) as last_backup_at`)
  if (!row) throw new Error('The database returned no row.')
  return row
}
