/** Delivers to a table in PostgreSQL, each run in one transaction. */
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { components } from '../../contract/openapi.ts'
import { invalid } from '../../errors.ts'
import { type Column, EVENT_COLUMNS as c } from '../../events/extract.ts'
import { DeliveryError, type Destination, type Receiver, refused, type Tools, unreachable } from '../destination.ts'

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
/** Column types of a table that we create. Other text columns are VARCHAR(200). */
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

const DEFAULT_PORT = 5432
const LEDGER = 'workspace_admin_ledger'
const STAGING = 'workspace_admin_staging'
/** PostgreSQL truncates longer names. */
const MAX_NAME_BYTES = 63
const KEEPALIVE_DELAY_MS = 30_000
/** A page may hold 200 events of one megabyte, and the connection may be slow. */
const SLOWEST_BYTES_PER_MS = 50
/** Attempts to find or create a table while other sessions create and drop it. */
const MAKING_TRIES = 3

export interface Limits {
  connect_ms: number
  /** Timeout of a page or a short statement. */
  answer_ms: number
  /** Timeout of the copy from the staging table into the target, which may be a week of events with all indexes. */
  insert_ms: number
}
const LIMITS: Limits = { connect_ms: 15_000, answer_ms: 120_000, insert_ms: 3_600_000 }

