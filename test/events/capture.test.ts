/** Event capture: request formats, validation errors, limits and SDK configuration. */
import { gzipSync } from 'node:zlib'
import LZString from 'lz-string'
import t from 'tap'
import { operations } from '../../src/contract/table.ts'
import { sql } from '../../src/sql/template.ts'
import { nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { cycled, itemAt } from '../helpers/assertions/items.ts'
import type { Json } from '../helpers/json.ts'
import { until } from '../helpers/programs/site.ts'
import type { BodyOf } from '../helpers/response-bodies.ts'

interface Stored {
  uuid: string
  event: string
  distinct_id: string
  timestamp: number
  properties: Json
  elements_chain: string
}

const stored = async ({ deps }: TestApp): Promise<Stored[]> => {
  const found = await deps.events.all<Stored>(
    sql`select uuid, event, distinct_id, timestamp, properties, elements_chain from events order by seq`,
  )
  return found.map((row) => ({
    ...row,
    properties: typeof row.properties === 'string' ? JSON.parse(row.properties) : row.properties,
  }))
}

const FORM = 'application/x-www-form-urlencoded'
const post = (app: TestApp, payload: unknown, path = '/e/', type: string | null = 'application/json') =>
  app.send('POST', path, {
    key: null,
    raw: {
      ...(type !== null && { type }),
      payload: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
    },
  })

onBothEngines(t, 'accepts every request format, compression and path', async (t, app) => {
  const token = app.first.project_token
  const event = (name: string) => ({ event: name, distinct_id: 'somebody 🦔', properties: { text: 'ümläut 🦔' } })
  const single = (name: string) => ({ api_key: token, ...event(name) })
  const json = (name: string) => JSON.stringify(single(name))
  const base64 = (name: string) => Buffer.from(json(name)).toString('base64')
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
  const multipart = (data: string) =>
    `--frontier-1\r\nContent-Disposition: form-data; name="data"\r\n\r\n${data}\r\n--frontier-1\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n${token}\r\n--frontier-1--\r\n`
  const file = (data: Buffer) =>
    Buffer.concat([
      Buffer.from(
        '--frontier-1\r\nContent-Disposition: form-data; name="data"; filename="blob"\r\nContent-Type: text/plain\r\n\r\n',
      ),
      data,
      Buffer.from('\r\n--frontier-1--\r\n'),
    ])
  const escaped = (data: Buffer) => data.toString('hex').replace(/../g, '%$&')
  const cases: [name: string, payload: unknown, type: string | null, query?: string][] = [
    ['single', single('single'), 'application/json'],
    ['array', [single('array'), single('array, second')], 'application/json'],
    ['batch', { api_key: token, batch: [event('batch'), event('batch, second')] }, 'application/json'],
    ['batch with token', { token, batch: [event('batch with token')] }, 'application/json'],
    ['the token in an event of the batch', { batch: [single('token in event')] }, 'application/json'],
    ['$token', { $token: token, ...event('$token') }, 'application/json'],
    ['properties.token', { ...event('x'), event: 'in properties', properties: { token } }, 'application/json'],
    ['text', json('text'), 'text/plain'],
    ['text in base64', base64('text in base64'), 'text/plain;charset=UTF-8'],
    ['no content type', json('no content type'), null],
    ['a broken content type', json('a broken content type'), 'application/'],
    ['an unknown content type', json('an unknown content type'), 'application/vnd.x+y'],
    ['gzip, undeclared', gzipSync(json('gzip, undeclared')), null],
    ['gzip-js', gzipSync(json('gzip-js')), 'text/plain', '?compression=gzip-js'],
    ['gzip parameter', gzipSync(json('gzip parameter')), 'application/json', '?compression=gzip'],
    ['gzip of base64', gzipSync(base64('gzip of base64')), 'text/plain', '?compression=gzip'],
    ['lz64', LZString.compressToBase64(json('lz64')), 'text/plain', '?compression=lz64'],
    ['form', form({ data: json('form') }), FORM],
    ['form in base64', form({ data: base64('form in base64') }), FORM],
    ['form with spaces for pluses', `data=${base64('form with spaces???>>>').replaceAll('+', '%20')}`, FORM],
    ['form in lz64', form({ data: LZString.compressToBase64(json('form in lz64')), compression: 'lz64' }), FORM],
    ['form in gzip', form({ data: gzipSync(json('form in gzip')).toString('base64'), compression: 'gzip' }), FORM],
    ['form with its token', form({ data: JSON.stringify(event('form with token')), api_key: token }), FORM],
    ['form that is not escaped', `ip=1&data=${json('form that is not escaped')}`, FORM],
    ['form with repeated fields', `${form({ data: 'first' })}&%64ata=${encodeURIComponent(json('last field'))}`, FORM],
    ['form of escaped gzip', `data=${escaped(gzipSync(json('form of escaped gzip')))}`, FORM],
    ['multipart', multipart(JSON.stringify(event('multipart'))), 'multipart/form-data; boundary=frontier-1'],
    ['multipart, quoted', multipart(JSON.stringify(event('quoted'))), 'multipart/form-data; boundary="frontier-1"'],
    [
      'multipart with a file',
      file(gzipSync(json('multipart with a file'))),
      'multipart/form-data; boundary=frontier-1',
    ],
    [
      'NaN and Infinity',
      `{"api_key":"${token}","event":"numbers","distinct_id":"a NaN","properties":{"a":NaN,"b":[-Infinity,1],"c":"NaN \\" Infinity"}}`,
      'application/json',
    ],
  ]
  for (const [name, payload, type, query = ''] of cases)
    t.match(await post(app, payload, `/capture/${query}`, type), { status: 200, body: { status: 1 } }, name)
  t.match(
    await app.send('POST', '/batch', {
      key: null,
      raw: { type: 'application/json', payload: gzipSync(json('Content-Encoding')) },
      headers: { 'content-encoding': 'gzip' },
    }),
    { status: 200 },
  )
  const paths = operations.filter(({ id }) => id.startsWith('capture.') && id.endsWith('_get')).map(({ path }) => path)
  t.strictSame(paths.sort(), ['/batch/', '/capture/', '/e/', '/i/v0/e/'])
  for (const path of paths) {
    t.equal((await post(app, single(`at ${path}`), path)).status, 200)
    t.equal((await post(app, single(`at ${path} without a slash`), path.slice(0, -1))).status, 200)
    const response = await app.send('GET', `${path}?data=${encodeURIComponent(json(`GET ${path}`))}`, { key: null })
    t.match(response, { status: 200, body: { status: 1 } })
    t.match(await app.send('OPTIONS', path, { key: null }), { status: 200, body: { status: 1 } })
  }
  const packed = encodeURIComponent(LZString.compressToBase64(JSON.stringify(event('GET lz64'))))
  t.equal((await app.send('GET', `/e/?compression=lz64&token=${token}&data=${packed}`, { key: null })).status, 200)

  const rows = await stored(app)
  t.equal(rows.length, cases.length + 2 + 1 + 12 + 1)
  const strange = rows.filter(({ distinct_id }) => distinct_id !== 'somebody 🦔')
  t.match(strange, [{ distinct_id: 'a NaN', properties: { a: null, b: [null, 1], c: 'NaN " Infinity' } }])
  t.ok(rows.filter(({ properties }) => properties.text === 'ümläut 🦔').length >= rows.length - 2, 'text is intact')
})

onBothEngines(t, 'names the invalid field, and one invalid event rejects the batch', async (t, app) => {
  const token = app.first.project_token
  const good = { event: 'x', distinct_id: 'a' }
  const eventWith = (changes: object) => ({ api_key: token, ...good, ...changes })
  const batch = (...events: unknown[]) => ({ api_key: token, batch: events })
  const bad = (attr: string | null): [number, string, string | null] => [400, 'invalid_payload', attr]
  const cases: [name: string, payload: unknown, expected: [status: number, code: string, attr: string | null]][] = [
    ['an empty body', '', [400, 'no_data', null]],
    ['an empty object', '{}', [400, 'no_data', null]],
    ['an empty array', '[]', [400, 'no_data', null]],
    ['a trailing comma', `{"api_key":"${token}","event":"x","distinct_id":"a",}`, bad(null)],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), bad(null)],
    ['broken gzip', Buffer.concat([gzipSync('{"a":1}').subarray(0, 15), Buffer.from('nonsense')]), bad(null)],
    ['undefined', 'undefined', bad(null)],
    ['a string', '"text"', [401, 'missing_api_key', null]],
    ['an invalid sent_at', eventWith({ sent_at: 'yesterday' }), bad('sent_at')],
    ['no token', good, [401, 'missing_api_key', null]],
    ['a null token', { api_key: null, ...good }, [401, 'missing_api_key', null]],
    ['an object as token', { ...good, api_key: { a: 1 } }, [401, 'not_string', null]],
    ['an empty token', { ...good, api_key: '' }, [401, 'empty', null]],
    ['a long token', { ...good, api_key: 'p'.repeat(65) }, [401, 'too_long', null]],
    ['a token with non-ASCII letters', { ...good, api_key: 'phc_ü' }, [401, 'not_ascii', null]],
    ['a personal key', { ...good, api_key: app.first.api_key.slice(0, 20) }, [401, 'personal_api_key', null]],
    ['an unknown token', { ...good, api_key: 'phc_unknown' }, [401, 'authentication_failed', null]],
    [
      'an unknown token with invalid events',
      { batch: [null], api_key: 'phc_no' },
      [401, 'authentication_failed', null],
    ],
    ['null in an array', [eventWith({}), null], bad('1')],
    ['null in a batch', batch(good, null), bad('batch__1')],
    ['an empty object in a batch', batch(good, good, {}), bad('batch__2')],
    ['a number in a batch', batch(5), bad('batch__0')],
    ['an empty batch', batch(), bad('batch')],
    ['a string as batch', { api_key: token, batch: 'x' }, bad('batch')],
    ['no event', eventWith({ event: undefined }), bad('event')],
    ['an empty event', eventWith({ event: '' }), bad('event')],
    ['an empty event in a batch', batch(good, { ...good, event: '' }), bad('batch__1__event')],
    ['no distinct_id', eventWith({ distinct_id: undefined }), bad('distinct_id')],
    ['a blank distinct_id', eventWith({ distinct_id: ' ' }), bad('distinct_id')],
    ['a null distinct_id', batch(good, good, good, { ...good, distinct_id: null }), bad('batch__3__distinct_id')],
    ['a NaN distinct_id', `{"api_key":"${token}","event":"x","distinct_id":NaN}`, bad('distinct_id')],
    ['properties as an array', [eventWith({}), eventWith({ properties: [] })], bad('1__properties')],
    ['properties as a string', eventWith({ properties: 'x' }), bad('properties')],
    ['an invalid uuid', eventWith({ uuid: 'x' }), bad('uuid')],
    ['a number as uuid', batch({ ...good, uuid: 5 }), bad('batch__0__uuid')],
    [
      'nested too deeply',
      eventWith({ properties: { a: JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) } }),
      [400, 'invalid_input', null],
    ],
    [
      'extremely nested',
      `{"api_key":"${token}","event":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
      [400, 'invalid_input', null],
    ],
  ]
  for (const [name, payload, [status, code, attr]] of cases) {
    const response = await post(app, payload)
    t.equal(response.status, status, name)
    t.match(response.body, { code, attr, type: status === 401 ? 'authentication_error' : 'validation_error' }, name)
  }
  for (const query of ['compression=gzip', 'compression=gzip-js', 'compression=lz64'])
    t.match(await post(app, eventWith({}), `/e/?${query}`), { status: 400, body: { code: 'invalid_payload' } }, query)
  t.match(await app.send('GET', '/e/', { key: null }), { status: 400, body: { code: 'no_data' } })
  t.match(await app.send('GET', '/e/?data=', { key: null }), { status: 400, body: { code: 'no_data' } })
  t.match(await app.send('POST', '/e/', { key: null }), { status: 400, body: { code: 'no_data' } })
  t.match(await app.send('PUT', '/e/', { key: null }), { status: 405, headers: { allow: /OPTIONS/ } })
  t.same(await stored(app), [], 'no event of the batch is stored')
})

/** 17 kB that lz-string would decompress to 50 million letters: every code is one longer than the previous one. */
function lz64Bomb(): string {
  let bits = ''
  const write = (value: number, width: number) => {
    for (let i = 0; i < width; i++) bits += (value >> i) & 1
  }
  write(0, 2)
  write('x'.charCodeAt(0), 8)
  let [width, room] = [3, 4]
  for (let code = 4; code < 10_000; code++) {
    write(code, width)
    if (--room === 0) room = 2 ** width++
  }
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  return (bits.match(/.{6}/g) ?? []).map((six) => alphabet[Number.parseInt(six, 2)]).join('')
}

onBothEngines(t, 'accepts 20 MiB before and after decompression, and rejects more', async (t, app) => {
  const limit = 20 * 1024 * 1024
  const event = (length: number) =>
    JSON.stringify({
      api_key: app.first.project_token,
      event: 'long',
      distinct_id: 'a',
      properties: { long: 'x'.repeat(length) },
    })
  const tooLarge = { status: 413, body: { code: 'request_too_large', type: 'invalid_request', attr: null } }
  t.match(await post(app, Buffer.alloc(limit + 1, 32)), tooLarge, 'uncompressed')
  const batch = (length: number) =>
    JSON.stringify({
      api_key: app.first.project_token,
      batch: Array.from({ length: 40 }, (_, i) => ({
        event: 'long',
        distinct_id: `a${i}`,
        properties: { long: 'x'.repeat(length / 40) },
      })),
    })
  t.match(await post(app, gzipSync(event(limit))), tooLarge, 'decompressed from gzip')
  t.match(await post(app, gzipSync(gzipSync(Buffer.alloc(limit * 10, 32)))), tooLarge, 'decompressed from gzip in gzip')
  t.match(await post(app, lz64Bomb(), '/e/?compression=lz64'), tooLarge, 'decompressed from lz64')
  t.equal((await stored(app)).length, 0)
  t.equal((await post(app, gzipSync(batch(limit - 4_000)))).status, 200, 'just below the limit')
  const rows = await stored(app)
  t.strictSame(
    rows.map(({ distinct_id }) => distinct_id),
    Array.from({ length: 40 }, (_, i) => `a${i}`),
    'events keep their order',
  )
  t.ok(rows.every(({ properties }) => properties.long.length === (limit - 4_000) / 40 && properties.$ip))
})

onBothEngines(t, 'normalizes events before they are stored', async (t, app) => {
  const token = app.first.project_token
  const uuid = '0193AAAA-BBBB-7CCC-8DDD-EEEEEEEEEEEE'
  const shaped = async (event: object) => {
    t.equal((await post(app, { api_key: token, distinct_id: 'a', event: 'x', ...event })).status, 200)
    return itemAt(await stored(app), -1)
  }
  t.equal((await shaped({ uuid })).uuid, uuid.toLowerCase())
  t.equal((await shaped({ uuid: '0193aaaabbbb7ccc8dddeeeeeeeeeee1' })).uuid, '0193aaaa-bbbb-7ccc-8ddd-eeeeeeeeeee1')
  for (const none of [null, '', undefined]) t.match((await shaped({ uuid: none })).uuid, /^[0-9a-f-]{36}$/)

  for (const [distinct_id, kept] of [
    [2, '2'],
    [0, '0'],
    [1.5, '1.5'],
    [true, 'true'],
    [['a'], '["a"]'],
    [{ a: 1 }, '{"a":1}'],
    ['x'.repeat(250), 'x'.repeat(200)],
    ['🦔'.repeat(250), '🦔'.repeat(200)],
    [' a ', ' a '],
  ])
    t.equal((await shaped({ distinct_id })).distinct_id, kept)
  t.equal((await shaped({ $distinct_id: 'first', properties: { distinct_id: 'second' } })).distinct_id, 'first')
  t.equal((await shaped({ properties: { distinct_id: 'second' } })).distinct_id, 'second')
  t.equal((await shaped({ event: 'x'.repeat(250) })).event, 'x'.repeat(200))
  t.equal((await shaped({ event: { a: 1 } })).event, '{"a":1}')
  t.same((await shaped({ properties: null })).properties, { $ip: '127.0.0.1' })
  t.equal((await shaped({ properties: { $ip: '1.2.3.4' } })).properties.$ip, '1.2.3.4')

  const sent = await shaped({ sent_at: '2026-01-01T00:00:00.123456Z', timestamp: '2026-01-01T00:00:00Z' })
  t.equal(sent.properties.$sent_at, '2026-01-01T00:00:00.123456Z')

  const person = await shaped({
    properties: { $browser: 'Firefox', utm_source: 'x', $set: { a: 1, b: 1 }, $set_once: { c: 1 } },
    $set: { b: 2 },
    $set_once: { c: 2 },
  })
  t.same(person.properties.$set, { $browser: 'Firefox', utm_source: 'x', a: 1, b: 2 })
  t.same(person.properties.$set_once, { $initial_browser: 'Firefox', $initial_utm_source: 'x', c: 2 })
  const impersonal = await shaped({
    properties: { $process_person_profile: false, $browser: 'x', $set: { a: 1 }, $unset: ['a'] },
    $set: { b: 1 },
  })
  t.same(impersonal.properties, { $process_person_profile: false, $browser: 'x', $ip: '127.0.0.1' })

  const clicked = await shaped({
    properties: {
      $elements: [
        {
          tag_name: 'a',
          $el_text: `say "hi" ${'x'.repeat(500)}`,
          attr__class: 'small btn',
          attr__href: `/${'y'.repeat(3000)}`,
          attr__id: 'go',
          nth_child: 1,
          nth_of_type: 2,
          secret: 'x',
        },
        { tag_name: 'div' },
        'nonsense',
      ],
    },
  })
  t.match(
    clicked.elements_chain,
    /^a\.btn\.small:attr__class="small btn"attr__href="\/y{3000}"attr__id="go"attr_id="go"/,
  )
  t.match(
    clicked.elements_chain,
    /href="\/y{2047}"nth-child="1"nth-of-type="2"text="say \\"hi\\" x{391}";div:nth-child="0"/,
  )
  t.notOk('$elements' in clicked.properties)
  t.match(await shaped({ properties: { $elements_chain: 'a:b="c"' } }), {
    elements_chain: 'a:b="c"',
    properties: { $elements_chain: undefined },
  })

  const sanitized = await shaped({ properties: { 'a\0': 'b\0', half: '\ud83e', __proto__: 1 } })
  t.match(sanitized.properties, { 'a\ufffd': 'b\ufffd', half: '\ufffd' })

  const before = (await stored(app)).length
  for (const event of ['$snapshot', '$performance_event', '$$heatmap', '$$client_ingestion_warning'])
    t.equal((await post(app, { api_key: token, event, distinct_id: 'a' })).status, 200)
  for (const event of ['$identify', '$create_alias', '$merge_dangerously', '$groupidentify'])
    await post(app, { api_key: token, event, distinct_id: 'a', properties: { $process_person_profile: false } })
  t.equal((await stored(app)).length, before, 'not stored')
})

onBothEngines(t, 'corrects timestamps by the clock of the server', async (t, app) => {
  const event = { api_key: app.first.project_token, event: 'x', distinct_id: 'a' }
  const now = Date.parse(app.deps.now()) * 1000
  await post(app, { ...event, timestamp: '2021-10-30T03:02:00.123456Z' })
  await post(app, [{ ...event, offset: 6000 }], '/e/?_=1609459200000')
  await post(app, { ...event, timestamp: '2025-12-31T23:50:00Z', sent_at: '2026-01-01T00:00:00Z' })
  await post(app, [{ ...event, timestamp: '2020-12-31T23:50:00Z' }], '/e/?_=1609459200000')
  await post(app, { ...event, timestamp: 'notISO' })
  const [sent, aged, corrected, byQuery, unreadable] = (await stored(app)).map(({ timestamp }) => timestamp)
  const near = (time: number | undefined, wanted: number, name: string) =>
    t.ok(Math.abs(time! - wanted) < 1_000_000, `${name}: ${time! - wanted}`)
  t.equal(sent, Date.parse('2021-10-30T03:02:00.123Z') * 1000 + 456)
  near(aged, now - 6_000_000, 'offset')
  near(corrected, now - 600_000_000, 'corrected')
  near(byQuery, now - 600_000_000, 'corrected by `_` in the query')
  near(unreadable, now, 'unreadable')
})

onBothEngines(t, 'stores an event with the same uuid once and applies it once', async (t, app) => {
  const uuid = '0193aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee'
  const event = (value: number) => ({
    event: `e${value}`,
    distinct_id: `d${value}`,
    uuid,
    properties: { $set: { value } },
  })
  const api_key = app.first.project_token
  t.equal((await post(app, { api_key, batch: [event(1), event(2)] })).status, 200)
  t.equal((await post(app, { api_key, ...event(3) })).status, 200)
  t.match(await stored(app), [{ event: 'e1', distinct_id: 'd1' }])
  const ids = await app.deps.events.all(sql`select distinct_id from person_distinct_ids`)
  t.same(ids, [{ distinct_id: 'd1' }])

  const other = await app.send('POST', '/api/projects/', { body: { name: 'Other' } })
  t.equal((await post(app, { api_key: other.body.api_token, ...event(4) })).status, 200)
  t.equal((await stored(app)).length, 2, 'uuids are unique per project')
})

onBothEngines(t, 'reads and sets no cookie', async (t, app) => {
  const origin = 'https://shop.example'
  for (const cookie of ['workspace_session=wrong', 'workspace_csrf=x; __Host-workspace_session=']) {
    const body = { token: app.first.project_token, event: 'e', distinct_id: 'd' }
    for (const path of ['/e/', '/decide/', '/flags/']) {
      const response = await app.send('POST', path, { key: null, body, headers: { origin, cookie } })
      t.equal(response.status, 200, `${path} ${response.text}`)
      t.notOk('set-cookie' in response.headers)
    }
  }
})

onBothEngines(t, 'accepts requests from pages of any origin', async (t, app) => {
  const request = (method: string, headers: Record<string, string>) =>
    app.send(method, '/e/?data=', { key: null, headers })
  const tracing = 'traceparent, x-of-their-own'
  const preflight = await request('OPTIONS', {
    origin: 'https://shop.example:8443',
    'access-control-request-method': 'POST',
    'access-control-request-headers': tracing,
  })
  t.match(preflight, {
    status: 200,
    body: { status: 1 },
    headers: {
      'access-control-allow-origin': 'https://shop.example:8443',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': /^X-Requested-With, Content-Type, .*, traceparent, x-of-their-own$/,
      vary: 'Origin',
    },
  })
  for (const origin of ['null', 'file://'])
    t.equal((await request('OPTIONS', { origin })).headers['access-control-allow-origin'], '*')
  t.match(
    await request('GET', { origin: 'https://shop.example' }),
    {
      status: 400,
      headers: { 'access-control-allow-origin': 'https://shop.example' },
    },
    'pages can read the error',
  )
  t.notOk('access-control-allow-origin' in (await request('OPTIONS', {})).headers)
  t.notOk(
    'access-control-allow-origin' in
      (await app.send('GET', '/health/live', { headers: { origin: 'https://a.b' } })).headers,
    'other paths do not allow other origins',
  )
})

onBothEngines(t, 'rejects the old token after a reset, and records the first event of a project', async (t, app) => {
  const event = { event: 'x', distinct_id: 'a' }
  const team = async () => (await app.send('GET', '/api/organizations/@current/')).body.teams[0]
  t.equal((await team())?.ingested_event, false)
  t.equal((await post(app, { ...event, api_key: app.first.project_token })).status, 200)
  const reset = await app.send('PATCH', `/api/projects/${app.first.project_id}/reset_token/`)
  app.advance(1_000)
  t.equal((await post(app, { ...event, api_key: app.first.project_token })).status, 401)
  t.equal((await post(app, { ...event, api_key: reset.body.api_token })).status, 200)
  // Recorded after the response.
  await until(() => app.deps.db.get(sql`select 1 from projects where ingested_event = ${true}`))
  t.equal((await team())?.ingested_event, true)
})

for (const engine of nextEngines())
  t.test(`a failed record of the first event of a project is repeated (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const { db } = app.deps
    await db.exec(
      engine === 'sqlite'
        ? `create trigger refuse before update of ingested_event on projects begin select raise(abort, 'refused'); end`
        : `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
           create trigger refuse before update of ingested_event on projects for each row execute function refuse()`,
    )
    const send = () => post(app, { event: 'x', distinct_id: 'a', api_key: app.first.project_token })
    const isMarked = async () => (await app.send('GET', '/api/organizations/@current/')).body.teams[0]?.ingested_event
    t.equal((await send()).status, 200)
    t.equal(await isMarked(), false)
    await db.exec(`drop trigger refuse${engine === 'sqlite' ? '' : ' on projects'}`)
    // Recorded after the response.
    for (let i = 0; i < 100 && !(await isMarked()); i++) t.equal((await send()).status, 200)
    t.equal(await isMarked(), true)
  })

onBothEngines(
  t,
  'limits the requests of a project',
  async (t, app) => {
    // These events are accepted but not stored: only the counting takes time.
    const event = { event: '$snapshot', distinct_id: 'a', api_key: app.first.project_token }
    const responses = []
    const start = Date.parse(app.deps.now())
    for (let i = 0; i < 4_801; i++) {
      // Stops the clock of the test, which otherwise advances with every read.
      app.advance(start - Date.parse(app.deps.now()))
      responses.push(await app.app.inject({ method: 'POST', url: '/e/', payload: event }))
    }
    t.ok(responses.slice(0, 4_800).every(({ statusCode }) => statusCode === 200))
    t.equal(responses.at(-1)?.statusCode, 429)
    t.ok(itemAt(responses, -1).headers['retry-after'])
  },
  { environment: { RATE_LIMITS: 'true' } },
)

onBothEngines(
  t,
  'limits rejected requests per address, and still accepts valid ones',
  async (t, app) => {
    const good = { event: 'x', distinct_id: 'a', api_key: app.first.project_token }
    const bad = [
      JSON.stringify({ ...good, api_key: 'phc_guess' }),
      JSON.stringify({ event: 'x', distinct_id: 'a' }),
      '{"half',
      '',
      JSON.stringify({ ...good, uuid: 'x' }),
      gzipSync('['.repeat(2_000_000)),
    ]
    const start = Date.parse(app.deps.now())
    const request = async (payload: string | Buffer, path = '/e/', from = '192.0.2.1') => {
      // Stops the clock of the test, which otherwise advances with every read.
      app.advance(start - Date.parse(app.deps.now()))
      return app.app.inject({ method: 'POST', url: path, payload, remoteAddress: from })
    }
    const statuses = []
    for (let i = 0; i < 60; i++) statuses.push((await request(cycled(bad, i))).statusCode)
    t.strictSame([...new Set(statuses)].sort(), [400, 401])
    for (const payload of bad) {
      const { statusCode, headers, body } = await request(payload)
      t.equal(statusCode, 429)
      t.match(headers['retry-after'], /^\d+$/)
      t.match(JSON.parse(body), { type: 'throttled_error', code: 'throttled', attr: null })
    }
    for (const path of ['/batch/', '/i/v0/e/', '/decide/', '/flags/'])
      t.equal((await request(itemAt(bad, 0), path)).statusCode, 429, `${path} counts too`)
    t.equal((await request(JSON.stringify(good))).statusCode, 200, 'a valid request works')
    t.equal(
      (await request(gzipSync(JSON.stringify({ ...good, properties: { a: 'x'.repeat(500_000) } })))).statusCode,
      200,
    )
    t.equal((await request(itemAt(bad, 0), '/e/', '192.0.2.2')).statusCode, 401, 'another address has its own limit')
    app.advance(120_000)
    t.equal(
      (await app.app.inject({ method: 'POST', url: '/e/', payload: itemAt(bad, 0), remoteAddress: '192.0.2.1' }))
        .statusCode,
      401,
    )
  },
  { environment: { RATE_LIMITS: 'true' } },
)

onBothEngines(t, 'returns the configuration that SDKs request at start', async (t, app) => {
  const token = app.first.project_token
  const json = JSON.stringify({ token, distinct_id: 'a', groups: {}, person_properties: {} })
  const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
  const configuration = {
    config: { enable_collect_everything: true },
    toolbarParams: {},
    isAuthenticated: false,
    supportedCompression: ['gzip', 'gzip-js'],
    featureFlags: {},
    featureFlagPayloads: {},
    flags: {},
    errorsWhileComputingFlags: false,
    hasFeatureFlags: false,
    sessionRecording: false,
    siteApps: [],
  }
  for (const path of [
    '/decide/',
    '/flags/',
    '/decide',
    '/decide/?v=3&ip=1&_=1609459200000&ver=1.1',
    '/flags/?v=2&config=true',
  ]) {
    const response = await post(app, json, path)
    t.match(response, { status: 200, body: configuration }, path)
    const { flags, featureFlags, requestId } = response.body as BodyOf<'capture.decide'>
    t.strictSame(flags, {})
    t.strictSame(featureFlags, {})
    t.match(requestId, /^[0-9a-f-]{36}$/)
  }
  for (const path of ['/decide/', '/flags/']) {
    const packings: [payload: string | Buffer, type: string, query?: string][] = [
      [JSON.stringify({ api_key: token }), 'application/json'],
      [JSON.stringify({ $token: token }), 'text/plain'],
      [gzipSync(json), 'text/plain', '?compression=gzip-js'],
      [form({ data: Buffer.from(json).toString('base64') }), FORM, '?compression=base64'],
      [LZString.compressToBase64(json), 'text/plain', '?compression=lz64'],
      [JSON.stringify({ long: 'x'.repeat(500_000), token }), 'application/json'],
    ]
    for (const [payload, type, query = ''] of packings)
      t.equal((await post(app, payload, `${path}${query}`, type)).status, 200)
    t.match(await post(app, { token: 'phc_unknown' }, path), { status: 401, body: { code: 'authentication_failed' } })
    t.match(await post(app, { distinct_id: 'a' }, path), { status: 401, body: { code: 'missing_api_key' } })
    t.match(await post(app, { token: 'phx_1' }, path), { status: 401, body: { code: 'personal_api_key' } })
    t.match(await post(app, `{"token":"${token}"`, path), { status: 400, body: { code: 'invalid_payload' } })
    t.match(await post(app, '', path), { status: 400, body: { code: 'no_data' } })
    t.match(await app.send('GET', path, { key: null }), { status: 405, headers: { allow: 'POST, OPTIONS' } })
    const preflight = await app.send('OPTIONS', path, { key: null, headers: { origin: 'https://shop.example' } })
    t.match(preflight, { status: 200, headers: { 'access-control-allow-origin': 'https://shop.example' } })
    const fromPage = await app.send('POST', path, {
      key: null,
      headers: { origin: 'https://shop.example', cookie: 'workspace_session=nonsense' },
      raw: { type: 'application/json', payload: json },
    })
    t.match(fromPage, { status: 200, headers: { 'access-control-allow-origin': 'https://shop.example' } })
  }
  t.same(await stored(app), [], 'nothing is stored')
})
