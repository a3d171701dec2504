/** Where an export reads events: a connection of its own, in a process of its own. */
import { join } from 'node:path'
import { EVENTS } from '../sql/migrate.ts'
import { compile, type Sql } from '../sql/template.ts'
import { type Cursor, countQuery, cursorOf, type Extract, type Page, pageQuery } from './extract.ts'

export interface Source {
  /** The next events after the cursor, at most `limit`; null where there are no more. */
  page(extract: Extract, after: Cursor | null, limit: number): Promise<Page | null>
  count(extract: Extract): Promise<number>
  close(): Promise<void>
}

type Ask = (statement: Sql) => Promise<unknown[]>

const BUSY_WAIT_MS = 10_000
const CONNECT_DEADLINE_MS = 10_000

/** `functions`: whether a query of the caller's own needs what SQLite lacks. */
export async function openSource(url: string, functions: boolean): Promise<Source> {
  const { ask, close } = url.startsWith('sqlite:') ? await sqlite(url, functions) : await postgres(url)
  return {
    page: async (extract, after, limit) => {
      const [records, text, place] = await ask(pageQuery(extract, after, limit))
      if (Number(records) === 0) return null
      return {
        records: Number(records),
        text: Buffer.isBuffer(text) ? text : Buffer.from(text as string),
        cursor: cursorOf(place as string, extract.range),
      }
    },
    count: async (extract) => Number((await ask(countQuery(extract)))[0]),
    close,
  }
}

async function sqlite(url: string, functions: boolean): Promise<{ ask: Ask; close(): Promise<void> }> {
  const { default: Sqlite } = await import('better-sqlite3')
  const handle = new Sqlite(join(url.slice('sqlite:'.length), EVENTS.file), { readonly: true, timeout: BUSY_WAIT_MS })
  if (functions) (await import('../hogql/sqlite-functions.ts')).registerFunctions(handle)
  const prepared = new Map<string, import('better-sqlite3').Statement>()
  return {
    ask: async (statement) => {
      const { text, values } = compile(statement, 'sqlite')
      let known = prepared.get(text)
      if (!known) {
        known = handle.prepare(text).raw(true)
        prepared.set(text, known)
      }
      return known.get(values.map((value) => (typeof value === 'boolean' ? Number(value) : value))) as unknown[]
    },
    close: async () => void handle.close(),
  }
}

async function postgres(url: string): Promise<{ ask: Ask; close(): Promise<void> }> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    connectionString: url,
    options: '-c default_transaction_read_only=on',
    connectionTimeoutMillis: CONNECT_DEADLINE_MS,
    // A server that vanishes without a word is noticed.
    keepAlive: true,
  })
  // A connection that breaks fails the statement that runs on it; without a listener it would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return {
    ask: async (statement) => {
      const { text, values } = compile(statement, 'postgres')
      return (await client.query({ text, values, rowMode: 'array' })).rows[0] as unknown[]
    },
    close: () => client.end(),
  }
}
