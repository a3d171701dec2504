/** Servers killed while plugins transform events, deliver them and run jobs: nothing is lost, and deliveries stay in order. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { EVENTS } from '../../src/sql/migrate.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { sql } from '../../src/sql/template.ts'
import { ENGINES } from '../helpers/app.ts'
import { uuid } from '../helpers/events.ts'
import { figure, PROVE } from '../helpers/figures.ts'
import { emptyPlace } from '../helpers/postgres.ts'
import { type ServerProcess, startProcess } from '../helpers/process.ts'

t.setTimeout(3_600_000)

/** Rounds of each kind. */
const ROUNDS = PROVE ? 50 : 1
const EVENTS_PER_ROUND = 20
const KINDS = ['transformation', 'delivery', 'job'] as const

const PLUGIN = `
  export async function processEvent(event) { event.properties.transformed = true; return event }
  export async function onEvent(event, { config, jobs }) {
    await fetch(config.url + '/event/' + event.properties.n)
    if (event.properties.n % 10 === 0) await jobs.mark({ n: event.properties.n }).runNow()
  }
  export const jobs = { mark: ({ n }, { config }) => fetch(config.url + '/job/' + n) }`

/** Collects the numbers that the plugin sends, and reports each path. */
async function openReceiver() {
  const received: Record<string, number[]> = { event: [], job: [] }
  let onRequest: (kind: string) => void = () => undefined
  const server = createServer((request, response) => {
    const [, kind = '', n] = request.url?.split('/') ?? []
    received[kind]?.push(Number(n))
    onRequest(kind)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () => server.closeAllConnections() ?? server.close(),
    /** Resolves at the next request for which the condition holds. */
    until: (condition: (kind: string) => boolean) =>
      new Promise<void>((resolve) => {
        onRequest = (kind) => {
          if (condition(kind)) resolve()
        }
      }),
  }
}

for (const engine of ENGINES)
  t.test(`kills a server that runs plugins (${engine})`, async (t) => {
    const receiver = await openReceiver()
    t.teardown(receiver.close)
    const DATABASE_URL = await emptyPlace(t, engine)
    const environment = { DATABASE_URL, OUTBOUND_ALLOW: '127.0.0.1/32', SECRET_KEY: '5e'.repeat(32) }
    let server: ServerProcess = await startProcess(t, environment)
    const { api_key, project_token } = server
    const send = async (path: string, body: object): Promise<any> => {
      const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
      const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return response.json()
    }
    const manifest = JSON.stringify({ name: 'Marks', config: [{ key: 'url', type: 'string' }] })
    const plugin = await send('/api/organizations/@current/pipeline_destinations/', {
      source: { 'index.ts': PLUGIN, 'plugin.json': manifest },
    })
    await send('/api/projects/@current/plugin_configs/', {
      plugin: plugin.id,
      enabled: true,
      config: { url: receiver.url },
    })

    let sent = 0
    const captureBatch = (): Promise<any> => {
      const batch = Array.from({ length: EVENTS_PER_ROUND }, () => {
        const n = sent++
        return { event: 'counted', distinct_id: 'ada', uuid: uuid(n + 1), properties: { n } }
      })
      return send('/batch/', { api_key: project_token, batch })
    }
    /** A dead node keeps its leases for a while. */
    const expireLeases = async (): Promise<void> => {
      const db = await openDatabase(DATABASE_URL)
      await db.run(sql`update plugin_states set lease_until = null`)
      await db.run(sql`update plugin_jobs set lease_until = null`)
      await db.close()
    }
    const acknowledged: number[] = []

    for (let round = 0; round < ROUNDS * KINDS.length; round++) {
      const kind = KINDS[round % KINDS.length]!
      const first = sent
      // Kills at another event or job each time.
      let left = 1 + (round % 7)
      const reached = receiver.until(
        (path) => path === (kind === 'job' ? 'job' : 'event') && (kind === 'job' || --left === 0),
      )
      const response = captureBatch().then(
        () => acknowledged.push(...Array.from({ length: EVENTS_PER_ROUND }, (_, i) => first + i)),
        () => undefined,
      )
      if (kind !== 'transformation') await reached
      await server.kill()
      await response
      await expireLeases()
      server = await startProcess(t, environment)
    }
    const store = await openDatabase(DATABASE_URL, { file: EVENTS.file })
    t.teardown(() => store.close())
    const stored = (
      await store.all<{ uuid: string; properties: unknown }>(
        sql`select uuid, ${{ sqlite: sql`properties`, postgres: sql`properties::text as properties` }} from events where event = 'counted' order by seq`,
      )
    ).map(({ properties }): { n: number; transformed: boolean } => JSON.parse(String(properties)))
    const numbers = stored.map(({ n }) => n)
    t.strictSame(
      acknowledged.filter((n) => !numbers.includes(n)),
      [],
      'every acknowledged event is stored',
    )
    t.ok(
      stored.every(({ transformed }) => transformed),
      'every stored event is transformed',
    )

    const marks = numbers.filter((n) => n % 10 === 0)
    const isComplete = (): boolean =>
      numbers.every((n) => receiver.received.event?.includes(n)) &&
      marks.every((n) => receiver.received.job?.includes(n))
    if (!isComplete()) await receiver.until(isComplete)
    t.strictSame([...new Set(receiver.received.event)], numbers, 'every event is delivered, in order')
    t.strictSame(new Set(receiver.received.job), new Set(marks), 'every job ran')
    figure(t, {
      area: 'Plugins',
      count: ROUNDS * KINDS.length,
      of: `servers killed while plugins run (${engine})`,
      result: 'no event lost, deliveries in order',
    })
    await server.kill()
  })
