/** Scheduling, delivery, retries and failures of runs. The test controls the clock. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import pg from 'pg'
import t, { type Test } from 'tap'
import { buildDeps, type Deps } from '../../src/deps.ts'
import { unavailable } from '../../src/errors.ts'
import type { DeliveryJob } from '../../src/exports/deliver.ts'
import type { DeliveryProcesses } from '../../src/exports/delivery-processes.ts'
import { permanentError, retryableError } from '../../src/exports/destination.ts'
import { createExporter, type ExporterOptions } from '../../src/exports/exporter.ts'
import { addInterval, boundaryAfter, boundaryBefore, countWindows, type Interval } from '../../src/exports/interval.ts'
import { sql } from '../../src/sql/template.ts'
import { ENGINES, IN_THIS_PROCESS, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { commit, freshFolder, ingest, plainEvents } from '../helpers/exports.ts'
import { openMailbox } from '../helpers/mailbox.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const START = Date.parse('2026-01-01T00:00:00Z')

/** Creates a NoOp export, with functions that read its state. */
async function open(app: TestApp, more: object = {}) {
  const base = `/api/projects/${app.first.project_id}/batch_exports`
  const body = { name: 'x', interval: 'hour', destination: { type: 'NoOp', config: {} }, ...more }
  const made = await app.send('POST', `${base}/`, { body })
  const one = `${base}/${made.body.id}`
  return {
    id: made.body.id as string,
    one,
    runs: async (): Promise<any[]> => (await app.send('GET', `${one}/runs/?ordering=data_interval_start`)).body.results,
    /** Start, end and number of events of each window. */
    windows: async () => {
      const { results } = (await app.send('GET', `${one}/runs/?ordering=data_interval_start`)).body
      return results.map((run: any) => [
        short(run.data_interval_start),
        short(run.data_interval_end),
        run.records_completed,
      ])
    },
    log: async (): Promise<string[]> =>
      (await app.send('GET', `${one}/logs/?limit=1000`)).body.results
        .map(({ level, message }: any) => `${level} ${message}`)
        .reverse(),
  }
}

const short = (iso: string): string => iso.slice(5, 16)

/** Sets the app's clock to a time after START. */
const goTo = (app: TestApp, milliseconds: number): void => {
  app.advance(START + milliseconds - Date.parse(app.deps.now()))
}

t.test('aligns consecutive windows to UTC', async () => {
  const intervals: Interval[] = ['every 5 minutes', 'every 15 minutes', 'hour', 'day', 'week']
  const moments = fc.integer({ min: Date.parse('1970-02-01'), max: Date.parse('2100-01-01') })
  fc.assert(
    fc.property(fc.constantFrom(...intervals), moments, (interval, milliseconds) => {
      const moment = new Date(milliseconds).toISOString()
      const before = boundaryBefore(interval, moment)
      const after = boundaryAfter(interval, moment)
      const [start, end] = [new Date(before), new Date(after)]
      return (
        before <= moment &&
        moment < after &&
        addInterval(interval, before) === after &&
        countWindows(interval, before, after) === 1 &&
        boundaryAfter(interval, before) === after &&
        start.getUTCSeconds() === 0 &&
        end.getTime() > start.getTime() &&
        (interval !== 'week' || (start.getUTCDay() === 0 && start.getUTCHours() === 0)) &&
        (interval !== 'day' || start.getUTCHours() === 0)
      )
    }),
  )
})

onBothEngines(t, 'starts the first run at the end of the current window, with all of its events', async (t, app) => {
  goTo(app, 10 * MINUTE_MS)
  await ingest(app, plainEvents(3))
  goTo(app, 20 * MINUTE_MS)
  const hourly = await open(app)
  await ingest(app, plainEvents(2, 10))
  await app.deps.exporter.drain()
  t.same(await hourly.windows(), [], 'no run before the window ends')
  goTo(app, HOUR_MS)
  await app.deps.exporter.drain()
  t.same(await hourly.windows(), [['01-01T00:00', '01-01T01:00', 5]])
  await ingest(app, [{ ...plainEvents(1, 50)[0], timestamp: '2020-01-01T00:00:00Z' }])
  goTo(app, 2 * HOUR_MS)
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
  goTo(app, 3 * DAY_MS)
  await app.deps.exporter.drain()
  t.same(await weekly.windows(), [['12-28T00:00', '01-04T00:00', 1]])
})

