/** Plugins on a server: transformations, deliveries, schedules, jobs, and what happens when they fail. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { createPluginCache } from '../../src/plugins/runtime/cache.ts'
import { createPluginRuntime } from '../../src/plugins/runtime/runtime.ts'
import { type Sql, sql } from '../../src/sql/template.ts'
import * as jobs from '../../src/store/plugin_jobs.ts'
import * as metrics from '../../src/store/plugin_metrics.ts'
import * as schedules from '../../src/store/plugin_schedules.ts'
import * as states from '../../src/store/plugin_states.ts'
import { onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { only } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { geoipDatabase } from '../helpers/peers/geoip.ts'
import { simulateNodes } from '../helpers/peers/nodes-of-projects.ts'
import { isSimulated } from '../helpers/programs/citus.ts'
import { until } from '../helpers/programs/site.ts'
import { uuid } from '../helpers/seeds/events.ts'
import { ingest, plainEvents } from '../helpers/seeds/exports.ts'
import {
  capture,
  configsUrl,
  isEnabled,
  logOf,
  openReceiver,
  runPlugin,
  setEnabled,
  storedEvents,
} from '../helpers/seeds/plugins.ts'

t.setTimeout(900_000)
halfInQuick(t)

const options = { environment: { OUTBOUND_ALLOW: '127.0.0.1/32', SECRET_KEY: '5e'.repeat(32) } }
const HOUR_MS = 3_600_000

const countsOf = async ({ deps }: TestApp, config: number, category: metrics.MetricCategory) => {
  await deps.plugins.recorder.flush()
  const found = await metrics.list(deps.db, config, { from: '2000', to: '2100', category })
  const sum = (name: keyof metrics.MetricCounts): number => found.reduce((total, row) => total + row[name], 0)
  return { successes: sum('successes'), failures: sum('failures'), dropped: sum('dropped'), changed: sum('changed') }
}

onBothEngines(
  t,
  'transformations change and drop events before they are stored, in their order',
  async (t, app) => {
    const second = await runPlugin(
      app,
      `export function processEvent(event) { event.properties.trace += 'b'; return event }`,
      { order: 2 },
    )
    const first = await runPlugin(
      app,
      `export function processEvent(event, { config }) {
        if (event.event === 'drop') return null
        console.log('saw', event.event, config.word)
        event.properties.trace = 'a' + config.word
        event.event = event.event.toUpperCase()
        event.distinct_id = 'someone'
        event.$set = { plan: 'pro' }
        event.team_id = 99
        if (event.properties.time) event.timestamp = '2020-01-02T03:04:05Z'
        return event
      }`,
      { order: 1, config: { word: 'x' } },
    )
    await runPlugin(app, 'export function processEvent(event) { throw new Error("never called") }', { enabled: false })
    await capture(app, [
      { uuid: uuid(1), event: 'one', properties: { time: true, $elements_chain: 'a:text="x"' } },
      { uuid: uuid(2), event: 'drop' },
      { uuid: uuid(3), event: 'three', timestamp: '2024-05-05T00:00:00Z' },
    ])
    const [one, three, ...more] = await storedEvents(app)
    t.strictSame(more, [])
    t.match(one, { uuid: uuid(1), event: 'ONE', distinct_id: 'someone', timestamp: '2020-01-02T03:04:05.000Z' })
    t.match(one?.properties, { trace: 'axb', time: true, $set: { plan: 'pro' } })
    t.strictSame(
      [one?.properties.$plugins_succeeded, one?.properties.$plugins_failed],
      [[`Test plugin (${first.config})`, `Test plugin (${second.config})`], []],
    )
    t.match(three, { uuid: uuid(3), event: 'THREE', timestamp: '2024-05-05T00:00:00.000Z' })
    const person = await app.deps.events.get(sql`select 1 from person_distinct_ids where distinct_id = 'someone'`)
    t.ok(person, 'the person of the changed distinct_id is created')
    t.strictSame(await countsOf(app, first.config, 'processEvent'), {
      successes: 3,
      failures: 0,
      dropped: 1,
      changed: 2,
    })
    t.strictSame(await countsOf(app, second.config, 'processEvent'), {
      successes: 2,
      failures: 0,
      dropped: 0,
      changed: 2,
    })
    t.match(await logOf(app, first), [
      { source: 'CONSOLE', level: 'LOG', message: 'saw one x' },
      { message: 'saw three x' },
    ])

    await capture(app, [{ uuid: uuid(1), event: 'again' }, { uuid: uuid(4) }, { uuid: uuid(4), event: 'twice' }])
    t.strictSame(
      (await storedEvents(app)).map(({ event }) => event),
      ['ONE', 'THREE', 'SEEN'],
    )
    t.equal((await countsOf(app, first.config, 'processEvent')).successes, 4, 'stored events are not offered again')

    await setEnabled(app, first, false)
    await app.send('PATCH', `${configsUrl(app)}${second.config}/`, { body: { enabled: false } })
    app.advance(2_000)
    await capture(app, [{ uuid: uuid(5), event: 'plain' }])
    t.match((await storedEvents(app)).at(-1), { event: 'plain', distinct_id: 'ada' })
  },
  options,
)

onBothEngines(
  t,
  'a transformation sees what the client sent, and what it changes there is stored',
  async (t, app) => {
    await runPlugin(
      app,
      `export function processEvent(event) {
        const { properties, $set, $set_once, sent_at } = event
        event.properties.seen = JSON.stringify({ $set, $set_once, sent_at, properties })
        if ($set_once) $set_once.email = 'hidden'
        if (properties.$set) properties.$set.phone = 'hidden'
        delete properties.$current_url
        if (event.event === 'elements') properties.$elements[0].$el_text = 'hidden'
        if (event.event === 'chain') properties.$elements_chain = 'button:text="hidden"'
        if (event.event === 'removed') delete properties.$elements
        return event
      }`,
    )
    // Another plugin must not bring back the form of the elements that the first one did not change.
    await runPlugin(app, 'export function processEvent(event) { event.properties.second = true; return event }', {
      order: 2,
    })
    const url = 'https://example.com/?card=4111'
    const $elements = [{ tag_name: 'button', $el_text: '4111' }]
    const batch = [
      {
        event: 'person',
        $set: { plan: 'pro' },
        $set_once: { email: 'ada@example.com' },
        properties: { $set: { phone: '4111' }, $current_url: url, $browser: 'Firefox', $session_id: 's1' },
      },
      ...['elements', 'chain', 'removed', 'kept'].map((event) => ({ event, properties: { $elements } })),
    ].map((event, i) => ({ uuid: uuid(i + 1), distinct_id: 'ada', ...event }))
    const body = { api_key: app.first.project_token, batch, sent_at: '2026-01-01T00:00:00.000Z' }
    t.equal((await app.send('POST', '/batch/', { body })).status, 200)

    const [person, ...others] = await storedEvents(app)
    t.match(JSON.parse(String(person?.properties.seen)), {
      $set: { plan: 'pro' },
      $set_once: { email: 'ada@example.com' },
      sent_at: '2026-01-01T00:00:00.000Z',
      properties: { $set: { phone: '4111' }, $current_url: url, $sent_at: '2026-01-01T00:00:00.000Z' },
    })
    t.match(person?.properties, {
      $set: { phone: 'hidden', plan: 'pro', $browser: 'Firefox' },
      $set_once: { email: 'hidden', $initial_browser: 'Firefox' },
    })
    t.strictSame(Object.keys(Object(person?.properties.$set_once)).sort(), ['$initial_browser', 'email'])
    const found = await app.call('persons.list', { query: { distinct_id: 'ada' } })
    const stored = JSON.stringify(found.body)
    t.match(stored, /hidden/)
    t.notMatch(stored, /4111|ada@example.com/, 'the person has nothing that the plugin removed')
    const session = await app.deps.events.all(sql`select * from event_sessions`)
    t.equal(session.length, 1)
    t.notMatch(JSON.stringify(session), /4111/)

    const seen = others.map(({ properties }) => JSON.parse(String(properties.seen)).properties)
    for (const properties of seen) t.match(properties, { $elements, $elements_chain: /4111/ })
    const chains = await app.deps.events.all<{ event: string; elements_chain: string }>(
      sql`select event, elements_chain from events where event <> 'person' order by seq`,
    )
    t.match(chains, [
      { event: 'elements', elements_chain: /hidden/ },
      { event: 'chain', elements_chain: 'button:text="hidden"' },
      { event: 'removed', elements_chain: '' },
      { event: 'kept', elements_chain: /4111/ },
    ])
    for (const { event, elements_chain } of chains) if (event !== 'kept') t.notMatch(elements_chain, /4111/, event)
  },
  options,
)

onBothEngines(
  t,
  'code runs in sloppy mode, and its settings cannot change',
  async (t, app) => {
    await runPlugin(
      app,
      `"use strict"
      export function setupPlugin({ config }) { config.added = 1; delete config.word; config.word = 'other'; undeclared = 5 }
      export function processEvent(event, { config }) {
        event.properties.seen = [config.added === undefined, config.word, undeclared]
        return event
      }`,
      { config: { word: 'x' } },
    )
    await capture(app, [{ event: 'one' }])
    const [one] = await storedEvents(app)
    t.strictSame(one?.properties.seen, [true, 'x', 5])
    t.strictSame(one?.properties.$plugins_failed, [])
  },
  options,
)

onBothEngines(
  t,
  'a transformation may change the uuid of an event, and make several events of one',
  async (t, app) => {
    const deduplicating = await runPlugin(
      app,
      `export function processEvent(event) {
        if (event.event === 'order') event.uuid = '00000000-0000-0000-0000-' + String(event.properties.order).padStart(12, '0')
        if (event.event === 'bad') event.uuid = 'nonsense'
        if (event.event === 'taken') event.uuid = event.properties.uuid
        return event
      }`,
      { order: 1 },
    )
    const splitting = await runPlugin(
      app,
      `export function processEvent(event) {
        if (event.event === 'basket') return event.properties.items.map((item) => ({ ...event, event: 'item', properties: { item } }))
        if (event.event === 'nothing') return []
        if (event.event === 'too many') return Array(101).fill(event)
        if (event.event === 'wrong') return [event, 5]
        return event
      }`,
      { order: 2 },
    )
    const order = (n: number, number: number) => ({ uuid: uuid(n), event: 'order', properties: { order: number } })
    await capture(app, [order(1, 7), order(2, 7), order(3, 8), { uuid: uuid(4), event: 'bad' }])
    const stored = async () =>
      (await storedEvents(app)).map(({ uuid, event, properties }) => [uuid, event, properties.item])
    const orders = [7, 8].map((n) => [`00000000-0000-0000-0000-00000000000${n}`, 'order', undefined])
    const first = [...orders, [uuid(4), 'bad', undefined]]
    t.strictSame(await stored(), first)
    t.match(await countsOf(app, deduplicating.config, 'processEvent'), {
      successes: 3,
      failures: 1,
      dropped: 1,
      changed: 3,
    })
    await capture(app, [
      order(5, 8),
      { uuid: uuid(6), event: 'taken', properties: { uuid: uuid(7) } },
      { uuid: uuid(7), event: 'own' },
    ])
    t.strictSame(await stored(), [...first, [uuid(7), 'own', undefined]], 'the event that has the uuid stays')
    t.match(await countsOf(app, deduplicating.config, 'processEvent'), { dropped: 3 })

    const basket = { uuid: uuid(10), event: 'basket', properties: { items: ['a', 'b', 'c'] } }
    const sent = [basket, ...['nothing', 'too many', 'wrong'].map((event, i) => ({ uuid: uuid(11 + i), event }))]
    await capture(app, sent)
    const after = (await stored()).slice(4)
    t.match(after, [
      [uuid(10), 'item', 'a'],
      [/-5...-/, 'item', 'b'],
      [/-5...-/, 'item', 'c'],
      [uuid(12), 'too many'],
      [uuid(13), 'wrong'],
    ])
    t.equal(new Set(after.map(([id]) => id)).size, 5)
    t.match(await countsOf(app, splitting.config, 'processEvent'), { failures: 2, dropped: 1 })
    await capture(app, sent)
    t.strictSame((await stored()).slice(4), after, 'a repeated request stores nothing twice')

    await runPlugin(app, 'export function processEvent(event) { return Array(40).fill(event) }', { order: 3 })
    app.advance(2_000)
    await capture(app, [
      { uuid: uuid(20), event: 'one' },
      { ...basket, uuid: uuid(21) },
    ])
    const parts = (await stored()).slice(9).map(([, event]) => event)
    t.equal(parts.filter((event) => event === 'one').length, 40)
    t.equal(parts.filter((event) => event === 'item').length, 3, 'three times 40 are too many events')
  },
  options,
)

onBothEngines(
  t,
  'an event for which a transformation fails is stored unchanged, and the error is recorded',
  async (t, app) => {
    const failing = await runPlugin(
      app,
      `export async function processEvent(event, { config }) {
        event.properties.changed = true
        switch (event.event) {
          case 'throw': throw new TypeError('bad ' + config.key)
          case 'loop': for (;;) {}
          case 'nameless': return { ...event, event: '' }
          case 'large': event.properties.text = 'x'.repeat(1100000); return event
          case 'deep': { let deep = {}; for (let i = 0; i < 200; i++) deep = { deep }; event.properties.deep = deep; return event }
          case 'text': return 'nonsense'
        }
        return event
      }`,
      { schema: [{ key: 'key', type: 'string', secret: true }], config: { key: 'hunter22' } },
    )
    const names = ['throw', 'nameless', 'large', 'deep', 'text', 'good']
    await capture(
      app,
      names.map((event) => ({ event, properties: { $plugins_failed: ['forged'] } })),
    )
    const named = [`Test plugin (${failing.config})`]
    t.strictSame(
      (await storedEvents(app)).map(({ event, properties }) => [
        event,
        properties.changed,
        properties.$plugins_succeeded,
        properties.$plugins_failed,
      ]),
      names.map((name) => (name === 'good' ? [name, true, named, []] : [name, undefined, [], named])),
    )
    const lines = (await logOf(app, failing)).map(({ source, level, message }) => `${source} ${level} ${message}`)
    const expected = [
      /TypeError: bad \*\*REDACTED\*\*/,
      /no name/,
      /the limit is 1048576/,
      /nested too deeply/,
      /must return the event/,
    ]
    t.equal(lines.length, expected.length)
    for (const [i, pattern] of expected.entries()) {
      t.match(lines[i], /^PLUGIN ERROR processEvent failed for the event /)
      t.match(lines[i], pattern)
    }
    t.match(await states.get(app.deps.db, failing.config), { failures: 0, timeouts: 0, error: null })
    await capture(app, [{ event: 'loop' }])
    t.match((await logOf(app, failing)).at(-1)?.message, /TimeoutError: The (call|plugins) took (too long|more than)/)
    t.match(await states.get(app.deps.db, failing.config), { failures: 1, timeouts: 1 })
    await capture(app, [{ event: 'throw' }])
    await app.deps.plugins.recorder.flush()
    const state = await states.get(app.deps.db, failing.config)
    t.equal(state?.failures, 2)
    t.match(JSON.parse(state?.error ?? ''), { name: 'TypeError', message: 'bad **REDACTED**', method: 'processEvent' })
  },
  options,
)

