/** Several nodes on one PostgreSQL: rolling restarts, kills, outages and overload. */
import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { openApp } from '../helpers/app.ts'
import { bySize, figure, halfInQuick } from '../helpers/assertions/figures.ts'
import { cycled, defined, itemAt } from '../helpers/assertions/items.ts'
import type { Json } from '../helpers/json.ts'
import { openMailbox } from '../helpers/peers/mailbox.ts'
import { emptyDatabase, emptyPlace, startPostgres } from '../helpers/programs/postgres.ts'
import { type ServerProcess, serveArguments, startProcess } from '../helpers/programs/process.ts'
import { openSite, type Site, until } from '../helpers/programs/site.ts'
import { uuid } from '../helpers/seeds/events.ts'

const ROUNDS = bySize({ full: 1, prove: 10 })
/** The nodes that each round restarts, and the workers that it kills. */
const RESTARTED = bySize({ quick: 1, full: 3 })
const KILLED = bySize({ quick: 1, full: 2 })
const CLIENTS = 6
t.setTimeout(bySize({ full: 5, prove: 60 }) * 60_000)
const scenario = halfInQuick(t)

const WINDOW_MS = 300_000
/** Longer than a lease. */
const BEYOND_LEASE_MS = 61_000

interface HttpResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Json
}

/** Sends a request over a keep-alive connection. Rejects when the connection breaks. */
function sendTo(
  agent: Agent,
  url: string,
  { method = 'GET', key, body }: { method?: string; key?: string; body?: unknown },
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const outgoing = request(url, { method, agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: Number(response.statusCode), headers: response.headers, body: text && JSON.parse(text) }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** A keep-alive agent that is closed with the test. */
function agentFor(t: Test): Agent {
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  return agent
}

const isReady = (agent: Agent, { url }: ServerProcess): Promise<boolean> =>
  sendTo(agent, `${url}/health/ready`, {}).then(
    ({ status }) => status === 200,
    () => false,
  )

/** A load balancer: forwards requests to ready nodes in turn, without retries. */
function createBalancer(t: Test, site: Site) {
  const agent = agentFor(t)
  let ready = [...site.servers]
  let next = 0
  let open = true
  const polling = (async () => {
    while (open) {
      const servers = [...site.servers]
      const found = await Promise.all(servers.map((server) => isReady(agent, server)))
      ready = servers.filter((_, i) => found[i])
      await pause(20)
    }
  })()
  t.teardown(async () => {
    open = false
    await polling
  })
  return {
    /** Whether all nodes are ready. Throws if one has exited. */
    allReady: (): boolean => {
      if (site.servers.some(({ child }) => child.exitCode !== null)) throw new Error('a node exited')
      return site.servers.every((server) => ready.includes(server))
    },
    send: (path: string, options: Parameters<typeof sendTo>[2]): Promise<HttpResponse> => {
      const choice = ready.length ? ready : site.servers
      return sendTo(agent, `${cycled(choice, next++).url}${path}`, options)
    },
  }
}

/** Clients that send requests continuously: administration, capture and event queries. */
function createLoad(t: Test, site: Site) {
  const balancer = createBalancer(t, site)
  const key = site.api_key
  const acknowledged: string[] = []
  let created = 0
  let running = true
  let responses: { name: string; status: number | string; retry_after: string | undefined }[] = []

  async function sendRequest(kind: number): Promise<void> {
    const events = Array.from({ length: 5 }, () => ({ uuid: uuid(++created), event: 'seen', distinct_id: 'person' }))
    const [name, path, options] = [
      ['me', '/api/users/@me/', { key }],
      ['in', '/batch/', { method: 'POST', body: { api_key: site.project_token, batch: events } }],
      ['list', '/api/organizations/', { key }],
      ['out', `/api/projects/${site.project_id}/events/?limit=5`, { key }],
    ][kind % 4] as [string, string, Parameters<typeof sendTo>[2]]
    try {
      const { status, headers } = await balancer.send(path, options)
      responses.push({ name, status, retry_after: headers['retry-after'] })
      if (name === 'in' && status === 200) acknowledged.push(...events.map((event) => event.uuid))
    } catch (error) {
      responses.push({ name, status: (error as NodeJS.ErrnoException).code ?? String(error), retry_after: undefined })
    }
  }
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let i = client; running; i++) {
      await sendRequest(i)
      await pause(10)
    }
  })
  const stop = async (): Promise<void> => {
    running = false
    await Promise.all(clients)
  }
  t.teardown(stop)
  return {
    balancer,
    acknowledged,
    stop,
    /** The responses since the last call. */
    answers: () => {
      const recent = responses
      responses = []
      return recent
    },
    /** Waits for this many more responses. */
    more: async (count: number): Promise<void> => {
      const enough = responses.length + count
      await until(async () => responses.length >= enough)
    },
  }
}

