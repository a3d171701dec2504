import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import quickjsVariant from '@jitl/quickjs-wasmfile-release-sync'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { newQuickJSWASMModuleFromVariant, type QuickJSContext } from 'quickjs-emscripten-core'
import { v7 } from 'uuid'
import { ADMINISTRATION } from '../../src/sql/migrate.ts'
import type { Benchmark } from '../benchmark.ts'
import { cpuOf } from '../cost.ts'
import { copyLines, EVENT_COLUMNS, line, startOnPostgres } from '../postgres.ts'
import { fetchBody, postJson, properties, send, startWorkspace, timed, type Workspace } from '../workspace.ts'

const EVENTS = 20_000
const BATCH = 250
const CONNECTIONS = 4

/** About 1 kB. */
const largeProperties = (i: number): object => ({ ...properties(i), note: 'x'.repeat(500) })

const event = (i: number): object => ({
  uuid: v7(),
  event: 'order placed',
  distinct_id: `person-${i % 1_000}`,
  properties: largeProperties(i),
})

async function installPlugin(workspace: Workspace, source: string, enabled = true): Promise<number> {
  const { organization_id, project_id } = workspace
  const body = { source: { 'index.ts': source } }
  const plugin = JSON.parse(
    await postJson(workspace, `/api/organizations/${organization_id}/pipeline_destinations/`, body),
  )
  const path = `/api/projects/${project_id}/plugin_configs/`
  return JSON.parse(await postJson(workspace, path, { plugin: plugin.id, enabled })).id
}

const DELIVERY =
  'export function onEvent(event, { global }) { global.sum = (global.sum ?? 0) + event.properties.price }'

/** Ordinary plugins: they read and set properties, and look at the name. */
const ORDINARY = [
  'export function processEvent(event) { event.properties.checked = true; return event }',
  "export function processEvent(event) { if (event.event === 'test') return null; return event }",
  `export function processEvent(event, { config }) {
     const { title } = event.properties
     if (typeof title === 'string') event.properties.title_length = title.length
     delete event.properties.$window_id
     return event
   }`,
]
const NO_OP = 'export function processEvent(event) { return event }'
const reading = (store: 'cache' | 'storage'): string =>
  `export async function processEvent(event, { ${store} }) { await ${store}.get('key', null); return event }`

const WITHOUT = `${EVENTS.toLocaleString('en')} events without plugins`
const WITH_NO_OP = 'through a processEvent that returns the event'
const WITH_STORAGE = 'through one that awaits storage.get'
const WITH_CACHE = 'through one that awaits cache.get'
const WITH_THREE = 'through three ordinary plugins'

const SOURCES: Record<string, string[]> = {
  [WITHOUT]: [],
  [WITH_NO_OP]: [NO_OP],
  [WITH_STORAGE]: [reading('storage')],
  [WITH_CACHE]: [reading('cache')],
  [WITH_THREE]: ORDINARY,
}

type Start = () => Promise<Workspace>

const transforming = new Map<string, Workspace>()

/** CPU time of the server and its processes, in milliseconds. */
async function ingest(workspace: Workspace, warmup: boolean): Promise<number> {
  const { project_token, pid } = workspace
  const bodies = Array.from({ length: warmup ? 20 : EVENTS / BATCH }, () =>
    Buffer.from(JSON.stringify({ api_key: project_token, batch: Array.from({ length: BATCH }, (_, i) => event(i)) })),
  )
  const before = cpuOf(pid)
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let body = bodies.pop(); body; body = bodies.pop()) await fetchBody(workspace, '/batch/', { body })
    }),
  )
  return (cpuOf(pid) - before) * 1_000
}

const transformation: Benchmark = {
  name: 'plugins.transformation',
  description: `CPU time of ingestion in batches of ${BATCH} events of 1 kB, with and without plugins.`,
  rounds: 5,
  setup: async () => {
    for (const [name, sources] of Object.entries(SOURCES)) {
      const workspace = await startWorkspace()
      for (const source of sources) await installPlugin(workspace, source)
      transforming.set(name, workspace)
    }
    return undefined
  },
  variants: Object.fromEntries(
    Object.keys(SOURCES).map((name) => [
      name,
      async (warmup: boolean) => {
        const workspace = transforming.get(name)
        return workspace ? ingest(workspace, warmup) : Number.NaN
      },
    ]),
  ),
  limits: [
    { subject: WITH_NO_OP, against: WITHOUT, atMost: 2 },
    { subject: WITH_THREE, against: WITHOUT, atMost: 6 },
    { subject: WITH_CACHE, against: WITHOUT, atMost: 4 },
  ],
}

let delivering: Workspace
let config: number
let context: QuickJSContext

interface StoredEvents {
  /** Whether the configuration has got the last of the events. */
  isDelivered(): Promise<boolean>
  close(): Promise<void>
}
/** Writes the events directly into the database. */
type Store = (workspace: Workspace) => Promise<StoredEvents>

const jsonOf = (i: number): string => JSON.stringify(largeProperties(i))

