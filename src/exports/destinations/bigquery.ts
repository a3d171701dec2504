/** Delivers to a table in Google BigQuery with load jobs, each under an id that a repeat finds again. */
import { createHash, createPrivateKey, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { components } from '../../contract/openapi.ts'
import { invalid } from '../../errors.ts'
import { type Cursor, isAfter } from '../../events/extract.ts'
import type { Column } from '../../events/lines.ts'
import {
  type BigQueryApi,
  type BigQueryLimits,
  DEFAULT_ENDPOINT,
  type Field,
  type Job,
  openBigQuery,
  type Table,
} from '../bigquery-api.ts'
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
import { DEFAULT_LIMITS } from '../guarded-requests.ts'
import { hostOf } from '../object-stores.ts'
import { EVENT_KEY, requireColumns, TABLE_COLUMNS_WITH_TEXT } from '../tables.ts'

type Config = components['schemas']['BigQueryConfig']

const TYPES: Partial<Record<Column['type']['kind'], string>> = {
  integer: 'INTEGER',
  float: 'FLOAT',
  boolean: 'BOOLEAN',
  datetime: 'TIMESTAMP',
  date: 'DATE',
}
const JSON_KINDS: readonly Column['type']['kind'][] = ['json', 'array', 'tuple']
/** The time of the load. BigQuery fills it in. */
const INGESTED: Field = {
  name: 'bq_ingested_timestamp',
  type: 'TIMESTAMP',
  defaultValueExpression: 'CURRENT_TIMESTAMP()',
}

/** Of Parquet. A table accepts 1,500 load jobs a day. */
const PART_BYTES = 100 * 1024 * 1024
/** Staging tables of killed attempts expire. */
const STAGING_MS = 86_400_000
const TEMPORARY_TABLE = 'workspace_admin_staging_'
const COLUMN_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,299}$/

export interface BigQueryOptions extends BigQueryLimits {
  part_bytes: number
}

