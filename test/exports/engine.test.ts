/** Scheduling, delivery, retries and failures of runs. The test controls the clock. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { buildDeps, type Deps } from '../../src/deps.ts'
import { unavailable } from '../../src/errors.ts'
import type { DeliveryJob } from '../../src/exports/deliver.ts'
import type { DeliveryProcesses } from '../../src/exports/delivery-processes.ts'
import { permanentError, retryableError } from '../../src/exports/destination.ts'
import { createExporter, type ExporterOptions } from '../../src/exports/exporter.ts'
import { sql } from '../../src/sql/template.ts'
import { IN_THIS_PROCESS, nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { openMailbox, readable } from '../helpers/peers/mailbox.ts'
import { commit, ingest, plainEvents } from '../helpers/seeds/exports.ts'

halfInQuick(t)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const START = Date.parse('2026-01-01T00:00:00Z')

/** Creates a NoOp export, with functions that read its state. */
async function open(app: TestApp, more: object = {}) {
  const base = `/api/projects/${app.first.project_id}/batch_exports` as const
  const body = { name: 'x', interval: 'hour', destination: { type: 'NoOp', config: {} }, ...more }
  const created = await app.send('POST', `${base}/`, { body })
  const path = `${base}/${created.body.id}` as const
  return {
    id: created.body.id,
    path,
    runs: async () => (await app.send('GET', `${path}/runs/?ordering=data_interval_start`)).body.results,
    /** Start, end and number of events of each window. */
    windows: async () => {
      const { results } = (await app.send('GET', `${path}/runs/?ordering=data_interval_start`)).body
      return results.map(
        (run) => [short(run.data_interval_start), short(run.data_interval_end), Number(run.records_completed)] as const,
      )
    },
    log: async (): Promise<string[]> =>
      (await app.send('GET', `${path}/logs/?limit=1000`)).body.results
        .map(({ level, message }) => `${level} ${message}`)
        .reverse(),
  }
}

const short = (iso: string): string => iso.slice(5, 16)

/** Sets the app's clock to a time after START. */
const setClock = (app: TestApp, milliseconds: number): void => {
  app.advance(START + milliseconds - Date.parse(app.deps.now()))
}

onBothEngines(t, 'starts the first run at the end of the current window, with all of its events', async (t, app) => {
  setClock(app, 10 * MINUTE_MS)
  await ingest(app, plainEvents(3))
  setClock(app, 20 * MINUTE_MS)
  const hourly = await open(app)
  await ingest(app, plainEvents(2, 10))
  await app.deps.exporter.drain()
  t.same(await hourly.windows(), [], 'no run before the window ends')
  setClock(app, HOUR_MS)
  await app.deps.exporter.drain()
  t.same(await hourly.windows(), [['01-01T00:00', '01-01T01:00', 5]])
  await ingest(app, [{ ...plainEvents(1, 50)[0], timestamp: '2020-01-01T00:00:00Z' }])
  setClock(app, 2 * HOUR_MS)
  await app.deps.exporter.drain()
  t.same(
    await hourly.windows(),
    [
      ['01-01T00:00', '01-01T01:00', 5],
      ['01-01T01:00', '01-01T02:00', 1],
    ],
    'an old event belongs to the window in which it arrived',
  )
})

onBothEngines(t, 'starts weeks on Sunday', async (t, app) => {
  const weekly = await open(app, { interval: 'week' })
  await ingest(app, plainEvents(1))
  setClock(app, 3 * DAY_MS)
  await app.deps.exporter.drain()
  t.same(await weekly.windows(), [['12-28T00:00', '01-04T00:00', 1]])
})

onBothEngines(t, 'creates no runs before start_at or after end_at', async (t, app) => {
  const bounded = await open(app, { start_at: '2026-01-01T02:30:00Z', end_at: '2026-01-01T04:30:00Z' })
  for (let hour = 0; hour < 7; hour++) {
    setClock(app, hour * HOUR_MS + 30 * MINUTE_MS)
    await ingest(app, plainEvents(1, hour))
    await app.deps.exporter.drain()
  }
  t.same(await bounded.windows(), [
    ['01-01T02:00', '01-01T03:00', 1],
    ['01-01T03:00', '01-01T04:00', 1],
  ])
  await app.send('PATCH', `${bounded.path}/`, { body: { end_at: null } })
  await ingest(app, plainEvents(2, 20))
  setClock(app, 7 * HOUR_MS)
  await app.deps.exporter.drain()
  t.same((await bounded.windows()).at(-1), ['01-01T06:00', '01-01T07:00', 2], 'a schedule that had ended restarts now')
})

