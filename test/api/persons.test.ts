/** Listing and deleting the persons of a project. */
import t from 'tap'
import { sql } from '../../src/sql/template.ts'
import { type ApiResponse, onBothEngines } from '../helpers/app.ts'
import { itemAt, only } from '../helpers/assertions/items.ts'
import type { BodyOf } from '../helpers/response-bodies.ts'
import { ingest, type SentEvent } from '../helpers/seeds/exports.ts'

const PERSONS = '/api/projects/1/persons'

const seen = (distinct_id: string, second: number, properties: object = {}): SentEvent => ({
  distinct_id,
  timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  properties: { $set: properties },
})

const idsIn = ({ body }: ApiResponse<BodyOf<'persons.list'>>): string[][] =>
  body.results.map(({ distinct_ids }) => distinct_ids)

onBothEngines(t, 'lists persons from newest to oldest in both directions', async (t, app) => {
  await ingest(
    app,
    Array.from({ length: 5 }, (_, i) => seen(`p${i}`, i, { n: i })),
  )
  await ingest(app, [{ event: '$identify', distinct_id: 'p4', properties: { $anon_distinct_id: 'anonymous-4' } }])
  const first = await app.send('GET', `${PERSONS}/?limit=2`)
  t.same(idsIn(first), [['anonymous-4', 'p4'], ['p3']])
  t.match(first.body, { previous: null, results: [{ is_identified: true }, { is_identified: false }] })
  t.match(first.body.results[1], { properties: { n: 3 }, created_at: '2026-01-01T00:00:03.000Z' })
  const second = await app.follow(first)
  t.same(idsIn(second), [['p2'], ['p1']])
  const third = await app.follow(second)
  t.same([idsIn(third), third.body.next], [[['p0']], null])
  t.same(idsIn(await app.follow(third, 'previous')), idsIn(second))
  t.same(idsIn(await app.follow(second, 'previous')), idsIn(first))
  t.match(await app.send('GET', `${PERSONS}/?cursor=nonsense`), { status: 400, body: { attr: 'cursor' } })
})

onBothEngines(t, 'finds persons by distinct id and by email', async (t, app) => {
  await ingest(app, [
    seen('ada@example.com', 1, { email: 'ada@example.com' }),
    seen('ada-laptop', 2),
    seen('visitor', 3, { email: 'Bob@example.com' }),
    seen('a_a%', 4),
  ])
  const find = async (query: string) => idsIn(await app.send('GET', `${PERSONS}/?${query}`))
  t.same(await find('search=ada'), [['ada-laptop'], ['ada@example.com']])
  t.same(await find('search=Bob@example.com'), [['visitor']])
  t.same(await find('search=Bob'), [['visitor']], 'the start of an email is enough')
  t.same(await find('search=bob@example.com'), [], 'upper and lower case differ')
  t.same(await find('search=a_'), [['a_a%']], 'a search is a prefix, not a pattern')
  t.same(await find('distinct_id=visitor'), [['visitor']])
  t.same(await find('distinct_id=visit'), [])
  t.equal((await find('search=')).length, 4)
  const { id } = only((await app.send('GET', `${PERSONS}/?distinct_id=visitor`)).body.results)
  t.same(await find(`search=${id.toUpperCase()}`), [['visitor']], 'the id of a person finds it')
  const first = await app.send('GET', `${PERSONS}/?search=a&limit=2`)
  t.same(idsIn(first), [['a_a%'], ['ada-laptop']])
  const second = await app.follow(first)
  t.same([idsIn(second), second.body.next], [[['ada@example.com']], null])
  t.same(idsIn(await app.follow(second, 'previous')), idsIn(first))
})

onBothEngines(t, 'an email of any length and type is stored and found', async (t, app) => {
  const long = `${'ä'.repeat(3_000)}@example.com`
  await ingest(app, [
    seen('long', 1, { email: long }),
    seen('number', 2, { email: 42 }),
    seen('none', 3, { email: null }),
  ])
  const find = async (search: string) =>
    idsIn(await app.send('GET', `${PERSONS}/?search=${encodeURIComponent(search)}`))
  t.same(await find(long.slice(0, 400)), [['long']])
  t.same(await find('42'), [['number']])
  await ingest(app, [seen('long', 4, { email: 'short@example.com' })])
  t.same(await find('short@'), [['long']])
  t.same(await find('ä'), [], 'the earlier email is not found')
})