onBothEngines(
  t,
  'no event is stored while the plugins of its project cannot be read or reach their storage',
  async (t, app) => {
    const { db } = app.deps
    const { config } = await runPlugin(
      app,
      `export async function processEvent(event, { storage }) {
        await storage.get('salt')
        delete event.properties.email
        return event
      }`,
      { schema: [{ key: 'key', type: 'string', secret: true }], config: { key: 'hunter22' } },
    )
    let number = 0
    const send = () => {
      const batch = [
        { uuid: uuid(++number), event: 'seen', distinct_id: 'ada', properties: { email: 'ada@example.com' } },
      ]
      app.advance(2_000)
      return app.send('POST', '/batch/', { key: null, body: { api_key: app.first.project_token, batch } })
    }
    const refused = { status: 503, headers: { 'retry-after': '5' }, body: { code: 'unavailable' } }
    t.match(await send(), { status: 200 })
    for (const table of ['plugin_configs', 'plugin_storage']) {
      await db.exec(`alter table ${table} rename to lost`)
      t.match(await send(), refused, table)
      await db.exec(`alter table lost rename to ${table}`)
      t.match(await send(), { status: 200 }, table)
    }
    t.match(await states.get(db, config), { failures: 0 }, 'an outage is not a failure of the plugin')

    const row = await db.get<{ secrets: string }>(sql`select secrets from plugin_configs where id = ${config}`)
    const change = (secrets: string, updated_at: string) =>
      db.run(sql`update plugin_configs set secrets = ${secrets}, updated_at = ${updated_at} where id = ${config}`)
    await change('unreadable', '2026-01-02')
    t.match(await send(), { ...refused, body: { detail: /cannot be decrypted/ } })
    await change(row!.secrets, '2026-01-03')
    t.match(await send(), { status: 200 })

    const stored = await storedEvents(app)
    t.equal(stored.length, 4)
    for (const { properties } of stored) t.notOk('email' in properties)
  },
  options,
)

