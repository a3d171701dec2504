import type { Db } from './db.ts'
import { DIALECTS, type Dialect } from './dialect.ts'
import administration from './migrations/0001-administration.ts'
import people from './migrations/0002-people.ts'
import { sql } from './template.ts'

/** In order, for ever: a migration that has been released is never changed. */
const MIGRATIONS: ((dialect: Dialect) => string)[] = [administration, people]

export const SCHEMA_VERSION = MIGRATIONS.length

/** Keeps a second node that starts at the same moment waiting. SQLite's write transaction does so by itself. */
const ONE_AT_A_TIME = "select pg_advisory_xact_lock(hashtext('workspace-admin migrations'))"

/** Brings the database to this program's version; refuses one that a newer program has written. */
export async function migrate(db: Db, now: string): Promise<{ from: number; to: number }> {
  const from = await version(db)
  if (from > SCHEMA_VERSION) throw tooNew(from)
  if (from === SCHEMA_VERSION) return { from, to: from }
  return db.tx(async (tx) => {
    if (tx.engine === 'postgres') await tx.exec(ONE_AT_A_TIME)
    await tx.exec('create table if not exists migrations (version integer primary key, applied_at text not null)')
    const current = await version(tx)
    if (current > SCHEMA_VERSION) throw tooNew(current)
    for (let next = current; next < SCHEMA_VERSION; next++) {
      await tx.exec(MIGRATIONS[next]!(DIALECTS[tx.engine]))
      await tx.run(sql`insert into migrations (version, applied_at) values (${next + 1}, ${now})`)
    }
    return { from: current, to: SCHEMA_VERSION }
  })
}

/** For who works on a database beside the server: refuses one that is older or newer than this program. */
export async function demandCurrent(db: Db): Promise<void> {
  const found = await version(db)
  if (found > SCHEMA_VERSION) throw tooNew(found)
  if (found < SCHEMA_VERSION)
    throw new Error(
      `The database has schema version ${found}; this program needs ${SCHEMA_VERSION}. Run \`workspace-admin migrate\` first.`,
    )
}

/** 0 for an empty database. */
export async function version(db: Db): Promise<number> {
  const exists = await db.get(
    db.engine === 'sqlite'
      ? sql`select 1 from sqlite_master where name = 'migrations'`
      : sql`select 1 from pg_tables where tablename = 'migrations' and schemaname = current_schema()`,
  )
  if (!exists) return 0
  const row = await db.get<{ version: number | null }>(sql`select max(version) as version from migrations`)
  return row?.version ?? 0
}

const tooNew = (found: number): Error =>
  new Error(
    `The database has schema version ${found}; this program knows up to ${SCHEMA_VERSION}. Start the newer program, or restore a backup made before the upgrade.`,
  )
