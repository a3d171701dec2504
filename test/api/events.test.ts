/** events.list, events.retrieve and events.values. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { csvCell } from '../../src/api/csv.ts'
import { onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { bySize, figure } from '../helpers/assertions/figures.ts'
import { cycled, itemAt } from '../helpers/assertions/items.ts'
import { insertEvents, insertPerson, NEW_YEAR, recordsOf, uuid } from '../helpers/seeds/events.ts'

const SECOND = 1_000_000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR
const EVENTS = '/api/projects/@current/events/'
const RUNS = bySize({ quick: 4, full: 15, prove: 200 })

const ids = (page: Parameters<typeof recordsOf>[0]): string[] => recordsOf(page).map(({ id }) => id)
const on = (app: TestApp, parameters: string) => app.send('GET', `${EVENTS}?${parameters}`)

onBothEngines(t, 'lists events newest first, then by uuid, in consecutive pages', async (t, app) => {
  const { events } = app.deps
  await insertEvents(events, 1, [
    { uuid: uuid(1), timestamp: NEW_YEAR - 30 * SECOND },
    { uuid: uuid(4), timestamp: NEW_YEAR - 10 * SECOND },
    { uuid: uuid(2), timestamp: NEW_YEAR - 20 * SECOND },
    { uuid: uuid(3), timestamp: NEW_YEAR - 20 * SECOND },
    { uuid: uuid(5), timestamp: NEW_YEAR - 20 * SECOND },
  ])
  await insertEvents(events, 2, [{ uuid: uuid(1), timestamp: NEW_YEAR - 5 * SECOND }])
  const whole = await app.send('GET', EVENTS)
  t.equal(whole.status, 200)
  t.match(whole.headers, { deprecation: /^@\d+$/, 'content-type': 'application/json; charset=utf-8' })
  t.strictSame(ids(whole), [4, 5, 3, 2, 1].map(uuid))
  t.equal(whole.body.next, null)
  t.strictSame(ids(await on(app, 'orderBy=timestamp')), [1, 2, 3, 5, 4].map(uuid))
  t.strictSame(ids(await on(app, 'orderBy=["timestamp"]')), [1, 2, 3, 5, 4].map(uuid))
  t.strictSame(ids(await on(app, 'orderBy[]=-timestamp')), [4, 5, 3, 2, 1].map(uuid))

  const first = await on(app, 'limit=2&offset=1&after=-1d')
  t.strictSame(ids(first), [5, 3].map(uuid))
  const next = new URL(String(first.body.next))
  t.equal(next.searchParams.get('offset'), null, 'the offset applies only to the first page')
  t.match(next.searchParams.get('after'), /^2025-12-31T00:00:00/, 'a relative time becomes absolute')
  const second = await app.follow(first)
  t.strictSame(ids(second), [2, 1].map(uuid))
  t.equal(second.body.next, null)

  t.strictSame(ids(await on(app, 'limit=5')), [4, 5, 3, 2, 1].map(uuid))
  t.equal((await on(app, 'limit=5')).body.next, null, 'a full last page has no next page')
  t.strictSame(ids(await on(app, 'offset=4')), [uuid(1)])
  t.strictSame(ids(await on(app, 'offset=5')), [])
})

onBothEngines(t, 'returns an event with its person and elements', async (t, app) => {
  const { events } = app.deps
  await insertPerson(events, 1, {
    id: uuid(77),
    distinct_ids: ['ada', 'ada-phone'],
    is_identified: true,
    properties: { email: 'ada@example.com', name: null, plan: 'secret', username: { 'o"dd': [1] } },
  })
  await insertEvents(events, 1, [
    {
      uuid: uuid(1),
      event: 'clicked',
      distinct_id: 'ada-phone',
      timestamp: NEW_YEAR - DAY + 12_345,
      properties: { $browser: 'Firefox', text: 'ü "q" \n', list: [1, null] },
      elements_chain:
        'button.big.md:flex:nth-child="2"nth-of-type="1"text="Save; \\"now\\""attr__type="submit";form:attr_id="f"',
    },
    { uuid: uuid(2), timestamp: NEW_YEAR - 2 * DAY },
  ])
  const records = recordsOf(await on(app, ''))
  const [clicked, seen] = [itemAt(records, 0), itemAt(records, 1)]
  t.match(clicked, {
    id: uuid(1),
    distinct_id: 'ada-phone',
    event: 'clicked',
    timestamp: '2025-12-31T00:00:00.012345Z',
    properties: '{"$browser":"Firefox","text":"ü \\"q\\" \\n","list":[1,null]}',
  })
  t.strictSame(JSON.parse(clicked.person), {
    is_identified: true,
    distinct_ids: ['ada'],
    properties: { email: 'ada@example.com', name: null, username: { 'o"dd': [1] } },
  })
  t.strictSame(JSON.parse(clicked.elements), [
    {
      event: null,
      text: 'Save; "now"',
      tag_name: 'button',
      attr_class: ['big', 'md:flex'],
      href: null,
      attr_id: null,
      nth_child: 2,
      nth_of_type: 1,
      attributes: { attr__type: 'submit' },
      order: 0,
    },
    {
      event: null,
      text: null,
      tag_name: 'form',
      attr_class: null,
      href: null,
      attr_id: 'f',
      nth_child: null,
      nth_of_type: null,
      attributes: {},
      order: 1,
    },
  ])
  t.strictSame(seen, {
    id: uuid(2),
    distinct_id: 'somebody',
    properties: '{}',
    event: 'seen',
    timestamp: '2025-12-30T00:00:00.000Z',
    person: 'null',
    elements: '[]',
    elements_chain: '',
  })
  t.equal(recordsOf(await on(app, 'include_person=false'))[0]?.person, 'null')

  t.strictSame((await app.send('GET', `${EVENTS}${uuid(1)}/`)).body, clicked)
  t.strictSame((await app.send('GET', `${EVENTS}${uuid(1).toUpperCase().replaceAll('-', '')}/`)).body, clicked)
  t.equal((await app.send('GET', `${EVENTS}${uuid(1)}/?include_person=false`)).body.person, 'null')
  for (const id of ['x', uuid(9), '1', `${uuid(1)}0`, '%20', `'--`])
    t.match(await app.send('GET', `${EVENTS}${id}/`), { status: 404, body: { code: 'not_found' } })
  const stranger = await app.stranger('stranger@example.com')
  t.equal((await app.send('GET', `${EVENTS}${uuid(1)}/`, { key: stranger.key })).status, 404)
  t.strictSame((await app.send('GET', EVENTS, { key: stranger.key })).body, { results: [], next: null })
})

onBothEngines(t, 'filters by name, distinct id, person and time', async (t, app) => {
  const { events } = app.deps
  await insertPerson(events, 1, { id: uuid(77), distinct_ids: ['a', 'b'] })
  await insertEvents(events, 1, [
    { uuid: uuid(1), event: 'one', distinct_id: 'a', timestamp: NEW_YEAR - 1 * HOUR },
    { uuid: uuid(2), event: 'two', distinct_id: 'b', timestamp: NEW_YEAR - 2 * HOUR },
    { uuid: uuid(3), event: 'three', distinct_id: '7', timestamp: NEW_YEAR - 3 * HOUR },
    { uuid: uuid(4), event: '["odd"', distinct_id: 'a', timestamp: NEW_YEAR - 30 * HOUR },
    { uuid: uuid(5), event: 'one', distinct_id: 'c', timestamp: NEW_YEAR + 2 * SECOND },
    { uuid: uuid(6), event: 'one', distinct_id: 'c', timestamp: NEW_YEAR + 10 * SECOND },
  ])
  const cases: [parameters: string, found: number[]][] = [
    ['', [5, 1, 2, 3, 4]],
    ['before=2027-01-01', [6, 5, 1, 2, 3, 4]],
    ['event=one', [5, 1]],
    ['event=ONE', []],
    ['event=one&event=two', [5, 1, 2]],
    ['event=["one","two"]', [5, 1, 2]],
    ['event[]=one&event[]=two', [5, 1, 2]],
    ['event[0]=one&event[1]=two', [5, 1, 2]],
    ['event=["odd"', [4]],
    ['event=[]', [5, 1, 2, 3, 4]],
    ['event=', [5, 1, 2, 3, 4]],
    [`event=${encodeURIComponent(JSON.stringify(Array.from({ length: 60 }, (_, i) => `n${i}`).concat('two')))}`, [2]],
    ['distinct_id=a', [1, 4]],
    ['distinct_id=7', [3]],
    ['distinct_id=a&event=one', [1]],
    [`person_id=${uuid(77)}`, [1, 2, 4]],
    [`person_id=${uuid(77).toUpperCase()}`, [1, 2, 4]],
    [`person_id=${uuid(77)}&event=two&event=three`, [2]],
    [`person_id=${uuid(77)}&distinct_id=b`, [2]],
    [`person_id=${uuid(77)}&distinct_id=c`, []],
    ['person_id=5555555555', []],
    [`person_id=${uuid(78)}`, []],
    ['person_id=nobody', []],
    ['after=-24h', [5, 1, 2, 3]],
    ['after=-24h&event=one', [5, 1]],
    ['after=2025-12-31T22:00:00Z', [5, 1]],
    ['after=2025-12-31T21:59:59.999999Z', [5, 1, 2]],
    ['after=2025-12-31T23:00:00%2B02:00', [5, 1, 2]],
    ['after=2025-12-31 22:30', [5, 1]],
    ['before=2025-12-31T22:00:00Z', [3, 4]],
    ['before=dStart', [1, 2, 3, 4]],
    ['before=-1d&after=-2d', [4]],
    ['before=-7d', []],
    ['after=', [5, 1, 2, 3, 4]],
  ]
  for (const [parameters, found] of cases) {
    t.strictSame(ids(await on(app, parameters)), found.map(uuid), parameters)
    t.strictSame(
      ids(await on(app, `${parameters}&orderBy=timestamp`)),
      found.map(uuid).reverse(),
      `${parameters}, oldest first`,
    )
  }
})

onBothEngines(t, 'lists and counts events of any century', async (t, app) => {
  const centuries = ['0001', '1550', '1650', '1700', '2020']
  const timeOf = (year: string): number => Date.parse(`${year}-06-01T00:00:00.007Z`) * 1000
  await insertEvents(
    app.deps.events,
    1,
    centuries.map((year) => ({ event: year, timestamp: timeOf(year) })),
  )
  const list = async (parameters: string) => {
    const pages = [await app.send('GET', `/api/projects/1/events/?limit=1&${parameters}`)]
    while (itemAt(pages, -1).body.next) pages.push(await app.follow(itemAt(pages, -1)))
    return pages.flatMap((page) => recordsOf(page).map(({ event }) => event))
  }
  t.strictSame(await list('orderBy=timestamp'), centuries)
  t.strictSame(await list('before=1600-01-01'), ['1550', '0001'])
  t.strictSame(await list('after=1500-01-01&before=1600-01-01'), ['1550'])
  t.strictSame(await list('after=1550-06-01T00:00:00.007Z&before=1700-06-01T00:00:00.007Z'), ['1650'])
  for (const interval of ['day', 'minute']) {
    const range = interval === 'day' ? 'after=1550-05-01&before=1550-07-01' : 'after=1550-06-01&before=1550-06-01T10:00'
    const { body } = await app.send('GET', `/api/projects/1/events/histogram/?${range}&interval=${interval}`)
    assert('interval' in body)
    const counted = body.results.filter(({ count }) => count > 0)
    t.strictSame(counted, [{ start: '1550-06-01T00:00:00.000Z', count: 1 }], interval)
    t.match(body.before, /^1550-0[67]-01T/)
  }
})

onBothEngines(t, 'rejects invalid parameters by name', async (t, app) => {
  for (const [parameters, attr] of [
    ['after=yesterday', 'after'],
    ['before=-7x', 'before'],
    ['before=2026-02-30', 'before'],
    ['after=wStart', 'after'],
    ['after=2026-01-01T00:00:00+99:00', 'after'],
    ['limit=0', 'limit'],
    ['limit=50001', 'limit'],
    ['limit=ten', 'limit'],
    ['offset=-1', 'offset'],
    ['orderBy=event', 'orderBy'],
    ['orderBy=["timestamp","event"]', 'orderBy'],
    ['cursor=abc', 'cursor'],
    ['format=xml', 'format'],
    ['include_person=perhaps', 'include_person'],
  ] as const)
    t.match(await on(app, parameters), { status: 400, body: { type: 'validation_error', attr } }, parameters)
  for (const name of ['action_id', 'token'])
    for (const parameters of [`${name}=1`, `${name}[]=1`, `${name}=`, `select=event&${name}=1`, `format=csv&${name}=1`])
      t.match(await on(app, parameters), {
        status: 400,
        body: { type: 'validation_error', code: 'unsupported_parameter', attr: name },
      })
  t.match(await app.send('GET', `${EVENTS}values/?key=p&token=x`), { status: 200 })
})

onBothEngines(t, 'returns CSV by format and by Accept header', async (t, app) => {
  const { events } = app.deps
  const header = 'id,distinct_id,properties,event,timestamp,person,elements,elements_chain\r\n'
  const none = await on(app, 'format=csv')
  t.equal(none.text, header)
  t.match(none.headers, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="events.csv"',
    deprecation: /^@/,
  })
  await insertEvents(events, 1, [
    { uuid: uuid(1), event: '=1+1', distinct_id: '-5', properties: { a: 'ü,"', b: 'x\ny' } },
  ])
  const row = `${uuid(1)},-5,"{""a"":""ü,\\"""",""b"":""x\\ny""}",'=1+1,2025-12-31T23:59:59.999999Z,null,[],\r\n`
  t.equal((await on(app, 'format=csv')).text, header + row)
  const accepted = await app.send('GET', EVENTS, { headers: { accept: 'text/csv' } })
  t.equal(accepted.text, header + row)
  t.equal((await app.send('GET', `${EVENTS}${uuid(1)}/?format=csv`)).text, header + row)
  for (const accept of ['*/*', 'application/json', 'text/csv;q=0.5, application/json'])
    t.match((await app.send('GET', EVENTS, { headers: { accept } })).headers, { 'content-type': /^application\/json/ })
  t.match((await app.send('GET', `${EVENTS}?format=json`, { headers: { accept: 'text/csv' } })).headers, {
    'content-type': /^application\/json/,
  })
  t.match(await on(app, 'format=csv&after=garbage'), { status: 400, body: { attr: 'after' } })
})

