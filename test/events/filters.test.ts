/** The `properties` filter, `where` and `select`, the same on both engines. */
import t from 'tap'
import { type ApiResponse, onBothEngines, type TestApp } from '../helpers/app.ts'
import { SIZE } from '../helpers/assertions/figures.ts'
import { cycled, only } from '../helpers/assertions/items.ts'
import type { BodyOf } from '../helpers/response-bodies.ts'
import { insertEvents, insertPerson, NEW_YEAR, recordsOf, uuid } from '../helpers/seeds/events.ts'

const EVENTS = '/api/projects/1/events/'
const SECOND = 1_000_000

const listEvents = (app: TestApp, parameters: Record<string, unknown>) => {
  const texts = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return app.send('GET', `${EVENTS}?${new URLSearchParams(texts)}`)
}

/** The rows of a page with `select`. */
const rowsOf = ({ body }: ApiResponse<BodyOf<'events.list'>>): unknown[][] =>
  body.results.map((row) => (Array.isArray(row) ? row : []))

/** The numbers of the events that pass, in order. */
async function passing(app: TestApp, parameters: Record<string, unknown>): Promise<unknown> {
  const page = await listEvents(app, { ...parameters, orderBy: 'timestamp' })
  return page.error ?? recordsOf(page).map(({ id }) => Number.parseInt(id.slice(-12), 16))
}

const filtered = (app: TestApp, ...items: object[]) => passing(app, { properties: items })

const ROWS: object[] = [
  { $browser: 'Chrome', n: 5, price: 1.5, paid: true, email: 'test@posthog.com' },
  { $browser: 'Safari', n: '5', price: '2', paid: 'true', email: 'other@example.com' },
  { $browser: 'chrome mobile', n: '50', price: 10, paid: false, email: null },
  { n: 5.5, list: ['a'], object: { a: 1 }, '': 'x' },
  { $browser: '', n: 'many', path: '/blog/%_\\x', 'q"uote': 'yes', '$feature/new': 'test' },
]

async function fill(app: TestApp): Promise<void> {
  await insertEvents(
    app.deps.events,
    1,
    ROWS.map((properties, i) => ({
      uuid: uuid(i + 1),
      timestamp: NEW_YEAR - (10 - i) * SECOND,
      properties,
      distinct_id: `d${i}`,
    })),
  )
  await insertEvents(app.deps.events, 2, [{ properties: ROWS[0] }])
}

onBothEngines(t, 'filters by every operator', async (t, app) => {
  await fill(app)
  const cases: [item: Record<string, unknown>, found: number[]][] = [
    [{ key: '$browser', value: 'Safari' }, [2]],
    [{ key: '$browser', value: 'safari' }, []],
    [{ key: '$browser', value: 'Safari', operator: 'exact', label: 'x', property_type: 'String' }, [2]],
    [{ key: '$browser', value: ['Safari', 'Chrome', 'Opera'] }, [1, 2]],
    [{ key: '$browser', value: [] }, [1, 2, 3, 4, 5]],
    [{ key: '$browser', value: '' }, [5]],
    [{ key: 'n', value: '5' }, [1, 2]],
    [{ key: 'n', value: 5 }, [1, 2]],
    [{ key: 'n', value: 5.5 }, [4]],
    [{ key: 'paid', value: true }, [1, 2]],
    [{ key: 'paid', value: 'true' }, [1, 2]],
    [{ key: 'paid', value: ['false'] }, [3]],
    [{ key: '$browser', value: 'Safari', operator: 'is_not' }, [1, 3, 4, 5]],
    [{ key: '$browser', value: ['Safari', 'Chrome'], operator: 'is_not' }, [3, 4, 5]],
    [{ key: '$browser', value: 'CHROME', operator: 'icontains' }, [1, 3]],
    [{ key: '$browser', value: ['mobile', 'saf'], operator: 'icontains' }, [2, 3]],
    [{ key: '$browser', value: 'chrome', operator: 'not_icontains' }, [2, 4, 5]],
    [{ key: '$browser', value: ['chrome', 'saf'], operator: 'not_icontains' }, [4, 5]],
    [{ key: 'email', value: '.*est@.*', operator: 'regex' }, [1]],
    [{ key: 'email', value: '^other|^test', operator: 'regex' }, [1, 2]],
    [{ key: 'email', value: 'test', operator: 'not_regex' }, [2, 3, 4, 5]],
    [{ key: 'price', value: 1.5, operator: 'gt' }, [2, 3]],
    [{ key: 'price', value: '1.5', operator: 'gte' }, [1, 2, 3]],
    [{ key: 'price', value: 2, operator: 'lt' }, [1]],
    [{ key: 'price', value: 2, operator: 'lte' }, [1, 2]],
    [{ key: 'n', value: 5, operator: 'gt' }, [3, 4]],
    [{ key: 'price', value: 2, operator: 'gt', negation: true }, [1, 2]],
    [{ key: '$browser', value: 'Safari', negation: true }, [1, 3, 4, 5]],
    [{ key: '$browser', operator: 'is_set' }, [1, 2, 3, 5]],
    [{ key: '$browser', operator: 'is_not_set' }, [4]],
    [{ key: 'email', operator: 'is_set' }, [1, 2]],
    [{ key: 'email', operator: 'is_not_set', value: 'is_not_set' }, [3, 4, 5]],
    [{ key: '$browser', operator: 'is_set', negation: true }, [4]],
    [{ key: 'list', value: '["a"]' }, [4]],
    [{ key: 'object', value: '{"a":1}' }, [4]],
    [{ key: 'q"uote', value: 'yes' }, [5]],
    [{ key: 'path', value: '\\%\\_', operator: 'icontains' }, [5]],
    [{ key: '$feature/new', value: 'test', type: 'feature' }, [5]],
    [{ key: "properties.$browser = 'Chrome' or properties.n = 'many'", type: 'hogql' }, [1, 5]],
    [{ key: "x' or 1=1 --", value: 'x' }, []],
  ]
  for (const [item, found] of cases) t.strictSame(await filtered(app, item), found, JSON.stringify(item))
})

