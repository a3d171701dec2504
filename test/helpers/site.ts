/** An installation with a clock of its own, and the processes that serve it, which may be killed. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Engine } from '../../src/sql/template.ts'
import { freshFolder } from './exports.ts'
import { emptyPlace } from './postgres.ts'
import { programFile, type ServerProcess, startProcess } from './process.ts'

export interface Site {
  database_url: string
  /** Where File exports are. */
  files: string
  project_id: number
  project_token: string
  /** Of the first start. */
  api_key: string
  /** Those that live. */
  servers: ServerProcess[]
  start(environment?: Record<string, string>): Promise<ServerProcess>
  /** As a power cut would end it. */
  kill(server: ServerProcess): Promise<void>
  /** Moves the time of all processes, forward. */
  advance(milliseconds: number): void
  /** ISO 8601, as the processes have it. */
  now(): string
  /** Asks one of them, the first where none is named; throws where it does not answer, or not with success. */
  ask(method: string, path: string, body?: unknown, server?: ServerProcess): Promise<any>
}

const PROGRAM = ['test/helpers/shifted-server.js', programFile('main.js')]

export interface SiteOptions {
  /** A place without a database yet; one on the run's own server by default. */
  database_url?: string
  /** Of every process. */
  environment?: Record<string, string>
}

/** With one process. */
export async function openSite(t: Test, engine: Engine, options: SiteOptions = {}): Promise<Site> {
  const folder = freshFolder(t)
  const files = join(folder, 'exports')
  mkdirSync(files)
  const CLOCK_FILE = join(folder, 'clock')
  let ahead = 0
  const advance = (milliseconds: number): void => {
    ahead += milliseconds
    // Renamed, because a file that is being written is empty for a moment, and the clock would go back.
    writeFileSync(`${CLOCK_FILE}.new`, String(ahead))
    renameSync(`${CLOCK_FILE}.new`, CLOCK_FILE)
  }
  advance(0)
  const database_url = options.database_url ?? (await emptyPlace(t, engine))
  const shared = {
    DATABASE_URL: database_url,
    EXPORT_FOLDER: files,
    CLOCK_FILE,
    // Each is a process that has to be started again with its server.
    EXPORT_SLOTS: '2',
    SECRET_KEY: 'ab'.repeat(32),
    OUTBOUND_ALLOW: '127.0.0.1/32',
    ...options.environment,
  }
  const servers: ServerProcess[] = []
  const start: Site['start'] = async (environment = {}) => {
    const server = await startProcess(t, { ...shared, ...environment }, PROGRAM)
    servers.push(server)
    return server
  }
  const first = (await start()) as ServerProcess & { project_id: number }
  const { project_id, project_token } = first
  const api_key = first.api_key!
  return {
    database_url,
    files,
    project_id,
    project_token,
    api_key,
    servers,
    start,
    kill: async (server) => {
      servers.splice(servers.indexOf(server), 1)
      await server.kill()
    },
    advance,
    now: () => new Date(Date.now() + ahead).toISOString(),
    ask: async (method, path, body, server = servers[0]!) => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${api_key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
      return text && JSON.parse(text)
    },
  }
}

/** Asks again until the answer is there. */
export async function until<Answer>(ask: () => Promise<Answer | false | null | undefined>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    await pause(20)
  }
}