onBothEngines(t, 'a run by hand delivers everything up to now, and the next window starts there', async (t, app) => {
  const hourly = await open(app)
  const runNow = (path = hourly.path) => app.send('POST', `${path}/run/`)
  setClock(app, 20 * MINUTE_MS)
  await ingest(app, plainEvents(2))
  const [first, second] = await Promise.all([runNow(), runNow()])
  t.match(first, { status: 200, body: { status: 'Starting', data_interval_start: '2026-01-01T00:00:00.000Z' } })
  t.equal(second.body.id, first.body.id, 'two calls at once plan one run')
  await ingest(app, plainEvents(1, 10))
  t.equal((await runNow()).body.id, first.body.id, 'the run is open')
  await app.deps.exporter.drain()
  t.same(await hourly.windows(), [['01-01T00:00', '01-01T00:20', 2]])
  setClock(app, 30 * MINUTE_MS)
  t.not((await runNow()).body.id, first.body.id)
  await app.deps.exporter.drain()
  await ingest(app, plainEvents(3, 20))
  setClock(app, HOUR_MS)
  await app.deps.exporter.drain()
  t.same(await hourly.windows(), [
    ['01-01T00:00', '01-01T00:20', 2],
    ['01-01T00:20', '01-01T00:30', 1],
    ['01-01T00:30', '01-01T01:00', 3],
  ])
  await ingest(app, plainEvents(1, 30))
  setClock(app, 3 * HOUR_MS + 10 * MINUTE_MS)
  await ingest(app, plainEvents(1, 40))
  t.match(await runNow(), { body: { data_interval_end: '2026-01-01T03:00:00.000Z' } }, 'ended windows come first')
  await app.deps.exporter.drain()
  t.same((await hourly.windows()).slice(3), [
    ['01-01T01:00', '01-01T02:00', 1],
    ['01-01T02:00', '01-01T03:00', 1],
  ])
  const activity = await app.call('activity_log.list', { query: { area: 'batch_export_runs' } })
  t.equal(activity.body.results.filter((entry) => entry.activity === 'started').length, 3, 'the log has every new run')
  const refused = { status: 400, error: { code: 'invalid_input', attr: null } }
  await app.send('POST', `${hourly.path}/pause/`)
  t.match(await runNow(), { ...refused, body: { detail: 'The export is paused. Unpause it first.' } })
  const later = await open(app, { start_at: '2026-02-01T00:00:00Z' })
  t.match(await runNow(later.path), { ...refused, body: { detail: /starts at 2026-02-01/ } })
  const ended = await open(app, { end_at: '2026-01-01T03:00:00Z' })
  t.match(await runNow(ended.path), { ...refused, body: { detail: /has ended/ } })
})

onBothEngines(t, 'catches up after a downtime, oldest window first', async (t, app) => {
  const hourly = await open(app)
  for (let hour = 0; hour < 5; hour++) {
    setClock(app, hour * HOUR_MS + MINUTE_MS)
    await ingest(app, plainEvents(hour, hour * 10))
  }
  setClock(app, 5 * HOUR_MS)
  await app.deps.exporter.drain()
  t.same(await hourly.windows(), [
    ['01-01T00:00', '01-01T01:00', 0],
    ['01-01T01:00', '01-01T02:00', 1],
    ['01-01T02:00', '01-01T03:00', 2],
    ['01-01T03:00', '01-01T04:00', 3],
    ['01-01T04:00', '01-01T05:00', 4],
  ])
})

onBothEngines(t, 'skips the events of a pause, or delivers them with backfill', async (t, app) => {
  const skipping = await open(app, { name: 'skipping' })
  const backfilling = await open(app, { name: 'backfilling' })
  for (const { path } of [skipping, backfilling]) await app.send('POST', `${path}/pause/`)
  for (let hour = 0; hour < 3; hour++) {
    setClock(app, hour * HOUR_MS + MINUTE_MS)
    await ingest(app, plainEvents(2, hour * 10))
    await app.deps.exporter.drain()
  }
  t.same(await skipping.windows(), [])
  await app.send('POST', `${skipping.path}/unpause/`)
  await app.send('POST', `${backfilling.path}/unpause/`, { body: { backfill: true } })
  await ingest(app, plainEvents(1, 90))
  setClock(app, 3 * HOUR_MS)
  await app.deps.exporter.drain()
  t.same(await skipping.windows(), [['01-01T02:01', '01-01T03:00', 1]])
  t.same(await backfilling.windows(), [
    ['01-01T00:00', '01-01T01:00', 2],
    ['01-01T01:00', '01-01T02:00', 2],
    ['01-01T02:00', '01-01T03:00', 3],
  ])
})

onBothEngines(t, 'delivers every event once when the interval changes', async (t, app) => {
  const changing = await open(app)
  const steps: [minutes: number, interval?: string][] = [
    [30],
    [70, 'every 15 minutes'],
    [80],
    [95, 'day'],
    [200],
    [24 * 60 + 5, 'hour'],
    [25 * 60 + 5, 'week'],
    [26 * 60, 'every 5 minutes'],
    [26 * 60 + 6],
  ]
  let count = 0
  for (const [minutes, interval] of steps) {
    setClock(app, minutes * MINUTE_MS)
    await ingest(app, plainEvents(3, count))
    count += 3
    await app.deps.exporter.drain()
    if (interval) await app.send('PATCH', `${changing.path}/`, { body: { interval } })
  }
  setClock(app, 27 * HOUR_MS)
  await app.deps.exporter.drain()
  const windows = await changing.windows()
  t.equal(
    windows.reduce((sum, [, , records]) => sum + records, 0),
    count,
  )
  for (const [i, [start]] of windows.entries())
    if (i > 0) t.equal(start, windows[i - 1]?.[1], 'windows are consecutive')
})

