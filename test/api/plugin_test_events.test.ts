/** Saved test events: their rules, and the differences that a run reports. */
import t from 'tap'
import { sql } from '../../src/sql/template.ts'
import { onBothEngines, type TestApp } from '../helpers/app.ts'
import { configsUrl, openReceiver, type RunningPlugin, runPlugin } from '../helpers/seeds/plugins.ts'

t.setTimeout(300_000)

const options = { environment: { OUTBOUND_ALLOW: '127.0.0.1/32', SECRET_KEY: '5e'.repeat(32) } }

const urlOf = (app: TestApp, { config }: RunningPlugin) => `${configsUrl(app)}${config}/test_events/` as const

const EVENT = { event: 'paid', distinct_id: 'ada', properties: { plan: 'team', email: 'ada@example.com' } }

onBothEngines(
  t,
  'a run compares the results of the saved test events and reports the differences',
  async (t, app) => {
    const plugin = await runPlugin(
      app,
      `export function processEvent(event) {
        if (event.event === 'noise') return null
        if (event.event === 'bad') throw new TypeError('no such event')
        if (event.event === 'basket') return event.properties.items.map((item) => ({ ...event, event: 'item', properties: { item } }))
        delete event.properties.email
        event.properties['last.seen'] = 'today'
        return event
      }
      export function runEveryMinute() { throw new Error('never called') }`,
    )
    const save = async (name: string, event: object, expected?: object | null) => {
      const saved = await app.send('POST', urlOf(app, plugin), { body: { name, event, expected } })
      t.equal(saved.status, 201, saved.text)
      return saved.body
    }
    const passing = { distinct_id: 'ada', event: 'paid', properties: { 'last.seen': 'today', plan: 'team' } }
    await save('a passes', EVENT, { events: [{ ...passing, now: '2020', uuid: 'another', timestamp: 'then' }] })
    await save('b differs', EVENT, { events: [{ ...passing, properties: { plan: 'solo', email: null, list: [1] } }] })
    await save('c dropped', { ...EVENT, event: 'noise' }, { events: [] })
    await save('d not dropped', EVENT, { events: [] })
    await save('e fails', { ...EVENT, event: 'bad' })
    const basket = {
      event: 'basket',
      distinct_id: 'ada',
      timestamp: '2026-01-01T00:00:00Z',
      properties: { items: [1, 2] },
    }
    const item = (number: number) => ({ event: 'item', distinct_id: 'ada', properties: { item: number } })
    const timestamp = '2026-01-01T00:00:00.000Z'
    await save('f several', basket, {
      events: [
        { ...item(1), timestamp },
        { ...item(2), timestamp: 'wrong' },
      ],
    })
    await save('g only succeeds', EVENT)

    const { status, body } = await app.send('POST', `${urlOf(app, plugin)}run/`)
    t.equal(status, 200)
    t.match(body, { passed: 3, failed: 4 })
    const of = (name: string) => body.results.find((result) => result.name === name)
    t.match(
      body.results.map(({ name, passed }) => [name, passed]),
      [
        ['a passes', true],
        ['b differs', false],
        ['c dropped', true],
        ['d not dropped', false],
        ['e fails', false],
        ['f several', false],
        ['g only succeeds', true],
      ],
    )
    t.strictSame(of('b differs')?.differences, [
      { path: 'events[0].properties.plan', kind: 'different', expected: 'solo', actual: 'team' },
      { path: 'events[0].properties.email', kind: 'missing', expected: null, actual: null },
      { path: 'events[0].properties.list', kind: 'missing', expected: [1], actual: null },
      { path: 'events[0].properties["last.seen"]', kind: 'unexpected', expected: null, actual: 'today' },
    ])
    t.match(of('d not dropped')?.differences, [{ path: 'events[0]', kind: 'unexpected', actual: { event: 'paid' } }])
    t.match(of('e fails'), { error: 'processEvent: TypeError: no such event', actual: null, differences: [] })
    t.match(of('f several')?.differences, [
      { path: 'events[1].timestamp', kind: 'different', expected: 'wrong', actual: timestamp },
    ])

    // The actual result is what can be saved as expected.
    for (const { id, passed, actual } of body.results)
      if (!passed && actual)
        t.match(await app.send('PATCH', `${urlOf(app, plugin)}${id}/`, { body: { expected: actual } }), { status: 200 })
    t.match((await app.send('POST', `${urlOf(app, plugin)}run/`)).body, { passed: 6, failed: 1 })
    const source = 'export const processEvent = (event) => null'
    t.match((await app.send('POST', `${urlOf(app, plugin)}run/`, { body: { source } })).body, { passed: 3, failed: 4 })
    const broken = await app.send('POST', `${urlOf(app, plugin)}run/`, { body: { source: 'export function (' } })
    t.match(broken.body, { passed: 0, failed: 7 })
    t.match(broken.body.results[0]?.error, /Line 1/)
  },
  options,
)

