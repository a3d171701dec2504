/**
 * Delivers to a table in Amazon Redshift. Rows go into a temporary table, by INSERT or by COPY from files in a bucket, and
 * from there into the target in one transaction. The statements are those that Redshift documents: it has no ON CONFLICT,
 * does not enforce keys, and counts the length of text in bytes.
 */
import { randomUUID } from 'node:crypto'
import type { components } from '../../contract/openapi.ts'
import { invalid } from '../../errors.ts'
import type { Column } from '../../events/lines.ts'
import { type Delivery, type Destination, type Merge, type Receiver, retryableError } from '../destination.ts'
import { requireLibraries } from '../libraries.ts'
import {
  discardReceiver,
  LEDGER,
  quote,
  requireColumns,
  requireUnreservedName,
  TABLE_COLUMNS_WITH_TEXT,
} from '../tables.ts'
import {
  columnTypes,
  connect,
  isCreatedConcurrently,
  NO_PERMISSION,
  type Server,
  type Session,
} from './postgres-session.ts'
import {
  bucketOf,
  cellParser,
  createStaging,
  openLoader,
  type RedshiftLimits,
  STAGING,
  type StagedColumn,
  stagingName,
  validateCopyInputs,
} from './redshift-loaders.ts'
import { hostFor } from './s3.ts'

type Config = components['schemas']['RedshiftConfig']

const DEFAULT_PORT = 5439
const MAX_NAME_BYTES = 127
/** In bytes. The longest text that all versions of Redshift store. */
const MAX_TEXT_BYTES = 65_535
const TEXT = `varchar(${MAX_TEXT_BYTES})`
/** Column types of a table that the export creates. Other columns are VARCHAR(200). */
const EVENT_TYPES: Record<string, string> = { elements: TEXT, team_id: 'integer', timestamp: 'timestamptz' }
/** The same for columns of a query. Other columns are VARCHAR(65535). */
const QUERY_TYPES: Partial<Record<Column['type']['kind'], string>> = {
  uuid: 'varchar(36)',
  integer: 'bigint',
  float: 'double precision',
  boolean: 'boolean',
  datetime: 'timestamptz',
  date: 'date',
}
const JSON_KINDS: readonly string[] = ['json', 'array', 'tuple']
const LIMITS: RedshiftLimits = { connect_ms: 15_000, statement_ms: 120_000, insert_ms: 3_600_000 }

