/** A real server on a database of its own, and what trials ask of it. Everything made here goes when this process does. */
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
  /** The database of its events. */
  file: string
  agent: Agent
}

export const PEOPLE = 2_000
const NAMES = ['$pageview', '$autocapture', 'order placed', 'signed up']
const ROWS_PER_TRANSACTION = 100_000
const DAYS = 30
const DAY_MS = 86_400_000

const servers: ChildProcess[] = []
let root: string | undefined
process.once('exit', () => {
  for (const server of servers) server.kill('SIGKILL')
  if (root) rmSync(root, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

export const endWithThis = (server: ChildProcess): void => void servers.push(server)

export function folder(): string {
  root ??= mkdtempSync(join(tmpdir(), 'workspace-bench-'))
  return mkdtempSync(join(root, 'data-'))
}

/** On a folder of its own, or as another process on the folder of this one. */
export async function startWorkspace(beside?: Workspace): Promise<Workspace> {
  const place = beside ? dirname(beside.file) : folder()
  const serve = ['dist/workspace-admin.js', 'serve', '--json', '--port', '0', '--database', `sqlite:${place}`]
  const server = spawn(process.execPath, serve, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LOG_LEVEL: 'error', RATE_LIMITS: 'false' },
  })
  endWithThis(server)
  const [line] = await once(createInterface(server.stdout), 'line')
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const told = JSON.parse(line as string)
  const api_key = told.api_key ?? beside?.api_key
  return { ...told, api_key, pid: server.pid!, file: join(place, EVENTS.file), agent }
}

const filled = new Map<number, Promise<Workspace>>()

/** With this many events in its first project: one for all trials of a run. */
export function workspaceOf(events: number): Promise<Workspace> {
  const found = filled.get(events) ?? startWorkspace()
  if (!filled.has(events))
    filled.set(
      events,
      found.then((made) => {
        fill(made, [made.project_id], events)
        return made
      }),
    )
  return filled.get(events)!
}

/** What a browser sends, about 400 bytes. */
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

export const nameOf = (i: number): string => NAMES[i % NAMES.length]!

/** Rows as ingestion would have left them over some days, in each of the projects: straight into the file, indexes last. */
export function fill({ file }: Workspace, projects: readonly number[], count: number, days = DAYS): void {
  const db = new Sqlite(file)
  db.pragma('synchronous = off')
  const indexes = db
    .prepare("select name, sql from sqlite_master where tbl_name = 'events' and type = 'index' and sql is not null")
    .all() as { name: string; sql: string }[]
  for (const { name } of indexes) db.exec(`drop index ${name}`)
  const event = db.prepare(
    "insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain) values (?, ?, ?, ?, ?, ?, ?, '')",
  )
  const person = db.prepare("insert into persons values (?, ?, '{}', 0, ?, ?)")
  const distinctId = db.prepare('insert into person_distinct_ids values (?, ?, ?)')
  const rows = db.transaction((project_id: number, from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const msecs = start + Math.floor((i / count) * days * DAY_MS)
      const uuid = v7({ msecs, seq: i })
      const json = JSON.stringify(properties(i, () => uuid))
      event.run(project_id, uuid, nameOf(i), `person-${(i * 7_919) % PEOPLE}`, msecs * 1_000, msecs * 1_000, json)
    }
  })
  const people = db.transaction((project_id: number) => {
    for (let i = 0; i < PEOPLE; i++) {
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
  db.pragma('wal_checkpoint(truncate)')
  db.close()
}

/** A request with the first key, and its answer's head; throws for anything but success. */
export function ask(
  { url, agent, api_key }: Workspace,
  path: string,
  { body, signal }: { body?: Buffer; signal?: AbortSignal } = {},
): Promise<IncomingMessage> {
  const headers = {
    authorization: `Bearer ${api_key}`,
    ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method: body ? 'POST' : 'GET', agent, headers, signal }, (response) => {
      if (response.statusCode! < 300) return resolve(response)
      text(response).then((said) => reject(new Error(`${path} answered ${response.statusCode}: ${said}`)), reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The whole answer. */
export const answer = async (...asked: Parameters<typeof ask>): Promise<string> => text(await ask(...asked))

export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** The smallest of the figures that this share of them does not exceed. */
export const percentile = (figures: number[], share: number): number =>
  figures.toSorted((a, b) => a - b)[Math.ceil(figures.length * share) - 1]!

const megabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

/** What the server and its readers hold in memory, in MB. */
export function memoryOf({ pid }: Workspace): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean)
  return [pid, ...children.map(Number)].reduce((sum, one) => sum + megabytes(one), 0)
}

const SAMPLE_MS = 50

/** The most they hold while something is done. */
export async function mostMemory(place: Workspace, work: () => Promise<unknown>): Promise<number> {
  let most = 0
  const sampling = setInterval(() => {
    most = Math.max(most, memoryOf(place))
  }, SAMPLE_MS)
  await work()
  clearInterval(sampling)
  return most
}
