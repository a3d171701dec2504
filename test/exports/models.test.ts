/**
 * Exports of persons and sessions: every change is delivered at least once, and the rows with the highest versions equal
 * the stored state.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { horizon, resumePosition } from '../../src/events/positions.ts'
import { createSessionCloser } from '../../src/events/sessions.ts'
import { type DeliveryJob, deliver } from '../../src/exports/deliver.ts'
import type { DestinationType } from '../../src/exports/destination.ts'
import { name, sql } from '../../src/sql/template.ts'
import { nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { bySize, halfInQuick } from '../helpers/assertions/figures.ts'
import { defined, itemAt, only } from '../helpers/assertions/items.ts'
import type { Json } from '../helpers/json.ts'
import { openBigQueryStub } from '../helpers/peers/bigquery.ts'
import { mergedRows, openClickHouse } from '../helpers/peers/clickhouse.ts'
import { openRedshift } from '../helpers/peers/redshift.ts'
import { openSnowflakeStub } from '../helpers/peers/snowflake.ts'
import { ingest, jobFor, listener, type SentEvent } from '../helpers/seeds/exports.ts'

t.setTimeout(bySize({ full: 5, prove: 20 }) * 60_000)
halfInQuick(t)

const HOUR_MS = 3_600_000

/** Creates an hourly export to files, with a function that reads all rows delivered so far. */
async function open(app: TestApp, more: object = {}) {
  const { project_id } = app.first
  const base = `/api/projects/${project_id}/batch_exports` as const
  const body = {
    name: 'x',
    interval: 'hour',
    model: 'persons',
    destination: { type: 'File', config: { prefix: '{table}' } },
    ...more,
  }
  const created = await app.send('POST', `${base}/`, { body })
  const folder = join(app.deps.files_root, String(project_id), String(created.body.id))
  return {
    created,
    path: `${base}/${created.body.id}` as const,
    folder,
    rows: (): Json[] =>
      (existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [])
        .filter((name) => name.endsWith('.jsonl'))
        .flatMap((name) =>
          readFileSync(join(folder, name), 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
        ),
  }
}

/** Waits until an export may deliver everything that is committed. */
async function settle(app: TestApp, model: 'persons' | 'sessions'): Promise<void> {
  const { events } = app.deps
  const committed = await resumePosition(events, model)
  while ((await horizon(events, model)) < committed) await sleep(5)
}

async function runNext(app: TestApp): Promise<void> {
  app.advance(HOUR_MS)
  await app.deps.exporter.drain()
}

/** The rows that a destination keeps if it merges by version. */
function merged(rows: Json[]): Map<string, Json> {
  const kept = new Map<string, Json>()
  for (const row of rows) if (row.version > (kept.get(row.distinct_id)?.version ?? -1)) kept.set(row.distinct_id, row)
  return kept
}

const set = (distinct_id: string, properties: object): SentEvent => ({ distinct_id, properties: { $set: properties } })
const identify = (distinct_id: string, anonymous: string): SentEvent => ({
  event: '$identify',
  distinct_id,
  properties: { $anon_distinct_id: anonymous },
})

const personsWith = async (app: TestApp, distinct_id: string) =>
  (await app.send('GET', `/api/projects/${app.first.project_id}/persons/?distinct_id=${distinct_id}`)).body.results

const personOf = async (app: TestApp, distinct_id: string) => only(await personsWith(app, distinct_id))

onBothEngines(t, 'delivers the persons that changed, with every distinct id', async (t, app) => {
  const { created, folder, rows } = await open(app)
  t.match(created, { status: 201, body: { model: 'persons', filters: null } })
  await ingest(app, [set('ada', { plan: 'free' }), set('bob', { plan: 'team' })])
  await runNext(app)
  const person_id = (await personOf(app, 'ada')).id
  const first = rows()
  t.match(
    first.sort((a, b) => (a.distinct_id < b.distinct_id ? -1 : 1)),
    [
      { team_id: 1, distinct_id: 'ada', person_id, properties: { plan: 'free' }, is_deleted: false },
      { team_id: 1, distinct_id: 'bob', properties: { plan: 'team' }, is_deleted: false },
    ],
  )
  t.same(Object.keys(itemAt(first, 0)), [
    'team_id',
    'distinct_id',
    'person_id',
    'properties',
    'version',
    'created_at',
    'is_deleted',
  ])
  t.ok(readdirSync(folder).includes('persons'), 'the variable {table} is the model')

  await runNext(app)
  t.equal(rows().length, 2, 'nothing changed')
  await ingest(app, [{ distinct_id: 'ada', event: 'seen' }])
  await runNext(app)
  t.equal(rows().length, 2, 'an event that changes no person delivers nothing')

  await ingest(app, [identify('ada', 'visitor'), set('ada', { plan: 'company' })])
  await ingest(app, [set('ada', { seats: 3 })])
  await runNext(app)
  const added = rows().slice(2)
  t.match(
    added.sort((a, b) => (a.distinct_id < b.distinct_id ? -1 : 1)),
    [
      { distinct_id: 'ada', properties: { plan: 'company', seats: 3 } },
      { distinct_id: 'visitor', person_id, properties: { plan: 'company', seats: 3 } },
    ],
    'several changes in one window are one row for each distinct id',
  )

  const deleted = await app.send('DELETE', `/api/projects/${app.first.project_id}/persons/${person_id}/`)
  t.equal(deleted.status, 204)
  await settle(app, 'persons')
  await runNext(app)
  t.match(merged(rows()).get('visitor'), { person_id, properties: {}, created_at: null, is_deleted: true })
  await ingest(app, [set('visitor', { back: true })])
  await runNext(app)
  t.match(merged(rows()).get('visitor'), { properties: { back: true }, is_deleted: false }, 'the person came back')
  t.match(merged(rows()).get('ada'), { is_deleted: true })
})

onBothEngines(t, 'backfills persons by the time of their change', async (t, app) => {
  await ingest(app, [set('early', {}), set('often', { n: 1 })])
  app.advance(2 * HOUR_MS)
  await ingest(app, [set('late', {}), set('often', { n: 2 })])
  app.advance(HOUR_MS)
  const { path, rows } = await open(app, { paused: true })
  const backfill = async (start: number, end: number) => {
    const body = { start_at: new Date(start).toISOString(), end_at: new Date(end).toISOString() }
    t.equal((await app.send('POST', `${path}/backfill/`, { body })).status, 200)
    await app.deps.exporter.drain()
  }
  const now = Date.parse(app.deps.now())
  await backfill(now - 4 * HOUR_MS, now - 2 * HOUR_MS)
  t.same(
    rows()
      .map(({ distinct_id, properties }) => [distinct_id, properties.n])
      .sort(),
    [
      ['early', undefined],
      ['often', 2],
    ],
    'with the current state',
  )
  await backfill(now - 2 * HOUR_MS, now)
  t.same([...merged(rows()).keys()].sort(), ['early', 'late', 'often'])
})

onBothEngines(t, 'pausing skips changes as it skips events', async (t, app) => {
  const { path, rows } = await open(app)
  await ingest(app, [set('before', {})])
  await app.send('POST', `${path}/pause/`)
  await ingest(app, [set('during', {})])
  await app.send('POST', `${path}/unpause/`)
  await ingest(app, [set('after', {})])
  await runNext(app)
  t.same([...merged(rows()).keys()].sort(), ['after', 'before'])
  const logged = await app.deps.db.all<{ message: string }>(sql`select message from batch_export_log_entries`)
  t.ok(logged.some(({ message }) => message.startsWith('Skipped 1 changes of persons')))
})

onBothEngines(t, 'a query selects columns and persons', async (t, app) => {
  const hogql_query =
    "select distinct_id, upper(properties.plan) as plan, version > 0 as changed from persons where properties.plan != 'free'"
  const { created, rows } = await open(app, { hogql_query })
  t.equal(created.status, 201, created.text)
  t.match(created.body.schema, { hogql_query: /FROM persons WHERE/, fields: [{ alias: 'distinct_id' }, {}, {}] })
  await ingest(app, [set('ada', { plan: 'free' }), set('bob', { plan: 'team' })])
  const preview = await app.send('POST', `/api/projects/${app.first.project_id}/batch_exports/preview/`, {
    body: { hogql_query, model: 'persons' },
  })
  t.same(preview.body, { columns: ['distinct_id', 'plan', 'changed'], results: [['bob', 'TEAM', true]] })
  await runNext(app)
  t.same(rows(), [{ distinct_id: 'bob', plan: 'TEAM', changed: true }])
})

onBothEngines(t, 'rejects what the model does not support', async (t, app) => {
  const rejected = async (more: object, attr: string, code = 'invalid_input') => {
    const { created } = await open(app, more)
    t.match(created, { status: 400, body: { attr, code } }, JSON.stringify(more))
  }
  await rejected({ model: 'groups' }, 'model', 'invalid_choice')
  await rejected({ filters: [{ key: 'plan', value: 'free' }] }, 'filters')
  await rejected({ destination: { type: 'HTTP', config: { url: 'https://example.com/batch/', token: 'x' } } }, 'model')
  await rejected(
    { destination: { type: 'File', config: { include_events: ['seen'] } } },
    'destination__config__include_events',
  )
  await rejected({ hogql_query: 'select event from persons' }, 'hogql_query')
  await rejected({ hogql_query: 'select distinct_id from events' }, 'hogql_query')
  await rejected({ model: 'events', hogql_query: 'select distinct_id from persons' }, 'hogql_query')
  const { path } = await open(app)
  t.match(await app.send('PATCH', `${path}/`, { body: { model: 'events' } }), { status: 400, body: { attr: 'model' } })
  t.match(await app.send('PATCH', `${path}/`, { body: { model: 'persons', name: 'y' } }), {
    status: 200,
    body: { name: 'y', model: 'persons' },
  })
  t.match(await app.send('PATCH', `${path}/`, { body: { filters: [{ key: 'plan', value: 'x' }] } }), {
    status: 400,
    body: { attr: 'filters' },
  })
  t.equal((await app.send('PATCH', `${path}/`, { body: { filters: [] } })).status, 200)
})

onBothEngines(t, 'filters select events by their properties', async (t, app) => {
  const filters = [{ key: 'plan', value: ['team', 'company'], operator: 'exact', type: 'event' }]
  const destination = { type: 'File', config: { exclude_events: ['noise'] } }
  const { created, path, rows } = await open(app, { model: 'events', filters, destination })
  t.match(created, { status: 201, body: { model: 'events', filters } })
  const event = (distinct_id: string, plan: string, event = 'paid'): SentEvent => ({
    event,
    distinct_id,
    properties: { plan, $set: { role: distinct_id === 'ada' ? 'owner' : 'guest' } },
  })
  await ingest(app, [
    event('ada', 'team'),
    event('ada', 'free'),
    event('bob', 'company'),
    event('ada', 'team', 'noise'),
  ])
  await runNext(app)
  t.same(
    rows()
      .map(({ distinct_id, properties }) => [distinct_id, properties.plan])
      .sort(),
    [
      ['ada', 'team'],
      ['bob', 'company'],
    ],
  )

  const patch = await app.send('PATCH', `${path}/`, {
    body: {
      filters: [{ key: 'role', value: 'owner', type: 'person' }],
      hogql_query: "select distinct_id, properties.plan as plan from events where properties.plan != 'team'",
    },
  })
  t.match(patch, { status: 200, body: { filters: [{ key: 'role', value: 'owner', type: 'person' }] } })
  await ingest(app, [event('ada', 'free'), event('ada', 'team'), event('bob', 'company')])
  await runNext(app)
  t.same(rows().slice(2), [{ distinct_id: 'ada', plan: 'free' }], 'in addition to the WHERE of the query')

  const removed = await app.send('PATCH', `${path}/`, { body: { filters: null } })
  t.equal(removed.body.filters, null)
  const invalid = async (filters: unknown, attr: string) =>
    t.match(await app.send('PATCH', `${path}/`, { body: { filters } }), { status: 400, body: { attr } })
  await invalid({ key: 'plan' }, 'filters')
  await invalid(['plan'], 'filters__0')
  await invalid([{ key: 'plan', value: 'x', operator: 'like' }], 'filters__0__operator')
  await invalid([{ key: 'x', value: 1, type: 'cohort' }], 'filters__0__type')
  await invalid([{ key: 'data', value: 'x'.repeat(20_000) }], 'filters')
})

const MINUTE_MS = 60_000

onBothEngines(t, 'delivers sessions when they are quiet, and again when they go on', async (t, app) => {
  const { created, path, rows } = await open(app, { model: 'sessions', interval: 'every 5 minutes' })
  t.equal(created.status, 201)
  const visit = (session: unknown, seconds: number, more: object = {}, event = '$pageview'): SentEvent => ({
    event,
    distinct_id: 'ada',
    timestamp: new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString(),
    properties: { $session_id: session, ...more },
  })
  const next = async (minutes: number) => {
    app.advance(minutes * MINUTE_MS)
    await app.deps.sessionCloser.work()
    await settle(app, 'sessions')
    app.advance(5 * MINUTE_MS)
    await app.deps.exporter.drain()
  }
  await ingest(app, [
    visit('one', 20, { $current_url: 'https://example.com/b' }),
    visit('one', 10, { $current_url: 'https://example.com/a' }),
    visit('one', 50, {}, 'click'),
    visit('x'.repeat(201), 0),
    visit(5, 0),
    visit('', 0),
  ])
  await next(20)
  t.same(rows(), [], 'the session is not quiet yet')
  await ingest(app, [visit('one', 40, { $current_url: 'https://example.com/c' })])
  await next(20)
  t.same(rows(), [], 'an event keeps it open')
  await next(20)
  const first = rows()
  t.match(first, [
    {
      team_id: 1,
      session_id: 'one',
      distinct_id: 'ada',
      start_timestamp: '2026-01-01T00:00:10.000000Z',
      end_timestamp: '2026-01-01T00:00:50.000000Z',
      duration: 40,
      event_count: 4,
      pageview_count: 3,
      entry_url: 'https://example.com/a',
      exit_url: 'https://example.com/c',
    },
  ])
  await next(60)
  t.equal(rows().length, 1, 'it is delivered once')
  await ingest(app, [{ ...visit('one', 5), distinct_id: 'visitor' }, visit('two', 100)])
  await next(60)
  const again = rows().find(({ version, session_id }) => session_id === 'one' && version > itemAt(first, 0).version)
  t.match(again, { start_timestamp: '2026-01-01T00:00:05.000000Z', distinct_id: 'visitor', event_count: 5 })
  t.equal(rows().length, 3)

  const body = { start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-01T00:01:00Z' }
  t.equal((await app.send('POST', `${path}/backfill/`, { body })).status, 200)
  await app.deps.exporter.drain()
  t.match(rows().length, 4)
  t.equal(rows().filter(({ session_id }) => session_id === 'two').length, 1, 'a backfill selects by the start')

  const query = await open(app, {
    model: 'sessions',
    hogql_query: 'select session_id, duration > 10 as long from sessions',
  })
  t.equal(query.created.status, 201)
})

onBothEngines(t, 'two nodes close a session once', async (t, app) => {
  await ingest(
    app,
    Array.from({ length: 50 }, (_, i) => ({ properties: { $session_id: `s${i}` } })),
  )
  app.advance(HOUR_MS)
  const other = createSessionCloser({ ...app.deps, projects: async (after) => (after < 1 ? [1] : []) })
  await Promise.all([app.deps.sessionCloser.work(), other.work(), other.work()])
  t.equal((await app.deps.events.all(sql`select 1 from session_changes`)).length, 50)
  t.same(
    await app.deps.events.all(sql`
      select s.session_id from event_sessions s left join session_changes c
        on c.project_id = s.project_id and c.session_id = s.session_id and c.seq = s.last_change
      where c.seq is null or s.is_open`),
    [],
  )
})

onBothEngines(t, 'sessions go with the events of their project and person, and past the retention', async (t, app) => {
  const left = async () =>
    (
      await app.deps.events.all<{ session_id: string }>(sql`select session_id from event_sessions order by session_id`)
    ).map(({ session_id }) => session_id)
  const old = new Date(Date.parse(app.deps.now()) - 40 * 86_400_000).toISOString()
  await ingest(app, [
    { distinct_id: 'ada', properties: { $session_id: 'hers' } },
    { distinct_id: 'bob', properties: { $session_id: 'his' } },
    { distinct_id: 'bob', timestamp: old, properties: { $session_id: 'old' } },
  ])
  const person = await personOf(app, 'ada')
  await app.send('DELETE', `/api/projects/1/persons/${person.id}/?delete_events=true`)
  app.advance(1_000)
  await app.deps.purger.work()
  t.same(await left(), ['his', 'old'])
  await app.send('PATCH', '/api/projects/1/', { body: { event_retention_days: 30 } })
  app.advance(86_400_000)
  await app.deps.purger.work()
  t.same(await left(), ['his'])
  await app.send('DELETE', '/api/projects/1/')
  await app.deps.purger.work()
  for (const table of ['event_sessions', 'session_changes', 'person_changes', 'event_deletions'])
    t.same(await app.deps.events.all(sql`select 1 from ${name(table)}`), [], table)
})

const IDS = ['a', 'b', 'c', 'd', 'e']
const id = fc.constantFrom(...IDS)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('set' as const), id, value: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('identify' as const), id, other: id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const), id, other: id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), id }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('run' as const) }) },
)

