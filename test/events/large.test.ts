/** Large bodies and events: one request must not block the others. */
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import LZString from 'lz-string'
import t from 'tap'
import { createParserPool, type ParserPool } from '../../src/events/parser-pool.ts'
import type { RawRequest } from '../../src/events/payload.ts'
import { MAX_VALUES, scanPayload } from '../../src/events/token-scan.ts'
import { JsonScanner } from '../../src/json/scan.ts'
import { sql } from '../../src/sql/template.ts'
import { onBothEngines, type TestApp } from '../helpers/app.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { startProcess } from '../helpers/programs/process.ts'

const MEBIBYTE = 1024 * 1024
const LIMIT_BYTES = 20 * MEBIBYTE

const malformed = (position: number) => Object.assign(new Error('malformed'), { position }) as never
const scan = (text: string) => scanPayload(Buffer.from(text), MAX_VALUES, malformed)

t.test('the scanner counts values and levels like JSON.parse', async (t) => {
  const count = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce<number>((sum, child) => sum + count(child), 1)
      : 1
  const passes = (text: string, most: number): boolean => {
    try {
      new JsonScanner(Buffer.from(text), most, malformed).skip()
      return true
    } catch (error) {
      if ((error as { code?: string }).code !== 'invalid_input') throw error
      return false
    }
  }
  const space = fc.constantFrom(undefined, 1, '\t', '\n  ')
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), space, (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const values = count(JSON.parse(text))
      return passes(text, values) && (values === 1 || !passes(text, values - 1))
    }),
    { numRuns: 500 },
  )
  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`
  t.equal(passes(nested(64), 100), true)
  t.equal(passes(nested(66), 100), false)
  t.equal(passes(`"${'['.repeat(1000)}"`, 1), true, 'brackets in a string are text')
  t.equal(passes('["\\\\", "\\"[[", "a,b,c"]', 4), true)
  const long = 'x'.repeat(500)
  t.equal(passes(`["${long}\\"${long}", "${long}\\\\", "${long}\\\\\\"", 1]`, 5), true)
  for (const half of ['[', '{"a":1', '"abc', '["abc', `["${long}`, '["a\\"]', '', ' ', '[1,"\\'])
    t.throws(() => passes(half, 100), { message: 'malformed' }, half)
})

