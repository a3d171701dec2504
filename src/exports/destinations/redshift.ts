/**
 * Delivers to a table in Amazon Redshift. Rows go into a temporary table, by INSERT or by COPY from files in a bucket, and
 * from there into the target in one transaction. The statements are those that Redshift documents: it has no ON CONFLICT,
 * does not enforce keys, and counts the length of text in bytes.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { components } from '../../contract/openapi.ts'
import { errorCode, invalid } from '../../errors.ts'
import { CELL, CELL_ESCAPES, type Column, EVENT_COLUMNS as c, type Page } from '../../events/extract.ts'
import {
  type Delivery,
  type Destination,
  type Merge,
  permanentError,
  type Receiver,
  retryableError,
  type Tools,
} from '../destination.ts'
import type { Encoder } from '../formats/format.ts'
import { openJsonLines } from '../formats/jsonlines.ts'
import { DEFAULT_LIMITS as BUCKET_LIMITS } from '../object-stores.ts'
import { connect, NO_PERMISSION, type Server, type Session, type SessionLimits } from './postgres-session.ts'
import { type BucketStore, hostFor, isRegion, openBucket } from './s3.ts'

type Config = components['schemas']['RedshiftConfig']
type CopyInputs = NonNullable<Config['copy_inputs']>

const COLUMNS: readonly Column[] = [
  c.uuid,
  c.event,
  c.properties,
  c.elements_chain,
  c.set,
  c.set_once,
  c.distinct_id,
  c.team_id,
  c.ip,
  c.site_url,
  c.timestamp,
].map((column) => (column === c.elements_chain ? { ...column, name: 'elements' } : column))

const DEFAULT_PORT = 5439
const LEDGER = 'workspace_admin_ledger'
const STAGING = 'workspace_admin_staging'
const MAX_NAME_BYTES = 127
/** In bytes. The longest text that all versions of Redshift store. */
const MAX_TEXT_BYTES = 65_535
const TEXT = `varchar(${MAX_TEXT_BYTES})`
/** Column types of a table that the export creates. Other columns are VARCHAR(200). */
const EVENT_TYPES: Record<string, string> = { elements: TEXT, team_id: 'integer', timestamp: 'timestamptz' }
const QUERY_TYPES: Record<Column['type']['kind'], string> = {
  string: TEXT,
  uuid: 'varchar(36)',
  null: TEXT,
  interval: TEXT,
  integer: 'bigint',
  float: 'double precision',
  boolean: 'boolean',
  datetime: 'timestamptz',
  date: 'date',
  json: TEXT,
  array: TEXT,
  tuple: TEXT,
}
const JSON_KINDS: readonly string[] = ['json', 'array', 'tuple']
/** The protocol allows 32,767 parameters and Redshift statements of 16 MB. */
const MAX_PARAMETERS = 32_767
const MAX_STATEMENT_BYTES = 8 * 1024 * 1024
/** Redshift loads several files at once. */
const FILE_BYTES = 32 * 1024 * 1024
/** An aborted attempt is killed after five seconds. */
const CLEANUP_MS = 4_000

export interface RedshiftLimits extends SessionLimits {
  /** Timeout of a COPY, and of the transaction that moves the rows into the target. */
  insert_ms: number
}
const LIMITS: RedshiftLimits = { connect_ms: 15_000, statement_ms: 120_000, insert_ms: 3_600_000 }

