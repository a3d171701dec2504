/** The connection of a delivery process to the events. */
import { join } from 'node:path'
import type { Observe } from '../sql/db.ts'
import { EVENTS } from '../sql/migrate.ts'
import { compile, compileInline, type Sql } from '../sql/template.ts'
import { type CopiedRows, copyRows } from './copied-rows.ts'
import { countRows } from './counts.ts'
import { type Cursor, cursorOfKey, cursorOfValues, type Extract, type Page, pageQuery, valuesQuery } from './extract.ts'

export interface Source {
  /** Returns at most `limit` rows after the cursor, up to and including `through`. Null if there are no more. */
  page(extract: Extract, after: Cursor | null, limit: number, through?: Cursor | null): Promise<Page | null>
  count(extract: Extract): Promise<number>
  close(): Promise<void>
}

const BUSY_TIMEOUT_MS = 10_000
/** An export reads each page of the file once. The default of 16 MB only adds to the memory of a long export. */
const CACHE_KIB = 4_096
const CONNECT_TIMEOUT_MS = 10_000
/** Rows per statement on PostgreSQL. A longer one would hold back vacuum while a slow destination receives its rows. */
const COPY_ROWS = 100_000
/** PostgreSQL ends a page here even if it has fewer rows than the limit. */
const PAGE_BYTES = 1024 * 1024

/** `functions`: whether to register the HogQL functions on SQLite. */
export const openSource = (
  url: string,
  functions: boolean,
  observe: Observe = () => undefined,
  copy_rows = COPY_ROWS,
): Promise<Source> =>
  url.startsWith('sqlite:') ? openSqliteSource(url, functions, observe) : openPostgresSource(url, observe, copy_rows)

async function observed<Result>(observe: Observe, text: string, work: () => Result): Promise<Awaited<Result>> {
  const start = performance.now()
  try {
    return await work()
  } finally {
    observe((performance.now() - start) / 1000, text)
  }
}

async function openSqliteSource(url: string, functions: boolean, observe: Observe): Promise<Source> {
  const { default: Sqlite } = await import('better-sqlite3')
  const handle = new Sqlite(join(url.slice('sqlite:'.length), EVENTS.file), {
    readonly: true,
    timeout: BUSY_TIMEOUT_MS,
  })
  handle.pragma(`cache_size = -${CACHE_KIB}`)
  if (functions) (await import('../hogql/sqlite-functions.ts')).registerFunctions(handle)
  const prepared = new Map<string, import('better-sqlite3').Statement<unknown[], unknown[]>>()
  const queryRow = (query: Sql): Promise<readonly unknown[]> => {
    const { text, values } = compile(query, 'sqlite')
    return observed(observe, text, () => {
      let known = prepared.get(text)
      if (!known) {
        known = handle.prepare<unknown[], unknown[]>(text).raw(true)
        prepared.set(text, known)
      }
      return known.get(values) ?? []
    })
  }
  return {
    page: async (extract, after, limit, through = null) => {
      const [records, text, key] = await queryRow(pageQuery(extract, after, limit, through))
      if (!Buffer.isBuffer(text)) return null
      return { records: Number(records), text, cursor: cursorOfKey(String(key), extract) }
    },
    count: (extract) => countRows(queryRow, extract),
    close: async () => void handle.close(),
  }
}

/** The rows of one statement, which several pages share. */
interface OpenRows {
  rows: CopiedRows
  extract: Extract
  through: Cursor | null
  /** The end of the last page. */
  cursor: Cursor | null
  /** The statement with placeholders. */
  text: string
}

async function openPostgresSource(url: string, observe: Observe, copy_rows: number): Promise<Source> {
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
  let open: OpenRows | undefined

  const queryRow = async (query: Sql): Promise<readonly unknown[]> => {
    const { text, values } = compile(query, 'postgres')
    const { rows } = await observed(observe, text, () => client.query<unknown[]>({ text, values, rowMode: 'array' }))
    return rows[0] ?? []
  }
  const openRows = async (extract: Extract, after: Cursor | null, through: Cursor | null): Promise<OpenRows> => {
    if (open && open.extract === extract && open.cursor === after && open.through === through) return open
    await open?.rows.discard()
    const { query, layout } = valuesQuery(extract, after, copy_rows, through)
    const rows = copyRows(client, compileInline(query, pg.escapeLiteral), layout)
    return { rows, extract, through, cursor: after, text: compile(query, 'postgres').text }
  }
  return {
    page: async (extract, after, limit, through = null) => {
      for (;;) {
        const current = await openRows(extract, after, through)
        open = current
        const page = await observed(observe, current.text, () => current.rows.next(limit, PAGE_BYTES))
        if (page) {
          current.cursor = cursorOfValues(...page.last, extract)
          return { records: page.records, text: page.text, cursor: current.cursor }
        }
        open = undefined
        if (current.rows.count() < copy_rows) return null
      }
    },
    count: async (extract) => {
      await open?.rows.discard()
      open = undefined
      return countRows(queryRow, extract)
    },
    close: () => client.end(),
  }
}