onBothEngines(t, 'accepts every shape of the filter', async (t, app) => {
  await fill(app)
  const browser = (value: string) => ({ key: '$browser', value })
  const cases: [properties: unknown, found: number[]][] = [
    [[], [1, 2, 3, 4, 5]],
    [{}, [1, 2, 3, 4, 5]],
    [[browser('Chrome'), { key: 'n', value: 5 }], [1]],
    [[browser('Chrome'), browser('Safari')], []],
    [{ type: 'OR', values: [browser('Chrome'), browser('Safari')] }, [1, 2]],
    [{ type: 'and', values: [browser('Chrome'), { key: 'n', value: 5 }] }, [1]],
    [
      {
        type: 'AND',
        values: [
          { type: 'OR', values: [browser('Chrome'), browser('Safari')] },
          { type: 'OR', values: [{ key: 'paid', value: 'true' }] },
        ],
      },
      [1, 2],
    ],
    [{ type: 'OR', values: [] }, [1, 2, 3, 4, 5]],
    [{ $browser: 'Safari' }, [2]],
    [{ $browser__icontains: 'chrome', n__is_not: '5' }, [3]],
    [{ $browser: ['Safari', 'Chrome'] }, [1, 2]],
  ]
  for (const [properties, found] of cases)
    t.strictSame(await passing(app, { properties }), found, JSON.stringify(properties))
  t.strictSame(await passing(app, { 'properties[]': browser('Safari') as never }), [2], 'in brackets')
  t.strictSame(await passing(app, { properties: [browser('Chrome')], event: 'seen', after: '-1d' }), [1])
})

onBothEngines(t, 'compares dates by whole days and times by whole seconds', async (t, app) => {
  const values = [
    '2026-04-01',
    '2026-04-01 12:30:45',
    '01/04/2026',
    1775046645,
    '1775046645123',
    '2026-04-02T00:00:00Z',
    'no date',
    '2026-03-31T23:59:59.5Z',
    'Wed, 01 Apr 2026 14:30:45 +0200',
  ]
  await insertEvents(
    app.deps.events,
    1,
    values.map((when, i) => ({ uuid: uuid(i + 1), timestamp: NEW_YEAR - (10 - i) * SECOND, properties: { when } })),
  )
  const on = (operator: string, value: unknown) => filtered(app, { key: 'when', operator, value })
  t.strictSame(await on('is_date_exact', '2026-04-01'), [1, 2, 3, 4, 5, 9])
  t.strictSame(await on('is_date_exact', '2026-04-01 12:30:45'), [2, 4, 5, 9], 'milliseconds are ignored')
  t.strictSame(await on('is_date_before', '2026-04-01'), [8])
  t.strictSame(await on('is_date_before', '2026-04-01 12:30:46'), [1, 2, 3, 4, 5, 8, 9])
  t.strictSame(await on('is_date_exact', 'Wed, 1 Apr 2026 12:30:45 GMT'), [2, 4, 5, 9], 'RFC 822')
  t.strictSame(await on('is_date_after', '2026-04-01'), [6], 'not later on that day')
  t.strictSame(await on('is_date_after', '2026-04-01 12:00:00'), [2, 4, 5, 6, 9])
  t.strictSame(await on('is_date_before', 1775046645), [1, 3, 8])
})

