/** Person changes of events: creation, properties and merges. */
import t from 'tap'
import { isPlaceholderId, personIdOf } from '../../src/events/persons.ts'
import { sql } from '../../src/sql/template.ts'
import { onBothEngines, type TestApp } from '../helpers/app.ts'
import { defined, itemAt, rowOf } from '../helpers/assertions/items.ts'
import type { Json } from '../helpers/json.ts'
import { seeded } from '../helpers/seeds/seeded.ts'

type Sent = Record<string, unknown>

const sender = (app: TestApp) => async (batch: Sent[]) => {
  const response = await app.send('POST', '/batch/', { key: null, body: { api_key: app.first.project_token, batch } })
  if (response.status !== 200) throw new Error(response.text)
}

/** All persons by their distinct ids, without the properties that every event adds. */
async function allPersons({ deps }: TestApp) {
  const found = await deps.events.all<Json>(sql`
    select d.distinct_id, p.* from persons p left join person_distinct_ids d
      on d.project_id = p.project_id and d.person_id = p.id order by d.distinct_id, p.id`)
  const people = new Map<string, Json>()
  for (const { distinct_id, id, properties, is_identified, created_at } of found) {
    const { $creator_event_uuid, ...own } = typeof properties === 'string' ? JSON.parse(properties) : properties
    const person = people.get(id) ?? { id, ids: [], properties: own, is_identified: Boolean(is_identified), created_at }
    person.ids.push(distinct_id)
    people.set(id, person)
  }
  return [...people.values()]
}

const at = (second: number): string => `2025-06-01T00:00:${String(second).padStart(2, '0')}Z`
const microseconds = (second: number): number => Date.parse(at(second)) * 1000
const identify = (distinct_id: string, $anon_distinct_id?: string, more: Sent = {}): Sent => ({
  event: '$identify',
  distinct_id,
  properties: { ...($anon_distinct_id !== undefined && { $anon_distinct_id }) },
  ...more,
})
const alias = (distinct_id: string, other: string, event = '$create_alias'): Sent => ({
  event,
  distinct_id,
  properties: { alias: other },
})
const seen = (distinct_id: string, more: Sent = {}): Sent => ({ event: 'seen', distinct_id, ...more })

onBothEngines(t, 'the first event creates a person with the same id on every node', async (t, app) => {
  const send = sender(app)
  const uuid = '0193aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee'
  await send([
    seen('a', { uuid, timestamp: at(1), $set: { x: 'set' }, $set_once: { x: 'once', y: 'once' } }),
    seen('b', { properties: { $process_person_profile: false } }),
    seen('c', { properties: { $process_person_profile: 'false' } }),
  ])
  t.match(await allPersons(app), [
    {
      ids: ['a'],
      id: personIdOf(app.first.project_id, 'a'),
      properties: { x: 'set', y: 'once' },
      is_identified: false,
      created_at: microseconds(1),
    },
    { ids: ['c'] },
  ])
  t.equal(personIdOf(1, 'a'), '84877a1c-03f2-5cfd-8633-cf112f0d565a')
  const row = await rowOf<Json>(
    app.deps.events,
    sql`select properties, first_distinct_id from persons order by first_distinct_id`,
  )
  t.equal(row.first_distinct_id, 'a')
  t.match(JSON.stringify(row.properties), uuid)
})

onBothEngines(t, 'applies $set_once, $set and $unset in the order of the events', async (t, app) => {
  const send = sender(app)
  await send([
    seen('a', { $set: { n: 1, gone: 1 }, $set_once: { first: 1 } }),
    seen('a', { $set: { n: 2, both: 2 }, $set_once: { first: 2, both: 1 } }),
    seen('a', { properties: { $unset: ['gone', 'absent', 5] } }),
    seen('b', { $set: { n: 1, o: { deep: [1] } } }),
  ])
  await send([seen('a', { $set: { n: 3 } })])
  await send([{ event: '$exception', distinct_id: 'a', $set: { n: 4 } }])
  await send([
    seen('b', { properties: { $unset: { n: true } } }),
    { event: '$exception', distinct_id: 'new', $set: { n: 1 } },
  ])
  t.match(
    (await allPersons(app)).map(({ ids, properties }) => [ids, properties]),
    [
      [['a'], { n: 3, first: 1, both: 2 }],
      [['b'], { o: { deep: [1] } }],
      [['new'], { n: 1 }],
    ],
  )
})

