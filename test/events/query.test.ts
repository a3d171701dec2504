/** query.run: answers, limits and errors, and that every way of answering gives the same result. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { countedQuery } from '../../src/events/counted-query.ts'
import { recount } from '../../src/events/counts.ts'
import { answer } from '../../src/events/query.ts'
import { partsOf } from '../../src/hogql/query.ts'
import { parseSelect } from '../../src/hogql/select.ts'
import { ENGINES, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { bySize, figure } from '../helpers/assertions/figures.ts'
import { ingest } from '../helpers/seeds/exports.ts'
import { capture, configsUrl, logOf, runPlugin } from '../helpers/seeds/plugins.ts'
import { generatedCount } from '../hogql/generate.ts'

t.setTimeout(bySize({ full: 5, prove: 60 }) * 60_000)

const RUNS = bySize({ quick: 30, full: 200, prove: 5_000 })
const SEED = 20_261_118

const urlOf = ({ first }: TestApp) => `/api/projects/${first.project_id}/query/` as const

const ask = (app: TestApp, query: string, rest: Record<string, unknown> = {}) =>
  app.send('POST', urlOf(app), { body: { query: { kind: 'HogQLQuery', query, ...rest } } })

const rowsOf = async (app: TestApp, query: string, rest: Record<string, unknown> = {}): Promise<unknown> => {
  const response = await ask(app, query, rest)
  return response.status === 200 ? response.body.results : response.body
}

/** Events of two days: names, hours and prices that differ. */
async function seed(app: TestApp): Promise<void> {
  const start = Date.parse('2025-12-01T10:30:00Z')
  await capture(
    app,
    Array.from({ length: 60 }, (_, i) => ({
      event: i % 3 === 0 ? 'paid' : 'seen',
      distinct_id: `person ${i % 7}`,
      timestamp: new Date(start + i * 31 * 60_000).toISOString(),
      properties: { n: i, price: i / 10, $session_id: `session ${i % 5}`, $set: { plan: i % 2 ? 'free' : 'pro' } },
    })),
  )
}

onBothEngines(t, 'a query returns rows with columns, types and how it was answered', async (t, app) => {
  await seed(app)
  const { status, body } = await ask(app, 'select event, count() as n from events group by event order by n desc', {
    explain: true,
  })
  t.equal(status, 200)
  t.match(body, {
    results: [
      ['seen', 40],
      ['paid', 20],
    ],
    columns: ['event', 'n'],
    types: [
      ['event', 'String'],
      ['n', 'UInt64'],
    ],
    hogql: 'SELECT event, count() AS n FROM events GROUP BY event ORDER BY n DESC',
    hasMore: false,
    limit: 100,
    offset: 0,
    timings: [{ k: 'parse' }, { k: 'read' }],
    explain: { way: 'counts' },
  })
  t.notOk('explain' in (await ask(app, 'select count() from events')).body)
  t.strictSame(await rowsOf(app, 'select n, event from events where toInt(properties.n) in (1, 3) order by event'), {
    type: 'validation_error',
    code: 'invalid_input',
    detail: 'Unknown field "n" (line 1, column 8).',
    attr: 'query__query',
    position: { line: 1, column: 8 },
  })
  t.strictSame(
    await rowsOf(
      app,
      'select properties.n, event, timestamp from events where toInt(properties.n) < 2 order by timestamp',
    ),
    [
      ['0', 'paid', '2025-12-01T10:30:00.000Z'],
      ['1', 'seen', '2025-12-01T11:01:00.000Z'],
    ],
  )
  t.match(await ask(app, 'select uuid from events limit 7 offset 50'), {
    body: { limit: 7, offset: 50, hasMore: true, rows_read: 8 },
  })
  t.match(await ask(app, 'select uuid from events limit 900000'), { body: { limit: 50_000, hasMore: false } })
  const star = (await ask(app, 'select * from events limit 1')).body
  t.strictSame(star.columns.slice(0, 3), ['uuid', 'event', 'properties'])
  t.match(await rowsOf(app, 'select distinct event from events'), [['paid'], ['seen']])
  t.match(await rowsOf(app, 'select event, sum(toInt(properties.n)) from events group by event having count() > 30'), [
    ['seen', 1200],
  ])
})

