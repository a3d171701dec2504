/** project_batch_exports.preview, and the place of errors in HogQL. */
import t from 'tap'
import { onBothEngines, type TestApp } from '../helpers/app.ts'
import { insertEvents, insertPerson, NEW_YEAR, uuid } from '../helpers/seeds/events.ts'

const SECOND = 1_000_000

const preview = (app: TestApp, hogql_query: unknown, rest: object = {}) =>
  app.call('project_batch_exports.preview', { body: { hogql_query, ...rest } })

onBothEngines(t, 'returns up to ten rows of recent events, newest first', async (t, app) => {
  const { events } = app.deps
  await insertPerson(events, 1, { id: uuid(9), distinct_ids: ['ada'], properties: { plan: 'pro' } })
  await insertEvents(
    events,
    1,
    Array.from({ length: 12 }, (_, i) => ({
      uuid: uuid(i),
      timestamp: NEW_YEAR - i * SECOND,
      distinct_id: i % 2 ? 'ada' : 'bob',
      properties: { n: i, list: [i, null], text: 'a "quoted" ü\n' },
    })),
  )
  await insertEvents(events, 2, [{ event: 'elsewhere' }])
  const all = await preview(app, 'select uuid from events')
  t.equal(all.status, 200)
  t.strictSame(all.body, { columns: ['uuid'], results: Array.from({ length: 10 }, (_, i) => [uuid(i)]) })
  const some = await preview(
    app,
    `select toInt(properties.n) as n, properties.list as list, properties.text as text, timestamp,
       person.properties.plan as plan, properties.none as none, toInt(properties.n) > 4 as big
     from events where n > 3 and n < 6`,
    { destination_type: 'S3' },
  )
  t.strictSame(some.body, {
    columns: ['n', 'list', 'text', 'timestamp', 'plan', 'none', 'big'],
    results: [
      [4, '[4,null]', 'a "quoted" ü\n', '2025-12-31T23:59:56.000000Z', null, null, false],
      [5, '[5,null]', 'a "quoted" ü\n', '2025-12-31T23:59:55.000000Z', 'pro', null, true],
    ],
  })
  t.strictSame((await preview(app, "select event from events where event = 'none'")).body.results, [])
  t.strictSame((await preview(app, 'select 1 as __proto__ from events limit 1')).status, 400)

  t.match(await preview(app, 'select event from events', { destination_type: 'HTTP' }), {
    status: 400,
    body: { attr: 'hogql_query', detail: /HTTP exports do not support a query/ },
  })
  t.match(await preview(app, 'select event from events', { destination_type: 'BigQuery' }), { status: 200 })
  t.match(await preview(app, undefined), { status: 400, body: { attr: 'hogql_query', code: 'required' } })
  t.match(await preview(app, 1), { status: 400, body: { attr: 'hogql_query' } })
  t.match(await preview(app, 'x'.repeat(10_001)), { status: 400, body: { attr: 'hogql_query', code: 'max_length' } })
  const reader = await app.key({ scopes: ['batch_export:read'] })
  const body = { hogql_query: 'select event from events' }
  t.equal((await app.call('project_batch_exports.preview', { body, key: reader })).status, 403)
  const stranger = await app.stranger('stranger@example.com')
  t.equal((await app.call('project_batch_exports.preview', { body, key: stranger.key })).status, 404)
})

/** A query, the place of its error, and the words before the place. */
const BROKEN: [query: string, line: number, column: number, words: string][] = [
  // Lexer
  ['select \u0001 from events', 1, 8, 'Unexpected'],
  ["select event\nfrom events\nwhere event = 'x", 3, 15, 'The string has no closing'],
  ['select /* comment', 1, 8, 'Unclosed comment'],
  ['select 1a from events', 1, 8, 'Names cannot start with a digit'],
  // Parser
  ['', 1, 1, 'The expression is empty'],
  ['select event', 1, 13, 'The query has no FROM clause. Add FROM events'],
  ['select event from', 1, 18, 'Unexpected end'],
  ['select event, from events where (1', 1, 35, 'Unexpected end: expected "," or ")"'],
  ['delete from events', 1, 1, 'Unexpected "delete": expected SELECT'],
  ['select event from persons', 1, 19, 'Unknown table "persons"'],
  ['select event from events union select 1', 1, 26, 'UNION, EXCEPT and INTERSECT are not supported'],
  ['select event from events e', 1, 26, 'Table aliases are not supported'],
  // Clauses that an export cannot have
  ['select distinct event from events', 1, 8, 'DISTINCT is not supported'],
  ['select event from events\n  group by event', 2, 3, 'GROUP BY is not supported'],
  ['select event from events order by event', 1, 26, 'ORDER BY is not supported'],
  ['select event from events\r\n\r\nlimit 5', 3, 1, 'LIMIT is not supported'],
  ['select count() from events', 1, 8, 'Aggregations are not supported'],
  ['select event, 1 as event from events', 1, 15, 'Duplicate column name "event"'],
  // Names
  ['select foo from events', 1, 8, 'Unknown field "foo"'],
  ["select '😀', evnt from events", 1, 14, 'Unknown field "evnt". Did you mean "event"?'],
  ['select event,\n\t lowerr(event) as x from events', 2, 3, 'Unknown function "lowerr"'],
  ['select event from events where\n  nothing = 1', 2, 3, 'Unknown field "nothing"'],
  ['select event.x from events', 1, 8, '"event" has no members'],
  // Types
  ['select event + 1 as x from events', 1, 8, ''],
  ['select event from events where event', 1, 32, 'A condition must be a boolean'],
  ['select lower(event, 1) as x from events', 1, 8, 'The function lower takes 1 argument, but got 2'],
  ["select match(event, '(') as x from events", 1, 21, 'Invalid pattern'],
  ["select event from events where timestamp > 'soon'", 1, 44, '"soon" is not a valid date or datetime'],
]

