/** What keeps the files, the catalog and the answers of a mirror right when something unusual happens. */
import { copyFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Loop } from '../../src/background/loop.ts'
import { buildDeps } from '../../src/deps.ts'
import { resetMirror } from '../../src/events/mirrors.ts'
import type { ReaderBackend } from '../../src/events/reader-messages.ts'
import { createScheduler, type EventReader } from '../../src/events/readers.ts'
import { rowsOf } from '../../src/events/ways.ts'
import { textColumn } from '../../src/hogql/mirror-columns.ts'
import { compileQuery, partsOf } from '../../src/hogql/query.ts'
import { parseSelect } from '../../src/hogql/select.ts'
import * as catalog from '../../src/mirror/catalog.ts'
import { createKeeper, type KeeperOptions, LIMITS } from '../../src/mirror/keeper.ts'
import type { SegmentReply } from '../../src/mirror/messages.ts'
import { mergeable } from '../../src/mirror/segments.ts'
import { compile, type Sql, sql } from '../../src/sql/template.ts'
import { onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { bySize, halfInQuick } from '../helpers/assertions/figures.ts'
import { defined, itemAt } from '../helpers/assertions/items.ts'
import {
  ask,
  compare,
  compareRows,
  deletePerson,
  deletionsOf,
  ERASE_MS,
  erase,
  filesOf,
  folderOf,
  HOUR_MS,
  hookedWriters,
  keeper,
  mirrorEvents,
  nodeOf,
  OPTIONS,
  optionsOf,
  ownerOf,
  pathsOf,
} from '../helpers/mirrored.ts'
import { until } from '../helpers/programs/site.ts'
import { MIRROR_LIMITS, mirroredEvents, QUESTIONS, readMirrorFolder } from '../helpers/seeds/mirror.ts'
import { capture } from '../helpers/seeds/plugins.ts'

const MANY_DELETIONS = 4_000
t.setTimeout(bySize({ full: 4, prove: 20 }) * 60_000)
halfInQuick(t)

onBothEngines(
  t,
  'many deletions are removed in a moment',
  async (t, app) => {
    const { events } = app.deps
    const owner = { project_id: app.first.project_id, node: 'node' }
    await events.run(sql`
      insert into mirror_deletions (project_id, node, position, seq)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MANY_DELETIONS})
      select ${owner.project_id}, ${owner.node}, n, n from numbers`)
    const all = { from_position: 0, to_position: MANY_DELETIONS + 1 }
    const deleted = await catalog.listDeletions(events, owner, all, MANY_DELETIONS)
    t.equal(deleted.length, MANY_DELETIONS)
    const start = performance.now()
    await catalog.removeDeletions(events, owner, deleted.slice(1))
    // It took 22 s when SQLite looked up each `seq` at each position.
    t.ok(performance.now() - start < 5_000)
    t.strictSame(await catalog.listDeletions(events, owner, all, MANY_DELETIONS), deleted.slice(0, 1))
  },
  OPTIONS,
)

t.test('a mirror continues after a restore into another cluster', async (t) => {
  const app = await openApp(t, 'postgres', OPTIONS)
  const { events } = app.deps
  const restart = async (): Promise<void> => {
    const restored = await buildDeps({ config: app.deps.config, log: app.deps.log, processes: app.deps.processes })
    await restored.dispose()
  }
  await capture(app, mirroredEvents(0, 30))
  await mirrorEvents(app)
  // Simulates a cluster with higher transaction ids.
  await events.run(sql`update mirrors set mirrored_to = ${1_000_000_000}`)
  await events.run(sql`update mirror_segments set to_position = ${1_000_000_000}`)
  await restart()
  await capture(app, mirroredEvents(30, 35))
  await compare(t, app, 'events after the restore')
  await resetMirror(events, ownerOf(app))
  await events.run(sql`update mirrors set ready_position = ${2_000_000_000}`)
  await restart()
  await capture(app, mirroredEvents(35, 50))
  await mirrorEvents(app)
  await compare(t, app, 'a mirror that began again')
})

onBothEngines(
  t,
  'sums of large numbers with many decimal places are those of rows',
  async (t, app) => {
    const price = (event: string, price: number) => ({ event, properties: { price } })
    const large = Array.from({ length: 5 }, () => price('large', 8622433189.2))
    // Without it the column has fewer decimal places.
    await capture(app, [...large, price('small', 0.000001), ...mirroredEvents(0, 30)])
    await mirrorEvents(app)
    await compareRows(t, app, 'sums', [
      'select event, sum(toFloat(properties.price)) from events group by event order by 1',
    ])
  },
  OPTIONS,
)

/** The events of new segments, and the most segments that may be left of 2,000. */
const SIZES: [name: string, sizeOf: (i: number) => number, most: number][] = [
  ['full', () => 60_000, 260],
  ['mixed', (i) => (i % 6 === 5 ? 20_000 : 3_000), 100],
  ['around a size class', (i) => 15_500 + ((i * 7_919) % 1_000), 260],
  ['below a size class', () => 15_999, 150],
  ['tiny', () => 13, 30],
]

t.test('segments of all sizes are merged, and their events are rewritten a few times', async (t) => {
  for (const [name, sizeOf, most] of SIZES) {
    const segments: { events: number }[] = []
    let [events, rewritten] = [0, 0]
    for (let i = 0; i < 2_000; i++) {
      segments.push({ events: sizeOf(i) })
      events += sizeOf(i)
      for (let some = mergeable(segments, LIMITS); some; some = mergeable(segments, LIMITS)) {
        const sum = some.reduce((total, part) => total + part.events, 0)
        segments.splice(segments.indexOf(itemAt(some, 0)), some.length, { events: sum })
        rewritten += sum
      }
    }
    t.ok(segments.length <= most, `${name}: ${segments.length} segments are left`)
    t.ok(rewritten <= 4 * events, `${name}: ${rewritten} events are rewritten`)
    t.ok(segments.every((segment) => segment.events <= LIMITS.max_merged))
  }
})

/** Another keeper of the same folder. `onReply` runs when a process has written a file, and may fail. */
const otherKeeper = (
  t: Test,
  app: TestApp,
  onReply: (reply: SegmentReply) => Promise<void>,
  more: Partial<KeeperOptions> = {},
): Loop =>
  createKeeper({
    ...optionsOf(app),
    node: nodeOf(app),
    writers: hookedWriters(t, app, onReply),
    limits: { ...LIMITS, ...MIRROR_LIMITS },
    ...more,
  })

onBothEngines(
  t,
  'without space for another file, the files with deleted events are removed at the deadline',
  async (t, app) => {
    await capture(app, mirroredEvents(0, 30))
    await mirrorEvents(app)
    await keeper(app).stop()
    const onReply = async ({ kind }: SegmentReply): Promise<void> => {
      if (kind === 'merged') throw new Error('No space left on device')
    }
    await deletePerson(app, 'person 3')
    await app.deps.purger.work()
    const early = otherKeeper(t, app, onReply)
    await early.work()
    app.advance(ERASE_MS - HOUR_MS)
    await early.work()
    await compare(t, app, 'before the deadline')
    app.advance(2 * HOUR_MS)
    // Another one, because a failed project waits.
    const late = otherKeeper(t, app, onReply)
    await late.work()
    await mirrorEvents(app, undefined, late)
    app.advance(HOUR_MS)
    await late.work()
    t.notOk((await readMirrorFolder(folderOf(app))).text.includes('person 3'))
    await compare(t, app, 'a mirror that began again')
  },
  OPTIONS,
)

onBothEngines(
  t,
  'a keeper with an old state keeps the deletions of a mirror that begins again',
  async (t, app) => {
    const { events } = app.deps
    await capture(app, mirroredEvents(0, 39))
    await mirrorEvents(app)
    await keeper(app).stop()
    await deletePerson(app, 'person 1')
    await app.deps.purger.work()
    const [written, cataloged] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const other = otherKeeper(t, app, async () => {
      written.resolve()
      await cataloged.promise
    })
    let others: Promise<void> | undefined
    const { projects } = optionsOf(app)
    const late = otherKeeper(t, app, async () => undefined, {
      // It has read the state of the mirror.
      projects: async (after) => {
        if (isDue && !others) {
          await resetMirror(events, ownerOf(app))
          others = other.work()
          await written.promise
          await deletePerson(app, 'person 2')
          await app.deps.purger.work()
        }
        return projects(after)
      },
    })
    let isDue = false
    await late.work()
    app.advance(ERASE_MS)
    isDue = true
    await late.work()
    cataloged.resolve()
    await others
    await compare(t, app, 'after both')
  },
  OPTIONS,
)

onBothEngines(
  t,
  'events are erased and files are removed although the clock was set back',
  async (t, app) => {
    await capture(app, mirroredEvents(0, 30))
    await mirrorEvents(app)
    const [replaced, orphan] = [itemAt(filesOf(app), 0), 'orphan.parquet']
    copyFileSync(join(folderOf(app), replaced), join(folderOf(app), orphan))
    await deletePerson(app, 'person 3')
    await app.deps.purger.work()
    await keeper(app).work()
    app.advance(-2 * ERASE_MS)
    await until(async () => {
      await keeper(app).work()
      return (await deletionsOf(app)).length === 0
    })
    t.notOk(filesOf(app).includes(orphan))
    app.advance(-HOUR_MS)
    await keeper(app).work()
    t.notOk(filesOf(app).includes(replaced))
    await compare(t, app, 'erased')
  },
  OPTIONS,
)

onBothEngines(
  t,
  'a round reads the properties of a segment once, and no list of deletions before they are erased',
  async (t, app) => {
    await capture(app, mirroredEvents(0, 30))
    await mirrorEvents(app)
    await deletePerson(app, 'person 3')
    await app.deps.purger.work()
    t.ok((await deletionsOf(app)).length > 1)
    const read: unknown[] = []
    const { events } = app.deps
    const all = async <Row>(query: Sql): Promise<Row[]> => {
      const rows = await events.all<Row>(query)
      if (/from mirror_(segments|deletions)/.test(compile(query, 'sqlite').text)) read.push(...rows)
      return rows
    }
    const other = otherKeeper(t, app, async () => undefined, { events: Object.create(events, { all: { value: all } }) })
    await other.work()
    const has = (column: string) => read.filter((row) => Object.hasOwn(Object(row), column)).length
    t.equal(has('properties'), filesOf(app).length)
    await other.work()
    t.equal(has('properties'), filesOf(app).length, 'not again')
    t.equal(has('seq'), 0)
  },
  OPTIONS,
)

const MANY_PROPERTIES_EVENTS = bySize({ quick: 8_000, full: 20_000 })

t.test('events with many different properties fit into the memory of the processes', async (t) => {
  const mirrorLimits = { ...MIRROR_LIMITS, max_segment: LIMITS.max_segment, max_merged: LIMITS.max_merged }
  const app = await openApp(t, 'sqlite', { ...OPTIONS, mirrorLimits })
  // Each event has 4 of 300 properties. Half of them are numbers.
  await app.deps.events.run(sql`
    insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MANY_PROPERTIES_EVENTS})
    select ${app.first.project_id}, 'uuid ' || n, 'seen', 'person ' || (n % 7), n * 7919 % 1000003 * 1000000, 0,
      json_object('a' || (n % 75), n, 'b' || (n % 75), n, 'c' || (n % 75), 'text ' || n, 'd' || (n % 75), 'text ' || n), '' from numbers`)
  await mirrorEvents(app)
  const question = 'select distinct_id, count(), sum(toInt(properties.a7)), max(properties.d74) from events group by 1'
  t.strictSame(await compareRows(t, app, 'many properties', [question]), ['mirror'])
})

onBothEngines(
  t,
  'names and numbers that only deleted events have leave the files and the catalog',
  async (t, app) => {
    const ann = { 'ann@example.com': true, n: 41799999999, 'ann note': 'x'.repeat(3_000), note: 'x'.repeat(3_000) }
    await capture(app, [...mirroredEvents(0, 29), { distinct_id: 'ann', properties: ann }])
    await capture(app, [{ distinct_id: 'bob', properties: { note: 'y'.repeat(3_000), 'bob note': 'y'.repeat(3_000) } }])
    await capture(app, mirroredEvents(29, 40))
    await mirrorEvents(app)
    await deletePerson(app, 'ann')
    await app.deps.purger.work()
    await erase(app)
    await compareRows(t, app, 'erased')
    t.equal((await ask(app, "select properties['ann@example.com'], count() from events group by 1")).way, 'mirror')
    t.equal((await ask(app, "select properties['ann note'], count() from events group by 1")).way, 'mirror')
    const { events } = app.deps
    const owner = ownerOf(app)
    const catalogued = (await catalog.listProperties(events, owner, await catalog.listSegments(events, owner))).join()
    t.ok(catalogued.includes('bob note'))
    t.notOk(/ann@|ann note|41799999999/.test(catalogued))
    for (const path of pathsOf(app)) {
      t.notOk(readFileSync(path, 'latin1').includes(textColumn('ann@example.com')))
      t.equal(statSync(path).mode & 0o777, 0o600)
    }
  },
  OPTIONS,
)

t.test('a process that does not respond is replaced', async (t) => {
  const app = await openApp(t, 'sqlite', OPTIONS)
  await capture(app, mirroredEvents(0, 30))
  const writers = hookedWriters(t, app, async () => undefined)
  const take: typeof writers.take = () => {
    const writer = writers.take()
    process.kill(defined(writer.pid), 'SIGSTOP')
    return writer
  }
  const failures: unknown[] = []
  const other = otherKeeper(t, app, async () => undefined, {
    writers: { ...writers, take },
    limits: { ...LIMITS, ...MIRROR_LIMITS, max_job_ms: 500 },
    log: { info: () => undefined, error: (fields) => failures.push(fields) },
  })
  await other.work()
  t.strictSame(failures, [])
  await other.work()
  t.equal(failures.length, 1)
  await mirrorEvents(app)
  await compare(t, app, 'with another process')
})

onBothEngines(
  t,
  'questions over persons with many properties are answered from rows',
  async (t, app) => {
    const { events } = app.deps
    const { project_id } = app.first
    await capture(app, mirroredEvents(0, 30))
    await mirrorEvents(app)
    const [question, other] = [QUESTIONS[0], QUESTIONS[2]]
    t.strictSame(await compareRows(t, app, 'before', [question, other]), ['mirror', 'mirror'])
    const properties = JSON.stringify({ large: 'x'.repeat(100_000) })
    const of = sql`from person_distinct_ids where project_id = ${project_id} and distinct_id = 'person 3'`
    await events.run(sql`
      update persons set properties = ${properties} where project_id = ${project_id} and id = (select person_id ${of})`)
    await events.run(sql`
      insert into person_distinct_ids (project_id, distinct_id, person_id)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1000)
      select ${project_id}, 'other ' || n, (select person_id ${of}) from numbers`)
    t.strictSame(await compareRows(t, app, 'after', [question, other]), ['rows', 'mirror'])
  },
  OPTIONS,
)

t.test('all ways of a question share a deadline', async (t) => {
  const lefts: number[] = []
  const backend: ReaderBackend = {
    slots: { fast: 1, slow: 1 },
    run: async (_lane, _statement, _convert, left_ms) => {
      lefts.push(left_ms)
      return []
    },
    stop: async () => undefined,
  }
  const scheduler = createScheduler(backend, 60_000)
  const options = { project_id: 1, lane: 'slow' } as const
  await scheduler.run({ text: '', values: [] }, { ...options, since: performance.now() - 40_000 }, (row) => row)
  t.ok(itemAt(lefts, 0) <= 20_000)

  const given: unknown[] = []
  const answer =
    (rows: unknown[] | undefined) =>
    async (_: unknown, { since }: { since?: number }) => {
      given.push(since)
      return rows
    }
  const reader = { engine: 'sqlite', mirror: { rows: answer(undefined) }, rows: answer([]) } as unknown as EventReader
  const parts = partsOf(parseSelect('select count() from events'))
  const question = { project_id: 1, range: {}, now: 0, parts, compiled: compileQuery(parts, { now: 0 }) }
  const way = { detail: '', from: sql`from events e where true`, unique: sql`` }
  const ways = [{ ...way, name: 'mirror' } as const, { ...way, name: 'rows' } as const]
  await rowsOf(reader, ways, question, { limit: 1, offset: 0 }, undefined)
  t.equal(given.length, 2)
  t.type(given[0], 'number')
  t.equal(given[0], given[1])
})
