/** Delivered and skipped events around pauses, including concurrent ingestion. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import t, { type Test } from 'tap'
import { buildDeps, type Deps } from '../../src/deps.ts'
import { POSITION } from '../../src/events/extract.ts'
import { horizon } from '../../src/events/positions.ts'
import type { DeliveryProcesses } from '../../src/exports/delivery-processes.ts'
import { permanentError } from '../../src/exports/destination.ts'
import { createExporter } from '../../src/exports/exporter.ts'
import { sql } from '../../src/sql/template.ts'
import { highestPosition } from '../../src/store/batch_exports.ts'
import { IN_THIS_PROCESS, nextEngines, openApp, type TestApp } from '../helpers/app.ts'
import { bySize, halfInQuick } from '../helpers/assertions/figures.ts'
import { itemAt, textAt } from '../helpers/assertions/items.ts'
import { commit, ingest, plainEvents } from '../helpers/seeds/exports.ts'

/** Random sequences of the property test. */
const SEQUENCES = bySize({ quick: 4, full: 15, prove: 500 })
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

t.setTimeout(bySize({ full: 15, prove: 60 }) * 60_000)
halfInQuick(t)

/** Sets the clock to a time of the first day, `HH:MM`. */
const setClock = (app: Pick<TestApp, 'advance' | 'deps'>, time: string): void =>
  app.advance(Date.parse(`2026-01-01T${time}:00Z`) - Date.parse(app.deps.now()))

/** Omits the date of times on the first day. */
const short = (iso: string): string => iso.slice(0, 16).replace('2026-01-01T', '')

/** An app whose deliveries record the events they read. */
async function openRecording(t: Test, engine: TestApp['engine']) {
  let delivered: { batch_export_id: string; run_id: string; uuid: string; backfill: boolean }[] = []
  const deliver: DeliveryProcesses['deliver'] = async ({ batch_export_id, run_id, project_id, range }) => {
    const within =
      range.by === 'positions'
        ? sql`${POSITION} >= ${range.from} and ${POSITION} < ${range.to}`
        : sql`e.timestamp >= ${range.start} and e.timestamp < ${range.end}`
    const rows = await app.deps.events.all<{ uuid: string }>(
      sql`select e.uuid from events e where e.project_id = ${project_id} and ${within}`,
    )
    // A second attempt at a run replaces the events of the first, as at a destination.
    delivered = delivered.filter((entry) => entry.run_id !== run_id)
    for (const { uuid } of rows) delivered.push({ batch_export_id, run_id, uuid, backfill: range.by === 'times' })
    return { records: rows.length, bytes: 0 }
  }
  const app: TestApp = await openApp(t, engine, { processes: { ...IN_THIS_PROCESS, deliver } })
  return { app, delivered: () => delivered }
}

/** Creates an export in a new project. */
async function openExport(app: TestApp, more: object = {}) {
  const project_id: number = (await app.send('POST', '/api/projects/', { body: { name: 'p' } })).body.id
  const base = `/api/projects/${project_id}/batch_exports` as const
  const body = { name: 'x', interval: 'hour', destination: { type: 'NoOp', config: {} }, ...more }
  const created = await app.send('POST', `${base}/`, { body })
  const path = `${base}/${created.body.id}` as const
  return {
    id: created.body.id,
    path,
    project_id,
    numbers: { next: 0 },
    act: (action: string, sent?: object) => app.send('POST', `${path}/${action}/`, sent && { body: sent }),
    patch: (sent: object) => app.send('PATCH', `${path}/`, { body: sent }),
    runs: async () => (await app.send('GET', `${path}/runs/?ordering=data_interval_start`)).body.results,
    windows: async (): Promise<[string, string, number][]> => {
      const { results } = (await app.send('GET', `${path}/runs/?ordering=data_interval_start&limit=1000`)).body
      return results.map((run) => [
        short(run.data_interval_start),
        short(run.data_interval_end),
        Number(run.records_completed),
      ])
    },
    /** How many events each pause skipped, oldest first. */
    skipped: async (): Promise<number[]> =>
      (await app.send('GET', `${path}/logs/?search=Skipped&limit=1000`)).body.results
        .map(({ message }) => Number(textAt(/^Skipped (\d+) events/, message)))
        .reverse(),
  }
}

type Export = Awaited<ReturnType<typeof openExport>>
type Step =
  | [time: string, step: 'events', count: number]
  | [time: string, step: 'pause' | 'plan']
  | [time: string, step: 'unpause', sent?: object]
  | [time: string, step: 'patch', sent: object]

/** Waits for transactions of other suites on the same cluster, which delay the planning of a pause. */
async function waitForOtherTransactions({ deps: { db, events } }: Pick<TestApp, 'deps'>): Promise<void> {
  while ((await horizon(events)) < (await highestPosition(db))) await sleep(5)
}

/** Plans and delivers everything that is due. */
async function drain(app: Pick<TestApp, 'deps'>): Promise<void> {
  await waitForOtherTransactions(app)
  await app.deps.exporter.drain()
}