async function clientFor(t: Test, url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  t.teardown(() => client.end())
  return client
}

async function storedUuids(t: Test, site: Site): Promise<Set<string>> {
  const { rows } = await (await clientFor(t, site.database_url)).query('select uuid from events')
  return new Set(rows.map((row) => row.uuid))
}

async function stopNode({ child }: ServerProcess, signal: NodeJS.Signals): Promise<[number | null, string | null]> {
  const exited = once(child, 'exit')
  child.kill(signal)
  return (await exited) as [number | null, string | null]
}

scenario('rolling restarts under load lose no request', async (t) => {
  const site = await openSite(t, 'postgres', { environment: { DRAIN_SECONDS: '2' } })
  await Promise.all([site.start(), site.start({ ROLE: 'api' })])
  const load = createLoad(t, site)
  for (let round = 1; round <= ROUNDS; round++)
    for (const server of site.servers.slice(0, RESTARTED)) {
      await load.more(20)
      t.same(await stopNode(server, 'SIGTERM'), [0, null], 'the node exits cleanly')
      site.servers.splice(site.servers.indexOf(server), 1)
      await site.start()
      await until(async () => load.balancer.allReady())
    }
  await load.more(20)
  await load.stop()
  const responses = load.answers()
  t.same(
    responses.filter(({ status }) => status !== 200),
    [],
    `${responses.length} requests succeed`,
  )
  const stored = await storedUuids(t, site)
  t.ok(load.acknowledged.length > 0)
  t.same(
    load.acknowledged.filter((uuid) => !stored.has(uuid)),
    [],
    'acknowledged events are stored',
  )
  figure(t, { area: 'Multiple nodes', count: RESTARTED * ROUNDS, of: 'node restarts', result: 'no request lost' })
})

