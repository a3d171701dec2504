/** Backfills as a resource: progress, cancellation, estimates and retention. The test controls the clock. */
import t, { type Test } from 'tap'
import type { DeliveryJob } from '../../src/exports/deliver.ts'
import type { Deliver } from '../../src/exports/delivery-processes.ts'
import { permanentError } from '../../src/exports/destination.ts'
import { createExporter, type Exporter } from '../../src/exports/exporter.ts'
import { sql } from '../../src/sql/template.ts'
import { nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { itemAt, only } from '../helpers/assertions/items.ts'
import { ingest, plainEvents } from '../helpers/seeds/exports.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Creates a paused export and returns requests to its backfills. */
async function open(app: TestApp, more: object = {}) {
  const base = `/api/projects/${app.first.project_id}/batch_exports` as const
  const body = { name: 'x', interval: 'hour', paused: true, destination: { type: 'NoOp', config: {} }, ...more }
  const { id } = (await app.send('POST', `${base}/`, { body })).body
  const path = `${base}/${id}` as const
  return {
    id,
    path,
    create: (range: object) => app.send('POST', `${path}/backfills/`, { body: range }),
    estimate: (range: object) => app.send('POST', `${path}/backfills/estimate/`, { body: range }),
    get: async (backfill: string) => (await app.send('GET', `${path}/backfills/${backfill}/`)).body,
    list: (query: '' | `?${string}` = '') => app.send('GET', `${path}/backfills/${query}`),
    cancel: (backfill: string) => app.send('POST', `${path}/backfills/${backfill}/cancel/`),
    runs: async () => (await app.send('GET', `${path}/runs/?ordering=data_interval_start`)).body.results,
    log: async (): Promise<string[]> =>
      (await app.send('GET', `${path}/logs/?limit=1000`)).body.results.map(({ message }) => message).reverse(),
  }
}

/** The clock of the tests starts at 2026-01-01. */
const DAY = { start_at: '2025-12-30T00:00:00Z', end_at: '2025-12-30T03:00:00Z' }

/** One event at the start of each hour of a day, with a name of three. */
const hourly = (count: number, from: string) =>
  plainEvents(count).map((event, i) => ({
    ...event,
    timestamp: new Date(Date.parse(from) + i * HOUR_MS).toISOString(),
  }))

onBothEngines(t, 'starts a backfill, shows its progress and completes it', async (t, app) => {
  const { path, create, get, list, cancel, runs, log } = await open(app)
  await ingest(app, hourly(6, '2025-12-30T00:00:00Z'))
  const created = await create(DAY)
  const range = { start_at: '2025-12-30T00:00:00.000Z', end_at: '2025-12-30T03:00:00.000Z' }
  t.match(created, {
    status: 201,
    body: {
      ...range,
      team_id: app.first.project_id,
      interval: 'hour',
      timezone: 'UTC',
      status: 'Starting',
      progress: 0,
      windows_completed: 0,
      windows_total: 3,
      records_completed: 0,
      bytes_completed: 0,
      records_per_second: null,
      seconds_left: null,
      latest_error: null,
      finished_at: null,
    },
  })
  const { id } = created.body
  t.equal((await create(DAY)).body.id, id, 'the same range is the same backfill while it is active')
  t.equal((await app.send('POST', `${path}/backfill/`, { body: DAY })).body.backfill_id, id)
  app.advance(HOUR_MS)
  await app.deps.exporter.drain()
  const done = await get(id)
  t.match(done, {
    status: 'Completed',
    progress: 1,
    windows_completed: 3,
    windows_total: 3,
    records_completed: 3,
    seconds_left: null,
    finished_at: String,
  })
  t.ok(done.records_per_second !== null && done.last_updated_at > done.created_at)
  t.same(
    (await runs()).map(({ data_interval_end, records_completed }) => [data_interval_end, records_completed]),
    [1, 2, 3].map((hour) => [`2025-12-30T0${hour}:00:00.000Z`, 1]),
  )
  t.match(await cancel(id), { status: 400, body: { code: 'invalid_input' } })
  t.match((await log()).at(-1), /^The backfill from .* is complete\.$/)

  const { backfill_id } = (await app.send('POST', `${path}/backfill/`, { body: DAY })).body
  t.not(backfill_id, id, 'a completed range can be repeated')
  t.match((await list()).body, {
    results: [
      { id: backfill_id, status: 'Starting' },
      { id, status: 'Completed' },
    ],
  })
  const filtered = async (query: `?${string}`) => (await list(query)).body.results.map((row) => row.id)
  t.same(await filtered('?status=Starting'), [backfill_id])
  t.same(await filtered('?status=Running&status=Completed'), [id])
  t.same(await filtered('?status=["Starting","Completed"]'), [backfill_id, id])
  t.same(await filtered('?status=Failed'), [])
  t.match(await list('?status=started'), { status: 400, body: { attr: 'status' } })
  const first = await list('?limit=1')
  const second = await app.follow(first)
  t.same([only(first.body.results).id, only(second.body.results).id, second.body.next], [backfill_id, id, null])
  t.match((await app.follow(second, 'previous')).body, {
    results: [{ id: backfill_id }],
  })

  const cancelled = await cancel(backfill_id)
  t.match(cancelled, { status: 200, body: { id: backfill_id, status: 'Cancelled', progress: null, windows_total: 3 } })
  t.equal((await runs()).filter(({ status }) => status === 'Cancelled').length, 1, 'its run is cancelled')
  t.match((await log()).at(-1), /^The backfill from .* was cancelled\.$/)
  const activity = await app.send('GET', `/api/organizations/${app.first.organization_id}/activity_log/?limit=1`)
  t.match(activity.body.results, [{ activity: 'backfill_cancelled' }])

  const third = (await create(DAY)).body.id
  const run = (await runs()).find(({ status }) => status === 'Starting')
  await app.send('POST', `${path}/runs/${run?.id}/cancel/`)
  t.match(await get(third), { status: 'Cancelled' }, 'cancelling its run cancels it')
  for (const unknown of ['not-a-uuid', app.deps.ids.uuid()])
    t.equal((await app.send('GET', `${path}/backfills/${unknown}/`)).status, 404)
  const other = await open(app)
  t.equal((await app.send('GET', `${other.path}/backfills/${id}/`)).status, 404, 'through another export')
  await create(DAY)
  await app.send('DELETE', `${path}/`)
  t.equal((await list()).status, 404, 'a deleted export has no backfills')
  t.same(await app.deps.db.all(sql`select id from batch_export_backfills`), [], 'and no row is left')
})

onBothEngines(t, 'rejects ranges that cannot be exported, and finds the earliest event', async (t, app) => {
  const { create, estimate, get } = await open(app, { interval: 'day', timezone: 'Europe/Berlin' })
  const end_at = '2025-12-30T00:00:00Z'
  for (const send of [create, estimate]) {
    const problems: [range: object, attr: string, code?: string][] = [
      [{ start_at: end_at, end_at }, 'end_at'],
      [{ start_at: end_at, end_at: '2026-01-02T00:00:00Z' }, 'end_at'],
      [{ start_at: 'yesterday', end_at }, 'start_at'],
      [{ end_at }, 'start_at', 'required'],
      [{ start_at: null }, 'end_at', 'required'],
      [{ start_at: null, end_at: null }, 'end_at', 'null'],
      [{ start_at: '1990-01-01', end_at }, 'start_at'],
      [{ start_at: null, end_at }, 'start_at'],
    ]
    for (const [range, attr, code = 'invalid_input'] of problems)
      t.match(await send(range), { status: 400, body: { attr, code } }, JSON.stringify(range))
  }
  await ingest(app, hourly(30, '2025-12-27T22:30:00Z'))
  for (const send of [create, estimate])
    for (const start_at of [null, '2025-12-20T00:00:00Z'])
      t.match(await send({ start_at, end_at: '2025-12-27T22:30:00Z' }), {
        status: 400,
        body: {
          code: 'invalid_input',
          attr: 'end_at',
          detail: 'The project has no events before 2025-12-27T22:30:00.000Z. Send a later "end_at".',
        },
      })
  const created = await create({ start_at: null, end_at })
  t.match(created, {
    status: 201,
    body: { start_at: '2025-12-26T23:00:00.000Z', timezone: 'Europe/Berlin', windows_total: 4 },
  })
  t.match((await estimate({ start_at: null, end_at })).body, {
    start_at: '2025-12-26T23:00:00.000Z',
    windows: 4,
    records: 30,
    exact: true,
  })
  // It keeps its days when the schedule changes.
  const { id, batch_export } = created.body
  await app.deps.db.run(sql`update batch_exports set interval = 'hour', timezone = 'UTC' where id = ${batch_export}`)
  await app.deps.exporter.drain()
  t.match(await get(id), { status: 'Completed', interval: 'day', windows_completed: 4, records_completed: 30 })
})

onBothEngines(t, 'estimates windows, records and bytes', async (t, app) => {
  await ingest(app, hourly(48, '2025-12-29T00:00:00Z'))
  const range = { start_at: '2025-12-29T12:00:00Z', end_at: '2025-12-30T11:30:00Z' }
  const estimateOf = async (more: object = {}, asked: object = range) =>
    (await (await open(app, more)).estimate(asked)).body
  const all = await estimateOf()
  t.match(all, { windows: 24, records: 24, exact: true })
  t.ok(Number(all.bytes) > 24 * 250, 'before the first run, the size of events')
  const ofOthers = { hogql_query: "select event from events where event = 'unknown'" }
  t.match(await estimateOf(ofOthers), { windows: 24, records: 0, bytes: 0 })
  const config = (more: object) => ({ destination: { type: 'File', config: more } })
  t.equal((await estimateOf(config({ include_events: ['paid'] }))).records, 8)
  t.equal((await estimateOf(config({ exclude_events: ['paid'] }))).records, 16)
  t.equal((await estimateOf(config({ include_events: ['paid', 'seen'], exclude_events: ['paid'] }))).records, 8)
  t.equal((await estimateOf(config({ include_events: ['paid'], exclude_events: ['paid'] }))).records, 0)
  const hogql_query = "select event from events where distinct_id != 'person-0' and event != 'seen'"
  t.match(await estimateOf({ ...config({}), hogql_query }), { records: 13, exact: true })
  t.match(await estimateOf({ ...config({ exclude_events: ['paid'] }), hogql_query }), { records: 6, exact: true })
  await app.deps.events.run(sql`
    insert into uncounted_events (project_id, after_position, after_seq, last_seq, deletions)
    values (${app.first.project_id}, 0, 0, 1, 0)`)
  t.match(await estimateOf(config({ exclude_events: ['paid'] })), { records: 16, exact: true }, 'without hourly counts')
  await app.deps.events.run(sql`delete from uncounted_events`)

  const exported = await open(app, config({}))
  await exported.create(range)
  // The rate is the same on every machine.
  app.advance(HOUR_MS)
  await app.deps.exporter.drain()
  const { bytes_completed } = only((await exported.list()).body.results)
  t.equal((await exported.estimate(range)).body.bytes, bytes_completed, 'afterwards, the size of its runs')
})

/** Another node, which delivers with `launch`. */
function nodeOn(t: Test, app: TestApp, launch: Deliver = app.deps.processes.deliver): Exporter {
  const exporter = createExporter({
    ...app.deps,
    files_root: app.deps.files_root,
    launch,
    renew_ms: 20,
  })
  t.teardown(() => exporter.stop())
  return exporter
}

for (const engine of nextEngines())
  t.test(`counts the current run, and shows why a backfill failed (${engine})`, async (t) => {
    let next = Promise.withResolvers<void>()
    let reported = Promise.withResolvers<void>()
    let failure: Error | null = null
    const app = await openApp(t, engine)
    const exporter = nodeOn(t, app, async (_job, { report }) => {
      report({ kind: 'total', records: 10 })
      report({ kind: 'progress', records: 5, bytes: 500 })
      reported.resolve()
      await next.promise
      if (failure) throw failure
      return { records: 10, bytes: 1_000 }
    })
    const { create, get } = await open(app)
    const { id } = (await create({ ...DAY, end_at: '2025-12-30T02:00:00Z' })).body
    exporter.start()
    await reported.promise
    const shows = async (progress: number | null) => {
      for (;;) {
        const found = await get(id)
        if (found.progress === progress) return found
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    t.match(await shows(0.25), { status: 'Running', windows_completed: 0, records_completed: 5, bytes_completed: 500 })
    reported = Promise.withResolvers()
    const release = next.resolve
    next = Promise.withResolvers()
    release()
    await reported.promise
    app.advance(100_000)
    const half = await shows(0.75)
    t.match(half, { status: 'Running', windows_completed: 1, windows_total: 2, records_completed: 15 })
    const seconds_left = Number(half.seconds_left)
    t.ok(seconds_left > 30 && seconds_left < 40, 'a third of the time until now')
    failure = permanentError('The bucket does not exist.')
    next.resolve()
    const failed = await shows(null)
    t.match(failed, {
      status: 'Failed',
      latest_error: 'The bucket does not exist.',
      windows_completed: 1,
      windows_total: 2,
      records_completed: 10,
      seconds_left: null,
    })
  })

for (const engine of nextEngines())
  t.test(`cancels the delivery of a backfill on every node (${engine})`, async (t) => {
    const started = Promise.withResolvers<DeliveryJob>()
    const aborted = Promise.withResolvers<void>()
    const app = await openApp(t, engine)
    const exporter = nodeOn(t, app, (job, _reporter, signal) => {
      started.resolve(job)
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted.resolve()
          reject(signal.reason)
        })
      })
    })
    const { create, cancel, get, runs } = await open(app)
    const { id } = (await create(DAY)).body
    exporter.start()
    t.equal((await started.promise).backfill_id, id)
    // The exporter is not the one of the API, as on another node: it notices when it renews its lease.
    t.match(await cancel(id), { body: { status: 'Cancelled' } })
    await aborted.promise
    await exporter.stop()
    t.match(await get(id), { status: 'Cancelled', windows_completed: 0 })
    t.strictSame(
      (await runs()).map(({ status }) => status),
      ['Cancelled'],
    )
  })

