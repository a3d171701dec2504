/** Delivers to a table in ClickHouse over its HTTP interface. */

import { once } from 'node:events'
import { createGzip, gzipSync } from 'node:zlib'
import type { components } from '../../contract/openapi.ts'
import { errorCode, invalid } from '../../errors.ts'
import { EVENT_COLUMNS as c } from '../../events/extract.ts'
import type { Column } from '../../events/lines.ts'
import { freeText } from '../../events/page-memory.ts'
import { isJsonObject } from '../../json/object.ts'
import { parseJson } from '../../json/parse.ts'
import { type Block, type BlockLimits, hashOf, openBlockReceiver } from '../blocks.ts'
import {
  type Delivery,
  DeliveryError,
  type Destination,
  type Merge,
  permanentError,
  type Receiver,
  retryableError,
  type Tools,
} from '../destination.ts'
import { connectionFailure, type RequestLimits, sendRequest } from '../guarded-requests.ts'
import { hostOf } from '../object-stores.ts'
import { requireColumns } from '../tables.ts'

type Config = components['schemas']['ClickHouseConfig']

/** Values that never change after ingestion: a repeated delivery has the same rows. */
const COLUMNS: readonly Column[] = [
  c.uuid,
  c.event,
  c.properties,
  c.distinct_id,
  c.elements_chain,
  c.team_id,
  c.timestamp,
  c.created_at,
]
/** Column types of a table that the export creates. Other columns are String. */
const EVENT_TYPES: Record<string, string> = {
  uuid: 'UUID',
  team_id: 'Int64',
  timestamp: "DateTime64(6, 'UTC')",
  created_at: "DateTime64(6, 'UTC')",
}
const EVENT_KEY = ['team_id', 'timestamp', 'uuid']
/** The same for columns of a query. JSON is stored as text. */
const QUERY_TYPES: Partial<Record<Column['type']['kind'], string>> = {
  integer: 'Int64',
  float: 'Float64',
  boolean: 'Bool',
  datetime: "DateTime64(6, 'UTC')",
  date: 'Date32',
}
/** The number of inserted blocks that a table remembers. The default of ClickHouse is 0, which disables the tokens. */
const DEDUPLICATION_WINDOW = 1_000
const INSERT_SETTINGS = {
  // An asynchronous insert is acknowledged before it is stored, and its blocks are split differently.
  async_insert: '0',
  insert_deduplicate: '1',
  date_time_input_format: 'best_effort',
  input_format_json_read_objects_as_strings: '1',
  input_format_null_as_default: '1',
}
/** Compresses event JSON to a sixth in a quarter of the time of the default level. */
const GZIP_LEVEL = 1
/** A page is compressed in one task of the thread pool: this thread is often busy reading the next one. */
const GZIP_CHUNK_BYTES = 256 * 1024

export interface ClickHouseLimits extends BlockLimits, RequestLimits {
  /** Time from the first byte of a request to its response. */
  request_ms: number
}
/** ClickHouse splits an insert of more than a million rows or 256 MiB into several blocks. */
const LIMITS: ClickHouseLimits = {
  events: 100_000,
  bytes: 16 * 1024 * 1024,
  connect_ms: 15_000,
  idle_ms: 60_000,
  request_ms: 600_000,
}