scenario('serves, works and drains according to its role', async (t) => {
  const DATABASE_URL = await emptyPlace(t, 'postgres')
  const mailbox = await openMailbox(t)
  const mail = { SMTP_URL: mailbox.url, SITE_URL: 'http://site.example' }
  const serve = (role: string): Promise<ServerProcess> =>
    startProcess(t, { DATABASE_URL, DRAIN_SECONDS: '600', ...mail }, serveArguments('--role', role))
  const agent = agentFor(t)
  const api = await serve('api')
  const key = defined(api.api_key)
  t.match(
    await sendTo(agent, `${api.url}/api/organizations/@current/invites/`, {
      method: 'POST',
      key,
      body: { target_email: 'new@example.com' },
    }),
    { status: 201 },
  )
  const arriving = mailbox.next()
  const worker = await serve('worker')
  t.strictSame((await arriving).to, ['new@example.com'], 'the worker sends the mail of the API node')

  for (const path of ['/health/live', '/health/ready', '/openapi.json'])
    t.match(await sendTo(agent, `${worker.url}${path}`, {}), { status: 200 }, `a worker serves ${path}`)
  t.equal((await fetch(`${worker.url}/metrics`)).status, 200)
  const misdirected = { type: 'server_error', code: 'unavailable', detail: /role api or all/, attr: null }
  for (const [method, path] of [
    ['GET', '/api/users/@me/'],
    ['POST', '/batch/'],
    ['GET', '/api/signup/99999999-9999-7999-8999-999999999999/'],
  ] as const)
    t.match(
      await sendTo(agent, `${worker.url}${path}`, { method, key }),
      { status: 503, headers: { 'retry-after': '5' }, body: misdirected },
      `a worker does not serve ${path}`,
    )
  t.match(await sendTo(agent, `${worker.url}/api/nothing/`, { key }), { status: 404, body: { code: 'not_found' } })
  t.same(await stopNode(worker, 'SIGTERM'), [0, null], 'a worker does not drain')
  t.same(await stopNode(await serve('all'), 'SIGINT'), [0, null], 'SIGINT does not drain')

  const me = (): Promise<HttpResponse> => sendTo(agent, `${api.url}/api/users/@me/`, { key })
  t.match(await me(), { status: 200, headers: { connection: 'keep-alive' } })
  api.child.kill('SIGTERM')
  await until(async () => !(await isReady(agent, api)))
  t.match(await sendTo(agent, `${api.url}/health/ready`, {}), { status: 503, body: { code: 'unavailable' } })
  t.match(await sendTo(agent, `${api.url}/health/live`, {}), { status: 200 })
  t.match(await me(), { status: 200, headers: { connection: 'close' } }, 'responds and closes the connection')
  t.same(await stopNode(api, 'SIGTERM'), [1, null], 'a second signal exits immediately')

  const apiOnly = await openApp(t, 'postgres', { environment: { ...mail, ROLE: 'api' } })
  t.equal(
    (await apiOnly.send('POST', '/api/organizations/@current/invites/', { body: { target_email: 'late@example.com' } }))
      .status,
    201,
  )
  await defined(apiOnly.deps.mailer).stop()
  t.equal(mailbox.mails.length, 1, 'an API node sends no mail')
})

scenario('a worker finishes the run of a killed worker', async (t) => {
  const site = await openSite(t, 'postgres', { environment: { ROLE: 'api' } })
  const destination = await emptyDatabase()
  t.teardown(destination.drop)
  const client = await clientFor(t, destination.url)
  await client.query(`create table delivered (uuid text, event text, properties jsonb, elements jsonb, set jsonb,
    set_once jsonb, distinct_id text, team_id integer, ip text, site_url text, timestamp timestamptz)`)
  const { username: user, password, hostname: host, port, pathname } = new URL(destination.url)
  const base = `/api/projects/${site.project_id}/batch_exports` as const
  const { id } = await site.request('POST', `${base}/`, {
    name: 'To a table',
    interval: 'every 5 minutes',
    destination: {
      type: 'Postgres',
      config: { user, password, host, port: Number(port), database: pathname.slice(1), table_name: 'delivered' },
    },
  })
  const runs = async () => (await site.request('GET', `${base}/${id}/runs/`)).results
  const database = await clientFor(t, site.database_url)
  const horizonPassed =
    'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > max(position) as over from events'
  const isBlocked = `select 1 from pg_locks where not granted and relation = 'delivered'::regclass`

  const sent: string[] = []
  let worker: ServerProcess | undefined
  for (let round = 1; round <= KILLED * ROUNDS; round++) {
    const batch = Array.from({ length: 200 }, (_, i) => ({
      uuid: uuid(sent.length + i + 1),
      event: 'seen',
      distinct_id: `person-${i % 7}`,
    }))
    await site.request('POST', '/batch/', { api_key: site.project_token, batch })
    sent.push(...batch.map((event) => event.uuid))
    // Open transactions of other suites on the same cluster delay the horizon.
    await until(async () => (await database.query(horizonPassed)).rows[0].over)
    // The lock blocks other writers without taking a transaction id, which would also delay the horizon.
    await client.query('begin; lock table delivered in share mode')
    site.advance(2 * WINDOW_MS)
    worker ??= await site.start({ ROLE: 'worker' })
    await until(async () => (await client.query(isBlocked)).rowCount)
    const other = await site.start({ ROLE: 'worker' })
    await site.kill(worker)
    await client.query('commit')
    site.advance(BEYOND_LEASE_MS)
    const done = await until(async () => {
      const list = await runs()
      return list.length >= round && list.every(({ status }) => status === 'Completed') && list
    })
    t.same(
      done.map(({ latest_error }) => latest_error).filter((error) => error !== null),
      [],
    )
    worker = other
  }
  const { rows } = await client.query('select uuid from delivered order by uuid')
  t.strictSame(
    rows.map((row) => row.uuid),
    sent,
    'each event is delivered once',
  )
  const { results } = await site.request('GET', `${base}/${id}/logs/?limit=1000&search=Attempt%202`)
  t.ok(results.length >= KILLED * ROUNDS, 'each interrupted run was retried')
  const result = `the other worker finished each run; each of ${sent.length.toLocaleString('en')} events delivered once`
  figure(t, { area: 'Multiple nodes', count: KILLED * ROUNDS, of: 'kills', result })
})