t.test('the scanner finds the same token as a parser', async (t) => {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const reference = (data: unknown): unknown => {
    const within = (value: unknown): unknown[] =>
      isObject(value)
        ? [value.$token, value.token, value.api_key, isObject(value.properties) ? value.properties.token : undefined]
        : []
    const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list.find(isObject) : undefined)
    const batch = isObject(data) ? firstOf(data.batch) : undefined
    return [...within(firstOf(data) ?? data), ...within(batch)].find((token) => token !== undefined && token !== null)
  }
  const token = fc.oneof(fc.constantFrom('phc_a', 'phc_b', 'phc_ü', '', null), fc.string({ maxLength: 5 }))
  const key = fc.constantFrom('token', '$token', 'api_key', 'properties', 'batch', 'event', 'a"\\', 'tok\u0065n')
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'json' },
      token.map((text) => JSON.stringify(text)),
      fc.constantFrom('1', 'true', '[]', '{}', '-1.5e3'),
      // Built by hand for duplicate keys and escaped names.
      fc
        .array(fc.tuple(key, fc.boolean(), tie('value')), { maxLength: 5 })
        .map((members) => members.map(([name, escaped, child]) => `${quoted(name, escaped)} : ${child}`).join())
        .map((members) => `{${members}}`),
      fc.array(tie('value'), { maxLength: 4 }).map((items) => `[ ${items.join(' ,')} ]`),
    ),
  }))
  const quoted = (name: string, escaped: boolean): string =>
    escaped
      ? `"${[...name].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
      : JSON.stringify(name)
  fc.assert(
    fc.property(value, (text) => {
      const found = scan(text).candidates.find((candidate) => candidate !== undefined && candidate !== null)
      const wanted = reference(JSON.parse(text))
      return typeof wanted === 'string' ? found === wanted : typeof wanted === typeof found || isOther(wanted, found)
    }),
    { numRuns: 3_000 },
  )
  function isOther(wanted: unknown, found: unknown): boolean {
    return wanted !== undefined && typeof found === 'object'
  }
  t.same(scan('{"api_key":NaN,"token":-Infinity}').candidates.filter(Boolean), [])
  t.equal(scan(' [ ] ').empty, true)
  t.equal(scan('{}').empty, true)
  t.equal(scan('null').empty, true)
  t.equal(scan('\ufeff{"token":"x"}').candidates[1], 'x')
  for (const text of ['{"a":1,}', '{"a" 1}', '{a:1}', '[1 2]', '[1,]', '{} {}', 'nul', '{"a":tru}', '{"token":"\\x"}'])
    t.throws(() => scan(text), { message: 'malformed' }, text)
})

const send = <const Path extends string = '/batch/'>(
  app: TestApp,
  payload: unknown,
  path = '/batch/' as Path,
  headers: Record<string, string> = {},
) =>
  app.send('POST', path, {
    key: null,
    headers,
    raw: {
      type: 'application/json',
      payload: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
    },
  })

const storedIn = ({ deps }: TestApp) =>
  deps.events.all<{ uuid: string; event: string; distinct_id: string; properties: Json }>(
    sql`select uuid, event, distinct_id, properties from events order by seq`,
  )

onBothEngines(t, 'accepts large bodies in every format', async (t, app) => {
  const { project_token: token } = app.first
  let created = 0
  const event = () => ({ event: 'large', distinct_id: `p${created++}`, properties: { text: 'ümläut 🦔 '.repeat(100) } })
  const events = () => Array.from({ length: 400 }, event)
  const json = (value: object): string => JSON.stringify(value)
  const batch = (): string => json({ batch: events(), api_key: token, sent_at: '2026-01-01T00:00:00Z' })
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
  const FORM = 'application/x-www-form-urlencoded'
  const multipart = (data: string) =>
    `--x-1\r\nContent-Disposition: form-data; name="data"\r\n\r\n${data}\r\n--x-1\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n${token}\r\n--x-1--\r\n`
  // The trailer of the second member has a small length.
  const inTwo = (bytes: Buffer): Buffer =>
    Buffer.concat([bytes.subarray(0, -100), bytes.subarray(-100)].map((part) => gzipSync(part)))
  const cases: [name: string, payload: string | Buffer, type?: string, query?: string][] = [
    ['the token last', batch()],
    ['an array', json(events().map((event) => ({ ...event, api_key: token })))],
    ['gzip', gzipSync(batch())],
    ['gzip with a wrong length', Buffer.concat([gzipSync(batch()).subarray(0, -4), Buffer.alloc(4)])],
    ['two gzip members', inTwo(Buffer.from(batch()))],
    ['lz64', LZString.compressToBase64(batch()), 'text/plain', '?compression=lz64'],
    ['base64', Buffer.from(batch()).toString('base64'), 'text/plain'],
    ['a form', form({ data: json({ batch: events() }), token }), FORM],
    ['multipart', multipart(json({ batch: events() })), 'multipart/form-data; boundary=x-1'],
  ]
  const wanted: string[] = []
  for (const [name, payload, type = 'application/json', query = ''] of cases) {
    const response = await app.send('POST', `/batch/${query}`, { key: null, raw: { type, payload } })
    // The length in the gzip trailer is verified during decompression.
    const broken = name.includes('wrong length')
    t.match(
      response,
      broken ? { status: 400, body: { code: 'invalid_payload' } } : { status: 200, body: { status: 1 } },
      name,
    )
    if (!broken) wanted.push(name)
  }
  const rows = await storedIn(app)
  t.equal(rows.length, wanted.length * 400)
  t.equal(new Set(rows.map(({ distinct_id }) => distinct_id)).size, rows.length)
  t.equal(new Set(rows.map(({ uuid }) => uuid)).size, rows.length, 'each event has a unique id')
  const persons = await app.deps.events.get<{ n: number }>(sql`select count(*) as n from person_distinct_ids`)
  t.equal(Number(persons!.n), rows.length, 'each event has a person')
})

onBothEngines(t, 'rejects invalid large bodies without storing anything', async (t, app) => {
  const { project_token: api_key } = app.first
  const padding = 'x'.repeat(MEBIBYTE)
  const good = { event: 'x', distinct_id: 'a' }
  const cases: [name: string, payload: unknown, status: number, code: string, attr?: string][] = [
    [
      'an unknown token',
      { api_key: 'phc_unknown', batch: [{ ...good, properties: { padding } }] },
      401,
      'authentication_failed',
    ],
    ['no token', { batch: [{ ...good, properties: { padding } }] }, 401, 'missing_api_key'],
    ['a personal key', { padding, api_key: 'phx_1', batch: [good] }, 401, 'personal_api_key'],
    [
      'an invalid event',
      { padding, api_key, batch: [good, { ...good, uuid: 'x' }] },
      400,
      'invalid_payload',
      'batch__1__uuid',
    ],
    ['an invalid sent_at', { padding, api_key, sent_at: 'x', batch: [good] }, 400, 'invalid_payload', 'sent_at'],
    ['a truncated body', JSON.stringify({ padding, api_key, batch: [good] }).slice(0, -1), 400, 'invalid_payload'],
    [
      'a missing comma',
      `{"api_key":"${api_key}","padding":"${padding}","batch":[{"a":1 "b":2}]}`,
      400,
      'invalid_payload',
    ],
    ['not JSON', padding, 400, 'invalid_payload'],
    ['invalid UTF-8', Buffer.alloc(MEBIBYTE, 0xff), 400, 'invalid_payload'],
    [
      'broken gzip',
      gzipSync(Buffer.from(JSON.stringify({ api_key, batch: [good], padding }))).subarray(0, -10),
      400,
      'invalid_payload',
    ],
    ['brackets', gzipSync('['.repeat(LIMIT_BYTES)), 400, 'invalid_input'],
    ['brackets after a token', gzipSync(`{"api_key":"${api_key}","a":${'['.repeat(MEBIBYTE)}`), 400, 'invalid_input'],
    ['empty objects', gzipSync(`[${'{},'.repeat(LIMIT_BYTES / 3 - 2)}{}]`), 400, 'invalid_input'],
    ['numbers', gzipSync(`{"api_key":"${api_key}","batch":[${'1,'.repeat(MAX_VALUES)}1]}`), 400, 'invalid_input'],
  ]
  for (const [name, payload, status, code, attr = null] of cases)
    t.match(await send(app, payload), { status, body: { code, attr } }, name)
  t.same(await storedIn(app), [])
  t.equal((await send(app, { api_key, padding, batch: [good] })).status, 200, 'the next body is accepted')
  t.equal((await storedIn(app)).length, 1)
})

onBothEngines(
  t,
  'parses a body only after its token is accepted, and large bodies only in a parser process',
  async (t, app) => {
    const { parse } = JSON
    t.teardown(() => Object.assign(JSON, { parse }))
    let longest = 0
    const responses = async (payload: unknown): Promise<[status: number, parsed: number]> => {
      const text = JSON.stringify(payload)
      longest = 0
      JSON.parse = (text: string, ...rest: []) => {
        longest = Math.max(longest, text.length)
        return parse(text, ...rest)
      }
      const { statusCode } = await app.app.inject({ method: 'POST', url: '/batch/', payload: text })
      JSON.parse = parse
      return [statusCode, longest]
    }
    const batch = (length: number) => [{ event: 'x', distinct_id: 'a', properties: { long: 'x'.repeat(length) } }]
    const api_key = app.first.project_token
    for (const length of [10_000, 500_000]) {
      const [status, parsed] = await responses({ batch: batch(length), api_key: 'phc_unknown', sent_at: 'nonsense' })
      t.equal(status, 401)
      t.ok(parsed < 1_000, `${parsed} characters were parsed`)
    }
    t.strictSame(await responses({ api_key, batch: batch(10_000) }).then(([status]) => status), 200)
    t.ok(longest > 10_000, 'small bodies are parsed in this process')
    t.strictSame(await responses({ api_key, batch: batch(500_000) }).then(([status]) => status), 200)
    t.ok(longest < 1_000, `${longest} characters of a large body were parsed in this process`)
  },
)

onBothEngines(t, 'rejects events larger than 1 MiB and stores the others', async (t, app) => {
  const api_key = app.first.project_token
  const uuid = '0193aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee'
  // The stored event without its text: {"$process_person_profile":false,"long":"…","$ip":"127.0.0.1"}
  const around = JSON.stringify({ $process_person_profile: false, long: '', $ip: '127.0.0.1' }).length
  const event = (bytes: number, more: object = {}) => ({
    event: 'long',
    distinct_id: 'a',
    properties: { $process_person_profile: false, long: 'x'.repeat(bytes - around) },
    ...more,
  })
  const small = { event: 'small', distinct_id: 'a' }
  const refusal = { code: 'event_too_large', detail: /has 1048577 bytes; the limit is 1048576/ }

  t.match(
    await send(app, { api_key, batch: [small, event(MEBIBYTE + 1, { uuid }), event(MEBIBYTE), event(MEBIBYTE + 1)] }),
    {
      status: 200,
      body: {
        status: 1,
        refused: [
          { index: 1, uuid, ...refusal },
          { index: 3, uuid: null, ...refusal },
        ],
      },
    },
  )
  t.strictSame(
    (await storedIn(app)).map(({ event }) => event),
    ['small', 'long'],
    'the other events are stored',
  )
  const text = (letter: string, count: number) =>
    event(around, { properties: { $process_person_profile: false, long: letter.repeat(count) } })
  t.strictSame(
    (await send(app, { api_key, batch: [small, text('é', 600_000), text('é', 500_000)] })).body.refused?.map(
      ({ index }) => index,
    ),
    [1],
    'bytes are counted, not characters',
  )
  const elements = [{ tag_name: 'a', attr__title: 'x'.repeat(MEBIBYTE) }]
  t.match(
    (await send(app, { api_key, batch: [small, { ...small, properties: { $elements: elements } }] })).body.refused,
    [{ index: 1 }],
    'elements count too',
  )
  const url = { $current_url: `https://shop.example/${'x'.repeat(400_000)}` }
  t.match(
    (await send(app, { api_key, batch: [small, { ...small, properties: url }] })).body.refused,
    [{ index: 1 }],
    'properties copied to the person count too',
  )

  const before = (await storedIn(app)).length
  const alone = { status: 400, body: { type: 'validation_error', code: 'event_too_large' } }
  t.match(await send(app, { api_key, ...event(MEBIBYTE + 1) }, '/e/'), {
    ...alone,
    body: { ...alone.body, attr: null },
  })
  t.match(await send(app, { api_key, batch: [event(MEBIBYTE + 1)] }), {
    ...alone,
    body: { ...alone.body, attr: 'batch__0' },
  })
  t.match(await send(app, [{ api_key, ...event(MEBIBYTE + 1) }]), { ...alone, body: { ...alone.body, attr: '0' } })
  t.match(
    await send(app, { api_key, batch: [event(MEBIBYTE + 1), small, { ...small, event: '' }] }),
    { status: 400, body: { code: 'invalid_payload', attr: 'batch__2__event' } },
    'other errors reject the whole batch',
  )
  t.equal((await storedIn(app)).length, before)
})