async function equalsStore(t: Test, app: TestApp, rows: Json[], word: string): Promise<void> {
  const stored = await app.deps.events.all<Json>(sql`
    select d.distinct_id, p.id as person_id, cast(p.properties as text) as properties, p.last_change as version
    from person_distinct_ids d join persons p on p.project_id = d.project_id and p.id = d.person_id
    where d.project_id = 1 and d.distinct_id like ${`${word}-%`} order by d.distinct_id`)
  const kept = [...merged(rows).values()].filter((row) => row.distinct_id.startsWith(`${word}-`))
  t.same(
    kept
      .filter((row) => !row.is_deleted)
      .map(({ distinct_id, person_id, properties, version }) => ({ distinct_id, person_id, properties, version }))
      .sort((a, b) => (a.distinct_id < b.distinct_id ? -1 : 1)),
    stored.map((row) => ({ ...row, properties: JSON.parse(row.properties) })),
  )
}

for (const engine of nextEngines())
  t.test(`the merged rows equal the stored persons after any sequence of changes and runs (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const { rows } = await open(app)
    let round = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const word = `r${round++}`
        for (const one of steps)
          switch (one.kind) {
            case 'set':
              await ingest(app, [set(`${word}-${one.id}`, { value: one.value })])
              break
            case 'identify':
              await ingest(app, [identify(`${word}-${one.id}`, `${word}-${one.other}`)])
              break
            case 'merge':
              await ingest(app, [
                {
                  event: '$merge_dangerously',
                  distinct_id: `${word}-${one.id}`,
                  properties: { alias: `${word}-${one.other}` },
                },
              ])
              break
            case 'delete': {
              for (const { id } of await personsWith(app, `${word}-${one.id}`))
                await app.send('DELETE', `/api/projects/1/persons/${id}/`)
              break
            }
            case 'run':
              await runNext(app)
          }
        await runNext(app)
        await equalsStore(t, app, rows(), word)
        return t.passing()
      }),
      { numRuns: bySize({ quick: 3, full: 10, prove: 100 }) },
    )
  })

/** Opens a warehouse. `rows` returns its rows of persons without outdated versions. */
const WAREHOUSES: Record<string, (t: Test) => Promise<{ config: object; rows(): Promise<Json[]> }>> = {
  Redshift: async (t) => {
    const { config, query } = await openRedshift(t, 'http://127.0.0.1:1')
    return { config: config(), rows: () => query(`${SELECTED} from persons order by 1`) }
  },
  BigQuery: async (t) => {
    const { config, query } = await openBigQueryStub(t)
    return { config, rows: () => query(`${SELECTED} from analytics.persons order by 1`) }
  },
  Snowflake: async (t) => {
    const { config, query } = await openSnowflakeStub(t)
    return { config, rows: () => query(`${SELECTED} from "PUBLIC".persons order by 1`) }
  },
  ClickHouse: async (t) => {
    const { config, tables } = await openClickHouse(t)
    const rows = async () => mergedRows(defined(tables.get('default.persons'))) as Json[]
    return {
      config: config(),
      rows: async () => (await rows()).toSorted((a, b) => (a.distinct_id < b.distinct_id ? -1 : 1)),
    }
  },
}
const SELECTED = 'select distinct_id, properties::text as properties, version, is_deleted'

for (const engine of nextEngines())
  for (const [type, openWarehouse] of Object.entries(WAREHOUSES))
    t.test(`a table of persons in ${type} has the current state of each (${engine})`, async (t) => {
      const app = await openApp(t, engine)
      const { config, rows } = await openWarehouse(t)
      const send = (more: Partial<DeliveryJob> = {}) =>
        deliver(
          jobFor(app, { type: type as DestinationType, config: { ...config } }, { model: 'persons', ...more }),
          listener(),
          new AbortController().signal,
        )
      const state = async () =>
        (await rows()).map(({ distinct_id, properties, is_deleted }) => {
          const { $creator_event_uuid: _, ...set } = JSON.parse(properties)
          return [distinct_id, set, Boolean(is_deleted)]
        })
      await ingest(app, [
        { distinct_id: 'ada', properties: { $set: { plan: 'free' } } },
        { distinct_id: 'bob', properties: { $set: { note: 'a "quoted"\ntext' } } },
      ])
      await send()
      t.strictSame(await state(), [
        ['ada', { plan: 'free' }, false],
        ['bob', { note: 'a "quoted"\ntext' }, false],
      ])
      const versions = (await rows()).map(({ version }) => Number(version))
      await ingest(app, [{ distinct_id: 'ada', properties: { $set: { plan: 'team' } } }])
      const { body } = await app.call('persons.list', { query: { distinct_id: 'bob' } })
      await app.call('persons.delete', { params: { id: only(body.results).id } })
      await settle(app, 'sessions')
      for (const range_key of ['second', 'third']) {
        await send({ range_key })
        t.strictSame(await state(), [
          ['ada', { plan: 'team' }, false],
          ['bob', {}, true],
        ])
      }
      for (const [i, { version }] of (await rows()).entries()) t.ok(Number(version) > itemAt(versions, i))
    })
