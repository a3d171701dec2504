import type { Database, Db, DbOptions } from '../sql/db.ts'
import { ADMINISTRATION, EVENTS, migrate } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { sql } from '../sql/template.ts'

export interface EventStoreOptions {
  url: string
  administration: Database
  /** The installation that owns the events. */
  installation: string
  now: string
  observer: DbOptions
}

/**
 * Opens the event store. On SQLite it is a separate file, and ingestion never waits for administration. On PostgreSQL it
 * is the same database. Throws if the events belong to another installation.
 */
export async function openEventStore(options: EventStoreOptions): Promise<Database> {
  const { url, administration, installation, now, observer } = options
  const db =
    administration.engine === 'sqlite' ? await openDatabase(url, { file: EVENTS.file, ...observer }) : administration
  try {
    await migrate(db, now, EVENTS)
    await claimStore(db, installation)
    return db
  } catch (error) {
    if (db !== administration) await db.close()
    throw error
  }
}

async function claimStore(db: Db, installation: string): Promise<void> {
  await db.run(sql`insert into event_store (id, installation) values (1, ${installation}) on conflict (id) do nothing`)
  const found = await db.get<{ installation: string }>(sql`select installation from event_store`)
  if (found?.installation !== installation)
    throw new Error(
      `The events belong to another installation. Restore the ${EVENTS.file} that belongs to this ${ADMINISTRATION.file}, or move it away to start without events.`,
    )
}