const requestOf = (value: unknown): RawRequest => ({
  method: 'POST',
  content_type: 'application/json',
  content_encoding: undefined,
  query: {},
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
})
const BATCH = {
  api_key: 'phc_1',
  batch: Array.from({ length: 1_000 }, (_, i) => ({ event: 'x', distinct_id: `a${i}` })),
}
const sender = { project_id: 1, now: 1, address: '127.0.0.1', keepsSent: false }
const read = (pool: ParserPool, value: unknown = BATCH, accept = async (): Promise<typeof sender | null> => sender) =>
  pool.read(requestOf(value), accept, { uuid: () => 'generated' })

t.test('a parser that crashes or times out fails one request and is replaced', async (t) => {
  const losses: string[] = []
  const poolWith = (timeout_ms: number): ParserPool => {
    const pool = createParserPool({ timeout_ms, memory_mb: 64, onLoss: (reason) => losses.push(reason) })
    t.teardown(() => pool.stop())
    return pool
  }
  // On a busy machine, running out of memory takes longer than a short deadline.
  const pool = poolWith(120_000)
  t.match(await read(pool), {
    events: { length: 1_000, 0: { uuid: 'generated', person: { event_uuid: 'generated' } } },
  })

  const keys = Array.from({ length: 400_000 }, (_, i) => `{"${i.toString(36)}":1}`).join()
  await t.rejects(read(pool, `{"api_key":"phc_1","batch":[${keys}]}`), { code: 'unavailable', retry_after_seconds: 5 })
  t.match(losses, [/crashed/], 'out of memory')
  t.equal((await read(pool)).events.length, 1_000)

  // Accepting the token never finishes.
  const hasty = poolWith(5_000)
  const slow = read(hasty, BATCH, () => new Promise(() => undefined))
  await t.rejects(slow, { code: 'unavailable', retry_after_seconds: 5 })
  t.match(losses[1], /killed .* at its deadline/)
  t.equal((await read(hasty)).events.length, 1_000)
})