scenario('nodes recover when the database restarts under load', async (t) => {
  const postgres = await startPostgres({ persistent: true })
  t.teardown(postgres.stop)
  const site = await openSite(t, 'postgres', { database_url: postgres.url })
  await Promise.all([site.start(), site.start({ ROLE: 'api' })])
  const base = `/api/projects/${site.project_id}/batch_exports` as const
  const { id } = await site.request('POST', `${base}/`, {
    name: 'To nowhere',
    interval: 'every 5 minutes',
    destination: { type: 'NoOp', config: {} },
  })
  const load = createLoad(t, site)
  for (let round = 1; round <= ROUNDS; round++) {
    await load.more(50)
    await postgres.restart()
    await until(async () => load.balancer.allReady())
    const during = load.answers()
    t.same(
      during.filter(({ status, retry_after }) => status !== 200 && !(status === 503 && retry_after !== undefined)),
      [],
      'requests during the outage succeed or get 503 with Retry-After',
    )
    t.ok(during.some(({ status }) => status === 200))
    // Requests from the time of the outage have completed by now.
    await load.more(CLIENTS)
    load.answers()
    await load.more(50)
    t.same(
      load.answers().filter(({ status }) => status !== 200),
      [],
      'all requests after the outage succeed',
    )
  }
  await load.stop()
  const stored = await storedUuids(t, site)
  t.same(
    load.acknowledged.filter((uuid) => !stored.has(uuid)),
    [],
    'acknowledged events are stored',
  )
  site.advance(2 * WINDOW_MS)
  await site.request('PATCH', `${base}/${id}/`, { name: 'renamed' })
  const [run] = await until(async () => {
    const { results } = await site.request('GET', `${base}/${id}/runs/`)
    return results.length > 0 && results.every(({ status }) => status === 'Completed') && results
  })
  t.ok(run, 'runs are planned and delivered again')
  t.same(
    site.servers.map(({ child }) => child.exitCode),
    [null, null, null],
    'every node survives',
  )
  const result = 'every node recovered; requests succeeded or got 503 with Retry-After; all acknowledged events stored'
  figure(t, { area: 'Multiple nodes', count: ROUNDS, of: 'restarts of PostgreSQL', result })
})

