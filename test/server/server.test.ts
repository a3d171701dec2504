/** The server itself: routing, headers, proxies, rate limits, logs and shutdown. */
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { fastify } from 'fastify'
import pg from 'pg'
import t from 'tap'
import { areas } from '../../src/api/areas.ts'
import { contract, operations } from '../../src/contract/table.ts'
import { bind } from '../../src/http/bind.ts'
import { createRateLimits } from '../../src/http/rate-limits.ts'
import { describeConnectionError } from '../../src/sql/postgres.ts'
import { sql } from '../../src/sql/template.ts'
import { onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { defined } from '../helpers/assertions/items.ts'
import { until } from '../helpers/programs/site.ts'

onBothEngines(t, 'handles trailing slashes, unsupported methods and unknown paths', async (t, { send, first }) => {
  const url = `/api/organizations/${first.organization_id}` as const
  t.equal((await send('GET', url)).text, (await send('GET', `${url}/`)).text, 'the trailing slash is optional')
  t.match(await send('PUT', url, { body: {} }), {
    status: 405,
    headers: { allow: 'GET, HEAD, PATCH, DELETE' },
    body: { type: 'invalid_request', code: 'method_not_allowed', attr: null },
  })
  t.match(await send('DELETE', '/api/organizations/'), { status: 405, headers: { allow: 'GET, HEAD, POST' } })
  t.match(await send('OPTIONS', '/health/live'), { status: 405, headers: { allow: 'GET, HEAD' } })
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    t.match(await send(method, '/api/nothing/', { key: null }), {
      status: 404,
      body: { type: 'invalid_request', code: 'not_found' },
    })
  t.match(await send('HEAD', url), { status: 200, text: '' })
  t.equal((await send('HEAD', url, { key: null })).status, 401, 'HEAD needs a key like GET')
  t.equal((await send('HEAD', url, { key: 'phx_x' })).status, 401)
  t.equal((await send('HEAD', `/api/organizations/x/`)).status, 404)
  t.equal((await send('HEAD', url)).headers['content-length'], (await send('GET', url)).headers['content-length'])
  t.match(await send('HEAD', '/api/organizations/@current/domains/x/verify/'), {
    status: 405,
    headers: { allow: 'POST', 'content-length': /[1-9]/ },
    text: '',
  })
})

onBothEngines(t, 'health checks, contract and reference page need no key', async (t, { send, deps }) => {
  t.match(await send('GET', '/health/live', { key: null }), { status: 200, body: { status: 'ok' } })
  t.match(await send('GET', '/health/ready', { key: null }), { status: 200, body: { status: 'ok' } })
  t.equal((await send('GET', '/health/ready', { key: 'phx_wrong' })).status, 200)
  const served = await send('GET', '/openapi.json', { key: null })
  t.match(served.headers['content-type'], /^application\/json/)
  t.strictSame(served.body, contract)
  const page = await send('GET', '/docs', { key: null })
  t.match(page, { status: 200, headers: { 'content-type': /^text\/html/ }, text: /\/docs\/reference\.js/ })
  t.notMatch(page.text, /https?:\/\//, 'no resources from other hosts')
  const script = await send('GET', '/docs/reference.js', { key: null })
  t.equal(script.status, 200, 'the build creates the script: run `npm run build` first')
  t.match(script.headers['content-type'], /^text\/javascript/)
  t.match(script.text, /createApiReference/)

  deps.lifecycle.draining = true
  t.match(await send('GET', '/health/ready', { key: null }), {
    status: 503,
    headers: { 'retry-after': '5' },
    body: { code: 'unavailable' },
  })
  t.equal((await send('GET', '/health/live', { key: null })).status, 200)
})

/** Compressed sizes may grow by a tenth. */
const SHARED_DOCUMENTS = [
  { path: '/openapi.json', max_age: 300, max_bytes: 90_000 },
  { path: '/docs/reference.js', max_age: 3600, max_bytes: 1_600_000 },
]

for (const { path, max_age, max_bytes } of SHARED_DOCUMENTS)
  t.test(`${path} is compressed, and sent again only when it has changed`, async (t) => {
    const { app } = await openApp(t, 'sqlite')
    const get = (headers: Record<string, string> = {}) => app.inject({ url: path, headers })
    const cached = { 'cache-control': `public, max-age=${max_age}`, vary: 'Accept-Encoding' }
    const plain = await get()
    const etag = String(plain.headers.etag)
    t.match(plain.headers, { ...cached, etag: /^"[\w-]{22}"$/, 'content-encoding': undefined })
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
      ['identity', undefined, (bytes: Buffer) => bytes],
    ] as const) {
      const { statusCode, headers, rawPayload } = await get({ 'accept-encoding': accepted })
      t.match(
        { statusCode, headers },
        { statusCode: 200, headers: { ...cached, 'content-encoding': encoding } },
        accepted,
      )
      t.ok(decode(rawPayload).equals(plain.rawPayload), `${accepted} has the same content`)
      t.equal(headers['content-length'], String(rawPayload.length))
      if (encoding) t.ok(rawPayload.length < max_bytes, `${rawPayload.length} bytes of ${encoding}`)
      t.equal(headers.etag === etag, encoding === undefined, 'each encoding has its own tag')
      for (const known of [String(headers.etag), `"other", W/${headers.etag}`, '*']) {
        const unchanged = await get({ 'accept-encoding': accepted, 'if-none-match': known })
        t.match(unchanged, { statusCode: 304, body: '', headers: { ...cached, etag: headers.etag } }, known)
        t.notOk('content-length' in unchanged.headers)
      }
    }
    t.equal((await get({ 'if-none-match': '"other"' })).statusCode, 200)
  })