onBothEngines(t, 'returns one person', async (t, app) => {
  await ingest(app, [seen('ada', 1, { plan: 'free' })])
  const { id } = only((await app.send('GET', `${PERSONS}/`)).body.results)
  t.match(await app.send('GET', `${PERSONS}/${id.toUpperCase()}/`), {
    status: 200,
    body: { id, distinct_ids: ['ada'] },
  })
  t.equal((await app.send('GET', `${PERSONS}/ada/`)).status, 404)
  t.equal((await app.send('GET', `${PERSONS}/${app.first.organization_id}/`)).status, 404)
})

onBothEngines(t, 'deletes a person, and its events on request', async (t, app) => {
  const events = async () =>
    (
      await app.deps.events.all<{ distinct_id: string }>(sql`select distinct_id from events order by distinct_id, seq`)
    ).map(({ distinct_id }) => distinct_id)
  await ingest(app, [seen('ada', 1), seen('bob', 2), seen('bob', 3)])
  await ingest(app, [{ event: '$identify', distinct_id: 'bob', properties: { $anon_distinct_id: 'anonymous-b' } }])
  await ingest(app, [{ distinct_id: 'anonymous-b' }])
  const { results } = (await app.send('GET', `${PERSONS}/`)).body
  const [bob, ada] = [itemAt(results, 0), itemAt(results, 1)]
  t.same(bob.distinct_ids, ['anonymous-b', 'bob'])

  const admin = await app.member('admin@example.com', 8)
  const member = await app.member('member@example.com', 1)
  t.equal((await app.send('DELETE', `${PERSONS}/${ada.id}/`, { key: member.key })).status, 403)
  const reader = await app.key({ scopes: ['query:read'] })
  t.equal((await app.send('DELETE', `${PERSONS}/${ada.id}/`, { key: reader })).status, 403)
  t.equal((await app.send('DELETE', `${PERSONS}/${ada.id}/`, { key: admin.key })).status, 204)
  t.equal((await app.send('DELETE', `${PERSONS}/${ada.id}/`)).status, 404)
  app.advance(120_000)
  await app.deps.purger.work()
  t.same(await events(), ['ada', 'anonymous-b', 'bob', 'bob', 'bob'], 'the events stay')

  t.equal((await app.send('DELETE', `${PERSONS}/${bob.id}/?delete_events=true`)).status, 204)
  t.same((await app.send('GET', `${PERSONS}/`)).body.results, [])
  app.advance(1_000)
  await ingest(app, [{ distinct_id: 'bob', properties: { $set: { back: true } } }])
  await app.deps.purger.work()
  t.same(await events(), ['ada', 'bob'], 'an event that arrived later stays')
  t.equal((await app.deps.events.all(sql`select 1 from event_deletions`)).length, 2, 'late requests are awaited')
  app.advance(120_000)
  await app.deps.purger.work()
  t.same(await app.deps.events.all(sql`select 1 from event_deletions`), [])
  t.same(await events(), ['ada', 'bob'])
  t.match((await app.send('GET', `${PERSONS}/`)).body.results, [{ id: bob.id, properties: { back: true } }])

  const log = await app.send('GET', `/api/organizations/${app.first.organization_id}/activity_log/?area=persons`)
  t.match(log.body.results, [
    { activity: 'deleted', item_id: bob.id, changes: [{ field: 'delete_events', after: true }] },
    { activity: 'deleted', item_id: ada.id },
  ])
})

onBothEngines(t, 'the purger completes a deletion that a process did not finish', async (t, app) => {
  await ingest(app, [seen('ada', 1)])
  const { id } = only((await app.send('GET', `${PERSONS}/`)).body.results)
  await app.deps.db.run(sql`
    insert into person_deletions (id, project_id, person_id, delete_events, deleted_at)
    values ('x', 1, ${id}, ${true}, ${app.deps.now()})`)
  app.advance(120_000)
  await app.deps.purger.work()
  t.same((await app.send('GET', `${PERSONS}/`)).body.results, [])
  t.same(await app.deps.db.all(sql`select 1 from person_deletions`), [])
  t.same(await app.deps.events.all(sql`select 1 from events`), [])
})

onBothEngines(t, 'replaced changes are deleted after a week', async (t, app) => {
  const left = () =>
    app.deps.events.all<{ person_id: string; distinct_id: string }>(
      sql`select person_id, distinct_id from person_changes order by seq`,
    )
  await ingest(app, [seen('ada', 1, { n: 1 }), seen('bob', 1)])
  await ingest(app, [seen('ada', 2, { n: 2 })])
  await ingest(app, [seen('ada', 3, { n: 3 })])
  t.equal((await left()).length, 4)
  app.advance(8 * 86_400_000)
  await ingest(app, [seen('bob', 3, { n: 3 })])
  await app.deps.purger.work()
  t.equal((await left()).length, 2, 'the latest change of each person stays')
})