onBothEngines(t, 'persons and sessions have their current rows', async (t, app) => {
  await seed(app)
  await app.deps.sessionCloser.wake()
  t.strictSame(
    await rowsOf(app, 'select properties.plan, count() from persons group by properties.plan order by properties.plan'),
    [
      ['free', 4],
      ['pro', 3],
    ],
  )
  t.match(await rowsOf(app, "select distinct_id, is_deleted from persons where distinct_id = 'person 1'"), [
    ['person 1', false],
  ])
  t.match(await rowsOf(app, 'select count(), sum(event_count) from sessions'), [[5, 60]])
  t.match((await ask(app, 'select * from sessions limit 1')).body.columns.slice(0, 2), ['team_id', 'session_id'])
  t.match(await rowsOf(app, 'select groupArray(distinct_id), argMax(distinct_id, created_at) from persons'), [
    [['person 0', 'person 1', 'person 2', 'person 3', 'person 4', 'person 5', 'person 6'], /^person/],
  ])
  t.match(await rowsOf(app, 'select argMin(session_id, start_timestamp) from sessions'), [['session 0']])
  t.match(await rowsOf(app, 'select event from persons'), { detail: /Unknown field "event"/, attr: 'query__query' })
  t.match(await rowsOf(app, 'select 1 from cohorts'), { detail: /events or persons or sessions/ })
})

onBothEngines(t, 'placeholders are values, and a time range applies to the whole query', async (t, app) => {
  await seed(app)
  const named = 'select count() from events where event = {name} and {filters}'
  t.strictSame(await rowsOf(app, named, { values: { name: 'paid' } }), [[20]])
  t.strictSame(await rowsOf(app, named, { values: { name: "x' or 1=1 --" } }), [[0]])
  t.strictSame(
    await rowsOf(app, 'select count() from events where event in {names}', { values: { names: ['paid'] } }),
    [[20]],
  )
  t.match(await rowsOf(app, named), { detail: /The placeholder "name" has no value/, position: { line: 1 } })
  const long = { values: { name: 'x'.repeat(6_000) } }
  t.strictSame(await rowsOf(app, named, long), [[0]])
  t.match(await rowsOf(app, 'select {name}, {name} from events', long), { detail: /more than 10000 characters in all/ })
  for (const value of [{}, [[1]], 'a\0b'])
    t.match(await rowsOf(app, named, { values: { name: value } }), { attr: 'query__values' })
  const range = (date_from: string | null, date_to: string | null) => ({
    filters: { dateRange: { date_from, date_to } },
  })
  const all = 'select count() from events'
  t.strictSame(await rowsOf(app, all, range('2025-12-01T11:01:00Z', '2025-12-01T12:03:00Z')), [[2]])
  t.strictSame(await rowsOf(app, all, range(null, '2025-12-01T11:00:00Z')), [[1]])
  t.strictSame(await rowsOf(app, all, range('2025-12-02', null)), [[33]])
  t.match(await rowsOf(app, all, range('yesterday', null)), { attr: 'query__filters__dateRange__date_from' })
})

onBothEngines(t, 'mistakes are 400 with a reason', async (t, app) => {
  for (const [body, expected] of [
    [{ query: { kind: 'EventsQuery', query: 'x' } }, { code: 'invalid_choice', attr: 'query__kind' }],
    [{ query: { kind: 'HogQLQuery' } }, { code: 'required', attr: 'query__query' }],
    [{}, { code: 'required', attr: 'query' }],
    [{ query: { kind: 'HogQLQuery', query: 'select' } }, { attr: 'query__query', position: { line: 1, column: 7 } }],
    [{ query: { kind: 'HogQLQuery', query: 'x'.repeat(20_000) } }, { attr: 'query__query' }],
    [
      { query: { kind: 'HogQLQuery', query: 'select event\nfrom events\nwhere evnt = 1' } },
      { detail: /Did you mean "event"/, position: { line: 3, column: 7 } },
    ],
    [
      { query: { kind: 'HogQLQuery', query: 'select event from events order by 2' } },
      { detail: /There is no column 2/ },
    ],
    [
      { query: { kind: 'HogQLQuery', query: 'select event, count(), n from events' } },
      { attr: 'query__query', detail: /Unknown field/ },
    ],
  ] as const)
    t.match(
      await app.send('POST', urlOf(app), { body }),
      { status: 400, body: expected },
      JSON.stringify(body).slice(0, 80),
    )
  const key = await app.key({ scopes: ['project:read'] })
  t.match(await app.send('POST', urlOf(app), { key, body: {} }), { status: 403 })
  const stranger = await app.stranger('stranger@example.com')
  t.match(await app.send('POST', urlOf(app), { key: stranger.key, body: {} }), { status: 404 })
})

