/** The connection of a delivery process to the events. */
import { join } from 'node:path'
import type { Observe } from '../sql/db.ts'
import { EVENTS } from '../sql/migrate.ts'
import { compile, type Sql, type Value } from '../sql/template.ts'
import { type Cursor, countQuery, cursorOf, type Extract, type Page, pageQuery } from './extract.ts'

export interface Source {
  /** Returns at most `limit` rows after the cursor, up to and including `through`. Null if there are no more. */
  page(extract: Extract, after: Cursor | null, limit: number, through?: Cursor | null): Promise<Page | null>
  count(extract: Extract): Promise<number>
  close(): Promise<void>
}

/** Returns the first row. */
type RunStatement = (statement: { text: string; values: Value[] }) => Promise<readonly unknown[]>

const BUSY_TIMEOUT_MS = 10_000
const CONNECT_TIMEOUT_MS = 10_000

/** `functions`: whether to register the HogQL functions on SQLite. */
export async function openSource(url: string, functions: boolean, observe?: Observe): Promise<Source> {
  const engine = url.startsWith('sqlite:') ? 'sqlite' : 'postgres'
  const { run, close } = engine === 'sqlite' ? await sqlite(url, functions) : await postgres(url)
  const queryRow = async (query: Sql): Promise<readonly unknown[]> => {
    const statement = compile(query, engine)
    const start = performance.now()
    try {
      return await run(statement)
    } finally {
      observe?.((performance.now() - start) / 1000, statement.text)
    }
  }
  return {
    page: async (extract, after, limit, through = null) => {
      const [records, text, place] = await queryRow(pageQuery(extract, after, limit, through))
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

async function sqlite(url: string, functions: boolean): Promise<{ run: RunStatement; close(): Promise<void> }> {
  const { default: Sqlite } = await import('better-sqlite3')
  const handle = new Sqlite(join(url.slice('sqlite:'.length), EVENTS.file), {
    readonly: true,
    timeout: BUSY_TIMEOUT_MS,
  })
  if (functions) (await import('../hogql/sqlite-functions.ts')).registerFunctions(handle)
  const prepared = new Map<string, import('better-sqlite3').Statement<unknown[], unknown[]>>()
  return {
    run: async ({ text, values }) => {
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

async function postgres(url: string): Promise<{ run: RunStatement; close(): Promise<void> }> {
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
    run: async ({ text, values }) => {
      const { rows } = await client.query<unknown[]>({ text, values, rowMode: 'array' })
      return rows[0] ?? []
    },
    close: () => client.end(),
  }
}
