/** Servers on one PostgreSQL per run. It starts on first use and stops when this process exits. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { personIdOf } from '../src/events/persons.ts'
import { startPostgresProcess } from '../test/helpers/programs/postgres.ts'
import {
  COUNT_EVENTS,
  DAY_MS,
  DAYS,
  eventRow,
  PEOPLE,
  shared,
  startServer,
  tempFolder,
  type Workspace,
} from './workspace.ts'

const BLOCK_CHARACTERS = 256 * 1024
const SECRET_KEY = randomBytes(32).toString('hex')

let server: Promise<string> | undefined
let databases = 0

/** The URL of the embedded server. Its commits are durable, as those of SQLite are. */
export function embeddedPostgres(): Promise<string> {
  server ??= startPostgresProcess({ durable: true }).then(({ url }) => url)
  return server
}

/** Creates an empty database on the server of this URL, and returns the URL of the database. */
export async function createDatabase(server: string): Promise<string> {
  const name = `bench_${process.pid}_${++databases}`
  await withClient(server, (client) => client.query(`create database ${name} encoding 'UTF8' template template0`))
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Starts a server on a new database, or another process on the database of `existing`. */
export async function startOnPostgres(existing?: Workspace): Promise<Workspace> {
  return existing
    ? startOnDatabase(existing.database, existing.api_key)
    : startOnDatabase(await createDatabase(await embeddedPostgres()))
}

export const startOnDatabase = (database: string, api_key?: string): Promise<Workspace> =>
  startServer(database, postgresVariables(database), api_key)

/** The environment of a server on this database. */
export const postgresVariables = (database: string): Record<string, string> => ({
  DATABASE_URL: database,
  SECRET_KEY,
  EXPORT_FOLDER: tempFolder(),
})

/** Copies a workspace from SQLite to a new database, and starts a server on it. */
export async function copyToPostgres({ file, api_key }: Workspace): Promise<Workspace> {
  // The command rejects a folder that a server has open.
  const folder = join(tempFolder(), 'copy')
  cpSync(dirname(file), folder, { recursive: true })
  const database = await createDatabase(await embeddedPostgres())
  const args = ['dist/workspace-admin.js', 'copy', '--from', `sqlite:${folder}`, '--to', database]
  const copy = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if ((await once(copy, 'exit'))[0] !== 0) throw new Error('copying to PostgreSQL failed')
  // As autovacuum does soon after such a copy.
  await withClient(database, (client) => client.query('vacuum (analyze)'))
  const SECRET_KEY = readFileSync(join(folder, 'secret.key'), 'utf8').trim()
  rmSync(folder, { recursive: true })
  return startServer(database, { SECRET_KEY, EXPORT_FOLDER: tempFolder() }, api_key)
}

/** A workspace with this many events in its first project. */
export const postgresWorkspaceOf = shared((events: number) => startFilledOnPostgres(events))

export async function startFilledOnPostgres(events: number, days = DAYS): Promise<Workspace> {
  const workspace = await startOnPostgres()
  await copyEvents(workspace, [workspace.project_id], events, days)
  return workspace
}

/** The events that `insertEvents` inserts on SQLite. Creates the indexes last. */
export function copyEvents(
  { database }: Workspace,
  projects: readonly number[],
  count: number,
  days = DAYS,
): Promise<void> {
  const start = Date.now() - days * DAY_MS
  const people = Array.from({ length: PEOPLE }, (_, i) => `person-${i}`)
  return withClient(database, async (client) => {
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
       from pg_index i join pg_class c on c.oid = i.indexrelid
       where i.indrelid = 'events'::regclass and not i.indisunique`,
    )
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    for (const project_id of projects) {
      const ids = people.map((distinct_id) => [distinct_id, personIdOf(project_id, distinct_id)] as const)
      await copyLines(
        client,
        'persons (project_id, id, properties, is_identified, first_distinct_id, created_at)',
        ids.map(([distinct_id, id]) => line(project_id, id, '{}', 'f', distinct_id, start * 1_000)),
      )
      await copyLines(
        client,
        'person_distinct_ids (project_id, distinct_id, person_id)',
        ids.map(([distinct_id, id]) => line(project_id, distinct_id, id)),
      )
      await copyLines(client, EVENT_COLUMNS, eventLines(project_id, count, start, days))
    }
    for (const { definition } of indexes) await client.query(definition)
    await client.query(COUNT_EVENTS)
    await client.query('vacuum (analyze) events, persons, person_distinct_ids')
  })
}

export const EVENT_COLUMNS =
  'events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain)'

function* eventLines(project_id: number, count: number, start: number, days: number): Generator<string> {
  for (let i = 0; i < count; i++) {
    const { uuid, event, distinct_id, timestamp, json } = eventRow(i, start, (days * DAY_MS) / count)
    yield line(project_id, uuid, event, distinct_id, timestamp, timestamp, json, '')
  }
}

/** A row in the text format of COPY. None of the texts has tabs or line breaks: JSON escapes them. */
export const line = (...cells: (string | number)[]): string => `${cells.join('\t').replaceAll('\\', '\\\\')}\n`

export async function copyLines(client: pg.Client, into: string, lines: Iterable<string>): Promise<void> {
  await pipeline(Readable.from(blocks(lines), { objectMode: false }), client.query(copyFrom(`copy ${into} from stdin`)))
}

function* blocks(lines: Iterable<string>): Generator<Buffer> {
  let block = ''
  for (const text of lines) {
    block += text
    if (block.length < BLOCK_CHARACTERS) continue
    yield Buffer.from(block)
    block = ''
  }
  if (block) yield Buffer.from(block)
}
