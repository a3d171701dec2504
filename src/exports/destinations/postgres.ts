/** Delivers to a table in PostgreSQL, each run in one transaction. */
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { components } from '../../contract/openapi.ts'
import { errorCode, invalid } from '../../errors.ts'
import { type Column, EVENT_COLUMNS as c } from '../../events/extract.ts'
import {
  DeliveryError,
  type Destination,
  type Merge,
  permanentError,
  type Receiver,
  retryableError,
  type Tools,
} from '../destination.ts'

type Config = components['schemas']['PostgresConfig']

const COLUMNS: readonly Column[] = [
  c.uuid,
  c.event,
  c.properties,
  c.elements,
  c.set,
  c.set_once,
  c.distinct_id,
  c.team_id,
  c.ip,
  c.site_url,
  c.timestamp,
]
/** Column types of a table that the export creates. Other columns are VARCHAR(200). */
const EVENT_TYPES: Record<string, string> = {
  properties: 'jsonb',
  elements: 'jsonb',
  set: 'jsonb',
  set_once: 'jsonb',
  team_id: 'integer',
  timestamp: 'timestamptz',
}
const QUERY_TYPES: Record<Column['type']['kind'], string> = {
  string: 'text',
  uuid: 'text',
  null: 'text',
  interval: 'text',
  integer: 'bigint',
  float: 'double precision',
  boolean: 'boolean',
  datetime: 'timestamptz',
  date: 'date',
  json: 'jsonb',
  array: 'jsonb',
  tuple: 'jsonb',
}

/** Identifies an event. */
const EVENT_KEY = ['team_id', 'uuid']

const DEFAULT_PORT = 5432
const LEDGER = 'workspace_admin_ledger'
const STAGING = 'workspace_admin_staging'
/** PostgreSQL truncates longer names. */
const MAX_NAME_BYTES = 63
const KEEPALIVE_DELAY_MS = 30_000
/** A page may have 200 events of one megabyte each. Slower connections time out. */
const MIN_BYTES_PER_MS = 50
/** Attempts to find or create a table while other sessions create and drop it. */
const CREATE_ATTEMPTS = 3

export interface PostgresLimits {
  connect_ms: number
  /** Timeout of a page or a short statement. */
  statement_ms: number
  /** Timeout of the copy from the staging table into the target, which may be a week of events with all indexes. */
  insert_ms: number
}
const LIMITS: PostgresLimits = { connect_ms: 15_000, statement_ms: 120_000, insert_ms: 3_600_000 }

export const createPostgres = (limits: PostgresLimits): Destination<Config> => ({
  columns: COLUMNS,
  supportsQuery: true,
  encoding: () => 'csv',
  steps: ['Connect', 'Use the schema', 'Write to the table'],

  validate: (config) => {
    // A NUL would end the value in the protocol, and the server would read the rest as another setting.
    for (const key of ['user', 'password', 'host', 'database', 'schema', 'table_name'] as const)
      if (/\p{Cc}/u.test(config[key] ?? ''))
        throw invalid(`destination__config__${key}`, `"${key}" must not contain control characters.`)
    for (const key of ['schema', 'table_name'] as const)
      if (Buffer.byteLength(config[key] ?? '') > MAX_NAME_BYTES)
        throw invalid(`destination__config__${key}`, `"${key}" must have at most ${MAX_NAME_BYTES} bytes.`)
    if (config.table_name === LEDGER)
      throw invalid(
        'destination__config__table_name',
        `"${LEDGER}" is reserved for the delivery ledger. Use another table.`,
      )
  },

  hosts: ({ host, port = DEFAULT_PORT }) => [{ host, port }],

  open: async ({ config, model, columns, merge, tools, batch_export_id, range_key }) => {
    const session = await connect(config, tools, limits)
    try {
      return await openReceiver(session, {
        target: targetOf({ table_name: model, ...config }, columns, merge),
        range: [batch_export_id, range_key],
        tools,
        limits,
      })
    } catch (error) {
      session.destroy()
      throw error
    }
  },

  test: async function* (config, tools) {
    const session = await connect(config, tools, limits)
    try {
      yield session.encrypted
        ? 'Connected over TLS. The server accepted the user and the password.'
        : 'Connected without TLS: the server does not support it, and OUTBOUND_ALLOW allows its address.'
      const { schema, quoted } = targetOf(config, COLUMNS)
      const { usage } = await session.queryOne<{ usage: boolean }>(
        "select has_schema_privilege($1, 'usage') as usage",
        [schema],
      )
      if (!usage) throw NO_PERMISSION
      yield 'The schema exists, and the user may use it.'
      await session.query('begin')
      const { insert } = await session.queryOne<{ insert: boolean | null }>(
        "select has_table_privilege(to_regclass($1), 'insert') as insert",
        [quoted],
      )
      if (insert === false) throw NO_PERMISSION
      if (insert === null) await session.query(`create table ${quoted} (one integer)`)
      await session.query(`create temporary table ${STAGING} (one text) on commit drop`)
      await session.query(`insert into ${STAGING} values ('1')`)
      await session.query('rollback')
      yield insert
        ? 'The table exists, and the user may insert into it.'
        : 'The user may create the table. The test rolled it back.'
    } finally {
      session.destroy()
    }
  },
})