export const createClickHouse = (limits: ClickHouseLimits): Destination<Config> => ({
  columns: COLUMNS,
  supportsQuery: true,
  encoding: () => 'json',
  steps: ['Connect', 'Find the database', 'Write to the table'],

  validate: ({ url, user, database, table_name }) => {
    if (!URL.canParse(url)) throw invalid('destination__config__url', '"url" is not a valid URL.')
    const { username, password, search, hash } = new URL(url)
    if (username || password || search || hash)
      throw invalid(
        'destination__config__url',
        'Remove the user, the password and the query from the URL. They are separate settings.',
      )
    if (/[:\p{Cc}]/u.test(user))
      throw invalid('destination__config__user', '"user" must not contain colons or control characters.')
    for (const [key, name = ''] of Object.entries({ database, table_name }))
      if (/["'`\\\p{Cc}]/u.test(name))
        throw invalid(
          `destination__config__${key}`,
          `"${key}" must not contain quotes, backslashes or control characters.`,
        )
  },

  hosts: ({ url }) => [hostOf(new URL(url))],

  open: async (delivery) => {
    const client = createClient(delivery.config, delivery.tools, limits)
    try {
      const config = { table_name: delivery.model, ...delivery.config }
      return await openReceiver(client, { ...delivery, config }, limits)
    } catch (error) {
      client.close()
      throw error
    }
  },

  test: async function* (config, tools) {
    const client = createClient(config, tools, limits)
    const { database, table_name } = namesOf(config)
    try {
      await client.query('select 1 format JSONEachRow')
      yield config.url.startsWith('https:')
        ? 'Connected over TLS. The server accepted the user and the password.'
        : 'Connected without TLS, which OUTBOUND_ALLOW allows for this address.'
      const found = await client.query(
        'select name from system.databases where name = {database:String} format JSONEachRow',
        { param_database: database },
      )
      if (found.length === 0) throw NO_DATABASE
      yield 'The database exists.'
      const [existing] = await columnsOf(client, config)
      if (existing !== undefined) {
        // Checks the permission without writing.
        await client.query(`insert into ${quotedTable(config)} (${quote(existing)}) select null where 0`)
        yield 'The table exists, and the user may insert into it.'
        return
      }
      const trial = `${quote(database)}.${quote(`${table_name}_workspace_admin_test`)}`
      await client.query(`create table if not exists ${trial} (one String) engine = MergeTree order by tuple()`)
      await client.query(`insert into ${trial} (one) format JSONEachRow`, {}, gzipSync('{"one":"1"}'))
      await client.query(`drop table ${trial}`)
      yield 'The user may create the table. The test table was dropped.'
    } finally {
      client.close()
    }
  },
})

export const clickhouse = createClickHouse(LIMITS)

const namesOf = ({
  database = 'default',
  table_name = 'events',
}: Config): { database: string; table_name: string } => ({
  database,
  table_name,
})

const quote = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``

function quotedTable(config: Config): string {
  const { database, table_name } = namesOf(config)
  return `${quote(database)}.${quote(table_name)}`
}

/**
 * Each block is one insert with a deduplication token. The table remembers the tokens and ignores a block that it has
 * already stored: a killed attempt that did not see the response sends the same block again.
 */
async function openReceiver(client: Client, delivery: Delivery<Config>, limits: ClickHouseLimits): Promise<Receiver> {
  const { config, columns, merge, tools, batch_export_id, range_key } = delivery
  const existing = await columnsOf(client, config)
  if (existing.length === 0) await client.query(createTableStatement(config, columns, merge))
  else {
    requireColumns(columns, (name) => existing.includes(name))
    if (!(await detectsRepeats(client, config)))
      tools.log(
        'WARNING',
        `The table does not remember inserted blocks, so a repeated delivery may leave duplicates. Set non_replicated_deduplication_window to ${DEDUPLICATION_WINDOW}.`,
      )
  }
  const insert = `insert into ${quotedTable(config)} (${columns.map(({ name }) => quote(name)).join(', ')}) format JSONEachRow`
  return openBlockReceiver(delivery, limits, {
    envelope_bytes: 0,
    readsAhead: true,
    open: (number) =>
      openBlock([batch_export_id, range_key, String(number)], (insert_deduplication_token, rows) =>
        client.query(insert, { ...INSERT_SETTINGS, insert_deduplication_token }, rows),
      ),
    close: client.close,
  })
}

/** Compresses and hashes the lines as they are added. Only the compressed block stays in memory. */
function openBlock(key: readonly string[], insert: (token: string, rows: Buffer) => Promise<unknown>): Block {
  const gzip = createGzip({ level: GZIP_LEVEL, chunkSize: GZIP_CHUNK_BYTES })
  const compressed: Buffer[] = []
  gzip.on('data', (chunk: Buffer) => void compressed.push(chunk))
  const ended = once(gzip, 'end')
  const hash = hashOf(...key)
  let bytes = 0
  return {
    add: (lines) =>
      new Promise((done, fail) => {
        // The token does not cover the last line break of the block.
        if (bytes > 0) hash.update('\n')
        hash.update(lines.subarray(0, -1))
        bytes += lines.length
        gzip.write(lines, (error) => {
          if (error) return fail(error)
          freeText(lines)
          done()
        })
      }),
    send: async () => {
      gzip.end()
      await ended
      await insert(hash.update('\0').digest('hex'), Buffer.concat(compressed))
      return bytes - 1
    },
  }
}

/** Empty if the table does not exist. */
async function columnsOf(client: Client, config: Config): Promise<string[]> {
  const { database, table_name } = namesOf(config)
  const rows = await client.query(
    'select name from system.columns where database = {database:String} and table = {table:String} format JSONEachRow',
    { param_database: database, param_table: table_name },
  )
  return rows.map(({ name }) => String(name))
}

/** Replicated and shared tables remember blocks by default. */
async function detectsRepeats(client: Client, config: Config): Promise<boolean> {
  const { database, table_name } = namesOf(config)
  const [row] = await client.query(
    'select engine_full from system.tables where database = {database:String} and name = {table:String} format JSONEachRow',
    { param_database: database, param_table: table_name },
  )
  const engine = String(row?.engine_full ?? '')
  return /^(Replicated|Shared)/.test(engine) || /non_replicated_deduplication_window = [1-9]/.test(engine)
}

/** Rows of a query have no key: a table that replaces rows would keep only one of them. */
function createTableStatement(config: Config, columns: readonly Column[], merge: Merge | null): string {
  const isEvents = columns === COLUMNS
  const key = merge?.key ?? (isEvents ? EVENT_KEY : [])
  const types = columns.map(({ name, type }) => {
    if (isEvents) return EVENT_TYPES[name] ?? 'String'
    const plain = name === merge?.version && type.kind === 'integer' ? 'UInt64' : (QUERY_TYPES[type.kind] ?? 'String')
    return key.includes(name) || name === merge?.version ? plain : `Nullable(${plain})`
  })
  const engine = merge ? `ReplacingMergeTree(${quote(merge.version)})` : isEvents ? 'ReplacingMergeTree' : 'MergeTree'
  return `create table if not exists ${quotedTable(config)} (${columns.map(({ name }, i) => `${quote(name)} ${types[i]}`).join(', ')})
    engine = ${engine} order by ${key.length ? `(${key.map(quote).join(', ')})` : 'tuple()'}
    settings non_replicated_deduplication_window = ${DEDUPLICATION_WINDOW}`
}

interface Client {
  /** Runs a statement, with compressed data if it is an insert. Returns the rows of a select. */
  query(statement: string, settings?: Record<string, string>, data?: Buffer): Promise<Record<string, unknown>[]>
  close(): void
}

function createClient(config: Config, { outbound, signal }: Tools, limits: ClickHouseLimits): Client {
  const isEncrypted = new URL(config.url).protocol === 'https:'
  const agent = outbound.agent(isEncrypted ? 'https:' : 'http:', {
    keepAlive: true,
    maxSockets: 1,
    allowed_only: !isEncrypted,
    rejectUnauthorized: !config.has_self_signed_cert,
  })
  const authorization = `Basic ${Buffer.from(`${config.user}:${config.password}`).toString('base64')}`

  return {
    query: async (statement, settings = {}, data) => {
      const url = new URL(config.url)
      // The response is sent when the statement has ended, so its status is final.
      const query = { ...settings, wait_end_of_query: '1', ...(data && { query: statement }) }
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      const headers = { authorization, ...(data && { 'content-encoding': 'gzip' }) }
      signal.throwIfAborted()
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.request_ms)])
      try {
        const {
          status,
          headers: { 'x-clickhouse-exception-code': exception },
          text,
        } = await sendRequest(
          { method: 'POST', url: url.href, headers, body: data ?? statement },
          { agent, signal: deadline, limits },
        )
        const code = String(exception ?? '')
        if (status !== 200 || code !== '') throw describeResponse(status, code)
        return parseRows(text)
      } catch (error) {
        signal.throwIfAborted()
        throw describeConnectionError(error, isEncrypted)
      }
    },
    close: () => agent.destroy(),
  }
}