onBothEngines(t, 'filters by person properties and page elements', async (t, app) => {
  const { events } = app.deps
  await insertPerson(events, 1, { id: uuid(77), distinct_ids: ['ann'], properties: { email: 'ann@example.com' } })
  await insertPerson(events, 1, {
    id: uuid(78),
    distinct_ids: ['bob'],
    properties: { email: 'bob@example.com', age: 7 },
  })
  const chains = [
    'a.btn.small:attr__type="x"href="/a-1"nth-child="1"nth-of-type="1"text="Say \\"hi\\"";div.box:nth-child="2"nth-of-type="1"',
    'button.btn:attr_id="save"href="/A-2/URL"nth-child="3"nth-of-type="0";form.wide:nth-child="0"nth-of-type="0";div:nth-child="0"nth-of-type="0"',
    'span.btn-large:nth-child="0"nth-of-type="0"text="42";a.btn.link:href="https://b/url?q=1"nth-child="0"nth-of-type="0"text="Go"',
    '',
  ]
  await insertEvents(
    events,
    1,
    chains.map((elements_chain, i) => ({
      uuid: uuid(i + 1),
      timestamp: NEW_YEAR - (10 - i) * SECOND,
      elements_chain,
      distinct_id: cycled(['ann', 'bob', 'nobody', 'ann'], i),
    })),
  )
  const person = (item: object) => filtered(app, { type: 'person', ...item })
  t.strictSame(await person({ key: 'email', value: 'ann@example.com' }), [1, 4])
  t.strictSame(await person({ key: 'email', value: 'ann@example.com', operator: 'is_not' }), [2, 3])
  t.strictSame(await person({ key: 'email', operator: 'is_not_set' }), [3])
  t.strictSame(await person({ key: 'age', operator: 'gt', value: 6 }), [2])
  t.strictSame(await passing(app, { where: [`person.id = '${uuid(78)}'`] }), [2])

  const element = (key: string, value: unknown, operator = 'exact') =>
    filtered(app, { type: 'element', key, value, operator })
  for (const [key, value, operator, found] of [
    ['tag_name', 'a', 'exact', [1, 3]],
    ['tag_name', ['button', 'span'], 'exact', [2, 3]],
    ['tag_name', 'a', 'is_not', [2, 4]],
    ['tag_name', [], 'exact', []],
    ['tag_name', [], 'is_not', [1, 2, 3, 4]],
    ['selector', '.btn', 'exact', [1, 2, 3]],
    ['selector', ['.btn'], 'exact', [1, 2, 3]],
    ['selector', '.small', 'exact', [1]],
    ['selector', 'a.small.btn', 'exact', [1]],
    ['selector', ['.small', '.link'], 'exact', [1, 3]],
    ['selector', '.bt', 'exact', []],
    ['selector', '#save', 'exact', [2]],
    ['selector', 'button:nth-child(3)', 'exact', [2]],
    ['selector', '[type="x"]', 'exact', [1]],
    ['selector', 'a[href="/a-1"]', 'exact', [1]],
    ['selector', 'div > .btn', 'exact', [1]],
    ['selector', 'div .btn', 'exact', [1, 2]],
    ['selector', 'div > form > button', 'exact', [2]],
    ['selector', '.btn', 'is_not', [4]],
    ['href', '/a-1', 'exact', [1]],
    ['href', ['/a-1', 'https://b/url?q=1'], 'exact', [1, 3]],
    ['href', '/a', 'exact', []],
    ['href', '/a-1', 'is_not', [2, 3, 4]],
    ['href', 'UrL', 'icontains', [2, 3]],
    ['href', 'url', 'not_icontains', [1, 4]],
    ['href', '/[aA]-.+', 'regex', [1, 2]],
    ['href', '/[aA]-.+', 'not_regex', [3, 4]],
    ['text', '"HI"', 'icontains', [1]],
    ['text', 'Say "hi"', 'exact', [1]],
    ['text', 'Go', 'exact', [3]],
    ['text', null, 'is_set', [1, 3]],
    ['text', null, 'is_not_set', [2, 4]],
  ] as const)
    t.strictSame(await element(key, value, operator), found, `${key} ${operator} ${JSON.stringify(value)}`)
})