t.test('the reference page lists every operation before its script has arrived', async (t) => {
  const { send } = await openApp(t, 'sqlite')
  const { text } = await send('GET', '/docs', { key: null })
  const [before = ''] = text.split('<script')
  t.match(before, `<h1>${contract.info.title}</h1>`)
  t.match(before, 'scopes', 'the description is there')
  for (const { method, path } of operations)
    t.ok(before.includes(`<code>${method} ${path}</code>`), `${method} ${path}`)
})

t.test('readiness checks the database', async (t) => {
  const { send, deps, first } = await openApp(t, 'postgres')
  await deps.db.run(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`,
  )
  t.equal((await send('GET', '/health/ready')).status, 200, 'lost connections are replaced')
  t.equal((await send('GET', `/api/organizations/${first.organization_id}/`)).status, 200)
})

t.test('readiness fails while PostgreSQL accepts no writes', async (t) => {
  const { send, deps } = await openApp(t, 'postgres')
  const other = new pg.Client(deps.config.DATABASE_URL)
  await other.connect()
  t.teardown(() => other.end())
  const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
    const { rows } = await other.query('select current_database() as name')
    await other.query(`set default_transaction_read_only = off`)
    await other.query(`alter database ${rows[0].name} set default_transaction_read_only = ${value}`)
    // The setting is for new connections.
    await other.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
  }
  const create = () => send('POST', '/api/organizations/', { body: { name: 'New' } })
  await setReadOnly('on')
  // The first statement on each ended connection may fail.
  await until(async () => /accepts no writes/.test((await create()).text))
  t.match(await create(), { status: 503, headers: { 'retry-after': '5' }, body: { detail: /accepts no writes/ } })
  t.match(await send('GET', '/health/ready'), { status: 503, body: { detail: /accepts no writes/ } })
  t.equal((await send('GET', '/api/organizations/')).status, 200)

  await setReadOnly('off')
  await until(async () => (await send('GET', '/health/ready')).status === 200)
  await until(async () => (await create()).status === 201)
  t.pass('both work again')
})

t.test('metrics are available on loopback or with the token', async (t) => {
  const { send, app } = await openApp(t, 'sqlite', { environment: { METRICS_TOKEN: 'a-long-enough-token' } })
  await send('GET', '/api/organizations/@current/')
  await send('GET', '/api/organizations/x/')
  const local = await send('GET', '/metrics', { key: null })
  t.match(local, { status: 200, headers: { 'content-type': /^text\/plain/ } })
  t.match(local.text, /workspace_http_requests_total\{operation="organizations\.retrieve",status="200"\} 1\n/)
  t.match(local.text, /workspace_http_requests_total\{operation="organizations\.retrieve",status="404"\} 1\n/)
  t.match(
    local.text,
    /workspace_http_request_duration_seconds_bucket\{le="[\d.]+",operation="organizations\.retrieve"\}/,
  )
  t.match(local.text, /workspace_database_statement_duration_seconds_count \d+/)
  t.match(local.text, /nodejs_eventloop_lag_seconds/)

  const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
    app.inject({ url: '/metrics', remoteAddress, headers })
  t.equal((await from('192.0.2.1')).statusCode, 403)
  for (const name of [
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-forwarded-host',
    'forwarded',
    'x-real-ip',
    'via',
    'cf-connecting-ip',
    'true-client-ip',
    'x-client-ip',
    'x-original-forwarded-for',
  ])
    t.equal((await from('127.0.0.1', { [name]: 'x' })).statusCode, 403, `a local proxy with ${name}`)
  t.equal((await from('192.0.2.1', { authorization: 'Bearer a-long-enough-token' })).statusCode, 200)
  t.equal((await from('192.0.2.1', { authorization: 'Bearer a-long-enough-tokem' })).statusCode, 403)
  t.equal((await from('::1')).statusCode, 200)
  const closed = await openApp(t, 'sqlite')
  t.equal(
    (await closed.app.inject({ url: '/metrics', remoteAddress: '192.0.2.1', headers: { authorization: 'Bearer ' } }))
      .statusCode,
    403,
  )
})

t.test('only the entry that the trusted proxy added is used', async (t) => {
  const { app } = await openApp(t, 'sqlite', { environment: { TRUST_PROXY: 'true', RATE_LIMITS: 'true' } })
  const request = async (url: string, headers: Record<string, string>) =>
    (
      await app.inject({
        url,
        remoteAddress: '10.0.0.1',
        headers: { ...headers, authorization: 'Bearer phx_guess' },
      })
    ).statusCode
  t.equal(await request('/metrics', { 'x-forwarded-for': '192.0.2.1, 127.0.0.1' }), 403, 'metrics trust no proxy')
  const me = '/api/users/@me/'
  for (let i = 0; i < 60; i++)
    t.equal(await request(me, { 'x-forwarded-for': `198.51.100.${i}, 192.0.2.1:${5000 + i}` }), 401)
  t.equal(
    await request(me, { 'x-forwarded-for': '198.51.100.99, 192.0.2.1' }),
    429,
    'a port or an earlier entry does not change the address',
  )
  t.equal(
    await request(me, { forwarded: 'for=198.51.100.1, for="192.0.2.1:80"' }),
    429,
    'the Forwarded header has the same address',
  )
  t.equal(await request(me, { 'x-forwarded-for': '192.0.2.2' }), 401)

  const six = (address: string) => request(me, { 'x-forwarded-for': address })
  for (let i = 0; i < 60; i++) t.equal(await six(i % 2 ? `[2001:db8::1]:${i + 1}` : '2001:DB8:0:0::1'), 401)
  t.equal(await six('2001:db8::1'), 429, 'an IPv6 address has one spelling')
})

t.test('falls back to the address of the proxy if its headers are invalid', async (t) => {
  const { app, first, deps } = await openApp(t, 'sqlite', { environment: { TRUST_PROXY: 'true' } })
  const project = { id: first.project_id }
  const seen = async (headers: Record<string, string>): Promise<string> => {
    const uuid = deps.ids.uuid()
    const { statusCode } = await app.inject({
      method: 'POST',
      url: '/capture/',
      remoteAddress: '::ffff:10.0.0.1',
      headers: { 'content-type': 'application/json', ...headers },
      payload: JSON.stringify({ api_key: first.project_token, uuid, event: 'e', distinct_id: 'd' }),
    })
    t.equal(statusCode, 200)
    const url = `/api/projects/${project.id}/events/${uuid}/` as const
    const { body } = await app
      .inject({ url, headers: { authorization: `Bearer ${first.api_key}` } })
      .then((response) => ({ body: response.json() }))
    return JSON.parse(body.properties).$ip
  }
  const proxy = '10.0.0.1'
  for (const [headers, address] of [
    [{}, proxy],
    [{ 'x-forwarded-for': '192.0.2.1' }, '192.0.2.1'],
    [{ 'x-forwarded-for': '192.0.2.1:5555' }, '192.0.2.1'],
    [{ 'x-forwarded-for': '[::1]:5555' }, '::1'],
    [{ 'x-forwarded-for': '[::ffff:192.0.2.1]:5555' }, '192.0.2.1'],
    [{ 'x-forwarded-for': '2001:DB8::0001' }, '2001:db8::1'],
    [{ 'x-forwarded-for': '192.0.2.1, ' }, proxy],
    [{ 'x-forwarded-for': '' }, proxy],
    [{ 'x-forwarded-for': 'unknown' }, proxy],
    [{ 'x-forwarded-for': '192.0.2.1:port' }, proxy],
    [{ 'x-forwarded-for': '192.0.2.999' }, proxy],
    [{ 'x-forwarded-for': '[192.0.2.1]' }, proxy],
    [{ 'x-forwarded-for': 'fe80::1%eth0' }, proxy],
    [{ 'x-forwarded-for': '1'.repeat(5_000) }, proxy],
    [{ forwarded: 'for=192.0.2.1' }, '192.0.2.1'],
    [{ forwarded: 'for=198.51.100.1, For="[2001:db8::1]:4711";proto=https' }, '2001:db8::1'],
    [{ forwarded: 'for="192.0.2.1' }, proxy],
    [{ forwarded: 'for=_hidden' }, proxy],
    [{ forwarded: 'proto=https' }, proxy],
    [{ forwarded: `for=192.0.2.1;x=${'a'.repeat(4_000)}` }, proxy],
    [{ forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.1:1' }, '192.0.2.1'],
    [{ forwarded: 'proto=https', 'x-forwarded-for': '192.0.2.1' }, '192.0.2.1'],
    [{ forwarded: 'for=192.0.2.1', 'x-forwarded-for': '198.51.100.1' }, proxy],
    [{ forwarded: '"', 'x-forwarded-for': '198.51.100.1' }, proxy],
  ] as [Record<string, string>, string][])
    t.equal(await seen(headers), address, JSON.stringify(headers).slice(0, 100))
})

onBothEngines(t, 'accepts valid request ids and replaces others', async (t, { send }) => {
  t.equal(
    (await send('GET', '/health/live', { headers: { 'x-request-id': 'mine-1' } })).headers['x-request-id'],
    'mine-1',
  )
  t.match(
    (await send('GET', '/health/live', { headers: { 'x-request-id': 'a b\tc' } })).headers['x-request-id'],
    /^0000/,
  )
  t.match((await send('GET', '/api/nothing')).headers['x-request-id'], /^0000/)
})

t.test('an internal error reveals only the request id and is logged', async (t) => {
  const log = new PassThrough()
  let lines = ''
  log.on('data', (chunk) => {
    lines += chunk
  })
  const { send, deps, first } = await openApp(t, 'sqlite', { log })
  await deps.db.exec('alter table projects rename to hidden')
  const response = await send('GET', '/api/organizations/@current/', { headers: { 'x-request-id': 'the-one' } })
  t.match(response, { status: 500, body: { type: 'server_error', code: 'error', attr: null, detail: /the-one/ } })
  t.notMatch(response.text, /projects|sql/i)
  t.match(lines, /no such table: projects/)
  t.match(lines, /"reqId":"the-one"/)
  await send('GET', '/api/signup/99999999-9999-7999-8999-999999999999/?token=link-secret')
  await send('POST', '/api/personal_api_keys/', { body: { label: 'x', scopes: ['*'] } })
  t.match(lines, /"operation":"signup\.retrieve"/)
  for (const secret of [first.api_key, 'link-secret', 'phx_', 'Bearer'])
    t.notOk(lines.includes(secret), 'no secret in the log')
})

onBothEngines(
  t,
  'rate limits count all keys of a user together',
  async (t, { send, key, advance, app, member }) => {
    const [mine, second] = [await key({}), await key({ scopes: ['query:read'] })]
    const statuses: number[] = []
    for (let i = 0; i < 481; i++)
      statuses.push(
        (
          await app.inject({
            url: '/api/users/@me/',
            headers: { authorization: `Bearer ${i % 2 ? mine : second}` },
          })
        ).statusCode,
      )
    t.equal(statuses.filter((status) => status === 200).length, 480)
    const refused = await send('GET', '/api/users/@me/', { key: mine })
    t.match(refused, { status: 429, body: { type: 'throttled_error', code: 'throttled', attr: null } })
    t.ok(Number(refused.headers['retry-after']) > 0 && Number(refused.headers['retry-after']) <= 60)
    t.equal((await send('GET', '/api/users/@me/', { key: await key({}) })).status, 429, 'a new key has the same limit')
    const other = await send('GET', '/api/users/@me/', { key: (await member('other@example.com', 1)).key })
    t.match(
      other,
      { status: 200, headers: { 'ratelimit-limit': '480', 'ratelimit-remaining': '479' } },
      'another user has a separate limit',
    )
    advance(120_000)
    t.equal((await send('GET', '/api/users/@me/', { key: mine })).status, 200)

    for (let i = 0; i < 240; i++)
      await app.inject({ url: '/api/projects/@current/events/', headers: { authorization: `Bearer ${mine}` } })
    t.equal(
      (await send('GET', '/api/projects/@current/events/', { key: second })).status,
      429,
      'events have a separate limit',
    )
    t.equal((await send('GET', '/api/users/@me/', { key: mine })).status, 200)
  },
  { environment: { RATE_LIMITS: 'true' } },
)

t.test('rate limits count invalid keys and signups per address', async (t) => {
  const { app, first } = await openApp(t, 'sqlite', { environment: { RATE_LIMITS: 'true' } })
  const request = async (remoteAddress: string, value: string) =>
    (await app.inject({ url: '/api/users/@me/', remoteAddress, headers: { authorization: `Bearer ${value}` } }))
      .statusCode
  for (let i = 0; i < 60; i++) t.equal(await request('192.0.2.1', 'phx_guess'), 401)
  t.equal(await request('192.0.2.1', 'phx_guess'), 429, 'invalid keys are throttled')
  t.equal(await request('192.0.2.1', first.api_key), 200, 'valid keys from the same address still work')
  t.equal(await request('192.0.2.2', first.api_key), 200)
  const signup = async () =>
    (await app.inject({ url: '/api/signup/99999999-9999-7999-8999-999999999999/?token=x', remoteAddress: '192.0.2.3' }))
      .statusCode
  for (let i = 0; i < 60; i++) await signup()
  t.equal(await signup(), 429)
})

t.test('a Host header that is not a host name is rejected, except with SITE_URL', async (t) => {
  const plain = await openApp(t, 'sqlite')
  const named = await openApp(t, 'sqlite', { environment: { SITE_URL: 'https://site.example/' } })
  const body = { email: 'nobody@example.com', password: 'wrong password' }
  for (const host of ['[', 'a b', 'a:99999', '%', '1.2.3.4.5', 'a/b', 'a@b', '[::1']) {
    const { status, error } = await plain.send('POST', '/api/login/', { body, headers: { host } })
    t.same([status, error?.code], [400, 'parse_error'], host)
    t.equal((await named.send('POST', '/api/login/', { body, headers: { host } })).error?.code, 'invalid_credentials')
  }
  for (const host of ['inside', 'a_b.example.:8000', '127.0.0.1:80', '[::1]:8000', ''])
    t.equal((await plain.send('GET', '/api/users/@me/', { headers: { host } })).status, 200, host)
})

t.test('links use SITE_URL or the headers of a trusted proxy', async (t) => {
  const next = async (app: TestApp, headers: Record<string, string>) => {
    await app.send('POST', '/api/organizations/', { body: { name: 'second' } })
    return (await app.send('GET', '/api/organizations/?limit=1', { headers })).body.next
  }
  const forwarded = { host: 'inside:8000', 'x-forwarded-host': 'outside.example', 'x-forwarded-proto': 'https' }
  t.match(await next(await openApp(t, 'sqlite'), forwarded), /^http:\/\/inside:8000\/api/)
  t.match(
    await next(await openApp(t, 'sqlite', { environment: { TRUST_PROXY: 'true' } }), forwarded),
    /^https:\/\/outside\.example\/api/,
  )
  for (const [sent, origin] of [
    [{ forwarded: 'for=192.0.2.1;proto=https;host=outside.example' }, 'https://outside.example'],
    [{ 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'a b"c' }, 'http://inside:8000'],
    [
      { 'x-forwarded-proto': 'http, https', 'x-forwarded-host': 'client.example, outside.example:8443' },
      'https://outside.example:8443',
    ],
  ] as const) {
    const app = await openApp(t, 'sqlite', { environment: { TRUST_PROXY: 'true' } })
    t.equal(new URL(String(await next(app, { host: 'inside:8000', ...sent }))).origin, origin)
  }
  t.match(
    await next(await openApp(t, 'sqlite', { environment: { SITE_URL: 'https://site.example/' } }), forwarded),
    /^https:\/\/site\.example\/api/,
  )
})

const SECURE = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': /^deny$/i,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': /frame-ancestors 'none'/,
  'cache-control': 'no-store',
}

t.test('every response has security headers', async (t) => {
  const { send, app, first, deps } = await openApp(t, 'sqlite', { environment: { SITE_URL: 'https://site.example' } })
  const domain = await send('POST', '/api/organizations/@current/domains/', { body: { domain: 'headers.example' } })
  const big = { type: 'application/json', payload: `"${'x'.repeat(2 * 1024 * 1024)}"` }
  const responses: [number, string, string, object?][] = [
    [200, 'GET', '/health/live'],
    [200, 'GET', '/health/ready'],
    [200, 'GET', '/metrics'],
    [200, 'GET', '/_preflight/'],
    [200, 'GET', '/docs'],
    [200, 'HEAD', '/docs'],
    [200, 'GET', '/signup/99999999-9999-7999-8999-999999999999/'],
    [200, 'GET', '/api/users/@me/'],
    [200, 'GET', '/api/projects/@current/events/?format=csv'],
    [200, 'GET', '/api/projects/@current/events/?limit=50000'],
    [201, 'POST', '/api/personal_api_keys/', { body: { label: 'x', scopes: ['*'] } }],
    [201, 'POST', '/api/organizations/@current/invites/', { body: { target_email: 'x@example.com' } }],
    [200, 'GET', '/', { headers: { accept: 'text/html' } }],
    [200, 'HEAD', '/login', { headers: { accept: 'text/html' } }],
    [302, 'GET', '/login/google-oauth2/'],
    [204, 'DELETE', `/api/organizations/@current/domains/${domain.body.id}/`],
    [400, 'POST', '/api/organizations/', { body: {} }],
    [401, 'GET', '/api/users/@me/', { key: null }],
    [404, 'GET', '/nothing'],
    [404, 'GET', '/%zz'],
    [405, 'PUT', '/api/users/@me/'],
    [413, 'POST', '/api/organizations/', { raw: big }],
    [415, 'POST', '/api/organizations/', { raw: { type: 'text/plain', payload: 'x' } }],
  ]
  const strict = { ...SECURE, 'strict-transport-security': 'max-age=31536000' }
  for (const [status, method, url, options] of responses)
    t.match(await send(method, url, options), { status, headers: strict }, `${method} ${url} ${status}`)
  t.match((await send('GET', '/docs/reference.js')).headers, { ...strict, 'cache-control': 'public, max-age=3600' })
  const page = await send('GET', '/', { headers: { accept: 'text/html' } })
  const [script] = /\/assets\/[^"]+\.js/.exec(page.text)!
  t.match((await send('GET', script!)).headers, { ...strict, 'cache-control': /^public, max-age=31536000, immutable$/ })
  for (const html of [page, await send('GET', '/docs')])
    t.match(html.headers['content-security-policy'], /default-src '(self|none)'.*base-uri 'none'/, 'HTML has a policy')

  // Pages of other sites send events and may load the contract.
  const shared = { ...strict, 'cross-origin-resource-policy': 'cross-origin' }
  const event = { api_key: first.project_token, event: 'e', distinct_id: 'd' }
  t.match((await send('GET', '/openapi.json')).headers, { ...shared, 'cache-control': 'public, max-age=300' })
  for (const [status, method, url, options] of [
    [200, 'POST', '/capture/', { body: event, headers: { origin: 'https://shop.example' } }],
    [200, 'OPTIONS', '/e/', { key: null, headers: { origin: 'https://shop.example' } }],
    [401, 'POST', '/batch/', { body: { ...event, api_key: 'phc_unknown' } }],
  ] as const)
    t.match(await send(method, url, options), { status, headers: shared }, `${method} ${url} ${status}`)
  await deps.db.exec('alter table projects rename to hidden')
  t.match(await send('GET', '/api/organizations/@current/'), { status: 500, headers: strict })

  const limited = await openApp(t, 'sqlite', { environment: { RATE_LIMITS: 'true' } })
  for (let i = 0; i < 60; i++) await limited.app.inject({ url: '/signup/x/' })
  const throttled = await limited.send('GET', '/signup/x/')
  t.match(throttled, { status: 429, headers: SECURE })
  t.notOk('strict-transport-security' in throttled.headers, 'HSTS is sent only for an https site')

  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  for (const [text, status] of [
    ['nonsense\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nBig: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
  ] as const) {
    const [head, body] = (await exchange(port, text)).split('\r\n\r\n')
    const [first, ...lines] = head!.split('\r\n')
    t.match(first, `HTTP/1.1 ${status} `)
    const headers = lines.map((line) => line.split(': ')).map(([name, value]) => [name!.toLowerCase(), value])
    t.match(Object.fromEntries(headers), strict)
    t.match(JSON.parse(body!), { type: 'invalid_request', code: 'parse_error', attr: null })
  }
})

t.test('the reference page runs only its own scripts', async (t) => {
  const { send } = await openApp(t, 'sqlite')
  const { headers, text } = await send('GET', '/docs', { key: null })
  const policy = new Map(
    String(headers['content-security-policy'])
      .split('; ')
      .map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1)]),
  )
  const nonces = [...text.matchAll(/<script( nonce="([\w-]{22})")?/g)].map(([, , nonce]) => `'nonce-${nonce}'`)
  t.strictSame([...nonces, "'strict-dynamic'"], [nonces[0], ...(policy.get('script-src') ?? [])])
  t.notMatch(text, /\son\w+=|\sstyle=|<style>/, 'no event handlers or styles')
  t.match(Object.fromEntries(policy), {
    'default-src': ["'none'"],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  })
})

t.test('returns an error body for invalid HTTP', async (t) => {
  const { app, first } = await openApp(t, 'sqlite')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const send = (text: string) => exchange(port, text)
  t.match(await send('nonsense\r\n\r\n'), /^HTTP\/1\.1 400 .*"code":"parse_error"/s)
  t.match(await send('GET / HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 400/)
  t.match(
    await send(`GET / HTTP/1.1\r\nHost: x\r\nBig: ${'x'.repeat(70_000)}\r\n\r\n`),
    /^HTTP\/1\.1 431 .*"code":"parse_error"/s,
  )
  t.match(await send('GET /health/live HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200/)
  t.match(await send('HEAD /health/live HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 .*content-length: \d+.*\r\n\r\n$/s)
  t.match(
    await send('POST /api/organizations/ HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n'),
    /^HTTP\/1\.1 401/,
    'rejected before the body is read',
  )
  t.match(
    await send(
      `POST /api/organizations/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${first.api_key}\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n`,
    ),
    /^HTTP\/1\.1 413/,
  )
  t.equal(app.server.headersTimeout, 10_000)
  t.equal(app.server.requestTimeout, 30_000)
})

t.test('parameters of full length arrive through a port', async (t) => {
  const { app, first } = await openApp(t, 'sqlite')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const list = async (text: string) => {
    const url = `http://127.0.0.1:${port}/api/projects/${first.project_id}/events/?event=${encodeURIComponent(text)}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${first.api_key}` } })
    const body: unknown = await response.json()
    return { status: response.status, body }
  }
  const found = { status: 200, body: { results: [] } }
  const maximum = 16_384
  t.match(await list('e'.repeat(maximum)), found)
  t.match(await list('"'.repeat(maximum)), found, 'percent-encoded')
  t.match(await list('e'.repeat(maximum + 1)), { status: 400, body: { code: 'max_length', attr: 'event' } })
  t.match(await list('"'.repeat(2 * maximum)), { status: 431, body: { code: 'parse_error' } })
})