onBothEngines(
  t,
  'requests of webhooks are compared without the secrets, and settings with secrets need an administrator',
  async (t, app) => {
    const receiver = await openReceiver(t)
    const plugin = await runPlugin(
      app,
      `export function composeWebhook(event, { config }) {
        return { url: 'https://example.com/' + event.event, headers: { authorization: 'Bearer ' + config.token }, body: {} }
      }
      export async function onEvent(event, { config }) { await fetch('${receiver.url}') }`,
      { schema: [{ key: 'token', type: 'string', secret: true }], config: { token: 'hunter2222' } },
    )
    const headers = { authorization: 'Bearer hunter2222' }
    const expected = { webhooks: [{ url: 'https://example.com/paid', headers, body: {} }] }
    const saved = await app.send('POST', urlOf(app, plugin), { body: { name: 'sends', event: EVENT, expected } })
    t.match(saved, {
      status: 201,
      body: { expected: { webhooks: [{ headers: { authorization: 'Bearer **REDACTED**' } }] } },
    })
    const run = await app.send('POST', `${urlOf(app, plugin)}run/`)
    t.match(run.body, { passed: 1, failed: 0 })
    t.notMatch(run.text, /hunter/)
    t.equal(receiver.received.length, 1, 'requests of the plugin are sent')
    t.notMatch(JSON.stringify(await app.deps.db.all(sql`select * from plugin_test_events`)), /hunter/)
    const member = await app.member('mia@example.com', 1)
    t.match(await app.send('POST', `${urlOf(app, plugin)}run/`, { key: member.key }), { status: 403 })
  },
  options,
)

onBothEngines(
  t,
  'a configuration has up to 20 test events with different names',
  async (t, app) => {
    const plugin = await runPlugin(app, 'export const processEvent = (event) => event')
    const url = urlOf(app, plugin)
    const saved = []
    for (let n = 0; n < 20; n++)
      saved.push((await app.send('POST', url, { body: { name: `test ${n}`, event: EVENT } })).body)
    t.match(await app.send('POST', url, { body: { name: 'one more', event: EVENT } }), {
      status: 400,
      body: { detail: /at most 20 test events/ },
    })
    const [first, second] = saved
    const taken = { status: 400, body: { code: 'unique', attr: 'name' } }
    t.match(await app.send('PATCH', `${url}${first?.id}/`, { body: { name: 'test 1' } }), taken)
    t.match(await app.send('PATCH', `${url}${first?.id}/`, { body: { name: 'test 0', expected: { events: [] } } }), {
      status: 200,
      body: { name: 'test 0', expected: { events: [] } },
    })
    t.match(await app.send('GET', `${url}${first?.id}/`), { body: { event: EVENT, expected: { events: [] } } })
    t.match(await app.send('DELETE', `${url}${second?.id}/`), { status: 204 })
    t.match(await app.send('DELETE', `${url}${second?.id}/`), { status: 404 })
    t.match(await app.send('POST', url, { body: { name: 'test 0', event: EVENT } }), taken)
    const large = { events: [{ a: 'x'.repeat(70_000) }, { a: 'x'.repeat(70_000) }] }
    t.match(await app.send('POST', url, { body: { name: 'large', event: EVENT, expected: large } }), {
      status: 400,
      body: { attr: 'expected', detail: /The limit is 131072/ },
    })
    t.match((await app.send('GET', `${url}?limit=1`)).body, { count: 19, results: [{ name: 'test 0' }] })
    const activity = await app.send('GET', `/api/organizations/${app.first.organization_id}/activity_log/?limit=2`)
    t.match(
      activity.body.results.map(({ activity, changes }) => [activity, changes]),
      [
        ['test_event_deleted', [{ field: 'test_event', after: 'test 1' }]],
        ['test_event_updated', [{ field: 'test_event', after: 'test 0' }]],
      ],
    )
    await app.send('DELETE', `${configsUrl(app)}${plugin.config}/`)
    t.strictSame(await app.deps.db.all(sql`select id from plugin_test_events`), [])
  },
  options,
)