onBothEngines(t, 'names the invalid filter item', async (t, app) => {
  await fill(app)
  const cases: [properties: unknown, code: string, attr: string][] = [
    ['invalid_json', 'invalid_input', 'properties'],
    [5, 'invalid_input', 'properties'],
    [[5], 'invalid_input', 'properties__0'],
    [[{ value: 'x' }], 'required', 'properties__0__key'],
    [[{ key: 'a', value: 1 }, { key: 'b' }], 'required', 'properties__1__value'],
    [[{ key: 'a', value: null }], 'required', 'properties__0__value'],
    [[{ key: 'a', value: {} }], 'invalid_input', 'properties__0__value'],
    [[{ key: 'a', value: 1, operator: 'like' }], 'invalid_choice', 'properties__0__operator'],
    [[{ key: 'a', value: 1, type: 'thing' }], 'invalid_choice', 'properties__0__type'],
    [[{ key: 'id', value: 1, type: 'cohort' }], 'unsupported_property_type', 'properties__0__type'],
    [[{ key: 'a', value: 1, type: 'group', group_type_index: 0 }], 'unsupported_property_type', 'properties__0__type'],
    [[{ key: '$session_duration', value: 1, type: 'session' }], 'unsupported_property_type', 'properties__0__type'],
    [[{ key: 'a', value: 'x', operator: 'gt' }], 'invalid_input', 'properties__0__value'],
    [[{ key: 'a', value: '?.', operator: 'regex' }], 'invalid_input', 'properties__0__value'],
    [[{ key: 'a', value: '(?=x)', operator: 'not_regex' }], 'invalid_input', 'properties__0__value'],
    [[{ key: 'a', value: 'soon', operator: 'is_date_after' }], 'invalid_input', 'properties__0__value'],
    [
      [{ key: 'a', value: '2026-01-01', operator: 'is_date_exact', negation: true }],
      'invalid_input',
      'properties__0__negation',
    ],
    [[{ key: 'nothing = ', type: 'hogql' }], 'invalid_input', 'properties__0__key'],
    [[{ key: 'unknown = 1', type: 'hogql' }], 'invalid_input', 'properties__0__key'],
    [[{ key: 'count() > 1', type: 'hogql' }], 'invalid_input', 'properties__0__key'],
    [[{ key: 'event', type: 'hogql' }], 'invalid_input', 'properties__0__key'],
    [[{ key: 'class', value: 'x', type: 'element' }], 'invalid_choice', 'properties__0__key'],
    [
      [{ key: 'tag_name', value: 'x', type: 'element', operator: 'icontains' }],
      'invalid_choice',
      'properties__0__operator',
    ],
    [[{ key: 'selector', value: 'a:hover', type: 'element' }], 'invalid_input', 'properties__0__value'],
    [{ type: 'XOR', values: [] }, 'invalid_input', 'properties__type'],
    [
      { type: 'OR', values: [{ type: 'AND', values: [{ key: 'a' }] }] },
      'required',
      'properties__values__0__values__0__value',
    ],
    [
      [
        { key: 'a', value: 1 },
        { type: 'AND', values: [] },
      ],
      'invalid_input',
      'properties',
    ],
  ]
  for (const [properties, code, attr] of cases)
    t.match(
      await listEvents(app, { properties }),
      { status: 400, body: { type: 'validation_error', code, attr } },
      JSON.stringify(properties),
    )
  let deep: unknown = { key: 'a', value: 1 }
  for (let i = 0; i < 1000; i++) deep = { type: 'AND', values: [deep] }
  t.match(await listEvents(app, { properties: deep }), { status: 400, body: { type: 'validation_error' } })
})