onBothEngines(t, 'delivers every event once when the clock steps back an hour', async (t, app) => {
  const hourly = await open(app)
  await ingest(app, plainEvents(2))
  setClock(app, 90 * MINUTE_MS)
  await app.deps.exporter.drain()
  app.advance(-HOUR_MS)
  await ingest(app, plainEvents(3, 10))
  await app.send('PATCH', `${hourly.path}/`, { body: { interval: 'every 15 minutes' } })
  await app.deps.exporter.drain()
  await app.send('POST', `${hourly.path}/pause/`)
  await app.send('POST', `${hourly.path}/unpause/`, { body: { backfill: true } })
  setClock(app, 2 * HOUR_MS)
  await app.deps.exporter.drain()
  const windows = await hourly.windows()
  t.equal(
    windows.reduce((sum, [, , records]) => sum + records, 0),
    5,
  )
  t.equal(new Set(windows.map(([, end]) => end)).size, windows.length, 'window labels are unique')
})

/** Asserts that the positions of scheduled runs are contiguous. */
async function assertOnceEach(t: Test, app: TestApp, id: string): Promise<void> {
  const runs = await app.deps.db.all<{ from_position: number; to_position: number }>(
    sql`select from_position, to_position from batch_export_runs where batch_export_id = ${id} and kind = 'scheduled' order by data_interval_end`,
  )
  t.ok(runs.length > 1)
  for (const [i, run] of runs.entries()) if (i > 0) t.equal(run.from_position, runs[i - 1]?.to_position)
}

for (const engine of nextEngines())
  t.test(`delivers each event in exactly one scheduled run during concurrent ingestion (${engine})`, async (t) => {
    const delivered: string[] = []
    const app = await openApp(t, engine, { processes: recording(delivered) })
    const { id } = await open(app, { interval: 'every 5 minutes', destination: { type: 'NoOp', config: {} } })
    let sent = 0
    let stopped = false
    const writers = Array.from({ length: 4 }, async () => {
      while (!stopped) {
        const from = sent
        sent += 7
        await commit(app, plainEvents(7, from))
      }
    })
    for (let window = 1; window <= 12; window++) {
      setClock(app, window * 5 * MINUTE_MS)
      await app.deps.exporter.drain()
    }
    stopped = true
    await Promise.all(writers)
    await ingest(app, [])
    setClock(app, 13 * 5 * MINUTE_MS)
    await app.deps.exporter.drain()
    await assertOnceEach(t, app, id)
    t.equal(delivered.length, sent, `${sent} events`)
    t.equal(new Set(delivered).size, sent)
  })

t.test('delivers the events of a late commit in the next run only (postgres)', async (t) => {
  const delivered: string[] = []
  const app = await openApp(t, 'postgres', { processes: recording(delivered) })
  await open(app, { interval: 'every 5 minutes' })
  const late = new pg.Client(app.deps.config.DATABASE_URL)
  await late.connect()
  await late.query('begin')
  const insert = (number: number): string =>
    `insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain)
     values (${app.first.project_id}, 'late-${number}', 'e', 'd', 0, ${START * 1000}, '{}', '')`
  await late.query(insert(1))
  await commit(app, plainEvents(5))
  setClock(app, 5 * MINUTE_MS)
  await app.deps.exporter.drain()
  const first = [...delivered]
  await late.query(insert(2))
  await late.query('commit')
  await late.end()
  await ingest(app, [])
  setClock(app, 10 * MINUTE_MS)
  await app.deps.exporter.drain()
  t.notOk(first.some((uuid) => uuid.startsWith('late')))
  t.equal(delivered.length, 7, 'no event is lost')
  t.equal(new Set(delivered).size, 7, 'no event is delivered twice')
})

t.test('continues after a restore into another cluster (postgres)', async (t) => {
  const delivered: string[] = []
  const app = await openApp(t, 'postgres', { processes: recording(delivered) })
  const { id } = await open(app, { interval: 'every 5 minutes' })
  // Simulates a cluster with higher transaction ids: delivered up to a million, and two later events.
  await app.deps.db.run(sql`update batch_exports set watermark = 1000000 where id = ${id}`)
  await ingest(app, plainEvents(3))
  await app.deps.db.run(sql`update events set position = 900000 where uuid = ${itemAt(plainEvents(1), 0).uuid!}`)
  await app.deps.db.run(sql`update events set position = 1000005 where position <> 900000`)
  const restored = await buildDeps({
    config: app.deps.config,
    log: app.deps.log,
    clock: () => START + 5 * MINUTE_MS,
    processes: app.deps.processes,
  })
  await ingest({ ...app, deps: restored }, plainEvents(4, 10))
  await restored.exporter.drain()
  t.same(
    delivered.toSorted(),
    [...plainEvents(3).slice(1), ...plainEvents(4, 10)].map(({ uuid }) => uuid),
  )
  await restored.dispose()
})

/** Records the events instead of delivering them. */
function recording(delivered: string[]): DeliveryProcesses {
  return {
    ...IN_THIS_PROCESS,
    deliver: async (job, reporter, signal) => {
      const folder = await import('node:fs/promises').then(({ mkdtemp }) => mkdtemp('/tmp/workspace-test-'))
      const fs = await import('node:fs/promises')
      try {
        const result = await IN_THIS_PROCESS.deliver(
          { ...job, destination: { type: 'File', config: {} }, files_root: folder },
          reporter,
          signal,
        )
        for (const entry of await fs.readdir(folder, { recursive: true, withFileTypes: true }))
          if (entry.isFile())
            for (const line of (await fs.readFile(`${entry.parentPath}/${entry.name}`, 'utf8')).trimEnd().split('\n'))
              delivered.push(JSON.parse(line).uuid)
        return result
      } finally {
        await fs.rm(folder, { recursive: true })
      }
    },
  }
}

