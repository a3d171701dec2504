/** A connection to PostgreSQL or Amazon Redshift, with timeouts and error messages. */
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { errorCode } from '../../errors.ts'
import { DeliveryError, permanentError, retryableError, type Tools } from '../destination.ts'
import { type ConnectionFailure, connectionFailure } from '../guarded-requests.ts'

const KEEPALIVE_DELAY_MS = 30_000
/** A page may have 200 events of one megabyte each. Slower connections time out. */
const MIN_BYTES_PER_MS = 50

export interface SessionLimits {
  connect_ms: number
  /** Timeout of a page or a short statement. */
  statement_ms: number
}

export interface Server {
  host: string
  port: number
  user: string
  password: string
  database: string
  has_self_signed_cert?: boolean | undefined
}

export interface Session {
  encrypted: boolean
  query<Row = unknown>(text: string, values?: unknown[], limit_ms?: number): Promise<Row[]>
  /** For statements that always return a row. */
  queryOne<Row>(text: string, values?: unknown[], limit_ms?: number): Promise<Row>
  copy(text: string, data: Buffer): Promise<void>
  /** Closes the connection. */
  end(): void
  /** Destroys the connection, which rolls back. */
  destroy(): void
}

/** Connects with TLS. Falls back to no TLS only if the server has none and the operator allows its address. */
export async function connect(server: Server, tools: Tools, limits: SessionLimits): Promise<Session> {
  try {
    return await dial(server, tools, limits, true)
  } catch (error) {
    if (!(error instanceof TlsNotSupported)) throw error
  }
  try {
    return await dial(server, tools, limits, false)
  } catch (error) {
    if (errorCode(error) !== 'outbound_refused') throw error
    throw permanentError(
      'The server does not support TLS. Enable TLS, or ask the operator to allow its address with OUTBOUND_ALLOW.',
    )
  }
}

class TlsNotSupported extends Error {}

async function dial(server: Server, tools: Tools, limits: SessionLimits, encrypted: boolean): Promise<Session> {
  const { outbound, signal } = tools
  signal.throwIfAborted()
  const socket = outbound.socket({ allowed_only: !encrypted })
  const client = new pg.Client({
    host: server.host,
    port: server.port,
    user: server.user,
    password: server.password,
    database: server.database,
    ssl: encrypted && { rejectUnauthorized: !server.has_self_signed_cert },
    stream: () => socket,
    connectionTimeoutMillis: limits.connect_ms,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY_MS,
    application_name: 'workspace-admin',
  })
  // A broken connection fails its statement. Without a listener the event would end the process.
  client.on('error', () => undefined)
  const disconnect = (): void => void socket.destroy()
  signal.addEventListener('abort', disconnect, { once: true })

  /** Runs a statement with a timeout and describes its failure. */
  const withTimeout = async <Result>(limit_ms: number, work: () => Promise<Result>): Promise<Result> => {
    const timer = setTimeout(() => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })), limit_ms)
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      throw describeError(error)
    } finally {
      clearTimeout(timer)
    }
  }
  const destroy = (): void => {
    signal.removeEventListener('abort', disconnect)
    socket.destroy()
  }

  try {
    await withTimeout(limits.connect_ms, () => client.connect())
  } catch (error) {
    destroy()
    throw error
  }
  const query = <Row>(text: string, values: unknown[] = [], limit_ms = limits.statement_ms): Promise<Row[]> =>
    withTimeout(limit_ms, async () => (await client.query(text, values)).rows)
  return {
    encrypted,
    query,
    queryOne: async <Row>(text: string, values?: unknown[], limit_ms?: number) => {
      const [row] = await query<Row>(text, values, limit_ms)
      if (row === undefined) throw new Error('the statement returned no row')
      return row
    },
    copy: (text, data) =>
      withTimeout(
        limits.statement_ms + data.length / MIN_BYTES_PER_MS,
        () =>
          new Promise((done, fail) => {
            client
              .query(copyFrom(text))
              .on('error', fail)
              .on('finish', () => done())
              .end(data)
          }),
      ),
    end: () => {
      signal.removeEventListener('abort', disconnect)
      socket.unref()
      void client.end().catch(() => undefined)
    },
    destroy,
  }
}