const STEPS = {
  events: async (app: TestApp, { project_id, numbers }: Export, count: number) => {
    await ingest(app, plainEvents(count, numbers.next), project_id)
    numbers.next += count
  },
  pause: (_: TestApp, { act }: Export) => act('pause'),
  unpause: (_: TestApp, { act }: Export, sent?: object) => act('unpause', sent),
  patch: (_: TestApp, { patch }: Export, sent: object) => patch(sent),
  plan: drain,
}

interface Case {
  name: string
  settings?: object
  steps: Step[]
  windows: [start: string, end: string, events: number][]
  skipped: number[]
}

const AROUND: Step[] = [
  ['00:10', 'events', 3],
  ['00:20', 'pause'],
  ['01:10', 'events', 2],
]

const CASES: Case[] = [
  {
    name: 'delivers events from before the pause and skips those that arrive during it',
    steps: [...AROUND, ['02:20', 'unpause'], ['02:30', 'events', 1], ['03:00', 'plan']],
    windows: [
      ['00:00', '00:20', 3],
      ['02:20', '03:00', 1],
    ],
    skipped: [2],
  },
  {
    name: 'delivers events from before the pause as soon as the export is unpaused',
    steps: [...AROUND, ['02:20', 'unpause'], ['02:20', 'plan']],
    windows: [['00:00', '00:20', 3]],
    skipped: [2],
  },
  {
    name: 'plans no runs while the export is paused',
    steps: [...AROUND, ['02:20', 'plan']],
    windows: [],
    skipped: [],
  },
  {
    name: 'backfill: false skips like an empty body',
    steps: [...AROUND, ['02:20', 'unpause', { backfill: false }], ['03:00', 'plan']],
    windows: [
      ['00:00', '00:20', 3],
      ['02:20', '03:00', 0],
    ],
    skipped: [2],
  },
  {
    name: 'backfill: true skips no events',
    steps: [...AROUND, ['02:20', 'unpause', { backfill: true }], ['02:30', 'events', 1], ['03:00', 'plan']],
    windows: [
      ['00:00', '01:00', 3],
      ['01:00', '02:00', 2],
      ['02:00', '03:00', 1],
    ],
    skipped: [],
  },
  {
    name: 'a pause without earlier events creates no run',
    steps: [
      ['00:20', 'pause'],
      ['00:30', 'events', 2],
      ['00:40', 'unpause'],
      ['01:00', 'plan'],
    ],
    windows: [['00:40', '01:00', 0]],
    skipped: [2],
  },
  {
    name: 'pausing twice has the effect of the first pause',
    steps: [
      ['00:10', 'events', 3],
      ['00:20', 'pause'],
      ['00:30', 'events', 1],
      ['00:40', 'pause'],
      ['00:45', 'patch', { paused: true }],
      ['00:50', 'unpause'],
      ['01:00', 'plan'],
    ],
    windows: [
      ['00:00', '00:20', 3],
      ['00:50', '01:00', 0],
    ],
    skipped: [1],
  },
  {
    name: 'unpausing twice has the effect of the first unpause',
    steps: [
      ...AROUND,
      ['01:20', 'unpause'],
      ['01:30', 'events', 4],
      ['01:40', 'unpause', { backfill: true }],
      ['02:00', 'plan'],
    ],
    windows: [
      ['00:00', '00:20', 3],
      ['01:20', '02:00', 4],
    ],
    skipped: [2],
  },
  {
    name: 'two pauses without planning in between skip the events of both',
    steps: [
      ['00:05', 'events', 1],
      ['00:10', 'pause'],
      ['00:15', 'events', 2],
      ['00:20', 'unpause'],
      ['00:25', 'events', 3],
      ['00:30', 'pause'],
      ['00:35', 'events', 4],
      ['00:40', 'unpause'],
      ['00:45', 'events', 5],
      ['01:00', 'plan'],
    ],
    windows: [
      ['00:00', '00:10', 1],
      ['00:20', '00:30', 3],
      ['00:40', '01:00', 5],
    ],
    skipped: [2, 4],
  },
  {
    name: 'a backfilled pause does not change an earlier pause',
    steps: [
      ['00:05', 'events', 1],
      ['00:10', 'pause'],
      ['00:15', 'events', 2],
      ['00:20', 'unpause'],
      ['00:25', 'events', 3],
      ['00:30', 'pause'],
      ['00:35', 'events', 4],
      ['00:40', 'unpause', { backfill: true }],
      ['00:45', 'events', 5],
      ['01:00', 'plan'],
    ],
    windows: [
      ['00:00', '00:10', 1],
      ['00:20', '01:00', 12],
    ],
    skipped: [2],
  },
  {
    name: 'a second pause delays the events from before the first pause',
    steps: [
      ['00:05', 'events', 1],
      ['00:10', 'pause'],
      ['00:15', 'events', 2],
      ['00:20', 'unpause'],
      ['00:30', 'pause'],
      ['02:00', 'plan'],
    ],
    windows: [],
    skipped: [],
  },
  {
    name: 'plans windows that ended before the pause individually',
    steps: [
      ['00:10', 'events', 1],
      ['01:10', 'events', 2],
      ['02:10', 'events', 3],
      ['02:30', 'pause'],
      ['03:10', 'events', 4],
      ['05:20', 'unpause'],
      ['05:30', 'events', 5],
      ['07:00', 'plan'],
    ],
    windows: [
      ['00:00', '01:00', 1],
      ['01:00', '02:00', 2],
      ['02:00', '02:30', 3],
      ['05:20', '06:00', 5],
      ['06:00', '07:00', 0],
    ],
    skipped: [4],
  },
  {
    name: 'PATCH pauses and unpauses like the actions',
    steps: [
      ['00:10', 'events', 3],
      ['00:20', 'patch', { paused: true }],
      ['01:10', 'events', 2],
      ['02:20', 'patch', { paused: false }],
      ['02:30', 'events', 1],
      ['03:00', 'plan'],
    ],
    windows: [
      ['00:00', '00:20', 3],
      ['02:20', '03:00', 1],
    ],
    skipped: [2],
  },
  {
    name: 'an export that is created paused skips events from its creation',
    settings: { paused: true },
    steps: [
      ['01:10', 'events', 2],
      ['02:20', 'unpause'],
      ['02:30', 'events', 1],
      ['03:00', 'plan'],
    ],
    windows: [['02:20', '03:00', 1]],
    skipped: [2],
  },
  {
    name: 'an export that is created paused can be unpaused with backfill',
    settings: { paused: true },
    steps: [
      ['01:10', 'events', 2],
      ['02:20', 'unpause', { backfill: true }],
      ['03:00', 'plan'],
    ],
    windows: [
      ['00:00', '01:00', 0],
      ['01:00', '02:00', 2],
      ['02:00', '03:00', 0],
    ],
    skipped: [],
  },
  {
    name: 'ignores last_paused_at in requests',
    steps: [
      ...AROUND,
      ['01:20', 'patch', { last_paused_at: '2026-01-01T02:00:00Z' }],
      ['01:30', 'patch', { last_paused_at: null }],
      ['02:20', 'unpause'],
      ['02:20', 'plan'],
    ],
    windows: [['00:00', '00:20', 3]],
    skipped: [2],
  },
  {
    name: 'the interval changes during the pause',
    steps: [
      ...AROUND,
      ['01:20', 'patch', { interval: 'every 15 minutes' }],
      ['02:20', 'unpause'],
      ['02:25', 'events', 1],
      ['02:35', 'events', 4],
      ['02:45', 'plan'],
    ],
    windows: [
      ['00:00', '00:20', 3],
      ['02:20', '02:30', 1],
      ['02:30', '02:45', 4],
    ],
    skipped: [2],
  },
  {
    name: 'the interval changes after the unpause and before planning',
    steps: [
      ...AROUND,
      ['02:20', 'unpause'],
      ['02:21', 'patch', { interval: 'every 5 minutes' }],
      ['02:22', 'events', 1],
      ['02:25', 'plan'],
    ],
    windows: [
      ['00:00', '00:20', 3],
      ['02:20', '02:25', 1],
    ],
    skipped: [2],
  },
  {
    name: 'the interval changes together with the unpause',
    steps: [
      ...AROUND,
      ['02:21', 'patch', { interval: 'day', paused: false }],
      ['02:30', 'events', 1],
      ['02:30', 'plan'],
    ],
    windows: [['00:00', '00:20', 3]],
    skipped: [2],
  },
  {
    name: 'a pause does not deliver events that end_at excludes',
    settings: { end_at: '2026-01-01T01:30:00Z' },
    steps: [
      ['00:10', 'events', 1],
      ['01:10', 'events', 2],
      ['01:40', 'pause'],
      ['02:00', 'unpause'],
      ['03:00', 'plan'],
    ],
    windows: [['00:00', '01:00', 1]],
    skipped: [0],
  },
  {
    name: 'a pause does not deliver events that start_at excludes',
    settings: { start_at: '2026-01-01T03:00:00Z' },
    steps: [
      ['00:10', 'events', 1],
      ['00:40', 'pause'],
      ['01:00', 'unpause'],
      ['03:10', 'events', 2],
      ['04:00', 'plan'],
    ],
    windows: [['03:00', '04:00', 2]],
    skipped: [0],
  },
  {
    name: 'the schedule ended before the pause',
    settings: { end_at: '2026-01-01T01:00:00Z' },
    steps: [
      ['00:10', 'events', 1],
      ['02:10', 'plan'],
      ['02:10', 'events', 2],
      ['02:20', 'pause'],
      ['02:30', 'events', 3],
      ['02:40', 'patch', { end_at: null }],
      ['02:50', 'unpause'],
      ['02:55', 'events', 4],
      ['03:00', 'plan'],
    ],
    windows: [
      ['00:00', '01:00', 1],
      ['02:50', '03:00', 4],
    ],
    skipped: [0],
  },
  {
    name: 'the clock is set back during the pause',
    steps: [
      ['01:10', 'events', 1],
      ['01:30', 'plan'],
      ['01:40', 'events', 2],
      ['00:30', 'pause'],
      ['00:40', 'events', 3],
      ['00:50', 'unpause'],
      ['01:50', 'events', 4],
      ['02:00', 'plan'],
    ],
    windows: [
      ['00:00', '01:00', 1],
      ['01:00', '01:00', 2],
      ['01:00', '02:00', 4],
    ],
    skipped: [3],
  },
]

