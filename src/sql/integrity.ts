import type { Db } from './db.ts'
import { sql } from './template.ts'

const MAX_PROBLEMS = 5

/** Returns a sentence for each damaged page or broken reference of a SQLite database; nothing on PostgreSQL. */
export async function damage(db: Db): Promise<string[]> {
  if (db.engine !== 'sqlite') return []
  const pages = await db.all<{ integrity_check: string }>(sql`pragma integrity_check(5)`)
  const lost = await db.all<{ table: string; rowid: number | null; parent: string }>(sql`pragma foreign_key_check`)
  return [
    ...pages.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
    ...lost.map((row) => `Row ${row.rowid} of ${row.table} references a missing row of ${row.parent}.`),
  ].slice(0, MAX_PROBLEMS)
}

/** The tables, indexes, views and triggers of a SQLite database, and the statement that creates each. */
export async function schemaOf(db: Db): Promise<Map<string, string>> {
  const rows = await db.all<{ type: string; name: string; sql: string | null }>(sql`
    select type, name, sql from sqlite_master
    where not (type = 'index' and sql is null) and not (type = 'table' and name in ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))`)
  return new Map(rows.map((row) => [`${row.type} ${row.name}`, (row.sql ?? '').replace(/\s+/g, ' ')]))
}