/** Queries that the counts can answer. */
const COUNTED = [
  'select count() from events',
  "select count() from events where event = 'paid'",
  "select count() from events where event = 'nothing'",
  'select event, count() from events group by event',
  'select toStartOfHour(timestamp) as hour, count() from events group by hour order by hour',
  'select toStartOfDay(timestamp) as day, event, count() from events group by day, event order by day, event',
  "select event, count() as c from events where timestamp >= '2025-12-01 12:10:00' and timestamp < '2025-12-02 03:03:03' group by event",
  "select toDate(timestamp), count() from events where timestamp > toDateTime('2025-12-01 23:45:00') group by toDate(timestamp)",
  "select count() from events where '2025-12-01 12:30:00' <= timestamp and timestamp <= '2025-12-01 12:59:00'",
  'select toHour(timestamp), upper(event), count() * 2 from events group by toHour(timestamp), upper(event) having count() > 1 order by 1, 2',
  "select count() from events where event in ('paid', 'seen') and timestamp < now() - interval 1 day",
  'select distinct event from events',
  'select event, count() from events group by 1 order by 2 desc',
  'select event as name, count() from events where event != {empty} group by name having count() > 0',
]
/** The query with a condition that is true for every event, and that only rows can answer. */
const fromRows = (text: string): string => {
  const condition = "elements_chain != 'none'"
  if (text.includes(' where ')) return text.replace(' where ', ` where ${condition} and `)
  return text.replace(/ from events/, ` from events where ${condition}`)
}

/** Queries that need events. */
const UNCOUNTED = [
  'select uniq(distinct_id) from events',
  'select count() from events where properties.n = 1',
  'select min(timestamp) from events',
  'select toStartOfMinute(timestamp), count() from events group by toStartOfMinute(timestamp)',
  'select count(distinct event) from events',
  'select event from events',
  'select event, event, count() from events group by event',
  "select event as distinct_id, count() from events where distinct_id = 'person 1' group by event",
  'select event as `properties.n`, count() from events where properties.n = 3 group by event',
  'select count() from events where timestamp > now() - interval 100000 day',
  `select count()${'+1'.repeat(61)} from events`,
  "select count() from events where timestamp < toDateTime(properties.x) or event = 'paid'",
]

onBothEngines(t, 'every way of answering gives the same rows', async (t, app) => {
  await seed(app)
  const { project_id } = app.first
  const now = Date.parse('2026-01-10T00:00:00Z') * 1000
  const ranges = [
    {},
    { from: Date.parse('2025-12-01T12:15:00Z') * 1000 },
    { to: Date.parse('2025-12-02T00:00:00Z') * 1000 },
  ]
  for (const text of COUNTED)
    for (const range of ranges) {
      const run = async (text: string) => {
        const found = await answer(app.deps.eventReader, { project_id, text, values: { empty: '' }, range, now })
        return { ...found, results: found.rows.map(found.resultOf) }
      }
      const counted = await run(text)
      const read = await run(fromRows(text))
      t.equal(counted.explain.way, 'counts', text)
      t.equal(read.explain.way, 'rows', text)
      t.strictSame(counted.results, read.results, text)
      t.strictSame([counted.columns, counted.types], [read.columns, read.types], text)
    }
  for (const text of UNCOUNTED)
    t.match(countedQuery(partsOf(parseSelect(text)), {}, now), { isCounted: false, reason: /\w{3}/ }, text)
  for (const text of UNCOUNTED) t.equal((await ask(app, text)).status, 200, text)
  t.strictSame(
    await rowsOf(app, "select event as distinct_id, count() from events where distinct_id = 'person 1' group by event"),
    [
      ['seen', 6],
      ['paid', 3],
    ],
  )
  t.match(await ask(app, 'select uniq(distinct_id) from events', { explain: true }), {
    body: { results: [[7]], explain: { way: 'index', detail: /events_by_distinct_id/ }, rows_read: 60 },
  })
  t.match(await ask(app, 'select max(properties.n) from events', { explain: true }), {
    body: { explain: { way: 'rows', detail: /cannot compute max|properties/ } },
  })
})