/** The events before, the events that merge, and the persons after. */
type MergedPerson = [ids: string[], is_identified: boolean, properties: Sent]
const CASES: [name: string, before: Sent[], sent: Sent[], after: MergedPerson[]][] = [
  ['neither person exists', [], [identify('user', 'anon')], [[['anon', 'user'], true, {}]]],
  [
    'only the anonymous person exists',
    [seen('anon', { $set: { a: 1 } })],
    [identify('user', 'anon')],
    [[['anon', 'user'], true, { a: 1 }]],
  ],
  [
    'only the identified person exists',
    [seen('user', { $set: { u: 1 } })],
    [identify('user', 'anon')],
    [[['anon', 'user'], true, { u: 1 }]],
  ],
  [
    'both exist: the event wins over the new person, which wins over the old one',
    [seen('anon', { $set: { a: 1, both: 'anon', e: 0 } }), seen('user', { $set: { both: 'user', e: 0 } })],
    [identify('user', 'anon', { $set: { e: 1 } })],
    [[['anon', 'user'], true, { a: 1, both: 'user', e: 1 }]],
  ],
  [
    '$identify does not merge an identified person',
    [identify('somebody'), seen('user')],
    [identify('user', 'somebody', { $set: { e: 1 } })],
    [
      [['somebody'], true, {}],
      [['user'], true, { e: 1 }],
    ],
  ],
  [
    '$create_alias does not merge an identified person',
    [identify('somebody'), seen('user')],
    [alias('user', 'somebody')],
    [
      [['somebody'], true, {}],
      [['user'], false, {}],
    ],
  ],
  [
    '$merge_dangerously merges an identified person',
    [identify('somebody', undefined, { $set: { s: 1 } }), seen('user')],
    [alias('user', 'somebody', '$merge_dangerously')],
    [[['somebody', 'user'], true, { s: 1 }]],
  ],
  ['an alias without a person', [seen('user')], [alias('user', 'alias')], [[['alias', 'user'], true, {}]]],
  ['an alias of itself', [seen('user')], [alias('user', 'user')], [[['user'], false, {}]]],
  ['the same merge twice', [identify('user', 'anon')], [identify('user', 'anon')], [[['anon', 'user'], true, {}]]],
  [
    'all distinct ids move to the remaining person',
    [alias('a1', 'a2'), alias('a1', 'a3'), seen('user')],
    [alias('user', 'a2', '$merge_dangerously')],
    [[['a1', 'a2', 'a3', 'user'], true, {}]],
  ],
  [
    'a chain of merges in one batch',
    [seen('a', { $set: { a: 1 } }), seen('b', { $set: { b: 1 } }), seen('c', { $set: { c: 1 } })],
    [alias('b', 'a'), alias('c', 'b', '$merge_dangerously'), seen('a', { $set: { last: 1 } })],
    [[['a', 'b', 'c'], true, { a: 1, b: 1, c: 1, last: 1 }]],
  ],
  [
    'placeholder ids are never merged',
    [seen('user')],
    [identify('user', 'null'), alias('anonymous', 'user'), alias('user', '"None"')],
    [
      [['anonymous'], false, {}],
      [['user'], true, {}],
    ],
  ],
]

for (const [name, before, sent, after] of CASES)
  onBothEngines(t, `merging: ${name}`, async (t, app) => {
    const send = sender(app)
    for (const event of before) await send([event])
    await send(sent)
    const people = (await allPersons(app)).map(({ ids, is_identified, properties }) => [ids, is_identified, properties])
    t.strictSame(people, after, 'one after the other')
    const other = await app.send('POST', '/api/projects/', { body: { name: 'All at once' } })
    await app.deps.events.run(sql`delete from persons`)
    await app.deps.events.run(sql`delete from person_distinct_ids`)
    const body = { api_key: other.body.api_token, batch: [...before, ...sent] }
    t.equal((await app.send('POST', '/batch/', { key: null, body })).status, 200)
    const batched = (await allPersons(app)).map(({ ids, is_identified, properties }) => [
      ids,
      is_identified,
      properties,
    ])
    t.strictSame(batched, after, 'the same in one batch')
  })

onBothEngines(t, 'a merged person keeps the earlier creation time', async (t, app) => {
  const send = sender(app)
  await send([seen('anon', { timestamp: at(5) }), seen('user', { timestamp: at(9) })])
  await send([identify('user', 'anon', { timestamp: at(30) })])
  t.match(await allPersons(app), [{ id: personIdOf(app.first.project_id, 'user'), created_at: microseconds(5) }])
})

t.test('recognizes placeholder ids', async (t) => {
  for (const id of [
    '',
    '  ',
    'Anonymous',
    'GUEST',
    'distinct_id',
    'Undefined',
    'TRUE',
    '[object Object]',
    'NaN',
    'null',
    '0',
  ])
    for (const spelling of [id, `'${id}'`, `"${id}"`]) t.ok(isPlaceholderId(spelling), spelling)
  for (const id of ['NULL', 'nan', '00', 'guest1', 'a', '[object object]']) t.notOk(isPlaceholderId(id), id)
})

