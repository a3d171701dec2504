/** More plugins in the style of public ones, with the code that their authors write. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { Attachment } from '../../src/plugins/runtime/messages.ts'
import type { Configuration } from '../../src/plugins/runtime/sandbox.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import {
  configurationOf,
  createMemoryHost,
  eventOf,
  fixturePlugin,
  incomingEventOf,
  GENEROUS_LIMITS as LIMITS,
  type MemoryHost,
  openSandbox,
  returnedEventOf,
} from '../helpers/seeds/sandbox.ts'

t.setTimeout(120_000)

interface RecordedRequest {
  method: string
  url: string
  headers: Record<string, unknown>
  body: Buffer
}

interface Reply {
  status?: number
  headers?: Record<string, string>
  json?: unknown
}

async function openService(t: Test, reply: (request: RecordedRequest, url: string) => Reply) {
  const requests: RecordedRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const recorded = { method, url, headers, body: Buffer.concat(chunks) }
    requests.push(recorded)
    const { status = 200, headers: sent = {}, json = {} } = reply(recorded, service.url)
    response.writeHead(status, sent).end(status === 304 ? undefined : JSON.stringify(json))
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.closeAllConnections() ?? server.close())
  await new Promise((done) => server.once('listening', done))
  const service = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
  return service
}

const fileOf = (key: string, file_name: string, content_type: string, text: string): Attachment => ({
  key,
  file_name,
  content_type,
  base64: Buffer.from(text).toString('base64'),
})

/** Opens fixtures in one sandbox. */
function openPlugins(t: Test, host: MemoryHost = createMemoryHost({ allow: '127.0.0.1/32' })) {
  const sandbox = openSandbox(t)
  const lines: string[] = []
  return {
    host,
    lines,
    sandbox,
    open: (name: string, config: object = {}, attachments: Attachment[] = []): Configuration =>
      configurationOf(fixturePlugin(name), { config, attachments }),
    /** The events that a transformation returns; null for a dropped one. */
    transform: async (plugin: Configuration, ...events: [properties: object, event?: object][]) => {
      const sent = events.map(([properties, event]) => incomingEventOf(properties, event))
      const result = await sandbox.each(plugin, 'processEvent', sent, LIMITS, host)
      t.equal(result.error, undefined)
      return result.outcomes.map((outcome, i) =>
        outcome === null || typeof outcome === 'object'
          ? outcome
          : returnedEventOf(typeof outcome === 'boolean' ? itemAt(sent, i) : outcome),
      )
    },
    call: async (plugin: Configuration, kind: 'tasks' | 'jobs', name: string, ...args: unknown[]) => {
      const result = await sandbox.once(plugin, { kind, name }, args, LIMITS, host)
      t.equal(result.error, undefined, name)
      lines.push(...result.lines.map(({ level, message }) => `${level} ${message}`))
    },
  }
}

t.test('enrichment, schemas and filters of events', async (t) => {
  const { open, transform } = openPlugins(t)
  const ranges = fileOf('ranges', 'ranges.csv', 'text/csv', 'block,country\r\n"10.0.0.0/8",AT\r\n192.168.1.0/24,CH\r\n')
  t.match(
    await transform(
      open('geo-enrich', { overwrite: 'No' }, [ranges]),
      [{ $ip: '10.1.2.3' }],
      [{ $ip: '192.168.1.9' }],
      [{ $ip: '10.0.0.1', $geoip_disable: true }],
    ),
    [
      {
        properties: { $geoip_country_code: 'AT' },
        $set: { $geoip_country_code: 'AT' },
        $set_once: { $initial_geoip_country_code: 'AT' },
      },
      { properties: { $geoip_country_code: 'CH' }, $set: {} },
      { properties: { $geoip_country_code: undefined } },
    ],
  )
  const schema = { page: { properties: { url: 'string', n: 'number?', tags: 'string[]?', at: 'datetime?' } } }
  const file = fileOf('schema', 'schema.json', 'application/json', JSON.stringify(schema))
  const wrong = { n: 'x', tags: [1], at: 'never' }
  t.match(await transform(open('schema-enforcer', {}, [file]), [{ url: '/', n: 1, at: '2024-01-02' }], [wrong]), [
    { properties: { $schema_errors: undefined } },
    {
      properties: {
        $schema_errors: [
          'SchemaError: Missing url',
          'SchemaError: n is not number?',
          'SchemaError: tags is not string[]?',
          'SchemaError: at is not datetime?',
        ],
      },
    },
  ])
  t.match(await transform(open('schema-enforcer', { mode: 'throw' }, [file]), [wrong]), [
    { error: { name: 'SchemaError', message: 'Missing url' } },
  ])
  t.strictSame(await transform(open('schema-enforcer', { mode: 'drop' }, [file]), [wrong], [{}, { event: 'other' }]), [
    null,
    null,
  ])
  const kept = await transform(
    open('sample-events', { percentage: '50' }),
    ...Array.from({ length: 40 }, (_, i): [object, object] => [{}, { distinct_id: `user ${i % 20}` }]),
  )
  const persons = kept.filter(Boolean).map(({ distinct_id }) => distinct_id)
  t.ok(persons.length > 3 && persons.length < 17, `${persons.length} of 20 persons`)
  t.equal(new Set(persons).size, persons.length, 'the second event of a person is dropped')
})

