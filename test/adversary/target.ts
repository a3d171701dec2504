/** A server process under attack, and a prober that measures its responsiveness. */
import { openSync, readFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Engine } from '../../src/sql/template.ts'
import { defined } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { openNameserver } from '../helpers/peers/nameserver.ts'
import { openPluginHosts } from '../helpers/peers/plugin-hosts.ts'
import { serverPlace } from '../helpers/programs/postgres.ts'
import { type ServerProcess, startProcess } from '../helpers/programs/process.ts'
import { createResources, type Send as SendAsOwner, type Tenant } from '../helpers/seeds/tenants.ts'
import { openProber } from './prober.ts'

export interface Request {
  method: string
  /** Path and query, encoded. */
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Without the owner's key. */
  anonymous?: boolean
}

export interface Reply {
  status: number
  text: string
}

export type Send = (request: Request) => Promise<Reply>

/** A sequence of requests, such as a write and the reads after it. */
export interface Attack {
  name: string
  run(send: Send): Promise<unknown>
}

export interface World {
  engine: Engine
  database_url: string
  key: string
  project_token: string
  organization_id: string
  project_id: number
  ids: Tenant['ids']
  /** An empty GitHub on loopback. */
  plugin_host: string
}

export interface Target {
  world: World
  /** Sends a request without a time limit. Throws if it fails. */
  send: Send
  /** Runs attacks concurrently. If the prober measures a delay, repeats each attack alone. */
  attack(attacks: readonly Attack[]): Promise<void>
  /** Descriptions of all failures. */
  failures: string[]
  /** The slowest acceptable probe on this machine. */
  limit_ms: number
  /** The slowest probe within the limit. */
  slowest_ms: number
  sent: number
  child(): ServerProcess['child']
  /** The length of the longest log line of the server. */
  longestLogLine(): number
}

/** The attempts before a slow response counts as a failure, because a busy machine may be the cause. */
const ATTEMPTS = 3
const REPLY_TIMEOUT_MS = 60_000
/** An error that repeats the input would be longer. */
const MAX_ERROR_CHARACTERS = 4_000
/** After this time, the event loop counts as blocked, and the server is replaced. */
const STUCK_MS = 10_000
/** The checked part of a response. */
const MAX_REPLY_BYTES = 8 * 1024 * 1024
const RESET_CODES: readonly string[] = ['ECONNRESET', 'EPIPE']