scenario('returns 503 with Retry-After when no connection is free or a lock is held', async (t) => {
  const site = await openSite(t, 'postgres', { environment: { ROLE: 'api' } })
  const fewConnections = { DATABASE_CONNECTIONS: '2', DATABASE_WAIT_MS: '2000', DATABASE_LOCK_MS: '600000' }
  const [full, shortLockTimeout] = await Promise.all([
    site.start(fewConnections),
    site.start({ DATABASE_LOCK_MS: '100' }),
  ])
  const agent = agentFor(t)
  const holder = await clientFor(t, site.database_url)
  const list = ({ url }: ServerProcess): Promise<HttpResponse> =>
    sendTo(agent, `${url}/api/organizations/`, { key: site.api_key })
  // One request is not enough where connections are slow to open.
  const served = (): Promise<HttpResponse> =>
    until(async () => {
      const response = await list(full)
      return response.status === 200 && response
    })
  const isBlocked = `select 1 from pg_locks where not granted and relation = 'organizations'::regclass`
  const busy = { type: 'server_error', code: 'unavailable', detail: /database is busy/, attr: null }

  await holder.query('begin; lock table organizations in access exclusive mode')
  const waiting = [served(), served()]
  await until(async () => (await holder.query(isBlocked)).rowCount === 2)
  const sent = { api_key: site.project_token, batch: [{ event: 'seen', distinct_id: 'person' }] }
  const responses = await Promise.all([
    ...Array.from({ length: 5 }, () => list(full)),
    sendTo(agent, `${full.url}/batch/`, { method: 'POST', body: sent }),
    sendTo(agent, `${full.url}/health/ready`, {}),
  ])
  for (const response of responses)
    t.match(response, { status: 503, headers: { 'retry-after': '5' }, body: busy }, 'no connection is free')
  t.match(await sendTo(agent, `${full.url}/health/live`, {}), { status: 200 })
  t.match(
    await list(shortLockTimeout),
    { status: 503, headers: { 'retry-after': '5' }, body: busy },
    'the lock is held',
  )
  t.match(
    await sendTo(agent, `${shortLockTimeout.url}/health/ready`, {}),
    { status: 200 },
    'a lock does not occupy connections',
  )

  await holder.query('commit')
  for (const response of await Promise.all(waiting)) t.match(response, { status: 200 }, 'the first requests succeed')
  t.match(await list(full), { status: 200 })
  t.match(await list(shortLockTimeout), { status: 200 })
})

scenario('enforces revoked keys and rate limits on every node', async (t) => {
  const site = await openSite(t, 'postgres', { environment: { RATE_LIMITS: 'true', ROLE: 'api' } })
  await site.start()
  const [first, second] = [itemAt(site.servers, 0), itemAt(site.servers, 1)]
  const agent = agentFor(t)
  const createKey = async () => {
    const { id, value } = await site.request('POST', '/api/personal_api_keys/', { label: 'mine', scopes: ['*'] })
    return { id, value: defined(value) }
  }
  const me = async ({ url }: ServerProcess, key: string): Promise<number> =>
    (await sendTo(agent, `${url}/api/users/@me/`, { key })).status

  const revoked = await createKey()
  for (const server of site.servers) t.equal(await me(server, revoked.value), 200)
  await site.request('DELETE', `/api/personal_api_keys/${revoked.id}/`)
  t.equal(await me(first, revoked.value), 401, 'the key is rejected immediately on the node that revoked it')
  await until(async () => (await me(second, revoked.value)) === 401)
  t.pass('and later on the other node')

  /** The number of sequential requests that a node accepts before it returns 429. */
  const admitted = async (server: ServerProcess, key: string, between_ms = 0): Promise<number> => {
    for (let count = 0; ; count++) {
      const status = await me(server, key)
      if (status === 429) return count
      if (status !== 200) throw new Error(`returned ${status}`)
      await pause(between_ms)
    }
  }
  const { value } = await createKey()
  const { value: sibling } = await createKey()
  const LIMIT = 480
  const EARLIER_REQUESTS = 30
  const onFirst = await admitted(first, value)
  t.ok(onFirst >= LIMIT - EARLIER_REQUESTS, `${onFirst} requests on the first node`)
  t.equal(await me(first, sibling), 429, 'all keys of a user share one budget')
  // Slow enough for the nodes to exchange their counts.
  const onSecond = await admitted(second, sibling, 20)
  t.ok(onSecond < LIMIT, `${onSecond} more on the second node`)
  const onThird = await admitted(await site.start(), value, 20)
  t.ok(onThird < LIMIT, `${onThird} more on a node that started later`)
})