onBothEngines(t, 'compares a property with a number as a number, and with a text as text', async (t, app) => {
  const values = [
    9,
    '9',
    10,
    '10.0',
    '1e1',
    9.5,
    -3,
    '+2',
    ' 10 ',
    '0x10',
    'Infinity',
    'nan',
    '1,000',
    '',
    null,
    true,
    [1],
  ]
  await insertEvents(
    app.deps.events,
    1,
    values.map((n, i) => ({
      uuid: uuid(i),
      timestamp: NEW_YEAR - (100 - i) * SECOND,
      distinct_id: `d${i}`,
      properties: { n, nested: { n } },
    })),
  )
  await insertPerson(app.deps.events, 1, { id: uuid(1), distinct_ids: ['d0'], properties: { age: '33' } })
  const numbers = [0, 1, 2, 3, 4, 5, 6, 7]
  const others = values.map((_, i) => i).filter((i) => !numbers.includes(i))
  const cases: [where: string, found: number[]][] = [
    ['properties.n < 10', [0, 1, 5, 6, 7]],
    ['properties.n <= 10', numbers],
    ['properties.n > 9', [2, 3, 4, 5]],
    ['properties.n >= 9.5', [2, 3, 4, 5]],
    ['properties.n = 10', [2, 3, 4]],
    ['properties.n != 10', [0, 1, 5, 6, 7, ...others]],
    ['not properties.n < 10', [2, 3, 4, ...others]],
    ['10 > properties.n', [0, 1, 5, 6, 7]],
    ['10 = properties.n', [2, 3, 4]],
    ['properties.n in (9, 10)', [0, 1, 2, 3, 4]],
    ['properties.n not in (9, 10)', [5, 6, 7]],
    ['properties.n between 9 and 9.9', [0, 1, 5]],
    ['properties.nested.n < 10', [0, 1, 5, 6, 7]],
    ['person.properties.age > 4', [0]],
    ["properties.n < '10'", [6, 7, 8, 9, 12, 13]],
    ["properties.n = '10'", [2]],
    ["properties.n in ('9', '10')", [0, 1, 2]],
  ]
  for (const [where, found] of cases) t.strictSame(await passing(app, { where }), found, where)
  t.match(await passing(app, { where: 'properties.n + 1 < 10' }), { attr: 'where__0', detail: /Use toFloat/ })
})