/** The behavior of each attempt, in order. The last one repeats. */
const scripted = (
  ...outcomes: ((job: DeliveryJob, signal: AbortSignal) => Promise<{ records: number; bytes: number }>)[]
): DeliveryProcesses => {
  let calls = 0
  return {
    ...IN_THIS_PROCESS,
    deliver: (job, _, signal) => outcomes[Math.min(calls++, outcomes.length - 1)]!(job, signal),
  }
}
const OLD_ENTRIES = 10_000
const succeed = async () => ({ records: 1, bytes: 1 })
const failTemporarily = async () => Promise.reject(retryableError('The server is down.'))

for (const engine of nextEngines())
  t.test(`retries temporary failures with increasing delays (${engine})`, async (t) => {
    const app = await openApp(t, engine, {
      processes: scripted(failTemporarily, failTemporarily, failTemporarily, succeed),
    })
    const failing = await open(app)
    await ingest(app, plainEvents(1))
    setClock(app, HOUR_MS)
    await app.deps.exporter.drain()
    t.match(await failing.runs(), [{ status: 'Starting', latest_error: 'The server is down.' }])
    for (const seconds of [30, 60, 120]) {
      app.advance((seconds - 5) * 1000)
      await app.deps.exporter.drain()
      app.advance(10_000)
      await app.deps.exporter.drain()
    }
    t.match(await failing.runs(), [{ status: 'Completed', latest_error: null, records_completed: 1 }])
    t.match(await failing.log(), [
      /^INFO Attempt 1 /,
      /^WARNING The server is down. The next attempt starts in 30 seconds/,
      /^INFO Attempt 2 /,
      /in 60 seconds/,
      /^INFO Attempt 3 /,
      /in 120 seconds/,
      /^INFO Attempt 4 /,
      /^INFO Delivered 1 events/,
    ])
  })

for (const engine of nextEngines())
  t.test(`shows the progress of a run while it is delivered (${engine})`, async (t) => {
    let finish: () => void = () => undefined
    const deliver: DeliveryProcesses['deliver'] = async (_, { report }) => {
      const finished = new Promise<void>((resolve) => {
        finish = resolve
      })
      report({ kind: 'total', records: 10 })
      report({ kind: 'progress', records: 3, bytes: 70 })
      // The last report before a long pause is stored too.
      report({ kind: 'progress', records: 4, bytes: 90 })
      await finished
      return { records: 10, bytes: 250 }
    }
    const app = await openApp(t, engine, { processes: { ...IN_THIS_PROCESS, deliver } })
    const { runs } = await open(app)
    await ingest(app, plainEvents(10))
    setClock(app, HOUR_MS)
    const drained = app.deps.exporter.drain()
    let [run] = await runs()
    while (run?.records_completed === undefined || run.records_completed === null) [run] = await runs()
    t.match(run, { status: 'Running', records_completed: 4, records_total_count: 10, bytes_completed: 90 })
    finish()
    await drained
    t.match(await runs(), [
      { status: 'Completed', records_completed: 10, records_total_count: 10, bytes_completed: 250 },
    ])
  })

for (const engine of nextEngines())
  t.test(`ignores the checkpoint after the destination or the query changes (${engine})`, async (t) => {
    const started: (number | null)[] = []
    const state = { cursor: [1, 'a'] as never, records: 1, bytes: 9 }
    const deliver: DeliveryProcesses['deliver'] = async (job, reporter) => {
      started.push(job.checkpoint?.records ?? null)
      await reporter.checkpoint(state)
      return started.length < 5 ? failTemporarily() : succeed()
    }
    const app = await openApp(t, engine, { processes: { ...IN_THIS_PROCESS, deliver } })
    const { path, runs } = await open(app)
    await ingest(app, plainEvents(2))
    setClock(app, HOUR_MS)
    for (const change of [
      {},
      { name: 'y', destination: { config: {} } },
      { destination: { config: { exclude_events: ['paid'] } } },
      { destination: { type: 'File', config: { exclude_events: ['paid'] } } },
      { hogql_query: 'select event from events' },
    ]) {
      t.match(await app.send('PATCH', `${path}/`, { body: change }), { status: 200 })
      app.advance(3 * MINUTE_MS)
      await app.deps.exporter.drain()
    }
    t.same(started, [null, 1, null, null, null])
    t.match(await runs(), [{ status: 'Completed' }])
  })

for (const engine of nextEngines())
  t.test(`honors Retry-After, and gives up after 15 attempts (${engine})`, async (t) => {
    const busy = async () => Promise.reject(retryableError('Too many requests.', 600))
    const app = await openApp(t, engine, { processes: scripted(busy, failTemporarily) })
    const failing = await open(app)
    await ingest(app, plainEvents(1))
    setClock(app, HOUR_MS)
    await app.deps.exporter.drain()
    t.match((await failing.log()).at(-1), /in 600 seconds/)
    for (let attempt = 2; attempt <= 15; attempt++) {
      app.advance(10 * MINUTE_MS)
      await app.deps.exporter.drain()
    }
    const run = itemAt(await failing.runs(), 0)
    t.match(run, { status: 'FailedRetryable', latest_error: 'The server is down.', finished_at: String })
    t.match(
      (await failing.log()).filter((line) => line.startsWith('ERROR')),
      [/failed after 15 attempts/],
    )
    const failed = 'workspace_export_runs_total{destination="NoOp",status="FailedRetryable"} 1'
    t.match((await app.send('GET', '/metrics')).text, failed, 'counted once, after the last attempt')
  })

