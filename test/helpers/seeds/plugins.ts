/** Plugins that run on a test server, and a service that they send to. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { isoOf } from '../../../src/events/time.ts'
import { sql } from '../../../src/sql/template.ts'
import type { LogEntryRow } from '../../../src/store/plugin_logs.ts'
import * as logs from '../../../src/store/plugin_logs.ts'
import type { TestApp } from '../app.ts'

export interface RunningPlugin {
  plugin: number
  config: number
}

/** Installs a plugin with this code and enables it in the first project. */
export async function runPlugin(
  app: TestApp,
  source: string,
  {
    config = {},
    schema,
    order = 0,
    enabled = true,
    name = 'Test plugin',
  }: {
    config?: Record<string, unknown>
    schema?: unknown[]
    order?: number
    enabled?: boolean
    name?: string
  } = {},
): Promise<RunningPlugin> {
  const fields = schema ?? Object.keys(config).map((key) => ({ key, type: typeof config[key], secret: key === 'url' }))
  const manifest = JSON.stringify({ name, config: fields })
  const created = await app.send('POST', `/api/organizations/${app.first.organization_id}/pipeline_destinations/`, {
    body: { source: { 'index.ts': source, 'plugin.json': manifest } },
  })
  if (created.status !== 201) throw new Error(created.text)
  const configured = await app.send('POST', configsUrl(app), {
    body: { plugin: created.body.id, enabled, order, config },
  })
  if (configured.status !== 201) throw new Error(configured.text)
  return { plugin: created.body.id, config: configured.body.id }
}

export const configsUrl = (app: TestApp) => `/api/projects/${app.first.project_id}/plugin_configs/` as const

export const setEnabled = async (app: TestApp, { config }: RunningPlugin, enabled: boolean): Promise<void> => {
  const changed = await app.send('PATCH', `${configsUrl(app)}${config}/`, { body: { enabled } })
  if (changed.status !== 200) throw new Error(changed.text)
}

export const isEnabled = async (app: TestApp, { config }: RunningPlugin): Promise<boolean> =>
  (await app.send('GET', `${configsUrl(app)}${config}/`)).body.enabled

/** Sends events as a client does. */
export async function capture(app: TestApp, events: readonly object[]): Promise<void> {
  const batch = events.map((event) => ({ event: 'seen', distinct_id: 'ada', ...event }))
  const body = { api_key: app.first.project_token, batch }
  const sent = await app.send('POST', '/batch/', { key: null, body })
  if (sent.status !== 200) throw new Error(sent.text)
}

export interface StoredEvent {
  uuid: string
  event: string
  distinct_id: string
  timestamp: string
  properties: Record<string, unknown>
  origin: string | null
}

/** In the order of ingestion. */
export async function storedEvents(app: TestApp): Promise<StoredEvent[]> {
  const rows = await app.deps.events.all<Record<string, string | number | null>>(sql`
    select uuid, event, distinct_id, timestamp, ${{ sqlite: sql`properties`, postgres: sql`properties::text as properties` }}, origin
    from events where project_id = ${app.first.project_id} order by seq`)
  return rows.map(({ uuid, event, distinct_id, timestamp, properties, origin }) => ({
    uuid: String(uuid),
    event: String(event),
    distinct_id: String(distinct_id),
    timestamp: isoOf(Number(timestamp)),
    properties: JSON.parse(String(properties)),
    origin: origin === null ? null : String(origin),
  }))
}

/** The log of a configuration, oldest first. */
export async function logOf(app: TestApp, { config }: RunningPlugin): Promise<LogEntryRow[]> {
  await app.deps.plugins.recorder.flush()
  const { rows } = await logs.list(app.deps.db, { plugin_config_id: config }, { limit: 1_000, offset: 0 })
  return rows.reverse()
}

export interface Receiver {
  url: string
  /** The bodies that were received, with the path. */
  received: { path: string; body: string }[]
  /** The statuses of the next responses; then 200. */
  statuses: number[]
}

export async function openReceiver(t: Test): Promise<Receiver> {
  const receiver: Receiver = { url: '', received: [], statuses: [] }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    receiver.received.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString() })
    response.writeHead(receiver.statuses.shift() ?? 200).end('{}')
  }).listen(0, '127.0.0.1')
  t.teardown(() => void server.close())
  await new Promise((done) => server.once('listening', done))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return receiver
}
