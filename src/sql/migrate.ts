import { COLUMN_TYPES, type ColumnTypes } from './column-types.ts'
import type { Db } from './db.ts'
import administration from './migrations/0001-administration.ts'
import people from './migrations/0002-people.ts'
import purges from './migrations/0003-purges.ts'
import batchExports from './migrations/0004-batch-exports.ts'
import plugins from './migrations/0005-plugins.ts'
import requestCounts from './migrations/0006-request-counts.ts'
import longLists from './migrations/0007-long-lists.ts'
import unverifiedAccounts from './migrations/0008-unverified-accounts.ts'
import madeInvites from './migrations/0009-made-invites.ts'
import pauses from './migrations/0010-pauses.ts'
import signIn from './migrations/0011-sign-in.ts'
import sso from './migrations/0012-sso.ts'
import activityLog from './migrations/0013-activity-log.ts'
import pluginActivity from './migrations/0014-plugin-activity.ts'
import runBytes from './migrations/0015-run-bytes.ts'
import backups from './migrations/0016-backups.ts'
import scheduledBackups from './migrations/0017-scheduled-backups.ts'
import schedules from './migrations/0018-schedules.ts'
import models from './migrations/0019-models.ts'
import integrations from './migrations/0020-integrations.ts'
import alerts from './migrations/0021-alerts.ts'
import pluginRuntime from './migrations/0022-plugin-runtime.ts'
import siteApps from './migrations/0023-site-apps.ts'
import pluginValues from './migrations/0024-plugin-values.ts'
import inviteMails from './migrations/0025-invite-mails.ts'
import openRuns from './migrations/0026-open-runs.ts'
import alertDigests from './migrations/0027-alert-digests.ts'
import failedDeliveries from './migrations/0028-failed-deliveries.ts'
import pluginTestEvents from './migrations/0029-plugin-test-events.ts'
import pluginApiAccess from './migrations/0030-plugin-api-access.ts'
import integrationNumbers from './migrations/0031-integration-numbers.ts'
import sourceErrorPositions from './migrations/0032-source-error-positions.ts'
import activityFilters from './migrations/0033-activity-filters.ts'
import events from './migrations/events-0001.ts'
import eventPositions from './migrations/events-0002.ts'
import eventCounts from './migrations/events-0003.ts'
import personChanges from './migrations/events-0004.ts'
import eventSessions from './migrations/events-0005.ts'
import eventOrigins from './migrations/events-0006.ts'
import personEmails from './migrations/events-0007.ts'
import mirrors from './migrations/events-0008.ts'
import { name, sql } from './template.ts'

/** A set of tables with its own schema version. Each is a file on SQLite; PostgreSQL has all in one database. */
export interface Track {
  /** The SQLite file. */
  file: string
  /** The table that records applied versions. */
  table: string
  /** The migrations in order. A released migration never changes. */
  migrations: ((types: ColumnTypes) => string)[]
}

export const ADMINISTRATION: Track = {
  file: 'workspace.db',
  table: 'migrations',
  migrations: [
    administration,
    people,
    purges,
    batchExports,
    plugins,
    requestCounts,
    longLists,
    unverifiedAccounts,
    madeInvites,
    pauses,
    signIn,
    sso,
    activityLog,
    pluginActivity,
    runBytes,
    backups,
    scheduledBackups,
    schedules,
    models,
    integrations,
    alerts,
    pluginRuntime,
    siteApps,
    pluginValues,
    inviteMails,
    openRuns,
    alertDigests,
    failedDeliveries,
    pluginTestEvents,
    pluginApiAccess,
    integrationNumbers,
    sourceErrorPositions,
    activityFilters,
  ],
}
export const EVENTS: Track = {
  file: 'events.db',
  table: 'event_migrations',
  migrations: [events, eventPositions, eventCounts, personChanges, eventSessions, eventOrigins, personEmails, mirrors],
}

export const SCHEMA_VERSION = ADMINISTRATION.migrations.length

/** This table exists while `copy` is moving rows from another database into this one. */
export const UNFINISHED_COPY = 'unfinished_copy'

/** Blocks a second node that starts at the same moment. On SQLite the write transaction does. */
const MIGRATION_LOCK =
  "set local lock_timeout = 0; select pg_advisory_xact_lock(hashtext('workspace-admin migrations'))"

/** Migrates to this program's schema version, or an older one. Throws for a newer database or an unfinished copy. */
export async function migrate(
  db: Db,
  now: string,
  track = ADMINISTRATION,
  to = track.migrations.length,
): Promise<{ from: number; to: number }> {
  const from = await version(db, track)
  if (from > to) throw tooNew(from, to)
  await requireFinishedCopy(db)
  if (from === to) return { from, to }
  return db.tx(async (tx) => {
    if (tx.engine === 'postgres') await tx.exec(MIGRATION_LOCK)
    await tx.exec(`create table if not exists ${track.table} (version integer primary key, applied_at text not null)`)
    const current = await version(tx, track)
    if (current > to) throw tooNew(current, to)
    for (const [i, migration] of track.migrations.slice(0, to).entries()) {
      if (i < current) continue
      await tx.exec(migration(COLUMN_TYPES[tx.engine]))
      await tx.run(sql`insert into ${name(track.table)} (version, applied_at) values (${i + 1}, ${now})`)
    }
    return { from: current, to }
  })
}

/** Throws unless the database has exactly this program's schema version. */
export async function requireCurrent(db: Db, track = ADMINISTRATION): Promise<void> {
  const expected = track.migrations.length
  const found = await version(db, track)
  if (found > expected) throw tooNew(found, expected)
  await requireFinishedCopy(db)
  if (found < expected)
    throw new Error(
      `The database has schema version ${found}; this program needs ${expected}. Run \`workspace-admin migrate\` first.`,
    )
}

/** 0 for an empty database. */
export async function version(db: Db, track = ADMINISTRATION): Promise<number> {
  if (!(await hasTable(db, track.table))) return 0
  const row = await db.get<{ version: number | null }>(sql`select max(version) as version from ${name(track.table)}`)
  return row?.version ?? 0
}

export async function hasTable(db: Db, table: string): Promise<boolean> {
  const row = await db.get(
    db.engine === 'sqlite'
      ? sql`select 1 from sqlite_master where name = ${table}`
      : sql`select 1 from pg_tables where tablename = ${table} and schemaname = current_schema()`,
  )
  return row !== undefined
}

export async function hasColumn(db: Db, table: string, column: string): Promise<boolean> {
  const row = await db.get(
    db.engine === 'sqlite'
      ? sql`select 1 from pragma_table_info(${table}) where name = ${column}`
      : sql`select 1 from information_schema.columns
          where table_schema = current_schema() and table_name = ${table} and column_name = ${column}`,
  )
  return row !== undefined
}

async function requireFinishedCopy(db: Db): Promise<void> {
  if (db.engine === 'postgres' && (await hasTable(db, UNFINISHED_COPY)))
    throw new Error(
      'A copy into this database has not finished. Run the same `workspace-admin copy` again until it completes.',
    )
}

const tooNew = (found: number, known: number): Error =>
  new Error(
    `The database has schema version ${found}; this program supports up to ${known}. Start the newer program, or restore a backup from before the upgrade.`,
  )