async function storeOnSqlite({ file, project_id }: Workspace): Promise<StoredEvents> {
  const events = new Sqlite(file)
  const insert = events.prepare(
    "insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain) values (?, ?, ?, ?, 0, 0, ?, '')",
  )
  events.transaction(() => {
    for (let i = 0; i < EVENTS; i++) insert.run(project_id, v7(), 'order placed', `person-${i % 1_000}`, jsonOf(i))
  })()
  const last = events.prepare('select max(seq) from events').pluck().get()
  events.close()
  const states = new Sqlite(join(dirname(file), ADMINISTRATION.file), { readonly: true })
  const place = states.prepare('select seq from plugin_states where plugin_config_id = ?').pluck()
  return { isDelivered: async () => place.get(config) === last, close: async () => void states.close() }
}

async function storeOnPostgres({ database, project_id }: Workspace): Promise<StoredEvents> {
  const client = new pg.Client(database)
  await client.connect()
  const lines = Array.from({ length: EVENTS }, (_, i) =>
    line(project_id, v7(), 'order placed', `person-${i % 1_000}`, 0, 0, jsonOf(i), ''),
  )
  await copyLines(client, EVENT_COLUMNS, lines)
  const { rows } = await client.query('select max(seq)::float as last from events')
  const text = 'select seq::float as place from plugin_states where plugin_config_id = $1'
  return {
    isDelivered: async () => (await client.query(text, [config])).rows[0]?.place === rows[0].last,
    close: () => client.end(),
  }
}

/** Time from enabling the configuration until every event was offered. */
async function deliver(store: Store): Promise<number> {
  const { project_id, api_key, url } = delivering
  const setEnabled = (enabled: boolean): Promise<unknown> =>
    fetch(new URL(`/api/projects/${project_id}/plugin_configs/${config}/`, url), {
      method: 'PATCH',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ enabled }),
    })
  const { isDelivered, close } = await store(delivering)
  const elapsed = await timed(async () => {
    await setEnabled(true)
    while (!(await isDelivered())) await pause(10)
  })
  await close()
  await setEnabled(false)
  return elapsed
}

/** The same function on the same events, without a server. */
async function plainQuickjs(): Promise<number> {
  const texts = Array.from({ length: EVENTS }, (_, i) => JSON.stringify(event(i)))
  const source = DELIVERY.replace('export ', '')
  const work = context.unwrapResult(
    context.evalCode(
      `(() => { ${source}; const meta = { global: {} }; return (text) => { onEvent(JSON.parse(text), meta) } })()`,
    ),
  )
  return timed(() => {
    for (const text of texts) {
      const argument = context.newString(text)
      context.unwrapResult(context.callFunction(work, context.undefined, argument)).dispose()
      argument.dispose()
    }
  })
}

const QUICKJS = `${EVENTS.toLocaleString('en')} calls of onEvent in QuickJS`
const DELIVERED = 'the same events delivered from the store'

const delivery = (name: string, start: Start, store: Store): Benchmark => ({
  name,
  description: 'Delivery to `onEvent` reaches at least half of the speed of the same function in QuickJS.',
  rounds: 3,
  setup: async () => {
    delivering = await start()
    config = await installPlugin(delivering, DELIVERY)
    const variant = 'default' in quickjsVariant ? quickjsVariant.default : quickjsVariant
    context = (await newQuickJSWASMModuleFromVariant(variant)).newContext()
    return undefined
  },
  variants: { [QUICKJS]: plainQuickjs, [DELIVERED]: () => deliver(store) },
  limits: [{ subject: DELIVERED, against: QUICKJS, atMost: 2 }],
})

const HOT = 10
const REQUESTS = 500

/** The slowest of a hundred requests. */
async function slowRequests(workspace: Workspace): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < REQUESTS; i++) times.push(await timed(() => fetchBody(workspace, '/api/organizations/@current/')))
  return times.toSorted((a, b) => a - b)[Math.ceil(REQUESTS * 0.99) - 1] ?? Number.NaN
}

let quiet: Workspace
let hot: Workspace

const IDLE = 'p99 of a request without plugins'
const BUSY = `p99 of a request while ${HOT} plugins run hot`

const administration = (name: string, start: Start): Benchmark => ({
  name,
  description: 'Plugins that use the CPU all the time at most double the p99 of administration.',
  rounds: 3,
  setup: async () => {
    quiet = await start()
    hot = await start()
    const busy = 'export function onEvent() { const end = Date.now() + 100; while (Date.now() < end) {} }'
    for (let i = 0; i < HOT; i++) await installPlugin(hot, busy)
    const { project_token } = hot
    const batch = Array.from({ length: 2_000 }, (_, i) => event(i))
    await (
      await send(hot, '/batch/', { body: Buffer.from(JSON.stringify({ api_key: project_token, batch })) })
    ).resume()
    return undefined
  },
  variants: { [IDLE]: () => slowRequests(quiet), [BUSY]: () => slowRequests(hot) },
  limits: [{ subject: BUSY, against: IDLE, atMost: 2 }],
})

export const plugins: Benchmark[] = [
  transformation,
  delivery('plugins.delivery', startWorkspace, storeOnSqlite),
  delivery('plugins.delivery.postgres', startOnPostgres, storeOnPostgres),
  administration('plugins.administration', startWorkspace),
  administration('plugins.administration.postgres', startOnPostgres),
]