t.test('escapes CSV cells that a spreadsheet would run as a formula', async (t) => {
  for (const [text, cell] of [
    ['=1+1', "'=1+1"],
    ['+cmd', "'+cmd"],
    ['-cmd', "'-cmd"],
    ['@sum(1)', "'@sum(1)"],
    ['\tx', "'\tx"],
    ['\rx', '"\'\rx"'],
    ['\n=1+1', '"\'\n=1+1"'],
    ['＝1+1', "'＝1+1"],
    ['＋cmd', "'＋cmd"],
    ['－1', "'－1"],
    ['＠sum(1)', "'＠sum(1)"],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
    ['-5', '-5'],
    ['+5.25', '+5.25'],
    ['-.5e-3', '-.5e-3'],
    ['-5-', "'-5-"],
    ['--5', "'--5"],
    ['+', "'+"],
    ['plain', 'plain'],
    [' =x', ' =x'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['a\nb', '"a\nb"'],
    ['say "x"', '"say ""x"""'],
  ] as const)
    t.equal(csvCell(text), cell, JSON.stringify(text))
})

onBothEngines(t, 'lists the values of a property and samples recent events', async (t, app) => {
  const { events } = app.deps
  const values = async (parameters: string) => (await app.send('GET', `${EVENTS}values/?${parameters}`)).body
  t.match(await values(''), { id: '[]', properties: '[]', person: '[]' })
  t.strictSame(await values('key=p'), [])
  const property = (p: unknown, event = 'random event') => ({ event, properties: { p }, timestamp: NEW_YEAR - HOUR })
  await insertEvents(events, 1, [
    property('asdf'),
    property('qwerty'),
    property('qwerty', 'other'),
    property(565),
    property(false),
    property(true),
    property({ first_name: 'Mary' }),
    property(['item1', 'item2', ['item3', null]]),
    property(null),
    { properties: { 'q"$.x': 'quoted' }, event: '$pageview' },
    { properties: { p: 'old' }, timestamp: NEW_YEAR - 8 * DAY },
    { properties: { $city: 'ÅLESUND' } },
  ])
  await insertEvents(events, 2, [property('foreign')])
  const counts = async (parameters: string) => {
    const found = await values(parameters)
    assert.ok(Array.isArray(found))
    return found
  }
  const samples = async (parameters: string) => {
    const found = await values(parameters)
    assert.ok(!Array.isArray(found))
    return found
  }
  const names = async (parameters: string) => (await counts(parameters)).map(({ name }) => name)
  const found = await counts('key=p')
  t.strictSame(found[0], { name: 'qwerty', count: 2 })
  t.strictSame(found.map(({ name }) => name).sort(), [
    '565',
    'asdf',
    'false',
    'item1',
    'item2',
    'item3',
    'qwerty',
    'true',
    '{"first_name":"Mary"}',
  ])
  t.strictSame(await names(`key=${encodeURIComponent('q"$.x')}`), ['quoted'])
  t.strictSame(await values('key=$city&value=ålesund'), [{ name: 'ÅLESUND', count: 1 }])
  t.strictSame(await names('key=p&value=ITEM'), ['item1', 'item2', 'item3'])
  t.strictSame(await names('key=p&event_name=other'), ['qwerty'])
  t.strictSame(await names('key=p&event_name=["other","unknown"]'), ['qwerty'])
  t.strictSame(await values('key=p&event_name=unknown'), [])
  t.strictSame((await names('key=custom_event')).sort(), ['other', 'random event', 'seen'])
  t.equal((await app.send('GET', `${EVENTS}values/?key=p&value=qw&format=csv`)).text, 'name,count\r\nqwerty,2\r\n')
  const sample = await samples('')
  t.strictSame(JSON.parse(sample.event).sort(), ['$pageview', 'other', 'random event', 'seen'])
  t.equal(JSON.parse(sample.id).length, 10, 'at most ten values per field')
  t.strictSame(JSON.parse(sample.person), [null])
  t.strictSame(JSON.parse(sample.elements), [[]])
  t.strictSame(JSON.parse((await samples('event_name=other')).properties), [{ p: 'qwerty' }])
  t.match(await app.send('GET', `${EVENTS}values/?key=`), { status: 400, body: { attr: 'key' } })

  const planned = (plan: unknown, q: string, event = 'seen') => ({
    event,
    properties: { plan, q },
    timestamp: NEW_YEAR - HOUR,
  })
  await insertEvents(events, 1, [
    planned('Free', 'one'),
    planned('TEAM', 'two', 'other'),
    planned(5, 'three'),
    planned('Ä', 'four'),
    planned(undefined, 'five'),
  ])
  for (const [filters, expected] of [
    ['properties_plan=free', ['one']],
    ['properties_plan=["FREE","team"]', ['one', 'two']],
    ['properties_plan=free&properties_plan=team', ['one', 'two']],
    ['properties_plan[]=free&properties_plan[]=team', ['one', 'two']],
    ['properties_plan=5', ['three']],
    ['properties_plan=ä', ['four']],
    ['properties_plan=["free","team"]&properties_q=two', ['two']],
    ['properties_plan=["free","team"]&event_name=other', ['two']],
    ['properties_plan=["free","team"]&event_name=other&event_name=seen', ['one', 'two']],
    ['properties_plan=unknown', []],
  ] as const)
    t.strictSame((await names(`key=q&${filters}`)).sort(), expected, filters)
  t.strictSame(await names('key=custom_event&properties_plan=team'), ['other'])
  t.strictSame(JSON.parse((await samples('properties_plan=team')).properties), [{ plan: 'TEAM', q: 'two' }])
  t.match(await app.send('GET', `${EVENTS}values/?key=q&properties_=x`), { status: 400, body: { attr: 'properties_' } })
})

for (const engine of ['sqlite', 'postgres'] as const)
  t.test(`pages return every event exactly once, in order, while more arrive (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const { events } = app.deps
    let project_id = 1
    let number = 0
    const moment = fc.integer({ min: 1, max: 6 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ moment, name: fc.constantFrom('a', 'b', 'c') }), { maxLength: 40 }),
        fc.array(fc.record({ limit: fc.integer({ min: 1, max: 7 }), arriving: fc.array(moment, { maxLength: 3 }) }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.constantFrom('', 'event=a', 'event=a&event=b', 'distinct_id=somebody'),
        fc.boolean(),
        async (stored, steps, filter, oldestFirst) => {
          const { body: project } = await app.send('POST', '/api/projects/', { body: { name: 'walk' } })
          project_id = project.id
          const at = (moment: number) => NEW_YEAR - moment * 1000
          // Ids are not in the order of time.
          const fresh = () => uuid((++number * 7919) % 1_000_003)
          const rows = await insertEvents(
            events,
            project_id,
            stored.map(({ moment, name }) => ({ uuid: fresh(), timestamp: at(moment), event: name })),
          )
          const expected = rows
            .filter(({ event }) => !filter.includes('event') || filter.includes(`event=${event}`))
            .sort((a, b) => b.timestamp - a.timestamp || (a.uuid < b.uuid ? 1 : -1))
            .map((row) => row.uuid)
          if (oldestFirst) expected.reverse()
          const walked: string[] = []
          const events_url = `/api/projects/${project_id}/events/` as const
          let search = `?${filter}${oldestFirst ? '&orderBy=timestamp' : ''}`
          for (let step = 0; search; step++) {
            const { limit, arriving } = cycled(steps, step)
            const parameters = new URLSearchParams(search)
            parameters.set('limit', String(limit))
            const response = await app.send('GET', `${events_url}?${parameters}`)
            walked.push(...ids(response))
            search = response.body.next ? new URL(response.body.next).search : ''
            if (step > 20) continue
            await insertEvents(
              events,
              project_id,
              arriving.map((moment) => ({ uuid: fresh(), timestamp: at(moment), event: 'a' })),
            )
          }
          const known = new Set(expected)
          t.strictSame(
            walked.filter((id) => known.has(id)),
            expected,
          )
          t.equal(new Set(walked).size, walked.length, 'no event is repeated')
        },
      ),
      { numRuns: RUNS },
    )
    figure(t, { area: 'Events', count: RUNS, of: 'paged reads', result: 'no event lost or repeated' })
  })
