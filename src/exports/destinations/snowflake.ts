/** Delivers to a table in Snowflake, each run in one transaction. */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { components } from '../../contract/openapi.ts'
import { invalid } from '../../errors.ts'
import type { Column } from '../../events/lines.ts'
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
import { DEFAULT_LIMITS, machineTime } from '../guarded-requests.ts'
import { hostOf } from '../object-stores.ts'
import {
  accountUrl,
  openSession,
  readPrivateKey,
  type SnowflakeLimits,
  type SnowflakeSession,
  StatementError,
} from '../snowflake-session.ts'
import {
  discardReceiver,
  EVENT_KEY,
  LEDGER,
  quote,
  requireColumns,
  requireUnreservedName,
  TABLE_COLUMNS,
} from '../tables.ts'

type Config = components['schemas']['SnowflakeConfig']

const COLUMNS: readonly Column[] = TABLE_COLUMNS.map((column) =>
  column.name === 'set' || column.name === 'set_once' ? { ...column, name: `people_${column.name}` } : column,
)
/** Column types of a table that the export creates. Other columns are STRING. */
const TYPES: Partial<Record<Column['type']['kind'], string>> = {
  integer: 'integer',
  float: 'float',
  boolean: 'boolean',
  datetime: 'timestamp',
  date: 'date',
  json: 'variant',
  array: 'variant',
  tuple: 'variant',
}
/** Columns of these types take parsed JSON. */
const JSON_TYPES = /^(VARIANT|OBJECT|ARRAY)$/i

const NO_SUCH_OBJECT = '002003'
/** The folder in the user's stage. */
const STAGE = 'workspace_admin'
/** Of compressed rows. Snowflake recommends 100 to 250 MB and loads the files of a run in parallel. */
const FILE_BYTES = 100 * 1024 * 1024
/** Snowflake accepts identifiers of at most 255 characters. */
const MAX_NAME_LENGTH = 255
/** Older files in the stage belong to killed attempts. */
const ORPHANED_MS = 86_400_000
const CSV = `(type = csv, compression = gzip, field_optionally_enclosed_by = '"', empty_field_as_null = true, null_if = (), escape_unenclosed_field = none)`

export interface SnowflakeOptions extends SnowflakeLimits {
  file_bytes: number
}

