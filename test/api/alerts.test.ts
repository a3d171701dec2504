/** Alerts: their settings, the messages about exports, and their delivery by webhook and email. */
import t, { type Test } from 'tap'
import { createAlerter } from '../../src/exports/alerter.ts'
import type { DeliveryProcesses } from '../../src/exports/delivery-processes.ts'
import { permanentError, retryableError } from '../../src/exports/destination.ts'
import { createExporter } from '../../src/exports/exporter.ts'
import { sql } from '../../src/sql/template.ts'
import { type AppOptions, IN_THIS_PROCESS, nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { defined, itemAt } from '../helpers/assertions/items.ts'
import { openMailbox, readable } from '../helpers/peers/mailbox.ts'
import { isSigned, openReceiver, type Receiver } from '../helpers/peers/receiver.ts'
import { ingest, plainEvents } from '../helpers/seeds/exports.ts'

t.setTimeout(10 * 60_000)
halfInQuick(t)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const START = Date.parse('2026-01-01T00:00:00Z')
const ALL = ['failure', 'recovery', 'pause', 'lag']
const environment = { SECRET_KEY: 'ab'.repeat(32), OUTBOUND_ALLOW: '127.0.0.1/32' }

/** A public address: it is not resolved, and creating an alert does not connect to it. */
const PUBLIC_URL = 'https://1.1.1.1/hook'

onBothEngines(
  t,
  'creates, reads, updates and deletes alerts',
  async (t, app) => {
    const { call, member } = app
    const ada = await member('ada@example.com', 1)
    await member('grace@example.com', 8)
    const created = await call('alerts.create', {
      body: { name: ' Lake ', triggers: ['lag', 'failure'], channel: 'email', emails: ['Ada@example.com'], id: 'x' },
    })
    t.match(created, {
      status: 201,
      body: {
        name: 'Lake',
        enabled: true,
        triggers: ['failure', 'lag'],
        lag_minutes: 60,
        team_id: null,
        batch_export_id: null,
        channel: 'email',
        emails: ['ada@example.com'],
        url: null,
        secret: null,
        last_triggered_at: null,
        latest_error: /Email is not configured/,
      },
    })
    const params = { id: created.body.id }
    t.same((await call('alerts.retrieve', { params })).body, created.body)
    t.match(await call('alerts.test', { params }), { status: 200, body: { sent: false, detail: /not configured/ } })

    const hook = await call('alerts.create', {
      body: { name: 'Hook', triggers: ['pause'], channel: 'webhook', url: PUBLIC_URL, enabled: false },
    })
    t.match(hook, { status: 201, body: { url: PUBLIC_URL, secret: /^whsec_[\w+/]{43}=$/, emails: [], enabled: false } })
    const listed = (await call('alerts.list')).body
    t.same(listed.results, [created.body, { ...hook.body, secret: null }], 'the secret is not returned again')
    const stored = await app.deps.db.all<{ secret: string }>(sql`select secret from alerts where secret is not null`)
    t.notOk(
      stored.some(({ secret }) => secret.includes(String(hook.body.secret))),
      'the secret is encrypted',
    )

    const hookParams = { id: hook.body.id }
    t.match(await call('alerts.update', { params: hookParams, body: { url: PUBLIC_URL, name: 'Renamed' } }), {
      status: 200,
      body: { secret: null, name: 'Renamed' },
    })
    const moved = await call('alerts.update', { params: hookParams, body: { url: `${PUBLIC_URL}/2` } })
    t.match(moved, { status: 200, body: { secret: /^whsec_/, url: `${PUBLIC_URL}/2` } })
    t.not(moved.body.secret, hook.body.secret, 'another receiver gets another secret')

    const { body: batchExport } = await call('project_batch_exports.create', {
      body: { name: 'x', interval: 'hour', destination: { type: 'NoOp', config: {} } },
    })
    const changed = await call('alerts.update', {
      params,
      body: {
        triggers: ALL,
        lag_minutes: 5,
        batch_export_id: batchExport.id.toUpperCase(),
        team_id: app.first.project_id,
        emails: ['grace@example.com', 'ADA@example.com', 'ada@example.com'],
        channel: 'email',
      },
    })
    t.match(changed, {
      status: 200,
      body: {
        triggers: ALL,
        lag_minutes: 5,
        batch_export_id: batchExport.id,
        emails: ['ada@example.com', 'grace@example.com'],
      },
    })
    await call('members.remove', { params: { user__uuid: ada.uuid } })
    t.same((await call('alerts.retrieve', { params })).body.emails, ['grace@example.com'], 'former members get nothing')

    const { results } = (await call('activity_log.list', { query: { area: 'alerts' } })).body
    t.same(
      results.map(({ activity, item_name }) => `${activity} ${item_name}`),
      ['updated Lake', 'updated Renamed', 'updated Renamed', 'created Hook', 'created Lake'],
    )
    t.notOk(JSON.stringify(results).includes(PUBLIC_URL), 'a URL may contain a token, so it is not logged')

    await call('project_batch_exports.delete', { params: { id: batchExport.id } })
    t.equal((await call('alerts.retrieve', { params })).status, 404, 'the alert is deleted with its export')
    t.equal((await call('alerts.delete', { params: hookParams })).status, 204)
    t.equal((await call('alerts.delete', { params: hookParams })).status, 404)
    t.equal((await call('alerts.list')).body.count, 0)
  },
  { environment },
)

onBothEngines(
  t,
  'rejects invalid alerts, and requires level 8',
  async (t, app) => {
    const { call, member, stranger } = app
    await member('ada@example.com', 1)
    const other = await stranger('other@example.com')
    const theirs = await app.send('POST', `/api/projects/${other.project_id}/batch_exports/`, {
      key: other.key,
      body: { name: 'theirs', interval: 'hour', destination: { type: 'NoOp', config: {} } },
    })
    const own = await call('project_batch_exports.create', {
      body: { name: 'own', interval: 'hour', destination: { type: 'NoOp', config: {} } },
    })
    const second = await call('projects.create', { body: { name: 'Second' } })
    const mail = { name: 'm', triggers: ['failure'], channel: 'email', emails: ['ada@example.com'] }
    const hook = { name: 'h', triggers: ['failure'], channel: 'webhook', url: PUBLIC_URL }
    const cases: [title: string, body: object, code: string, attr: string | null][] = [
      ['no name', { ...mail, name: ' ' }, 'blank', 'name'],
      ['no trigger', { ...mail, triggers: [] }, 'empty', 'triggers'],
      ['an unknown trigger', { ...mail, triggers: ['success'] }, 'invalid_choice', 'triggers__0'],
      ['an unknown channel', { ...mail, channel: 'pager' }, 'invalid_choice', 'channel'],
      ['a short lag', { ...mail, lag_minutes: 4 }, 'invalid_input', 'lag_minutes'],
      ['no recipients', { ...mail, emails: undefined }, 'required', 'emails'],
      ['an empty list of recipients', { ...mail, emails: [] }, 'empty', 'emails'],
      [
        'an address of nobody',
        { ...mail, emails: ['ada@example.com', 'x@example.com'] },
        'does_not_exist',
        'emails__1',
      ],
      ["another organization's member", { ...mail, emails: ['other@example.com'] }, 'does_not_exist', 'emails__0'],
      ['a URL for emails', { ...mail, url: PUBLIC_URL }, 'invalid_input', 'url'],
      ['no URL', { ...hook, url: undefined }, 'required', 'url'],
      ['no URL but null', { ...hook, url: null }, 'required', 'url'],
      ['another scheme', { ...hook, url: 'ftp://1.1.1.1/' }, 'invalid_input', 'url'],
      ['an invalid URL', { ...hook, url: 'https://[' }, 'invalid_input', 'url'],
      ['credentials in the URL', { ...hook, url: 'https://a:b@1.1.1.1/' }, 'invalid_input', 'url'],
      ['a private address', { ...hook, url: 'https://10.0.0.1/' }, 'outbound_refused', 'url'],
      ['recipients of a webhook', { ...hook, emails: ['ada@example.com'] }, 'invalid_input', 'emails'],
      ["another organization's project", { ...hook, team_id: other.project_id }, 'does_not_exist', 'team_id'],
      [
        "another organization's export",
        { ...hook, batch_export_id: theirs.body.id },
        'does_not_exist',
        'batch_export_id',
      ],
      ['no id of an export', { ...hook, batch_export_id: 'x' }, 'does_not_exist', 'batch_export_id'],
      [
        'an export of another project',
        { ...hook, batch_export_id: own.body.id, team_id: second.body.id },
        'invalid_input',
        'batch_export_id',
      ],
    ]
    for (const [title, body, code, attr] of cases)
      t.match(await call('alerts.create', { body }), { status: 400, body: { code, attr } }, title)
    t.equal((await call('alerts.list')).body.count, 0)

    const { id } = (await call('alerts.create', { body: { ...hook, batch_export_id: own.body.id } })).body
    const update = (body: object) => call('alerts.update', { params: { id }, body })
    t.match(await update({ channel: 'email' }), { status: 400, body: { code: 'invalid_input', attr: 'channel' } })
    t.match(await update({ url: null }), { status: 400, body: { code: 'null', attr: 'url' } })
    t.match(await update({ url: 'https://10.0.0.1/' }), { status: 400, body: { code: 'outbound_refused' } })
    t.match(await update({ team_id: second.body.id }), { status: 400, body: { attr: 'batch_export_id' } })
    t.match(await update({ team_id: second.body.id, batch_export_id: null }), { status: 200 })

    const plain = await member('plain@example.com', 1)
    const list = `/api/organizations/${app.first.organization_id}/alerts/` as const
    for (const [method, path, body] of [
      ['GET', list],
      ['POST', list, hook],
      ['GET', `${list}${id}/`],
      ['PATCH', `${list}${id}/`, {}],
      ['POST', `${list}${id}/test/`],
      ['DELETE', `${list}${id}/`],
    ] as const) {
      const send = async (key: string) => (await app.send(method, path, { key, ...(body && { body }) })).status
      t.equal(await send(plain.key), 403, `${method} ${path} with level 1`)
      t.equal(await send(other.key), 404, `${method} ${path} of a stranger`)
    }
    for (let count = 1; count < 100; count++) await call('alerts.create', { body: mail })
    t.match(await call('alerts.create', { body: mail }), { status: 400, body: { detail: /at most 100 alerts/ } })
  },
  { environment },
)

/** An app whose deliveries end as `outcomes` says, by the name of the export. */
async function openFailing(t: Test, engine: TestApp['engine'], options: AppOptions = {}) {
  const outcomes: Record<string, Error | undefined> = {}
  const names = new Map<string, string>()
  const deliver: DeliveryProcesses['deliver'] = async ({ batch_export_id }) => {
    const failure = outcomes[names.get(batch_export_id) ?? '']
    if (failure) throw failure
    return { records: 1, bytes: 1 }
  }
  const app = await openApp(t, engine, {
    ...options,
    environment: { ...environment, ...options.environment },
    processes: { ...IN_THIS_PROCESS, deliver },
  })
  let sent = 0
  return {
    ...app,
    outcomes,
    createExport: async (name: string, project_id = app.first.project_id): Promise<string> => {
      const body = { name, interval: 'hour', destination: { type: 'NoOp', config: {} } }
      const { id } = (await app.send('POST', `/api/projects/${project_id}/batch_exports/`, { body })).body
      names.set(id, name)
      return id
    },
    createAlert: async (body: object) => (await app.call('alerts.create', { body: { name: 'A', ...body } })).body,
    /** Runs the exports whose window ends at this hour, and sends the messages. */
    runUntil: async (hour: number): Promise<void> => {
      await ingest(app, plainEvents(1, sent++))
      app.advance(START + hour * HOUR_MS - Date.parse(app.deps.now()))
      await app.deps.exporter.drain()
      await app.deps.alerter.drain()
    },
    setClock: (milliseconds: number): void => app.advance(START + milliseconds - Date.parse(app.deps.now())),
  }
}

const FAILURE = permanentError('There is no such bucket.')

/** Every message of every request. */
const typesOf = ({ hooks }: Receiver): string[] =>
  hooks.flatMap(({ body }) => body.messages.map((message) => `${body.type} ${message.batch_export.name}`))

for (const engine of nextEngines())
  t.test(`sends one message when an export starts to fail, and one when it works again (${engine})`, async (t) => {
    const receiver = await openReceiver(t)
    const { createAlert, createExport, outcomes, runUntil, call, first } = await openFailing(t, engine)
    const batch_export_id = await createExport('lake')
    const alert = await createAlert({ triggers: ALL, channel: 'webhook', url: receiver.url })
    const failuresOnly = await createAlert({ triggers: ['failure'], channel: 'webhook', url: `${receiver.url}/f` })
    await createAlert({ triggers: ['failure'], channel: 'webhook', url: `${receiver.url}/d`, enabled: false })
    outcomes.lake = FAILURE
    for (const hour of [1, 2, 3, 4]) await runUntil(hour)
    t.same(typesOf(receiver), ['failure lake', 'failure lake'], 'four failures send one message per alert')
    const hook = defined(receiver.hooks.find(({ path }) => path === '/hook'))
    t.ok(isSigned(hook, alert.secret))
    t.notOk(isSigned(hook, failuresOnly.secret), 'each alert has its own secret')
    t.notOk(isSigned({ ...hook, text: hook.text.replace('lake', 'late') }, alert.secret))
    t.equal(hook.headers['webhook-id'], hook.body.id)
    t.equal(hook.headers['content-type'], 'application/json')
    t.match(hook.body, {
      type: 'failure',
      timestamp: /^2026-01-01T01:00:00/,
      text: 'The batch export "lake" of the project "Default project" failed: There is no such bucket.',
      alert: { id: alert.id, name: 'A' },
      organization: { id: first.organization_id, name: String },
      project: { id: first.project_id, name: 'Default project' },
      batch_export: { id: batch_export_id, name: 'lake', destination_type: 'NoOp', interval: 'hour' },
      run: {
        id: String,
        status: 'Failed',
        backfill_id: null,
        data_interval_start: '2026-01-01T00:00:00.000Z',
        data_interval_end: '2026-01-01T01:00:00.000Z',
        latest_error: 'There is no such bucket.',
      },
      lag_minutes: null,
    })
    const read = (await call('alerts.retrieve', { params: { id: alert.id } })).body
    t.match(read, { last_triggered_at: /^2026-01-01T01:00/, latest_error: null })

    outcomes.lake = undefined
    for (const hour of [5, 6]) await runUntil(hour)
    t.same(typesOf(receiver).slice(2), ['recovery lake'], 'only one alert asks for recoveries')
    t.match(receiver.hooks[2]?.body, { run: { status: 'Completed', latest_error: null }, text: /works again/ })
    outcomes.lake = FAILURE
    await runUntil(7)
    t.same(typesOf(receiver).slice(3), ['failure lake', 'failure lake'], 'the next failure is a new problem')
  })

for (const engine of nextEngines())
  t.test(`a run that is retried sends no message before its last attempt (${engine})`, async (t) => {
    const receiver = await openReceiver(t)
    const { createAlert, createExport, outcomes, runUntil, deps, advance } = await openFailing(t, engine)
    await createExport('lake')
    await createAlert({ triggers: ['failure', 'recovery'], channel: 'webhook', url: receiver.url })
    outcomes.lake = retryableError('The connection broke.')
    await runUntil(1)
    for (let attempt = 2; attempt <= 15; attempt++) {
      t.same(typesOf(receiver), [])
      advance(3 * MINUTE_MS)
      await deps.exporter.drain()
      await deps.alerter.drain()
    }
    t.same(typesOf(receiver), ['failure lake'])
    t.match(receiver.hooks[0]?.body.run, { status: 'FailedRetryable', latest_error: 'The connection broke.' })
  })

for (const engine of nextEngines())
  t.test(`reports a failed backfill apart from scheduled runs (${engine})`, async (t) => {
    const receiver = await openReceiver(t)
    const { createAlert, createExport, outcomes, runUntil, call, deps } = await openFailing(t, engine)
    const id = await createExport('lake')
    await createAlert({ triggers: ['failure', 'recovery'], channel: 'webhook', url: receiver.url })
    await runUntil(1)
    const backfill = async (): Promise<void> => {
      const body = { start_at: '2025-12-31T23:00:00Z', end_at: '2026-01-01T01:00:00Z' }
      t.equal((await call('project_batch_exports.backfill', { params: { id }, body })).status, 200)
      await deps.exporter.drain()
      await deps.alerter.drain()
    }
    outcomes.lake = FAILURE
    await backfill()
    t.match(receiver.hooks, [{ body: { type: 'failure', run: { backfill_id: String } } }])
    outcomes.lake = undefined
    await runUntil(2)
    t.equal(receiver.hooks.length, 1, 'a scheduled run does not repair a backfill')
    await backfill()
    t.match(receiver.hooks.slice(1), [{ body: { type: 'recovery', run: { backfill_id: String } } }])
  })

for (const engine of nextEngines())
  t.test(`reports an automatic pause once, and no pause by a user (${engine})`, async (t) => {
    const mailbox = await openMailbox(t)
    const receiver = await openReceiver(t)
    const app = await openFailing(t, engine, {
      environment: { SMTP_URL: mailbox.url, SITE_URL: 'https://site.example' },
    })
    const { createAlert, createExport, outcomes, runUntil, call, first, member } = app
    const { email: owner } = (await call('users.me')).body
    await member('admin@example.com', 8)
    await member('plain@example.com', 1)
    const id = await createExport('lake')
    await createExport('manual')
    await createAlert({ triggers: ['pause'], channel: 'webhook', url: receiver.url })
    const mails = await createAlert({
      triggers: ['pause'],
      channel: 'email',
      emails: ['admin@example.com', 'plain@example.com'],
    })
    t.equal(mails.latest_error, null)
    outcomes.lake = FAILURE
    for (let hour = 1; hour <= 12; hour++) await runUntil(hour)
    t.same(typesOf(receiver), ['pause lake'])
    while (mailbox.mails.length < 3) await mailbox.next()
    t.same(
      mailbox.mails.flatMap(({ to }) => to).toSorted(),
      ['admin@example.com', owner, 'plain@example.com'].toSorted(),
    )
    const alerted = mailbox.mails.filter(({ to }) => !to.includes(owner))
    for (const { raw } of alerted) {
      const text = readable(raw)
      t.match(text, /The_export_"lake"_was_paused/)
      t.match(text, 'Last error: There is no such bucket.')
      t.match(
        text,
        `https://site.example/organizations/${first.organization_id}/projects/${first.project_id}/exports/${id}`,
      )
    }
    await call('project_batch_exports.unpause', { params: { id } })
    await call('project_batch_exports.pause', { params: { id } })
    await runUntil(13)
    t.equal(receiver.hooks.length, 1)
    const test = await call('alerts.test', { params: { id: mails.id } })
    t.match(test.body, { sent: true, detail: 'Enqueued emails to admin@example.com, plain@example.com.' })
    while (mailbox.mails.length < 5) await mailbox.next()
    t.match(readable(itemAt(mailbox.mails, 4).raw), /This is a test of the alert "A"/)
  })

for (const engine of nextEngines())
  t.test(`reports an export that falls behind, and its end (${engine})`, async (t) => {
    const receiver = await openReceiver(t)
    const app = await openFailing(t, engine)
    const { createAlert, createExport, outcomes, deps, setClock, call } = app
    const id = await createExport('lake')
    await createAlert({ triggers: ['lag', 'recovery'], lag_minutes: 30, channel: 'webhook', url: receiver.url })
    await createAlert({ triggers: ['lag'], lag_minutes: 90, channel: 'webhook', url: receiver.url })
    await ingest(app, plainEvents(1))
    const check = async (minutes: number): Promise<string[]> => {
      setClock(minutes * MINUTE_MS)
      await deps.alerter.drain()
      return typesOf(receiver)
    }
    t.same(await check(85), [], 'the window ended 25 minutes ago')
    t.same(await check(95), ['lag lake'])
    t.match(receiver.hooks[0]?.body, { lag_minutes: 35, run: null, text: /35 minutes behind.*01:00:00\.000Z/ })
    t.same(await check(100), ['lag lake'], 'one message')
    outcomes.lake = retryableError('The connection broke.')
    await deps.exporter.drain()
    t.same(await check(155), ['lag lake', 'lag lake'], 'a run that is retried is behind too')
    outcomes.lake = undefined
    await deps.exporter.drain()
    t.equal((await check(156)).length, 2, 'the next digest waits for five minutes')
    t.same((await check(161)).slice(2), ['recovery lake'])
    t.match(receiver.hooks[2]?.body, { run: null, text: /has caught up/ })

    setClock(10 * HOUR_MS)
    await call('project_batch_exports.pause', { params: { id } })
    t.equal((await check(11 * 60)).length, 3, 'a paused export is not behind')
    setClock(20 * HOUR_MS)
    await call('project_batch_exports.unpause', { params: { id }, body: { backfill: true } })
    t.equal((await check(20 * 60 + 5)).length, 3, 'an export that was unpaused gets time to catch up')
    t.same((await check(20 * 60 + 35)).slice(3), ['lag lake'])
    await call('project_batch_exports.pause', { params: { id } })
    t.equal((await check(20 * 60 + 40)).length, 4, 'a pause is no recovery')
  })

for (const engine of nextEngines())
  t.test(`a lag that ends with a failed run is no recovery (${engine})`, async (t) => {
    const receiver = await openReceiver(t)
    const { createAlert, createExport, outcomes, deps, setClock, runUntil } = await openFailing(t, engine)
    await createExport('lake')
    await createAlert({ triggers: ALL, lag_minutes: 30, channel: 'webhook', url: receiver.url })
    outcomes.lake = retryableError('The connection broke.')
    await runUntil(1)
    setClock(95 * MINUTE_MS)
    await deps.alerter.drain()
    outcomes.lake = FAILURE
    await deps.exporter.drain()
    setClock(101 * MINUTE_MS)
    await deps.alerter.drain()
    t.same(typesOf(receiver), ['lag lake', 'failure lake'])
    outcomes.lake = undefined
    await runUntil(2)
    t.same(typesOf(receiver), ['lag lake', 'failure lake', 'recovery lake'])
  })

for (const engine of nextEngines())
  t.test(`filters by project and export (${engine})`, async (t) => {
    const receiver = await openReceiver(t)
    const { createAlert, createExport, outcomes, runUntil, call, first } = await openFailing(t, engine)
    const lake = await createExport('lake')
    await createExport('pond')
    const hook = (path: string, more: object) =>
      createAlert({ triggers: ['failure'], channel: 'webhook', url: `${receiver.url}/${path}`, ...more })
    const second = (await call('projects.create', { body: { name: 'Second' } })).body.id
    const moved = await hook('moved', { batch_export_id: lake })
    await hook('lake', { batch_export_id: lake })
    await hook('project', { team_id: first.project_id })
    await hook('second', { team_id: second })
    await call('alerts.update', { params: { id: moved.id }, body: { batch_export_id: null, team_id: second } })
    Object.assign(outcomes, { lake: FAILURE, pond: FAILURE })
    await runUntil(1)
    const received = receiver.hooks.flatMap(({ path, body }) =>
      body.messages.map((message) => `${path} ${message.batch_export.name}`),
    )
    t.same(received.toSorted(), ['/hook/lake lake', '/hook/project lake', '/hook/project pond'])
  })

for (const engine of nextEngines())
  t.test(`disabling an alert forgets its problems and messages (${engine})`, async (t) => {
    const receiver = await openReceiver(t)
    const { createAlert, createExport, outcomes, runUntil, call, deps } = await openFailing(t, engine)
    await createExport('lake')
    const { id } = await createAlert({ triggers: ['failure', 'recovery'], channel: 'webhook', url: receiver.url })
    receiver.respondWith((response) => void response.writeHead(500).end())
    outcomes.lake = FAILURE
    await runUntil(1)
    t.same(typesOf(receiver), ['failure lake'])
    await call('alerts.update', { params: { id }, body: { enabled: false } })
    t.equal(await deps.db.count(sql`from alert_deliveries`), 0)
    receiver.respondWith((response) => void response.writeHead(200).end('ok'))
    await runUntil(2)
    t.equal(receiver.hooks.length, 1)
    await call('alerts.update', { params: { id }, body: { enabled: true } })
    await runUntil(3)
    t.same(typesOf(receiver), ['failure lake', 'failure lake'], 'a failure after enabling is reported')
    await call('alerts.delete', { params: { id } })
    t.equal(await deps.db.count(sql`from alert_incidents`), 0)
  })

for (const engine of nextEngines())
  t.test(`retries a webhook with the same id, five times in all (${engine})`, async (t) => {
    const receiver = await openReceiver(t)
    const { createAlert, createExport, outcomes, runUntil, call, deps, advance } = await openFailing(t, engine)
    await createExport('lake')
    const { id, secret } = await createAlert({ triggers: ['failure'], channel: 'webhook', url: receiver.url })
    const latestError = async () => (await call('alerts.retrieve', { params: { id } })).body.latest_error
    receiver.respondWith((response) => void response.writeHead(503).end('secret answer'))
    outcomes.lake = FAILURE
    await runUntil(1)
    t.equal(receiver.hooks.length, 1)
    t.equal(await latestError(), 'The server returned 503. Check its log.')
    for (const [minutes, expected] of [
      [0.4, 1],
      [0.2, 2],
      [2, 3],
      [10, 4],
      [60, 5],
      [600, 5],
    ] as const) {
      advance(minutes * MINUTE_MS + 1_000)
      await deps.alerter.drain()
      t.equal(receiver.hooks.length, expected, `after ${minutes} more minutes`)
    }
    t.equal(new Set(receiver.hooks.map(({ headers }) => headers['webhook-id'])).size, 1)
    t.equal(new Set(receiver.hooks.map(({ text }) => text)).size, 1)
    t.ok(receiver.hooks.every((hook) => isSigned(hook, secret)))
    t.equal(
      new Set(receiver.hooks.map(({ headers }) => headers['webhook-timestamp'])).size,
      5,
      'each with its own time',
    )
    t.equal(await deps.db.count(sql`from alert_deliveries`), 0)

    const test = () => call('alerts.test', { params: { id } })
    t.match(await test(), { status: 200, body: { sent: false, detail: 'The server returned 503. Check its log.' } })
    receiver.respondWith((response) => void response.writeHead(302, { location: '/elsewhere' }).end())
    t.match(await test(), { body: { sent: false, detail: /302\. Redirects are not followed/ } })
    receiver.respondWith((response) => void response.destroy())
    t.match(await test(), { body: { sent: false, detail: /connection to the server failed/ } })
    t.match(await latestError(), /connection to the server failed/)
    receiver.respondWith((response) => void response.writeHead(200).end('x'.repeat(1_000_000)))
    t.match(await test(), { body: { sent: true, detail: 'The server returned 200.' } })
    t.equal(await latestError(), null)
    t.match(receiver.hooks.at(-1)?.body, { type: 'test', project: null, batch_export: null, run: null })
    t.ok(isSigned(itemAt(receiver.hooks, -1), secret))
  })

for (const engine of nextEngines())
  t.test(`two nodes send one message (${engine})`, async (t) => {
    const receiver = await openReceiver(t)
    const app = await openFailing(t, engine)
    const { createAlert, createExport, outcomes, deps, setClock } = app
    const names = Array.from({ length: 8 }, (_, i) => `lake ${i}`)
    for (const name of names) await createExport(name)
    await createAlert({ triggers: ALL, lag_minutes: 30, channel: 'webhook', url: receiver.url })
    const other = createAlerter({ ...deps, wakeMailer: null })
    const exporter = createExporter({
      ...deps,
      files_root: '',
      launch: deps.processes.deliver,
    })
    await ingest(app, plainEvents(1))
    setClock(95 * MINUTE_MS)
    const drainBoth = () => Promise.all([deps.alerter.drain(), other.drain()])
    await drainBoth()
    const expected = (...types: string[]) => types.flatMap((type) => names.map((name) => `${type} ${name}`)).toSorted()
    t.same(typesOf(receiver).toSorted(), expected('lag'))
    for (const name of names) outcomes[name] = FAILURE
    await Promise.all([deps.exporter.drain(), exporter.drain()])
    setClock(101 * MINUTE_MS)
    await drainBoth()
    t.same(typesOf(receiver).toSorted(), expected('failure', 'lag'))
    await exporter.stop()
    await other.stop()
  })

for (const engine of nextEngines())
  t.test(`a slow receiver does not delay other alerts (${engine})`, async (t) => {
    const [slow, fast] = [await openReceiver(t), await openReceiver(t)]
    const { createAlert, createExport, outcomes, runUntil, deps } = await openFailing(t, engine)
    const alerter = deps.alerter
    await createExport('lake')
    for (const { url } of [slow, fast]) await createAlert({ triggers: ALL, channel: 'webhook', url })
    let release = (): void => undefined
    slow.respondWith((response) => {
      release = () => void response.writeHead(204).end()
    })
    outcomes.lake = FAILURE
    alerter.start()
    const running = runUntil(1)
    while (fast.hooks.length < 1) await new Promise(setImmediate)
    while (slow.hooks.length < 1) await new Promise(setImmediate)
    outcomes.lake = undefined
    const next = running.then(() => runUntil(2))
    slow.respondWith((response) => void response.writeHead(204).end())
    release()
    await next
    while (slow.hooks.length < 2 || fast.hooks.length < 2) await new Promise(setImmediate)
    t.same(typesOf(slow), ['failure lake', 'recovery lake'])
    t.same(typesOf(fast), ['failure lake', 'recovery lake'])
  })

for (const engine of nextEngines())
  t.test(
    `exports that are late together send one email per person and one request per alert (${engine})`,
    async (t) => {
      const mailbox = await openMailbox(t)
      const receiver = await openReceiver(t)
      const app = await openFailing(t, engine, {
        environment: { SMTP_URL: mailbox.url, SITE_URL: 'https://site.example' },
      })
      const { createAlert, createExport, outcomes, deps, setClock, member } = app
      const emails = ['ada@example.com', 'grace@example.com']
      for (const email of emails) await member(email, 1)
      const names = Array.from({ length: 130 }, (_, i) => `lake ${i}`)
      for (const name of names) await createExport(name)
      for (const lag_minutes of [30, 60]) await createAlert({ triggers: ALL, lag_minutes, channel: 'email', emails })
      await createAlert({ triggers: ALL, lag_minutes: 30, channel: 'webhook', url: receiver.url })
      await ingest(app, plainEvents(1))
      setClock(125 * MINUTE_MS)
      await deps.alerter.drain()
      while (mailbox.mails.length < 2) await mailbox.next()
      t.same(mailbox.mails.flatMap(({ to }) => to).toSorted(), emails)
      const text = readable(itemAt(mailbox.mails, 0).raw)
      t.match(text, /^Subject: 130 exports of My organization are behind/m)
      t.match(text, 'The batch export "lake 0" of the project "Default project" is 65 minutes behind')
      t.match(text, 'There are 30 more messages.')
      t.equal(receiver.hooks.length, 1)
      const { body } = itemAt(receiver.hooks, 0)
      t.match(body, {
        type: 'lag',
        lag_minutes: 65,
        run: null,
        batch_export: { interval: 'hour' },
        text: /^130 exports of My organization are behind: .* and 120 more\.$/,
      })
      t.equal(new Set(body.messages.map((message) => message.batch_export.id)).size, 130)
      t.equal(body.messages[0]?.id, body.id)

      // Their runs fail one after the other.
      for (const name of names) outcomes[name] = FAILURE
      await deps.exporter.drain()
      await deps.alerter.drain()
      t.equal(receiver.hooks.length, 1, 'the failures wait for the next digest')
      setClock(131 * MINUTE_MS)
      await deps.alerter.drain()
      while (mailbox.mails.length < 4) await mailbox.next()
      t.equal(receiver.hooks.length, 2)
      t.match(receiver.hooks[1]?.body, { type: 'failure', run: { latest_error: 'There is no such bucket.' } })
      t.equal(receiver.hooks[1]?.body.messages.length, 130)
      t.match(readable(itemAt(mailbox.mails, 3).raw), /^Subject: 130 exports of My organization failed/m)
      t.equal(mailbox.mails.length, 4)
    },
  )

t.test('sends plain http only to addresses that the operator allows', async (t) => {
  const app = await openApp(t, 'sqlite', { environment: { SECRET_KEY: environment.SECRET_KEY } })
  const body = { name: 'h', triggers: ['failure'], channel: 'webhook', url: 'http://1.1.1.1/hook' }
  const { id } = (await app.call('alerts.create', { body })).body
  t.match((await app.call('alerts.test', { params: { id } })).body, {
    sent: false,
    detail: /only to addresses in OUTBOUND_ALLOW/,
  })
})