onBothEngines(t, 'thousands of events in one request have the same effect as small requests', async (t, app) => {
  const random = seeded(7)
  const randomId = (): string => `p${Math.floor(random() * 60)}`
  const events = Array.from({ length: 3_500 }, (_, i) => {
    const kind = random()
    const timestamp = at(i % 60)
    const uuid = `0193aaaa-bbbb-7ccc-8ddd-${String(i % 3_400).padStart(12, '0')}`
    if (kind < 0.02) return { ...identify(randomId(), randomId()), timestamp, uuid }
    if (kind < 0.04) return { ...alias(randomId(), randomId()), timestamp, uuid }
    if (kind < 0.05) return { ...alias(randomId(), randomId(), '$merge_dangerously'), timestamp, uuid }
    const $set = { [`k${Math.floor(random() * 3)}`]: i }
    return seen(randomId(), { timestamp, uuid, $set, $set_once: { first: i }, properties: { $unset: [`k${i % 5}`] } })
  })
  const other = (await app.send('POST', '/api/projects/', { body: { name: 'Other' } })).body
  const post = async (api_key: string, batch: Sent[]) =>
    t.equal((await app.send('POST', '/batch/', { key: null, body: { api_key, batch } })).status, 200)
  await post(app.first.project_token, events)
  for (let i = 0; i < events.length; i += 100) await post(other.api_token, events.slice(i, i + 100))

  const found = await app.deps.events.all<Json>(sql`
    select p.*, d.distinct_id from persons p join person_distinct_ids d
      on d.project_id = p.project_id and d.person_id = p.id order by d.distinct_id`)
  const of = (project_id: number) =>
    found
      .filter((row) => row.project_id === project_id)
      .map(({ distinct_id, first_distinct_id, properties, is_identified, created_at }) => ({
        distinct_id,
        first_distinct_id,
        properties: typeof properties === 'string' ? JSON.parse(properties) : properties,
        is_identified: Boolean(is_identified),
        created_at,
      }))
  t.equal(of(app.first.project_id).length, 60)
  t.same(of(app.first.project_id), of(other.id))
  const counts = await app.deps.events.all<{ n: number }>(sql`select count(*) as n from events group by project_id`)
  t.same(
    counts.map(({ n }) => Number(n)),
    [3_400, 3_400],
    'and the same uuid is stored once',
  )
})

onBothEngines(t, 'the properties of a person have a limit', async (t, app) => {
  const send = sender(app)
  const names = async () => Object.keys(itemAt(await allPersons(app), 0).properties).sort()
  const large = (name: string): Sent => seen('a', { $set: { [name]: 'x'.repeat(60_000) } })
  await send([seen('a', { $set: { small: 1 } })])
  await send([large('one'), large('two')])
  t.same(await names(), ['one', 'small', 'two'])
  await send([large('three')])
  t.same(await names(), ['one', 'small', 'two'], 'a change above the limit is ignored')
  await send([identify('a', 'b', { $set: { small: 2 } })])
  const [person, ...others] = await allPersons(app)
  t.match(person, { ids: ['a', 'b'], is_identified: true, properties: { small: 2 } }, 'other changes are stored')
  t.same(others, [])
  await send(Array.from({ length: 40 }, (_, i) => seen('c', { $set: { [`p${i}`]: 'x'.repeat(10_000) } })))
  const { properties } = defined((await allPersons(app)).find(({ ids }) => ids[0] === 'c'))
  t.ok(JSON.stringify(properties).length < 150_000, 'also within one request')
})

onBothEngines(t, 'a person with more than 1,000 distinct ids is not merged into another one', async (t, app) => {
  const send = sender(app)
  const aliases = (id: string, count: number): Sent[] =>
    Array.from({ length: count }, (_, i) => alias(id, `${id} ${i}`))
  const merge = (id: string, other: string): Sent => alias(id, other, '$merge_dangerously')
  const sizes = async () => Object.fromEntries((await allPersons(app)).map(({ id, ids }) => [id, ids.length]))
  const idOf = (distinct_id: string): string => personIdOf(app.first.project_id, distinct_id)
  await send([...aliases('large', 1_000), ...aliases('smaller', 999)])
  await send([seen('a'), seen('b')])
  await send([merge('a', 'large'), merge('b', 'smaller'), merge('a', 'large 7')])
  t.strictSame(await sizes(), { [idOf('a')]: 1, [idOf('b')]: 1_001, [idOf('large')]: 1_001 })
  await send([merge('a', 'b')])
  t.strictSame(await sizes(), { [idOf('a')]: 1, [idOf('b')]: 1_001, [idOf('large')]: 1_001 })
  await send([merge('b', 'a'), merge('large', 'b'), merge('c', 'large')])
  const after = { [idOf('b')]: 1_002, [idOf('large')]: 1_002 }
  t.strictSame(await sizes(), after, 'others are merged into it, and new ids are added')
  await send([seen('d'), ...aliases('batch', 1_000), merge('d', 'batch')])
  t.strictSame(await sizes(), { ...after, [idOf('d')]: 1, [idOf('batch')]: 1_001 }, 'also within one request')
})
