import type { Database, Db } from '../sql/db.ts'
import { ADMINISTRATION, EVENTS, migrate } from '../sql/migrate.ts'
import { openDatabase } from '../sql/open.ts'
import { sql } from '../sql/template.ts'

export interface EventStoreOptions {
  url: string
  administration: Database
  /** The installation that owns the events. */
  installation: string
  now: string
  observe?: (seconds: number) => void
}

/**
 * Opens the event store: a separate file on SQLite, so that ingestion never waits for administration; the same
 * database on PostgreSQL. Throws when the events belong to another installation.
 */
export async function openEventStore(options: EventStoreOptions): Promise<Database> {
  const { url, administration, installation, now, observe } = options
  const db =
    administration.engine === 'sqlite' ? await openDatabase(url, { file: EVENTS.file, observe }) : administration
  try {
    await migrate(db, now, EVENTS)
    await pair(db, installation)
    return db
  } catch (error) {
    if (db !== administration) await db.close()
    throw error
  }
}

async function pair(db: Db, installation: string): Promise<void> {
  await db.run(sql`insert into event_store (id, installation) values (1, ${installation}) on conflict (id) do nothing`)
  const found = await db.get<{ installation: string }>(sql`select installation from event_store`)
  if (found?.installation !== installation)
    throw new Error(
      `These events belong to another installation. Put back the ${EVENTS.file} that was made together with this ${ADMINISTRATION.file}, or move it away to begin without events.`,
    )
}