async function runSteps(app: TestApp, batchExport: Export, steps: readonly Step[]): Promise<void> {
  for (const [time, step, argument] of steps) {
    setClock(app, time)
    await STEPS[step](app, batchExport, argument as never)
  }
}

const pausesOf = async ({ deps: { db } }: TestApp, { id }: Export): Promise<number> =>
  (await db.all(sql`select id from batch_export_pauses where batch_export_id = ${id}`)).length

for (const engine of nextEngines())
  t.test(`delivers and skips events around pauses (${engine})`, async (t) => {
    const { app } = await openRecording(t, engine)
    for (const { name, settings, steps, windows, skipped } of CASES) {
      setClock(app, '00:00')
      const batchExport = await openExport(app, settings)
      await runSteps(app, batchExport, steps)
      t.same(await batchExport.windows(), windows, name)
      t.same(await batchExport.skipped(), skipped, name)
      await app.send('DELETE', `${batchExport.path}/`)
      t.equal(await pausesOf(app, batchExport), 0, 'deleting the export deletes its pauses')
    }
  })

for (const engine of nextEngines())
  t.test(`sets last_paused_at however the export is paused (${engine})`, async (t) => {
    const { app } = await openRecording(t, engine)
    const sent = { last_paused_at: '2020-01-01T00:00:00Z' }
    const running = await openExport(app, sent)
    t.match((await app.send('GET', `${running.path}/`)).body, { paused: false, last_paused_at: null })
    t.match((await running.patch(sent)).body, { last_paused_at: null })
    const created = await openExport(app, { ...sent, paused: true })
    const { body } = await app.send('GET', `${created.path}/`)
    t.match(body, { paused: true, last_paused_at: body.created_at })
    t.match((await running.patch({ ...sent, paused: true })).body, { paused: true, last_paused_at: /^2026/ })
    t.match((await running.patch({ paused: false })).body, { paused: false, last_paused_at: /^2026/ })
  })

