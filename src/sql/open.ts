import { type Database, type DbOptions, withoutCredentials } from './db.ts'

/** Opens the database of a URL. The PostgreSQL driver is loaded on first use. */
export async function openDatabase(url: string, options: DbOptions = {}): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(url)) return (await import('./postgres.ts')).openPostgres(url, options)
  if (url.startsWith('sqlite:')) return (await import('./sqlite.ts')).openSqlite(url.slice('sqlite:'.length), options)
  throw new Error(
    `"${withoutCredentials(url)}" is not a database URL. Use sqlite:<folder> or postgres://<user>@<host>/<database>.`,
  )
}
