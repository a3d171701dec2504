/** batch_exports, project_batch_exports, batch_export_runs and their log entries. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import t from 'tap'
import { createDeliveryProcesses } from '../../src/exports/delivery-processes.ts'
import { chunks, rows, sql } from '../../src/sql/template.ts'
import { type ApiResponse, nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { itemAt, only } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { ingest, plainEvents } from '../helpers/seeds/exports.ts'

const HOUR_MS = 3_600_000

const pathsOf = ({ first }: TestApp) => ({
  project: `/api/projects/${first.project_id}/batch_exports` as const,
  organization: `/api/organizations/${first.organization_id}/batch_exports` as const,
})

const fileExport = (more: object = {}, config: object = {}) => ({
  name: 'to a file',
  destination: { type: 'File', config },
  interval: 'hour',
  ...more,
})

for (const level of ['project', 'organization'] as const)
  onBothEngines(t, `creates, updates, pauses and deletes an export of a ${level}`, async (t, app) => {
    const base = pathsOf(app)[level]
    t.match(await app.send('GET', `${base}/`), { status: 200, body: { count: 0, results: [], next: null } })
    const created = await app.send('POST', `${base}/`, { body: fileExport({}, { prefix: 'x', compression: 'gzip' }) })
    t.match(created, {
      status: 201,
      body: {
        team_id: app.first.project_id,
        name: 'to a file',
        interval: 'hour',
        paused: false,
        destination: { type: 'File', config: { prefix: 'x', compression: 'gzip' } },
        last_paused_at: null,
        start_at: null,
        end_at: null,
        next_run_at: '2026-01-01T01:00:00.000Z',
        latest_runs: [],
        hogql_query: null,
        schema: null,
      },
    })
    const one = `${base}/${created.body.id}` as const
    t.same((await app.send('GET', `${one}/`)).body, created.body)
    t.match(await app.send('GET', `${base}/`), { body: { count: 1, results: [{ id: created.body.id }] } })

    const changed = await app.send('PATCH', `${one}/`, {
      body: { name: ' other ', destination: { config: { prefix: 'y' } }, start_at: '2026-02-01 10:00', team_id: 99 },
    })
    t.match(changed.body, {
      name: 'other',
      team_id: app.first.project_id,
      start_at: '2026-02-01T10:00:00.000Z',
      destination: { type: 'File', config: { prefix: 'y', compression: 'gzip' } },
    })
    t.match(await app.send('PATCH', `${one}/`, {}), { status: 200, body: { name: 'other' } })

    const paused = await app.send('POST', `${one}/pause/`)
    t.match(paused, { status: 200, body: { paused: true, last_paused_at: /2026/ } })
    t.same((await app.send('POST', `${one}/pause/`)).body, paused.body, 'pausing again changes nothing')
    const unpaused = await app.send('POST', `${one}/unpause/`, { body: { backfill: false } })
    t.match(unpaused, { status: 200, body: { paused: false, last_paused_at: paused.body.last_paused_at } })
    t.same((await app.send('POST', `${one}/unpause/`)).body, { ...unpaused.body, skipped_events: null })
    t.match(await app.send('POST', `${one}/unpause/`, { body: { backfill: 'yes' } }), {
      status: 400,
      body: { attr: 'backfill' },
    })

    for (const payload of ['"x"', '5', 'true', 'null', '[1]', '{', '{"a":'])
      for (const type of ['application/json', 'text/plain']) {
        const [first, second] = [
          await app.send('POST', `${one}/pause/`, { raw: { type, payload } }),
          await app.send('POST', `${one}/unpause/`, { raw: { type, payload } }),
        ]
        t.ok(first.status >= 400 && first.status < 500, `${type} ${payload}`)
        t.same([first.status, first.body], [second.status, second.body], 'both reject an invalid body the same way')
      }
    t.match(await app.send('GET', `${one}/`), { body: { paused: false } })
    for (const payload of ['[]', '{}'])
      for (const [action, expected] of [
        ['pause', true],
        ['unpause', false],
      ] as const)
        t.match(
          await app.send('POST', `${one}/${action}/`, { raw: { type: 'application/json', payload } }),
          { status: 200, body: { paused: expected } },
          `${payload} counts as no body for ${action}`,
        )
    t.match(await app.send('POST', `${one}/pause/`, { body: { name: 'y' } }), { status: 200, body: { name: 'other' } })
    t.match(await app.send('POST', `${one}/unpause/`, { body: { name: 'y' } }), { body: { name: 'other' } })

    t.match(await app.send('DELETE', `${one}/`), { status: 204 })
    for (const [method, path] of [
      ['GET', '/'],
      ['PATCH', '/'],
      ['DELETE', '/'],
      ['POST', '/pause/'],
      ['POST', '/unpause/'],
    ] as const)
      t.match(await app.send(method, `${one}${path}`), { status: 404, body: { code: 'not_found' } })
    t.match(await app.send('GET', `${base}/`), { body: { count: 0 } })
  })

onBothEngines(t, 'organization and project paths show the same exports', async (t, app) => {
  const { project, organization } = pathsOf(app)
  const second = await app.send('POST', '/api/projects/', { body: { name: 'Second' } })
  const inSecond = await app.send('POST', `${organization}/`, { body: fileExport({ team_id: second.body.id }) })
  t.equal(inSecond.body.team_id, second.body.id)
  const oldest = await app.send('POST', `${organization}/`, { body: fileExport() })
  t.equal(oldest.body.team_id, app.first.project_id, 'the oldest project is the default')
  t.match(await app.send('GET', `${organization}/`), {
    body: { count: 2, results: [{ id: oldest.body.id }, { id: inSecond.body.id }] },
  })
  t.match(await app.send('GET', `${project}/`), { body: { count: 1, results: [{ id: oldest.body.id }] } })
  t.match(await app.send('GET', `${project}/${inSecond.body.id}/`), { status: 404 })
  t.match(await app.send('GET', `${organization}/${inSecond.body.id}/`), { status: 200 })
  const other = await app.stranger('other@example.com')
  t.match(await app.send('POST', `${organization}/`, { body: fileExport({ team_id: other.project_id }) }), {
    status: 400,
    body: { attr: 'team_id', code: 'does_not_exist' },
  })
  t.match(await app.send('POST', `${organization}/`, { body: fileExport({ team_id: 987654 }) }), {
    status: 400,
    body: { attr: 'team_id', code: 'does_not_exist' },
  })
})

for (const level of ['project', 'organization'] as const)
  onBothEngines(t, `rejects unsupported fields that would change the exported events of a ${level}`, async (t, app) => {
    const base = pathsOf(app)[level]
    const created = await app.send('POST', `${base}/`, { body: fileExport() })
    const one = `${base}/${created.body.id}/` as const
    const filter = { key: '$browser', operator: 'exact', type: 'event', value: ['Firefox'] }
    for (const [field, wrong] of [
      ['model', ['groups', null, 5]],
      ['filters', [filter, {}, 'x']],
      ['timezone', ['Mars', '+01:00', 5]],
      ['offset_day', [1, -1, '0', true]],
      ['offset_hour', [5, 0.5, '0']],
    ] as const)
      for (const value of wrong) {
        const rejected = { status: 400, body: { type: 'validation_error', attr: field } }
        t.match(await app.send('POST', `${base}/`, { body: fileExport({ [field]: value }) }), rejected)
        t.match(await app.send('PATCH', one, { body: { name: 'changed', [field]: value } }), rejected)
      }
    t.same((await app.send('GET', one)).body, created.body, 'nothing changed')
    t.match(await app.send('GET', `${base}/`), { body: { count: 1 } })
    for (const same of [
      { model: 'events', filters: null, timezone: null, offset_day: null, offset_hour: null },
      { model: 'events', filters: [], timezone: 'UTC', offset_day: 0, offset_hour: 0 },
    ]) {
      t.match(await app.send('POST', `${base}/`, { body: fileExport(same) }), { status: 201 })
      t.match(await app.send('PATCH', one, { body: same }), { status: 200 })
    }
    t.match(await app.send('POST', `${base}/`, { body: fileExport({ timezone: 'Mars' }) }), {
      body: { code: 'invalid_choice', detail: '"timezone" must be an IANA time zone, such as Europe/Berlin.' },
    })
  })

onBothEngines(t, 'searches exports by name, and shows when the next run starts', async (t, app) => {
  const create = async (name: string, more: object = {}) => {
    const destination = { type: 'NoOp', config: {} }
    const body = { name, interval: 'day', destination, ...more }
    return (await app.call('project_batch_exports.create', { body })).body
  }
  const lake = await create('To the Lake 100%')
  const other = await create('Other', { paused: true })
  const ended = await create('Ended lake', { end_at: '2025-12-31' })
  const later = await create('Later', { start_at: '2026-01-05' })
  t.strictSame(
    [lake, other, ended, later].map((row) => row.next_run_at),
    ['2026-01-02T00:00:00.000Z', null, null, '2026-01-06T00:00:00.000Z'],
  )
  const last = await app.send('PATCH', `/api/projects/1/batch_exports/${later.id}/`, {
    body: { start_at: '9999-12-31T23:59:59.999Z' },
  })
  t.match(last, { status: 200, body: { next_run_at: null } }, 'a time after the year 9999 has no stored form')
  const found = async (search: string) => {
    const { body } = await app.call('project_batch_exports.list', { query: { search } })
    const { body: same } = await app.call('batch_exports.list', { query: { search } })
    t.strictSame(same.results, body.results)
    t.equal(body.count, body.results.length)
    return body.results.map((row) => row.name)
  }
  t.strictSame(await found('LAKE'), ['Ended lake', 'To the Lake 100%'])
  t.strictSame(await found('0%'), ['To the Lake 100%'])
  t.strictSame(await found('_'), [])
  t.equal((await found('')).length, 4)
  const page = await app.call('project_batch_exports.list', { query: { search: 'lake', limit: 1 } })
  t.match(new URL(String(page.body.next)).search, 'search=lake', 'the next page has the same filter')
  const params = { id: lake.id }
  t.equal((await app.call('project_batch_exports.pause', { params })).body.next_run_at, null)
  t.equal((await app.call('project_batch_exports.unpause', { params })).body.next_run_at, '2026-01-02T00:00:00.000Z')
})

onBothEngines(t, 'an absent destination config is empty', async (t, app) => {
  const { project } = pathsOf(app)
  for (const type of ['File', 'NoOp']) {
    const created = await app.send('POST', `${project}/`, { body: fileExport({ destination: { type } }) })
    t.match(created, { status: 201, body: { destination: { type } } })
    t.same(created.body.destination.config, {})
    t.match(await app.send('PATCH', `${project}/${created.body.id}/`, { body: { destination: { type } } }), {
      status: 200,
    })
    t.match(await app.send('PATCH', `${project}/${created.body.id}/`, { body: { destination: { type: 'S3' } } }), {
      status: 400,
      body: { code: 'required', attr: 'destination__config__bucket_name' },
    })
    t.match(await app.send('POST', `${project}/test/`, { body: { type } }), { status: 200, body: { passed: true } })
  }
})

onBothEngines(t, 'the error for a null in a required field does not suggest to omit the field', async (t, app) => {
  const { project } = pathsOf(app)
  const created = await app.send('POST', `${project}/`, { body: fileExport() })
  const detail = async (path: string, body: object) => (await app.send('POST', path, { body })).error?.detail
  t.equal(
    await detail(`${project}/${created.body.id}/backfill/`, { start_at: null, end_at: '2025-12-31' }),
    '"start_at" must be a string such as "2026-11-01T00:00:00Z", not null.',
  )
  t.equal(await detail(`${project}/`, fileExport({ name: null })), '"name" must be a string, not null.')
  t.equal(await detail(`${project}/`, fileExport({ interval: null })), '"interval" must be a string, not null.')
  t.equal(
    await detail(`${project}/`, fileExport({ destination: { type: 'HTTP', config: { url: null, token: 't' } } })),
    '"destination.config.url" must be a string, not null.',
  )
  t.match(await detail(`${project}/`, fileExport({ paused: null })), /Omit it or send a value/)
  t.match(await detail(`${project}/`, fileExport({}, { prefix: null })), /Omit it or send a value/)
})

onBothEngines(t, 'rejects an invalid export, names the key and changes nothing', async (t, app) => {
  const { project } = pathsOf(app)
  const of = (type: unknown, config: unknown, more: object = {}) => ({
    name: 'n',
    interval: 'hour',
    destination: { type, config },
    ...more,
  })
  const pg = { user: 'u', password: 'p', host: 'db.example.com', database: 'd' }
  const cases: [body: object, attr: string | null, code: string][] = [
    [{ interval: 'hour', destination: { type: 'NoOp', config: {} } }, 'name', 'required'],
    [of('NoOp', {}, { name: ' ' }), 'name', 'blank'],
    [of('NoOp', {}, { name: null }), 'name', 'null'],
    [{ name: 'n', interval: 'hour' }, 'destination', 'required'],
    [{ name: 'n', interval: 'hour', destination: 'File' }, 'destination', 'invalid_input'],
    [{ name: 'n', interval: 'hour', destination: null }, 'destination', 'null'],
    [{ name: 'n', interval: 'hour', destination: {} }, 'destination__type', 'required'],
    [of(null, {}), 'destination__type', 'null'],
    [of(5, {}), 'destination__type', 'invalid_input'],
    [of('S3', undefined), 'destination__config__bucket_name', 'required'],
    [of('AzureBlob', undefined), 'destination__config__container_name', 'required'],
    [of('Postgres', undefined), 'destination__config__host', 'required'],
    [of('HTTP', undefined), 'destination__config__url', 'required'],
    [of('HTTP', { url: 'https://example.com/batch/' }), 'destination__config__token', 'required'],
    [of('HTTP', { url: 'https://example.com/batch/', token: null }), 'destination__config__token', 'null'],
    [of('Postgres', { ...pg, port: '5432' }), 'destination__config__port', 'invalid_input'],
    [of('Postgres', { ...pg, bucket_name: 'b' }), 'destination__config__bucket_name', 'invalid_input'],
    [of('File', null), 'destination__config', 'null'],
    [of('File', []), 'destination__config', 'invalid_input'],
    [of('Nowhere', {}), 'destination__type', 'invalid_choice'],
    [of('NoOp', {}, { interval: 'month' }), 'interval', 'invalid_choice'],
    [of('NoOp', {}, { interval: null }), 'interval', 'null'],
    [of('NoOp', {}, { paused: 'no' }), 'paused', 'invalid_input'],
    [of('NoOp', {}, { start_at: 'soon' }), 'start_at', 'invalid_input'],
    [of('NoOp', {}, { start_at: '2026-01-02', end_at: '2026-01-01' }), 'end_at', 'invalid_input'],
    [of('NoOp', { args: 1 }), 'destination__config__args', 'invalid_input'],
    [of('NoOp', { arg: 1 }), 'destination__config__arg', 'invalid_input'],
    [of('File', { prefix: 'a/../b' }), 'destination__config__prefix', 'invalid_input'],
    [of('File', { prefix: '{moon}' }), 'destination__config__prefix', 'invalid_input'],
    [of('File', { compression: 'zstd' }), 'destination__config__compression', 'invalid_input'],
    [of('File', { file_format: 'Parquet', compression: 'rar' }), 'destination__config__compression', 'invalid_choice'],
    [of('File', { file_format: 'CSV' }), 'destination__config__file_format', 'invalid_choice'],
    [of('File', { max_file_size_mb: '5' }), 'destination__config__max_file_size_mb', 'invalid_input'],
    [of('File', { include_events: 'all' }), 'destination__config__include_events', 'invalid_input'],
    [of('BigQuery', {}), 'destination__config__project_id', 'required'],
    [of('Snowflake', {}), 'destination__config__account', 'required'],
    [of('NoOp', {}, { hogql_query: 'SELECT' }), 'hogql_query', 'invalid_input'],
    [of('NoOp', {}, { hogql_query: 'SELECT nothing FROM events' }), 'hogql_query', 'invalid_input'],
    [of('NoOp', {}, { hogql_query: 'SELECT event FROM persons' }), 'hogql_query', 'invalid_input'],
    [of('NoOp', {}, { hogql_query: 'SELECT event FROM events LEFT JOIN persons' }), 'hogql_query', 'invalid_input'],
    [
      of('NoOp', {}, { hogql_query: 'SELECT event FROM events UNION ALL SELECT event FROM events' }),
      'hogql_query',
      'invalid_input',
    ],
    [of('NoOp', {}, { hogql_query: 'SELECT count() FROM events' }), 'hogql_query', 'invalid_input'],
    [of('NoOp', {}, { hogql_query: 'SELECT event FROM events LIMIT 5' }), 'hogql_query', 'invalid_input'],
    [of('NoOp', {}, { hogql_query: 'SELECT event AS a, uuid AS a FROM events' }), 'hogql_query', 'invalid_input'],
  ]
  for (const [body, attr, code] of cases)
    t.match(
      await app.send('POST', `${project}/`, { body }),
      { status: 400, body: { type: 'validation_error', attr, code } },
      JSON.stringify(body),
    )
  t.match(await app.send('GET', `${project}/`), { body: { count: 0 } })

  const created = await app.send('POST', `${project}/`, { body: of('File', { compression: 'gzip' }) })
  const one = `${project}/${created.body.id}/` as const
  for (const [body, attr] of [
    [{ destination: { config: { file_format: 'Parquet', compression: 'x' } } }, 'destination__config__compression'],
    [{ destination: { config: { oops: 1 } } }, 'destination__config__oops'],
    [{ destination: { type: 'Nowhere', config: {} } }, 'destination__type'],
    [{ interval: null }, 'interval'],
    [{ end_at: 'x' }, 'end_at'],
    [{ hogql_query: 'nonsense' }, 'hogql_query'],
  ] as const)
    t.match(await app.send('PATCH', one, { body }), { status: 400, body: { attr } })
  t.same((await app.send('GET', one)).body, created.body)
})

onBothEngines(t, 'parses a HogQL query, returns it as sent and removes it', async (t, app) => {
  const { project } = pathsOf(app)
  const hogql_query =
    "SELECT event   AS e, properties.plan, properties, toInt(properties.n) + 1 FROM events WHERE event != 'x'"
  const created = await app.send('POST', `${project}/`, { body: fileExport({ hogql_query }) })
  t.equal(created.status, 201)
  t.equal(created.body.hogql_query, hogql_query)
  t.same(created.body.schema, {
    fields: [
      { expression: 'event', alias: 'e' },
      { expression: 'properties.plan', alias: 'properties.plan' },
      { expression: 'properties', alias: 'properties' },
      { expression: 'plus(toInt(properties.n), 1)', alias: 'plus(toInt(properties.n), 1)' },
    ],
    values: {},
    hogql_query:
      "SELECT event AS e, properties.plan, properties, plus(toInt(properties.n), 1) FROM events WHERE notEquals(event, 'x')",
  })
  const one = `${project}/${created.body.id}/` as const
  t.match((await app.send('PATCH', one, { body: { name: 'kept' } })).body, { hogql_query, schema: { values: {} } })
  t.match((await app.send('PATCH', one, { body: { hogql_query: null } })).body, { hogql_query: null, schema: null })
})

onBothEngines(
  t,
  'backfills a past time range window by window and returns the active backfill of the same range',
  async (t, app) => {
    const { project } = pathsOf(app)
    await ingest(
      app,
      plainEvents(60).map((event, i) => ({
        ...event,
        timestamp: new Date(Date.parse('2025-12-31T00:00:00Z') + i * 600_000).toISOString(),
      })),
    )
    const created = await app.send('POST', `${project}/`, { body: fileExport({ paused: true }) })
    const one = `${project}/${created.body.id}` as const
    for (const [body, attr] of [
      [{}, 'start_at'],
      [{ start_at: '2025-12-31' }, 'end_at'],
      [{ start_at: '2025-12-31', end_at: null }, 'end_at'],
      [{ start_at: 'x', end_at: '2025-12-31' }, 'start_at'],
      [{ start_at: '2025-12-31', end_at: '2025-12-31' }, 'end_at'],
      [{ start_at: '2025-12-31', end_at: '2026-01-01T01:00:00Z' }, 'end_at'],
      [{ start_at: '2020-01-01', end_at: '2025-12-30' }, 'end_at'],
      [{ start_at: '2020-01-01', end_at: '2026-01-01' }, 'start_at'],
    ] as const)
      t.match(await app.send('POST', `${one}/backfill/`, { body }), {
        status: 400,
        body: { type: 'validation_error', attr },
      })

    const range = { start_at: '2025-12-30T19:30:00-05:00', end_at: '2025-12-31T03:00:00Z' }
    const begun = await app.send('POST', `${one}/backfill/`, { body: range })
    t.match(begun, { status: 200, body: { id: created.body.id, backfill_id: String } })
    const same = await app.send('POST', `${one}/backfill/`, { body: { ...range, start_at: '2025-12-31T00:30:00Z' } })
    t.equal(same.body.backfill_id, begun.body.backfill_id)
    await app.deps.exporter.drain()
    const runs = await app.send('GET', `${one}/runs/?ordering=data_interval_start`)
    t.match(
      runs.body.results.map((run) => [
        run.data_interval_start,
        run.data_interval_end,
        run.status,
        run.records_completed,
      ]),
      [
        ['2025-12-31T00:30:00.000Z', '2025-12-31T01:30:00.000Z', 'Completed', 6],
        ['2025-12-31T01:30:00.000Z', '2025-12-31T02:30:00.000Z', 'Completed', 6],
        ['2025-12-31T02:30:00.000Z', '2025-12-31T03:00:00.000Z', 'Completed', 3],
      ],
    )
    const another = await app.send('POST', `${one}/backfill/`, { body: range })
    t.not(another.body.backfill_id, begun.body.backfill_id, 'a finished range can be backfilled again')
    const first = itemAt(another.body.latest_runs, 0)
    const cancelled = await app.send('POST', `${one}/runs/${first.id}/cancel/`)
    t.match(cancelled, { status: 200, body: { status: 'Cancelled', finished_at: String } })
    await app.deps.exporter.drain()
    t.equal((await app.send('GET', `${one}/runs/`)).body.results.length, 4, 'cancelling a run ends the backfill')
    t.match(await app.send('POST', `${one}/runs/${first.id}/cancel/`), {
      status: 400,
      body: { code: 'invalid_input', attr: null },
    })
  },
)

onBothEngines(t, 'batch_export_runs: lists, retries and cancels runs and returns their logs', async (t, app) => {
  const { project } = pathsOf(app)
  await ingest(app, plainEvents(20))
  const created = await app.send('POST', `${project}/`, { body: fileExport() })
  const one = `${project}/${created.body.id}` as const
  app.advance(HOUR_MS)
  await app.deps.exporter.drain()
  const listed = await app.send('GET', `${one}/runs/`)
  t.match(listed.body, {
    next: null,
    previous: null,
    results: [
      {
        status: 'Completed',
        records_completed: 20,
        records_total_count: 20,
        latest_error: null,
        cursor: null,
        batch_export: created.body.id,
      },
    ],
  })
  const run = only(listed.body.results)
  t.same((await app.send('GET', `${one}/runs/${run.id}/`)).body, run)
  t.same((await app.send('GET', `${one}/`)).body.latest_runs, [run])

  const ofRun = async (query: string) =>
    (await app.call('project_batch_exports.list', { query: { run: query } })).body.results.map(({ id }) => id)
  t.strictSame(await ofRun(run.id.toUpperCase()), [created.body.id], 'the id of a run finds its export')
  t.strictSame(await ofRun(created.body.id), [])

  const again = await app.send('POST', `${one}/runs/${run.id}/retry/`)
  t.match(again, { status: 200, body: { status: 'Starting', data_interval_start: run.data_interval_start } })
  t.match(
    await app.send('POST', `${one}/runs/${again.body.id}/retry/`),
    { status: 400 },
    'an active run cannot be retried',
  )
  await app.deps.exporter.drain()
  t.match((await app.send('GET', `${one}/runs/${again.body.id}/`)).body, { status: 'Completed', records_completed: 20 })
  t.match(await app.send('POST', `${one}/runs/${run.id}/cancel/`), { status: 400 })

  const logs = await app.send('GET', `${one}/runs/${run.id}/logs/`)
  t.match(logs.body, {
    count: 2,
    results: [
      {
        level: 'INFO',
        message: /^Delivered 20 events/,
        run_id: run.id,
        team_id: app.first.project_id,
        batch_export_id: created.body.id,
      },
      { level: 'INFO', message: /^Attempt 1 / },
    ],
  })
  const all = (await app.send('GET', `${one}/logs/`)).body
  t.equal(all.count, 4)
  t.equal((await app.send('GET', `${one}/logs/?level=info&search=DELIVERED`)).body.count, 2)
  t.equal((await app.send('GET', `${one}/logs/?level=error&level=warning`)).body.count, 0)
  t.equal((await app.send('GET', `${one}/logs/?after=${all.results[3]?.timestamp}`)).body.count, 3)
  t.equal(
    (await app.send('GET', `${one}/logs/?before=${all.results[0]?.timestamp}&limit=1&offset=1`)).body.results.length,
    1,
  )
  t.match(await app.send('GET', `${one}/logs/?level=loud`), { status: 400, body: { attr: 'level' } })
  t.equal((await app.send('GET', `${one}/logs/?level=${encodeURIComponent('["info","error"]')}`)).body.count, 4)
  t.match(await app.send('GET', `${one}/logs/?after=whenever`), { status: 400, body: { attr: 'after' } })
})

onBothEngines(t, 'logs search the newest 10,000 entries of the time range', async (t, app) => {
  const { id } = (await app.send('POST', `${pathsOf(app).project}/`, { body: fileExport({ paused: true }) })).body
  const logs = `${pathsOf(app).project}/${id}/logs/` as const
  const start = Date.parse('2026-01-01')
  const entries = Array.from({ length: 10_001 }, (_, i) => ({
    timestamp: new Date(start + i).toISOString(),
    level: i === 0 ? 'ERROR' : 'INFO',
    message: i === 0 ? 'The needle' : 'hay',
  }))
  for (const some of chunks(entries))
    await app.deps.db.run(sql`
      insert into batch_export_log_entries (project_id, batch_export_id, run_id, timestamp, level, message)
      values ${rows(some.map((row) => [1, String(id), '', row.timestamp, row.level, row.message]))}`)
  const count = async (query: string) => (await app.send('GET', `${logs}?${query}`)).body.count
  t.equal(await count('limit=1'), 10_000)
  t.equal(await count('level=ERROR'), 0)
  t.equal(await count('search=needle'), 0)
  t.equal(await count('search=needle&level=ERROR&before=2026-01-01T00:00:10.000Z'), 1)
  const last = await app.send('GET', `${logs}?limit=1&offset=9999`)
  t.match(last.body, { next: null, results: [{ timestamp: '2026-01-01T00:00:00.001Z' }] })
})

for (const engine of nextEngines())
  t.test(`two updates at the same time do not combine into an invalid export (${engine})`, async (t) => {
    const app = await openApp(t, engine, { environment: { OUTBOUND_ALLOW: '127.0.0.1', SECRET_KEY: 'a'.repeat(64) } })
    const { project } = pathsOf(app)
    const http = { type: 'HTTP', config: { url: 'http://127.0.0.1:9', token: 't' } }
    for (let round = 0; round < 8; round++) {
      const created = await app.send('POST', `${project}/`, { body: fileExport() })
      const one = `${project}/${created.body.id}` as const
      // Exports to HTTP do not support a query.
      const updates = [{ destination: http }, { hogql_query: 'SELECT event FROM events' }]
      const answers = await Promise.all(
        (round % 2 ? updates : updates.toReversed()).map((body) => app.send('PATCH', `${one}/`, { body })),
      )
      t.strictSame(answers.map(({ status }) => status).toSorted(), [200, 400])
      t.match(answers.find(({ status }) => status === 400)?.error, { attr: 'hogql_query' })
      const { destination, hogql_query } = (await app.send('GET', `${one}/`)).body
      t.not(destination.type === 'HTTP', hogql_query !== null)
    }
  })

for (const engine of nextEngines())
  t.test(`deletes an export while its runs are cancelled and retried (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const { project } = pathsOf(app)
    for (let round = 0; round < 8; round++) {
      const created = await app.send('POST', `${project}/`, { body: fileExport() })
      const one = `${project}/${created.body.id}` as const
      for (let day = 1; day <= 6; day++)
        await app.send('POST', `${one}/backfill/`, {
          body: { start_at: `2025-12-0${day}`, end_at: `2025-12-0${day + 1}` },
        })
      const { results } = (await app.send('GET', `${one}/runs/`)).body
      const first = itemAt(results, 0)
      await app.send('POST', `${one}/runs/${first.id}/cancel/`)
      const [deleted, ...rest] = await Promise.all([
        app.send('DELETE', `${one}/`),
        app.send('POST', `${one}/runs/${first.id}/retry/`),
        ...results.slice(1).map(({ id }) => app.send('POST', `${one}/runs/${id}/cancel/`)),
      ])
      t.equal(deleted.status, 204)
      for (const { status } of rest) t.ok(status === 200 || status === 404, String(status))
    }
  })

onBothEngines(t, 'batch_export_runs: pages follow the boundary row in every order', async (t, app) => {
  const { project } = pathsOf(app)
  const created = await app.send('POST', `${project}/`, {
    body: { name: 'many', interval: 'every 5 minutes', destination: { type: 'NoOp', config: {} } },
  })
  const one = `${project}/${created.body.id}` as const
  app.advance(230 * 300_000)
  await app.deps.exporter.drain()
  for (const ordering of ['-created_at', 'created_at', 'data_interval_start', '-data_interval_start']) {
    const pages = [await app.send('GET', `${one}/runs/?ordering=${ordering}`)]
    while (itemAt(pages, -1).body.next) pages.push(await app.follow(itemAt(pages, -1)))
    const seen = pages.flatMap(({ body }) => body.results)
    t.equal(seen.length, 230)
    t.equal(new Set(seen.map(({ id }) => id)).size, 230)
    const by = ordering.endsWith('created_at') ? 'created_at' : 'data_interval_start'
    const sorted = seen.map((run) => run[by]).toSorted()
    t.same(
      seen.map((run) => run[by]),
      ordering.startsWith('-') ? sorted.reverse() : sorted,
    )
    const back = (await app.follow(itemAt(pages, 2), 'previous')).body
    t.same(back.results, seen.slice(100, 200), 'the previous page')
    t.ok(back.next && back.previous)
  }
  const [{ id = '' } = {}] = (await app.send('GET', `${one}/runs/`)).body.results
  const times = ['2026', '2020(\0)', '2026-01-01', '+010000-01-01T00:00:00.000Z', '2026-02-30T00:00:00.000Z']
  const cursors = times.flatMap((time) => [`next ${time} ${id}`, `previous ${time} ${id}`])
  const encoded = cursors.map((cursor) => Buffer.from(cursor).toString('base64url'))
  for (const cursor of ['nonsense', '', '%F0%9F', 'bmV4dCAyMDI2IHg', ...encoded])
    for (const path of ['runs/?', 'runs/?ordering=data_interval_start&', 'backfills/?'])
      t.match(await app.send('GET', `${one}/${path}cursor=${cursor}`), {
        status: 400,
        body: { type: 'validation_error', code: 'invalid_input', attr: 'cursor' },
      })
  t.match(await app.send('GET', `${one}/runs/?ordering=size`), { status: 400, body: { attr: 'ordering' } })
  t.equal(
    (await app.send('GET', `${one}/runs/?start=2026-01-01T01:00:00Z&end=2026-01-01T01:15:00Z`)).body.results.length,
    3,
  )
  t.equal((await app.send('GET', `${one}/runs/?after=-1h`)).body.results.length, 100)
  t.equal((await app.send('GET', `${one}/runs/?before=-1h`)).body.results.length, 0)
})

onBothEngines(t, 'tests a destination step by step', async (t, app) => {
  const { project } = pathsOf(app)
  t.match(await app.send('POST', `${project}/test/`, { body: { type: 'NoOp', config: {} } }), {
    status: 200,
    body: { passed: true, steps: [{ status: 'passed' }] },
  })
  t.match(await app.send('POST', `${project}/test/`, { body: { type: 'File', config: {} } }), {
    status: 200,
    body: { passed: true, steps: [{ status: 'passed' }, { status: 'passed' }, { status: 'passed' }] },
  })
  t.match(await app.send('POST', `${project}/test/`, { body: { type: 'File', config: { nope: 1 } } }), { status: 400 })
  t.match(await app.send('POST', `${project}/test/`, { body: { type: 'Snowflake', config: {} } }), {
    status: 400,
    body: { code: 'required', attr: 'destination__config__account' },
  })
})

const deliverProcesses = (): number[] =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('deliver-process'))
    .map((line) => Number.parseInt(line, 10))

for (const engine of nextEngines())
  t.test(`connection tests wait for each other, and a project leaves room for others (${engine})`, async (t) => {
    const held: ServerResponse[] = []
    let holding = true
    const server = createServer((request, response) => {
      request.resume()
      if (!holding) return void response.end()
      held.push(response)
      server.emit('held')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const app = await openApp(t, engine, {
      environment: { OUTBOUND_ALLOW: '127.0.0.1', SECRET_KEY: 'ab'.repeat(32) },
      processes: createDeliveryProcesses(),
    })
    const { project, organization } = pathsOf(app)
    const { body: other } = await app.call('projects.create', { body: { name: 'Other' } })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const body = { type: 'HTTP', config: { url, token: 'x' } }
    const file = { type: 'File', config: {} }
    const answers: ApiResponse[] = []
    const requests = Array.from({ length: 26 }, async () => {
      const answer = await app.send('POST', `${project}/test/`, { body })
      answers.push(answer)
      server.emit('answered')
      return answer
    })
    while (held.length < 2) await once(server, 'held')
    while (answers.length < 4) await once(server, 'answered')
    const refusal = {
      status: 503,
      headers: { 'retry-after': '5' },
      body: { type: 'server_error', code: 'unavailable', detail: /^Too many connection tests/ },
    }
    t.match(answers, [refusal, refusal, refusal, refusal], 'the queue of a project is bounded')
    t.equal(held.length, 2, 'a project runs two at once')
    for (const path of [`/api/projects/${other.id}/batch_exports`, organization])
      t.match(await app.send('POST', `${path}/test/`, { body: file }), { status: 200, body: { passed: true } }, path)

    holding = false
    for (const response of held) response.end()
    const statuses = (await Promise.all(requests)).map(({ status }) => status)
    t.strictSame(
      statuses.filter((status) => status !== 200 && status !== 503),
      [],
    )
    t.ok(statuses.filter((status) => status === 200).length >= 2)

    holding = true
    held.length = 0
    const interrupted = app.send('POST', `${project}/test/`, { body })
    while (held.length < 1) await once(server, 'held')
    for (const pid of deliverProcesses()) process.kill(pid, 'SIGKILL')
    t.match(await interrupted, {
      status: 503,
      headers: { 'retry-after': '5' },
      body: { code: 'unavailable', detail: /did not finish/ },
    })
    // The pool may not have noticed yet that its idle processes are gone.
    let next: ApiResponse
    do next = await app.send('POST', `${project}/test/`, { body: file })
    while (next.status === 503)
    t.match(next, { status: 200, body: { passed: true } }, 'a new process serves the next test')
  })

t.test('a test fails when a file blocks the export folder', async (t) => {
  const folder = freshFolder(t)
  writeFileSync(join(folder, 'file'), '')
  const app = await openApp(t, 'sqlite', { environment: { EXPORT_FOLDER: join(folder, 'file') } })
  t.match(await app.send('POST', `${pathsOf(app).project}/test/`, { body: { type: 'File', config: {} } }), {
    body: {
      passed: false,
      steps: [{ status: 'failed', detail: /A file exists where/ }, { status: 'skipped' }, { status: 'skipped' }],
    },
  })
})

onBothEngines(t, 'writes files below the folder of the export', async (t, app) => {
  const { project } = pathsOf(app)
  await ingest(app, plainEvents(3))
  const created = await app.send('POST', `${project}/`, { body: fileExport({}, { prefix: '{year}' }) })
  app.advance(HOUR_MS)
  await app.deps.exporter.drain()
  const root = app.deps.config.EXPORT_FOLDER ?? join(dirname(app.deps.db.location), 'exports')
  const folder = join(root, String(app.first.project_id), created.body.id, '2026')
  t.ok(existsSync(folder))
  const file = only(readdirSync(folder))
  t.equal(file, '2026-01-01T00:00:00Z-2026-01-01T01:00:00Z.jsonl')
  t.equal(readFileSync(join(folder, file), 'utf8').trimEnd().split('\n').length, 3)
})