for (const engine of nextEngines())
  t.test(`delivers events from before the pause after too many failures (${engine})`, async (t) => {
    let failing = true
    const app = await openApp(t, engine, {
      processes: {
        ...IN_THIS_PROCESS,
        deliver: async () =>
          failing ? Promise.reject(permanentError('There is no such bucket.')) : { records: 1, bytes: 1 },
      },
    })
    const batchExport = await openExport(app)
    for (let hour = 0; hour < 10; hour++) {
      setClock(app, `0${hour}:10`)
      await STEPS.events(app, batchExport, 1)
      // The last event arrives after the window of the failing run and before the run.
      if (hour === 9) await STEPS.events(app, batchExport, 1)
      app.advance(50 * MINUTE_MS)
      if (hour === 9) await STEPS.events(app, batchExport, 1)
      await drain(app)
    }
    t.match((await app.send('GET', `${batchExport.path}/`)).body, { paused: true, last_paused_at: /^2026-01-01T10:00/ })
    setClock(app, '10:30')
    await STEPS.events(app, batchExport, 4)
    setClock(app, '10:40')
    failing = false
    await batchExport.act('unpause')
    await drain(app)
    t.same(await batchExport.skipped(), [4])
    const runs = await app.deps.db.all<{ from_position: number; to_position: number }>(sql`
      select from_position, to_position from batch_export_runs where batch_export_id = ${batchExport.id}
      order by data_interval_end`)
    for (const [i, run] of runs.entries()) if (i > 0) t.equal(run.from_position, itemAt(runs, i - 1).to_position)
    const after = await app.deps.events.get<{ count: number }>(sql`
      select count(*) as count from events e
      where e.project_id = ${batchExport.project_id} and ${POSITION} >= ${itemAt(runs, -1).to_position}`)
    t.equal(after?.count, 4)
  })

for (const engine of nextEngines())
  t.test(`continues an active run during a pause (${engine})`, async (t) => {
    let [start, finish] = [() => {}, () => {}]
    const started = new Promise<void>((resolve) => (start = resolve))
    const finished = new Promise<void>((resolve) => (finish = resolve))
    let calls = 0
    const deliver = async (): Promise<{ records: number; bytes: number }> => {
      if (++calls === 1) {
        start()
        await finished
      }
      return { records: calls, bytes: 1 }
    }
    const app = await openApp(t, engine, { processes: { ...IN_THIS_PROCESS, deliver } })
    const batchExport = await openExport(app)
    await runSteps(app, batchExport, [['00:10', 'events', 2]])
    setClock(app, '01:00')
    const draining = drain(app)
    await started
    await runSteps(app, batchExport, [
      ['01:10', 'events', 1],
      ['01:20', 'pause'],
      ['01:30', 'events', 3],
    ])
    finish()
    await draining
    t.same(await batchExport.windows(), [['00:00', '01:00', 1]])
    await runSteps(app, batchExport, [
      ['01:40', 'unpause'],
      ['01:40', 'plan'],
    ])
    t.same(await batchExport.windows(), [
      ['00:00', '01:00', 1],
      ['01:00', '01:20', 2],
    ])
    t.same(await batchExport.skipped(), [3])
  })