t.test('parses few bodies concurrently, the smallest first, and rejects waiting ones on shutdown', async (t) => {
  const pool = createParserPool()
  t.teardown(() => pool.stop())
  const order: string[] = []
  const releases: (() => void)[] = []
  const running = [1, 2].map((i) =>
    read(pool, BATCH, async () => {
      await new Promise<void>((resolve) => releases.push(resolve))
      order.push(`running ${i}`)
      return sender
    }),
  )
  t.equal(pool.busy, true)
  const gone = new AbortController()
  const waits = (name: string, events: number, signal?: AbortSignal) =>
    pool.read(
      requestOf({ ...BATCH, batch: BATCH.batch.slice(0, events) }),
      async () => {
        order.push(name)
        return null
      },
      { uuid: () => '', ...(signal && { signal }) },
    )
  const large = waits('large', 900)
  const small = waits('small', 10)
  const disconnected = waits('left', 5, gone.signal)
  gone.abort()
  await t.rejects(disconnected, { code: 'unavailable' }, 'a body whose client has disconnected is dropped')
  while (releases.length < 2) await pause(5)
  t.strictSame(order, [], 'the other bodies wait')
  itemAt(releases, 0)()
  await Promise.all([large, small])
  t.strictSame(
    order.filter((name) => !name.startsWith('running')),
    ['small', 'large'],
  )
  const held = read(pool, BATCH, () => new Promise((resolve) => releases.push(() => resolve(sender))))
  while (releases.length < 3) await pause(5)
  const late = read(pool)
  pool.drain()
  await t.rejects(late, { code: 'unavailable' })
  await t.rejects(read(pool), { code: 'unavailable' }, 'new requests are rejected')
  for (const release of releases) release()
  t.equal((await held).events.length, 1_000, 'running requests finish')
  await Promise.all(running)
})

