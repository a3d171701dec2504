/** Delivers to a table in PostgreSQL, each run in one transaction. */
import { isDeepStrictEqual } from 'node:util'
import type { components } from '../../contract/openapi.ts'
import { invalid } from '../../errors.ts'
import type { Column } from '../../events/lines.ts'
import { type Destination, type Merge, permanentError, type Receiver, type Tools } from '../destination.ts'
import {
  discardReceiver,
  EVENT_KEY,
  LEDGER,
  quote,
  requireColumns,
  requireUnreservedName,
  TABLE_COLUMNS,
  truncate,
} from '../tables.ts'
import {
  columnTypes,
  connect,
  isCreatedConcurrently,
  NO_PERMISSION,
  type Server,
  type Session,
  type SessionLimits,
} from './postgres-session.ts'

type Config = components['schemas']['PostgresConfig']

/** Column types of a table that the export creates. Other columns are VARCHAR(200). */
const EVENT_TYPES: Record<string, string> = {
  properties: 'jsonb',
  elements: 'jsonb',
  set: 'jsonb',
  set_once: 'jsonb',
  team_id: 'integer',
  timestamp: 'timestamptz',
}
/** The same for columns of a query. Other columns are TEXT. */
const QUERY_TYPES: Partial<Record<Column['type']['kind'], string>> = {
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
const STAGING = 'workspace_admin_staging'
/** PostgreSQL truncates longer names. */
const MAX_NAME_BYTES = 63
/** Attempts to find or create a table while other sessions create and drop it. */
const CREATE_ATTEMPTS = 3

export interface PostgresLimits extends SessionLimits {
  /** Timeout of the copy from the staging table into the target, which may be a week of events with all indexes. */
  insert_ms: number
}
const LIMITS: PostgresLimits = { connect_ms: 15_000, statement_ms: 120_000, insert_ms: 3_600_000 }

export const createPostgres = (limits: PostgresLimits): Destination<Config> => ({
  columns: TABLE_COLUMNS,
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
    requireUnreservedName(config.table_name)
  },

  hosts: ({ host, port = DEFAULT_PORT }) => [{ host, port }],

  open: async ({ config, model, columns, merge, tools, batch_export_id, range_key }) => {
    const session = await connect(serverOf(config), tools, limits)
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
    const session = await connect(serverOf(config), tools, limits)
    try {
      yield session.encrypted
        ? 'Connected over TLS. The server accepted the user and the password.'
        : 'Connected without TLS: the server does not support it, and OUTBOUND_ALLOW allows its address.'
      const { schema, quoted } = targetOf(config, TABLE_COLUMNS, null)
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

const serverOf = ({ port = DEFAULT_PORT, ...config }: Config): Server => ({ ...config, port })

interface Target {
  schema: string
  /** The quoted name. */
  quoted: string
  /** Column names, in the order of the pages. */
  names: string[]
  types: string[]
  /** The columns of the unique key: of whole events, and of rows that replace earlier ones. */
  key: readonly string[] | null
  merge: Merge | null
}

function targetOf(
  { schema = 'public', table_name = 'events' }: Config,
  columns: readonly Column[],
  merge: Merge | null,
): Target {
  const isEvents = columns === TABLE_COLUMNS
  const names = columns.map(({ name }) => truncate(name, MAX_NAME_BYTES))
  const duplicate = names.find((name, i) => names.indexOf(name) !== i)
  if (duplicate !== undefined)
    throw permanentError(`Two columns of the query are truncated to "${duplicate}". Give them shorter names with AS.`)
  return {
    schema,
    quoted: `${quote(schema)}.${quote(table_name)}`,
    names,
    types: columns.map(({ name, type }) =>
      isEvents ? (EVENT_TYPES[name] ?? 'varchar(200)') : (QUERY_TYPES[type.kind] ?? 'text'),
    ),
    key: merge?.key ?? (isEvents ? EVENT_KEY : null),
    merge,
  }
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
  const types = await columnTypes(session, oid)
  const names = target.names.map((name) => ({ name }))
  requireColumns(names, (name) => types.has(name))
  const isUnique = await hasUniqueKey(session, oid, target)
  if (target.merge && !isUnique)
    throw permanentError(
      `The table needs a unique key on ${target.merge.key.map((name) => `"${name}"`).join(', ')}. Add it, or use another table.`,
    )
  const ledger = isUnique ? null : `${quote(target.schema)}.${quote(LEDGER)}`
  const key = [...range, oid]
  const discard = discardReceiver(tools, session.end, session.destroy)
  if (ledger) {
    await findOrCreateTable(session, ledger, () => createLedgerStatement(ledger))
    const recorded = await session.query(
      `select from ${ledger} where batch_export_id = $1 and range_key = $2 and table_oid = $3`,
      key,
    )
    if (recorded.length) return discard
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
          return discard.commit()
        }
      }
      // The cast truncates text that is longer than its column instead of failing the run, and converts to the types of
      // a table created by others.
      const values = target.names.map((name) => `${quote(name)}::${types.get(name)} as ${quote(name)}`)
      const { count } = await session.queryOne<{ count: string }>(
        `with inserted as (
           insert into ${target.quoted} as old (${columns.join(', ')})
           ${target.merge ? latestRows(target.merge, values, staging) : `select ${values.join(', ')} from ${staging}`}
           on conflict ${target.merge ? updateStatement(target.merge, columns) : 'do nothing'} returning 1)
         select count(*) as count from inserted`,
        [],
        limits.insert_ms,
      )
      await session.query('commit', [], limits.insert_ms)
      const existing = records - Number(count)
      const reason = target.merge ? 'already in the table or outdated' : 'already in the table'
      if (existing) tools.log('INFO', `${existing} of ${records} rows were ${reason}.`)
      session.end()
      return bytes
    },
    abort: async () => session.destroy(),
  }
}

/** One row per key: a statement cannot update a row twice. */
const latestRows = ({ key, version }: Merge, values: string[], staging: string): string =>
  `select distinct on (${key.map(quote).join(', ')}) * from (select ${values.join(', ')} from ${staging}) rows
   order by ${[...key.map(quote), `${quote(version)} desc`].join(', ')}`

const updateStatement = ({ key, version }: Merge, columns: string[]): string =>
  `(${key.map(quote).join(', ')}) do update set ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}
   where old.${quote(version)} < excluded.${quote(version)}`

function createTableStatement({ quoted, names, types, key }: Target): string {
  const columns = names.map((name, i) => `${quote(name)} ${types[i]}`)
  const unique = key ? [`unique (${key.map(quote).join(', ')})`] : []
  return `create table if not exists ${quoted} (${[...columns, ...unique].join(', ')})`
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
      if (attempt === CREATE_ATTEMPTS || !isCreatedConcurrently(error)) throw error
    })
  }
}

async function hasUniqueKey(session: Session, oid: number, { key, merge }: Target): Promise<boolean> {
  if (!key) return false
  const keys = await session.query<{ columns: string[] }>(
    `select array(select attname::text from pg_attribute
       where attrelid = indrelid and attnum = any((indkey::int2[])[0:indnkeyatts - 1])) as columns
     from pg_index
     where indrelid = $1 and indisunique and indisvalid and indimmediate and indpred is null and indexprs is null`,
    [oid],
  )
  if (merge) return keys.some(({ columns }) => isDeepStrictEqual(columns.toSorted(), key.toSorted()))
  return keys.some(({ columns }) => columns.every((name) => key.includes(name)) && columns.includes('uuid'))
}