export async function openTarget(t: Test, engine: Engine, settings: Record<string, string> = {}): Promise<Target> {
  const database_url = await serverPlace(t, engine)
  const hosts = await openPluginHosts(t)
  const folder = freshFolder(t)
  const log = join(folder, 'log')
  const environment = {
    ...hosts.environment,
    DATABASE_URL: database_url,
    DNS_SERVERS: await openNameserver(t, {}),
    TRUST_PROXY: 'true',
    EVENTS_QUERY_TIMEOUT_MS: '4000',
    EXPORT_FOLDER: join(folder, 'exports'),
    PLUGIN_FETCH_TIMEOUT_MS: '2000',
    LOG_LEVEL: 'info',
    ...settings,
  }
  const start = (): Promise<ServerProcess> => startProcess(t, environment, undefined, openSync(log, 'a'))
  let server = await start()
  const prober = openProber(t)
  const failures: string[] = []
  const fail = (...messages: string[]): void => {
    for (const message of messages.filter((message) => !failures.includes(message))) {
      failures.push(message)
      t.comment(message)
    }
  }
  const counts = { sent: 0, slowest_ms: 0 }

  let agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const exchange = (request: Request, isRetry = false): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body, anonymous } = request
      const url = new URL(server.url)
      counts.sent++
      let responded = false
      const outgoing = httpRequest(
        {
          agent,
          host: url.hostname,
          port: url.port,
          method,
          path,
          headers: { ...(!anonymous && { authorization: `Bearer ${world.key}` }), ...headers },
        },
        (response) => {
          responded = true
          const chunks: Buffer[] = []
          response.on('data', (chunk) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () =>
            resolve({
              status: Number(response.statusCode),
              text: Buffer.concat(chunks).toString('utf8', 0, MAX_REPLY_BYTES),
            }),
          )
        },
      )
      outgoing.setTimeout(REPLY_TIMEOUT_MS, () =>
        outgoing.destroy(new Error(`no response within ${REPLY_TIMEOUT_MS / 1000} s`)),
      )
      outgoing.on('error', (error) => {
        if (responded) return
        // The server may close an idle connection while the client reuses it.
        if (outgoing.reusedSocket && !isRetry) exchange(request, true).then(resolve, reject)
        else reject(error)
      })
      outgoing.end(body)
    })

  const first = { key: defined(server.api_key), project_token: server.project_token }
  const { organization_id, project_id } = server as unknown as { organization_id: string; project_id: number }
  const world: World = {
    engine,
    database_url,
    organization_id,
    project_id,
    ids: {} as Tenant['ids'],
    plugin_host: hosts.urls.github,
    ...first,
  }
  const send: Send = async (request) => {
    const response = await exchange(request)
    if (response.status >= 300)
      throw new Error(`${request.method} ${request.path}: ${response.status} ${response.text}`)
    return response
  }
  const asOwner: SendAsOwner = async (method, path, { body, key } = {}) => {
    const { text } = await send({
      method,
      path,
      anonymous: key === null,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return JSON.parse(text)
  }
  // The first query starts the event reader, which may take longer than the timeout on a busy machine.
  const warmUp = { method: 'GET', path: `/api/projects/${project_id}/events/?select=${encodeURIComponent('["uuid"]')}` }
  for (let attempt = 0; attempt < 20 && (await exchange(warmUp)).status !== 200; attempt++);
  const { uuid: owner_uuid } = await asOwner('GET', '/api/users/@me/')
  world.ids = (await createResources(asOwner, { organization_id, project_id, owner_uuid }, 'target')).ids

  prober.watch(server.url)
  const limit_ms = await prober.limit()
  const stuck_ms = Math.max(STUCK_MS, limit_ms)

  async function replace(): Promise<void> {
    await server.kill()
    agent.destroy()
    agent = new Agent({ keepAlive: true })
    server = await start()
    prober.watch(server.url)
    await prober.report()
  }

  /** Describes a fault of a response. Undefined if there is none. */
  function describeFault({ status, text }: Reply): string | undefined {
    if (status >= 500 && status !== 503) return `returned ${status}: ${text.slice(0, 300)}`
    if (status < 400) return undefined
    if (text.length > MAX_ERROR_CHARACTERS) return `returned ${status} with ${text.length} characters`
    return undefined
  }

  /** Runs attacks concurrently. Returns their faults, the slowest probe, and whether the server was lost. */
  async function run(attacks: readonly Attack[]): Promise<{ faults: string[]; slowest_ms: number; lost: boolean }> {
    const faults: string[] = []
    const watched =
      (name: string): Send =>
      async (request) => {
        try {
          const response = await exchange(request)
          const fault = describeFault(response)
          if (fault) faults.push(`${name}: ${request.method} ${request.path.slice(0, 100)} ${fault}`)
          return response
        } catch (error) {
          const { code, message } = error as NodeJS.ErrnoException
          // The server may close the connection while the client still sends a rejected body.
          const rejected = RESET_CODES.includes(code ?? '') && (request.body?.length ?? 0) > 1024 * 1024
          if (!rejected) faults.push(`${name}: ${request.method} ${request.path.slice(0, 100)} failed: ${message}`)
          return { status: 0, text: '' }
        }
      }
    const all = Promise.all(
      attacks.map(({ name, run }) =>
        run(watched(name)).catch((error: Error) => {
          faults.push(`${name}: ${error.message}`)
        }),
      ),
    )
    // The prober detects a blocked server earlier than the requests do.
    let done = false
    void all.then(() => {
      done = true
    })
    let report = await prober.report()
    let { slowest_ms } = report
    while (!done && report.failure === null && slowest_ms < stuck_ms) {
      await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 20))])
      report = await prober.report()
      slowest_ms = Math.max(slowest_ms, report.slowest_ms)
    }
    const lost = report.failure !== null || server.child.exitCode !== null || slowest_ms >= stuck_ms
    if (lost) {
      if (report.failure !== null || server.child.exitCode !== null)
        faults.push(`${attacks.map(({ name }) => name).join(' + ')}: the server died (${report.failure})`)
      await replace()
      await all
      if (slowest_ms >= stuck_ms) faults.length = 0
    }
    return { faults, slowest_ms, lost }
  }

  const target: Target = {
    world,
    send,
    failures,
    limit_ms,
    get slowest_ms() {
      return counts.slowest_ms
    },
    get sent() {
      return counts.sent
    },
    child: () => server.child,
    longestLogLine: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .reduce((longest, line) => Math.max(longest, line.length), 0),
    attack: async (attacks) => {
      const together = await run(attacks)
      if (!together.lost) fail(...together.faults)
      if (!together.lost && together.slowest_ms <= limit_ms) {
        counts.slowest_ms = Math.max(counts.slowest_ms, together.slowest_ms)
        return
      }
      for (const attack of attacks) {
        const times_ms: number[] = []
        while (times_ms.length < ATTEMPTS) {
          const { faults, slowest_ms, lost } = await run([attack])
          if (lost || attacks.length > 1) fail(...faults)
          times_ms.push(Math.round(slowest_ms))
          if (slowest_ms <= limit_ms) break
        }
        // The machine may be busier than when the limit was measured.
        if (
          times_ms.length === ATTEMPTS &&
          Math.min(...times_ms) > limit_ms &&
          Math.min(...times_ms) > (await prober.limit())
        )
          fail(`${attack.name}: the server did not respond for ${times_ms.join(', ')} ms`)
      }
    },
  }
  return target
}