t.test('times, browsers and sources', async (t) => {
  const { open, transform, host } = openPlugins(t)
  t.match(
    await transform(open('timestamp-parser', { timeZone: 'America/New_York' }), [
      {},
      { timestamp: '2024-06-01T02:20:30.000Z', now: '2024-06-02T02:20:30.000Z' },
    ]),
    [
      {
        properties: {
          day: '01',
          month: '06',
          year: '2024',
          day_of_the_week: 'Saturday',
          hour: '02',
          local_time: '2024-05-31 22:20',
          local_day: 'Friday',
          age: 'yesterday',
          is_weekend: true,
        },
      },
    ],
  )
  const chrome = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/125.0.6422.60 Safari/537.36'
  const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5) Version/17.5 Mobile/15E148 Safari/604.1'
  t.match(await transform(open('browser-details'), [{ $user_agent: chrome }], [{ $user_agent: phone }], [{}]), [
    { properties: { $browser: 'chrome', $browser_version: '125.0.6422', $os: 'Mac OS', $browser_type: 'Desktop' } },
    { properties: { $browser: 'safari', $browser_version: '17.5', $os: 'iOS', $browser_type: 'Mobile' } },
    {},
  ])
  t.match(
    await transform(
      open('first-touch'),
      [{ $referrer: 'https://www.example.com/a' }],
      [{ utm_source: 'mail' }],
      [{}, { distinct_id: 'bob é' }],
    ),
    [
      { properties: { first_source: 'example.com', is_first: true }, $set_once: { first_source: 'example.com' } },
      { properties: { first_source: 'example.com' }, $set_once: undefined },
      { properties: { first_source: 'direct' } },
    ],
  )
  t.strictSame([...host.storage.keys()], ['first:ada', 'first:bob%20%C3%A9'])
})

t.test('messages and uploads', async (t) => {
  const { open, sandbox, host } = openPlugins(t)
  let status = 200
  const service = await openService(t, () => ({ status }))
  const message = open('slack-message', {
    webhookUrl: 'https://hooks.example.com/x',
    events: 'paid, page',
    threshold: 5,
  })
  const events = [{ amount: 1234.5, B: '<b>', a: 1, $ip: 'x' }, { amount: 1 }].map((properties) => eventOf(properties))
  const { outcomes } = await sandbox.each(
    message,
    'composeWebhook',
    [...events, eventOf({}, { event: 'x' })],
    LIMITS,
    host,
  )
  const [first, second, none] = outcomes.map((outcome) => (typeof outcome === 'string' ? JSON.parse(outcome) : outcome))
  t.equal(none, null)
  t.match(JSON.parse(first.body), {
    text: '*page* by ada: $1,234.50',
    attachments: [
      {
        color: '#ff0000',
        ts: 1717237230,
        fields: [{ title: 'a' }, { title: 'amount' }, { title: 'B', value: '&lt;b&gt;' }],
      },
    ],
  })
  t.match(JSON.parse(second.body).attachments[0].color, '#36a64f')

  const bucket = { endpoint: service.url, bucket: 'b', key: 'k', secret: 's', region: 'us-east-1', compression: 'gzip' }
  const upload = open('s3-export', { ...bucket, prefix: 'events/', eventsToIgnore: 'noise', uploadKilobytes: 1 })
  const many = Array.from({ length: 12 }, (_, n) =>
    eventOf({ n, text: 'é'.repeat(60) }, { event: n % 6 ? 'page' : 'noise' }),
  )
  const done = await sandbox.each(upload, 'onEvent', many, LIMITS, host)
  t.match(done, { outcomes: { length: 12 }, error: undefined })
  const sent = service.requests.flatMap(({ body }) => gunzipSync(body).toString().split('\n'))
  t.ok(service.requests.length > 1)
  t.strictSame(
    sent.map((line) => JSON.parse(line).properties.n),
    [1, 2, 3, 4, 5, 7, 8, 9, 10, 11],
  )
  t.match(service.requests[0], {
    method: 'PUT',
    url: /^\/b\/events\/\d{4}-\d\d-\d\d\/\d{8}T\d{6}Z-[0-9a-f]{16}\.jsonl\.gz$/,
    headers: {
      authorization:
        /^AWS4-HMAC-SHA256 Credential=k\/\d{8}\/us-east-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/,
    },
  })
  status = 503
  t.match(await sandbox.each(upload, 'onEvent', many.slice(1, 3), LIMITS, host), {
    error: { name: 'RetryError', retry: true, stage: 'flush', message: 'S3 is down: 503' },
  })
})