t.test('no event is stored while its plugins are locked (postgres)', async (t) => {
  const app = await openApp(t, 'postgres', { environment: { ...options.environment, DATABASE_LOCK_MS: '200' } })
  await runPlugin(app, 'export function processEvent(event) { event.event = "changed"; return event }')
  const holder = new pg.Client(app.deps.config.DATABASE_URL)
  await holder.connect()
  await holder.query('begin; lock table plugin_configs in access exclusive mode')
  app.advance(2_000)
  await t.rejects(capture(app, [{}]), { message: /The database is busy/ })
  await holder.end()
  await capture(app, [{}])
  t.match(await storedEvents(app), [{ event: 'changed' }])
})

t.test('destinations without new events read none (sqlite)', async (t) => {
  const app = await openApp(t, 'sqlite', options)
  const { deliveries } = app.deps.plugins
  await runPlugin(app, 'export const onEvent = () => undefined')
  await ingest(app, plainEvents(3))
  await deliveries.drain()
  await deliveries.drain()
  const { convertedRows, rows } = app.deps.eventReader
  let reads = 0
  const counted = <Args extends unknown[], Result>(read: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      reads++
      return read(...args)
    }
  }
  Object.assign(app.deps.eventReader, { convertedRows: counted(convertedRows), rows: counted(rows) })
  await deliveries.drain()
  t.equal(reads, 0)
  await ingest(app, plainEvents(1, 3))
  await deliveries.drain()
  t.ok(reads > 0)
})

onBothEngines(
  t,
  'destinations get every event from the moment of enabling, in order, and continue where they stopped',
  async (t, app) => {
    const receiver = await openReceiver(t)
    await ingest(app, plainEvents(5))
    const destination = await runPlugin(
      app,
      `export async function onEvent(event, { config, global }) {
        global.count = (global.count ?? 0) + 1
        await fetch(config.url, { method: 'POST', body: JSON.stringify({ n: event.properties.number, set: event.$set, team: event.team_id, at: event.timestamp, elements: event.elements }) })
      }`,
      { config: { url: receiver.url } },
    )
    const numbers = (): number[] => receiver.received.map(({ body }) => JSON.parse(body).n)
    await app.deps.plugins.deliveries.drain()
    t.strictSame(numbers(), [], 'earlier events are not delivered')
    await ingest(app, plainEvents(30, 5))
    await app.deps.plugins.deliveries.drain()
    t.strictSame(
      numbers(),
      Array.from({ length: 30 }, (_, i) => i + 5),
    )
    t.strictSame(JSON.parse(receiver.received[0]?.body ?? ''), {
      n: 5,
      set: { plan: 'free' },
      team: app.first.project_id,
      at: '2026-01-01T00:00:05.000Z',
      elements: [],
    })
    await setEnabled(app, destination, false)
    await ingest(app, plainEvents(3, 35))
    await app.deps.plugins.deliveries.drain()
    t.equal(numbers().length, 30)
    await setEnabled(app, destination, true)
    await app.deps.plugins.deliveries.drain()
    t.strictSame(numbers().slice(30), [35, 36, 37])
    t.match(await countsOf(app, destination.config, 'onEvent'), { successes: 33, failures: 0 })
    await ingest(app, plainEvents(2, 38))
    await app.send('PATCH', `/api/projects/${app.first.project_id}/`, { body: { event_retention_days: 1 } })
    app.advance(100 * 24 * HOUR_MS)
    await app.deps.purger.work()
    t.match((await logOf(app, destination)).at(-1), {
      level: 'WARN',
      message: '2 events were deleted by the retention of the project before they were offered.',
    })
  },
  options,
)

t.test('a project whose database node is down does not stop the deliveries of others (postgres)', async (t) => {
  if (!isSimulated(t)) return
  const app = await openApp(t, 'postgres', options)
  const { deps, first } = app
  const receiver = await openReceiver(t)
  const source = `export async function onEvent(event, { config }) {
    await fetch(config.url, { method: 'POST', body: event.event })
  }`
  const other = (await app.send('POST', '/api/projects/', { body: { name: 'Other' } })).body
  const { plugin } = await runPlugin(app, source, { config: { url: receiver.url } })
  const enabled = await app.send('POST', `/api/projects/${other.id}/plugin_configs/`, {
    body: { plugin, enabled: true, order: 0, config: { url: receiver.url } },
  })
  t.equal(enabled.status, 201)
  const send = async (api_key: string, event: string): Promise<void> => {
    const sent = await app.send('POST', '/capture/', { key: null, body: { api_key, event, distinct_id: 'ada' } })
    t.equal(sent.status, 200)
  }
  const received = () => receiver.received.map(({ body }) => body)
  const nodes = await simulateNodes(deps.db)
  await send(first.project_token, 'on the first node')
  await nodes.lose(first.project_id)
  for (const event of ['one', 'two']) {
    await send(other.api_token, event)
    await until(async () => {
      await deps.plugins.deliveries.drain()
      return received().includes(event)
    })
  }
  t.same(received(), ['one', 'two'])
  await nodes.restore(first.project_id)
  await until(async () => {
    app.advance(60_000)
    await deps.plugins.deliveries.drain()
    return received().length === 3
  })
  t.equal(received().at(-1), 'on the first node')
})

onBothEngines(
  t,
  'a RetryError is tried five times before the event is passed over; other errors are not repeated',
  async (t, app) => {
    const receiver = await openReceiver(t)
    const destination = await runPlugin(
      app,
      `export async function onEvent(event, { config }) {
        const response = await fetch(config.url + '/' + event.properties.number)
        if (response.status === 503) throw new RetryError('busy')
        if (!response.ok) throw new Error('refused')
      }`,
      { config: { url: receiver.url } },
    )
    const paths = (): string[] => receiver.received.splice(0).map(({ path }) => path)
    await ingest(app, plainEvents(4))
    receiver.statuses = [200, 503]
    await app.deps.plugins.deliveries.drain()
    t.strictSame(paths(), ['/0', '/1'])
    app.advance(4_000)
    await app.deps.plugins.deliveries.drain()
    t.strictSame(paths(), [], 'not before five seconds')
    receiver.statuses = [200, 404]
    app.advance(2_000)
    await app.deps.plugins.deliveries.drain()
    t.strictSame(paths(), ['/1', '/2', '/3'])

    await ingest(app, plainEvents(2, 4))
    receiver.statuses = Array(5).fill(503)
    for (const wait of [0, 5_000, 10_000, 20_000, 40_000]) {
      app.advance(wait + 1_000)
      await app.deps.plugins.deliveries.drain()
    }
    t.strictSame(paths(), ['/4', '/4', '/4', '/4', '/4', '/5'])
    t.match(
      (await logOf(app, destination))
        .map(({ message }) => message)
        .filter((message) => message.includes('passed over')),
      ['1 events were passed over after 5 attempts: busy'],
    )
    t.ok(await isEnabled(app, destination))
  },
  options,
)

