/**
 * The number of round trips to PostgreSQL before a response. A proxy holds the results of all statements until the server
 * sends no more of them. Each time that it passes the results on counts as one round trip.
 */
import { connect, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { type Operation, operations, resolve } from '../../src/contract/table.ts'
import * as members from '../../src/store/members.ts'
import { openApp } from '../helpers/app.ts'
import { migratedDatabase } from '../helpers/programs/postgres.ts'
import { createTenant, kindOf, type Tenant } from '../helpers/seeds/tenants.ts'

t.setTimeout(10 * 60_000)

const QUIET_MS = 8
const MAX_RETRIEVE = 2
const MAX_LIST = 3
const ATTEMPTS = 5

/** Needs a member of the first organization. */
const EXCLUDED = ['instance.status']
/** A session has no current key. */
const ONLY_KEYS = ['api_keys.current']

/** Responses with several results, whatever the operation is called. */
const isList = ({ response }: Operation): boolean => {
  const schema = response.content?.['application/json']?.schema
  const body = schema && resolve(schema)
  return body?.type === 'array' || body?.properties?.results !== undefined
}

interface Proxy {
  url: string
  /** Counts round trips until `work` is done. */
  count(work: () => Promise<unknown>): Promise<number>
}

async function startProxy(t: Test, target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let held: (() => void)[] = []
  /** Statements whose results have not arrived completely. */
  let running = 0
  let counting = false
  let trips = 0
  let timer: NodeJS.Timeout | undefined

  const pass = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (running > 0 || held.length === 0) return
      trips++
      const results = held
      held = []
      for (const send of results) send()
    }, QUIET_MS)
  }

  const server = createServer({ noDelay: true }, (client) => {
    const database = connect({ port: Number(port), host: hostname, noDelay: true })
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    client.on('close', () => database.destroy())
    database.on('close', () => client.destroy())
    let started = false
    // A statement ends with Sync, or is a simple query. Its results end with ReadyForQuery.
    const onSent = readMessages(
      (type) => {
        if (type === 'S' || type === 'Q') running++
      },
      () => !started,
    )
    const onResult = readMessages((type) => {
      if (type !== 'Z') return
      if (started) running--
      started = true
    })
    client.on('data', (chunk) => {
      onSent(chunk)
      database.write(chunk)
      if (counting) pass()
    })
    database.on('data', (chunk) => {
      onResult(chunk)
      if (!counting) return void client.write(chunk)
      held.push(() => client.write(chunk))
      pass()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = new URL(target)
  url.port = String((server.address() as { port: number }).port)
  return {
    url: String(url),
    count: async (work) => {
      counting = true
      trips = 0
      await work()
      const found = trips
      counting = false
      for (const send of held.splice(0)) send()
      return found
    },
  }
}

/** Calls `onMessage` with the type of each message of the protocol. The messages of the start have no type. */
function readMessages(onMessage: (type: string) => void, isStarting = () => false): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    if (isStarting()) return
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5) {
      const end = 1 + rest.readInt32BE(1)
      if (rest.length < end) return
      onMessage(String.fromCharCode(rest[0]!))
      rest = rest.subarray(end)
    }
  }
}

const pathOf = (operation: Operation, { ids }: Tenant): string =>
  operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(ids[kindOf(operation, name)][0])))

for (const sessions of [false, true])
  t.test(`a response takes few round trips to PostgreSQL (${sessions ? 'session' : 'key'})`, async (t) => {
    const postgres = await migratedDatabase()
    t.teardown(() => postgres.drop())
    const proxy = await startProxy(t, postgres.url)
    const app = await openApp(t, 'postgres', {
      sessions,
      environment: { DATABASE_URL: proxy.url, ROLE: 'api', SECRET_KEY: '5e'.repeat(32) },
    })
    const tenant = await createTenant(app, 'apricot')
    const headers = await app.credentials(tenant.owner.key)
    const excluded = sessions ? [...EXCLUDED, ...ONLY_KEYS] : EXCLUDED
    const counted = operations.filter(
      ({ id, method, isPublic, needsSession }) =>
        method === 'GET' && !isPublic && (sessions || !needsSession) && !excluded.includes(id),
    )
    for (const operation of counted) {
      const request = () => app.send('GET', pathOf(operation, tenant), { key: null, headers })
      t.equal((await request()).status, 200, operation.id)
      const limit = isList(operation) ? MAX_LIST : MAX_RETRIEVE
      // Other work of the server may add a round trip to some of the attempts.
      let trips = Infinity
      for (let i = 0; i < ATTEMPTS && trips > limit; i++) trips = Math.min(trips, await proxy.count(request))
      t.ok(trips > 0 && trips <= limit, `${operation.id}: ${trips} of at most ${limit} round trips`)
    }
  })

t.test('a request does not use the access of an earlier request after it has changed', async (t) => {
  const app = await openApp(t, 'postgres', { environment: { SECRET_KEY: '5e'.repeat(32) } })
  const { ids, owner, admin } = await createTenant(app, 'apricot')
  const organization = `/api/organizations/${ids.organizations[0]}`
  const { uuid } = (await app.send('GET', '/api/users/@me/', { key: admin })).body
  const change = async (method: string, path: string, body?: unknown) => {
    const { status, text } = await app.send(method, path, { key: owner.key, body })
    t.ok(status < 300, `${method} ${path}: ${status} ${status < 300 ? '' : text}`)
  }
  const domain = `${organization}/domains/${ids.domains[0]}/`
  const statusOf = async (path: string, key = admin, method = 'GET') => {
    // The second request starts its lookups with the access that the first one had.
    await app.send('GET', path, { key })
    return (await app.send(method, path, { key })).status
  }

  t.equal(await statusOf(domain), 200)
  await change('DELETE', domain)
  t.equal((await app.send('GET', domain, { key: admin })).status, 404, 'a deleted subject')

  t.equal(await statusOf(`${organization}/`), 200)
  await change('PATCH', `${organization}/members/${uuid}/`, { level: members.MEMBER })
  t.equal(
    (await app.send('PATCH', `${organization}/`, { key: admin, body: { name: 'x' } })).status,
    403,
    'a lower level',
  )
  await change('DELETE', `${organization}/members/${uuid}/`)
  t.equal((await app.send('GET', `${organization}/`, { key: admin })).status, 404, 'a removed member')

  const restrictions = { organizations: null, projects: null }
  const key = await app.key({ user_id: owner.id, restrictions })
  t.equal(await statusOf(`${organization}/`, key), 200)
  const { body } = await app.send('GET', '/api/personal_api_keys/@current/', { key })
  const restricted = await app.send('PATCH', `/api/personal_api_keys/${body.id}/`, {
    key: null,
    headers: await app.session({ user_id: owner.id }),
    body: { scoped_teams: [ids.projects[0]] },
  })
  t.equal(restricted.status, 200)
  t.equal((await app.send('GET', `${organization}/`, { key })).status, 404, 'a restricted key')
  await change('DELETE', `/api/personal_api_keys/${body.id}/`)
  t.equal((await app.send('GET', `${organization}/`, { key })).status, 401, 'a revoked key')
})