/** The column types of a table by name. */
export async function columnTypes(session: Session, table_id: number): Promise<Map<string, string>> {
  const found = await session.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type
     from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped`,
    [table_id],
  )
  return new Map(found.map(({ name, type }) => [name, type]))
}

/** Whether a statement failed because another session creates the table: as a table, row type or catalog entry. */
export const isCreatedConcurrently = (error: unknown): boolean => ['42P07', '42710', '23505'].includes(errorCode(error))

/** Omits the message of the database, which may contain rows. */
class DatabaseError extends DeliveryError {
  constructor(
    { message, options }: DeliveryError,
    readonly code: string,
  ) {
    super(message, options)
  }
}

export const NO_PERMISSION = permanentError(
  'The user lacks a permission. Grant it USAGE on the schema, CREATE on the schema or INSERT on the table, and TEMPORARY on the database.',
)
const CONNECTION_FAILED = retryableError('The connection to the database failed or timed out.')
const WRONG_COLUMN_TYPE = permanentError(
  'A value does not fit its column. Change the type of the column, or let the export create another table.',
)

/** Messages by SQLSTATE or socket error code; the first match wins. Other errors are retried. */
const ERRORS: [codes: RegExp, error: DeliveryError][] = [
  [
    /^28/,
    permanentError('The database rejected the user or the password. Check both, and the access rules of the database.'),
  ],
  [/^3D000$/, permanentError('The database does not exist. Correct "database".', 'database')],
  [/^3F000$/, permanentError('The schema does not exist. Create it, or use another one.', 'schema')],
  [/^42501$/, NO_PERMISSION],
  [/^42P01$/, permanentError('The table was dropped during the delivery. Retry the run to create it again.')],
  [/^42(703|804|846|P07)$|^22/, WRONG_COLUMN_TYPE],
  [/^(42809|55000)$/, permanentError('"table_name" is not a table that accepts rows. Use another name.', 'table_name')],
  [
    /^(23|44)/,
    permanentError('The rows violate a constraint of the table. Remove the constraint, or use another table.'),
  ],
  [
    /^54/,
    permanentError('A row is too large for the table or one of its indexes. Remove the index, or use another table.'),
  ],
  [/^25006$/, retryableError('The database is read-only. Use the primary server.')],
  [/^53100$/, retryableError('The disk of the database is full. Free some space.')],
  [/^53/, retryableError('The database has no free connections or memory. Raise its limits.')],
  [
    /^(57|40|55P03)/,
    retryableError('The database cancelled the transaction, because of a restart, a lock or a conflict.'),
  ],
  [/^(08|ECONN|EPIPE$|ETIMEDOUT$|EHOST|ENET)/, CONNECTION_FAILED],
]

/** The errors of a TLS connection. */
const TLS_ERRORS: Partial<Record<ConnectionFailure, DeliveryError>> = {
  untrusted_certificate: permanentError(
    'The certificate is not signed by a trusted authority. Replace it, or set "has_self_signed_cert".',
    'has_self_signed_cert',
  ),
  wrong_certificate: permanentError(
    'The certificate has expired or is for another host. Renew it, or correct "host".',
    'host',
  ),
  handshake: new DeliveryError('The TLS handshake with the server failed. Check "host".', {
    retryable: true,
    setting: 'host',
  }),
}

/** Never includes text of the peer. */
function describeError(error: unknown): unknown {
  const code = errorCode(error)
  if (code === '') {
    // Errors of the driver have no code.
    const message = error instanceof Error ? error.message : ''
    if (message === 'The server does not support SSL connections') return new TlsNotSupported()
    return /timeout expired|Connection terminated|SSL connection|not queryable/.test(message)
      ? CONNECTION_FAILED
      : error
  }
  const known = ERRORS.find(([codes]) => codes.test(code))?.[1] ?? TLS_ERRORS[connectionFailure(code)]
  return known ? new DatabaseError(known, code) : error
}
