/** Starts servers on their own databases and sends requests to them. Servers and files are removed when this process exits. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import Sqlite from 'better-sqlite3'
import { v7 } from 'uuid'
import { personIdOf } from '../src/events/persons.ts'
import { EVENTS } from '../src/sql/migrate.ts'

export interface Workspace {
  url: string
  api_key: string
  project_token: string
  project_id: number
  organization_id: string
  pid: number
  /** The URL of the database. */
  database: string
  /** The events database on SQLite. Empty on PostgreSQL. */
  file: string
  agent: Agent
}

export const PEOPLE = 2_000
const NAMES = ['$pageview', '$autocapture', 'order placed', 'signed up']
const ROWS_PER_TRANSACTION = 100_000
export const DAYS = 30
export const DAY_MS = 86_400_000

const servers: ChildProcess[] = []
let root: string | undefined
process.once('exit', () => {
  for (const server of servers) server.kill('SIGKILL')
  if (root) rmSync(root, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

export const killOnExit = (server: ChildProcess): void => void servers.push(server)

export function tempFolder(): string {
  root ??= mkdtempSync(join(tmpdir(), 'workspace-bench-'))
  return mkdtempSync(join(root, 'data-'))
}

/** Starts a server on a new data folder, or another process on the folder of `existing`. */
export async function startWorkspace(existing?: Workspace): Promise<Workspace> {
  const folder = existing ? dirname(existing.file) : tempFolder()
  const workspace = await startServer(`sqlite:${folder}`, {}, existing?.api_key)
  return { ...workspace, file: join(folder, EVENTS.file) }
}

/** `api_key`: the first key, unless this start creates it. */
export async function startServer(
  database: string,
  variables: Record<string, string>,
  api_key?: string,
  program = 'dist/workspace-admin.js',
): Promise<Workspace> {
  const serve = [program, 'serve', '--json', '--port', '0']
  const server = spawn(process.execPath, serve, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LOG_LEVEL: 'error', RATE_LIMITS: 'false', ...variables, DATABASE_URL: database },
  })
  killOnExit(server)
  const [line] = await once(createInterface(server.stdout), 'line')
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const output = JSON.parse(String(line))
  return { ...output, api_key: output.api_key ?? api_key, pid: server.pid, database, file: '', agent }
}

/** Makes one value for each key. The benchmarks of a run share it. */
export function shared<Key, Made>(make: (key: Key) => Promise<Made>): (key: Key) => Promise<Made> {
  const values = new Map<Key, Promise<Made>>()
  return (key) => {
    const value = values.get(key) ?? make(key)
    values.set(key, value)
    return value
  }
}

/** A workspace with this many events in its first project. */
export const workspaceOf = shared((events: number) => startFilled(events))

export async function startFilled(events: number, days = DAYS): Promise<Workspace> {
  const workspace = await startWorkspace()
  insertEvents(workspace, [workspace.project_id], events, { days })
  return workspace
}

/** The properties of a browser event, about 400 bytes. */
export const properties = (i: number, id: () => string = v7): object => ({
  $lib: 'web',
  $lib_version: '1.154.0',
  $session_id: id(),
  $window_id: id(),
  $insert_id: id(),
  $screen_height: 1080,
  $screen_width: 1920,
  plan: 'free',
  price: (i % 100) * 1.5,
  items: [1, 2, 3],
  title: 'A page with a title of ordinary length',
})

/** Returns the properties of the event with the number `i`. `id` returns an id for it. */
export type PropertiesOf = (i: number, id: () => string) => object

export const eventName = (i: number): string => NAMES[i % NAMES.length] ?? ''

export interface EventRow {
  uuid: string
  event: string
  distinct_id: string
  /** Microseconds. */
  timestamp: number
  /** The properties. */
  json: string
}

/** The event with the number `i`, in a series that begins at `start` with one event every `step_ms`. */
export function eventRow(i: number, start: number, step_ms: number, propertiesOf: PropertiesOf = properties): EventRow {
  const msecs = start + Math.floor(i * step_ms)
  const uuid = v7({ msecs, seq: i })
  const json = JSON.stringify(propertiesOf(i, () => uuid))
  const distinct_id = `person-${(i * 7_919) % PEOPLE}`
  return { uuid, event: eventName(i), distinct_id, timestamp: msecs * 1_000, json }
}

const HOUR_OF_EVENT = 'timestamp / 3600000000'
/** Stores the hourly counts that ingestion would have stored. */
export const COUNT_EVENTS = `
  delete from event_counts;
  insert into event_counts (project_id, hour, event, count)
    select project_id, ${HOUR_OF_EVENT}, event, count(*) from events group by 1, 2, 3
    union all select project_id, ${HOUR_OF_EVENT}, '', count(*) from events group by 1, 2`

interface Seed {
  days?: number
  persons?: number
  propertiesOf?: PropertiesOf
}

/** Inserts events into each project's database file directly, as if ingested over some days. Creates the indexes last. Persons beyond `PEOPLE` have no events. */
export function insertEvents(
  { file }: Workspace,
  projects: readonly number[],
  count: number,
  { days = DAYS, persons = PEOPLE, propertiesOf }: Seed = {},
): void {
  const db = new Sqlite(file)
  db.pragma('synchronous = off')
  const indexes = db
    .prepare("select name, sql from sqlite_master where tbl_name = 'events' and type = 'index' and sql is not null")
    .all() as { name: string; sql: string }[]
  for (const { name } of indexes) db.exec(`drop index ${name}`)
  const event = db.prepare(
    "insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain) values (?, ?, ?, ?, ?, ?, ?, '')",
  )
  const person = db.prepare("insert into persons values (?, ?, '{}', 0, ?, ?, 0)")
  const distinctId = db.prepare('insert into person_distinct_ids values (?, ?, ?)')
  const rows = db.transaction((project_id: number, from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const row = eventRow(i, start, (days * DAY_MS) / count, propertiesOf)
      event.run(project_id, row.uuid, row.event, row.distinct_id, row.timestamp, row.timestamp, row.json)
    }
  })
  const people = db.transaction((project_id: number) => {
    for (let i = 0; i < persons; i++) {
      const [id, person_id] = [`person-${i}`, personIdOf(project_id, `person-${i}`)]
      person.run(project_id, person_id, id, start * 1_000)
      distinctId.run(project_id, id, person_id)
    }
  })
  const start = Date.now() - days * DAY_MS
  for (const project_id of projects) {
    people(project_id)
    for (let from = 0; from < count; from += ROWS_PER_TRANSACTION)
      rows(project_id, from, Math.min(count, from + ROWS_PER_TRANSACTION))
  }
  for (const index of indexes) db.exec(index.sql)
  db.exec(COUNT_EVENTS)
  db.pragma('wal_checkpoint(truncate)')
  db.close()
}