export const createRedshift = (limits: RedshiftLimits): Destination<Config> => ({
  columns: COLUMNS,
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
    if (config.table_name?.toLowerCase() === LEDGER)
      throw invalid(
        'destination__config__table_name',
        `"${LEDGER}" is reserved for the delivery ledger. Use another table.`,
      )
    if (config.mode === 'COPY') validateCopyInputs(config.copy_inputs ?? null)
  },

  hosts: ({ host, port = DEFAULT_PORT, mode, copy_inputs }) => [
    { host, port },
    ...(mode === 'COPY' && copy_inputs ? [hostFor(bucketOf(copy_inputs))] : []),
  ],

  open: async (delivery) => {
    const { config, tools } = delivery
    const session = await connect(serverOf(config), tools, limits)
    try {
      return await openReceiver(session, delivery, limits)
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
      const ids = { batch_export_id: 'test', range_key: 'test', run_id: 'test', attempt: 1 }
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

/** These values become part of a COPY statement. */
function validateCopyInputs(inputs: CopyInputs | null): void {
  if (!inputs) throw invalid('destination__config__copy_inputs', '"copy_inputs" is required for mode COPY.', 'required')
  const { authorization, s3_bucket, s3_key_prefix = '', region_name } = inputs
  const attr = 'destination__config__copy_inputs'
  if (!isRegion(region_name))
    throw invalid(`${attr}__region_name`, '"region_name" must be an AWS region, such as us-east-1.')
  if (!/^[A-Za-z0-9._-]+$/.test(s3_bucket))
    throw invalid(`${attr}__s3_bucket`, '"s3_bucket" must be the name of a bucket.')
  if (/['"\\\p{Cc}]/u.test(s3_key_prefix))
    throw invalid(
      `${attr}__s3_key_prefix`,
      '"s3_key_prefix" must not contain quotes, backslashes or control characters.',
    )
  if (typeof authorization === 'string') {
    if (!/^[A-Za-z0-9+=,.@_:/-]+$/.test(authorization))
      throw invalid(`${attr}__authorization`, '"authorization" must be the ARN of an IAM role, or an access key.')
  } else if (!/^[A-Za-z0-9+=/:]+$/.test(`${authorization.aws_access_key_id}:${authorization.aws_secret_access_key}`))
    throw invalid(`${attr}__authorization`, '"authorization" is not a valid access key.')
}

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

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * The transaction locks the ledger first: its snapshot then contains the entries of concurrent deliveries. The ledger
 * records the range, and a recorded range is not delivered again. Rows that replace earlier ones need no entry.
 */
async function openReceiver(session: Session, delivery: Delivery<Config>, limits: RedshiftLimits): Promise<Receiver> {
  const { config, columns, merge, tools, batch_export_id, range_key, data_interval_end } = delivery
  const target = targetOf(config)
  const ledger = `${quote(target.schema)}.${quote(LEDGER)}`
  const id = await findOrCreateTable(session, target.schema, target.table_name, () => createTableStatement(delivery))
  const types = await columnTypes(session, id, columns)
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
  let isDelivered = false
  try {
    isDelivered = !merge && (await recorded())
    if (!isDelivered) await createStaging(session, staged)
  } catch (error) {
    await loader.close()
    throw error
  }
  const parse = cellParser(staged)
  let [records, bytes] = [0, 0]

  const discarded = (): number => {
    tools.log('INFO', 'The ledger shows that this range was already delivered. No rows were inserted.')
    session.end()
    return 0
  }

  return {
    write: async (page) => {
      if (isDelivered) return
      await loader.write(parse.rows(page))
      records += page.records
      bytes += page.text.length
    },
    bytes: () => bytes,
    commit: async () => {
      if (!isDelivered) await loader.finish()
      await loader.close()
      if (isDelivered) return discarded()
      await session.query('begin')
      await session.query(`lock ${ledger}`, [], limits.insert_ms)
      if (!merge && (await recorded())) {
        await session.query('rollback')
        return discarded()
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

/** The columns of the staging table are numbered, because the names of a query may differ only in case. */
const stagingName = (i: number): string => `c${i}`

const createStaging = async (session: Session, columns: readonly StagedColumn[]): Promise<void> =>
  void (await session.query(
    `create temporary table ${STAGING} (${columns.map(({ type }, i) => `${stagingName(i)} ${type}`).join(', ')})`,
  ))

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
    return columns === COLUMNS ? (EVENT_TYPES[name] ?? 'varchar(200)') : QUERY_TYPES[type.kind]
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
    if (!CREATED_CONCURRENTLY.has(errorCode(error))) throw error
  })
  const created = await findTable(session, schema, name)
  if (created === undefined) throw retryableError('The table was dropped during the delivery.')
  return created
}

/** Duplicate table, row type or catalog entry, depending on the progress of the other session. */
const CREATED_CONCURRENTLY = new Set(['42P07', '42710', '23505'])

async function columnTypes(session: Session, id: number, columns: readonly Column[]): Promise<string[]> {
  const found = await session.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type
     from pg_attribute where attrelid = $1 and attnum > 0 and not attisdropped`,
    [id],
  )
  const types = new Map(found.map(({ name, type }) => [name, type]))
  const typeOf = (name: string): string | undefined => types.get(name) ?? types.get(name.toLowerCase())
  const missing = columns.filter(({ name }) => typeOf(name) === undefined)
  if (missing.length)
    throw permanentError(
      `The table has no column ${missing.map(({ name }) => `"${name}"`).join(', ')}. Add the missing columns, or use another table.`,
    )
  return columns.map(({ name }) => typeOf(name) ?? TEXT)
}

interface StagedColumn {
  /** The type in the table, as the catalog prints it. */
  type: string
  kind: Column['type']['kind']
}

type Cell = string | null

interface CellParser {
  rows(page: Page): Cell[][]
  /** The number of values that were truncated so far. */
  truncated(): number
}

function cellParser(columns: readonly StagedColumn[]): CellParser {
  let truncated = 0
  const convert = columns.map(({ type, kind }) => {
    const max_bytes = maxBytes(type)
    return (cell: string): Cell => {
      const value = cellValue(cell, kind, type)
      // A character has at most three bytes in UTF-8 per UTF-16 unit.
      if (value === null || value.length * 3 <= max_bytes || Buffer.byteLength(value) <= max_bytes) return value
      truncated++
      return truncate(value, max_bytes)
    }
  })
  return {
    rows: ({ text }) =>
      text
        .toString()
        .split('\n')
        .map((line) => {
          const cells = line.split(CELL.delimiter)
          return convert.map((read, i) => (cells[i] === CELL.none ? null : read(cells[i] ?? '')))
        }),
    truncated: () => truncated,
  }
}

/** Text is limited; other types, also SUPER, are not. */
function maxBytes(type: string): number {
  const [, length] = /^(?:character varying|character|varchar|char)\((\d{1,8})\)$/.exec(type) ?? []
  return length === undefined ? Number.POSITIVE_INFINITY : Number(length)
}

function truncate(value: string, max_bytes: number): string {
  const bytes = Buffer.from(value)
  let end = max_bytes
  while ((bytes.readUInt8(end) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

function cellValue(cell: string, kind: Column['type']['kind'], type: string): Cell {
  const isSuper = type === 'super'
  switch (kind) {
    case 'datetime': {
      const time = timestamp(Number(cell))
      return isSuper ? JSON.stringify(time) : time
    }
    case 'float':
      return Number.isFinite(Number(cell)) ? cell : null
    case 'json':
    case 'array':
    case 'tuple':
    case 'integer':
    case 'boolean':
      return cell
    default: {
      const plain = cell.includes(CELL.escape) ? withoutEscapes(cell) : cell
      return isSuper ? JSON.stringify(plain) : plain
    }
  }
}

const LETTERS = new Map(CELL_ESCAPES.map(([character, letter]) => [letter, character]))

function withoutEscapes(cell: string): string {
  const [start = '', ...rest] = cell.split(CELL.escape)
  return start + rest.map((part) => `${LETTERS.get(part.charAt(0)) ?? ''}${part.slice(1)}`).join('')
}

/** Microseconds as text that both INSERT and COPY read. */
function timestamp(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1000)
  const [date, time] = new Date(milliseconds).toISOString().slice(0, -1).split('T')
  return `${date} ${time}${String(microseconds - milliseconds * 1000).padStart(3, '0')}+00`
}

/** Fills the staging table. */
interface Loader {
  write(rows: readonly Cell[][]): Promise<void>
  /** Resolves once all rows are in the staging table. */
  finish(): Promise<void>
  /** Deletes the files. Never throws. */
  close(): Promise<void>
}

interface LoaderOptions {
  config: Config
  tools: Tools
  limits: RedshiftLimits
  columns: readonly StagedColumn[]
  ids: Pick<Delivery<Config>, 'batch_export_id' | 'range_key' | 'run_id' | 'attempt'>
}

async function openLoader(session: Session, options: LoaderOptions): Promise<Loader> {
  const { mode, copy_inputs } = options.config
  return mode === 'COPY' && copy_inputs ? copyLoader(session, copy_inputs, options) : insertLoader(session, options)
}

/** Inserts many rows with one statement. */
function insertLoader(session: Session, { columns }: LoaderOptions): Loader {
  const names = columns.map((_, i) => stagingName(i)).join(', ')
  const max_rows = Math.max(1, Math.floor(MAX_PARAMETERS / columns.length))
  let waiting: Cell[] = []
  let size = 0
  const texts = new Map<number, string>()
  const statement = (rows: number): string => {
    const text =
      texts.get(rows) ??
      `insert into ${STAGING} (${names}) values ${Array.from({ length: rows }, (_, row) => placeholders(columns, row)).join(', ')}`
    texts.clear()
    texts.set(rows, text)
    return text
  }
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return
    const values = waiting
    ;[waiting, size] = [[], 0]
    await session.query(statement(values.length / columns.length), values)
  }
  return {
    write: async (rows) => {
      for (const row of rows) {
        const bytes = row.reduce((sum, cell) => sum + (cell?.length ?? 0) * 3, 0)
        if (size > 0 && size + bytes > MAX_STATEMENT_BYTES) await flush()
        waiting.push(...row)
        size += bytes
        if (waiting.length === max_rows * columns.length) await flush()
      }
    },
    finish: flush,
    close: async () => undefined,
  }
}

function placeholders(columns: readonly StagedColumn[], row: number): string {
  const list = columns.map(({ type }, i) => {
    const parameter = `$${row * columns.length + i + 1}`
    return type === 'super' ? `json_parse(${parameter})` : parameter
  })
  return `(${list.join(', ')})`
}

const bucketOf = ({ s3_bucket, region_name, bucket_credentials }: CopyInputs) => ({
  bucket_name: s3_bucket,
  region: region_name,
  ...bucket_credentials,
})

/**
 * Writes files to the bucket and lets Redshift copy them. Each attempt has a folder of its own in the folder of the range,
 * and deletes those of killed attempts.
 */
async function copyLoader(
  session: Session,
  inputs: CopyInputs,
  { tools, limits, columns, ids }: LoaderOptions,
): Promise<Loader> {
  const bucket = await openBucket(bucketOf(inputs), tools, BUCKET_LIMITS)
  const prefix = (inputs.s3_key_prefix ?? '').split('/').filter(Boolean).join('/')
  const range = createHash('sha256').update(ids.range_key).digest('hex').slice(0, 32)
  const parent = `${prefix && `${prefix}/`}workspace-admin/${ids.batch_export_id}/${range}/`
  const folder = `${parent}${ids.run_id}-${ids.attempt}/`
  const manifest = `${folder}manifest.json`
  const files: string[] = []
  let current: Encoder | undefined
  await removeLeftovers(bucket, parent, tools).catch(async (error) => {
    await bucket.close()
    throw error
  })

  const encoder = (): Encoder => {
    const name = `${folder}${String(files.length).padStart(5, '0')}.jsonl.gz`
    files.push(name)
    return openJsonLines({
      compression: 'gzip',
      columns: [],
      scratch: tools.scratch,
      sink: (body) => bucket.put(name, body),
    })
  }
  const finishFile = async (): Promise<void> => {
    const file = current
    current = undefined
    await file?.close()
  }

  return {
    write: async (rows) => {
      current ??= encoder()
      const lines = rows.map((row) => jsonLine(row, columns)).join('\n')
      await current.write({ text: Buffer.from(lines), records: rows.length, cursor: [0, 0] })
      if (current.bytes() >= FILE_BYTES) await finishFile()
    },
    finish: async () => {
      await finishFile()
      if (files.length === 0) return
      const entries = files.map((name) => ({ url: `s3://${inputs.s3_bucket}/${name}`, mandatory: true }))
      await bucket.put(manifest, Readable.from([Buffer.from(JSON.stringify({ entries }))]))
      await session.query(copyStatement(inputs, manifest, columns), [], limits.insert_ms).catch((error) => {
        throw describeCopyError(error)
      })
    },
    close: async () => {
      await current?.abort()
      current = undefined
      await bucket.close().catch(() => undefined)
      if (files.length === 0) return
      // Also when the attempt was aborted.
      const signal = tools.signal.aborted ? AbortSignal.timeout(CLEANUP_MS) : tools.signal
      const cleaner = await openBucket(bucketOf(inputs), { ...tools, signal }, BUCKET_LIMITS)
      for (const name of [...files.splice(0), manifest])
        await cleaner
          .remove(name)
          .catch(() => tools.log('WARNING', `The file ${name} could not be deleted from the bucket.`))
      await cleaner.close().catch(() => undefined)
    },
  }
}

async function removeLeftovers(bucket: BucketStore, folder: string, tools: Tools): Promise<void> {
  for (;;) {
    const names = await bucket.list(folder)
    if (!names) {
      tools.log('WARNING', 'The access key may not list the bucket, so files of killed attempts are not deleted.')
      return
    }
    if (names.length === 0) return
    for (const name of names) await bucket.remove(name)
  }
}

/** SUPER columns get JSON, others text, which COPY converts to the type of the column. */
function jsonLine(row: readonly Cell[], columns: readonly StagedColumn[]): string {
  const members = row.flatMap((cell, i) => {
    if (cell === null) return []
    return [`"${stagingName(i)}":${columns[i]?.type === 'super' ? cell : JSON.stringify(cell)}`]
  })
  return `{${members.join(',')}}`
}

/** `validateCopyInputs` rejects quotes and backslashes. The keys of files contain none. */
function copyStatement(inputs: CopyInputs, manifest: string, columns: readonly StagedColumn[]): string {
  const { authorization, s3_bucket, region_name } = inputs
  const access =
    typeof authorization === 'string'
      ? authorization === 'default'
        ? 'iam_role default'
        : `iam_role '${authorization}'`
      : `access_key_id '${authorization.aws_access_key_id}' secret_access_key '${authorization.aws_secret_access_key}'`
  return `copy ${STAGING} (${columns.map((_, i) => stagingName(i)).join(', ')})
    from 's3://${s3_bucket}/${manifest}' ${access} region '${region_name}' manifest gzip
    format as json 'auto' timeformat 'auto' truncatecolumns compupdate off statupdate off`
}

/** Redshift has one code for all failures of a COPY. */
function describeCopyError(error: unknown): unknown {
  if (!/^(XX000|58)/.test(errorCode(error))) return error
  return retryableError(
    'Redshift could not copy the files from the bucket. Check "copy_inputs", the permissions of the role or key, and SYS_LOAD_ERROR_DETAIL in Redshift.',
  )
}