onBothEngines(t, 'creates no runs before start_at or after end_at', async (t, app) => {
  const bounded = await open(app, { start_at: '2026-01-01T02:30:00Z', end_at: '2026-01-01T04:30:00Z' })
  for (let hour = 0; hour < 7; hour++) {
    goTo(app, hour * HOUR_MS + 30 * MINUTE_MS)
    await ingest(app, plainEvents(1, hour))
    await app.deps.exporter.drain()
  }
  t.same(await bounded.windows(), [
    ['01-01T02:00', '01-01T03:00', 1],
    ['01-01T03:00', '01-01T04:00', 1],
  ])
  await app.send('PATCH', `${bounded.one}/`, { body: { end_at: null } })
  await ingest(app, plainEvents(2, 20))
  goTo(app, 7 * HOUR_MS)
  await app.deps.exporter.drain()
  t.same((await bounded.windows()).at(-1), ['01-01T06:00', '01-01T07:00', 2], 'a schedule that had ended restarts now')
})

onBothEngines(t, 'catches up after a downtime, oldest window first', async (t, app) => {
  const hourly = await open(app)
  for (let hour = 0; hour < 5; hour++) {
    goTo(app, hour * HOUR_MS + MINUTE_MS)
    await ingest(app, plainEvents(hour, hour * 10))
  }
  goTo(app, 5 * HOUR_MS)
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
  const without = await open(app, { name: 'without' })
  const making = await open(app, { name: 'making up' })
  for (const { one } of [without, making]) await app.send('POST', `${one}/pause/`)
  for (let hour = 0; hour < 3; hour++) {
    goTo(app, hour * HOUR_MS + MINUTE_MS)
    await ingest(app, plainEvents(2, hour * 10))
    await app.deps.exporter.drain()
  }
  t.same(await without.windows(), [])
  await app.send('POST', `${without.one}/unpause/`)
  await app.send('POST', `${making.one}/unpause/`, { body: { backfill: true } })
  await ingest(app, plainEvents(1, 90))
  goTo(app, 3 * HOUR_MS)
  await app.deps.exporter.drain()
  t.same(await without.windows(), [['01-01T02:01', '01-01T03:00', 1]])
  t.same(await making.windows(), [
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
    goTo(app, minutes * MINUTE_MS)
    await ingest(app, plainEvents(3, count))
    count += 3
    await app.deps.exporter.drain()
    if (interval) await app.send('PATCH', `${changing.one}/`, { body: { interval } })
  }
  goTo(app, 27 * HOUR_MS)
  await app.deps.exporter.drain()
  const windows = await changing.windows()
  t.equal(
    windows.reduce((sum: number, [, , records]: any) => sum + records, 0),
    count,
  )
  for (const [i, [start]] of windows.entries()) if (i > 0) t.equal(start, windows[i - 1][1], 'windows are consecutive')
})

onBothEngines(t, 'delivers every event once when the clock steps back an hour', async (t, app) => {
  const hourly = await open(app)
  await ingest(app, plainEvents(2))
  goTo(app, 90 * MINUTE_MS)
  await app.deps.exporter.drain()
  app.advance(-HOUR_MS)
  await ingest(app, plainEvents(3, 10))
  await app.send('PATCH', `${hourly.one}/`, { body: { interval: 'every 15 minutes' } })
  await app.deps.exporter.drain()
  await app.send('POST', `${hourly.one}/pause/`)
  await app.send('POST', `${hourly.one}/unpause/`, { body: { backfill: true } })
  goTo(app, 2 * HOUR_MS)
  await app.deps.exporter.drain()
  const windows = await hourly.windows()
  t.equal(
    windows.reduce((sum: number, [, , records]: any) => sum + records, 0),
    5,
  )
  t.equal(new Set(windows.map(([, end]: any) => end)).size, windows.length, 'window labels are unique')
})

/** Asserts that the positions of scheduled runs are contiguous. */
async function assertOnceEach(t: Test, app: TestApp, id: string): Promise<void> {
  const runs = await app.deps.db.all<{ from_position: number; to_position: number }>(
    sql`select from_position, to_position from batch_export_runs where batch_export_id = ${id} and kind = 'scheduled' order by data_interval_end`,
  )
  t.ok(runs.length > 1)
  for (const [i, run] of runs.entries()) if (i > 0) t.equal(run.from_position, runs[i - 1]!.to_position)
}

for (const engine of ENGINES)
  t.test(`delivers each event in exactly one scheduled run during concurrent ingestion (${engine})`, async (t) => {
    const delivered: string[] = []
    const app = await openApp(t, engine, { processes: recording(delivered) })
    const { id } = await open(app, { interval: 'every 5 minutes', destination: { type: 'NoOp', config: {} } })
    let sent = 0
    let over = false
    const writers = Array.from({ length: 4 }, async () => {
      while (!over) {
        const from = sent
        sent += 7
        await commit(app, plainEvents(7, from))
      }
    })
    for (let window = 1; window <= 12; window++) {
      goTo(app, window * 5 * MINUTE_MS)
      await app.deps.exporter.drain()
    }
    over = true
    await Promise.all(writers)
    await ingest(app, [])
    goTo(app, 13 * 5 * MINUTE_MS)
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
  goTo(app, 5 * MINUTE_MS)
  await app.deps.exporter.drain()
  const first = [...delivered]
  await late.query(insert(2))
  await late.query('commit')
  await late.end()
  await ingest(app, [])
  goTo(app, 10 * MINUTE_MS)
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
  await app.deps.db.run(sql`update events set position = 900000 where uuid = ${plainEvents(1)[0]!.uuid!}`)
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

/** The behaviour of each attempt, in order. The last one repeats. */
const acting = (
  ...acts: ((job: DeliveryJob, signal: AbortSignal) => Promise<{ records: number; bytes: number }>)[]
): DeliveryProcesses => {
  let calls = 0
  return { ...IN_THIS_PROCESS, deliver: (job, _, signal) => acts[Math.min(calls++, acts.length - 1)]!(job, signal) }
}
const fine = async () => ({ records: 1, bytes: 1 })
const away = async () => Promise.reject(retryableError('The server is down.'))

for (const engine of ENGINES) {
  t.test(`retries temporary failures with increasing delays (${engine})`, async (t) => {
    const app = await openApp(t, engine, { processes: acting(away, away, away, fine) })
    const failing = await open(app)
    await ingest(app, plainEvents(1))
    goTo(app, HOUR_MS)
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
    goTo(app, HOUR_MS)
    const drained = app.deps.exporter.drain()
    let run: any
    while (run?.records_completed === undefined || run.records_completed === null) [run] = await runs()
    t.match(run, { status: 'Running', records_completed: 4, records_total_count: 10, bytes_completed: 90 })
    finish()
    await drained
    t.match(await runs(), [
      { status: 'Completed', records_completed: 10, records_total_count: 10, bytes_completed: 250 },
    ])
  })

  t.test(`ignores the checkpoint after the destination or the query changes (${engine})`, async (t) => {
    const begun: (number | null)[] = []
    const state = { cursor: [1, 'a'] as never, records: 1, bytes: 9 }
    const deliver: DeliveryProcesses['deliver'] = async (job, reporter) => {
      begun.push(job.checkpoint?.records ?? null)
      await reporter.checkpoint(state)
      return begun.length < 5 ? away() : fine()
    }
    const app = await openApp(t, engine, { processes: { ...IN_THIS_PROCESS, deliver } })
    const { one, runs } = await open(app)
    await ingest(app, plainEvents(2))
    goTo(app, HOUR_MS)
    for (const change of [
      {},
      { name: 'y', destination: { config: {} } },
      { destination: { config: { exclude_events: ['paid'] } } },
      { destination: { type: 'File', config: { exclude_events: ['paid'] } } },
      { hogql_query: 'select event from events' },
    ]) {
      t.match(await app.send('PATCH', `${one}/`, { body: change }), { status: 200 })
      app.advance(3 * MINUTE_MS)
      await app.deps.exporter.drain()
    }
    t.same(begun, [null, 1, null, null, null])
    t.match(await runs(), [{ status: 'Completed' }])
  })

  t.test(`honours Retry-After, and gives up after 15 attempts (${engine})`, async (t) => {
    const busy = async () => Promise.reject(retryableError('Too many requests.', 600))
    const app = await openApp(t, engine, { processes: acting(busy, away) })
    const failing = await open(app)
    await ingest(app, plainEvents(1))
    goTo(app, HOUR_MS)
    await app.deps.exporter.drain()
    t.match((await failing.log()).at(-1), /in 600 seconds/)
    for (let attempt = 2; attempt <= 15; attempt++) {
      app.advance(10 * MINUTE_MS)
      await app.deps.exporter.drain()
    }
    const [run] = await failing.runs()
    t.match(run, { status: 'FailedRetryable', latest_error: 'The server is down.', finished_at: String })
    t.match(
      (await failing.log()).filter((line) => line.startsWith('ERROR')),
      [/failed after 15 attempts/],
    )
    const failed = 'workspace_export_runs_failed_total{destination="NoOp",status="FailedRetryable"} 1'
    t.match((await app.send('GET', '/metrics')).text, failed, 'counted once, after the last attempt')
  })

  t.test(`does not retry permanent failures, and pauses an export that keeps failing (${engine})`, async (t) => {
    const no = async () => Promise.reject(permanentError('There is no such bucket.'))
    const box = await openMailbox(t)
    const mail = { SMTP_URL: box.url, SITE_URL: 'http://workspace.example' }
    const app = await openApp(t, engine, { processes: acting(no), environment: mail })
    await app.member('admin@example.com', 8)
    await app.member('member@example.com', 1)
    const failing = await open(app)
    await app.send('POST', `${failing.one}/backfill/`, { body: { start_at: '2025-12-01', end_at: '2025-12-03' } })
    for (let hour = 1; hour <= 9; hour++) {
      await ingest(app, plainEvents(1, hour))
      goTo(app, hour * HOUR_MS)
      await app.deps.exporter.drain()
    }
    t.match(await app.send('GET', `${failing.one}/`), { body: { paused: true, last_paused_at: String } })
    const log = await failing.log()
    t.equal(log.filter((line) => line.startsWith('ERROR There is no such bucket.')).length, 10)
    t.match(log.at(-1), /^WARNING The export was paused: 10 of its last 50 runs failed/)
    t.ok(log.some((line) => /The backfill .* ended because a run failed/.test(line)))
    while (box.mails.length < 2) await box.next()
    const recipients = box.mails.flatMap(({ to }) => to).toSorted()
    t.same(recipients, ['admin@example.com', 'owner@example.com'], 'only administrators and owners are notified')
    for (const { raw } of box.mails) t.match(raw, /The batch export "x" of My organization was paused/)
    await app.send('POST', `${failing.one}/unpause/`)
    await ingest(app, plainEvents(1, 50))
    goTo(app, 11 * HOUR_MS)
    await app.deps.exporter.drain()
    t.match(await app.send('GET', `${failing.one}/`), { body: { paused: false } }, 'old failures do not count again')
  })

  t.test(`takes over a run whose lease expired, and lets only one process finish it (${engine})`, async (t) => {
    let first: { job: DeliveryJob; end: (result: { records: number; bytes: number }) => void } | undefined
    const hanging = (job: DeliveryJob) =>
      new Promise<{ records: number; bytes: number }>((end) => (first = { job, end }))
    const app = await openApp(t, engine, { processes: acting(hanging, fine) })
    const slow = await open(app)
    await ingest(app, plainEvents(1))
    goTo(app, HOUR_MS)
    const working = app.deps.exporter.drain()
    while (!first) await new Promise((turn) => setImmediate(turn))
    const other = createExporter({
      ...app.deps,
      reader: app.deps.eventReader,
      files_root: '',
      launch: fine,
      wakeMailer: null,
    })
    await other.drain()
    t.match(await slow.runs(), [{ status: 'Running' }], 'no takeover while the lease is valid')
    app.advance(2 * MINUTE_MS)
    await other.drain()
    const [taken] = await slow.runs()
    t.match(taken, { status: 'Completed' })
    first.end({ records: 99, bytes: 99 })
    await working
    t.same(await slow.runs(), [taken], 'the late result is ignored')
    await other.stop()
  })

  t.test(`aborts cancelled runs and runs of deleted exports (${engine})`, async (t) => {
    let begun = 0
    const untilAborted = (_: DeliveryJob, signal: AbortSignal) =>
      new Promise<never>((__, reject) => {
        begun++
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const app = await openApp(t, engine, { processes: acting(untilAborted) })
    const exporter = createExporter({
      ...app.deps,
      reader: app.deps.eventReader,
      files_root: '',
      launch: app.deps.processes.deliver,
      wakeMailer: null,
      renew_ms: 5,
    })
    const one = await open(app)
    const two = await open(app)
    await ingest(app, plainEvents(1))
    goTo(app, HOUR_MS)
    const working = exporter.drain()
    while (begun < 2) await new Promise((turn) => setImmediate(turn))
    const [run] = await one.runs()
    t.match(await app.send('POST', `${one.one}/runs/${run.id}/cancel/`), { status: 200, body: { status: 'Cancelled' } })
    t.match(await app.send('DELETE', `${two.one}/`), { status: 204 })
    await working
    t.match(await one.runs(), [{ status: 'Cancelled' }])
    t.match((await one.log()).at(-1), /The run was cancelled/)
    await exporter.stop()
  })

  t.test(`aborts immediately on the node that handles the cancellation (${engine})`, async (t) => {
    let [begun, aborted] = [0, 0]
    const untilAborted = (_: DeliveryJob, signal: AbortSignal) =>
      new Promise<never>((__, reject) => {
        begun++
        signal.addEventListener('abort', () => {
          aborted++
          reject(signal.reason)
        })
      })
    const app = await openApp(t, engine, { processes: acting(untilAborted) })
    const [one, two, three] = [await open(app), await open(app), await open(app)]
    await ingest(app, plainEvents(1))
    goTo(app, HOUR_MS)
    const working = app.deps.exporter.drain()
    while (begun < 3) await new Promise((turn) => setImmediate(turn))
    const [run] = await one.runs()
    await app.send('POST', `${one.one}/runs/${run.id}/cancel/`)
    t.equal(aborted, 1)
    await app.send('DELETE', `${two.one}/`)
    t.equal(aborted, 2)
    await app.send('DELETE', `${three.one}/`)
    await working
    t.match(await one.runs(), [{ status: 'Cancelled' }])
    t.match((await one.log()).at(-1), /The run was cancelled/)
  })

  t.test(`releases active runs at shutdown and continues them after the restart (${engine})`, async (t) => {
    let begun = false
    const untilAborted = (_: DeliveryJob, signal: AbortSignal) =>
      new Promise<never>((__, reject) => {
        begun = true
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const app = await openApp(t, engine, { processes: acting(untilAborted, fine) })
    const { runs, log } = await open(app)
    await ingest(app, plainEvents(1))
    goTo(app, HOUR_MS)
    const options = {
      ...app.deps,
      reader: app.deps.eventReader,
      files_root: '',
      launch: app.deps.processes.deliver,
      wakeMailer: null,
    }
    const exporter = createExporter(options)
    exporter.start()
    while (!begun) await new Promise((turn) => setImmediate(turn))
    await exporter.stop()
    t.match(await runs(), [{ status: 'Starting', latest_error: null }])
    const next = createExporter(options)
    await next.drain()
    t.match(await runs(), [{ status: 'Completed' }])
    t.match(await log(), [/Attempt 1/, /The server is shutting down/, /Attempt 1/, /Delivered/])
    await next.stop()
  })

  t.test(`deletes runs and logs after their retention (${engine})`, async (t) => {
    const app = await openApp(t, engine, { processes: acting(fine) })
    const one = await open(app)
    await ingest(app, plainEvents(1))
    goTo(app, HOUR_MS)
    await app.deps.exporter.drain()
    await app.send('POST', `${one.one}/pause/`)
    const [old] = await one.runs()
    app.advance(60 * DAY_MS)
    const { body: recent } = await app.send('POST', `${one.one}/runs/${old.id}/retry/`)
    await app.deps.exporter.drain()
    t.equal((await one.runs()).length, 2)
    app.advance(31 * DAY_MS)
    app.deps.exporter.start()
    while ((await one.runs()).length > 1) await new Promise((turn) => setImmediate(turn))
    t.match(await one.runs(), [{ id: recent.id, status: 'Completed' }])
    await app.deps.exporter.stop()
    t.match(await one.log(), [/Attempt 1 .*retry/, /Delivered/])
  })

  t.test(`deletes temporary files of killed attempts once their runs have ended (${engine})`, async (t) => {
    const files_root = freshFolder(t)
    const app = await openApp(t, engine, { processes: acting(away), environment: { EXPORT_FOLDER: files_root } })
    const { one, id, runs } = await open(app)
    for (const day of [1, 2])
      await app.send('POST', `${one}/backfill/`, {
        body: { start_at: `2025-12-0${day}`, end_at: `2025-12-0${day + 1}` },
      })
    const [cancelled, waiting] = (await runs()).map((run) => run.id)
    await app.send('POST', `${one}/runs/${cancelled}/cancel/`)
    const deleted = app.deps.ids.uuid()

    const folder = join(files_root, String(app.first.project_id), id)
    mkdirSync(join(folder, 'day'), { recursive: true })
    writeFileSync(join(files_root, 'a file'), '')
    const left = (path: string, at = app.deps.now()): string => {
      writeFileSync(path, 'half')
      utimesSync(path, new Date(at), new Date(at))
      return path
    }
    const draft = (run: string): string => join(folder, `.partial-${run}-1-x.jsonl`)
    const finished = left(join(folder, 'x.jsonl'))
    const gone = [left(draft(cancelled)), left(draft(deleted))]
    const kept = [left(draft(waiting)), left(draft(app.deps.ids.uuid()), new Date(START + HOUR_MS).toISOString())]
    const scratch = (run: string): string => {
      const path = mkdtempSync(join(tmpdir(), `workspace-export-${run}-`))
      t.teardown(() => rmSync(path, { recursive: true, force: true }))
      left(join(path, 'rows'))
      utimesSync(path, START / 1000, START / 1000)
      return path
    }
    gone.push(scratch(cancelled))
    kept.push(scratch(waiting), scratch(deleted), finished)

    goTo(app, HOUR_MS + MINUTE_MS)
    app.deps.exporter.start()
    while (gone.some((path) => existsSync(path))) await new Promise((turn) => setImmediate(turn))
    await app.deps.exporter.stop()
    t.same(
      kept.filter((path) => !existsSync(path)),
      [],
    )
  })

  t.test(`shares run slots fairly among projects (${engine})`, async (t) => {
    const order: number[] = []
    const ends: (() => void)[] = []
    const holding = (job: DeliveryJob) =>
      new Promise<{ records: number; bytes: number }>((end) => {
        order.push(job.project_id)
        ends.push(() => end({ records: 0, bytes: 0 }))
      })
    const app = await openApp(t, engine, { processes: acting(holding), environment: { EXPORT_SLOTS: '3' } })
    const second = (await app.send('POST', '/api/projects/', { body: { name: 'Second' } })).body.id as number
    for (let i = 0; i < 4; i++) await open(app, { name: `busy ${i}` })
    await app.send('POST', `/api/projects/${second}/batch_exports/`, {
      body: { name: 'quiet', interval: 'hour', destination: { type: 'NoOp', config: {} } },
    })
    await ingest(app, plainEvents(1))
    await ingest(app, plainEvents(1, 9), second)
    goTo(app, HOUR_MS)
    const working = app.deps.exporter.drain()
    while (order.length < 3) await new Promise((turn) => setImmediate(turn))
    t.ok(order.includes(second), 'one busy project does not occupy every slot')
    while (order.length < 5 || ends.length) {
      for (const end of ends.splice(0)) end()
      await new Promise((turn) => setImmediate(turn))
    }
    await working
  })

  t.test(`plans other exports when one cannot be planned (${engine})`, async (t) => {
    const app = await openApp(t, engine, { processes: acting(fine) })
    const [odd, other] = [await open(app), await open(app)]
    await ingest(app, plainEvents(1))
    // The run of the window already exists, so planning this export fails.
    await app.deps.db.run(sql`
      insert into batch_export_runs (id, batch_export_id, project_id, kind, status, data_interval_start,
        data_interval_end, attempts, next_attempt_at, created_at, last_updated_at)
      values ('odd', ${odd.id}, ${app.first.project_id}, 'scheduled', 'Completed', '2026-01-01T00:00:00.000Z',
        '2026-01-01T01:00:00.000Z', 0, '', '', '')`)
    goTo(app, HOUR_MS)
    await t.rejects(app.deps.exporter.drain(), /already has a run/)
    while ((await other.runs())[0]?.status !== 'Completed') await new Promise((turn) => setImmediate(turn))
  })

  t.test(`repeats a run whose result could not be stored (${engine})`, async (t) => {
    const app = await openApp(t, engine, { processes: acting(fine) })
    const { runs } = await open(app)
    await ingest(app, plainEvents(1))
    goTo(app, HOUR_MS)
    const connection = breakable(app)
    const exporter = exporterOn(app, { db: connection.db, launch: connection.thenBreak(fine) })
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

  t.test(`recovers from a short outage of the database (${engine})`, async (t) => {
    const app = await openApp(t, engine, { processes: acting(fine) })
    const { runs } = await open(app)
    await ingest(app, plainEvents(1))
    goTo(app, HOUR_MS)
    const connection = breakable(app)
    const exporter = exporterOn(app, { db: connection.db, launch: fine })
    connection.break()
    exporter.start()
    // Planning, claiming and removing old runs fail.
    while (connection.refusals() < 3) await new Promise((turn) => setImmediate(turn))
    connection.repair()
    exporter.wake()
    while ((await runs())[0]?.status !== 'Completed') await new Promise((turn) => setImmediate(turn))
    await exporter.stop()
  })

  t.test(`releases a run that is claimed during shutdown (${engine})`, async (t) => {
    const app = await openApp(t, engine, { processes: acting(fine) })
    const { runs, log } = await open(app)
    await ingest(app, plainEvents(1))
    goTo(app, HOUR_MS)
    let stopped: Promise<void> | undefined
    const stopping: Deps['db'] = {
      ...app.deps.db,
      get: async (statement) => {
        const row = await app.deps.db.get<any>(statement)
        if (row?.status === 'Running') stopped ??= exporter.stop()
        return row
      },
    }
    const launch: DeliveryProcesses['deliver'] = async (_, __, signal) => {
      signal.throwIfAborted()
      return fine()
    }
    const exporter = exporterOn(app, { db: stopping, launch })
    exporter.start()
    while (!stopped) await new Promise((turn) => setImmediate(turn))
    await stopped
    t.match(await runs(), [{ status: 'Starting' }])
    t.match((await log()).at(-1), /The server is shutting down/)
  })
}

const exporterOn = (app: TestApp, more: Pick<ExporterOptions, 'db' | 'launch'>) =>
  createExporter({ ...app.deps, reader: app.deps.eventReader, files_root: '', wakeMailer: null, ...more })

/** A database that can become unavailable. */
function breakable({ deps: { db } }: TestApp) {
  let away = false
  let refusals = 0
  const guarded =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      if (!away) return work(...given)
      refusals++
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
      away = true
    },
    repair: () => {
      away = false
    },
    refusals: () => refusals,
    /** Becomes unavailable after the first delivery. */
    thenBreak: (work: typeof fine) => async () => {
      const result = await work()
      if (refusals === 0) away = true
      return result
    },
  }
}
