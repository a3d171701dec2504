import pg from 'pg'
import { unavailable } from '../errors.ts'
import { type Database, type Db, type DbOptions, withoutCredentials } from './db.ts'
import { compile, counting, type Sql } from './template.ts'

const CONNECTIONS = 10
const WAIT_MS = 5_000
const IDLE_TRANSACTION_MS = 60_000
const SKEW_PERIOD_MS = 60_000

// Counts and ids arrive as bigint; every one of ours fits a number.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** A peer that vanished without a word is asked for after so long. */
const KEEP_ALIVE_MS = 10_000

/** Not reachable, shutting down, starting up, out of connections: worth another try, and not the caller's fault. */
const UNREACHABLE =
  /^(ECONN(REFUSED|RESET|ABORTED)|E(HOST|NET)UNREACH|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|53300|(08|57P)...?)$/
/** A lock was not to be had in time, or a transaction stood still or lasted for too long: all of it is undone. */
const OUT_OF_TIME = new Set(['55P03', '25P03', '25P04'])
/** The pool's words for having waited too long, for a new connection or for one that others use. */
const WAITED = 'timeout exceeded when trying to connect'

export async function openPostgres(
  url: string,
  { observe, mode, connections = CONNECTIONS, wait_ms = WAIT_MS, lock_ms }: DbOptions = {},
): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: wait_ms,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    ...(lock_ms && { lock_timeout: lock_ms }),
    // A node that vanishes in the middle of a transaction holds its rows no longer than this.
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    ...(mode === 'read' && { options: '-c default_transaction_read_only=on' }),
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined)

  const names = new Map<string, string>()
  const query = async (on: pg.Pool | pg.PoolClient, statement: Sql): Promise<pg.QueryResult> => {
    const { text, values } = compile(statement, 'postgres')
    let name = names.get(text)
    if (!name) {
      name = `s${names.size}`
      names.set(text, name)
    }
    const start = performance.now()
    try {
      return await on.query({ name, text, values })
    } catch (error) {
      throw translated(error)
    } finally {
      observe?.((performance.now() - start) / 1000)
    }
  }

  const on = (where: pg.Pool | pg.PoolClient): Omit<Db, 'tx' | 'close'> => ({
    engine: 'postgres',
    all: async <Row>(statement: Sql) => (await query(where, statement)).rows as Row[],
    get: async <Row>(statement: Sql) => (await query(where, statement)).rows[0] as Row | undefined,
    count: async (found) => (await query(where, counting(found))).rows[0].count,
    run: async (statement) => (await query(where, statement)).rowCount ?? 0,
    exec: async (text) => {
      await where.query(text).catch((error) => {
        throw translated(error)
      })
    },
  })

  let skew_ms = 0
  const measureSkew = async (): Promise<void> => {
    const before = Date.now()
    const { rows } = await pool.query('select extract(epoch from clock_timestamp()) * 1000 as now')
    skew_ms = Math.round(Number(rows[0].now) - (before + Date.now()) / 2)
  }
  await measureSkew().catch(async (error) => {
    await pool.end()
    throw translated(error)
  })
  const timer = setInterval(() => void measureSkew().catch(() => undefined), SKEW_PERIOD_MS)
  timer.unref()

  return {
    ...on(pool),
    location: withoutCredentials(url),
    skew: () => skew_ms,
    changes: () => undefined,
    tx: async (work) => {
      const client = await pool.connect().catch((error) => {
        throw translated(error)
      })
      const tx: Db = { ...on(client), tx: (inner) => inner(tx), close: async () => undefined }
      let broken = false
      // The pool listens to idle connections only: one that breaks while we hold it would end the process.
      const onBroken = (): void => {
        broken = true
      }
      client.on('error', onBroken)
      try {
        await client.query('begin')
        const result = await work(tx)
        await client.query('commit')
        return result
      } catch (error) {
        await client.query('rollback').catch(onBroken)
        throw translated(error)
      } finally {
        client.release(broken)
        client.off('error', onBroken)
      }
    },
    close: async () => {
      clearInterval(timer)
      await pool.end()
    },
  }
}

/** What the caller may be told of a failure of the connection; any other failure as it is. */
export function translated(error: unknown): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (message.includes(WAITED) || OUT_OF_TIME.has(code))
    return unavailable('The database is busy or cannot be reached. Try again in a moment.')
  return /Connection terminated|not queryable/.test(message) || UNREACHABLE.test(code)
    ? unavailable('The database cannot be reached. Try again in a moment.')
    : error
}
