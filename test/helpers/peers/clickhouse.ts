/** A stub of ClickHouse's HTTP interface: tables, inserts with deduplication tokens, errors and faults. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { itemAt } from '../assertions/items.ts'
import type { Schemas } from '../response-bodies.ts'
import { SELF_SIGNED } from './certificate.ts'

export interface StubTable {
  columns: string[]
  /** The text after `engine =`, as in `system.tables`. */
  engine: string
  rows: Record<string, unknown>[]
  /** The tokens of the latest blocks, oldest first. */
  tokens: string[]
  /** The tokens of all inserts, also of ignored ones. */
  inserts: string[]
}

/** `exception`: an error response. `drop`: applies the statement, but closes the connection. `hang`: never responds. */
export type StubFault =
  | { exception: number; status?: number }
  | { status: number; body?: string }
  | 'drop'
  | 'hang'
  | undefined

export interface ClickHouseStub {
  port: number
  url: string
  config: (more?: object) => Schemas['ClickHouseConfig']
  tables: Map<string, StubTable>
  statements: string[]
  fault: (statement: string) => StubFault
}

class StubError extends Error {
  constructor(
    readonly code: number,
    readonly status = 500,
  ) {
    super()
  }
}

const USER = 'exporter'
const PASSWORD = 'pässword'

export async function openClickHouse(t: Test, { tls = false } = {}): Promise<ClickHouseStub> {
  const tables = new Map<string, StubTable>()
  const stub: ClickHouseStub = {
    port: 0,
    url: '',
    config: (more = {}) => ({ url: stub.url, user: USER, password: PASSWORD, ...more }),
    tables,
    statements: [],
    fault: () => undefined,
  }

  async function execute(incoming: IncomingMessage): Promise<{ statement: string; result: string }> {
    const { searchParams } = new URL(String(incoming.url), 'http://stub')
    const credentials = Buffer.from(incoming.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString()
    const sent = await buffer(incoming)
    const body = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    const statement = searchParams.get('query') ?? body.toString()
    stub.statements.push(statement)
    if (credentials !== `${USER}:${PASSWORD}`) throw new StubError(516, 403)
    const fault = stub.fault(statement)
    if (fault === 'hang') return new Promise(() => undefined)
    if (typeof fault === 'object' && 'exception' in fault) throw new StubError(fault.exception, fault.status)
    if (typeof fault === 'object') throw new StubError(0, fault.status)
    const result = run(statement, searchParams, body.toString())
    if (fault === 'drop') incoming.socket.destroy()
    return { statement, result }
  }

  function run(statement: string, settings: URLSearchParams, data: string): string {
    const lines = (rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    const parameter = `${settings.get('param_database')}.${settings.get('param_table')}`
    if (statement.startsWith('select 1 ')) return lines([{ 1: 1 }])
    if (statement.includes('from system.databases'))
      return lines(settings.get('param_database') === 'default' ? [{ name: 'default' }] : [])
    if (statement.includes('from system.columns'))
      return lines((tables.get(parameter)?.columns ?? []).map((name) => ({ name })))
    if (statement.includes('from system.tables'))
      return lines([tables.get(parameter)].flatMap((table) => (table ? [{ engine_full: table.engine }] : [])))
    const created = /^create table if not exists `(.+?)`\.`(.+?)` \((.*)\)\s+engine = (.*)$/s.exec(statement)
    if (created) {
      const [, database, name, columns = '', engine = ''] = created
      if (database !== 'default') throw new StubError(81, 404)
      const names = columns
        .split(/, (?![^(]*\))/)
        .map((column) =>
          (/^`((?:\\.|[^`\\])+)`/.exec(column)?.[1] ?? itemAt(column.split(' '), 0)).replace(/\\(.)/g, '$1'),
        )
      const key = `${database}.${name}`
      if (!tables.has(key)) tables.set(key, { columns: names, engine, rows: [], tokens: [], inserts: [] })
      return ''
    }
    const dropped = /^drop table `(.+?)`\.`(.+?)`$/.exec(statement)
    if (dropped) {
      tables.delete(`${dropped[1]}.${dropped[2]}`)
      return ''
    }
    const insert = /^insert into `(.+?)`\.`(.+?)` \((.*)\) (?:format JSONEachRow|select null where 0)$/.exec(statement)
    if (!insert) throw new StubError(62, 400)
    const table = tables.get(`${insert[1]}.${insert[2]}`)
    if (!table) throw new StubError(60, 404)
    if (statement.endsWith('where 0')) return ''
    insertRows(table, settings, data)
    return ''
  }

  function insertRows(table: StubTable, settings: URLSearchParams, data: string): void {
    const token = settings.get('insert_deduplication_token')
    const rows = data
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    for (const row of rows)
      for (const [name, value] of Object.entries(row)) {
        if (!table.columns.includes(name)) throw new StubError(117, 400)
        if (typeof value === 'object' && value !== null) {
          if (settings.get('input_format_json_read_objects_as_strings') !== '1') throw new StubError(117, 400)
          row[name] = JSON.stringify(value)
        }
      }
    const [, digits = '0'] = /non_replicated_deduplication_window = (\d+)/.exec(table.engine) ?? []
    const window = settings.get('async_insert') === '0' ? Number(digits) : 0
    if (token) table.inserts.push(token)
    if (token && window && table.tokens.includes(token)) return
    if (token) table.tokens = [...table.tokens, token].slice(-window || table.tokens.length + 1)
    table.rows.push(...rows)
  }

  const handle: RequestListener = (incoming, response) => {
    execute(incoming).then(
      ({ result }) => response.writeHead(200).end(result),
      (error) => {
        // The client was killed while it sent a block.
        if (!(error instanceof StubError)) return response.destroy()
        const { code, status } = error
        const headers = code ? { 'x-clickhouse-exception-code': code } : {}
        response.writeHead(status, headers).end(`Code: ${code}. peer-words`)
      },
    )
  }
  const server = tls ? createTlsServer(SELF_SIGNED, handle) : createServer(handle)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  stub.port = (server.address() as AddressInfo).port
  stub.url = `${tls ? 'https' : 'http'}://127.0.0.1:${stub.port}`
  return stub
}

/** The rows of a table after a merge: one per key, with the highest version if the engine has a version column. */
export function mergedRows({ engine, rows }: StubTable): Record<string, unknown>[] {
  const [, version] = /ReplacingMergeTree\(`(.+?)`\)/.exec(engine) ?? []
  const [, key] = /order by \((.+?)\)/.exec(engine) ?? []
  if (!engine.startsWith('ReplacingMergeTree') || !key) return rows
  const names = [...key.matchAll(/`(.+?)`/g)].map(([, name = '']) => name)
  const latest = new Map<string, Record<string, unknown>>()
  for (const row of rows) {
    const id = JSON.stringify(names.map((name) => row[name]))
    const before = latest.get(id)
    if (!before || !version || Number(row[version]) >= Number(before[version])) latest.set(id, row)
  }
  return [...latest.values()]
}