for (const engine of nextEngines())
  t.test(`backfills a paused export, and retries a window that a pause cut short (${engine})`, async (t) => {
    const { app, delivered } = await openRecording(t, engine)
    const batchExport = await openExport(app)
    await runSteps(app, batchExport, [
      ['00:10', 'events', 3],
      ['00:20', 'pause'],
      ['01:10', 'events', 2],
    ])
    setClock(app, '02:00')
    const range = { start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-01T02:00:00Z' }
    t.match(await batchExport.act('backfill', range), { status: 200, body: { paused: true, backfill_id: String } })
    await drain(app)
    t.equal(delivered().filter(({ backfill }) => backfill).length, 5, 'a backfill selects by event time')
    t.same(await batchExport.skipped(), [])
    await runSteps(app, batchExport, [
      ['02:20', 'unpause'],
      ['02:20', 'plan'],
    ])
    const scheduled = () =>
      delivered()
        .filter(({ backfill }) => !backfill)
        .map(({ uuid }) => uuid)
    const first = scheduled()
    t.same(
      first.toSorted(),
      plainEvents(3).map(({ uuid }) => uuid),
    )
    const [run] = (await batchExport.runs()).filter(({ data_interval_end }) => short(data_interval_end) === '00:20')
    await app.send('POST', `${batchExport.path}/runs/${run?.id}/retry/`)
    await drain(app)
    t.same(scheduled(), [...first, ...first])
  })

for (const engine of nextEngines())
  t.test(`delivers everything for an export paused by an earlier version (${engine})`, async (t) => {
    const { app } = await openRecording(t, engine)
    for (const body of [undefined, { backfill: false }, { backfill: true }]) {
      setClock(app, '00:00')
      const batchExport = await openExport(app)
      await runSteps(app, batchExport, [
        ['00:10', 'events', 3],
        ['00:20', 'pause'],
        ['01:10', 'events', 2],
      ])
      await app.deps.db.run(sql`delete from batch_export_pauses`)
      setClock(app, '02:20')
      await batchExport.act('unpause', body)
      setClock(app, '03:00')
      await drain(app)
      t.same(await batchExport.windows(), [
        ['00:00', '01:00', 3],
        ['01:00', '02:00', 2],
        ['02:00', '03:00', 0],
      ])
      t.same(await batchExport.skipped(), [])
      await app.send('DELETE', `${batchExport.path}/`)
    }
  })

for (const engine of nextEngines())
  t.test(`tolerates a node of an earlier version that unpauses without ending the pause (${engine})`, async (t) => {
    const { app } = await openRecording(t, engine)
    const batchExport = await openExport(app)
    await runSteps(app, batchExport, [['00:10', 'pause']])
    await app.deps.db.run(sql`update batch_exports set paused = ${false} where id = ${batchExport.id}`)
    await runSteps(app, batchExport, [
      ['00:20', 'events', 3],
      ['01:00', 'plan'],
    ])
    t.same(await batchExport.windows(), [['00:00', '01:00', 3]])
    await runSteps(app, batchExport, [
      ['01:10', 'events', 1],
      ['01:20', 'pause'],
      ['01:30', 'events', 2],
      ['01:40', 'unpause'],
      ['01:40', 'plan'],
    ])
    t.same((await batchExport.windows()).at(-1), ['01:00', '01:20', 1])
    t.same(await batchExport.skipped(), [2])
  })

for (const engine of nextEngines())
  t.test(`plans other exports when a pause cannot be planned (${engine})`, async (t) => {
    const { app } = await openRecording(t, engine)
    const [broken, paused, running] = [await openExport(app), await openExport(app), await openExport(app)]
    for (const batchExport of [broken, paused])
      await runSteps(app, batchExport, [
        ['00:10', 'events', 1],
        ['00:20', 'pause'],
        ['00:30', 'unpause'],
      ])
    await STEPS.events(app, running, 2)
    // The run of the window already exists.
    await app.deps.db.run(sql`
      insert into batch_export_runs (id, batch_export_id, project_id, kind, status, data_interval_start,
        data_interval_end, attempts, next_attempt_at, created_at, last_updated_at)
      select 'existing', batch_export_id, ${broken.project_id}, 'scheduled', 'Completed', paused_at, paused_at, 0, '', '', ''
      from batch_export_pauses where batch_export_id = ${broken.id}`)
    setClock(app, '01:00')
    await t.rejects(drain(app), /already has a run/)
    for (const [batchExport, records] of [
      [paused, 1],
      [running, 2],
    ] as const)
      while ((await batchExport.runs())[0]?.records_completed !== records) await new Promise(setImmediate)
    t.equal(await pausesOf(app, broken), 1, 'the pause is not deleted')
  })

for (const engine of nextEngines())
  t.test(`plans more windows before a pause than fit into one transaction (${engine})`, async (t) => {
    const { app } = await openRecording(t, engine)
    const batchExport = await openExport(app, { interval: 'every 5 minutes' })
    await runSteps(app, batchExport, [
      ['00:02', 'events', 1],
      ['10:02', 'events', 2],
      ['20:12', 'events', 3],
      ['20:13', 'pause'],
      ['21:00', 'events', 4],
      ['22:02', 'unpause'],
      ['22:02', 'plan'],
    ])
    const windows = await app.deps.db.all<{ records_completed: number; data_interval_end: string }>(sql`
      select records_completed, data_interval_end from batch_export_runs where batch_export_id = ${batchExport.id}
      order by data_interval_end`)
    t.equal(windows.length, 243)
    t.same(
      windows
        .filter(({ records_completed }) => records_completed)
        .map((window) => [short(window.data_interval_end), window.records_completed]),
      [
        ['00:05', 1],
        ['10:05', 2],
        ['20:13', 3],
      ],
    )
    t.same(await batchExport.skipped(), [4])
  })

for (const engine of nextEngines())
  t.test(`counts all events of a range (${engine})`, async (t) => {
    const { app } = await openRecording(t, engine)
    const batchExport = await openExport(app)
    await batchExport.act('pause')
    // On PostgreSQL each batch is one transaction with one position.
    for (const count of [10_001, 10_000, 3]) await STEPS.events(app, batchExport, count)
    const { body: paused } = await app.send('GET', `${batchExport.path}/`)
    app.advance(MINUTE_MS)
    const { body } = await app.send('POST', `${batchExport.path}/unpause/`, { body: { backfill: false } })
    t.match(body, {
      skipped_events: { count: 20_004, start_at: paused.last_paused_at, end_at: body.last_updated_at },
    })
    await drain(app)
    t.same(await batchExport.skipped(), [20_004])
    await batchExport.act('pause')
    await STEPS.events(app, batchExport, 5)
    const all = await app.send('POST', `${batchExport.path}/unpause/`, { body: { backfill: true } })
    t.strictSame(all.body.skipped_events, null, 'nothing is skipped')
  })

for (const engine of nextEngines())
  t.test(`plans a pause once on two nodes (${engine})`, async (t) => {
    const { app, delivered } = await openRecording(t, engine)
    const batchExport = await openExport(app)
    const nodes = Array.from({ length: 3 }, () => nodeOn(app))
    let expected = 0
    for (let hour = 0; hour < 6; hour++) {
      await runSteps(app, batchExport, [
        [`0${hour}:10`, 'events', 3],
        [`0${hour}:20`, 'pause'],
        [`0${hour}:30`, 'events', 2],
      ])
      expected += 3
      setClock(app, `0${hour}:40`)
      await Promise.all([
        batchExport.act('unpause'),
        batchExport.patch({ paused: false }),
        ...nodes.map((node) => node.drain()),
      ])
      await waitForOtherTransactions(app)
      await Promise.all(nodes.map((node) => node.drain()))
    }
    setClock(app, '07:00')
    await waitForOtherTransactions(app)
    await Promise.all(nodes.map((node) => node.drain()))
    t.equal(delivered().length, expected)
    t.equal(new Set(delivered().map(({ uuid }) => uuid)).size, expected)
    t.same(await batchExport.skipped(), [2, 2, 2, 2, 2, 2])
    for (const node of nodes) await node.stop()
  })

for (const engine of nextEngines())
  t.test(`handles pauses during concurrent ingestion (${engine})`, async (t) => {
    const { app, delivered } = await openRecording(t, engine)
    const batchExport = await openExport(app, { interval: 'every 5 minutes' })
    // When each batch was sent and acknowledged, as sequence numbers shared with the pauses.
    let order = 0
    const batches: { uuids: string[]; sent: number; done: number }[] = []
    const pauses: { pauseSent: number; paused: number; unpauseSent: number; unpaused: number }[] = []
    let stopped = false
    const writers = Array.from({ length: 3 }, async () => {
      while (!stopped) {
        const from = batchExport.numbers.next
        batchExport.numbers.next += 5
        const events = plainEvents(5, from)
        const sent = order++
        await commit(app, events, batchExport.project_id)
        batches.push({ uuids: events.map(({ uuid }) => uuid!), sent, done: order++ })
      }
    })
    const waitForBatches = async (count: number): Promise<void> => {
      const target = batches.length + count
      while (batches.length < target) await new Promise(setImmediate)
    }
    for (let round = 0; round < 8; round++) {
      await waitForBatches(4)
      const pauseSent = order++
      await batchExport.act('pause')
      const paused = order++
      await waitForBatches(round % 3 === 0 ? 0 : 6)
      const unpauseSent = order++
      await batchExport.act('unpause')
      pauses.push({ pauseSent, paused, unpauseSent, unpaused: order++ })
      app.advance(2 * MINUTE_MS)
      await drain(app)
    }
    stopped = true
    await Promise.all(writers)
    await ingest(app, [], batchExport.project_id)
    app.advance(10 * MINUTE_MS)
    await drain(app)

    const deliveredUuids = delivered().map(({ uuid }) => uuid)
    const unique = new Set(deliveredUuids)
    t.equal(unique.size, deliveredUuids.length, 'no event is delivered twice')
    const skipped = (await batchExport.skipped()).reduce((sum, count) => sum + count, 0)
    t.equal(deliveredUuids.length + skipped, batchExport.numbers.next, 'all other events are counted as skipped')
    const duringPause = batches.filter(({ sent, done }) =>
      pauses.some((pause) => pause.paused < sent && done < pause.unpauseSent),
    )
    const outsidePauses = batches.filter(
      ({ sent, done }) => !pauses.some((pause) => pause.pauseSent < done && sent < pause.unpaused),
    )
    t.ok(duringPause.length > 5 && outsidePauses.length > 5)
    t.notOk(
      duringPause.some(({ uuids }) => uuids.some((uuid) => unique.has(uuid))),
      'events that arrived during a pause are skipped',
    )
    t.ok(
      outsidePauses.every(({ uuids }) => uuids.every((uuid) => unique.has(uuid))),
      'events that arrived before or after it are delivered',
    )
  })

for (const engine of nextEngines())
  t.test(`delivers each event once or skips it in a pause, in random sequences (${engine})`, async (t) => {
    const { app, delivered } = await openRecording(t, engine)
    const interval = fc.constantFrom('every 5 minutes', 'every 15 minutes', 'hour', 'day')
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('events' as const), count: fc.integer({ min: 1, max: 3 }) }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('pause' as const), byPatch: fc.boolean() }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('unpause' as const), backfill: fc.boolean() }) },
      {
        weight: 3,
        arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: -30, max: 200 }) }),
      },
      { weight: 3, arbitrary: fc.constant({ do: 'plan' as const }) },
      { weight: 3, arbitrary: fc.constant({ do: 'run' as const }) },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant('crash' as const), after: fc.integer({ min: 0, max: 25 }) }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('interval' as const), interval }) },
    )
    const settings = fc.record({ interval, paused: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(settings, fc.array(step, { minLength: 3, maxLength: 20 }), async (initial, steps) => {
        const batchExport = await openExport(app, initial)
        // The model: the delivered events, and the events of the current pause.
        const expected: string[] = []
        let seen: string[] | null = initial.paused ? [] : null
        const skipped: number[] = []
        const end = (backfill: boolean): void => {
          if (backfill) expected.push(...(seen ?? []))
          else if (seen) skipped.push(seen.length)
          seen = null
        }
        const actions = [...steps, { do: 'unpause' as const, backfill: false }, { do: 'plan' as const }]
        for (const action of actions) {
          app.advance(1_000)
          if (action.do === 'events') {
            const events = plainEvents(action.count, batchExport.numbers.next)
            await STEPS.events(app, batchExport, action.count)
            for (const { uuid } of events) (seen ?? expected).push(uuid!)
          } else if (action.do === 'pause') {
            await (action.byPatch ? batchExport.patch({ paused: true }) : batchExport.act('pause'))
            seen ??= []
          } else if (action.do === 'unpause') {
            await batchExport.act('unpause', { backfill: action.backfill })
            end(action.backfill)
          } else if (action.do === 'wait') app.advance(action.minutes * MINUTE_MS)
          else if (action.do === 'plan') await drain(app)
          else if (action.do === 'run') assert.equal((await batchExport.act('run')).status, seen ? 400 : 200)
          else if (action.do === 'crash') await crash(app, action.after)
          else await batchExport.patch({ interval: action.interval })
        }
        app.advance(3 * 24 * HOUR_MS)
        await drain(app)
        const deliveredUuids = delivered()
          .filter(({ batch_export_id }) => batch_export_id === batchExport.id)
          .map(({ uuid }) => uuid)
        const counts = await batchExport.skipped()
        const remaining = await pausesOf(app, batchExport)
        await app.send('DELETE', `${batchExport.path}/`)
        assert.deepEqual(deliveredUuids.toSorted(), expected.toSorted())
        // The log is ordered by time, and the clock may go back.
        assert.deepEqual(counts.toSorted(), skipped.toSorted())
        assert.equal(remaining, 0)
      }),
      { numRuns: SEQUENCES },
    )
  })

