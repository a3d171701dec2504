import type { Db } from './db.ts'
import { DIALECTS, type Dialect } from './dialect.ts'
import administration from './migrations/0001-administration.ts'
import people from './migrations/0002-people.ts'
import purges from './migrations/0003-purges.ts'
import batchExports from './migrations/0004-batch-exports.ts'
import plugins from './migrations/0005-plugins.ts'
import requestCounts from './migrations/0006-request-counts.ts'
import longLists from './migrations/0007-long-lists.ts'
import unverifiedAccounts from './migrations/0008-unverified-accounts.ts'
import madeInvites from './migrations/0009-made-invites.ts'
import events from './migrations/events-0001.ts'
import eventPositions from './migrations/events-0002.ts'
import { name, sql } from './template.ts'

/** A set of tables with a version of its own. On SQLite each is a file, on PostgreSQL all are in one database. */
export interface Track {
  /** The file on SQLite. */
  file: string
  /** The table that counts the versions. */
  table: string
  /** In order, for ever: a migration that has been released is never changed. */
  migrations: ((dialect: Dialect) => string)[]
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
  ],
}
export const EVENTS: Track = { file: 'events.db', table: 'event_migrations', migrations: [events, eventPositions] }

export const SCHEMA_VERSION = ADMINISTRATION.migrations.length

/** The table whose being there says that rows of another database are still on their way into this one. */
export const UNFINISHED_COPY = 'unfinished_copy'

/** Keeps a second node that starts at the same moment waiting. SQLite's write transaction does so by itself. */
const ONE_AT_A_TIME = "set local lock_timeout = 0; select pg_advisory_xact_lock(hashtext('workspace-admin migrations'))"

/** Brings the database to this program's version; refuses one that a newer program has written, or half of one. */
export async function migrate(db: Db, now: string, track = ADMINISTRATION): Promise<{ from: number; to: number }> {
  const to = track.migrations.length
  const from = await version(db, track)
  if (from > to) throw tooNew(from, to)
  await demandWhole(db)
  if (from === to) return { from, to }
  return db.tx(async (tx) => {
    if (tx.engine === 'postgres') await tx.exec(ONE_AT_A_TIME)
    await tx.exec(`create table if not exists ${track.table} (version integer primary key, applied_at text not null)`)
    const current = await version(tx, track)
    if (current > to) throw tooNew(current, to)
    for (let next = current; next < to; next++) {
      await tx.exec(track.migrations[next]!(DIALECTS[tx.engine]))
      await tx.run(sql`insert into ${name(track.table)} (version, applied_at) values (${next + 1}, ${now})`)
    }
    return { from: current, to }
  })
}

/** For who works on a database beside the server: refuses one that is older or newer than this program. */
export async function demandCurrent(db: Db, track = ADMINISTRATION): Promise<void> {
  const wanted = track.migrations.length
  const found = await version(db, track)
  if (found > wanted) throw tooNew(found, wanted)
  await demandWhole(db)
  if (found < wanted)
    throw new Error(
      `The database has schema version ${found}; this program needs ${wanted}. Run \`workspace-admin migrate\` first.`,
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

async function demandWhole(db: Db): Promise<void> {
  if (db.engine === 'postgres' && (await hasTable(db, UNFINISHED_COPY)))
    throw new Error(
      'This database holds a part of another one: a copy into it has not finished. Run the same `workspace-admin copy` again until it has.',
    )
}

const tooNew = (found: number, known: number): Error =>
  new Error(
    `The database has schema version ${found}; this program knows up to ${known}. Start the newer program, or restore a backup made before the upgrade.`,
  )