for (const engine of nextEngines())
  t.test(`keeps the error of a run whose last attempt was interrupted (${engine})`, async (t) => {
    const app = await openApp(t, engine, { processes: scripted(failTemporarily) })
    for (const latest_error of ['The server is down.', null]) {
      const { runs } = await open(app)
      await ingest(app, plainEvents(1))
      app.advance(HOUR_MS)
      await app.deps.exporter.drain()
      const { id } = itemAt(await runs(), 0)
      await app.deps.db.run(sql`
        update batch_export_runs set status = 'Running', attempts = 15, lease_owner = 'a node that was killed',
          lease_until = '', latest_error = ${latest_error}
        where id = ${id}`)
      await app.deps.exporter.drain()
      const reason = [latest_error, 'The last attempt was interrupted.'].filter(Boolean).join(' ')
      t.match(await runs(), [{ status: 'FailedRetryable', latest_error: reason }])
    }
  })

for (const engine of nextEngines())
  t.test(`does not retry permanent failures, and pauses an export that keeps failing (${engine})`, async (t) => {
    const failPermanently = async () => Promise.reject(permanentError('There is no such bucket.'))
    const mailbox = await openMailbox(t)
    const mail = { SMTP_URL: mailbox.url, SITE_URL: 'http://workspace.example' }
    const app = await openApp(t, engine, { processes: scripted(failPermanently), environment: mail })
    await app.member('admin@example.com', 8)
    await app.member('member@example.com', 1)
    const failing = await open(app)
    await app.send('POST', `${failing.path}/backfill/`, { body: { start_at: '2025-12-01', end_at: '2025-12-03' } })
    for (let hour = 1; hour <= 9; hour++) {
      await ingest(app, plainEvents(1, hour))
      setClock(app, hour * HOUR_MS)
      await app.deps.exporter.drain()
    }
    t.match(await app.send('GET', `${failing.path}/`), { body: { paused: true, last_paused_at: String } })
    const log = await failing.log()
    t.equal(log.filter((line) => line.startsWith('ERROR There is no such bucket.')).length, 10)
    t.match(log.at(-1), /^WARNING The export was paused: 10 of its last 50 runs failed/)
    t.ok(log.some((line) => /The backfill .* ended because a run failed/.test(line)))
    await app.deps.alerter.drain()
    while (mailbox.mails.length < 2) await mailbox.next()
    const recipients = mailbox.mails.flatMap(({ to }) => to).toSorted()
    t.same(recipients, ['admin@example.com', 'owner@example.com'], 'only administrators and owners are notified')
    for (const { raw } of mailbox.mails)
      t.match(readable(raw), /The batch export "x" of the project "Default project" was paused/)
    await app.send('POST', `${failing.path}/unpause/`)
    await ingest(app, plainEvents(1, 50))
    setClock(app, 11 * HOUR_MS)
    await app.deps.exporter.drain()
    t.match(await app.send('GET', `${failing.path}/`), { body: { paused: false } }, 'old failures do not count again')
  })

for (const engine of nextEngines())
  t.test(`takes over a run whose lease expired, and lets only one process finish it (${engine})`, async (t) => {
    let first: { job: DeliveryJob; end: (result: { records: number; bytes: number }) => void } | undefined
    const hang = (job: DeliveryJob) => new Promise<{ records: number; bytes: number }>((end) => (first = { job, end }))
    const app = await openApp(t, engine, { processes: scripted(hang, succeed) })
    const slow = await open(app)
    await ingest(app, plainEvents(1))
    setClock(app, HOUR_MS)
    const draining = app.deps.exporter.drain()
    while (!first) await new Promise(setImmediate)
    const other = createExporter({
      ...app.deps,
      files_root: '',
      launch: succeed,
    })
    await other.drain()
    t.match(await slow.runs(), [{ status: 'Running' }], 'no takeover while the lease is valid')
    app.advance(2 * MINUTE_MS)
    await other.drain()
    const [takenOver] = await slow.runs()
    t.match(takenOver, { status: 'Completed' })
    first.end({ records: 99, bytes: 99 })
    await draining
    t.same(await slow.runs(), [takenOver], 'the late result is ignored')
    t.ok((await slow.log()).some((message) => /Attempt 1 was interrupted: its process ended/.test(message)))
    await other.stop()
  })

