/** events.histogram, events.names and events.property_names, and the hourly counts behind them. */
import fc from 'fast-check'
import t from 'tap'
import { createEventCounter, findWrongCounts, recount } from '../../src/events/counts.ts'
import { histogram, intervalsOf } from '../../src/events/histogram.ts'
import { ingest } from '../../src/events/ingest.ts'
import type { NewEvent } from '../../src/events/normalize-event.ts'
import type { Db } from '../../src/sql/db.ts'
import { isDistributed } from '../../src/sql/distribution.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { describeTables } from '../../src/sql/tables.ts'
import { sql } from '../../src/sql/template.ts'
import { nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { bySize } from '../helpers/assertions/figures.ts'
import { simulateNodes } from '../helpers/peers/nodes-of-projects.ts'
import { isSimulated } from '../helpers/programs/citus.ts'
import type { BodyOf } from '../helpers/response-bodies.ts'
import { insertEvents, insertPerson, NEW_YEAR, uuid } from '../helpers/seeds/events.ts'

const SECOND = 1_000_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const RUNS = bySize({ quick: 8, full: 40, prove: 300 })

const newEvent = (number: number, event: Partial<NewEvent> = {}): NewEvent => ({
  project_id: 1,
  uuid: uuid(number),
  event: 'seen',
  distinct_id: 'somebody',
  timestamp: NEW_YEAR - number * SECOND,
  created_at: NEW_YEAR,
  properties: '{}',
  elements_chain: '',
  person: null,
  session: null,
  ...event,
})

/** All counts by name and hour, and the same numbers counted from the events. */
async function bothCounts(db: Db): Promise<[object[], object[]]> {
  const stored = await db.all<object>(
    sql`select project_id, hour, event, count from event_counts order by project_id, hour, event`,
  )
  const events = await db.all<{ project_id: number; event: string; timestamp: number }>(
    sql`select project_id, event, timestamp from events`,
  )
  const counts = new Map<string, { project_id: number; hour: number; event: string; count: number }>()
  for (const { project_id, event, timestamp } of events)
    for (const name of [event, '']) {
      const hour = Number((BigInt(timestamp) + 10n ** 9n * BigInt(HOUR)) / BigInt(HOUR) - 10n ** 9n)
      const key = JSON.stringify([project_id, hour, name])
      const row = counts.get(key) ?? { project_id, hour, event: name, count: 0 }
      row.count++
      counts.set(key, row)
    }
  const rows = [...counts.values()].sort(
    (a, b) => a.project_id - b.project_id || a.hour - b.hour || (a.event < b.event ? -1 : 1),
  )
  return [stored, rows]
}

const counted = ({ results }: BodyOf<'events.histogram'>): Record<string, number> =>
  Object.fromEntries(results.filter((item) => item.count).map((item) => [item.start, item.count]))

onBothEngines(t, 'counts events per interval, including intervals without events', async (t, app) => {
  await insertEvents(app.deps.events, 1, [
    { timestamp: NEW_YEAR - 30 * MINUTE },
    { timestamp: NEW_YEAR - 31 * MINUTE, event: 'paid' },
    { timestamp: NEW_YEAR - 2 * HOUR },
    { timestamp: NEW_YEAR - 2 * HOUR - 1 },
    { timestamp: NEW_YEAR - 3 * DAY },
    { timestamp: NEW_YEAR + DAY },
  ])
  await insertEvents(app.deps.events, 2, [{ timestamp: NEW_YEAR - 30 * MINUTE }])
  const day = await app.call('events.histogram')
  t.match(day, { status: 200, body: { interval: 'hour', exact: true, next: null, progress: 1 } })
  t.equal(day.body.results.length, 25)
  t.strictSame(counted(day.body), {
    '2025-12-31T21:00:00.000Z': 1,
    '2025-12-31T22:00:00.000Z': 1,
    '2025-12-31T23:00:00.000Z': 2,
  })
  const range = { after: '2025-12-31T22:00:00Z', before: '2026-01-01T00:00:00Z' }
  const minutes = await app.call('events.histogram', { query: range })
  t.match(minutes.body, {
    interval: 'minute',
    after: '2025-12-31T22:00:00.000Z',
    before: '2026-01-01T00:00:00.000Z',
    exact: true,
    next: null,
  })
  t.equal(minutes.body.results.length, 120)
  t.strictSame(counted(minutes.body), { '2025-12-31T23:29:00.000Z': 1, '2025-12-31T23:30:00.000Z': 1 })
  const hours = await app.call('events.histogram', { query: { ...range, interval: 'hour' } })
  t.strictSame(
    hours.body.results,
    [
      { start: '2025-12-31T22:00:00.000Z', count: 0 },
      { start: '2025-12-31T23:00:00.000Z', count: 2 },
    ],
    'the bounds are exclusive',
  )
  const weeks = await app.call('events.histogram', {
    query: { after: '-3w', interval: 'week', event: ['seen', 'gone'] },
  })
  t.strictSame(
    weeks.body.results.map((item) => item.start.slice(0, 10)),
    ['2025-12-07', '2025-12-14', '2025-12-21', '2025-12-28'],
    'weeks begin on Sundays',
  )
  t.strictSame(counted(weeks.body), { '2025-12-28T00:00:00.000Z': 4 })
  t.strictSame((await app.call('events.histogram', { query: { after: '-1h', before: '-2h' } })).body.results, [])
  t.match(await app.call('events.histogram', { query: { after: '-2d', interval: 'minute' } }), {
    status: 400,
    body: { attr: 'interval' },
  })
  t.match(await app.call('events.histogram', { query: { after: '1700-01-01' } }), {
    status: 400,
    body: { attr: 'interval' },
  })
  t.match(await app.call('events.histogram', { query: { cursor: 'bad' } }), { status: 400, body: { attr: 'cursor' } })
  t.match(await app.call('events.histogram', { query: { where: 'nothing' } }), {
    status: 400,
    body: { attr: 'where__0' },
  })
  const weak = await app.key({ scopes: ['project:read'] })
  t.equal((await app.call('events.histogram', { key: weak })).status, 403)
  t.equal((await app.call('events.histogram', { params: { project_id: 999 } })).status, 404)
})

onBothEngines(t, 'counts events that match all filters', async (t, app) => {
  const { events } = app.deps
  await insertPerson(events, 1, { id: uuid(9), distinct_ids: ['ada', 'ada-phone'], properties: { plan: 'pro' } })
  await insertEvents(events, 1, [
    { timestamp: NEW_YEAR - 10 * MINUTE, distinct_id: 'ada', properties: { price: 1 } },
    { timestamp: NEW_YEAR - 70 * MINUTE, distinct_id: 'ada-phone', properties: { price: 2 }, event: 'paid' },
    { timestamp: NEW_YEAR - 80 * MINUTE, distinct_id: 'bob', properties: { price: 3 }, event: 'paid' },
  ])
  const total = async (query: object): Promise<number> => {
    const { body, status } = await app.call('events.histogram', { query: { interval: 'hour', ...query } })
    t.match({ status, body }, { status: 200, body: { exact: true, next: null, progress: 1 } })
    return Object.values(counted(body)).reduce((sum, count) => sum + count, 0)
  }
  t.equal(await total({}), 3)
  t.equal(await total({ event: 'paid' }), 2)
  t.equal(await total({ event: 'paid', interval: 'minute', after: '-2h' }), 2)
  t.equal(await total({ event: ['paid', 'seen'], interval: 'minute', after: '-2h' }), 3)
  t.equal(await total({ distinct_id: 'ada' }), 1)
  t.equal(await total({ person_id: uuid(9) }), 2)
  t.equal(await total({ person_id: uuid(8) }), 0)
  t.equal(await total({ where: 'toInt(properties.price) > 1' }), 2)
  t.equal(await total({ where: 'toInt(properties.price) > 1', event: 'seen' }), 0)
  t.equal(await total({ properties: JSON.stringify([{ key: 'plan', value: 'pro', type: 'person' }]) }), 2)
})

onBothEngines(t, 'scans many events in parts, newest first, without losing or repeating any', async (t, app) => {
  const { events, eventReader } = app.deps
  const rows = Array.from({ length: 12_000 }, (_, i) =>
    newEvent(i, { properties: JSON.stringify({ n: i }), timestamp: NEW_YEAR - Math.floor(i / 7) * SECOND }),
  )
  await events.tx((tx) => ingest(tx, rows))
  const query = { project_id: 1, after: NEW_YEAR - HOUR, before: NEW_YEAR + 1, interval: 'minute' as const }
  const whole = await histogram(eventReader, query, Number.POSITIVE_INFINITY)
  t.equal(whole.exact, true)
  const sums = new Map<number, number>()
  const progress: number[] = []
  let from: typeof whole.next | undefined
  do {
    const part = await histogram(eventReader, { ...query, ...(from && { from }) }, 0)
    t.equal(part.exact, false)
    for (const [index, count] of part.counts) sums.set(index, (sums.get(index) ?? 0) + count)
    progress.push(part.progress)
    from = part.next ?? undefined
  } while (from)
  t.ok(progress.length >= 3, `${progress.length} parts`)
  t.strictSame(
    progress,
    [...progress].sort((a, b) => a - b),
  )
  t.equal(progress.at(-1), 1)
  t.strictSame(new Map([...sums].sort()), new Map([...whole.counts].sort()))
  t.equal(
    [...sums.values()].reduce((a, b) => a + b),
    12_000,
  )
  // The cursor of the list has the same format.
  const { body } = await app.call('events.list', { query: { limit: 8_000 } })
  const cursor = new URL(String(body.next)).searchParams.get('cursor')
  const rest = await app.call('events.histogram', { query: { after: '-1h', cursor } })
  t.match(rest.body, { exact: false, next: null, progress: 1 })
  t.equal(
    Object.values(counted(rest.body)).reduce((a, b) => a + b),
    4_000,
  )
})

for (const engine of nextEngines())
  t.test(`returns the same counts from the table and from the events, for any range (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const { events, eventReader } = app.deps
    const start = NEW_YEAR - 30 * HOUR
    const times = fc.sample(fc.integer({ min: 0, max: 30 * 60 }), { numRuns: 500, seed: 7 })
    await events.tx((tx) =>
      ingest(
        tx,
        times.map((minute, i) => newEvent(i, { timestamp: start + minute * MINUTE, event: `e${i % 3}` })),
      ),
    )
    const near = fc.tuple(fc.integer({ min: 0, max: 30 * 4 }), fc.integer({ min: -1, max: 1 }))
    const at = ([quarter, extra]: [number, number]): number => start + quarter * 15 * MINUTE + extra
    await fc.assert(
      fc.asyncProperty(
        near,
        near,
        fc.constantFrom('hour' as const, 'day' as const, 'week' as const),
        fc.constantFrom<string[] | undefined>(undefined, ['e1'], ['e0', 'e2', 'none']),
        async (one, other, interval, names) => {
          const [after, before] = [at(one), at(other)].sort((a, b) => a - b) as [number, number]
          const query = { project_id: 1, after, before, interval, ...(names && { names }) }
          const { first, length } = intervalsOf(query)
          const expected = new Map<number, number>()
          for (const [i, minute] of times.entries()) {
            const timestamp = start + minute * MINUTE
            if (timestamp <= after || timestamp >= before || (names && !names.includes(`e${i % 3}`))) continue
            const index = Math.floor((timestamp - first) / length)
            expected.set(index, (expected.get(index) ?? 0) + 1)
          }
          const found = await histogram(eventReader, query)
          t.strictSame(
            new Map([...found.counts].filter(([, count]) => count !== 0).sort()),
            new Map([...expected].sort()),
          )
        },
      ),
      { numRuns: RUNS },
    )
  })

onBothEngines(t, 'keeps the counts exact while events arrive, repeat, expire and are deleted', async (t, app) => {
  const { deps, send } = app
  const { events } = deps
  const check = async (message: string): Promise<void> => {
    const [stored, expected] = await bothCounts(events)
    t.strictSame(stored, expected, message)
    t.equal(await findWrongCounts(events), undefined)
  }
  const batch = Array.from({ length: 250 }, (_, i) =>
    newEvent(i, { event: `e${i % 4}`, timestamp: NEW_YEAR - (i % 50) * DAY - (i % 7) * HOUR, project_id: 1 + (i % 2) }),
  )
  await events.tx((tx) => ingest(tx, batch))
  await check('after a batch')
  await events.tx((tx) => ingest(tx, [...batch, ...batch, newEvent(300), newEvent(300, { event: 'again' })]))
  await check('after duplicates')
  await events.tx((tx) =>
    ingest(tx, [
      newEvent(301, { timestamp: -1 }),
      newEvent(302, { timestamp: -HOUR }),
      newEvent(303, { timestamp: -HOUR - 1 }),
      newEvent(304, { timestamp: Date.parse('2250-01-01T00:00:00Z') * 1000 - 1 }),
      newEvent(305, { timestamp: Date.parse('2250-01-01T00:00:00Z') * 1000 }),
    ]),
  )
  await check('at the edges of hours before 1970 and far in the future')
  await t.rejects(
    events.tx(async (tx) => {
      await ingest(tx, [newEvent(306)])
      throw new Error('rolled back')
    }),
  )
  await check('after a rollback')
  const token = (await send('GET', '/api/projects/1/')).body.api_token
  const capture = { api_key: token, event: 'captured', distinct_id: 'd' }
  t.equal((await send('POST', '/capture/', { body: capture, key: null })).status, 200)
  await check('after capture')
  await send('PATCH', '/api/projects/1/', { body: { event_retention_days: 30 } })
  await deps.purger.work()
  await check('after retention')
  const { body: project } = await send('POST', '/api/projects/', { body: { name: 'doomed' } })
  t.equal(project.id, 2)
  await send('DELETE', '/api/projects/2/')
  await deps.purger.work()
  await check('after the deletion of a project')
  t.strictSame(await events.all(sql`select 1 from event_counts where project_id = 2`), [])
})

const NO_LOG = { info: () => undefined, error: () => undefined }

onBothEngines(t, 'counts existing events in the background, during ingestion and deletion', async (t, app) => {
  const { deps, send } = app
  const { events } = deps
  // Its first round would count the events before the test does.
  await deps.counter.stop()
  const counter = createEventCounter({ events, reader: deps.eventReader, log: NO_LOG })
  for (const name of ['Second', 'Third']) await send('POST', '/api/projects/', { body: { name } })
  await events.tx((tx) =>
    ingest(
      tx,
      Array.from({ length: 1_500 }, (_, i) =>
        newEvent(i, { event: `e${i % 5}`, timestamp: NEW_YEAR - i * HOUR, project_id: 1 + (i % 3) }),
      ),
    ),
  )
  // As after the migration of a database with events.
  await recount(events)
  t.strictSame(await events.all(sql`select 1 from event_counts`), [])
  const before = await app.call('events.histogram', { query: { after: '-90d', interval: 'day' } })
  t.match(before.body, { exact: true, next: null }, 'until then, the events are scanned')
  t.match((await app.call('events.names')).body, { exact: false, results: { length: 5 } })
  await events.tx((tx) => ingest(tx, [newEvent(2_000), newEvent(2_001, { project_id: 3 }), newEvent(1)]))
  await send('PATCH', '/api/projects/1/', { body: { event_retention_days: 40 } })
  await deps.purger.work()
  t.equal(await findWrongCounts(events), undefined, 'events that are not counted yet are not reported')
  await counter.work()
  const [stored, expected] = await bothCounts(events)
  t.strictSame(stored, expected)
  t.ok(stored.length > 1_000)
  t.strictSame(await events.all(sql`select * from uncounted_events`), [])
  const after = await app.call('events.histogram', { query: { after: '-30d', interval: 'day' } })
  const scanned = await app.call('events.histogram', { query: { after: '-30d', interval: 'day', where: 'true' } })
  t.strictSame(after.body.results, scanned.body.results)
  await counter.work()
  t.strictSame((await bothCounts(events))[0], expected, 'another round changes nothing')
})

t.test('counts the events of other projects while the database node of one is down (postgres)', async (t) => {
  if (!isSimulated(t)) return
  const { deps, send } = await openApp(t, 'postgres')
  const { events } = deps
  await deps.counter.stop()
  const failures: object[] = []
  const log = { ...NO_LOG, error: (fields: object) => failures.push(fields) }
  const counter = createEventCounter({ events, reader: deps.eventReader, log })
  await send('POST', '/api/projects/', { body: { name: 'Second' } })
  const rows = [1, 2].flatMap((project_id) => [newEvent(project_id, { project_id })])
  await events.tx((tx) => ingest(tx, rows))
  await recount(events)
  const nodes = await simulateNodes(events)
  await nodes.lose(1)
  await counter.work()
  t.strictSame(await events.all(sql`select project_id from uncounted_events`), [{ project_id: 1 }])
  t.match(failures, [{ project: 1, err: { code: 'unavailable' } }])
  t.strictSame(await events.all(sql`select count from event_counts where project_id = 2 order by event`), [
    { count: 1 },
    { count: 1 },
  ])
})

t.test('recounts with statements that a cluster can route (postgres)', async (t) => {
  const { deps } = await openApp(t, 'postgres')
  const texts: string[] = []
  const db = await openDatabase(deps.config.DATABASE_URL, { observe: (_, text) => texts.push(text) })
  t.teardown(() => db.close())
  await db.tx((tx) => ingest(tx, [newEvent(1)]))
  const distributed = (await describeTables(db)).filter(isDistributed).map(({ name }) => name)
  texts.length = 0
  await recount(db)
  const named = new RegExp(`\\b(from|into|update|join) (${distributed.join('|')})\\b`)
  const found = texts.filter((text) => named.test(text))
  t.ok(found.length)
  for (const text of found) t.match(text, /project_id = \$\d/)
  t.notMatch(texts.join(), /recursive/)
})

t.test('a deletion while existing events are read does not change their count twice', async (t) => {
  for (const engine of nextEngines()) {
    const app = await openApp(t, engine)
    const { events, purger } = app.deps
    // Its first round would count the events before the purge.
    await app.deps.counter.stop()
    await events.tx((tx) =>
      ingest(
        tx,
        Array.from({ length: 100 }, (_, i) => newEvent(i, { timestamp: NEW_YEAR - i * DAY })),
      ),
    )
    await recount(events)
    await app.send('PATCH', '/api/projects/1/', { body: { event_retention_days: 50 } })
    // The purge runs after the counter has read the events, and before it writes.
    let purged = false
    const interrupted: Db = {
      ...events,
      tx: async (work) => {
        if (!purged) {
          purged = true
          await purger.work()
        }
        return events.tx(work)
      },
    }
    await createEventCounter({ events: interrupted, reader: app.deps.eventReader, log: NO_LOG }).work()
    const [stored, expected] = await bothCounts(events)
    t.strictSame(stored, expected, engine)
    t.equal(purged, true)
  }
})

t.test('concurrent ingestion of the same names and hours does not deadlock (postgres)', async (t) => {
  const app = await openApp(t, 'postgres')
  const { events } = app.deps
  await Promise.all(
    Array.from({ length: 8 }, async (_, node) => {
      for (let round = 0; round < 10; round++) {
        const batch = Array.from({ length: 20 }, (_, i) =>
          newEvent(node * 10_000 + round * 100 + i, {
            event: `e${node % 2 ? i : 19 - i}`,
            timestamp: NEW_YEAR - ((node % 2 ? i : 19 - i) % 4) * HOUR,
          }),
        )
        await events.tx((tx) => ingest(tx, batch))
      }
    }),
  )
  const [stored, expected] = await bothCounts(events)
  t.strictSame(stored, expected)
})

const names = (app: TestApp, query: object) => app.call('events.names', { query })

onBothEngines(t, 'lists event names with their counts', async (t, app) => {
  await insertEvents(app.deps.events, 1, [
    { event: 'paid', timestamp: NEW_YEAR - 20 * DAY },
    { event: 'paid' },
    { event: 'seen' },
    { event: 'Größe 100%' },
    { event: 'old', timestamp: NEW_YEAR - 50 * DAY },
  ])
  await insertEvents(app.deps.events, 2, [{ event: 'elsewhere' }])
  const { status, body } = await names(app, {})
  t.equal(status, 200)
  t.strictSame(body, {
    exact: true,
    results: [
      { name: 'paid', count: 2 },
      { name: 'Größe 100%', count: 1 },
      { name: 'seen', count: 1 },
    ],
  })
  t.strictSame((await names(app, { limit: 1 })).body.results, [{ name: 'paid', count: 2 }])
  t.strictSame((await names(app, { search: 'GRÖSSE' })).body.results, [])
  t.strictSame((await names(app, { search: 'GRÖß' })).body.results, [{ name: 'Größe 100%', count: 1 }])
  t.strictSame((await names(app, { search: '0%' })).body.results, [{ name: 'Größe 100%', count: 1 }])
  t.strictSame((await names(app, { search: 's_en' })).body.results, [], 'wildcards are escaped')
  t.equal((await names(app, { after: '-60d' })).body.results.length, 4)
  t.match(await names(app, { limit: 0 }), { status: 400, body: { attr: 'limit' } })
  t.match(await names(app, { after: 'never' }), { status: 400, body: { attr: 'after' } })
})

onBothEngines(t, 'lists the names of properties in recent events and their persons', async (t, app) => {
  const { events } = app.deps
  await insertPerson(events, 1, {
    id: uuid(9),
    distinct_ids: ['ada', 'ada-phone'],
    properties: { plan: 'pro', Email: 1 },
  })
  await insertPerson(events, 1, { id: uuid(8), distinct_ids: ['bob'], properties: { plan: null } })
  await insertEvents(events, 1, [
    { distinct_id: 'ada', properties: { a: 1, 'b"\\': { nested: 1 } } },
    { distinct_id: 'ada-phone', event: 'paid', properties: { a: null } },
    { distinct_id: 'bob', event: 'paid', properties: {} },
    { properties: { too_old: 1 }, timestamp: NEW_YEAR - 9 * DAY },
  ])
  const list = async (query: object) => {
    const { status, body } = await app.call('events.property_names', { query })
    t.match({ status, body }, { status: 200, body: { exact: false } })
    return body.results
  }
  t.strictSame(await list({}), [
    { name: 'a', count: 2 },
    { name: 'b"\\', count: 1 },
  ])
  t.strictSame(await list({ event: 'paid' }), [{ name: 'a', count: 1 }])
  t.strictSame(await list({ event: ['paid', 'seen'], search: 'B' }), [{ name: 'b"\\', count: 1 }])
  t.strictSame(await list({ type: 'person' }), [
    { name: 'plan', count: 2 },
    { name: 'Email', count: 1 },
  ])
  t.strictSame(await list({ type: 'person', search: 'mail' }), [{ name: 'Email', count: 1 }])
  t.equal((await app.call('events.property_names', { query: { type: 'group' } })).status, 400)
})