export const postgresWithin = (limits: Limits): Destination<Config> => ({
  columns: COLUMNS,
  takesQuery: true,
  encoding: 'csv',
  steps: STEPS,

  check: (config) => {
    // A NUL would end the value in the protocol, and the rest would be read as another setting.
    for (const key of ['user', 'password', 'host', 'database', 'schema', 'table_name'] as const)
      if (/\p{Cc}/u.test(config[key] ?? ''))
        throw invalid(`destination__config__${key}`, `There is a control character in "${key}". Remove it.`)
    for (const key of ['schema', 'table_name'] as const)
      if (Buffer.byteLength(config[key] ?? '') > MAX_NAME_BYTES)
        throw invalid(`destination__config__${key}`, `PostgreSQL's names have at most ${MAX_NAME_BYTES} bytes.`)
    if (config.table_name === LEDGER)
      throw invalid('destination__config__table_name', `"${LEDGER}" is where deliveries are noted. Name another table.`)
  },

  hosts: ({ host, port = DEFAULT_PORT }) => [{ host, port }],

  open: async ({ config, columns, tools, batch_export_id, range_key }) => {
    const session = await connect(config, tools, limits)
    try {
      return await receive(session, {
        target: targetOf(config, columns),
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
      yield {
        name: STEPS[0],
        detail: session.encrypted
          ? 'The server was reached over TLS, and takes the user and the password.'
          : 'The server has no TLS. The operator has opened its address, so it was reached without.',
      }
      const { schema, quoted } = targetOf(config, COLUMNS)
      const [allowed] = await session.ask<{ usage: boolean }>("select has_schema_privilege($1, 'usage') as usage", [
        schema,
      ])
      if (!allowed!.usage) throw NO_RIGHTS
      yield { name: STEPS[1], detail: 'The schema is there, and the user may use it.' }
      await session.ask('begin')
      const [found] = await session.ask<{ insert: boolean | null }>(
        "select has_table_privilege(to_regclass($1), 'insert') as insert",
        [quoted],
      )
      if (found!.insert === false) throw NO_RIGHTS
      if (found!.insert === null) await session.ask(`create table ${quoted} (one integer)`)
      await session.ask(`create temporary table ${STAGING} (one text) on commit drop`)
      await session.ask(`insert into ${STAGING} values ('1')`)
      await session.ask('rollback')
      yield {
        name: STEPS[2],
        detail: found!.insert
          ? 'The table is there, and the user may insert into it.'
          : 'The user may make the table. It was rolled back.',
      }
    } finally {
      session.destroy()
    }
  },
})

const STEPS = ['Connect', 'Use the schema', 'Write to the table'] as const

export const postgres = postgresWithin(LIMITS)

interface Target {
  schema: string
  /** The quoted name. */
  quoted: string
  /** Column names, in the order of the pages. */
  names: string[]
  types: string[]
  /** Whether rows are whole events with a unique (team_id, uuid). */
  isEvents: boolean
}

function targetOf({ schema = 'public', table_name = 'events' }: Config, columns: readonly Column[]): Target {
  const isEvents = columns === COLUMNS
  const names = columns.map(({ name }) => clipped(name))
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined)
    throw refused(`Two columns of the query begin with "${twice}", and PostgreSQL knows no more of a name. Use AS.`)
  return {
    schema,
    quoted: `${quote(schema)}.${quote(table_name)}`,
    names,
    types: columns.map(({ name, type }) => (isEvents ? (EVENT_TYPES[name] ?? 'varchar(200)') : QUERY_TYPES[type.kind])),
    isEvents,
  }
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Truncates a name as PostgreSQL does, at a character boundary. */
function clipped(name: string): string {
  const bytes = Buffer.from(name)
  if (bytes.length <= MAX_NAME_BYTES) return name
  let end = MAX_NAME_BYTES
  while ((bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

interface Work {
  target: Target
  range: [batch_export_id: string, range_key: string]
  tools: Tools
  limits: Limits
}

/**
 * Pages go into a temporary table, then into the target in one statement, so a killed run leaves
 * nothing. The unique key of events prevents duplicates; existing rows are kept, so
 * a retry restores deleted rows. Without that key (rows of a query, a table created by others) the
 * same transaction records the range in a ledger, and a recorded range is not delivered again.
 */
async function receive(session: Session, { target, range, tools, limits }: Work): Promise<Receiver> {
  const oid = await ensure(session, target.quoted, () => tableText(target))
  const types = await typesOf(session, oid, target.names)
  const ledger = (await isProtected(session, oid, target)) ? null : `${quote(target.schema)}.${quote(LEDGER)}`
  const key = [...range, oid]
  if (ledger) {
    await ensure(session, ledger, () => ledgerText(ledger))
    const known = await session.ask(
      `select from ${ledger} where batch_export_id = $1 and range_key = $2 and table_oid = $3`,
      key,
    )
    if (known.length) return delivered(session, tools)
  }
  const columns = target.names.map(quote)
  const staging = `pg_temp.${STAGING}`
  await session.ask('begin')
  // `set local`, so that a connection pooler passes none of it to other clients.
  await session.ask(`set local statement_timeout = ${limits.insert_ms}`)
  await session.ask(`set local idle_in_transaction_session_timeout = ${limits.insert_ms}`)
  await session.ask(
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
    commit: async () => {
      if (ledger) {
        // Waits for a concurrent delivery of the same range and then checks the ledger.
        const noted = await session.ask(
          `insert into ${ledger} (batch_export_id, range_key, table_oid, records) values ($1, $2, $3, $4)
           on conflict do nothing returning records`,
          [...key, records],
          limits.insert_ms,
        )
        if (noted.length === 0) {
          await session.ask('rollback')
          return delivered(session, tools).commit()
        }
      }
      // The cast truncates text that is longer than its column instead of failing the run, and converts to the types of
      // a table created by others.
      const values = columns.map((name, i) => `${name}::${types[i]}`)
      const inserted = await session.ask<{ count: string }>(
        `with inserted as (
           insert into ${target.quoted} (${columns.join(', ')}) select ${values.join(', ')} from ${staging}
           on conflict do nothing returning 1)
         select count(*) as count from inserted`,
        [],
        limits.insert_ms,
      )
      await session.ask('commit', [], limits.insert_ms)
      const there = records - Number(inserted[0]!.count)
      if (there) tools.log('INFO', `${there} of ${records} rows were in the table already.`)
      session.end()
      return bytes
    },
    abort: async () => session.destroy(),
  }
}

/** Discards the events of a range that was delivered before. */
function delivered(session: Session, tools: Tools): Receiver {
  return {
    write: async () => undefined,
    commit: async () => {
      tools.log('INFO', 'The ledger says that this range was delivered before. Nothing was inserted.')
      session.end()
      return 0
    },
    abort: async () => session.destroy(),
  }
}

function tableText({ quoted, names, types, isEvents }: Target): string {
  const columns = names.map((name, i) => `${quote(name)} ${types[i]}`)
  return `create table if not exists ${quoted} (${[...columns, ...(isEvents ? ['unique (team_id, uuid)'] : [])].join(', ')})`
}

/** Tables are identified by oid: a recreated table is empty. */
const ledgerText = (quoted: string): string => `create table if not exists ${quoted} (
    batch_export_id text, range_key text, table_oid oid, records bigint not null,
    delivered_at timestamptz not null default now(), primary key (batch_export_id, range_key, table_oid))`

/**
 * Returns the oid of the table and creates it if it is missing. The lookup comes first: a role that may insert may not be
 * allowed to create, and CREATE checks that even for an existing table. After concurrent creation both sessions look again, because
 * "if not exists" fails in the second one.
 */
async function ensure(session: Session, quoted: string, text: () => string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const [found] = await session.ask<{ oid: number | null }>('select to_regclass($1)::oid as oid', [quoted])
    if (found!.oid !== null) return found!.oid
    await session.ask(text()).catch((error) => {
      if (attempt === MAKING_TRIES || !MADE_BY_ANOTHER.has(codeOf(error))) throw error
    })
  }
}

/** Duplicate table, row type or catalog entry, depending on the progress of the other session. */
const MADE_BY_ANOTHER = new Set(['42P07', '42710', '23505'])

/** The column types of the table. */
async function typesOf(session: Session, oid: number, names: string[]): Promise<string[]> {
  const found = await session.ask<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type
     from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped`,
    [oid],
  )
  const types = new Map(found.map(({ name, type }) => [name, type]))
  const missing = names.filter((name) => !types.has(name))
  if (missing.length)
    throw refused(
      `The table has no column ${missing.map((name) => `"${name}"`).join(', ')}. Add what is missing, or name another table.`,
    )
  return names.map((name) => types.get(name)!)
}

async function isProtected(session: Session, oid: number, { isEvents }: Target): Promise<boolean> {
  if (!isEvents) return false
  const keys = await session.ask<{ columns: string[] }>(
    `select array(select attname::text from pg_attribute
       where attrelid = indrelid and attnum = any((indkey::int2[])[0:indnkeyatts - 1])) as columns
     from pg_index
     where indrelid = $1 and indisunique and indisvalid and indimmediate and indpred is null and indexprs is null`,
    [oid],
  )
  return keys.some(
    ({ columns }) => columns.every((name) => ['team_id', 'uuid'].includes(name)) && columns.includes('uuid'),
  )
}

interface Session {
  encrypted: boolean
  ask<Row = unknown>(text: string, values?: unknown[], limit_ms?: number): Promise<Row[]>
  copy(text: string, data: Buffer): Promise<void>
  /** Closes the connection. */
  end(): void
  /** Destroys the connection, which rolls back. */
  destroy(): void
}

/** Connects with TLS. Without TLS only if the server has none and the operator allows its address. */
async function connect(config: Config, tools: Tools, limits: Limits): Promise<Session> {
  try {
    return await dial(config, tools, limits, true)
  } catch (error) {
    if (!(error instanceof WithoutTls)) throw error
  }
  try {
    return await dial(config, tools, limits, false)
  } catch (error) {
    if (codeOf(error) !== 'outbound_refused') throw error
    throw refused(
      'The server does not speak TLS. Turn TLS on there, or ask the operator to open its address with OUTBOUND_ALLOW.',
    )
  }
}

class WithoutTls extends Error {}

async function dial(config: Config, tools: Tools, limits: Limits, encrypted: boolean): Promise<Session> {
  const { outbound, signal } = tools
  signal.throwIfAborted()
  const socket = outbound.socket({ opened_only: !encrypted })
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
  // A connection that breaks fails the statement that runs on it; without a listener it would end the process.
  client.on('error', () => undefined)
  const hangUp = (): void => void socket.destroy()
  signal.addEventListener('abort', hangUp, { once: true })

  /** Runs a statement with a timeout and describes its failure. */
  const told = async <Result>(limit_ms: number, work: () => Promise<Result>): Promise<Result> => {
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
      limit_ms,
    )
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      throw translated(error)
    } finally {
      clearTimeout(timer)
    }
  }
  const destroy = (): void => {
    signal.removeEventListener('abort', hangUp)
    socket.destroy()
  }

  try {
    await told(limits.connect_ms, () => client.connect())
  } catch (error) {
    destroy()
    throw error
  }
  return {
    encrypted,
    ask: (text, values = [], limit_ms = limits.answer_ms) =>
      told(limit_ms, async () => (await client.query(text, values)).rows),
    copy: (text, data) =>
      told(
        limits.answer_ms + data.length / SLOWEST_BYTES_PER_MS,
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
      signal.removeEventListener('abort', hangUp)
      socket.unref()
      void client.end().catch(() => undefined)
    },
    destroy,
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code)

/** Without the message of the database, which may contain rows. */
class Told extends DeliveryError {
  constructor(
    { message, options }: DeliveryError,
    readonly code: string,
  ) {
    super(message, options)
  }
}

const NO_RIGHTS = refused(
  'The user may not do this. Grant it USAGE on the schema, CREATE there or INSERT on the table, and TEMPORARY on the database.',
)
const LOST = unreachable('The connection to the database was lost, or not made in time.')
const MISFIT = refused(
  'A value does not fit its column. Give the column the type it has in a table that the export makes, or name another table.',
)

/** Messages by SQLSTATE or socket error code; the first match wins. Other errors are retried. */
const PROBLEMS: [codes: RegExp, problem: DeliveryError][] = [
  [
    /^28/,
    refused('The database does not take the user and the password from this server. Check both, and whom it lets in.'),
  ],
  [/^3D000$/, refused('There is no database of this name. Check "database".')],
  [/^3F000$/, refused('There is no schema of this name. Make it, or name another.')],
  [/^42501$/, NO_RIGHTS],
  [/^42P01$/, refused('The table was removed while events were delivered. Retry the run: it makes the table again.')],
  [/^42(703|804|846|P07)$|^22/, MISFIT],
  [/^(42809|55000)$/, refused('What has the name of the table takes no rows. Name a table.')],
  [/^(23|44)/, refused('A constraint of the table refuses the rows. Remove it, or name another table.')],
  [/^54/, refused('A row is larger than the table or its indexes take. Remove the index, or name another table.')],
  [/^25006$/, unreachable('The database only takes reads at present. Name the server that takes writes.')],
  [/^53100$/, unreachable('The disk of the database is full. Make room on it.')],
  [/^53/, unreachable('The database has no connections or memory left. Raise its limits, or wait.')],
  [/^(57|40|55P03)/, unreachable('The database ended the work: it restarts, or others held what it needed.')],
  [/^(08|ECONN|EPIPE$|ETIMEDOUT$|EHOST|ENET)/, LOST],
  [
    /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/,
    refused('No known authority signed the certificate. Set "has_self_signed_cert", or give the server one that is.'),
  ],
  [
    /^(CERT_|ERR_TLS_|ERR_SSL_)/,
    refused('The certificate is expired, or for another name. Renew it, or correct "host".'),
  ],
]

/** Never includes text of the peer. */
function translated(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message?: string }
  if (code === undefined) {
    // Errors of the driver have no code.
    if (message === 'The server does not support SSL connections') return new WithoutTls()
    return /timeout expired|Connection terminated|SSL connection|not queryable/.test(message ?? '') ? LOST : error
  }
  const problem = PROBLEMS.find(([codes]) => codes.test(String(code)))?.[1]
  return problem ? new Told(problem, String(code)) : error
}