/** An open ingest transaction of another node. */
async function openTransaction(t: Test, app: TestApp, project_id: number, name: string): Promise<pg.Client> {
  const client = new pg.Client(app.deps.config.DATABASE_URL)
  await client.connect()
  t.teardown(() => client.end())
  await client.query('begin')
  const created_at = Date.parse(app.deps.now()) * 1000
  await client.query(
    `insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain)
     values (${project_id}, '${name}', 'e', 'd', 0, ${created_at}, '{}', '')`,
  )
  return client
}

t.test('handles transactions that are open when a pause begins and ends (postgres)', async (t) => {
  const { app, delivered } = await openRecording(t, 'postgres')
  const batchExport = await openExport(app)
  const deliveredUuids = (): string[] => delivered().map(({ uuid }) => uuid)
  setClock(app, '00:10')
  const acrossPause = await openTransaction(t, app, batchExport.project_id, 'across the pause')
  setClock(app, '00:20')
  await batchExport.act('pause')
  await commit(app, plainEvents(2), batchExport.project_id)
  const acrossUnpause = await openTransaction(t, app, batchExport.project_id, 'across the unpause')
  const rolledBack = await openTransaction(t, app, batchExport.project_id, 'rolled back')
  await commit(app, plainEvents(1, 2), batchExport.project_id)
  setClock(app, '00:40')
  await batchExport.act('unpause')
  await commit(app, plainEvents(1, 3), batchExport.project_id)
  setClock(app, '00:50')
  await app.deps.exporter.drain()
  t.same(await batchExport.runs(), [], 'planning waits for transactions from before the pause')
  await acrossPause.query('commit')
  setClock(app, '01:00')
  await app.deps.exporter.drain()
  t.same(await batchExport.runs(), [], 'planning waits for transactions from before the unpause')
  await rolledBack.query('rollback')
  await acrossUnpause.query('commit')
  await ingest(app, [], batchExport.project_id)
  await drain(app)
  t.same(deliveredUuids().toSorted(), [itemAt(plainEvents(1, 3), 0).uuid, 'across the pause'].toSorted())
  t.same(await batchExport.windows(), [
    ['00:00', '00:20', 1],
    ['00:40', '01:00', 1],
  ])
  t.same(await batchExport.skipped(), [4])
})