onBothEngines(
  t,
  'webhooks are composed and sent, and exports get batches',
  async (t, app) => {
    const receiver = await openReceiver(t)
    await runPlugin(
      app,
      `export function composeWebhook(event, { config }) {
        if (event.event !== 'paid') return null
        return { url: config.url + '/hook', body: JSON.stringify({ day: event.timestamp.toISOString() }), headers: { 'X-A': 'b' } }
      }`,
      { config: { url: receiver.url } },
    )
    const exporter = await runPlugin(
      app,
      `import { RetryError } from '@posthog/plugin-scaffold'
      export async function exportEvents(events, { config }) {
        const response = await fetch(config.url + '/bulk', { method: 'POST', body: String(events.length) })
        if (!response.ok) throw new RetryError('busy')
      }`,
      { config: { url: receiver.url } },
    )
    await ingest(app, plainEvents(6))
    await app.deps.plugins.deliveries.drain()
    const of = (path: string): string[] =>
      receiver.received.filter((item) => item.path === path).map(({ body }) => body)
    t.strictSame(of('/hook'), ['{"day":"2026-01-01T00:00:01.000Z"}', '{"day":"2026-01-01T00:00:04.000Z"}'])
    t.strictSame(of('/bulk'), ['6'])
    receiver.received.length = 0
    receiver.statuses = Array(10).fill(500)
    await ingest(app, plainEvents(2, 6))
    await app.deps.plugins.deliveries.drain()
    receiver.statuses = []
    app.advance(6_000)
    await app.deps.plugins.deliveries.drain()
    t.strictSame(of('/bulk'), ['2', '2'])
    t.match(await countsOf(app, exporter.config, 'exportEvents'), { successes: 6, failures: 0 })
    const retried = await metrics.list(app.deps.db, exporter.config, { from: '2000', to: '2100' })
    t.equal(
      retried.reduce((sum, row) => sum + row.successes_on_retry, 0),
      2,
    )
  },
  options,
)

onBothEngines(
  t,
  'a webhook that is no object fails for its event, and the next events are delivered',
  async (t, app) => {
    const receiver = await openReceiver(t)
    const plugin = await runPlugin(
      app,
      `const WRONG = [() => undefined, Symbol('hook'), { toJSON: () => null }, 'text', []]
      export function composeWebhook({ properties }, { config }) {
        return WRONG[properties.number] ?? { url: config.url + '/' + properties.number, body: '' }
      }`,
      { config: { url: receiver.url } },
    )
    await ingest(app, plainEvents(6))
    await app.deps.plugins.deliveries.drain()
    t.strictSame(
      receiver.received.map(({ path }) => path),
      ['/5'],
    )
    t.match(
      (await logOf(app, plugin)).map(({ message }) => message),
      Array(5).fill(/^composeWebhook failed for the event .*: WebhookError: composeWebhook returned no url\.$/),
    )
    t.match(await countsOf(app, plugin.config, 'composeWebhook'), { successes: 1, failures: 5 })
  },
  options,
)

onBothEngines(
  t,
  'a plugin with several functions gets each event in each of them',
  async (t, app) => {
    const receiver = await openReceiver(t)
    const plugin = await runPlugin(
      app,
      `import { RetryError } from '@posthog/plugin-scaffold'
      let busy = 1
      const send = (path, { config }, body) => fetch(config.url + path, { method: 'POST', body: JSON.stringify(body) })
      export async function onEvent(event, meta) {
        if (event.event === 'second' && busy-- > 0) throw new RetryError('busy')
        await send('/on', meta, event.event)
      }
      export async function exportEvents(events, meta) {
        for (const { event, $set, $set_once, ...rest } of events) await send('/bulk', meta, { event, $set, $set_once, chain: rest.elements_chain, elements: rest.elements.length })
      }
      export function composeWebhook(event, { config }) { return { url: config.url + '/hook', body: event.event } }`,
      { config: { url: receiver.url } },
    )
    await capture(app, [
      { event: 'first', $set: { a: 1 }, $set_once: { b: 2 }, properties: { $elements_chain: 'button:text="x"' } },
      { event: 'second' },
    ])
    const of = (path: string): string[] =>
      receiver.received.filter((item) => item.path === path).map(({ body }) => body)
    await until(async () => {
      await app.deps.plugins.deliveries.drain()
      app.advance(6_000)
      return of('/hook').length === 2
    })
    t.strictSame(of('/on'), ['"first"', '"second"'])
    t.strictSame(of('/hook'), ['first', 'second'])
    t.strictSame(of('/bulk'), [
      JSON.stringify({ event: 'first', $set: { a: 1 }, $set_once: { b: 2 }, elements: 1 }),
      JSON.stringify({ event: 'second', elements: 0 }),
    ])
    // The second event was delivered at the second attempt.
    t.match(await countsOf(app, plugin.config, 'exportEvents'), { successes: 1, failures: 0 })
  },
  options,
)

onBothEngines(
  t,
  'filters apply to every function that gets events',
  async (t, app) => {
    const filters = { events: [{ id: 'paid', properties: [{ key: 'n', operator: 'gt', value: 10 }] }] }
    const transformation = await runPlugin(
      app,
      'export function processEvent(event) { event.properties.changed = true; return event }',
    )
    const listener = await runPlugin(app, 'export function onEvent(event) { console.log("on", event.properties.n) }')
    const exporter = await runPlugin(
      app,
      'export function exportEvents(events) { console.log("exported", events.map(({ properties }) => properties.n)) }',
    )
    for (const { config } of [transformation, listener, exporter])
      t.match(await app.send('PATCH', `${configsUrl(app)}${config}/`, { body: { filters } }), { status: 200 })
    app.advance(2_000)
    const sent = [5, 15, 25].map((n) => ({ event: 'paid', properties: { n } }))
    await capture(app, [...sent, { event: 'seen', properties: { n: 99 } }])
    await ingest(app, [])
    await app.deps.plugins.deliveries.drain()
    t.strictSame(
      (await storedEvents(app)).map(({ properties }) => [
        properties.n,
        properties.changed,
        Array.isArray(properties.$plugins_succeeded),
      ]),
      [
        [5, undefined, false],
        [15, true, true],
        [25, true, true],
        [99, undefined, false],
      ],
    )
    const messagesOf = async (plugin: typeof transformation) => (await logOf(app, plugin)).map(({ message }) => message)
    t.strictSame(await messagesOf(listener), ['on 15', 'on 25'])
    t.strictSame(await messagesOf(exporter), ['exported [15,25]'])
    const counts = [
      await countsOf(app, transformation.config, 'processEvent'),
      await countsOf(app, listener.config, 'onEvent'),
      await countsOf(app, exporter.config, 'exportEvents'),
    ]
    t.match(counts, Array(3).fill({ successes: 2, failures: 0 }), 'excluded events are not counted')
  },
  options,
)

onBothEngines(
  t,
  'an event counts once in the metrics: delivered at once, after retries, or failed for good',
  async (t, app) => {
    const plugin = await runPlugin(
      app,
      `import { RetryError } from '@posthog/plugin-scaffold'
      const attempts = {}
      export function onEvent({ event, properties }) {
        attempts[properties.number] = (attempts[properties.number] ?? 0) + 1
        if (properties.number === 1 && attempts[1] < 3) throw new RetryError('busy')
        if (properties.number === 3) throw new RetryError('always busy')
        if (properties.number === 4) throw new Error('wrong')
      }`,
    )
    const rate = async () => {
      await app.deps.plugins.recorder.flush()
      const { results, delivery_rate } = (await app.send('GET', `${configsUrl(app)}${plugin.config}/metrics/`)).body
      const { delivery_rate_24h } = (await app.send('GET', `${configsUrl(app)}${plugin.config}/`)).body
      const { successes, successes_on_retry, failures } = only(results)
      return { successes, successes_on_retry, failures, delivery_rate, delivery_rate_24h }
    }
    const deliverAll = async () => {
      for (let attempt = 0; attempt < 6; attempt++) {
        await app.deps.plugins.deliveries.drain()
        app.advance(60_000)
      }
    }
    await ingest(app, plainEvents(3))
    await deliverAll()
    t.strictSame(await rate(), {
      successes: 2,
      successes_on_retry: 1,
      failures: 0,
      delivery_rate: 1,
      delivery_rate_24h: 1,
    })
    await ingest(app, plainEvents(3, 3))
    await deliverAll()
    t.match(await rate(), {
      successes: 3,
      successes_on_retry: 1,
      failures: 2,
      delivery_rate: 4 / 6,
      delivery_rate_24h: 4 / 6,
    })
  },
  options,
)