for (const engine of nextEngines())
  t.test(`starts one backfill on two nodes at the same time (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const second = nodeOn(t, app)
    const { create, list, runs } = await open(app)
    const ids = await Promise.all(Array.from({ length: 8 }, async () => (await create(DAY)).body.id))
    t.equal(new Set(ids).size, 1)
    await ingest(app, hourly(3, '2025-12-30T00:00:00Z'))
    await Promise.all([app.deps.exporter.drain(), second.drain()])
    await app.deps.exporter.drain()
    t.match((await list()).body.results, [{ status: 'Completed', windows_completed: 3, records_completed: 3 }])
    t.equal((await runs()).length, 3, 'each window has one run')
  })

for (const engine of nextEngines())
  t.test(`deletes backfills after the retention of their runs (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const { create, list, path, runs } = await open(app)
    await create(DAY)
    await app.deps.exporter.drain()
    const run = itemAt(await runs(), 0)
    app.advance(80 * DAY_MS)
    t.equal((await app.send('POST', `${path}/runs/${run.id}/retry/`)).status, 200)
    await app.deps.exporter.drain()
    app.advance(20 * DAY_MS)
    const clean = async () => {
      const before = await app.deps.db.count(sql`from batch_export_runs`)
      const cleaner = nodeOn(t, app)
      cleaner.start()
      while ((await app.deps.db.count(sql`from batch_export_runs`)) === before) await new Promise(setImmediate)
      await cleaner.stop()
    }
    await clean()
    t.match((await list()).body.results, [{ status: 'Completed', windows_completed: 3 }], 'it stays with its retry')
    app.advance(90 * DAY_MS)
    await clean()
    t.same((await list()).body.results, [])
  })