t.test('a shutdown finishes requests in progress', async (t) => {
  const { app, deps, first } = await openApp(t, 'sqlite')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  let release = (): void => undefined
  const held = deps.db.tx(async () => new Promise<void>((resolve) => (release = resolve)))
  const head = `POST /api/organizations/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${first.api_key}\r\nContent-Type: application/json\r\n`
  const arrived = once(app.server, 'request')
  const response = exchange(port, `${head}Content-Length: 13\r\n\r\n{"name": "x"}`)
  await arrived
  const closed = app.close()
  release()
  await held
  t.match(await response, /^HTTP\/1\.1 201/, 'a request that waits for the database gets a response')
  await closed
  t.equal((await deps.db.get<{ n: number }>(sql`select count(*) as n from organizations`))?.n, 2)
})

t.test('a start fails if contract and handlers differ or an operation is public by mistake', async (t) => {
  const { deps } = await openApp(t, 'sqlite')
  await t.rejects(bind(fastify(), deps, {}, createRateLimits(deps), new Map()), {
    message: /No handler: organizations\.list/,
  })
  const operation = defined(operations.find(({ id }) => id === 'domains.list'))
  operation.isPublic = true
  await t.rejects(bind(fastify(), deps, areas(deps), createRateLimits(deps), new Map()), {
    message: /must declare the security of these operations: domains\.list/,
  })
  operation.isPublic = false
})