onBothEngines(t, 'narrows the rows as an export does', async (t, app) => {
  const { events } = app.deps
  await insertPerson(events, 1, { id: uuid(9), distinct_ids: ['ada'], properties: { plan: 'pro' } })
  const rows = ['seen', 'paid', 'paid', 'noise'].map((event, i) => ({
    uuid: uuid(i),
    event,
    timestamp: NEW_YEAR - i * SECOND,
    distinct_id: i === 2 ? 'bob' : 'ada',
    properties: { n: i },
  }))
  await insertEvents(events, 1, rows)
  const found = async (more: object, query = 'select toInt(properties.n) as n from events') =>
    (await preview(app, query, more)).body.results.flat()
  t.strictSame(await found({ filters: null, include_events: [], exclude_events: null }), [0, 1, 2, 3])
  t.strictSame(await found({ include_events: ['paid', 'seen'], exclude_events: ['seen'] }), [1, 2])
  const filters = [{ key: 'plan', value: 'pro', type: 'person' }]
  t.strictSame(await found({ filters, include_events: ['paid'] }), [1])
  t.strictSame(await found({ filters }, 'select toInt(properties.n) as n from events where n > 0'), [1, 3])
  t.match(await preview(app, 'select event from events', { filters: [{ key: 'n', operator: 'gt', value: [[]] }] }), {
    status: 400,
    body: { attr: 'filters__0__value' },
  })
  for (const more of [{ filters }, { include_events: ['paid'] }, { exclude_events: ['paid'] }])
    t.match(await preview(app, 'select distinct_id from persons', { model: 'persons', ...more }), {
      status: 400,
      body: { attr: Object.keys(more)[0] },
    })
})

onBothEngines(t, 'names the line and column of an error in a query', async (t, app) => {
  const destination = { type: 'NoOp', config: {} }
  const valid = await app.call('project_batch_exports.create', {
    body: { name: 'Valid', interval: 'hour', destination, hogql_query: 'select event from events' },
  })
  t.equal(valid.status, 201)
  for (const [hogql_query, line, column, words] of BROKEN) {
    const { status, body, error } = await preview(app, hogql_query)
    const detail = String(error?.detail)
    t.match({ status, body }, { status: 400, body: { attr: 'hogql_query', code: 'invalid_input' } }, hogql_query)
    t.equal(/ \(line \d+, column \d+\)\.$/.exec(detail)?.[0], ` (line ${line}, column ${column}).`, detail)
    t.ok(detail.startsWith(words), detail)
    if (hogql_query === '') continue
    const created = await app.call('project_batch_exports.create', {
      body: { name: 'Broken', interval: 'hour', destination, hogql_query },
    })
    const changed = await app.call('project_batch_exports.update', {
      params: { id: valid.body.id },
      body: { hogql_query },
    })
    t.strictSame([created.status, created.body, changed.body], [400, body, body])
  }
})

onBothEngines(t, 'names the line and column of an error in parameters of the event list', async (t, app) => {
  const detail = async (query: object) => {
    const { status, error } = await app.call('events.list', { query })
    t.equal(status, 400)
    return [error?.attr, error?.detail]
  }
  t.strictSame(await detail({ where: ['true', '1 =\n foo'] }), ['where__1', 'Unknown field "foo" (line 2, column 2).'])
  t.strictSame(await detail({ select: ['  foo -- label'] }), ['select__0', 'Unknown field "foo" (line 1, column 3).'])
  t.strictSame(await detail({ select: ['event'], orderBy: ['- foo +'] }), [
    'orderBy__0',
    'Unexpected end: expected an expression (line 1, column 8).',
  ])
  t.strictSame(await detail({ properties: JSON.stringify([{ type: 'hogql', key: '1 + foo' }]) }), [
    'properties__0__key',
    'Unknown field "foo" (line 1, column 5).',
  ])
})
