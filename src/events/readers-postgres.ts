import pg from 'pg'
import { AppError, invalid } from '../errors.ts'
import { describeConnectionError } from '../sql/postgres.ts'
import { answerSize, isTooLarge, type LaneName, type Question, type Reader } from './reader-messages.ts'

/** Connections of their own, so that readers never take one from administration. */
export const PLACES: Record<LaneName, number> = { first: 4, slow: 4 }
/** For those that tell the database to end a query nobody waits for. */
const SPARE_CONNECTIONS = 2
const CONNECT_DEADLINE_MS = 5_000

/** Reads rows as they arrive, so that a result that is too large does not fill the memory. */
function rowsOf(client: pg.PoolClient, { text, values }: Question): Promise<unknown[][]> {
  return new Promise((resolve, reject) => {
    const rows: unknown[][] = []
    const add = answerSize()
    const config: pg.QueryArrayConfig = { text, values, rowMode: 'array' }
    const query = client.query(new pg.Query(config))
    query.on('row', (row: unknown[]) => {
      try {
        add(row)
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

export function openPostgresReaders(url: string) {
  const pool = new pg.Pool({
    connectionString: url,
    max: PLACES.first + PLACES.slow + SPARE_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_DEADLINE_MS,
  })
  const ignored = (): void => undefined
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', ignored)

  function open(): Reader {
    let backend: number | undefined
    let discarded = false
    return {
      run: async ({ text, values }, left_ms) => {
        try {
          const client = await pool.connect()
          backend = (client as unknown as { processID: number }).processID
          let broken = true
          // The pool listens to idle connections only: one that breaks between two statements would end the process.
          client.on('error', ignored)
          try {
            await client.query(`begin read only; set local statement_timeout = ${Math.ceil(left_ms)}`)
            let refused = false
            try {
              return await rowsOf(client, { text, values })
            } catch (error) {
              refused = error instanceof AppError
              throw error
            } finally {
              // A connection that still receives the rest of a refused result is closed instead.
              if (!refused) await client.query('rollback')
              broken = refused
            }
          } finally {
            backend = undefined
            // A cancellation on its way must not meet the next query on this connection.
            client.release(broken || discarded)
            client.off('error', ignored)
          }
        } catch (error) {
          if (isTooLarge(error)) throw error
          // What SQLite answers with infinity or null: a value out of range, far from anything that was stored.
          if (/^22/.test(String((error as { code?: string }).code)))
            throw invalid(
              null,
              'A value in this query cannot be computed: it is out of range. Ask for something smaller.',
            )
          throw describeConnectionError(error)
        }
      },
      discard: async () => {
        discarded = true
        // Where this fails, the statement still ends at its deadline.
        if (backend !== undefined) await pool.query('select pg_cancel_backend($1)', [backend]).catch(() => undefined)
      },
    }
  }

  return { open, close: () => pool.end() }
}