t.test('plans a pause soon after the transaction it waits for ends (postgres)', async (t) => {
  const { app } = await openRecording(t, 'postgres')
  const batchExport = await openExport(app)
  const acrossPause = await openTransaction(t, app, batchExport.project_id, 'across the pause')
  await batchExport.act('pause')
  await batchExport.act('unpause')
  app.deps.exporter.start()
  await acrossPause.query('commit')
  while ((await batchExport.windows())[0]?.[2] !== 1) await new Promise(setImmediate)
  t.same(await batchExport.skipped(), [0])
})

t.test('does not change positions at a start with an old open transaction (postgres)', async (t) => {
  const { app } = await openRecording(t, 'postgres')
  const batchExport = await openExport(app)
  const acrossPause = await openTransaction(t, app, batchExport.project_id, 'across the pause')
  await batchExport.act('pause')
  const restarted = await buildDeps({ config: app.deps.config, log: app.deps.log, processes: app.deps.processes })
  const store = await app.deps.events.get<{ position_base: number }>(sql`select position_base from event_store`)
  t.equal(store?.position_base, 0)
  await acrossPause.query('commit')
  await restarted.dispose()
})

t.test('handles a pause in a database restored into another cluster (postgres)', async (t) => {
  const { app, delivered } = await openRecording(t, 'postgres')
  const [pausedExport, unpausedExport] = [await openExport(app), await openExport(app)]
  for (const batchExport of [pausedExport, unpausedExport]) {
    await STEPS.events(app, batchExport, 1)
    await batchExport.act('pause')
    await STEPS.events(app, batchExport, 2)
  }
  await unpausedExport.act('unpause')
  // Simulates a cluster with higher transaction ids.
  const offset = 5_000_000_000
  await app.deps.db.run(sql`update batch_export_pauses set position = position + ${offset}`)
  await app.deps.db.run(sql`update batch_export_pauses set resumed_position = resumed_position + ${offset}`)
  await app.deps.db.run(sql`update batch_exports set watermark = watermark + ${offset}`)
  await app.deps.db.run(sql`update events set position = position + ${offset}`)
  const restored = await buildDeps({
    config: app.deps.config,
    log: app.deps.log,
    clock: () => Date.parse('2026-01-01T00:30:00Z'),
    processes: app.deps.processes,
  })
  for (const batchExport of [pausedExport, unpausedExport])
    await STEPS.events({ ...app, deps: restored }, batchExport, 4)
  await pausedExport.act('unpause')
  for (const batchExport of [pausedExport, unpausedExport])
    await STEPS.events({ ...app, deps: restored }, batchExport, 8)
  setClock(app, '01:00')
  await drain(app)
  const count = ({ id }: Export): number => delivered().filter((entry) => entry.batch_export_id === id).length
  t.same([count(pausedExport), await pausedExport.skipped()], [9, [6]])
  t.same([count(unpausedExport), await unpausedExport.skipped()], [13, [2]])
  await restored.dispose()
})

/** A second process on the same database. */
function nodeOn({ deps }: TestApp, db: Deps['db'] = deps.db) {
  return createExporter({
    ...deps,
    db,
    files_root: '',
    launch: deps.processes.deliver,
  })
}

/** A process that plans and dies at its n-th statement. Its open transaction is rolled back, and its leases expire. */
async function crash(app: TestApp, after: number): Promise<void> {
  let remaining = after
  const crashing = (db: Deps['db']): Deps['db'] => {
    const counted =
      <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        if (remaining-- <= 0) throw new Error('killed')
        return work(...args)
      }
    return {
      ...db,
      all: counted(db.all) as typeof db.all,
      get: counted(db.get) as typeof db.get,
      run: counted(db.run),
      tx: (work) => db.tx((tx) => work(crashing(tx as Deps['db']))),
    }
  }
  const node = nodeOn(app, crashing(app.deps.db))
  await node.drain().catch(() => undefined)
  await node.stop().catch(() => undefined)
  app.advance(2 * MINUTE_MS)
}
