/** Deliveries that failed for good: which are kept, and how they are delivered again. */
import t from 'tap'
import { leaseFor } from '../../src/background/leases.ts'
import { sql } from '../../src/sql/template.ts'
import * as store from '../../src/store/plugin_failed_deliveries.ts'
import * as metrics from '../../src/store/plugin_metrics.ts'
import * as states from '../../src/store/plugin_states.ts'
import { onBothEngines, type TestApp } from '../helpers/app.ts'
import { itemAt, only } from '../helpers/assertions/items.ts'
import { ingest, plainEvents } from '../helpers/seeds/exports.ts'
import {
  capture,
  configsUrl,
  logOf,
  openReceiver,
  type RunningPlugin,
  runPlugin,
  setEnabled,
} from '../helpers/seeds/plugins.ts'

t.setTimeout(300_000)

const options = { environment: { OUTBOUND_ALLOW: '127.0.0.1/32', SECRET_KEY: '5e'.repeat(32) } }

const urlOf = (app: TestApp, { config }: RunningPlugin) => `${configsUrl(app)}${config}/failed_deliveries/` as const

const listed = async (app: TestApp, plugin: RunningPlugin) => (await app.send('GET', urlOf(app, plugin))).body.results

/** Delivers everything, with the retries. */
async function deliverAll({ deps, advance }: TestApp): Promise<void> {
  for (let attempt = 0; attempt < 6; attempt++) {
    await deps.plugins.deliveries.drain()
    advance(60_000)
  }
}

const countsOf = async ({ deps }: TestApp, { config }: RunningPlugin) => {
  await deps.plugins.recorder.flush()
  const rows = await metrics.list(deps.db, config, { from: '2000', to: '2100' })
  const sum = (name: 'successes' | 'successes_on_retry' | 'failures'): number =>
    rows.reduce((total, row) => total + row[name], 0)
  return [sum('successes'), sum('successes_on_retry'), sum('failures')]
}

/** A receiver whose status decides, and a plugin that sends to it. */
const SENDER = `export async function onEvent(event, { config }) {
  const { status } = await fetch(config.url + '/' + event.properties.number)
  if (status === 503) throw new RetryError('busy ' + config.url)
  if (status !== 200) throw new Error('refused with ' + status)
}`

onBothEngines(
  t,
  'events for which a function failed for good are kept with the error and can be delivered again',
  async (t, app) => {
    const receiver = await openReceiver(t)
    const plugin = await runPlugin(app, SENDER, { config: { url: receiver.url } })
    receiver.statuses = [404, 200, ...Array(5).fill(503)]
    await ingest(app, plainEvents(3))
    await deliverAll(app)
    const [busy, refused, ...more] = await listed(app, plugin)
    t.strictSame(more, [])
    t.match(refused, {
      plugin_config_id: plugin.config,
      function: 'onEvent',
      event: 'seen',
      error: 'Error: refused with 404',
      attempts: 1,
      replay_requested_at: null,
    })
    t.match(busy, { error: 'RetryError: busy **REDACTED**', attempts: 5 })
    t.strictSame(await countsOf(app, plugin), [1, 0, 2])

    receiver.received.length = 0
    receiver.statuses = [500]
    const replayed = await app.send('POST', `${urlOf(app, plugin)}${refused?.id}/replay/`)
    t.match(replayed, { status: 200, body: { id: refused?.id, replay_requested_at: /^20/ } })
    await app.deps.plugins.deliveries.drain()
    t.match(await listed(app, plugin), [
      { id: busy?.id },
      { id: refused?.id, error: 'Error: refused with 500', attempts: 2, replay_requested_at: null },
    ])
    t.strictSame(await countsOf(app, plugin), [1, 0, 2], 'a replay that fails is not another failure')

    t.match(await app.send('POST', `${urlOf(app, plugin)}replay/`, { body: { function: 'exportEvents' } }), {
      body: { queued: 0 },
    })
    t.match(await app.send('POST', `${urlOf(app, plugin)}replay/`), { status: 200, body: { queued: 2 } })
    t.match(await app.send('POST', `${urlOf(app, plugin)}replay/`), { body: { queued: 0 } }, 'both wait already')
    await app.deps.plugins.deliveries.drain()
    t.strictSame(await listed(app, plugin), [])
    t.strictSame(receiver.received.map(({ path }) => path).sort(), ['/0', '/0', '/2'])
    t.strictSame(await countsOf(app, plugin), [1, 2, 0], 'failures become successes on retry')
    t.match(await app.send('POST', `${urlOf(app, plugin)}${refused?.id}/replay/`), { status: 404 })

    const activity = await app.send('GET', `/api/organizations/${app.first.organization_id}/activity_log/?limit=3`)
    t.match(
      activity.body.results.filter(({ activity }) => activity === 'deliveries_replayed').map(({ changes }) => changes),
      [[{ field: 'deliveries', after: 2 }], [{ field: 'deliveries', after: 1 }]],
    )
  },
  options,
)

