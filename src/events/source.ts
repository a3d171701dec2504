/** The connection of a delivery process to the events. */
import { join } from 'node:path'
import { EVENTS } from '../sql/migrate.ts'
import { compile, type Sql } from '../sql/template.ts'
import { type Cursor, countQuery, cursorOf, type Extract, type Page, pageQuery } from './extract.ts'

export interface Source {
  /** Returns at most `limit` rows after the cursor. Null if there are no more. */
  page(extract: Extract, after: Cursor | null, limit: number): Promise<Page | null>
  count(extract: Extract): Promise<number>
  close(): Promise<void>
}

/** Returns the first row. */
type QueryRow = (statement: Sql) => Promise<readonly unknown[]>

const BUSY_TIMEOUT_MS = 10_000
const CONNECT_TIMEOUT_MS = 10_000

/** `functions`: whether to register the HogQL functions on SQLite. */
export async function openSource(url: string, functions: boolean): Promise<Source> {
  const { queryRow, close } = url.startsWith('sqlite:') ? await sqlite(url, functions) : await postgres(url)
  return {
    page: async (extract, after, limit) => {
      const [records, text, place] = await queryRow(pageQuery(extract, after, limit))
      if (Number(records) === 0) return null
      return {
        records: Number(records),
        text: Buffer.isBuffer(text) ? text : Buffer.from(String(text)),
        cursor: cursorOf(String(place), extract),
      }
    },
    count: async (extract) => Number((await queryRow(countQuery(extract)))[0]),
    close,
  }
}

async function sqlite(url: string, functions: boolean): Promise<{ queryRow: QueryRow; close(): Promise<void> }> {
  const { default: Sqlite } = await import('better-sqlite3')
  const handle = new Sqlite(join(url.slice('sqlite:'.length), EVENTS.file), {
    readonly: true,
    timeout: BUSY_TIMEOUT_MS,
  })
  if (functions) (await import('../hogql/sqlite-functions.ts')).registerFunctions(handle)
  const prepared = new Map<string, import('better-sqlite3').Statement<unknown[], unknown[]>>()
  return {
    queryRow: async (statement) => {
      const { text, values } = compile(statement, 'sqlite')
      let known = prepared.get(text)
      if (!known) {
        known = handle.prepare<unknown[], unknown[]>(text).raw(true)
        prepared.set(text, known)
      }
      return known.get(values.map((value) => (typeof value === 'boolean' ? Number(value) : value))) ?? []
    },
    close: async () => void handle.close(),
  }
}

async function postgres(url: string): Promise<{ queryRow: QueryRow; close(): Promise<void> }> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    connectionString: url,
    options: '-c default_transaction_read_only=on',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // Detects a server that is gone without closing the connection.
    keepAlive: true,
  })
  // A broken connection fails its statement. Without a listener, the error would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return {
    queryRow: async (statement) => {
      const { text, values } = compile(statement, 'postgres')
      const { rows } = await client.query<unknown[]>({ text, values, rowMode: 'array' })
      return rows[0] ?? []
    },
    close: () => client.end(),
  }
}