export const createRedshift = (limits: RedshiftLimits): Destination<Config> => ({
  columns: TABLE_COLUMNS_WITH_TEXT,
  supportsQuery: true,
  encoding: () => 'cells',
  steps: ['Connect', 'Use the schema', 'Write to the table', 'Load rows'],

  validate: (config) => {
    for (const key of ['user', 'password', 'host'] as const)
      if (/\p{Cc}/u.test(config[key]))
        throw invalid(`destination__config__${key}`, `"${key}" must not contain control characters.`)
    for (const key of ['database', 'schema', 'table_name'] as const) {
      const name = config[key] ?? ''
      if (/["'`\p{Cc}]/u.test(name))
        throw invalid(`destination__config__${key}`, `"${key}" must not contain quotes or control characters.`)
      if (Buffer.byteLength(name) > MAX_NAME_BYTES)
        throw invalid(`destination__config__${key}`, `"${key}" must have at most ${MAX_NAME_BYTES} bytes.`)
    }
    requireUnreservedName(config.table_name?.toLowerCase())
    if (config.mode === 'COPY') {
      requireLibraries('COPY', 'destination__config__mode', ['@aws-sdk/client-s3'])
      validateCopyInputs(config.copy_inputs ?? null)
    }
  },

  hosts: ({ host, port = DEFAULT_PORT, mode, copy_inputs }) => [
    { host, port },
    ...(mode === 'COPY' && copy_inputs ? [hostFor(bucketOf(copy_inputs))] : []),
  ],

  open: async (delivery) => {
    const config = { table_name: delivery.model, ...delivery.config }
    const session = await connect(serverOf(config), delivery.tools, limits)
    try {
      return await openReceiver(session, { ...delivery, config }, limits)
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
      const { schema, quoted, table_name } = targetOf(config)
      const { usage } = await session.queryOne<{ usage: boolean }>(
        "select has_schema_privilege($1::varchar, 'usage') as usage",
        [schema],
      )
      if (!usage) throw NO_PERMISSION
      yield 'The schema exists, and the user may use it.'
      const exists = (await findTable(session, schema, table_name)) !== undefined
      if (exists) {
        const { insert } = await session.queryOne<{ insert: boolean }>(
          "select has_table_privilege($1::varchar, 'insert') as insert",
          [quoted],
        )
        if (!insert) throw NO_PERMISSION
      } else {
        await session.query('begin')
        await session.query(`create table ${quoted} (one integer)`)
        await session.query('rollback')
      }
      yield exists
        ? 'The table exists, and the user may insert into it.'
        : 'The user may create the table. The test rolled it back.'
      const columns: StagedColumn[] = [{ type: 'varchar(8)', kind: 'string' }]
      await createStaging(session, columns)
      // A loader deletes the files that earlier attempts at its range left. Another test may be running.
      const ids = { batch_export_id: 'test', range_key: randomUUID(), run_id: 'test', attempt: 1 }
      const loader = await openLoader(session, { config, tools, limits, columns, ids })
      try {
        await loader.write([['1']])
        await loader.finish()
      } finally {
        await loader.close()
      }
      yield config.mode === 'COPY'
        ? 'Redshift copied a file from the bucket. The file was deleted.'
        : 'A row was inserted into a temporary table.'
    } finally {
      session.destroy()
    }
  },
})

export const redshift = createRedshift(LIMITS)

const serverOf = ({ port = DEFAULT_PORT, ...config }: Config): Server => ({ ...config, port })

interface Target {
  schema: string
  table_name: string
  /** The quoted name. */
  quoted: string
}

const targetOf = ({ schema = 'public', table_name = 'events' }: Config): Target => ({
  schema,
  table_name,
  quoted: `${quote(schema)}.${quote(table_name)}`,
})

/**
 * The transaction locks the ledger first: its snapshot then contains the entries of concurrent deliveries. The ledger
 * records the range, and a recorded range is not delivered again. Rows that replace earlier ones need no entry.
 */
async function openReceiver(session: Session, delivery: Delivery<Config>, limits: RedshiftLimits): Promise<Receiver> {
  const { config, columns, merge, tools, batch_export_id, range_key, data_interval_end } = delivery
  const target = targetOf(config)
  const ledger = `${quote(target.schema)}.${quote(LEDGER)}`
  const id = await findOrCreateTable(session, target.schema, target.table_name, () => createTableStatement(delivery))
  const types = await typesOf(session, id, columns)
  await findOrCreateTable(session, target.schema, LEDGER, () => createLedgerStatement(ledger))
  const recorded = async (): Promise<boolean> =>
    (
      await session.query(
        `select records from ${ledger} where batch_export_id = $1 and range_key = $2 and table_id = $3`,
        [batch_export_id, range_key, id],
      )
    ).length > 0
  const staged = columns.map(({ type }, i): StagedColumn => ({ type: types[i] ?? TEXT, kind: type.kind }))
  const loader = await openLoader(session, { config, tools, limits, columns: staged, ids: delivery })
  const discard = discardReceiver(tools, session.end, session.destroy)
  try {
    if (!merge && (await recorded())) {
      await loader.close()
      return discard
    }
    await createStaging(session, staged)
  } catch (error) {
    await loader.close()
    throw error
  }
  const parse = cellParser(staged)
  let [records, bytes] = [0, 0]

  return {
    write: async (page) => {
      records += page.records
      bytes += page.text.length
      await loader.write(parse.rows(page))
    },
    bytes: () => bytes,
    commit: async () => {
      await loader.finish()
      await loader.close()
      await session.query('begin')
      await session.query(`lock ${ledger}`, [], limits.insert_ms)
      if (!merge && (await recorded())) {
        await session.query('rollback')
        return discard.commit()
      }
      for (const statement of moveStatements(target.quoted, columns, merge))
        await session.query(statement, [], limits.insert_ms)
      if (!merge)
        await session.query(
          `insert into ${ledger} (batch_export_id, range_key, table_id, records, data_interval_end)
           values ($1, $2, $3, $4, $5)`,
          [batch_export_id, range_key, id, records, data_interval_end],
        )
      await session.query('commit', [], limits.insert_ms)
      if (parse.truncated())
        tools.log('WARNING', `${parse.truncated()} values were truncated to the length of their columns.`)
      session.end()
      return bytes
    },
    abort: async () => {
      await loader.close()
      session.destroy()
    },
  }
}

/** With `merge`, newer rows replace older ones. Each key keeps the row with the highest version. */
function moveStatements(quoted: string, columns: readonly Column[], merge: Merge | null): string[] {
  const names = columns.map(({ name }) => quote(name)).join(', ')
  const staged = columns.map((_, i) => stagingName(i))
  if (!merge) return [`insert into ${quoted} (${names}) select ${staged.join(', ')} from ${STAGING}`]
  const stagedAs = (name: string): string => stagingName(columns.findIndex((column) => column.name === name))
  const sameKey = merge.key.map((name) => `${quoted}.${quote(name)} = staged.${stagedAs(name)}`).join(' and ')
  const [first = ''] = merge.key
  return [
    `delete from ${quoted} using ${STAGING} staged
     where ${sameKey} and ${quoted}.${quote(merge.version)} < staged.${stagedAs(merge.version)}`,
    `insert into ${quoted} (${names}) select ${staged.map((name) => `staged.${name}`).join(', ')}
     from (select *, row_number() over (partition by ${merge.key.map(stagedAs).join(', ')}
       order by ${stagedAs(merge.version)} desc) as place from ${STAGING}) staged
     left join ${quoted} on ${sameKey}
     where staged.place = 1 and ${quoted}.${quote(first)} is null`,
  ]
}

function createTableStatement({ config, columns }: Delivery<Config>): string {
  const json = config.properties_data_type === 'super' ? 'super' : TEXT
  const typeOf = ({ name, type }: Column): string => {
    if (JSON_KINDS.includes(type.kind)) return json
    return columns === TABLE_COLUMNS_WITH_TEXT
      ? (EVENT_TYPES[name] ?? 'varchar(200)')
      : (QUERY_TYPES[type.kind] ?? TEXT)
  }
  const list = columns.map((column) => `${quote(column.name)} ${typeOf(column)}`)
  return `create table if not exists ${targetOf(config).quoted} (${list.join(', ')})`
}

/** Tables are identified by their id: a recreated table is empty. */
const createLedgerStatement = (quoted: string): string => `create table if not exists ${quoted} (
    batch_export_id varchar(64), range_key varchar(256), table_id bigint, records bigint, data_interval_end timestamptz)`

/** Redshift stores names in lower case unless the cluster is configured otherwise. */
async function findTable(session: Session, schema: string, name: string): Promise<number | undefined> {
  const [row] = await session.query<{ id: string | number }>(
    `select c.oid as id from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ($1::varchar, lower($1::varchar)) and c.relname in ($2::varchar, lower($2::varchar))`,
    [schema, name],
  )
  return row && Number(row.id)
}

/** The lookup comes first: a role that may insert may lack the permission to create. */
async function findOrCreateTable(
  session: Session,
  schema: string,
  name: string,
  createStatement: () => string,
): Promise<number> {
  const found = await findTable(session, schema, name)
  if (found !== undefined) return found
  await session.query(createStatement()).catch((error) => {
    if (!isCreatedConcurrently(error)) throw error
  })
  const created = await findTable(session, schema, name)
  if (created === undefined) throw retryableError('The table was dropped during the delivery.')
  return created
}

async function typesOf(session: Session, id: number, columns: readonly Column[]): Promise<string[]> {
  const types = await columnTypes(session, id)
  const typeOf = (name: string): string | undefined => types.get(name) ?? types.get(name.toLowerCase())
  requireColumns(columns, (name) => typeOf(name) !== undefined)
  return columns.map(({ name }) => typeOf(name) ?? TEXT)
}