t.test('every operation has a handler', async (t) => {
  const ids = operations.map((operation) => operation.id)
  t.equal(new Set(ids).size, ids.length)
  for (const operation of operations) t.ok(/^[a-z_0-9]+\.[a-z_0-9]+$/.test(operation.id), operation.id)
})

/** Sends bytes and returns the received text, up to the Content-Length or the end of the connection. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
      const length = /content-length: (\d+)/i.exec(received)?.[1]
      const body = received.split('\r\n\r\n').slice(1).join('\r\n\r\n')
      if (length && body.length >= Number(length)) socket.end()
    })
    socket.on('close', () => resolve(received))
    socket.on('error', () => resolve(received))
  })
}

t.test('requests leave no listeners on a keep-alive connection', async (t) => {
  const { app, first } = await openApp(t, 'sqlite')
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const connected = once(app.server, 'connection')
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  const [served] = (await connected) as [Socket]
  const paths = [`/api/projects/${first.project_id}/events/?event=none`, '/batch/']
  const event = { event: 'seen', distinct_id: 'somebody', properties: { text: 'x'.repeat(20_000) } }
  const body = JSON.stringify({ api_key: first.project_token, batch: [event] })
  const request = async (): Promise<void> => {
    for (const path of paths) {
      const head = `Host: x\r\nAuthorization: Bearer ${first.api_key}\r\n`
      socket.write(
        path === '/batch/'
          ? `POST ${path} HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`
          : `GET ${path} HTTP/1.1\r\n${head}\r\n`,
      )
      const [response] = await once(socket, 'data')
      t.match(String(response), 'HTTP/1.1 200 OK')
    }
  }
  await request()
  const listening = served.listenerCount('close')
  for (let i = 0; i < 5; i++) await request()
  t.equal(served.listenerCount('close'), listening)
})

t.test('an outage of the database is logged once per second, with its cause', async (t) => {
  const log = new PassThrough()
  const lines: Record<string, unknown>[] = []
  log.on('data', (line) => lines.push(JSON.parse(line)))
  const app = await openApp(t, 'postgres', { log })
  const { tx } = app.deps.db
  t.teardown(() => Object.assign(app.deps.db, { tx }))
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  Object.assign(app.deps.db, {
    tx: async () => Promise.reject(describeConnectionError(refused, 'postgres://user:hunter2@db.example:5433/x')),
  })
  const fail = () => app.send('POST', '/api/organizations/', { body: { name: 'Late' } })
  for (let i = 0; i < 20; i++) t.match(await fail(), { status: 503, body: { code: 'unavailable' } })
  const outages = () => lines.filter(({ msg }) => msg === 'requests failed: unavailable')
  t.match(outages(), [{ level: 50, requests: 1, err: { code: 'ECONNREFUSED', host: 'db.example:5433' } }])
  t.equal(outages().length, 1)
  app.advance(1_000)
  await fail()
  t.match(outages()[1], { requests: 20 })
  t.same(
    lines.filter(({ level, msg }) => Number(level) >= 50 && msg !== 'requests failed: unavailable'),
    [],
  )
  t.notMatch(JSON.stringify(lines), /hunter2/)
})

onBothEngines(t, 'a deadlock returns 503 with Retry-After', async (t, { deps, send }) => {
  const { tx } = deps.db
  t.teardown(() => Object.assign(deps.db, { tx }))
  Object.assign(deps.db, { tx: async () => Promise.reject(Object.assign(new Error('deadlock'), { code: '40P01' })) })
  t.match(await send('POST', '/api/organizations/', { body: { name: 'Late' } }), {
    status: 503,
    headers: { 'retry-after': /^\d+$/ },
    body: { type: 'server_error', code: 'unavailable' },
  })
})
