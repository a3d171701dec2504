/** A built server in a process of its own, watched from another one while it is attacked. */
import { openSync, readFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Engine } from '../../src/sql/template.ts'
import { freshFolder } from '../helpers/exports.ts'
import { openNameserver } from '../helpers/nameserver.ts'
import { openPluginHosts } from '../helpers/plugin-hosts.ts'
import { emptyPlace } from '../helpers/postgres.ts'
import { type ServerProcess, startProcess } from '../helpers/process.ts'
import { fill, type Send as SendAsOwner, type Tenant } from '../helpers/tenants.ts'
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

export interface Answer {
  status: number
  text: string
}

export type Send = (request: Request) => Promise<Answer>

/** Requests that belong together, such as a write and what shows it again. */
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
  /** A GitHub on loopback, without anything on it. */
  plugin_host: string
}

export interface Target {
  world: World
  /** Sends without looking at the time, and throws unless it succeeds. */
  send: Send
  /** Attacks at once; where the server was slow to answer the prober, each again by itself. */
  attack(attacks: readonly Attack[]): Promise<void>
  /** What went wrong, a sentence each. */
  failures: string[]
  /** How long the prober may wait on this machine. */
  limit_ms: number
  /** The slowest probe that passed. */
  slowest_ms: number
  sent: number
  child(): ServerProcess['child']
  /** The longest line that the server has logged. */
  longestLogLine(): number
}

/** How often a text may make the server slow before it counts: a busy machine is slow by itself. */
const ATTEMPTS = 3
const ANSWER_MS = 60_000
/** Enough for any message; an error that repeats what was sent is longer. */
const ERROR_LENGTH = 4_000
/** Past this, or the limit, the event loop is taken to be stuck, and the server is replaced. */
const STUCK_MS = 10_000
/** How much of an answer is looked at. */
const TEXT_BYTES = 8 * 1024 * 1024
const HOLDS_UP: readonly string[] = ['ECONNRESET', 'EPIPE']

export async function openTarget(t: Test, engine: Engine, settings: Record<string, string> = {}): Promise<Target> {
  const database_url = await emptyPlace(t, engine)
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
  const fail = (...sentences: string[]): void => {
    for (const sentence of sentences.filter((one) => !failures.includes(one))) {
      failures.push(sentence)
      t.comment(sentence)
    }
  }
  const counts = { sent: 0, slowest_ms: 0 }

  let agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const exchange = (request: Request, again = false): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body, anonymous } = request
      const url = new URL(server.url)
      counts.sent++
      let answered = false
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
          answered = true
          const chunks: Buffer[] = []
          response.on('data', (chunk) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () =>
            resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString('utf8', 0, TEXT_BYTES) }),
          )
        },
      )
      outgoing.setTimeout(ANSWER_MS, () => outgoing.destroy(new Error(`no answer within ${ANSWER_MS / 1000} s`)))
      outgoing.on('error', (error) => {
        if (answered) return
        // The server may close an idle connection at the moment of its next use.
        if (outgoing.reusedSocket && !again) exchange(request, true).then(resolve, reject)
        else reject(error)
      })
      outgoing.end(body)
    })

  const first = { key: server.api_key!, project_token: server.project_token }
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
    const answer = await exchange(request)
    if (answer.status >= 300) throw new Error(`${request.method} ${request.path}: ${answer.status} ${answer.text}`)
    return answer
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
  world.ids = (await fill(asOwner, { organization_id, project_id, owner_uuid }, 'target')).ids

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

  /** What is wrong with an answer, if anything. */
  function faultOf({ status, text }: Answer): string | undefined {
    if (status >= 500 && status !== 503) return `answered ${status}: ${text.slice(0, 300)}`
    if (status < 400) return undefined
    if (text.length > ERROR_LENGTH) return `answered ${status} with ${text.length} characters`
    return undefined
  }

  /** Runs attacks at once. Answers their faults, how long the slowest probe took, and whether the server is gone. */
  async function run(attacks: readonly Attack[]): Promise<{ faults: string[]; slowest_ms: number; lost: boolean }> {
    const faults: string[] = []
    const watched =
      (name: string): Send =>
      async (request) => {
        try {
          const answer = await exchange(request)
          const fault = faultOf(answer)
          if (fault) faults.push(`${name}: ${request.method} ${request.path.slice(0, 100)} ${fault}`)
          return answer
        } catch (error) {
          const { code, message } = error as NodeJS.ErrnoException
          // A server that refuses a body closes while it is being sent.
          const refused = HOLDS_UP.includes(code ?? '') && (request.body?.length ?? 0) > 1024 * 1024
          if (!refused) faults.push(`${name}: ${request.method} ${request.path.slice(0, 100)} failed: ${message}`)
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
    // A server that is stuck answers nobody: the prober tells earlier than the requests do.
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
        .reduce((most, line) => Math.max(most, line.length), 0),
    attack: async (attacks) => {
      const together = await run(attacks)
      if (!together.lost) fail(...together.faults)
      if (!together.lost && together.slowest_ms <= limit_ms) {
        counts.slowest_ms = Math.max(counts.slowest_ms, together.slowest_ms)
        return
      }
      for (const attack of attacks) {
        const took: number[] = []
        while (took.length < ATTEMPTS) {
          const { faults, slowest_ms, lost } = await run([attack])
          if (lost || attacks.length > 1) fail(...faults)
          took.push(Math.round(slowest_ms))
          if (slowest_ms <= limit_ms) break
        }
        // The machine may have become busy since.
        if (took.length === ATTEMPTS && Math.min(...took) > limit_ms && Math.min(...took) > (await prober.limit()))
          fail(`${attack.name}: the server did not answer for ${took.join(', ')} ms`)
      }
    },
  }
  return target
}