function parseRows(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').filter((line) => line !== '')
  const rows = lines.map((line) => parseJson(line))
  if (rows.every(isJsonObject)) return rows
  throw UNEXPECTED
}

const UNEXPECTED = permanentError(
  'The response is not from ClickHouse. Set "url" to the address of the HTTP interface, such as https://host:8443.',
  'url',
)
const WRONG_CREDENTIALS = permanentError('The server rejected the user or the password. Check both.')
const NO_PERMISSION = permanentError(
  'The user lacks a permission. Grant it SHOW, CREATE TABLE and INSERT on the database, or INSERT on the table.',
)
const NO_DATABASE = permanentError('The database does not exist. Create it, or correct "database".', 'database')
const WRONG_COLUMN_TYPE = permanentError(
  'A value does not fit its column. Change the type of the column, or let the export create another table.',
)
/** The errors by the numbers of exceptions. */
const ERRORS: [codes: number[], error: DeliveryError][] = [
  [[6, 26, 27, 41, 53, 69, 70, 72, 117], WRONG_COLUMN_TYPE],
  [[16], permanentError('A column is missing from the table. Add it, or use another table.')],
  [[48], permanentError('"table_name" is not a table that accepts rows. Use another name.', 'table_name')],
  [[60], permanentError('The table was dropped during the delivery. Retry the run to create it again.')],
  [[81], NO_DATABASE],
  [[115], permanentError('The server is too old. Use ClickHouse 23.8 or later.')],
  [[159, 202, 209, 210, 319, 394], retryableError('The server is overloaded or restarting.')],
  [[164], permanentError('The user is read-only. Use another user.')],
  [[192, 193, 194, 516], WRONG_CREDENTIALS],
  [[201], retryableError('The quota of the user is exceeded.')],
  [[241], retryableError('The server does not have enough memory for the insert.')],
  [[242], retryableError('The table is read-only at the moment. Check the replicas and Keeper.')],
  [[243], retryableError('The disk of the server is full. Free some space.')],
  [[252], retryableError('The table has too many parts. The server is still merging them.')],
  [[497], NO_PERMISSION],
]

