import pg from 'pg'
import { errorCode, invalid } from '../errors.ts'
import { describeConnectionError } from '../sql/postgres.ts'
import { openPool } from '../sql/postgres-pool.ts'
import { isTooLarge, type LaneName, type ReaderBackend, resultLimit, type Statement } from './reader-messages.ts'

/** A separate pool: readers never take a connection from administration. */
const SLOTS = { fast: 4, slow: 4 }
/** Connections that cancel statements. */
const SPARE_CONNECTIONS = 2
const CONNECT_TIMEOUT_MS = 5_000
/** More are forgotten together with the connections that prepared them. */
const MAX_PREPARED_STATEMENTS = 200
/** PostgreSQL's class of data exceptions. SQLite returns infinity or null instead. */
const DATA_EXCEPTION = /^22/

/**
 * A generic plan hides the project from Citus, which then cannot route the statement. `pg_dist_partition` is a table of the
 * extension. The check is part of the statement: the tables may be distributed while the server runs.
 */
const PLAN_ONCE = `select set_config('plan_cache_mode',
  case when to_regclass('pg_dist_partition') is null then 'force_generic_plan' else 'auto' end, false)`
const PLAN_BY_VALUES = 'set plan_cache_mode = auto'

/** Checks each row as it arrives: a result above the limit must not fill the memory. */
function readRows<Item>(
  client: pg.PoolClient,
  { text, values }: Statement,
  convert: (row: unknown[]) => Item,
  name?: string,
): Promise<Item[]> {
  return new Promise((resolve, reject) => {
    const items: Item[] = []
    const checkLimit = resultLimit()
    let isFailed = false
    const config: pg.QueryArrayConfig = { text, values, rowMode: 'array', ...(name && { name }) }
    const query = client.query(new pg.Query(config))
    query.on('row', (row: unknown[]) => {
      if (isFailed) return
      try {
        checkLimit(row)
        items.push(convert(row))
      } catch (error) {
        isFailed = true
        items.length = 0
        reject(error)
      }
    })
    query.on('end', () => resolve(items))
    query.on('error', reject)
  })
}

interface Session {
  /** The statements that may be prepared on this connection. */
  names: StatementNames
  timeout_seconds?: number
  plans_once: boolean
}

/** The names of prepared statements by their text. */
type StatementNames = Map<string, string>

const ignore = (): void => undefined

/** Changes the settings of a connection. They are sent together with the statement. */
function configure(client: pg.PoolClient, session: Session, { one_plan }: Statement, timeout_ms: number): void {
  const timeout_seconds = Math.ceil(timeout_ms / 1000)
  if (session.timeout_seconds !== timeout_seconds)
    client.query(`set statement_timeout = '${timeout_seconds}s'`).catch(ignore)
  session.timeout_seconds = timeout_seconds
  const plans_once = one_plan === true
  if (session.plans_once !== plans_once) client.query(plans_once ? PLAN_ONCE : PLAN_BY_VALUES).catch(ignore)
  session.plans_once = plans_once
}

export function createPostgresReaders(url: string): ReaderBackend {
  const options: pg.PoolConfig & { pipeline: true } = {
    connectionString: url,
    options: '-c default_transaction_read_only=on',
    pipeline: true,
    max: SLOTS.fast + SLOTS.slow + SPARE_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  }
  const pool = openPool(options)
  const cancellations = new Set<Promise<unknown>>()

  /** If this fails, the statement still ends at its timeout. */
  function cancel(backend_pid: number): void {
    const cancellation = pool
      // Citus cannot infer the type.
      .query('select pg_cancel_backend($1::int)', [backend_pid])
      .catch(ignore)
      .finally(() => cancellations.delete(cancellation))
    cancellations.add(cancellation)
  }

  let names: StatementNames = new Map()
  let name_count = 0
  const sessions = new WeakMap<pg.PoolClient, Session>()

  /** Planning a statement takes longer than reading a page. In the slow lane, the plan depends on the values. */
  function nameOf(text: string): string {
    const known = names.get(text)
    if (known) return known
    if (names.size === MAX_PREPARED_STATEMENTS) names = new Map()
    const name = `reader${name_count++}`
    names.set(text, name)
    return name
  }

  async function runOn<Item>(
    client: pg.PoolClient,
    lane: LaneName,
    statement: Statement,
    convert: (row: unknown[]) => Item,
    timeout_ms: number,
    signal: AbortSignal,
  ): Promise<Item[]> {
    const onAbort = (): void => {
      if ('processID' in client) cancel(Number(client.processID))
    }
    signal.addEventListener('abort', onAbort)
    const session: Session = sessions.get(client) ?? { names, plans_once: false }
    sessions.set(client, session)
    let reusable = false
    try {
      configure(client, session, statement, timeout_ms)
      const name = lane === 'fast' ? nameOf(statement.text) : undefined
      const items = await readRows(client, statement, convert, name)
      reusable = true
      return items
    } catch (error) {
      // A connection that still receives the rest of a result above the limit is closed.
      reusable = error instanceof pg.DatabaseError
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
      // A late cancellation must not hit the next statement on this connection.
      client.release(!reusable || signal.aborted || session.names !== names)
    }
  }

  return {
    slots: SLOTS,
    run: async (lane, statement, convert, timeout_ms, signal) => {
      try {
        return await runOn(await pool.connect(), lane, statement, convert, timeout_ms, signal)
      } catch (error) {
        if (isTooLarge(error)) throw error
        if (DATA_EXCEPTION.test(errorCode(error)))
          throw invalid(null, 'The query computes a value that is out of range. Use smaller numbers or intervals.')
        throw describeConnectionError(error, url)
      }
    },
    stop: async () => {
      await Promise.all(cancellations)
      await pool.end()
    },
  }
}
