import pg from 'pg'
import { errorCode, unavailable } from '../errors.ts'
import { type Database, type Db, type DbOptions, type Observe, withoutCredentials } from './db.ts'
import { createLookups } from './postgres-lookups.ts'
import { openPool } from './postgres-pool.ts'
import { compile, counting, type Sql } from './template.ts'

const CONNECTIONS = 10
const WAIT_MS = 5_000
const IDLE_TRANSACTION_MS = 60_000
const SKEW_PERIOD_MS = 60_000
/** `Date.now` truncates to milliseconds. */
const CLOCK_STEP_MS = 1

// Counts and ids are bigint; all of ours fit into a number.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/** TCP keep-alive detects a server that disappeared without closing the connection. */
const KEEP_ALIVE_MS = 10_000

/** Unreachable, shutting down, starting up or out of connections: a retry may succeed. */
const UNREACHABLE =
  /^(ECONN(REFUSED|RESET|ABORTED)|E(HOST|NET)(UNREACH|DOWN)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|53300|(08|57P)...?)$/
/** Citus reports a worker that is lost during a transaction without a code of its own. */
const INTERNAL_ERROR = 'XX000'
const WORKER_LOST =
  /^(could not commit transaction (for shard \d+ )?on (any|at least one) active node|failure on connection marked as essential)/
/** Citus needs the project of a statement, and a generic plan has no values. */
const FEATURE_NOT_SUPPORTED = '0A000'
const UNPLANNABLE = 'could not create distributed plan'
/** Lock timeout, idle-in-transaction timeout, transaction timeout. The transaction is rolled back. */
const TIMEOUTS = new Set(['55P03', '25P03', '25P04'])
/** Disk full, I/O error, read-only server: no write succeeds. */
const NOT_WRITABLE = new Set(['53100', '58030', '25006'])
/** The pool's error message when no connection becomes free in time. */
const POOL_TIMEOUT = 'timeout exceeded when trying to connect'

export async function openPostgres(
  url: string,
  { observe, mode, connections = CONNECTIONS, wait_ms = WAIT_MS, lock_ms, share_connections = false }: DbOptions = {},
): Promise<Database> {
  const connection = {
    connectionString: url,
    connectionTimeoutMillis: wait_ms,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // Sends the statements of a transaction without waiting for the responses to earlier ones.
    pipeline: true,
    ...(lock_ms && { lock_timeout: lock_ms }),
    // Releases the locks of a node that disappears inside a transaction.
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    ...(mode === 'read' && { options: '-c default_transaction_read_only=on' }),
  }
  const pool = openPool({ ...connection, max: connections })
  const lookups = share_connections ? createLookups(connection) : undefined

  /** Throws an error of the driver as `unavailable`, or with its remedy. */
  const fail = (error: unknown): never => {
    throw describeConnectionError(error, url)
  }

  let write_failure: unknown
  /** The names of the prepared statements by their text. */
  const names = new Map<string, string>()
  const query = async (on: pg.Pool | pg.PoolClient, statement: Sql): Promise<pg.QueryResult> => {
    const { text, values } = compile(statement, 'postgres')
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    const start = performance.now()
    try {
      const shared = statement.isLookup && on === pool ? lookups?.query({ name, text, values }) : undefined
      // A lookup on a connection that has just been lost is repeated on another one.
      const result = await shared?.catch((error) => {
        if (!isConnectionLost(error)) throw error
      })
      return result ?? (await on.query({ name, text, values }))
    } catch (error) {
      const described = describeConnectionError(error, url)
      if (NOT_WRITABLE.has(errorCode(error))) write_failure = described
      throw described
    } finally {
      observe?.((performance.now() - start) / 1000, text)
    }
  }

  const on = (where: pg.Pool | pg.PoolClient): Statements => ({
    engine: 'postgres',
    all: async <Row>(statement: Sql): Promise<Row[]> => (await query(where, statement)).rows,
    get: async <Row>(statement: Sql): Promise<Row | undefined> => (await query(where, statement)).rows[0],
    count: async (found) => (await query(where, counting(found))).rows[0].count,
    run: async (statement) => {
      const { rowCount } = await query(where, statement)
      if (where === pool) write_failure = undefined
      return rowCount ?? 0
    },
    exec: async (text) => void (await where.query(text).catch(fail)),
  })

  const clock = await watchSkew(pool).catch(async (error) => {
    await pool.end()
    return fail(error)
  })

  return {
    ...on(pool),
    send: async (statement) => void (await query(pool, statement)),
    location: withoutCredentials(url),
    skew: clock.skew,
    pool: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max: connections,
    }),
    changes: () => undefined,
    sync: async () => undefined,
    writeFailure: () => write_failure,
    tx: async (work) => {
      const client = await pool.connect().catch(fail)
      return runTransaction(client, on(client), work, observe).catch(fail)
    },
    close: async () => {
      clock.stop()
      await lookups?.close()
      await pool.end()
    },
  }
}

