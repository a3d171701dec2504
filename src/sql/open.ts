import { type Database, type DbOptions, withoutCredentials } from './db.ts'

/** Opens the database that a URL names. PostgreSQL's driver is loaded only by those who use it. */
export async function openDatabase(url: string, options: DbOptions = {}): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(url)) return (await import('./postgres.ts')).openPostgres(url, options)
  if (url.startsWith('sqlite:')) return (await import('./sqlite.ts')).openSqlite(url.slice('sqlite:'.length), options)
  throw new Error(
    `"${withoutCredentials(url)}" names no database. Use sqlite:<folder> or postgres://<user>@<host>/<database>.`,
  )
}