onBothEngines(
  t,
  'each function has its own failed deliveries, and an event that one passes over reaches the others',
  async (t, app) => {
    const receiver = await openReceiver(t)
    const plugin = await runPlugin(
      app,
      `let calls = 0
      export function onEvent() { throw new RetryError('always busy') }
      export function exportEvents(events) { throw new Error('no room for ' + events.length) }
      export function composeWebhook(event, { config }) { return calls++ ? { url: config.url, body: event.event } : {} }`,
      { config: { url: receiver.url } },
    )
    await capture(app, [{ event: 'first' }])
    await deliverAll(app)
    const rows = await listed(app, plugin)
    t.match(rows.map(({ function: name, error }) => [name, error]).sort(), [
      ['composeWebhook', /returned no url/],
      ['exportEvents', 'Error: no room for 1'],
      ['onEvent', 'RetryError: always busy'],
    ])
    t.match((await app.send('GET', `${urlOf(app, plugin)}?function=onEvent`)).body, {
      count: 1,
      results: [{ function: 'onEvent' }],
    })
    t.match(await app.send('GET', `${urlOf(app, plugin)}?function=other`), { status: 400 })

    await app.send('POST', `${urlOf(app, plugin)}replay/`, { body: { function: 'composeWebhook' } })
    await app.deps.plugins.deliveries.drain()
    t.match(receiver.received, [{ body: 'first' }])
    t.strictSame((await listed(app, plugin)).map(({ function: name }) => name).sort(), ['exportEvents', 'onEvent'])
    await app.send('POST', `${urlOf(app, plugin)}replay/`)
    await app.deps.plugins.deliveries.drain()
    t.strictSame(
      (await listed(app, plugin)).map(({ attempts, replay_requested_at }) => [attempts, replay_requested_at]),
      Array(2).fill([6, null]),
    )
    const organization = `/api/organizations/${app.first.organization_id}/pipeline_destinations` as const
    await app.send('PATCH', `${organization}/${plugin.plugin}/update_source/`, {
      body: { source: { 'index.ts': 'export function onEvent(event) { console.log("got", event.event) }' } },
    })
    app.advance(2_000)
    await app.send('POST', `${urlOf(app, plugin)}replay/`)
    await app.deps.plugins.deliveries.drain()
    t.match(await listed(app, plugin), [{ function: 'exportEvents', error: 'The plugin has no exportEvents.' }])
    t.match((await logOf(app, plugin)).at(-1), { message: 'got first' })
  },
  options,
)