onBothEngines(
  t,
  'enabling a plugin with jobs or schedules loads it, and others wait for their first event',
  async (t, app) => {
    const { tasks } = app.deps.plugins
    const setup =
      "export async function setupPlugin({ jobs }) { console.log('setup'); await jobs?.first?.({}).runNow() }"
    const withJobs = await runPlugin(app, `${setup}; export const jobs = { first() { console.log('first') } }`)
    const scheduled = await runPlugin(
      app,
      "export function setupPlugin() { throw new Error('no account') }; export function runEveryDay() {}",
    )
    const waiting = await runPlugin(app, `${setup}; export function onEvent() {}`)
    await tasks.drain()
    const lines = async (plugin: typeof waiting) =>
      (await logOf(app, plugin)).map(({ level, message }) => `${level} ${message.split('\n')[0]}`)
    t.strictSame((await lines(withJobs)).sort(), ['INFO The plugin was loaded.', 'LOG first', 'LOG setup'])
    t.match(await lines(scheduled), [/^ERROR setupPlugin failed: Error: no account/])
    t.strictSame(await lines(waiting), [])
    t.match(await countsOf(app, withJobs.config, 'job'), { successes: 1, failures: 0 }, 'loading is not a job')
    await app.send('PATCH', `${configsUrl(app)}${withJobs.config}/`, {
      body: { enabled: false },
    })
    await app.send('PATCH', `${configsUrl(app)}${withJobs.config}/`, {
      body: { enabled: true },
    })
    await tasks.drain()
    t.equal((await lines(withJobs)).filter((line) => line === 'INFO The plugin was loaded.').length, 2)
  },
  options,
)

onBothEngines(
  t,
  'a HogQL condition selects the stored events that a plugin gets',
  async (t, app) => {
    const receiver = await openReceiver(t)
    const sender = `import { RetryError } from '@posthog/plugin-scaffold'
      export async function onEvent({ properties }, { config }) {
        if (!(await fetch(config.url + '/' + properties.n)).ok) throw new RetryError('busy')
      }
      export function exportEvents(events) { console.log('exported', events.map(({ properties }) => properties.n)) }`
    const plugin = await runPlugin(app, sender, { config: { url: receiver.url } })
    const changer = await runPlugin(app, 'export function processEvent(event) { return event }')
    const patch = (config: number, filters: object) =>
      app.send('PATCH', `${configsUrl(app)}${config}/`, { body: { filters } })
    t.match(await patch(changer.config, { where: "event = 'paid'" }), {
      status: 400,
      body: { attr: 'filters__where', detail: /this plugin has processEvent/ },
    })
    for (const [where, detail] of [
      ['properties.n >', /Line 1|line 1/],
      ['count() > 1', /cannot aggregate/],
      ['unknown_field = 1', /unknown_field/],
    ] as const)
      t.match(await patch(plugin.config, { where }), { status: 400, body: { attr: 'filters__where', detail } }, where)
    const where = "toInt(properties.n) in (2, 4, 6, 8) and person.properties.plan = 'pro'"
    const filters = { where, events: [{ id: 'paid' }] }
    t.match(await patch(plugin.config, filters), { status: 200, body: { filters } })

    const of = (n: number, event = 'paid', plan = 'pro') => ({
      event,
      distinct_id: plan,
      properties: { n, $set: { plan } },
    })
    await capture(app, [of(1), of(2), of(3), of(4, 'seen'), of(5), of(6, 'paid', 'free'), of(8), of(9)])
    await ingest(app, [])
    receiver.statuses = [200, 503]
    await app.deps.plugins.deliveries.drain()
    t.strictSame(
      receiver.received.map(({ path }) => path),
      ['/2', '/8'],
    )
    app.advance(6_000)
    await app.deps.plugins.deliveries.drain()
    t.strictSame(
      receiver.received.map(({ path }) => path),
      ['/2', '/8', '/8'],
      'a retry begins with the event that failed',
    )
    const messages = (await logOf(app, plugin)).map(({ message }) => message)
    t.strictSame(
      messages.filter((message) => message.startsWith('exported')),
      ['exported [2]', 'exported [8]'],
    )
    t.match(await countsOf(app, plugin.config, 'onEvent'), { failures: 0 })
    const state = await states.get(app.deps.db, plugin.config)
    const end = (await storedEvents(app)).length
    t.equal(state?.seq, end, 'the events that do not match are done')
  },
  options,
)

const LOCATING = `export async function processEvent(event, { geoip }) {
  const found = await geoip.locate(event.properties.$ip)
  event.properties.city = found?.city.names.en ?? null
  return event
}`

const locations = join(freshFolder(t), 'city.mmdb')
writeFileSync(locations, geoipDatabase([8, 8], { city: { names: { en: 'Mountain View' } } }))

onBothEngines(
  t,
  'plugins locate addresses with the database of the operator',
  async (t, app) => {
    const plugin = await runPlugin(app, LOCATING)
    const addresses = ['8.8.1.2', '8.9.1.2', '::1', 'no address', '8.8.1.2', undefined]
    await capture(
      app,
      addresses.map(($ip, n) => ({ event: `event ${n}`, properties: { $ip } })),
    )
    const cities = (await storedEvents(app)).map(({ properties }) => properties.city)
    t.strictSame(cities, ['Mountain View', null, null, null, 'Mountain View', null])
    t.strictSame(await logOf(app, plugin), [])
  },
  { environment: { ...options.environment, GEOIP_DATABASE: locations } },
)

onBothEngines(
  t,
  'without a database of locations, a plugin that locates addresses gets a warning when it is enabled',
  async (t, app) => {
    const plugin = await runPlugin(app, LOCATING)
    t.match(await logOf(app, plugin), [{ source: 'SYSTEM', level: 'WARN', message: /GEOIP_DATABASE/ }])
    await capture(app, [{ event: 'page', properties: { $ip: '8.8.1.2' } }])
    t.match(await storedEvents(app), [{ properties: { city: null } }])
    const other = await runPlugin(app, 'export function processEvent(event) { return event }')
    t.strictSame(await logOf(app, other), [])
  },
  options,
)

onBothEngines(
  t,
  'a failing setupPlugin is logged under its own name',
  async (t, app) => {
    const plugin = await runPlugin(
      app,
      `export function setupPlugin() { throw new Error('no account') }
      export function onEvent() {}`,
    )
    await ingest(app, plainEvents(1))
    await app.deps.plugins.deliveries.drain()
    const messages = (await logOf(app, plugin)).map(({ message }) => message)
    t.match(messages[0], /^setupPlugin failed: Error: no account/)
    t.notOk(messages.some((message) => message.startsWith('onEvent failed')))
  },
  options,
)

onBothEngines(
  t,
  'a buffer that cannot be flushed does not stop a transformation',
  async (t, app) => {
    const redacting = await runPlugin(
      app,
      `import { createBuffer } from '@posthog/plugin-contrib'
      const buffer = createBuffer({ onFlush: async () => { throw new Error('the sink is down') } })
      export function processEvent(event) {
        delete event.properties.card
        buffer.add(event.event)
        return event
      }`,
    )
    for (let i = 0; i < 6; i++) {
      await capture(app, [{ properties: { card: '4111' } }, { properties: { card: '4111' } }])
      await capture(app, [{ properties: { card: '4111' } }])
      app.advance(41_000)
    }
    const cards = (await storedEvents(app)).map(({ properties }) => properties.card)
    t.strictSame(cards, Array(18).fill(undefined), 'every event is changed')
    t.match(
      (await logOf(app, redacting)).map(({ message }) => message.split('\n')[0]),
      [...Array(12).fill('processEvent failed: Error: the sink is down')],
    )
    t.match(await countsOf(app, redacting.config, 'processEvent'), { successes: 18, failures: 0, changed: 18 })
    t.ok(await isEnabled(app, redacting))
  },
  options,
)