export const createBigQuery = (options: BigQueryOptions): Destination<Config> => ({
  columns: TABLE_COLUMNS_WITH_TEXT,
  supportsQuery: true,
  encoding: () => 'cells',
  steps: ['Get an access token', 'Find the dataset', 'Check the table', 'Load a row'],

  validate: ({ project_id = 'x', dataset_id = 'x', table_id, private_key, token_uri, endpoint_url }) => {
    const at = (key: string): string => `destination__config__${key}`
    if (!/^[a-z0-9][a-z0-9.:-]{0,99}$/.test(project_id))
      throw invalid(at('project_id'), '"project_id" must be the id of a Google Cloud project, such as my-project-123.')
    if (!/^\w{1,1024}$/.test(dataset_id))
      throw invalid(at('dataset_id'), '"dataset_id" may contain only letters, digits and underscores.')
    if (table_id !== undefined && !/^[\p{L}\p{M}\p{N}\p{Pc}\p{Pd} ]{1,1024}$/u.test(table_id))
      throw invalid(at('table_id'), '"table_id" may contain only letters, digits, underscores, dashes and spaces.')
    for (const [key, url] of Object.entries({ token_uri, endpoint_url: endpoint_url ?? DEFAULT_ENDPOINT }))
      if (!/^https?:\/\//.test(url) || !URL.canParse(url))
        throw invalid(at(key), `"${key}" must be a URL, such as https://host.`)
    if (keyTypeOf(private_key) !== 'rsa')
      throw invalid(
        at('private_key'),
        '"private_key" must be an RSA key in PEM format. Copy it from the JSON file of the service account.',
      )
  },

  hosts: ({ token_uri, endpoint_url }) => [
    hostOf(new URL(token_uri)),
    hostOf(new URL(endpoint_url ?? DEFAULT_ENDPOINT)),
  ],

  open: async (delivery) => {
    const api = openBigQuery(delivery.config, delivery.tools, options)
    try {
      const config = { table_id: delivery.model, ...delivery.config }
      return await openReceiver(api, { ...delivery, config }, options.part_bytes)
    } catch (error) {
      api.close()
      throw error
    }
  },

  test: async function* (config, tools) {
    const api = openBigQuery(config, tools, options)
    try {
      await api.authorize()
      yield 'The token server accepted the service account.'
      const location = await api.getLocation()
      yield 'The dataset exists, and the service account may read its settings.'
      const table = await api.getTable(tableOf(config))
      yield table
        ? 'The table exists. A run fails if it lacks a column of the export.'
        : 'The table does not exist. The first run creates it.'
      const table_id = stagingName()
      await api.createTable(table_id, [{ name: 'one', type: 'INTEGER' }], STAGING_MS)
      try {
        const row = Buffer.from('{"one":1}\n')
        const id = `workspace_admin_test_${randomUUID()}`
        const source = {
          table_id,
          format: 'NEWLINE_DELIMITED_JSON',
          body: Readable.from([row]),
          length: row.length,
        } as const
        throwFailure(await api.load({ id, location }, source))
      } finally {
        await api.deleteTable(table_id).catch(() => tools.log('WARNING', `The table ${table_id} could not be deleted.`))
      }
      yield 'A row was loaded into a temporary table, and the table was deleted.'
    } finally {
      api.close()
    }
  },
})

export const bigquery = createBigQuery({
  ...DEFAULT_LIMITS,
  job_ms: 3_600_000,
  first_poll_ms: 200,
  max_poll_ms: 10_000,
  part_bytes: PART_BYTES,
})

function keyTypeOf(private_key: string): string | undefined {
  try {
    return createPrivateKey(private_key).asymmetricKeyType
  } catch {
    return undefined
  }
}

const tableOf = ({ table_id = 'events' }: Config): string => table_id

const stagingName = (): string => `${TEMPORARY_TABLE}${randomUUID().replaceAll('-', '_')}`

const throwFailure = (job: Job | null): void => {
  if (job?.error) throw job.error
}

/** Whether a load can fill the column: Parquet has no JSON, so JSON goes through a staging table. */
const isJson = (table: Table, { name }: Column): boolean => table.fields.get(name.toLowerCase()) === 'JSON'

const requireAllColumns = ({ fields }: Table, columns: readonly Column[]): void =>
  requireColumns(columns, (name) => fields.has(name.toLowerCase()))

function requireValidNames(columns: readonly Column[]): void {
  const names = columns.map(({ name }) => name.toLowerCase())
  const wrong = columns.find(({ name }, i) => !COLUMN_NAME.test(name) || names.indexOf(name.toLowerCase()) !== i)
  if (wrong)
    throw permanentError(
      `BigQuery does not accept the column name "${wrong.name}". Use AS with a different name of letters, digits and underscores.`,
    )
}

const fieldsOf = (columns: readonly Column[], json_type: string): Field[] =>
  columns.map(({ name, type: { kind } }) => ({
    name,
    type: TYPES[kind] ?? (JSON_KINDS.includes(kind) ? json_type : 'STRING'),
  }))

async function findOrCreateTable(api: BigQueryApi, { config, columns }: Delivery<Config>): Promise<Table> {
  const table_id = tableOf(config)
  let table = await api.getTable(table_id)
  if (!table) {
    const fields = fieldsOf(columns, config.use_json_type ? 'JSON' : 'STRING')
    await api.createTable(table_id, columns === TABLE_COLUMNS_WITH_TEXT ? [...fields, INGESTED] : fields)
    table = await api.getTable(table_id)
  }
  if (!table) throw retryableError('The table was deleted during the delivery.')
  requireAllColumns(table, columns)
  return table
}

interface Part {
  encoder: Encoder
  /** The end of its last page. */
  cursor: Cursor
  records: number
}

/**
 * Events are delivered in parts. The checkpoint records the range of a part before its job starts, and the id of the job
 * is made from the range: a repeat reads the same events, finds the job and waits for it, or starts it under the same id.
 * If an earlier attempt or run may have delivered rows in parts that the checkpoint does not know, MERGE inserts only
 * missing events. Rows of a query have no key: they are one part, so a repeat has the same range.
 */
async function openReceiver(api: BigQueryApi, delivery: Delivery<Config>, part_bytes: number): Promise<Receiver> {
  const { config, columns, checkpoint, tools, merge, batch_export_id, range_key } = delivery
  requireValidNames(columns)
  const table = await findOrCreateTable(api, delivery)
  const hasKey = columns === TABLE_COLUMNS_WITH_TEXT || merge !== null
  const merged = hasKey && (checkpoint ? (checkpoint.merged ?? false) : (delivery.repeated ?? false))
  const target: Target = { api, config, columns, table, merge: merge ?? (merged ? { key: EVENT_KEY } : null), tools }

  let from = checkpoint?.cursor ?? null
  let records = checkpoint?.records ?? 0
  let bytes = checkpoint?.bytes ?? 0
  /** The end of the part that an earlier attempt has begun to commit. */
  let pinned = checkpoint?.through ?? null
  let current: Part | undefined

  const jobName = (through: Cursor | null): string => {
    const range = [batch_export_id, range_key, table.created, from, through]
    return `workspace_admin_${createHash('sha256').update(JSON.stringify(range)).digest('hex').slice(0, 40)}`
  }
  const save = (through?: Cursor): Promise<void> =>
    tools.checkpoint({ cursor: from, records, bytes, ...(merged && { merged }), ...(through && { through }) })

  const openPart = async (cursor: Cursor): Promise<Part> => {
    const { openParquet } = await import('../formats/parquet.ts')
    const part: Part = {
      cursor,
      records: 0,
      encoder: await openParquet({ compression: 'zstd', columns, scratch: tools.scratch, sink }),
    }
    /** Runs when the file is complete. */
    async function sink(body: Readable): Promise<void> {
      const through = hasKey ? (pinned ?? part.cursor) : null
      await commitFile(target, { name: jobName(through), body, length: part.encoder.bytes() })
    }
    return part
  }
  const finish = async (part: Part): Promise<void> => {
    const through = pinned ?? part.cursor
    if (hasKey) await save(through)
    await part.encoder.close()
    current = undefined
    advance(through, part.records, part.encoder.bytes())
    if (hasKey) await save()
  }
  const advance = (through: Cursor, more: number, size: number): void => {
    from = through
    pinned = null
    records += more
    bytes += size
  }

  /** The events of a part that is already in the table. */
  let skipped = 0
  let skipping = pinned !== null && !target.merge && (await isDelivered(target, jobName(pinned)))
  const endSkipping = async (through: Cursor): Promise<void> => {
    advance(through, skipped, 0)
    skipping = false
    await save()
  }

  return {
    write: async (page) => {
      // Events at the end of the part may have been deleted.
      if (pinned && isAfter(page.cursor, pinned)) {
        if (skipping) await endSkipping(pinned)
        else if (current) await finish(current)
        pinned = null
      }
      if (skipping) {
        skipped += page.records
        if (pinned && !isAfter(pinned, page.cursor)) await endSkipping(pinned)
        return
      }
      current ??= await openPart(page.cursor)
      current.cursor = page.cursor
      current.records += page.records
      await current.encoder.write(page)
      if (!hasKey) return
      const isFull = pinned ? !isAfter(pinned, page.cursor) : current.encoder.bytes() >= part_bytes
      if (isFull) await finish(current)
    },
    bytes: () => bytes + Math.round(current?.encoder.bytes() ?? 0),
    commit: async () => {
      if (current) await finish(current)
      api.close()
      return bytes
    },
    abort: async () => {
      await current?.encoder.abort()
      api.close()
    },
  }
}

interface Target {
  api: BigQueryApi
  config: Config
  columns: readonly Column[]
  table: Table
  /** Rows are merged by this key. Without a version, existing rows stay. */
  merge: { key: readonly string[]; version?: Merge['version'] } | null
  tools: Tools
}

async function isDelivered({ api, table }: Target, name: string): Promise<boolean> {
  for (let n = 0; ; n++) {
    const job = await api.findJob(`${name}_${n}`, table.location)
    if (!job) return false
    if (!job.error) return true
  }
}

/** Delivers the file unless a job of this name has succeeded. A failed job is followed by one with the next number. */
async function commitFile(
  target: Target,
  { name, body, length }: { name: string; body: Readable; length: number },
): Promise<void> {
  const { api, table, tools } = target
  const { location } = table
  for (let n = 0; ; n++) {
    // The result of a merge depends on the rows alone, so it needs no known id.
    const id = target.merge ? `workspace_admin_${randomUUID()}` : `${name}_${n}`
    const found = target.merge ? null : await api.findJob(id, location)
    const job = found ?? (await startJob(target, { id, body, length })) ?? (await api.findJob(id, location))
    if (!job) throw retryableError('BigQuery reported a job that does not exist.')
    if (!job.error) {
      if (found) tools.log('INFO', 'BigQuery already has these rows. They were not loaded again.')
      body.destroy()
      return
    }
    if (!found) throw job.error
  }
}

/** Null if the id is in use. */
async function startJob(
  target: Target,
  { id, body, length }: { id: string; body: Readable; length: number },
): Promise<Job | null> {
  const { api, config, columns, table, tools } = target
  const { location } = table
  const source = { format: 'PARQUET', body, length } as const
  if (!target.merge && !columns.some((column) => isJson(table, column)))
    return api.load({ id, location }, { ...source, table_id: tableOf(config) })
  const staging = stagingName()
  await api.createTable(staging, fieldsOf(columns, 'STRING'), STAGING_MS)
  try {
    throwFailure(await api.load({ id: `workspace_admin_${randomUUID()}`, location }, { ...source, table_id: staging }))
    const job = await api.query({ id, location }, statementOf(target, staging))
    if (target.merge && !target.merge.version && job && !job.error)
      tools.log('INFO', `${job.affected} rows were missing in the table.`)
    return job
  } finally {
    await api.deleteTable(staging).catch(() => undefined)
  }
}

/** Moves the rows of the staging table into the table. */
function statementOf({ config, columns, table, merge }: Target, staging: string): string {
  const quote = (name: string): string => `\`${name}\``
  const path = (name: string): string => [config.project_id, config.dataset_id, name].map(quote).join('.')
  const hasIngested = table.fields.has(INGESTED.name) && !columns.some(({ name }) => name === INGESTED.name)
  const names = [...columns.map(({ name }) => quote(name)), ...(hasIngested ? [quote(INGESTED.name)] : [])]
  const values = [
    ...columns.map((column) => {
      const cell = `s.${quote(column.name)}`
      return isJson(table, column) ? `parse_json(${cell}, wide_number_mode=>'round')` : cell
    }),
    ...(hasIngested ? ['current_timestamp()'] : []),
  ]
  if (!merge) return `insert into ${path(tableOf(config))} (${names}) select ${values} from ${path(staging)} as s`
  const keys = merge.key.map(quote)
  const version = merge.version && quote(merge.version)
  const newest = version
    ? ` where true qualify row_number() over (partition by ${keys} order by ${version} desc) = 1`
    : ''
  const update = version
    ? ` when matched and t.${version} < s.${version} then update set ${names.map((name, i) => `${name} = ${values[i]}`)}`
    : ''
  return `merge into ${path(tableOf(config))} as t using (select * from ${path(staging)}${newest}) as s
    on ${keys.map((key) => `t.${key} = s.${key}`).join(' and ')}${update}
    when not matched then insert (${names}) values (${values})`
}
