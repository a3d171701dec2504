/** events.tail: new events in the order of ingestion. */
import pg from 'pg'
import t from 'tap'
import { ingest } from '../../src/events/ingest.ts'
import { onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { insertPerson, insertEvents as insertRows, NEW_YEAR, type StoredEvent, uuid } from '../helpers/seeds/events.ts'
import { ingest as ingestAndWait } from '../helpers/seeds/exports.ts'

const DAY = 86_400_000_000

/** Open transactions of other suites on the same cluster delay the horizon. */
const awaitHorizon = (app: TestApp): Promise<void> => ingestAndWait(app, [])

async function insertEvents(app: TestApp, project_id: number, rows: Partial<StoredEvent>[]): Promise<void> {
  await insertRows(app.deps.events, project_id, rows)
  await awaitHorizon(app)
}

const follow = async (app: TestApp, query: object = {}) => {
  const { status, body } = await app.call('events.tail', { query })
  return { status, body, ids: body.results?.map(({ id }) => id), cursor: body.cursor, more: body.more }
}

onBothEngines(t, 'returns the latest events, then every event that is ingested after them', async (t, app) => {
  t.match(await follow(app), { status: 200, ids: { length: 0 }, more: false })
  const empty = await follow(app)
  for (const number of [1, 2, 3]) await insertEvents(app, 1, [{ uuid: uuid(number) }])
  await insertEvents(app, 2, [{ uuid: uuid(9) }])
  t.strictSame((await follow(app, { cursor: empty.cursor })).ids, [1, 2, 3].map(uuid))
  const start = await follow(app, { limit: 2 })
  t.strictSame(start.ids, [2, 3].map(uuid), 'the latest events, oldest first')
  t.equal(start.more, false)
  t.strictSame((await follow(app, { cursor: start.cursor })).ids, [])

  // One transaction, with a late event among them.
  await insertEvents(app, 1, [
    { uuid: uuid(4) },
    { uuid: uuid(5), timestamp: NEW_YEAR - 900 * DAY },
    { uuid: uuid(6), timestamp: NEW_YEAR + DAY },
  ])
  const first = await follow(app, { cursor: start.cursor, limit: 2 })
  t.strictSame([first.ids, first.more], [[4, 5].map(uuid), true])
  const second = await follow(app, { cursor: first.cursor, limit: 2 })
  t.strictSame([second.ids, second.more], [[uuid(6)], false])
  await insertEvents(app, 1, [{ uuid: uuid(7) }])
  t.strictSame((await follow(app, { cursor: second.cursor, limit: 1 })).ids, [uuid(7)])

  t.match(await follow(app, { cursor: 'bad' }), { status: 400, body: { attr: 'cursor' } })
  t.match(await follow(app, { limit: 1001 }), { status: 400, body: { attr: 'limit' } })
  const weak = await app.key({ scopes: ['project:read'] })
  t.equal((await app.call('events.tail', { key: weak })).status, 403)
})

onBothEngines(t, 'follows events that match all filters', async (t, app) => {
  const { events } = app.deps
  const { cursor } = await follow(app)
  await insertPerson(events, 1, { id: uuid(99), distinct_ids: ['ada'], properties: { email: 'ada@example.com' } })
  await insertEvents(app, 1, [
    { uuid: uuid(1), event: 'paid', distinct_id: 'ada', properties: { n: 1 } },
    { uuid: uuid(2), event: 'seen', distinct_id: 'bob', properties: { n: 2 } },
    { uuid: uuid(3), event: 'paid', distinct_id: 'bob', properties: { n: 3 } },
  ])
  for (const from of [{}, { cursor }]) {
    const ids = async (query: object) => (await follow(app, { ...from, ...query })).ids
    t.strictSame(await ids({ event: 'paid' }), [1, 3].map(uuid))
    t.strictSame(await ids({ event: ['seen', 'none'] }), [uuid(2)])
    t.strictSame(await ids({ distinct_id: 'bob' }), [2, 3].map(uuid))
    t.strictSame(await ids({ person_id: uuid(99) }), [uuid(1)])
    t.strictSame(await ids({ where: 'toInt(properties.n) > 1', event: 'paid' }), [uuid(3)])
    t.strictSame(await ids({ where: "person.properties.email = 'ada@example.com'" }), [uuid(1)])
    t.strictSame(await ids({ properties: JSON.stringify({ n: 2 }) }), [uuid(2)])
  }
  const [withPerson] = (await follow(app, { event: 'paid', limit: 1, cursor })).body.results
  t.match(JSON.parse(String(withPerson?.person)), { properties: { email: 'ada@example.com' } })
  const [without] = (await follow(app, { event: 'paid', limit: 1, cursor, include_person: false })).body.results
  t.equal(without?.person, 'null')
})

onBothEngines(t, 'reads a bounded number of events per request with filters', async (t, app) => {
  const { events } = app.deps
  const { cursor } = await follow(app)
  const rows = Array.from({ length: 10_500 }, (_, i) => ({
    project_id: 1,
    uuid: uuid(i),
    event: i === 100 || i === 10_400 ? 'rare' : 'seen',
    distinct_id: 'somebody',
    timestamp: NEW_YEAR,
    created_at: NEW_YEAR,
    properties: '{}',
    elements_chain: '',
    person: null,
    session: null,
  }))
  await events.tx((tx) => ingest(tx, rows))
  await awaitHorizon(app)
  t.strictSame((await follow(app, { event: 'rare' })).ids, [uuid(10_400)], 'only the latest events are searched')
  const first = await follow(app, { event: 'rare', cursor })
  t.strictSame([first.ids, first.more], [[uuid(100)], true])
  const second = await follow(app, { event: 'rare', cursor: first.cursor })
  t.strictSame([second.ids, second.more], [[uuid(10_400)], false])
})

t.test('waits for transactions that may still commit earlier events (postgres)', async (t) => {
  const app = await openApp(t, 'postgres')
  const { cursor } = await follow(app)
  const late = new pg.Client(app.deps.config.DATABASE_URL)
  await late.connect()
  await late.query('begin')
  await late.query(
    `insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain)
     values (1, '${uuid(1)}', 'e', 'd', ${NEW_YEAR}, ${NEW_YEAR}, '{}', '')`,
  )
  await insertRows(app.deps.events, 1, [{ uuid: uuid(2) }])
  const during = await follow(app, { cursor })
  t.strictSame(during.ids, [], 'the later transaction waits for the earlier one')
  await late.query('commit')
  await late.end()
  await awaitHorizon(app)
  t.strictSame((await follow(app, { cursor: during.cursor })).ids, [1, 2].map(uuid))
})
