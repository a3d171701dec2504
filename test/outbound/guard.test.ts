import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { request as requestTls } from 'node:https'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import t, { type Test } from 'tap'
import { createOutbound, type Outbound, type ResolveHost } from '../../src/outbound/guard.ts'

/** Resolves names to fixed addresses, or calls a function each time. */
const resolving =
  (names: Record<string, string[] | (() => string[])>): ResolveHost =>
  (host, _, done) => {
    const entry = names[host]
    const addresses = typeof entry === 'function' ? entry() : entry
    if (!addresses) return void setImmediate(done, Object.assign(new Error('no'), { code: 'ENOTFOUND' }), [])
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    setImmediate(done, null, found)
  }

async function listen(t: Test): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = []
  const server = createServer((message, response) => {
    seen.push(String(message.url))
    response.end('here')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { port: (server.address() as AddressInfo).port, seen }
}

const get = (outbound: Outbound, url: string): Promise<number> =>
  new Promise((done, fail) => {
    const { protocol } = new URL(url)
    const send = protocol === 'https:' ? requestTls : request
    send(url, { agent: outbound.agent(protocol as 'http:') }, (response) => {
      response.resume()
      done(Number(response.statusCode))
    })
      .on('error', fail)
      .end()
  })

const resultFor = (outbound: Outbound, host: string, port = 443): Promise<string> =>
  outbound.checkHost(host, port).then(
    () => 'open',
    (error) => error.code,
  )

t.test('allows only public addresses by default', async (t) => {
  const outbound = createOutbound({ resolve: resolving({}) })
  for (const address of ['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '[2606:4700::1111]'])
    t.equal(await resultFor(outbound, address), 'open', address)
  for (const address of [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.9.9.9',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '203.0.113.7',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '[::1]',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:10.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b:1::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%lo',
    'ff02::1',
  ])
    t.equal(await resultFor(outbound, address), 'outbound_refused', address)
  t.equal(await resultFor(outbound, '64:ff9b::8.8.8.8'), 'open', 'a translated public address')
  t.equal(await resultFor(outbound, '::ffff:8.8.8.8'), 'open')
})

t.test('checks the addresses that a name resolves to', async (t) => {
  const outbound = createOutbound({
    resolve: resolving({
      public: ['8.8.8.8'],
      inside: ['10.0.0.1', 'fd00::1'],
      both: ['10.0.0.1', '8.8.8.8'],
      none: [],
    }),
  })
  t.equal(await resultFor(outbound, 'public'), 'open')
  t.equal(await resultFor(outbound, 'inside'), 'outbound_refused')
  t.equal(await resultFor(outbound, 'both'), 'open', 'uses the allowed addresses of several')
  t.equal(await resultFor(outbound, 'none'), 'outbound_unresolved')
  t.equal(await resultFor(outbound, 'nowhere'), 'outbound_unresolved')
  t.equal(await resultFor(createOutbound(), 'localhost'), 'outbound_refused', 'with the system resolver')
  await t.rejects(outbound.checkHost('inside', 1), { message: /"inside".*OUTBOUND_ALLOW/ })
})

t.test('allows the addresses, ranges and names of OUTBOUND_ALLOW, with or without a port', async (t) => {
  const resolve = resolving({ 'db.internal': ['10.9.9.9'], 'other.internal': ['10.9.9.9'] })
  const outbound = createOutbound({
    allow: '127.0.0.1, 192.168.0.0/16:443, fd00::/8, [::1]:9000, DB.internal:5432',
    resolve,
  })
  for (const [host, port, wanted] of [
    ['127.0.0.1', 80, 'open'],
    ['::ffff:127.0.0.1', 80, 'open'],
    ['127.0.0.2', 80, 'outbound_refused'],
    ['192.168.7.7', 443, 'open'],
    ['192.168.7.7', 80, 'outbound_refused'],
    ['fd12::1', 80, 'open'],
    ['::1', 9000, 'open'],
    ['::1', 9001, 'outbound_refused'],
    ['db.internal', 5432, 'open'],
    ['db.internal', 5433, 'outbound_refused'],
    ['other.internal', 5432, 'outbound_refused'],
    ['10.9.9.9', 5432, 'outbound_refused'],
  ] as const)
    t.equal(await resultFor(outbound, host, port), wanted, `${host}:${port}`)
})

t.test('sends requests only to allowed addresses', async (t) => {
  const { port, seen } = await listen(t)
  const resolve = resolving({ name: ['127.0.0.1'] })
  const open = createOutbound({ allow: `127.0.0.1:${port}`, resolve })
  t.equal(await get(open, `http://127.0.0.1:${port}/address`), 200)
  t.equal(await get(open, `http://name:${port}/name`), 200)
  t.strictSame(seen, ['/address', '/name'])

  const closed = createOutbound({ resolve })
  for (const host of ['127.0.0.1', 'name', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])
    for (const protocol of ['http', 'https'])
      await t.rejects(
        get(closed, `${protocol}://${host}:${port}/`),
        { code: 'outbound_refused' },
        `${protocol} ${host}`,
      )
  await t.rejects(get(open, 'http://nowhere/'), { code: 'outbound_unresolved' })
  await t.rejects(
    new Promise((_, fail) =>
      request({ socketPath: '/run/secret.sock', agent: open.agent('http:') })
        .on('error', fail)
        .end(),
    ),
    { code: 'outbound_refused' },
    'a local socket',
  )
  t.equal(seen.length, 2)
})

t.test('rejects a name that resolves to loopback after the check', async (t) => {
  const { port, seen } = await listen(t)
  const responses = [['8.8.8.8'], ['127.0.0.1']]
  const outbound = createOutbound({ resolve: resolving({ 'rebound.example': () => responses.shift()! }) })
  await outbound.checkHost('rebound.example', port)
  await t.rejects(get(outbound, `http://rebound.example:${port}/`), { code: 'outbound_refused' })
  t.strictSame(seen, [])
})

t.test('guards sockets of clients that connect themselves', async (t) => {
  let connections = 0
  const server = createTcp((socket) => {
    connections++
    socket.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const resolve = resolving({ name: ['127.0.0.1'] })
  const open = createOutbound({ allow: '127.0.0.1', resolve })
  await once(open.socket().connect(port, 'name'), 'connect')
  await once(open.socket().connect({ port, host: '127.0.0.1' }), 'connect')
  await new Promise<void>((done) => open.socket().connect(port, '127.0.0.1', done))
  const closed = createOutbound({ resolve })
  for (const connect of [
    () => closed.socket().connect(port, 'name'),
    () => closed.socket().connect(port, '127.0.0.1'),
    () => closed.socket().connect({ port, host: '127.0.0.1' }),
    () => open.socket().connect('/run/postgresql/.s.PGSQL.5432'),
    () => open.socket().connect({ path: '/run/postgresql/.s.PGSQL.5432' }),
  ])
    t.match(await once(connect(), 'error'), [{ code: 'outbound_refused' }])
  t.equal(connections, 3)
})

t.test('connects an allowed_only socket only to addresses of OUTBOUND_ALLOW', async (t) => {
  const server = createTcp((socket) => socket.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const resolve = resolving({ inside: ['127.0.0.1'], public: ['8.8.8.8'], both: ['8.8.8.8', '127.0.0.1'] })
  const outbound = createOutbound({ allow: `127.0.0.1:${port}`, resolve })
  for (const host of ['127.0.0.1', 'inside', 'both']) {
    const socket = outbound.socket({ allowed_only: true }).connect(port, host)
    await once(socket, 'connect')
    t.equal(socket.remoteAddress, '127.0.0.1', host)
  }
  for (const host of ['8.8.8.8', '[2606:4700::1111]', 'public'])
    t.match(await once(outbound.socket({ allowed_only: true }).connect(port, host), 'error'), [
      { code: 'outbound_refused' },
    ])
})
