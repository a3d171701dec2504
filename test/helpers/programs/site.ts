/** An installation whose servers are child processes with a controllable clock. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Engine } from '../../../src/sql/template.ts'
import { defined, itemAt } from '../assertions/items.ts'
import { freshFolder } from '../folders.ts'
import type { BodyAt } from '../response-bodies.ts'
import { serverPlace } from './postgres.ts'
import { programFile, type ServerProcess, startProcess } from './process.ts'

export interface Site {
  database_url: string
  /** The folder of File exports. */
  files: string
  project_id: number
  project_token: string
  api_key: string
  /** The running servers. */
  servers: ServerProcess[]
  start(environment?: Record<string, string>): Promise<ServerProcess>
  /** Kills a server, by default the first one, with SIGKILL, like a power loss. */
  kill(server?: ServerProcess): Promise<void>
  /** Moves the clock of all servers. */
  advance(milliseconds: number): void
  /** The time of the servers in ISO 8601. */
  now(): string
  /** Sends a request to a server, by default the first one. Throws unless the response is 2xx. */
  request<const Method extends string, const Url extends string>(
    method: Method,
    path: Url,
    body?: unknown,
    server?: ServerProcess,
  ): Promise<BodyAt<Method, Url>>
}

export interface SiteOptions {
  /** An empty database; created by default. */
  database_url?: string
  /** Variables of all servers. */
  environment?: Record<string, string>
}

/** Opens an installation with one server. */
export async function openSite(t: Test, engine: Engine, options: SiteOptions = {}): Promise<Site> {
  const folder = freshFolder(t)
  const files = join(folder, 'exports')
  mkdirSync(files)
  const CLOCK_FILE = join(folder, 'clock')
  let ahead = 0
  const advance = (milliseconds: number): void => {
    ahead += milliseconds
    // A rename is atomic; a server could read a partly written file.
    writeFileSync(`${CLOCK_FILE}.new`, String(ahead))
    renameSync(`${CLOCK_FILE}.new`, CLOCK_FILE)
  }
  advance(0)
  const database_url = options.database_url ?? (await serverPlace(t, engine))
  const shared = {
    DATABASE_URL: database_url,
    EXPORT_FOLDER: files,
    CLOCK_FILE,
    // Each slot is a child process of each server.
    EXPORT_SLOTS: '2',
    SECRET_KEY: 'ab'.repeat(32),
    OUTBOUND_ALLOW: '127.0.0.1/32',
    ...options.environment,
  }
  const program = ['test/helpers/programs/shifted-server.js', programFile('main.js')]
  const servers: ServerProcess[] = []
  const start: Site['start'] = async (environment = {}) => {
    const server = await startProcess(t, { ...shared, ...environment }, program)
    servers.push(server)
    return server
  }
  const first = (await start()) as ServerProcess & { project_id: number }
  const { project_id, project_token } = first
  const api_key = defined(first.api_key)
  return {
    database_url,
    files,
    project_id,
    project_token,
    api_key,
    servers,
    start,
    kill: async (server = itemAt(servers, 0)) => {
      servers.splice(servers.indexOf(server), 1)
      await server.kill()
    },
    advance,
    now: () => new Date(Date.now() + ahead).toISOString(),
    request: async (method, path, body, server = itemAt(servers, 0)) => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${api_key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${text}`)
      return text && JSON.parse(text)
    },
  }
}

/** Polls until the result is truthy. */
export async function until<Result>(poll: () => Promise<Result | false | null | undefined>): Promise<Result> {
  for (;;) {
    const response = await poll()
    if (response) return response
    await pause(20)
  }
}