export const createSnowflake = (options: SnowflakeOptions): Destination<Config> => ({
  columns: COLUMNS,
  supportsQuery: true,
  encoding: () => 'csv',
  steps: ['Sign in', 'Use the warehouse', 'Use the schema', 'Upload a file', 'Write to the table'],

  validate: (config) => {
    const at = (key: string): string => `destination__config__${key}`
    // The account becomes a part of the host name.
    if (
      config.account.length > 255 ||
      !/^[a-z0-9]+(?:[_-][a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*){0,3}$/i.test(config.account)
    )
      throw invalid(
        at('account'),
        '"account" must be an account identifier, such as myorg-account123 or xy12345.eu-central-1, without the domain.',
      )
    if (config.endpoint_url && !URL.canParse(config.endpoint_url))
      throw invalid(at('endpoint_url'), '"endpoint_url" must be a URL, such as https://host.')
    for (const key of ['database', 'schema', 'warehouse', 'table_name', 'role'] as const) {
      const name = config[key] ?? 'x'
      if (name.length > MAX_NAME_LENGTH || /["'`\\\p{Cc}]/u.test(name))
        throw invalid(
          at(key),
          `"${key}" must have at most ${MAX_NAME_LENGTH} characters, and no quotes, backslashes or control characters.`,
        )
    }
    requireUnreservedName(config.table_name)
    const secret = config.authentication_type === 'keypair' ? 'private_key' : 'password'
    if (!config[secret])
      throw invalid(at(secret), `"${secret}" is required for this "authentication_type".`, 'required')
    if (secret === 'private_key' && readPrivateKey(config)?.asymmetricKeyType !== 'rsa')
      throw invalid(
        at('private_key'),
        '"private_key" must be an RSA key in PEM format. An encrypted key needs "private_key_passphrase".',
      )
  },

  hosts: (config) => [hostOf(accountUrl(config))],

  open: async (delivery) => {
    const session = await openSession(delivery.config, delivery.tools, options)
    try {
      const config = { table_name: delivery.model, ...delivery.config }
      return await openReceiver(session, { ...delivery, config }, options.file_bytes)
    } catch (error) {
      await session.close()
      throw error
    }
  },

  test: async function* (config, tools) {
    const session = await openSession(config, tools, options)
    const folder = `${STAGE}/test/${randomUUID()}`
    try {
      yield 'Snowflake accepted the user and its credentials.'
      await useNames(session, config)
      yield 'The user may use the warehouse and the role.'
      const target = targetOf(config, COLUMNS)
      const [schemas] = await session.run(
        `select count(*) from ${quote(config.database)}.information_schema.schemata where schema_name = ${literal(config.schema)}`,
      )
      if (Number(schemas?.[0]) === 0)
        throw permanentError(
          'The schema does not exist, or the role may not use it. Create it, or correct "schema".',
          'schema',
        )
      yield 'The schema exists.'
      const store = fileStore(session, tools, folder)
      const encoder = store.open()
      await encoder.write({ text: Buffer.from('"1"\n') })
      await encoder.close()
      yield 'A file was uploaded to the stage of the user.'
      const table = await findTable(session, target)
      const probe = `${target.schema}.${quote(`workspace_admin_test_${randomUUID()}`)}`
      await session.run(`create temporary table ${probe} (${quote('one')} integer)`)
      await session.run(copyStatement(probe, ['one'], ['$1'], folder))
      await session.run(`drop table if exists ${probe}`)
      yield table
        ? 'A row was loaded into a temporary table. The table exists; a run fails if it lacks a column of the export.'
        : 'A row was loaded into a temporary table. The first run creates the table.'
    } finally {
      await session.run(`remove @~/${folder}`).catch(() => undefined)
      await session.close()
    }
  },
})

export const snowflake = createSnowflake({
  ...DEFAULT_LIMITS,
  statement_ms: 3_600_000,
  poll_ms: 500,
  file_bytes: FILE_BYTES,
})

/** A backslash escapes in texts. */
const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

interface Target {
  config: Config
  /** Quoted names. */
  schema: string
  table: string
  ledger: string
  columns: readonly Column[]
}

function targetOf(config: Config, columns: readonly Column[]): Target {
  const schema = `${quote(config.database)}.${quote(config.schema)}`
  return {
    config,
    schema,
    table: `${schema}.${quote(config.table_name ?? 'events')}`,
    ledger: `${schema}.${quote(LEDGER)}`,
    columns,
  }
}

async function useNames(session: SnowflakeSession, { role, warehouse }: Config): Promise<void> {
  if (role) await session.run(`use role ${quote(role)}`)
  await session.run(`use warehouse ${quote(warehouse)}`)
}

interface Table {
  /** Differs for a table that was dropped and created again. */
  created: string
  /** The types by name. */
  types: Map<string, string>
}

async function findTable(session: SnowflakeSession, { config, columns }: Target): Promise<Table | null> {
  const catalog = `${quote(config.database)}.information_schema`
  const where = `where table_schema = ${literal(config.schema)} and table_name = ${literal(config.table_name ?? 'events')}`
  const [found] = await session.run(`select to_varchar(created) from ${catalog}.tables ${where}`)
  if (!found) return null
  const names = columns.map(({ name }) => literal(name))
  const types = await session.run(
    `select column_name, data_type from ${catalog}.columns ${where} and column_name in (${names})`,
  )
  return { created: found[0] ?? '', types: new Map(types.map(([name, type]) => [name ?? '', type ?? ''])) }
}

const requireAllColumns = ({ types }: Table, { columns }: Target): void =>
  requireColumns(columns, (name) => types.has(name), 'Names are case-sensitive. ')

/** The lookup comes first: a role that may insert may lack the permission to create. */
async function findOrCreateTable(session: SnowflakeSession, target: Target): Promise<Table> {
  let table = await findTable(session, target)
  if (!table) {
    const columns = target.columns.map(({ name, type }) => `${quote(name)} ${TYPES[type.kind] ?? 'string'}`)
    await session.run(`create table if not exists ${target.table} (${columns})`)
    table = await findTable(session, target)
  }
  if (!table) throw retryableError('The table was dropped during the delivery.')
  requireAllColumns(table, target)
  return table
}

/**
 * Rows are uploaded to the stage of the user. COPY INTO loads them in one transaction with a row in the ledger: Snowflake's
 * own record of loaded files does not know that a file was uploaded again. A range in the ledger is not loaded again; a
 * repeat inserts only missing events with MERGE, and ignores rows of a query, which have no key.
 */
async function openReceiver(
  session: SnowflakeSession,
  delivery: Delivery<Config>,
  file_bytes: number,
): Promise<Receiver> {
  const { config, columns, merge, tools, batch_export_id, range_key, run_id } = delivery
  requireValidNames(columns)
  const target = targetOf(config, columns)
  await useNames(session, config)
  const table = await findOrCreateTable(session, target)
  const ledger: Ledger = { session, name: target.ledger, batch_export_id, range_key: `${range_key}@${table.created}` }
  const isEvents = columns === COLUMNS
  if (!merge) await createLedger(ledger)
  const recorded = !merge && (await isRecorded(ledger))
  if (recorded && !isEvents) return discardReceiver(tools, session.close, session.close)

  const folder = `${STAGE}/${batch_export_id}/${run_id}`
  await removeOrphans(session, `${STAGE}/${batch_export_id}`, run_id)
  const stage = `${folder}/${randomUUID()}`
  const store = fileStore(session, tools, stage)
  const names = columns.map(({ name }) => name)
  const values = names.map((name, i) =>
    JSON_TYPES.test(table.types.get(name) ?? '') ? `parse_json($${i + 1})` : `$${i + 1}`,
  )
  let current: Encoder | undefined
  let [bytes, records] = [0, 0]
  const finishFile = async (): Promise<void> => {
    if (!current) return
    await current.close()
    bytes += current.bytes()
    current = undefined
  }
  const end = async (): Promise<void> => {
    await session.run(`remove @~/${folder}`).catch(() => undefined)
    await session.close()
  }

  return {
    write: async (page) => {
      current ??= store.open()
      await current.write(page)
      records += page.records
      if (current.bytes() >= file_bytes) await finishFile()
    },
    bytes: () => bytes + (current?.bytes() ?? 0),
    commit: async () => {
      await finishFile()
      if (records > 0) {
        const load = (into: string): Promise<void> =>
          loadFiles(session, copyStatement(into, names, values, stage), records)
        if (merge || recorded) {
          const affected = await mergeRows(session, target, merge ?? { key: EVENT_KEY }, load)
          if (recorded) tools.log('INFO', `${affected} rows were missing in the table.`)
        } else if (!(await loadOnce(ledger, records, () => load(target.table))))
          tools.log('INFO', 'The ledger shows that this range was already delivered. No rows were inserted.')
      }
      await end()
      return bytes
    },
    abort: async () => {
      await current?.abort()
      if (tools.signal.aborted) await session.close()
      else await end()
    },
  }
}

function requireValidNames(columns: readonly Column[]): void {
  const wrong = columns.find(({ name }) => name === '' || name.length > MAX_NAME_LENGTH)
  if (wrong)
    throw permanentError(
      `Snowflake does not accept a column name of more than ${MAX_NAME_LENGTH} characters. Give it a shorter name with AS.`,
    )
}

function copyStatement(into: string, names: readonly string[], values: readonly string[], folder: string): string {
  // `force` loads the files even if Snowflake has loaded files with the same names before.
  return `copy into ${into} (${names.map(quote)}) from (select ${values} from @~/${folder}/) file_format = ${CSV} on_error = abort_statement force = true`
}

/** Throws unless every row was loaded. The result of COPY has a row per file. */
async function loadFiles(session: SnowflakeSession, copy: string, records: number): Promise<void> {
  const files = await session.run(copy)
  const loaded = files.reduce((sum, [, , , rows]) => sum + Number(rows ?? 0), 0)
  if (loaded !== records) throw retryableError(`Snowflake loaded ${loaded} of ${records} rows. Nothing was changed.`)
}

/** Files in a folder of the user's stage. */
function fileStore(session: SnowflakeSession, { scratch }: Tools, folder: string): { open(): Encoder } {
  let count = 0
  return {
    open: () => {
      const file = join(scratch, `part-${count++}.csv.gz`)
      return openJsonLines({
        compression: 'gzip',
        columns: [],
        scratch,
        sink: async (body) => {
          try {
            await pipeline(body, createWriteStream(file))
            await session.put(file, folder)
          } finally {
            await rm(file, { force: true })
          }
        },
      })
    },
  }
}

/** Removes the files of earlier attempts of this run, and old files of other runs. */
async function removeOrphans(session: SnowflakeSession, folder: string, run_id: string): Promise<void> {
  const found = new Set<string>()
  for (const [name, , , modified] of await session.run(`list @~/${folder}/`)) {
    const run = /\/([\da-f-]{36})\/[\da-f-]{36}\/part-\d+\.csv\.gz$/.exec((name ?? '').slice(-256))?.[1]
    if (run && (run === run_id || Date.parse(modified ?? '') < machineTime() - ORPHANED_MS)) found.add(run)
  }
  for (const run of found) await session.run(`remove @~/${folder}/${run}`)
}

interface Ledger {
  session: SnowflakeSession
  name: string
  batch_export_id: string
  range_key: string
}

/** The row without a range exists to be locked: tables have no unique keys. */
async function createLedger({ session, name, batch_export_id }: Ledger): Promise<void> {
  const lock = `where batch_export_id = ${literal(batch_export_id)} and range_key = ''`
  const columns = 'batch_export_id string, range_key string, records integer, delivered_at timestamp'
  const find = `select count(*) from ${name} ${lock}`
  const [found] = await session.run(find).catch(async (error) => {
    if (!(error instanceof StatementError) || error.code !== NO_SUCH_OBJECT) throw error
    await session.run(`create table if not exists ${name} (${columns})`)
    return session.run(find)
  })
  if (Number(found?.[0]) > 0) return
  await session.run(
    `insert into ${name} (batch_export_id, range_key, records, delivered_at) select ${literal(batch_export_id)}, '', 0, current_timestamp()`,
  )
}

async function isRecorded({ session, name, batch_export_id, range_key }: Ledger): Promise<boolean> {
  const [found] = await session.run(
    `select count(*) from ${name} where batch_export_id = ${literal(batch_export_id)} and range_key = ${literal(range_key)}`,
  )
  return Number(found?.[0]) > 0
}

/**
 * Loads the rows and records the range. The update waits for a concurrent delivery of the same export, so that the
 * statement after it sees its row. It comes after the load: a lock is held for a moment only. Returns false if the range
 * is already recorded.
 */
async function loadOnce(ledger: Ledger, records: number, load: () => Promise<void>): Promise<boolean> {
  const { session, name, batch_export_id, range_key } = ledger
  await session.run('begin transaction')
  await load()
  await session.run(
    `update ${name} set delivered_at = current_timestamp() where batch_export_id = ${literal(batch_export_id)} and range_key = ''`,
  )
  if (await isRecorded(ledger)) {
    await session.run('rollback')
    return false
  }
  await session.run(
    `insert into ${name} (batch_export_id, range_key, records, delivered_at) select ${literal(batch_export_id)}, ${literal(range_key)}, ${records}, current_timestamp()`,
  )
  await session.run('commit')
  return true
}

/** Merges by key. Without a version, existing rows stay. Returns the number of inserted rows. */
async function mergeRows(
  session: SnowflakeSession,
  { schema, table, columns }: Target,
  { key, version }: { key: readonly string[]; version?: Merge['version'] },
  load: (into: string) => Promise<void>,
): Promise<number> {
  const staging = `${schema}.${quote(`workspace_admin_staging_${randomUUID()}`)}`
  await session.run(`create temporary table ${staging} like ${table}`)
  await load(staging)
  const names = columns.map(({ name }) => quote(name))
  const keys = key.map(quote)
  const newest = version ? ` qualify row_number() over (partition by ${keys} order by ${quote(version)} desc) = 1` : ''
  const update = version
    ? ` when matched and t.${quote(version)} < s.${quote(version)} then update set ${names.map((name) => `${name} = s.${name}`)}`
    : ''
  const [result] = await session.run(
    `merge into ${table} as t using (select * from ${staging}${newest}) as s on ${keys.map((one) => `t.${one} = s.${one}`).join(' and ')}${update} when not matched then insert (${names}) values (${names.map((name) => `s.${name}`)})`,
  )
  await session.run(`drop table if exists ${staging}`)
  return Number(result?.[0] ?? 0)
}
