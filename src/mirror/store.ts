/** The connection of a process of the mirror to the events. */
import { join } from 'node:path'
import { EVENTS } from '../sql/migrate.ts'
import { compile, type Engine, type Sql } from '../sql/template.ts'

export type Read = <Row extends unknown[]>(query: Sql) => Promise<Row[]>

export interface Store {
  readonly engine: Engine
  /** Runs all reads of `work` on one state of the database. */
  snapshot<Result>(work: (read: Read) => Promise<Result>): Promise<Result>
}

const BUSY_TIMEOUT_MS = 10_000
const CONNECT_TIMEOUT_MS = 10_000
/** A process reads at most the events of a segment in one statement. */
const STATEMENT_MS = 600_000
/** Between two statements, the process converts the rows of the first. */
const IDLE_TRANSACTION_MS = 60_000
const KEEP_ALIVE_MS = 10_000

export const openStore = (url: string): Promise<Store> =>
  url.startsWith('sqlite:') ? openSqliteStore(url) : openPostgresStore(url)

async function openSqliteStore(url: string): Promise<Store> {
  const { default: Sqlite } = await import('better-sqlite3')
  const file = join(url.slice('sqlite:'.length), EVENTS.file)
  const handle = new Sqlite(file, { readonly: true, timeout: BUSY_TIMEOUT_MS })
  const read: Read = async <Row extends unknown[]>(query: Sql) => {
    const { text, values } = compile(query, 'sqlite')
    return handle.prepare<unknown[], Row>(text).raw(true).all(values)
  }
  return {
    engine: 'sqlite',
    snapshot: async (work) => {
      handle.exec('begin')
      try {
        return await work(read)
      } finally {
        handle.exec('commit')
      }
    },
  }
}

async function openPostgresStore(url: string): Promise<Store> {
  const { openPool } = await import('../sql/postgres-pool.ts')
  const pool = openPool({
    connectionString: url,
    options: '-c default_transaction_read_only=on',
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
  })
  return {
    engine: 'postgres',
    snapshot: async (work) => {
      const client = await pool.connect()
      const read: Read = async <Row extends unknown[]>(query: Sql) => {
        const { text, values } = compile(query, 'postgres')
        return (await client.query<Row>({ text, values, rowMode: 'array' })).rows
      }
      let isOver = false
      try {
        await client.query('begin isolation level repeatable read')
        const result = await work(read)
        await client.query('commit')
        isOver = true
        return result
      } finally {
        client.release(!isOver)
      }
    },
  }
}