export const postgres = createPostgres(LIMITS)

interface Target {
  schema: string
  /** The quoted name. */
  quoted: string
  /** Column names, in the order of the pages. */
  names: string[]
  types: string[]
  /** The unique key of a table that the export creates. Null for rows of a query. */
  key: readonly string[] | null
  /** For rows that replace earlier ones. */
  merge: Merge | null
}

function targetOf(
  { schema = 'public', table_name = 'events' }: Config,
  columns: readonly Column[],
  merge: Merge | null = null,
): Target {
  const isEvents = columns === COLUMNS
  const names = columns.map(({ name }) => truncateName(name))
  const duplicate = names.find((name, i) => names.indexOf(name) !== i)
  if (duplicate !== undefined)
    throw permanentError(`Two columns of the query are truncated to "${duplicate}". Give them shorter names with AS.`)
  return {
    schema,
    quoted: `${quote(schema)}.${quote(table_name)}`,
    names,
    types: columns.map(({ name, type }) => (isEvents ? (EVENT_TYPES[name] ?? 'varchar(200)') : QUERY_TYPES[type.kind])),
    key: isEvents ? EVENT_KEY : (merge?.key ?? null),
    merge,
  }
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Truncates a name as PostgreSQL does, at a character boundary. */
function truncateName(name: string): string {
  const bytes = Buffer.from(name)
  if (bytes.length <= MAX_NAME_BYTES) return name
  let end = MAX_NAME_BYTES
  while ((bytes.readUInt8(end) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

interface ReceiverOptions {
  target: Target
  range: [batch_export_id: string, range_key: string]
  tools: Tools
  limits: PostgresLimits
}

/**
 * Pages go into a temporary table, then into the target in one statement: a killed run leaves no rows. The unique key of
 * events prevents duplicates, and a retry restores deleted rows. Without that key (rows of a query, or a table created by
 * others) the same transaction records the range in a ledger, and a recorded range is not delivered again.
 */
async function openReceiver(session: Session, { target, range, tools, limits }: ReceiverOptions): Promise<Receiver> {
  const oid = await findOrCreateTable(session, target.quoted, () => createTableStatement(target))
  const types = await columnTypes(session, oid, target.names)
  const ledger = (await hasUniqueKey(session, oid, target)) ? null : `${quote(target.schema)}.${quote(LEDGER)}`
  const key = [...range, oid]
  if (ledger) {
    await findOrCreateTable(session, ledger, () => createLedgerStatement(ledger))
    const recorded = await session.query(
      `select from ${ledger} where batch_export_id = $1 and range_key = $2 and table_oid = $3`,
      key,
    )
    if (recorded.length) return discardReceiver(session, tools)
  }
  const columns = target.names.map(quote)
  const staging = `pg_temp.${STAGING}`
  await session.query('begin')
  // `set local`, so that a connection pooler passes none of it to other clients.
  await session.query(`set local statement_timeout = ${limits.insert_ms}`)
  await session.query(`set local idle_in_transaction_session_timeout = ${limits.insert_ms}`)
  await session.query(
    `create temporary table ${STAGING} (${columns.map((name) => `${name} text`).join(', ')}) on commit drop`,
  )
  let [records, bytes] = [0, 0]

  return {
    write: async (page) => {
      await session.copy(
        `copy ${staging} (${columns.join(', ')}) from stdin with (format csv, null '', encoding 'UTF8')`,
        page.text,
      )
      records += page.records
      bytes += page.text.length
    },
    bytes: () => bytes,
    commit: async () => {
      if (ledger) {
        // Waits for a concurrent delivery of the same range and then checks the ledger.
        const recorded = await session.query(
          `insert into ${ledger} (batch_export_id, range_key, table_oid, records) values ($1, $2, $3, $4)
           on conflict do nothing returning records`,
          [...key, records],
          limits.insert_ms,
        )
        if (recorded.length === 0) {
          await session.query('rollback')
          return discardReceiver(session, tools).commit()
        }
      }
      // The cast truncates text that is longer than its column instead of failing the run, and converts to the types of
      // a table created by others.
      const values = columns.map((name, i) => `${name}::${types[i]} as ${name}`)
      const rows = `select ${values.join(', ')} from ${staging}`
      const { count } = await session.queryOne<{ count: string }>(
        `with inserted as (
           insert into ${target.quoted} as existing (${columns.join(', ')})
           ${target.merge ? mergeRows(rows, columns, target.merge) : `${rows} on conflict do nothing`} returning 1)
         select count(*) as count from inserted`,
        [],
        limits.insert_ms,
      )
      await session.query('commit', [], limits.insert_ms)
      const existing = records - Number(count)
      if (existing)
        tools.log(
          'INFO',
          `${existing} of ${records} rows were already in the table${target.merge ? ' or outdated' : ''}.`,
        )
      session.end()
      return bytes
    },
    abort: async () => session.destroy(),
  }
}

/** Discards the events of a range that was delivered before. */
function discardReceiver(session: Session, tools: Tools): Receiver {
  return {
    write: async () => undefined,
    bytes: () => 0,
    commit: async () => {
      tools.log('INFO', 'The ledger shows that this range was already delivered. No rows were inserted.')
      session.end()
      return 0
    },
    abort: async () => session.destroy(),
  }
}

/** A row replaces an existing one with a lower version. One statement cannot change a row twice. */
function mergeRows(rows: string, columns: readonly string[], merge: Merge): string {
  const [key, version] = [merge.key.map(quote).join(', '), quote(merge.version)]
  const assignments = columns.map((name) => `${name} = excluded.${name}`)
  return `select distinct on (${key}) * from (${rows}) incoming order by ${key}, ${version} desc
    on conflict (${key}) do update set ${assignments.join(', ')}
    where existing.${version} is null or excluded.${version} > existing.${version}`
}

function createTableStatement({ quoted, names, types, key }: Target): string {
  const columns = names.map((name, i) => `${quote(name)} ${types[i]}`)
  return `create table if not exists ${quoted} (${[...columns, ...(key ? [`unique (${key.map(quote).join(', ')})`] : [])].join(', ')})`
}

/** Tables are identified by oid: a recreated table is empty. */
const createLedgerStatement = (quoted: string): string => `create table if not exists ${quoted} (
    batch_export_id text, range_key text, table_oid oid, records bigint not null,
    delivered_at timestamptz not null default now(), primary key (batch_export_id, range_key, table_oid))`

/**
 * Returns the oid of the table and creates it if it is missing. The lookup comes first: a role that may insert may lack the
 * permission to create, which CREATE checks even for an existing table. "if not exists" fails when another session creates
 * the table concurrently, so the lookup is repeated.
 */
async function findOrCreateTable(session: Session, quoted: string, createStatement: () => string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const { oid } = await session.queryOne<{ oid: number | null }>('select to_regclass($1)::oid as oid', [quoted])
    if (oid !== null) return oid
    await session.query(createStatement()).catch((error) => {
      if (attempt === CREATE_ATTEMPTS || !CREATED_CONCURRENTLY.has(errorCode(error))) throw error
    })
  }
}

/** Duplicate table, row type or catalog entry, depending on the progress of the other session. */
const CREATED_CONCURRENTLY = new Set(['42P07', '42710', '23505'])

/** The column types of the table. */
async function columnTypes(session: Session, oid: number, names: string[]): Promise<string[]> {
  const found = await session.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type
     from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped`,
    [oid],
  )
  const types = new Map(found.map(({ name, type }) => [name, type]))
  const missing = names.filter((name) => !types.has(name))
  if (missing.length)
    throw permanentError(
      `The table has no column ${missing.map((name) => `"${name}"`).join(', ')}. Add the missing columns, or use another table.`,
    )
  return names.map((name) => types.get(name) ?? 'text')
}

/** Whether the table has a unique key over columns of the target's key. A merge needs one over all of them. */
async function hasUniqueKey(session: Session, oid: number, { key, merge }: Target): Promise<boolean> {
  if (!key) return false
  const keys = await session.query<{ columns: string[] }>(
    `select array(select attname::text from pg_attribute
       where attrelid = indrelid and attnum = any((indkey::int2[])[0:indnkeyatts - 1])) as columns
     from pg_index
     where indrelid = $1 and indisunique and indisvalid and indimmediate and indpred is null and indexprs is null`,
    [oid],
  )
  const isKnown = keys.some(
    ({ columns }) =>
      columns.every((name) => key.includes(name)) && (merge ? columns.length === key.length : columns.includes('uuid')),
  )
  if (merge && !isKnown)
    throw permanentError(
      `The table has no unique key over ${key.map((name) => `"${name}"`).join(', ')}, which is needed to update its rows. Add one, or use another table.`,
    )
  return isKnown
}

interface Session {
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
async function connect(config: Config, tools: Tools, limits: PostgresLimits): Promise<Session> {
  try {
    return await dial(config, tools, limits, true)
  } catch (error) {
    if (!(error instanceof TlsNotSupported)) throw error
  }
  try {
    return await dial(config, tools, limits, false)
  } catch (error) {
    if (errorCode(error) !== 'outbound_refused') throw error
    throw permanentError(
      'The server does not support TLS. Enable TLS, or ask the operator to allow its address with OUTBOUND_ALLOW.',
    )
  }
}

class TlsNotSupported extends Error {}

async function dial(config: Config, tools: Tools, limits: PostgresLimits, encrypted: boolean): Promise<Session> {
  const { outbound, signal } = tools
  signal.throwIfAborted()
  const socket = outbound.socket({ allowed_only: !encrypted })
  const client = new pg.Client({
    host: config.host,
    port: config.port ?? DEFAULT_PORT,
    user: config.user,
    password: config.password,
    database: config.database,
    ssl: encrypted && { rejectUnauthorized: !config.has_self_signed_cert },
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

/** Omits the message of the database, which may contain rows. */
class DatabaseError extends DeliveryError {
  constructor(
    { message, options }: DeliveryError,
    readonly code: string,
  ) {
    super(message, options)
  }
}

const NO_PERMISSION = permanentError(
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
  [/^3D000$/, permanentError('The database does not exist. Correct "database".')],
  [/^3F000$/, permanentError('The schema does not exist. Create it, or use another one.')],
  [/^42501$/, NO_PERMISSION],
  [/^42P01$/, permanentError('The table was dropped during the delivery. Retry the run to create it again.')],
  [/^42(703|804|846|P07)$|^22/, WRONG_COLUMN_TYPE],
  [/^(42809|55000)$/, permanentError('"table_name" is not a table that accepts rows. Use another name.')],
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
  [
    /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/,
    permanentError('The certificate is not signed by a trusted authority. Replace it, or set "has_self_signed_cert".'),
  ],
  [
    /^(CERT_|ERR_TLS_|ERR_SSL_)/,
    permanentError('The certificate has expired or is for another host. Renew it, or correct "host".'),
  ],
]

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
  const known = ERRORS.find(([codes]) => codes.test(code))?.[1]
  return known ? new DatabaseError(known, code) : error
}
