import pg from 'pg'
import { AppError, errorCode, invalid } from '../errors.ts'
import { describeConnectionError } from '../sql/postgres.ts'
import { isTooLarge, type ReaderBackend, resultLimit, type Statement } from './reader-messages.ts'

/** A separate pool: readers never take a connection from administration. */
const SLOTS = { fast: 4, slow: 4 }
/** Connections that cancel statements. */
const SPARE_CONNECTIONS = 2
const CONNECT_TIMEOUT_MS = 5_000
/** PostgreSQL's class of data exceptions. SQLite returns infinity or null instead. */
const DATA_EXCEPTION = /^22/

/** Checks each row as it arrives: a result above the limit must not fill the memory. */
function readRows(client: pg.PoolClient, { text, values }: Statement): Promise<unknown[][]> {
  return new Promise((resolve, reject) => {
    const rows: unknown[][] = []
    const checkLimit = resultLimit()
    const config: pg.QueryArrayConfig = { text, values, rowMode: 'array' }
    const query = client.query(new pg.Query(config))
    query.on('row', (row: unknown[]) => {
      try {
        checkLimit(row)
        rows.push(row)
      } catch (error) {
        rows.length = 0
        reject(error)
      }
    })
    query.on('end', () => resolve(rows))
    query.on('error', reject)
  })
}

export function createPostgresReaders(url: string): ReaderBackend {
  const options: pg.PoolConfig & { pipeline: true } = {
    connectionString: url,
    pipeline: true,
    max: SLOTS.fast + SLOTS.slow + SPARE_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  }
  const pool = new pg.Pool(options)
  const ignore = (): void => undefined
  // The pool replaces an idle connection that breaks. Without a listener, the error would end the process.
  pool.on('error', ignore)
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

  async function runOn(client: pg.PoolClient, statement: Statement, timeout_ms: number, signal: AbortSignal) {
    const onAbort = (): void => {
      if ('processID' in client) cancel(Number(client.processID))
    }
    // The pool only listens to idle connections. An unhandled error on this one would end the process.
    client.on('error', ignore)
    signal.addEventListener('abort', onAbort)
    let reusable = false
    try {
      // All three are sent together and run one after the other.
      const begun = client.query(`begin read only; set local statement_timeout = ${Math.ceil(timeout_ms)}`)
      const rows = readRows(client, statement)
      const ended = client.query('rollback')
      const [, result] = await Promise.all([begun, rows, ended]).catch(async (error) => {
        // A connection that still receives the rest of a result above the limit is closed.
        if (!(error instanceof AppError)) reusable = await ended.then(() => true).catch(() => false)
        throw error
      })
      reusable = true
      return result
    } finally {
      signal.removeEventListener('abort', onAbort)
      // A late cancellation must not hit the next statement on this connection.
      client.release(!reusable || signal.aborted)
      client.off('error', ignore)
    }
  }

  return {
    slots: SLOTS,
    run: async (_lane, statement, timeout_ms, signal) => {
      try {
        return await runOn(await pool.connect(), statement, timeout_ms, signal)
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