/** Sends a request with the first key and resolves with the response's head. Throws unless the status is 2xx. */
export function send(
  { url, agent, api_key }: Workspace,
  path: string,
  { body, signal }: { body?: Buffer; signal?: AbortSignal } = {},
): Promise<IncomingMessage> {
  const headers = {
    authorization: `Bearer ${api_key}`,
    ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(path, url),
      { method: body ? 'POST' : 'GET', agent, headers, signal },
      (response) => {
        const { statusCode = 0 } = response
        if (statusCode < 300) return resolve(response)
        text(response).then((content) => reject(new Error(`${path} returned ${statusCode}: ${content}`)), reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

export const fetchBody = async (...args: Parameters<typeof send>): Promise<string> => text(await send(...args))

export const postJson = (workspace: Workspace, path: string, body: object): Promise<string> =>
  fetchBody(workspace, path, { body: Buffer.from(JSON.stringify(body)) })

export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

export const percentile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean).map(Number)

const megabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Resident memory of the server and its reader processes, in MB. */
export function memoryOf({ pid }: Workspace): number {
  return [pid, ...childrenOf(pid)].reduce((sum, process) => sum + megabytes(process), 0)
}

const SAMPLE_MS = 50

/** Peak memory of the server and its reader processes during `work`. */
export async function peakMemory(workspace: Workspace, work: () => Promise<unknown>): Promise<number> {
  let peak = 0
  const sampling = setInterval(() => {
    peak = Math.max(peak, memoryOf(workspace))
  }, SAMPLE_MS)
  await work()
  clearInterval(sampling)
  return peak
}