t.test('a server error while accepting the token leaves the parser usable', async (t) => {
  const pool = createParserPool()
  t.teardown(() => pool.stop())
  const refuse = async (): Promise<null> => {
    throw new Error('the database is unavailable')
  }
  await t.rejects(read(pool, BATCH, refuse), { message: 'the database is unavailable' })
  await t.rejects(read(pool, '{"api_key":"phc_1",'), { code: 'invalid_payload' })
  await t.rejects(read(pool, '{"event":1}'), { code: 'missing_api_key', name: 'AppError' })
  t.equal((await read(pool)).events.length, 1_000)
})

t.test('SIGTERM during large requests stops the server and its parsers in time', async (t) => {
  const { url, project_token, child } = await startProcess(t, {
    DATABASE_URL: `sqlite:${freshFolder(t)}`,
    SHUTDOWN_SECONDS: '60',
  })
  const keys = Array.from({ length: 300_000 }, (_, i) => `"${i.toString(36)}":1`).join()
  const body = gzipSync(`{"api_key":"${project_token}","event":"x","distinct_id":"a","properties":{"a":{${keys}}}}`)
  const headers = { 'content-encoding': 'gzip' }
  const sent = Array.from({ length: 8 }, () =>
    fetch(`${url}/batch/`, { method: 'POST', body, headers }).then(
      ({ status }) => status,
      () => 0,
    ),
  )
  const children = `/proc/${child.pid}/task/${child.pid}/children` as const
  const parsers = (): string[] =>
    existsSync(children) ? readFileSync(children, 'utf8').trim().split(' ').filter(Boolean) : []
  while (existsSync(children) && parsers().length === 0) await pause(5)
  await pause(100)
  const pids = parsers()
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  t.equal(code, 0)
  t.strictSame(
    (await Promise.all(sent)).filter((status) => ![0, 400, 503].includes(status)),
    [],
    'each request gets a response or was not read yet',
  )
  while (pids.some((pid) => existsSync(`/proc/${pid}`))) await pause(20)
  t.pass('no parser process is running')
})