onBothEngines(
  t,
  'filters decide which events become webhooks, and templates fill settings for each event',
  async (t, app) => {
    const receiver = await openReceiver(t)
    const { config } = await runPlugin(
      app,
      `export function composeWebhook(event, { config }) {
        return { url: config.url, body: JSON.stringify([config.title, config.body, config.plain, config.recipient]) }
      }`,
      {
        schema: [
          { key: 'url', type: 'string', secret: true },
          { key: 'title', type: 'string', templating: true },
          { key: 'body', type: 'json', templating: true },
          { key: 'plain', type: 'string' },
          { key: 'recipient', type: 'string', templating: true },
        ],
        config: {
          url: receiver.url,
          title: '{event.event} by {event.distinct_id} in {project.id} {event.properties.missing}{other}',
          recipient: '{person.properties.email} {person.id}',
          body: { n: '{event.properties.n}', list: ['{event.properties.tags}', '{event.timestamp}'] },
          plain: '{event.event}',
        },
      },
    )
    const filter = async (filters: object | null): Promise<void> => {
      await app.deps.plugins.recorder.flush()
      const changed = await app.send('PATCH', `${configsUrl(app)}${config}/`, { body: { filters } })
      t.match(changed, { status: 200, body: { filters } })
    }
    let sent = 0
    const sendAll = async (): Promise<string[]> => {
      receiver.received.length = 0
      await capture(
        app,
        [
          {
            event: 'paid',
            timestamp: '2024-06-01T00:00:00Z',
            properties: { n: 5, tags: ['a'], $set: { email: 'ada@example.com' } },
          },
          { event: 'paid', properties: { n: 15 } },
          { event: 'seen' },
        ].map((event) => ({ uuid: uuid(++sent), ...event })),
      )
      await ingest(app, [])
      await app.deps.plugins.deliveries.drain()
      return receiver.received.map(({ body }) => JSON.parse(body)[0].split(' ')[0] + (JSON.parse(body)[1].n || '-'))
    }
    t.strictSame(await sendAll(), ['paid5', 'paid15', 'seen-'])
    t.strictSame(JSON.parse(receiver.received[0]?.body ?? ''), [
      `paid by ada in ${app.first.project_id} {other}`,
      { n: '5', list: ['["a"]', '2024-06-01T00:00:00.000Z'] },
      '{event.event}',
      `ada@example.com ${(await app.deps.events.get<{ person_id: string }>(sql`select person_id from person_distinct_ids where distinct_id = 'ada'`))?.person_id}`,
    ])
    const property = (operator: string, value?: unknown, key = 'n') => ({ key, operator, value })
    for (const [filters, expected] of [
      [{ events: [{ id: 'paid' }] }, ['paid5', 'paid15']],
      [{ events: [{ id: null, properties: [property('gt', 10)] }] }, ['paid15']],
      [{ events: [{ id: 'paid', properties: [property('exact', ['5', 7])] }, { id: 'seen' }] }, ['paid5', 'seen-']],
      [{ events: [{ id: null, properties: [property('is_not_set')] }] }, ['seen-']],
      [{ events: [{ id: null, properties: [property('not_regex', '^1')] }] }, ['paid5', 'seen-']],
      [{ events: [{ id: null, properties: [property('icontains', 'A', 'tags')] }] }, ['paid5']],
      [{ events: [{ id: null, properties: [property('regex', '(')] }] }, []],
      [{ actions: [{ id: 1 }] }, []],
      [{ events: [], actions: [] }, ['paid5', 'paid15', 'seen-']],
      [null, ['paid5', 'paid15', 'seen-']],
    ] as const) {
      await filter(filters)
      t.strictSame(await sendAll(), expected, JSON.stringify(filters))
    }
    t.match(
      (await logOf(app, { config, plugin: 0 })).map(({ message }) => message),
      [/^composeWebhook failed for the event .*SyntaxError/, /SyntaxError/],
    )
    t.match(await app.send('PATCH', `${configsUrl(app)}${config}/`, { body: { filters: { events: [{ id: 5 }] } } }), {
      status: 400,
      body: { attr: 'filters__events__0__id' },
    })
  },
  options,
)

onBothEngines(
  t,
  'the metrics that a plugin declares are kept by hour, and unhandled rejections are in its log',
  async (t, app) => {
    const plugin = await runPlugin(
      app,
      `export const metrics = { sent: 'sum', slowest: 'MAX', fastest: 'min' }, version = 2
      export async function processEvent(event, { metrics, storage }) {
        metrics.sent.increment(event.properties.n)
        metrics.slowest.max(event.properties.n)
        metrics.fastest.min(event.properties.n)
        if (event.properties.n === 2) {
          storage.set('', 1)
          storage.get('a').then(() => { throw new Error('in a chain') })
          storage.set('', 2).catch(() => undefined)
          setTimeout(async () => { throw new Error('in a timer') }, 1)
          try { await storage.get('') } catch {}
        }
        return event
      }
      export async function runEveryMinute({ metrics }) { metrics.sent.increment(0.5) }`,
    )
    await capture(
      app,
      [1, 2, 7].map((n) => ({ properties: { n } })),
    )
    await capture(app, [{ properties: { n: 4 } }])
    await app.deps.plugins.tasks.drain()
    app.advance(60_000)
    await app.deps.plugins.tasks.drain()
    await app.deps.plugins.recorder.flush()
    const values = () => metrics.listValues(app.deps.db, plugin.config, { from: '2000', to: '2100' })
    t.strictSame(
      (await values()).map(({ name, kind, value }) => [name, kind, value]),
      [
        ['fastest', 'min', 1],
        ['sent', 'sum', 14.5],
        ['slowest', 'max', 7],
      ],
    )
    const lines = (await logOf(app, plugin)).map(({ level, message }) => `${level} ${message.split('\n')[0]}`).sort()
    t.strictSame(lines, [
      'ERROR Unhandled promise rejection: Error: in a chain',
      'ERROR Unhandled promise rejection: Error: in a timer',
      'ERROR Unhandled promise rejection: TypeError: A key must be a number or a text of 1 to 200 characters.',
      'INFO The plugin was loaded.',
    ])
    app.advance(100 * 24 * HOUR_MS)
    await metrics.prune(app.deps.db, { stopped: false }, app.deps.now())
    t.strictSame(await values(), [])
  },
  options,
)

onBothEngines(
  t,
  'cursors count for the limit of the storage',
  async (t, app) => {
    const { db } = app.deps
    const plugin = await runPlugin(
      app,
      `export async function processEvent(event, { utils }) {
        const { key, start } = event.properties
        if (start === undefined) event.properties.value = await utils.cursor.increment(key)
        else await utils.cursor.init(key, start)
        return event
      }`,
    )
    await capture(app, [{ properties: { key: 'known', start: 5 } }])
    // One key fewer than a configuration may have.
    const { config } = plugin
    const numbers = {
      sqlite: sql`(with recursive n (n) as (select 1 union all select n + 1 from n where n < 199998) select n from n)`,
      postgres: sql`(select n from generate_series(1, 199998) n)`,
    }
    await db.run(sql`
      insert into plugin_storage (plugin_config_id, key, value)
      select ${config}, 'key ' || n, '0' from ${numbers} numbers`)
    app.advance(11 * 60_000)
    await capture(app, [{ properties: { key: 'last' } }])
    await capture(
      app,
      [{ key: 'known', start: 1 }, { key: 'known' }, { key: 'new', start: 1 }, { key: 'other' }, { key: 'last' }].map(
        (properties) => ({ properties }),
      ),
    )
    t.strictSame(
      (await storedEvents(app)).map(({ properties }) => properties.value),
      [undefined, 1, undefined, 6, undefined, undefined, 2],
    )
    t.match(
      (await logOf(app, plugin)).map(({ message }) => message),
      Array(2).fill(/RangeError: The storage is full/),
    )
    t.equal(await db.count(sql`from plugin_storage`), 200_000)
  },
  options,
)

t.test('the caches of all configurations together are bounded', async (t) => {
  const cache = createPluginCache(() => 0)
  const value = 'x'.repeat(200_000)
  for (let id = 1; id <= 400; id++) cache.run(id, 'set', 'a', [value])
  t.ok(cache.characters > 30_000_000 && cache.characters <= 32 * 1024 * 1024, `${cache.characters} characters`)
  t.equal(cache.run(400, 'get', 'a', []), value)
  t.equal(cache.run(1, 'get', 'a', []), null, 'the least recently used configuration loses its entries')
  for (let id = 1; id <= 5_000; id++) cache.run(id, 'incr', 'n', [])
  t.equal(cache.configurations().length, 1_000)
  cache.run(5_000, 'lpush', 'l', [['a', 'b']])
  cache.run(5_000, 'lpop', 'l', [2])
  t.throws(() => cache.run(5_000, 'lpush', 'n', [['a']]), /not a list/)
  cache.run(5_000, 'lpush', 'l', [['5']])
  t.throws(() => cache.run(5_000, 'incr', 'l', []), /not a number/)
  t.strictSame(cache.run(5_000, 'lrange', 'l', [0, -1]), ['5'], 'the list stays')
  for (const id of cache.configurations()) cache.free(id)
  t.equal(cache.characters, 0)
  cache.run(1, 'get', 'a', [])
  t.strictSame(cache.configurations(), [], 'reading keeps nothing')
})