t.test('every way of answering a generated query gives the same rows on both engines', async (t) => {
  const apps = await Promise.all(ENGINES.map((engine) => openApp(t, engine)))
  for (const app of apps) await seed(app)
  const now = Date.parse('2026-01-10T00:00:00Z') * 1000
  const bound = fc.option(fc.integer({ min: 0, max: 60 * 40 }), { nil: undefined })
  const ways = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(generatedCount, bound, bound, async (text, from, to) => {
      const timeOf = (minute: number | undefined): number | undefined =>
        minute === undefined ? undefined : (Date.parse('2025-12-01T08:00:00Z') + minute * 60_000) * 1000
      const range = { from: timeOf(from), to: timeOf(to) }
      const results = []
      for (const { deps, first } of apps)
        for (const query of [text, fromRows(text)]) {
          const found = await answer(deps.eventReader, {
            project_id: first.project_id,
            text: query,
            values: {},
            range,
            now,
          })
          ways.set(found.explain.way, (ways.get(found.explain.way) ?? 0) + 1)
          results.push([found.columns, found.types, found.rows.map(found.resultOf), found.more])
        }
      for (const result of results) assert.deepStrictEqual(result, results[0])
    }),
    { numRuns: RUNS, seed: SEED },
  )
  for (const way of ['counts', 'index', 'rows'])
    t.ok((ways.get(way) ?? 0) > RUNS / 10, `${ways.get(way)} queries were answered by way of ${way}`)
  figure(t, { area: 'HogQL', count: RUNS, of: 'queries', result: 'all ways and both engines agree', seed: SEED })
})

onBothEngines(t, 'a project whose events are not all counted is answered from its events', async (t, app) => {
  await seed(app)
  const { events } = app.deps
  const explained = (query: string) => ask(app, query, { explain: true })
  const all = 'select event, count() from events group by event'
  const none = "select event, count() from events where event = 'nothing' group by event"
  t.match(await explained(none), { body: { results: [], explain: { way: 'counts' } } })
  // As after a recount that has not begun: no hour is counted.
  await recount(events)
  t.match((await explained(all)).body.results, [
    ['seen', 40],
    ['paid', 20],
  ])
  t.match(await explained(all), { body: { explain: { way: 'index' } } })
  t.match(await explained(none), { body: { results: [], explain: { way: 'index' } } })
  t.match(await explained("select count() from events where elements_chain = ''"), { body: { results: [[60]] } })
})

onBothEngines(
  t,
  'a plugin sends a query with posthog.api',
  async (t, app) => {
    const plugin = await runPlugin(
      app,
      `export async function onEvent() {
        const query = { kind: 'HogQLQuery', query: 'select event, count() from events group by event' }
        const response = await posthog.api.post('/api/projects/@current/query/', { data: { query } })
        console.log(JSON.stringify((await response.json()).results))
      }`,
    )
    await app.send('PATCH', `${configsUrl(app)}${plugin.config}/`, { body: { api_access: true } })
    await capture(app, [{ event: 'asked' }])
    await ingest(app, [])
    await app.deps.plugins.deliveries.drain()
    t.match(await logOf(app, plugin), [{ message: '[["asked",1]]' }])
  },
  { environment: { SECRET_KEY: '5e'.repeat(32) } },
)