/** Never includes text of the peer. */
function describeResponse(status: number, code: string): DeliveryError {
  const known = ERRORS.find(([codes]) => codes.some((number) => String(number) === code))?.[1]
  if (known) return known
  const number = /^\d{1,5}$/.test(code) ? ` with exception ${code}` : ''
  if (status >= 300 && status < 400)
    return permanentError(
      `The server returned ${status}. Redirects are not followed: set "url" to the final address.`,
      'url',
    )
  if (status === 401 || status === 403) return WRONG_CREDENTIALS
  if (status === 408 || status === 429 || status >= 500 || status === 200)
    return retryableError(`The server returned ${status}${number}. It may be temporarily unavailable.`)
  return permanentError(`The server returned ${status}${number}. Check "url" and the log of the server.`, 'url')
}

function describeConnectionError(error: unknown, isEncrypted: boolean): unknown {
  const code = errorCode(error)
  if (code === 'outbound_refused' && !isEncrypted)
    return permanentError('Use https in "url", or ask the operator to allow the address with OUTBOUND_ALLOW.', 'url')
  if (code === '' || code.startsWith('outbound_')) return error
  if (code === 'EMSGSIZE') return UNEXPECTED
  const failure = connectionFailure(code)
  if (failure === 'untrusted_certificate')
    return permanentError(
      'The certificate is not signed by a trusted authority. Replace it, or set "has_self_signed_cert".',
      'has_self_signed_cert',
    )
  if (failure === 'wrong_certificate')
    return permanentError('The certificate has expired or is for another host. Renew it, or correct "url".', 'url')
  if (failure === 'handshake')
    return new DeliveryError('The TLS handshake with the server failed. Check "url".', {
      retryable: true,
      setting: 'url',
    })
  return retryableError('The connection to the server failed or timed out.')
}