for (const engine of nextEngines())
  t.test(`aborts cancelled runs and runs of deleted exports (${engine})`, async (t) => {
    let started = 0
    const waitForAbort = (_: DeliveryJob, signal: AbortSignal) =>
      new Promise<never>((__, reject) => {
        started++
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const app = await openApp(t, engine, { processes: scripted(waitForAbort) })
    const exporter = createExporter({
      ...app.deps,
      files_root: '',
      launch: app.deps.processes.deliver,
      renew_ms: 5,
    })
    const cancelled = await open(app)
    const deleted = await open(app)
    await ingest(app, plainEvents(1))
    setClock(app, HOUR_MS)
    const draining = exporter.drain()
    while (started < 2) await new Promise(setImmediate)
    const run = itemAt(await cancelled.runs(), 0)
    t.match(await app.send('POST', `${cancelled.path}/runs/${run.id}/cancel/`), {
      status: 200,
      body: { status: 'Cancelled' },
    })
    t.match(await app.send('DELETE', `${deleted.path}/`), { status: 204 })
    await draining
    t.match(await cancelled.runs(), [{ status: 'Cancelled' }])
    t.match((await cancelled.log()).at(-1), /The run was cancelled/)
    await exporter.stop()
  })

for (const engine of nextEngines())
  t.test(`aborts immediately on the node that handles the cancellation (${engine})`, async (t) => {
    let [started, aborted] = [0, 0]
    const waitForAbort = (_: DeliveryJob, signal: AbortSignal) =>
      new Promise<never>((__, reject) => {
        started++
        signal.addEventListener('abort', () => {
          aborted++
          reject(signal.reason)
        })
      })
    const app = await openApp(t, engine, { processes: scripted(waitForAbort) })
    const [first, second, third] = [await open(app), await open(app), await open(app)]
    await ingest(app, plainEvents(1))
    setClock(app, HOUR_MS)
    const draining = app.deps.exporter.drain()
    while (started < 3) await new Promise(setImmediate)
    const run = itemAt(await first.runs(), 0)
    await app.send('POST', `${first.path}/runs/${run.id}/cancel/`)
    t.equal(aborted, 1)
    await app.send('DELETE', `${second.path}/`)
    t.equal(aborted, 2)
    await app.send('DELETE', `${third.path}/`)
    await draining
    t.match(await first.runs(), [{ status: 'Cancelled' }])
    t.match((await first.log()).at(-1), /The run was cancelled/)
  })

for (const engine of nextEngines())
  t.test(`releases active runs at shutdown and continues them after the restart (${engine})`, async (t) => {
    let started = false
    const waitForAbort = (_: DeliveryJob, signal: AbortSignal) =>
      new Promise<never>((__, reject) => {
        started = true
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const app = await openApp(t, engine, { processes: scripted(waitForAbort, succeed) })
    const { runs, log } = await open(app)
    await ingest(app, plainEvents(1))
    setClock(app, HOUR_MS)
    const options = {
      ...app.deps,
      files_root: '',
      launch: app.deps.processes.deliver,
    }
    const exporter = createExporter(options)
    exporter.start()
    while (!started) await new Promise(setImmediate)
    await exporter.stop()
    t.match(await runs(), [{ status: 'Starting', latest_error: null }])
    const next = createExporter(options)
    await next.drain()
    t.match(await runs(), [{ status: 'Completed' }])
    t.match(await log(), [/Attempt 1/, /The server is shutting down/, /Attempt 1/, /Delivered/])
    await next.stop()
  })

for (const engine of nextEngines())
  t.test(`deletes runs and logs after their retention (${engine})`, async (t) => {
    const app = await openApp(t, engine, { processes: scripted(succeed) })
    const hourly = await open(app)
    await ingest(app, plainEvents(1))
    setClock(app, HOUR_MS)
    await app.deps.exporter.drain()
    await app.send('POST', `${hourly.path}/pause/`)
    const old = itemAt(await hourly.runs(), 0)
    app.advance(60 * DAY_MS)
    const { body: recent } = await app.send('POST', `${hourly.path}/runs/${old.id}/retry/`)
    await app.deps.exporter.drain()
    t.equal((await hourly.runs()).length, 2)
    app.advance(31 * DAY_MS)
    app.deps.exporter.start()
    while ((await hourly.runs()).length > 1) await new Promise(setImmediate)
    t.match(await hourly.runs(), [{ id: recent.id, status: 'Completed' }])
    await app.deps.exporter.stop()
    t.match(await hourly.log(), [/Attempt 1 .*retry/, /Delivered/])
  })

for (const engine of nextEngines())
  t.test(`delivers while old log entries are deleted (${engine})`, async (t) => {
    const left = (): Promise<number> =>
      app.deps.db.count(sql`from batch_export_log_entries where message = 'an old entry'`)
    let left_at_start = 0
    const app = await openApp(t, engine, {
      processes: scripted(async () => {
        left_at_start = await left()
        return succeed()
      }),
    })
    const { id, path, runs } = await open(app)
    await app.deps.db.run(sql`
      insert into batch_export_log_entries (project_id, batch_export_id, run_id, timestamp, level, message)
      with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${OLD_ENTRIES})
      select ${app.first.project_id}, ${id}, '', '2025-01-01T00:00:00.000Z', 'INFO', 'an old entry' from numbers`)
    app.deps.exporter.start()
    while ((await left()) === OLD_ENTRIES) await new Promise(setImmediate)
    await app.send('POST', `${path}/backfill/`, { body: { start_at: '2025-12-01', end_at: '2025-12-02' } })
    while ((await runs())[0]?.status !== 'Completed') await new Promise(setImmediate)
    t.ok(left_at_start > 0, 'the run starts before all entries are deleted')
    while ((await left()) > 0) await new Promise(setImmediate)
    await app.deps.exporter.stop()
  })

for (const engine of nextEngines())
  t.test(`deletes temporary files of killed attempts once their runs have ended (${engine})`, async (t) => {
    const files_root = freshFolder(t)
    const app = await openApp(t, engine, {
      processes: scripted(failTemporarily),
      environment: { EXPORT_FOLDER: files_root },
    })
    const { path, id, runs } = await open(app)
    for (const day of [1, 2])
      await app.send('POST', `${path}/backfill/`, {
        body: { start_at: `2025-12-0${day}`, end_at: `2025-12-0${day + 1}` },
      })
    const started = await runs()
    const [cancelled, waiting] = [itemAt(started, 0).id, itemAt(started, 1).id]
    await app.send('POST', `${path}/runs/${cancelled}/cancel/`)
    const deleted = app.deps.ids.uuid()

    const folder = join(files_root, String(app.first.project_id), id)
    mkdirSync(join(folder, 'day'), { recursive: true })
    writeFileSync(join(files_root, 'a file'), '')
    const createFile = (path: string, at = app.deps.now()): string => {
      writeFileSync(path, 'half')
      utimesSync(path, new Date(at), new Date(at))
      return path
    }
    const partialFile = (run: string): string => join(folder, `.partial-${run}-1-x.jsonl`)
    const finished = createFile(join(folder, 'x.jsonl'))
    const expectedDeleted = [createFile(partialFile(cancelled)), createFile(partialFile(deleted))]
    const expectedKept = [
      createFile(partialFile(waiting)),
      createFile(partialFile(app.deps.ids.uuid()), new Date(START + HOUR_MS).toISOString()),
    ]
    const scratch = (run: string): string => {
      const path = mkdtempSync(join(tmpdir(), `workspace-export-${run}-`))
      t.teardown(() => rmSync(path, { recursive: true, force: true }))
      createFile(join(path, 'rows'))
      utimesSync(path, START / 1000, START / 1000)
      return path
    }
    expectedDeleted.push(scratch(cancelled))
    expectedKept.push(scratch(waiting), scratch(deleted), finished)

    setClock(app, HOUR_MS + MINUTE_MS)
    app.deps.exporter.start()
    while (expectedDeleted.some((path) => existsSync(path))) await new Promise(setImmediate)
    await app.deps.exporter.stop()
    t.same(
      expectedKept.filter((path) => !existsSync(path)),
      [],
    )
  })

for (const engine of nextEngines())
  t.test(`shares run slots fairly among projects (${engine})`, async (t) => {
    const order: number[] = []
    const ends: (() => void)[] = []
    const hold = (job: DeliveryJob) =>
      new Promise<{ records: number; bytes: number }>((end) => {
        order.push(job.project_id)
        ends.push(() => end({ records: 0, bytes: 0 }))
      })
    const app = await openApp(t, engine, { processes: scripted(hold), environment: { EXPORT_SLOTS: '3' } })
    const second = (await app.send('POST', '/api/projects/', { body: { name: 'Second' } })).body.id as number
    for (let i = 0; i < 4; i++) await open(app, { name: `busy ${i}` })
    await app.send('POST', `/api/projects/${second}/batch_exports/`, {
      body: { name: 'quiet', interval: 'hour', destination: { type: 'NoOp', config: {} } },
    })
    await ingest(app, plainEvents(1))
    await ingest(app, plainEvents(1, 9), second)
    setClock(app, HOUR_MS)
    const draining = app.deps.exporter.drain()
    while (order.length < 3) await new Promise(setImmediate)
    t.ok(order.includes(second), 'one busy project does not occupy every slot')
    while (order.length < 5 || ends.length) {
      for (const end of ends.splice(0)) end()
      await new Promise(setImmediate)
    }
    await draining
  })

for (const engine of nextEngines())
  t.test(`plans other exports when one cannot be planned (${engine})`, async (t) => {
    const app = await openApp(t, engine, { processes: scripted(succeed) })
    const [broken, other] = [await open(app), await open(app)]
    await ingest(app, plainEvents(1))
    // The run of the window already exists, so planning this export fails.
    await app.deps.db.run(sql`
      insert into batch_export_runs (id, batch_export_id, project_id, kind, status, data_interval_start,
        data_interval_end, attempts, next_attempt_at, created_at, last_updated_at)
      values ('existing', ${broken.id}, ${app.first.project_id}, 'scheduled', 'Completed', '2026-01-01T00:00:00.000Z',
        '2026-01-01T01:00:00.000Z', 0, '', '', '')`)
    setClock(app, HOUR_MS)
    await t.rejects(app.deps.exporter.drain(), /already has a run/)
    await app.deps.exporter.drain()
    t.pass('the failing export is set aside')
    app.advance(MINUTE_MS)
    await t.rejects(app.deps.exporter.drain(), /already has a run/, 'and tried again later')
    app.advance(HOUR_MS / 2)
    await t.rejects(app.deps.exporter.drain(), /already has a run/)
    app.advance(-HOUR_MS / 3)
    await t.rejects(
      app.deps.exporter.drain(),
      /already has a run/,
      'a clock that is set back does not prolong the delay',
    )
    while ((await other.runs())[0]?.status !== 'Completed') await new Promise(setImmediate)
  })

for (const engine of nextEngines())
  t.test(`delivers while a backlog is planned, and stops in the middle of it (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const exports = []
    for (let i = 0; i < 4; i++) exports.push(await open(app, { name: `${i}`, interval: 'every 5 minutes' }))
    for (const [i, hour] of [0, 2, 23].entries()) {
      setClock(app, hour * HOUR_MS + MINUTE_MS)
      await ingest(app, plainEvents(1, i))
    }
    setClock(app, DAY_MS)
    const windows = exports.length * 288
    const countRuns = () => app.deps.db.count(sql`from batch_export_runs`)
    const delivered: string[] = []
    let stopped: Promise<void> | undefined
    const launch: DeliveryProcesses['deliver'] = async (job, reporter, signal) => {
      if (delivered.length === 0) t.ok((await countRuns()) < windows / 2, 'the first run starts before all are planned')
      const result = await app.deps.processes.deliver(job, reporter, signal)
      delivered.push(job.batch_export_id)
      if (delivered.length === exports.length) stopped = exporter.stop()
      return result
    }
    const exporter = exporterOn(app, { db: app.deps.db, launch })
    exporter.start()
    while (!stopped) await new Promise(setImmediate)
    await stopped
    t.equal(new Set(delivered).size, exports.length, 'each export gets its turn')
    t.ok((await countRuns()) < windows, 'planning ends with the server')
    const rest = exporterOn(app, { db: app.deps.db, launch })
    await rest.drain()
    t.equal(await countRuns(), windows, 'the next start plans the rest')
    for (const { id } of exports) {
      const rows = await app.deps.db.all<Json>(sql`
        select * from batch_export_runs where batch_export_id = ${id} order by data_interval_end`)
      t.ok(
        rows.every((row, i) => {
          const before = rows[i - 1]
          return (
            !before ||
            (row.data_interval_start === before.data_interval_end && row.from_position === before.to_position)
          )
        }),
        'windows and ranges follow each other without gap or overlap',
      )
      t.equal(
        rows.reduce((sum, row) => sum + row.records_completed, 0),
        3,
      )
    }
    await rest.stop()
  })

for (const engine of nextEngines())
  t.test(`repeats a run whose result could not be stored (${engine})`, async (t) => {
    const app = await openApp(t, engine, { processes: scripted(succeed) })
    const { runs } = await open(app)
    await ingest(app, plainEvents(1))
    setClock(app, HOUR_MS)
    const connection = breakable(app)
    const exporter = exporterOn(app, { db: connection.db, launch: connection.thenBreak(succeed) })
    await exporter.drain().catch(() => undefined)
    connection.repair()
    t.match(await runs(), [{ status: 'Running' }])
    await exporter.drain()
    t.match(await runs(), [{ status: 'Running' }], 'not claimed while the lease is valid')
    app.advance(2 * MINUTE_MS)
    await exporter.drain()
    t.match(await runs(), [{ status: 'Completed' }], 'the same process repeats it')
    await exporter.stop()
  })

for (const engine of nextEngines())
  t.test(`recovers from a short outage of the database (${engine})`, async (t) => {
    const app = await openApp(t, engine, { processes: scripted(succeed) })
    const { runs } = await open(app)
    await ingest(app, plainEvents(1))
    setClock(app, HOUR_MS)
    const connection = breakable(app)
    const exporter = exporterOn(app, { db: connection.db, launch: succeed })
    connection.break()
    exporter.start()
    // Planning, claiming and removing old runs fail.
    while (connection.rejections() < 3) await new Promise(setImmediate)
    connection.repair()
    exporter.wake()
    while ((await runs())[0]?.status !== 'Completed') await new Promise(setImmediate)
    await exporter.stop()
  })

for (const engine of nextEngines())
  t.test(`releases a run that is claimed during shutdown (${engine})`, async (t) => {
    const app = await openApp(t, engine, { processes: scripted(succeed) })
    const { runs, log } = await open(app)
    await ingest(app, plainEvents(1))
    setClock(app, HOUR_MS)
    let stopped: Promise<void> | undefined
    const stopping: Deps['db'] = {
      ...app.deps.db,
      tx: async (work) => {
        const result: any = await app.deps.db.tx(work)
        if (result?.run?.status === 'Running') stopped ??= exporter.stop()
        return result
      },
    }
    const launch: DeliveryProcesses['deliver'] = async (_, __, signal) => {
      signal.throwIfAborted()
      return succeed()
    }
    const exporter = exporterOn(app, { db: stopping, launch })
    exporter.start()
    while (!stopped) await new Promise(setImmediate)
    await stopped
    t.match(await runs(), [{ status: 'Starting' }])
    t.match((await log()).at(-1), /The server is shutting down/)
  })

const exporterOn = (app: TestApp, more: Pick<ExporterOptions, 'db' | 'launch'>) =>
  createExporter({ ...app.deps, files_root: '', ...more })

/** A database that can become unavailable. */
function breakable({ deps: { db } }: TestApp) {
  let isDown = false
  let rejections = 0
  const guarded =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (!isDown) return work(...args)
      rejections++
      throw unavailable('The database cannot be reached.')
    }
  return {
    db: {
      ...db,
      all: guarded(db.all) as typeof db.all,
      get: guarded(db.get) as typeof db.get,
      run: guarded(db.run),
      tx: guarded(db.tx) as typeof db.tx,
    },
    break: () => {
      isDown = true
    },
    repair: () => {
      isDown = false
    },
    rejections: () => rejections,
    /** Becomes unavailable after the first delivery. */
    thenBreak: (work: typeof succeed) => async () => {
      const result = await work()
      if (rejections === 0) isDown = true
      return result
    },
  }
}
