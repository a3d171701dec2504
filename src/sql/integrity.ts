import type { Db } from './db.ts'
import { sql } from './template.ts'

const MOST_PROBLEMS = 5

/** What is wrong with the pages and references of a SQLite database, a sentence each; nothing on PostgreSQL. */
export async function damage(db: Db): Promise<string[]> {
  if (db.engine !== 'sqlite') return []
  const pages = await db.all<{ integrity_check: string }>(sql`pragma integrity_check(5)`)
  const lost = await db.all<{ table: string; rowid: number | null; parent: string }>(sql`pragma foreign_key_check`)
  return [
    ...pages.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
    ...lost.map((row) => `Row ${row.rowid} of ${row.table} points to a row of ${row.parent} that is not there.`),
  ].slice(0, MOST_PROBLEMS)
}