onBothEngines(
  t,
  'the cache and the code of a configuration are freed when it is disabled or deleted',
  async (t, app) => {
    const { plugins } = app.deps
    const counter = await runPlugin(
      app,
      `export async function processEvent(event, { cache }) {
        event.properties.count = await cache.incr('n')
        return event
      }`,
    )
    const count = async (): Promise<unknown> => {
      await capture(app, [{}])
      return (await storedEvents(app)).at(-1)?.properties.count
    }
    t.equal(await count(), 1)
    await plugins.freeCaches()
    t.equal(await count(), 2, 'a configuration that runs keeps its cache')
    await setEnabled(app, counter, false)
    await plugins.freeCaches()
    t.strictSame(plugins.cached(), [])
    await setEnabled(app, counter, true)
    t.equal(await count(), 1)
    t.strictSame(plugins.cached(), [counter.config])
    await app.send('DELETE', `${configsUrl(app)}${counter.config}/`)
    await plugins.freeCaches()
    t.strictSame(plugins.cached(), [])
  },
  options,
)

onBothEngines(
  t,
  'schedules and jobs run once, and captured events go through ingestion without loops',
  async (t, app) => {
    const { tasks, deliveries } = app.deps.plugins
    const source = `
      export async function runEveryMinute({ cache, storage }) {
        const count = (await storage.get('count', 0)) + 1
        await storage.set('count', count)
        await posthog.capture('tick', { count, distinct_id: 'clock', timestamp: '2025-05-05T05:05:05Z' })
      }
      export async function onEvent(event, { jobs }) {
        if (event.event === 'start') await jobs.later({ from: event.uuid }).runIn(10, 'minutes')
        if (event.event === 'tick') posthog.capture('never', {})
      }
      export const jobs = { later: async ({ from }, { storage }) => { await storage.set('job', from); await posthog.capture('ran') } }
      export function processEvent(event) { event.properties.seen = true; return event }`
    const importer = await runPlugin(app, source, { name: 'Importer' })
    const echo = await runPlugin(
      app,
      `export async function onEvent(event) { if (event.event !== 'start') await posthog.capture('echo of ' + event.event) }`,
      { name: 'Echo' },
    )
    await tasks.drain()
    t.equal((await storedEvents(app)).length, 0, 'the first minute is not over')
    for (let i = 0; i < 2; i++) {
      app.advance(60_000)
      await tasks.drain()
      await tasks.drain()
    }
    t.strictSame(
      (await storedEvents(app)).map(({ event, properties, origin, timestamp }) => [
        event,
        properties.count,
        properties.seen,
        origin,
        timestamp,
      ]),
      [1, 2].map((count) => ['tick', count, undefined, String(importer.config), '2025-05-05T05:05:05.000Z']),
      'a plugin does not transform its own events',
    )
    app.advance(10 * 60_000)
    await tasks.drain()
    t.match((await storedEvents(app)).length, 2, 'a late minute is skipped')

    await capture(app, [{ event: 'start', uuid: uuid(1) }])
    for (let i = 0; i < 3; i++) {
      await ingest(app, [])
      await deliveries.drain()
    }
    const names = async () => (await storedEvents(app)).map(({ event, origin }) => `${event} ${origin}`)
    t.strictSame((await names()).slice(2), [
      'start null',
      `echo of tick ${importer.config},${echo.config}`,
      `echo of tick ${importer.config},${echo.config}`,
    ])
    t.equal((await storedEvents(app))[3]?.distinct_id, 'Echo')
    await tasks.drain()
    const stored = async (key: string) =>
      (
        await app.deps.db.get<{ value: string }>(
          sql`select value from plugin_storage where plugin_config_id = ${importer.config} and key = ${key}`,
        )
      )?.value
    t.equal(await stored('job'), undefined)
    app.advance(10 * 60_000)
    await tasks.drain()
    t.equal(await stored('job'), `"${uuid(1)}"`)
    t.match((await names()).at(-1), `ran ${importer.config}`)
    t.match(await countsOf(app, importer.config, 'job'), { successes: 1, failures: 0 })
    t.equal(await jobs.nextAt(app.deps.db, []), null)
  },
  options,
)

onBothEngines(
  t,
  'leases decide which node runs a job, a task or a delivery',
  async (t, app) => {
    const { db } = app.deps
    const { config } = await runPlugin(app, 'export const jobs = { a() {} }; export function onEvent() {}')
    await app.deps.plugins.tasks.drain()
    const at = (ms: number): string => new Date(Date.parse('2026-02-01T00:00:00Z') + ms).toISOString()
    const lease = (owner: string, ms: number) => ({
      owner,
      now: at(ms),
      until: at(ms + 60_000),
      latest: at(ms + 120_000),
    })
    const row = {
      id: uuid(1),
      plugin_config_id: config,
      name: 'a',
      payload: '1',
      origin: null,
      run_at: at(0),
      created_at: at(0),
    }
    t.ok(await jobs.create(db, row, 1))
    t.notOk(await jobs.create(db, { ...row, id: uuid(2) }, 1), 'too many jobs')
    await schedules.create(db, { plugin_config_id: config, task: 'runEveryDay', next_at: at(0) })
    for (const claim of [
      (owner: string, ms: number) => jobs.claim(db, lease(owner, ms)),
      (owner: string, ms: number) => schedules.claim(db, lease(owner, ms)),
      (owner: string, ms: number) => states.claim(db, config, lease(owner, ms)),
    ]) {
      const claims = await Promise.all(['a', 'b', 'c'].map((owner) => claim(owner, 10)))
      t.equal(claims.filter(Boolean).length, 1)
      t.equal(await claim('d', 30_000), undefined)
      t.ok(await claim('d', 70_000), 'the lease of a dead node expires')
    }
    t.notOk(await states.advance(db, config, 'a', { position: 1, seq: 1 }))
    t.ok(await states.advance(db, config, 'd', { position: 1, seq: 1 }))
    await schedules.finish(db, { plugin_config_id: config, task: 'runEveryDay', next_at: at(HOUR_MS) }, 'a')
    t.equal(await schedules.claim(db, lease('e', 80_000)), undefined)
  },
  options,
)

onBothEngines(
  t,
  'looking for work reads no settings',
  async (t, app) => {
    const { deps } = app
    const read = new Set<string>()
    const watched = <Row>(rows: Row[]): Row[] => {
      for (const row of rows) for (const column of Object.keys(Object(row))) read.add(column)
      return rows
    }
    const db: typeof deps.db = {
      ...deps.db,
      all: async <Row>(statement: Sql) => watched(await deps.db.all<Row>(statement)),
    }
    const node = createPluginRuntime({
      ...deps,
      db,
      reader: deps.eventReader,
      addEvents: deps.writer.add,
      site_url: '',
      wakeMailer: null,
    })
    t.teardown(node.stop)
    const receiver = await openReceiver(t)
    await runPlugin(
      app,
      `export const onEvent = (event, { config }) => fetch(config.url + '/' + event.properties.number)
      export const runEveryMinute = ({ config }) => fetch(config.url + '/task')`,
      { config: { url: receiver.url } },
    )
    const { config: older } = await runPlugin(app, 'export function onEvent() { console.log("older") }')
    // An older version stored no position.
    await deps.db.run(sql`delete from plugin_states where plugin_config_id = ${older}`)
    await node.deliveries.drain()
    await ingest(app, plainEvents(2))
    await node.tasks.drain()
    app.advance(60_000)
    await node.tasks.drain()
    await node.deliveries.drain()
    t.strictSame(
      receiver.received.map(({ path }) => path),
      ['/task', '/0', '/1'],
    )
    await node.recorder.flush()
    t.equal((await logOf(app, { config: older, plugin: 0 })).length, 2)
    for (const column of ['config', 'secrets', 'config_schema']) t.notOk(read.has(column), column)
  },
  options,
)