/** A database without the methods that differ between a pool and a transaction. */
type Statements = Omit<Db, 'tx' | 'send' | 'close'>

/** Runs `work` in a transaction on a connection, and returns the connection to its pool. */
async function runTransaction<Result>(
  client: pg.PoolClient,
  on: Statements,
  work: (tx: Db) => Promise<Result>,
  observe?: Observe,
): Promise<Result> {
  /** The statements without a caller that waits, and the first failure of one. Later statements fail because of it. */
  const sent: Promise<unknown>[] = []
  let failure: unknown
  const addSent = (response: Promise<unknown>): void =>
    void sent.push(
      response.catch((error) => {
        failure ??= error
      }),
    )
  const tx: Db = {
    ...on,
    send: async (statement) => addSent(on.run(statement)),
    tx: (inner) => inner(tx),
    close: async () => undefined,
  }
  let broken = false
  try {
    addSent(client.query('begin'))
    const result = await work(tx)
    if (failure) throw failure
    const start = performance.now()
    await client.query('commit')
    observe?.((performance.now() - start) / 1000, 'commit')
    // After a failed statement, `commit` rolls back and reports no error.
    await Promise.all(sent)
    if (failure) throw failure
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true
    })
    await Promise.all(sent)
    throw failure ?? error
  } finally {
    client.release(broken)
  }
}

/**
 * Measures how far the clock of the database is ahead, now and once a minute. A difference that the duration of the query
 * explains counts as none.
 */
async function watchSkew(pool: pg.Pool): Promise<{ skew(): number; stop(): void }> {
  let skew_ms = 0
  const measure = async (): Promise<void> => {
    const before = Date.now()
    const { rows } = await pool.query('select extract(epoch from clock_timestamp()) * 1000 as now')
    const after = Date.now()
    const ahead_ms = Math.round(Number(rows[0].now) - (before + after) / 2)
    skew_ms = Math.abs(ahead_ms) > (after - before) / 2 + CLOCK_STEP_MS ? ahead_ms : 0
  }
  await measure()
  const timer = setInterval(() => void measure().catch(() => undefined), SKEW_PERIOD_MS).unref()
  return { skew: () => skew_ms, stop: () => clearInterval(timer) }
}

/** Why the database could not be used: its address, and the SQLSTATE or the code of the socket. */
class ConnectionFailure extends Error {
  constructor(
    error: unknown,
    url: string,
    readonly code = errorCode(error),
    readonly host = new URL(url).host,
  ) {
    super(error instanceof Error ? error.message : String(error))
    this.name = 'ConnectionFailure'
    // The caller of a statement says nothing about the cause.
    delete this.stack
  }
}

function isConnectionLost(error: unknown): boolean {
  const code = errorCode(error)
  const message = messageOf(error)
  if (code === INTERNAL_ERROR) return WORKER_LOST.test(message)
  return /Connection terminated|not queryable/.test(message) || UNREACHABLE.test(code)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')

/** Turns a failure that a retry may overcome into `unavailable`. Other errors stay, or name the remedy. */
export function describeConnectionError(error: unknown, url: string): unknown {
  const code = errorCode(error)
  const message = messageOf(error)
  const failure = (detail: string) => unavailable(detail, new ConnectionFailure(error, url))
  if (message.includes(POOL_TIMEOUT) || TIMEOUTS.has(code))
    return failure('The database is busy or unreachable. Retry in a moment.')
  if (isConnectionLost(error)) return failure('The database is unreachable. Retry in a moment.')
  if (NOT_WRITABLE.has(code))
    return failure(
      'The database accepts no writes: its disk is full or fails, or it is read-only. Fix the cause, then retry.',
    )
  if (code === FEATURE_NOT_SUPPORTED && message === UNPLANNABLE)
    return new Error(
      'The cluster cannot plan a statement whose values are hidden. Set plan_cache_mode to auto for the database and the user of the server.',
      { cause: error },
    )
  return error
}