t.test('imports with cursors, pages and jobs', async (t) => {
  const { open, call, host, lines } = openPlugins(t)
  let failures = 2
  const ticket = (id: number) => ({
    id,
    subject: `Ticket ${id}`,
    requester: `user ${id}`,
    updated_at: `2024-06-0${id}T00:00:00Z`,
  })
  const service = await openService(t, ({ url, headers }, address): Reply => {
    if (url.startsWith('/stars')) {
      if (headers['if-none-match'] === '"2"') return { status: 304 }
      const page = Number(new URL(url, address).searchParams.get('page'))
      const json = [{ starred_at: '2024-06-01T00:00:00Z', user: { login: `star ${page}`, id: page } }]
      return page === 1
        ? { json, headers: { link: `<${address}/stars?page=2>; rel="next", <${address}/stars?page=2>; rel="last"` } }
        : { json, headers: { etag: '"2"' } }
    }
    if (failures-- > 0) return { status: 429, headers: { 'retry-after': '1' } }
    const isFirst = !url.includes('&page=2')
    return {
      json: {
        tickets: isFirst ? [ticket(1), ticket(2)] : [ticket(3)],
        next_page: isFirst ? `${address}${url}&page=2` : null,
      },
    }
  })
  const tickets = open('import-tickets', { host: service.url, user: 'ada', token: 'secret', ignored: '[2]' })
  await call(tickets, 'tasks', 'runEveryMinute')
  t.strictSame(
    host.captured.map(({ event, properties }) => [event, properties.distinct_id, properties.timestamp]),
    [
      ['ticket updated', 'user 1', '2024-06-01T00:00:00Z'],
      ['ticket updated', 'user 3', '2024-06-03T00:00:00Z'],
    ],
  )
  t.equal(service.requests.length, 4, 'two were repeated')
  t.match(service.requests[0], {
    url: '/tickets?since=0&per_page=2',
    headers: { authorization: `Basic ${Buffer.from('ada/token:secret').toString('base64')}` },
  })
  await call(tickets, 'tasks', 'runEveryMinute')
  t.equal(host.captured.length, 2, 'the second run finds nothing new')
  t.strictSame(lines, [
    'LOG imported 2 {"since":0,"newest":1717372800}',
    'LOG imported 0 {"since":1717372800,"newest":1717372800}',
  ])

  const stars = open('import-stars', { host: service.url })
  host.captured.length = 0
  await call(stars, 'tasks', 'runEveryHour')
  const [job] = host.jobs
  t.match(job, { name: 'importPage', payload: { url: `${service.url}/stars?page=2` }, delay_ms: 5_000 })
  await call(stars, 'jobs', 'importPage', job?.payload)
  await call(stars, 'jobs', 'importPage', job?.payload)
  t.strictSame(
    host.captured.map(({ properties }) => [properties.distinct_id, properties.$set]),
    [
      ['star 1', { id: 1 }],
      ['star 2', { id: 2 }],
    ],
  )
  t.equal(lines.at(-1), 'DEBUG Nothing new.')
})
