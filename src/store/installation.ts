import type { Lease } from '../background/leases.ts'
import type { Database, Db } from '../sql/db.ts'
import { name, sql } from '../sql/template.ts'
import { returnedRow } from './rows.ts'

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

/** Throws when the database does not respond, or no connection for a transaction is free. */
export async function ping(db: Db): Promise<void> {
  // Lookups (`get`) have their own connections.
  await db.all(sql`select 1 as alive`)
}

/**
 * Throws while the database accepts no writes. After a write that failed, it changes a row of `table` to find out whether
 * that has ended: a load balancer that sends no requests causes no other writes.
 */
export async function requireWrites(db: Database, table: 'installation' | 'event_store'): Promise<void> {
  if (db.writeFailure() !== undefined) await db.run(sql`update ${name(table)} set id = id`)
}

/** The first organization, even if it was deleted since. */
export async function firstOrganization(db: Db): Promise<string | null> {
  const row = await db.get<{ id: string | null }>(sql`select first_organization_id as id from installation`)
  return row?.id ?? null
}

/** Records a completed backup, unless a later one is recorded already. */
export async function recordBackup(db: Db, at: string, bytes: number | null = null): Promise<void> {
  await db.run(sql`
    update installation set last_backup_at = ${at}, last_backup_bytes = ${bytes}
    where last_backup_at is null or last_backup_at <= ${at}`)
}

/** Takes the lease if a backup is due. A due time beyond `latest_due` is from a longer interval. */
export async function claimBackup(db: Db, { owner, now, until, latest }: Lease, latest_due: string): Promise<boolean> {
  const changed = await db.run(sql`
    update installation set backup_lease_owner = ${owner}, backup_lease_until = ${until}
    where (backup_lease_until is null or backup_lease_until <= ${now} or backup_lease_until > ${latest})
      and (backup_due_at is null or backup_due_at <= ${now} or backup_due_at > ${latest_due})`)
  return changed > 0
}

/** Returns whether the owner still had the lease. */
export async function renewBackup(db: Db, { owner, until }: Lease): Promise<boolean> {
  return (
    (await db.run(sql`update installation set backup_lease_until = ${until} where backup_lease_owner = ${owner}`)) > 0
  )
}

/** Ends the lease with a result. `due_at` is the time of the next backup. */
export async function finishBackup(
  db: Db,
  owner: string,
  { due_at, failure }: { due_at: string; failure: { at: string; message: string } | null },
): Promise<void> {
  await db.run(sql`
    update installation set backup_lease_owner = null, backup_lease_until = null, backup_due_at = ${due_at},
      last_backup_failed_at = ${failure?.at ?? null}, last_backup_error = ${failure?.message ?? null}
    where backup_lease_owner = ${owner}`)
}

/** Ends the lease of an interrupted backup. It stays due. */
export async function releaseBackup(db: Db, owner: string): Promise<void> {
  await db.run(sql`
    update installation set backup_lease_owner = null, backup_lease_until = null where backup_lease_owner = ${owner}`)
}

export interface BackupStatus {
  installed_at: string
  last_backup_at: string | null
  last_backup_bytes: number | null
  /** Null after a success. */
  last_backup_failed_at: string | null
  last_backup_error: string | null
}

export async function backupStatus(db: Db): Promise<BackupStatus | undefined> {
  return db.get<BackupStatus>(sql`
    select created_at as installed_at, last_backup_at, last_backup_bytes, last_backup_failed_at, last_backup_error
    from installation`)
}

export interface Workload {
  runs_waiting: number
  runs_running: number
  purges_waiting: number
  mails_waiting: number
  /** The end of the oldest window that is due and whose scheduled run has not finished. */
  oldest_window: string | null
  last_backup_at: string | null
  last_backup_failed_at: string | null
  last_backup_error: string | null
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
      (select last_backup_at from installation) as last_backup_at,
      (select last_backup_failed_at from installation) as last_backup_failed_at,
      (select last_backup_error from installation) as last_backup_error`)
  return returnedRow(row)
}