onBothEngines(
  t,
  'a replay waits for an enabled configuration and survives the node that began it',
  async (t, app) => {
    const { db, events, plugins, now } = app.deps
    const receiver = await openReceiver(t)
    const plugin = await runPlugin(app, SENDER, { config: { url: receiver.url } })
    receiver.statuses = [404, 404]
    await ingest(app, plainEvents(2))
    await deliverAll(app)
    receiver.received.length = 0
    await app.send('POST', `${urlOf(app, plugin)}replay/`)

    await setEnabled(app, plugin, false)
    await plugins.deliveries.drain()
    t.equal(receiver.received.length, 0)
    t.match(await app.send('POST', `${urlOf(app, plugin)}replay/`), { status: 400, body: { detail: /not enabled/ } })
    await setEnabled(app, plugin, true)

    t.ok(await states.claim(db, plugin.config, leaseFor('another node', now(), 20_000)))
    await plugins.deliveries.drain()
    t.equal(receiver.received.length, 0, 'another node serves the configuration')
    app.advance(30_000)
    const [newest] = await listed(app, plugin)
    await events.run(sql`delete from events where uuid = ${newest?.event_uuid ?? ''}`)
    await plugins.deliveries.drain()
    t.equal(receiver.received.length, 1)
    t.match(only(await listed(app, plugin)), {
      event_uuid: newest?.event_uuid,
      error: /event was deleted/,
      replay_requested_at: null,
    })

    receiver.statuses = [404]
    await ingest(app, plainEvents(1, 5))
    await plugins.deliveries.drain()
    const { status } = await app.send('DELETE', `${configsUrl(app)}${plugin.config}/`)
    t.equal(status, 204)
    t.strictSame(
      await db.all(sql`select id from plugin_failed_deliveries`),
      [],
      'they are removed with the configuration',
    )
  },
  options,
)

onBothEngines(
  t,
  'the events in a buffer that cannot be flushed have failed',
  async (t, app) => {
    const plugin = await runPlugin(
      app,
      `import { createBuffer } from '@posthog/plugin-contrib'
      let buffer
      export function setupPlugin() { buffer = createBuffer({ onFlush: async () => { throw new Error('the table is full') } }) }
      export function onEvent(event) { buffer.add(event) }`,
    )
    await ingest(app, plainEvents(3))
    await deliverAll(app)
    t.strictSame(
      (await listed(app, plugin)).map(({ error }) => error),
      Array(3).fill('Error: the table is full'),
    )
    t.strictSame(await countsOf(app, plugin), [0, 0, 3])
  },
  options,
)

onBothEngines(
  t,
  'failed deliveries are bounded by number and age, and waiting ones are not dropped for others',
  async (t, app) => {
    const { db, now } = app.deps
    const plugin = await runPlugin(app, SENDER)
    const time = Date.parse(now())
    const failed = (number: number, at: number) => ({
      id: app.deps.ids.uuid(),
      function: 'onEvent' as const,
      event_uuid: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`,
      event: 'seen',
      error: 'Error: wrong',
      attempts: 1,
      failed_at: new Date(time + at).toISOString(),
    })
    const some = (from: number, length: number) => Array.from({ length }, (_, i) => failed(from + i, from + i))
    await store.add(db, plugin.config, some(0, 1_005))
    const count = async () => (await app.send('GET', urlOf(app, plugin))).body.count
    t.equal(await count(), 1_000)
    const oldest = async () =>
      itemAt((await app.send('GET', `${urlOf(app, plugin)}?limit=1&offset=999`)).body.results, 0)
    t.equal((await oldest()).event_uuid, failed(5, 5).event_uuid, 'the oldest are dropped')

    const first = (await oldest()).id
    t.equal(await store.requestReplay(db, plugin.config, { id: first }, now()), 1)
    await store.add(db, plugin.config, some(2_000, 1_000))
    t.equal(await count(), 1_001)
    t.ok(await store.get(db, plugin.config, first))
    t.equal(await store.requestReplay(db, plugin.config, {}, now()), 999, 'at most 1,000 wait')
    const newest = (await listed(app, plugin))[0]
    t.match(await app.send('POST', `${urlOf(app, plugin)}${newest?.id}/replay/`), {
      status: 400,
      body: { detail: /1000 deliveries of this configuration wait/ },
    })
    await store.add(db, plugin.config, [failed(2_999, 9_000)])
    t.equal(await count(), 1_001, 'an event has one delivery for each function')
    t.match((await listed(app, plugin))[0], { attempts: 2 })

    await store.prune(db, { stopped: false }, new Date(time + 2_500).toISOString())
    t.equal(await count(), 500)
  },
  options,
)