onBothEngines(t, 'selects columns and conditions with HogQL', async (t, app) => {
  await fill(app)
  await insertEvents(app.deps.events, 1, [
    { uuid: uuid(9), event: 'bought', timestamp: NEW_YEAR - SECOND, properties: { n: 5 } },
  ])
  t.strictSame(await passing(app, { where: ["properties.n = '5'", "event = 'seen'"] }), [1, 2])
  t.strictSame(await passing(app, { where: "properties.n = '5'" }), [1, 2, 9])

  const select = async (parameters: Record<string, unknown>) => (await listEvents(app, parameters)).body
  t.strictSame(await select({ select: ['event', 'count()'] }), {
    next: null,
    columns: ['event', 'count()'],
    types: ['String', 'UInt64'],
    results: [
      ['seen', 5],
      ['bought', 1],
    ],
  })
  t.strictSame((await select({ select: ['event', 'count() as n'], where: ['n > 1'] })).results, [['seen', 5]])
  t.match(await select({ select: ['properties.n', 'distinct_id', "concat(event, '!')"], event: 'seen' }), {
    types: ['Nullable(String)', 'String', 'String'],
    results: [
      ['5', 'd1', 'seen!'],
      ['5', 'd0', 'seen!'],
      ['5.5', 'd3', 'seen!'],
      ['50', 'd2', 'seen!'],
      ['many', 'd4', 'seen!'],
    ],
  })
  const paged = await listEvents(app, { select: ['uuid', 'timestamp'], limit: '4' })
  t.strictSame(
    rowsOf(paged).map(([id]) => id),
    [9, 5, 4, 3].map(uuid),
  )
  await insertEvents(app.deps.events, 1, [{ uuid: uuid(99), timestamp: NEW_YEAR + 60 * SECOND }])
  app.advance(120_000)
  const rest = await app.follow(paged)
  t.strictSame(
    rowsOf(rest).map(([id]) => id),
    [2, 1].map(uuid),
    'later events do not shift the pages',
  )
  t.equal(rest.body.next, null)
  const [star] = only(rowsOf(await listEvents(app, { select: ['*'], where: ["event = 'bought'"] })))
  t.match(star, {
    uuid: uuid(9),
    event: 'bought',
    properties: { n: 5 },
    team_id: 1,
    distinct_id: 'somebody',
    person: null,
  })
  t.strictSame(
    (await select({ select: ['properties.n as amount', 'event -- What it was'], where: ["event = 'bought'"] })).columns,
    ['amount', 'What it was'],
  )
  t.strictSame(
    (
      await select({
        select: ['distinct_id'],
        orderBy: ['-distinct_id'],
        limit: '1',
        event: 'seen',
        before: '2026-01-01',
      })
    ).results,
    [['d4']],
  )
  t.strictSame((await select({ select: ["concat('a -- b', event) -- c"], where: ["event = 'bought'"] })).results, [
    ['a -- bbought'],
  ])
  t.strictSame(
    (await select({ select: ['distinct_id'], orderBy: ['distinct_id DESC'], limit: '1', event: 'bought' })).results,
    [['somebody']],
  )
  const times = await select({ select: ['timestamp', '[timestamp]', '(1, timestamp)'], where: ["event = 'bought'"] })
  t.match(times, { types: ["DateTime64(6, 'UTC')"] })
  const time = '2025-12-31T23:59:59.000Z'
  t.strictSame(times.results, [[time, [time], [1, time]]], 'times are ISO 8601')
  t.equal((star as { timestamp: string }).timestamp, time)
  t.equal(
    (await listEvents(app, { select: ['timestamp', '[timestamp]'], format: 'csv', where: ["event = 'bought'"] })).text,
    `timestamp,[timestamp]\r\n${time},"[""${time}""]"\r\n`,
  )
  t.strictSame((await select({ select: ['person'], where: ["event = 'bought'"] })).results, [
    [{ distinct_id: 'somebody' }],
  ])
  const csv = await listEvents(app, {
    select: ['event', 'count()', "'=1'"],
    format: 'csv',
    where: ["event = 'bought'"],
  })
  t.equal(csv.text, "event,count(),'=1'\r\nbought,1,'=1\r\n")

  for (const [parameters, attr] of [
    [{ select: ['event', 'nothing'] }, 'select__1'],
    [{ select: ['event'], where: ['event ='] }, 'where__0'],
    [{ select: ['event'], orderBy: ['oops'] }, /^(orderBy|select)/],
    [{ where: ['count() > 1'] }, 'where__0'],
    [{ where: ['event'] }, 'where__0'],
    [{ select: ['event'], cursor: 'zzz' }, 'cursor'],
  ] as const)
    t.match(
      await listEvents(app, parameters),
      { status: 400, body: { type: 'validation_error', attr } },
      JSON.stringify(parameters),
    )
})

onBothEngines(
  t,
  'rejects strings that are too long for the engine',
  async (t, app) => {
    await insertEvents(app.deps.events, 1, [{ uuid: uuid(1), event: 'e', timestamp: NEW_YEAR - SECOND }])
    /** A hundred times as long with every level. */
    const grown = (levels: number): string =>
      levels === 0 ? 'event' : `replaceAll(${grown(levels - 1)}, 'e', '${'e'.repeat(100)}')`
    const refused = { status: 400, body: { type: 'validation_error', code: 'result_too_large', attr: null } }
    t.match(await listEvents(app, { select: [grown(6)] }), refused)
    t.match(await listEvents(app, { properties: [{ type: 'hogql', key: `length(${grown(6)}) > 1` }] }), refused)
    if (SIZE !== 'quick') {
      t.match(await listEvents(app, { where: [`length(${grown(6)}) > 1`] }), refused)
      t.match(await listEvents(app, { select: [`replaceAll(${grown(4)}, 'e', 'ee')`] }), refused, 'one cell of 200 MB')
    }
    t.match((await listEvents(app, { select: [`length(${grown(3)})`] })).body, { results: [[1_000_000]] })
  },
  { environment: { EVENTS_QUERY_TIMEOUT_MS: '60000' } },
)