onBothEngines(
  t,
  'a plugin that keeps failing is switched off, and the administrators are told',
  async (t, app) => {
    const failing = await runPlugin(app, 'export function onEvent() { throw new Error("always") }', { name: 'Failing' })
    await ingest(app, plainEvents(49))
    await app.deps.plugins.deliveries.drain()
    await app.deps.plugins.recorder.flush()
    t.ok(await isEnabled(app, failing))
    await ingest(app, plainEvents(1, 49))
    await app.deps.plugins.deliveries.drain()
    await app.deps.plugins.recorder.flush()
    t.notOk(await isEnabled(app, failing))
    t.match((await logOf(app, failing)).at(-1), {
      source: 'SYSTEM',
      level: 'ERROR',
      message: 'The configuration was switched off. 50 calls failed in a row. Fix the cause, then enable it.',
    })
    const activity = await app.send('GET', `/api/organizations/${app.first.organization_id}/activity_log/?limit=1`)
    t.match(activity.body.results?.[0], { activity: 'disabled' })

    const large = await runPlugin(
      app,
      'export function processEvent(e) { const all = []; while (e.event === "large") all.push(new Uint8Array(1e6)); return e }',
    )
    for (let i = 0; i < 10; i++) await capture(app, [{ event: 'large' }, { event: 'fine' }])
    await app.deps.plugins.recorder.flush()
    t.notOk(await isEnabled(app, large))

    const broken = await runPlugin(
      app,
      'export function setupPlugin() { throw new Error("no key") }; export function onEvent() {}',
    )
    await ingest(app, plainEvents(1, 50))
    for (let i = 0; i < 5; i++) {
      await app.deps.plugins.deliveries.drain()
      app.advance(41_000)
    }
    await app.deps.plugins.recorder.flush()
    t.notOk(await isEnabled(app, broken))
    t.match((await logOf(app, broken)).at(-1)?.message, 'setupPlugin failed: no key')
  },
  options,
)

onBothEngines(
  t,
  'two nodes run each scheduled task and each job once',
  async (t, app) => {
    const { deps } = app
    const second = createPluginRuntime({
      ...deps,
      reader: deps.eventReader,
      addEvents: deps.writer.add,
      site_url: '',
      wakeMailer: null,
    })
    t.teardown(second.stop)
    await runPlugin(
      app,
      `export async function runEveryMinute({ jobs }) { await jobs.mark().runNow(); await posthog.capture('minute') }
      export const jobs = { mark: () => posthog.capture('job') }`,
    )
    const minutes = 8
    await Promise.all([deps.plugins, second].map(({ tasks }) => tasks.drain()))
    for (let i = 0; i < minutes; i++) {
      app.advance(60_000)
      await Promise.all([deps.plugins, second].map(({ tasks }) => tasks.drain()))
      await deps.plugins.tasks.drain()
    }
    const names = (await storedEvents(app)).map(({ event }) => event)
    t.equal(names.filter((name) => name === 'minute').length, minutes)
    t.equal(names.filter((name) => name === 'job').length, minutes)
  },
  options,
)

onBothEngines(
  t,
  'a node that loses its lease ends the task, the job and the deliveries',
  async (t, app) => {
    const { deps } = app
    const { db } = deps
    const work = new Map<string, { table: Sql; id: number }>()
    const claimed = new Set<string>()
    // Does not answer. Meanwhile another node claims the work.
    const server = createServer(({ url = '' }) => {
      claimed.add(url)
      const { table, id } = work.get(url)!
      const lease_until = new Date(deps.milliseconds() + 30_000).toISOString()
      void db.run(sql`
        update ${table} set lease_owner = 'other', lease_until = ${lease_until} where plugin_config_id = ${id}`)
    }).listen(0, '127.0.0.1')
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    await once(server, 'listening')
    const config = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    const caller = await runPlugin(
      app,
      `const hang = async (url) => { for (;;) await fetch(url).catch(() => undefined) }
      export const runEveryMinute = ({ config }) => hang(config.url + '/task')
      export const jobs = { slow: (payload, { config }) => hang(config.url + '/job') }
      export const onEvent = (event, { config }) => hang(config.url + '/event')`,
      { config },
    )
    const hook = await runPlugin(
      app,
      `export const composeWebhook = (event, { config }) => ({ url: config.url + '/hook' })`,
      { config },
    )
    const loading = await runPlugin(
      app,
      `export async function setupPlugin({ config }) { for (;;) await fetch(config.url + '/setup').catch(() => undefined) }
      export const jobs = { none() {} }`,
      { config },
    )
    work.set('/setup', { table: sql`plugin_jobs`, id: loading.config })
    work.set('/task', { table: sql`plugin_schedules`, id: caller.config })
    work.set('/job', { table: sql`plugin_jobs`, id: caller.config })
    work.set('/event', { table: sql`plugin_states`, id: caller.config })
    work.set('/hook', { table: sql`plugin_states`, id: hook.config })

    await deps.plugins.tasks.drain()
    app.advance(60_000)
    const job = { id: uuid(1), plugin_config_id: caller.config, name: 'slow', payload: '{}', origin: null }
    await jobs.create(db, { ...job, run_at: deps.now(), created_at: deps.now() })
    await ingest(app, plainEvents(3))
    const places = () => db.all(sql`select position, seq, attempts from plugin_states order by plugin_config_id`)
    const before = await places()
    await deps.plugins.tasks.drain()
    await deps.plugins.deliveries.drain()

    t.strictSame([...claimed].sort(), [...work.keys()].sort())
    for (const [path, { table, id }] of work) {
      const row = await db.get(sql`select lease_owner from ${table} where plugin_config_id = ${id}`)
      t.match(row, { lease_owner: 'other' }, `${path} stays with the other node`)
    }
    t.strictSame(await places(), before)
    const nothing = { successes: 0, failures: 0, dropped: 0, changed: 0 }
    for (const category of ['job', 'scheduledTask', 'onEvent'] as const)
      t.strictSame(await countsOf(app, caller.config, category), nothing, category)
    t.strictSame(await countsOf(app, hook.config, 'composeWebhook'), nothing)
    t.strictSame(await logOf(app, loading), [], 'a plugin whose loading was ended is not called loaded')
  },
  options,
)

onBothEngines(
  t,
  'a node does not start its own job or task again when their leases expire',
  async (t, app) => {
    const { deps } = app
    const node = createPluginRuntime({
      ...deps,
      reader: deps.eventReader,
      addEvents: deps.writer.add,
      site_url: '',
      wakeMailer: null,
    })
    t.teardown(node.stop)
    const started: string[] = []
    const held: (() => void)[] = []
    const server = createServer(({ url = '' }, response) => {
      started.push(url)
      if (url === '/last') response.end()
      else held.push(() => response.end())
    }).listen(0, '127.0.0.1')
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    await once(server, 'listening')
    const { config } = await runPlugin(
      app,
      `export const runEveryMinute = ({ config }) => fetch(config.url + '/task')
      export const jobs = { call: ({ path }, { config }) => fetch(config.url + path) }`,
      { config: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } },
    )
    const createJob = async (n: number, path: string) => {
      const job = { id: uuid(n), plugin_config_id: config, name: 'call', payload: JSON.stringify({ path }) }
      await jobs.create(deps.db, { ...job, origin: null, run_at: deps.now(), created_at: deps.now() })
    }
    await deps.plugins.tasks.drain()
    app.advance(60_000)
    await createJob(1, '/job')
    node.tasks.start()
    await until(async () => started.length === 2)
    // Longer than a lease. A renewal comes only every five seconds.
    app.advance(30_000)
    await createJob(2, '/last')
    node.tasks.wake()
    await until(async () => started.includes('/last'))
    t.strictSame(started.sort(), ['/job', '/last', '/task'])
    for (const release of held) release()
    await until(async () => (await deps.db.count(sql`from plugin_jobs`)) === 0)
    t.strictSame(started.sort(), ['/job', '/last', '/task'])
  },
  options,
)

onBothEngines(
  t,
  'the administrators get an email when a plugin is switched off',
  async (t, app) => {
    const broken = await runPlugin(app, 'export function onEvent() { throw new Error("always") }', {
      name: 'Broken <b>',
    })
    await ingest(app, plainEvents(50))
    await app.deps.plugins.deliveries.drain()
    await app.deps.plugins.recorder.flush()
    t.notOk(await isEnabled(app, broken))
    const mails = await app.deps.db.all<{ kind: string; content: string }>(sql`select kind, content from letters`)
    t.strictSame(
      mails.map(({ kind, content }) => [kind, JSON.parse(content)]),
      [
        [
          'plugin_disabled',
          { name: 'Broken <b>', organization: 'My organization', reason: '50 calls failed in a row.' },
        ],
      ],
    )
  },
  { environment: { ...options.environment, SMTP_URL: 'smtp://127.0.0.1:1', SITE_URL: 'http://site.example' } },
)
