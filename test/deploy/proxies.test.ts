/** The examples in deploy/ with real proxies. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestOptions, request as requestHttp, type Server } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { itemAt } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { SELF_SIGNED } from '../helpers/peers/certificate.ts'
import { freePort } from '../helpers/programs/postgres.ts'
import { startProcess } from '../helpers/programs/process.ts'

const NAME = 'workspaces.example.com'
/** The client's address differs from the address of the proxy. */
const CLIENT_ADDRESS = '127.0.0.2'
const MIB = 1024 * 1024

interface Ports {
  http: number
  https: number
  /** The port of the server behind the proxy. */
  server: number
}

/** Replaces each text of an example exactly as often as it occurs, and at least once. */
function filledIn(file: string, replacements: [from: string, to: string][]): string {
  let example = readFileSync(file, 'utf8').replace(/^\s*#.*$/gm, '')
  for (const [from, to] of replacements) {
    if (!example.includes(from)) throw new Error(`${file} does not contain ${from}.`)
    example = example.replaceAll(from, to)
  }
  return example
}

const PROXIES: Record<string, (folder: string, ports: Ports) => [program: string, args: string[]]> = {
  nginx: (folder, ports) => {
    for (const [name, value] of Object.entries(SELF_SIGNED)) writeFileSync(join(folder, `${name}.pem`), value)
    const site = filledIn('deploy/nginx.conf', [
      [`/etc/letsencrypt/live/${NAME}/fullchain.pem`, join(folder, 'cert.pem')],
      [`/etc/letsencrypt/live/${NAME}/privkey.pem`, join(folder, 'key.pem')],
      [NAME, 'localhost'],
      ['listen 80;', `listen 127.0.0.1:${ports.http};`],
      ['listen 443 ', `listen 127.0.0.1:${ports.https} `],
      ['127.0.0.1:8000', `127.0.0.1:${ports.server}`],
    ])
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${join(folder, kind)};`,
    )
    const file = join(folder, 'nginx.conf')
    writeFileSync(
      file,
      `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${join(folder, 'pid')}; error_log stderr;
      events {} http { access_log off; ${temporary.join(' ')}\n${site} }`,
    )
    return ['nginx', ['-p', folder, '-e', 'stderr', '-c', file]]
  },
  caddy: (folder, ports) => {
    const site = filledIn('deploy/Caddyfile', [
      [NAME, 'localhost'],
      ['127.0.0.1:8000', `127.0.0.1:${ports.server}`],
    ])
    const file = join(folder, 'Caddyfile')
    const options = ['admin off', 'local_certs', 'skip_install_trust', 'default_bind 127.0.0.1']
    const own = [
      `http_port ${ports.http}`,
      `https_port ${ports.https}`,
      `storage file_system ${join(folder, 'storage')}`,
    ]
    writeFileSync(file, `{\n${[...options, ...own].join('\n')}\n}\n${site}`)
    return ['caddy', ['run', '--adapter', 'caddyfile', '--config', file]]
  },
}

const PACKAGES: Record<string, string> = { nginx: 'nginx-light', caddy: 'caddy' }

function requireProgram(name: string): void {
  if (spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${name}`]).status !== 0)
    throw new Error(`No ${name} found. Install it ("apt-get install ${PACKAGES[name]}") and run the tests again.`)
}

/** Starts a proxy with the example of deploy/ and waits until it accepts connections. */
async function startProxy(t: Test, name: string, server: number): Promise<Ports> {
  requireProgram(name)
  const folder = freshFolder(t)
  mkdirSync(join(folder, 'home'))
  const ports = { http: await freePort(), https: await freePort(), server }
  const [program, args] = PROXIES[name]!(folder, ports)
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: join(folder, 'home') },
  })
  const errors = text(child.stderr)
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await exited
  })
  await Promise.race([
    Promise.all([accepts(ports.http), accepts(ports.https)]),
    exited.then(async () => Promise.reject(new Error(`${name} has ended: ${await errors}`))),
  ])
  return ports
}

async function accepts(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const [event] = await Promise.race([
      once(socket, 'connect').then(() => ['connect']),
      once(socket, 'error').then(() => ['error']),
    ]).catch(() => ['error'])
    socket.destroy()
    if (event === 'connect') return
    await pause(50)
  }
}

interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: Json
}

/** Sends a request to the proxy over TLS. */
async function send(
  port: number,
  path: string,
  options: RequestOptions & { body?: string | Buffer } = {},
): Promise<Answer> {
  const { body, headers, ...rest } = options
  const request = requestHttps({
    host: '127.0.0.1',
    servername: 'localhost',
    port,
    path,
    localAddress: CLIENT_ADDRESS,
    rejectUnauthorized: false,
    agent: false,
    headers: {
      host: `localhost:${port}`,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
    ...rest,
  })
  // A proxy may answer and close before it has read a body that is too large.
  request.on('error', () => undefined)
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const received = await text(response)
  const isJson = response.headers['content-type']?.includes('json')
  return {
    status: Number(response.statusCode),
    headers: response.headers,
    body: isJson ? JSON.parse(received) : received,
  }
}

/** Headers that a client must not be able to forge. */
const FORGED = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': 'evil.example',
  forwarded: 'for=203.0.113.9;host=evil.example;proto=http',
}

for (const name of Object.keys(PROXIES)) {
  t.test(`${name} forwards TLS, addresses and large bodies`, async (t) => {
    const server = await startProcess(t, { DATABASE_URL: `sqlite:${freshFolder(t)}`, TRUST_PROXY: 'true' })
    const ports = await startProxy(t, name, Number(new URL(server.url).port))
    const api = { authorization: `Bearer ${server.api_key}` }
    const capture = (events: object[]): Promise<Answer> =>
      send(ports.https, '/batch/', {
        method: 'POST',
        headers: FORGED,
        body: JSON.stringify({ api_key: server.project_token, batch: events }),
      })

    const redirect = requestHttp(`http://127.0.0.1:${ports.http}/docs?a=b`, { headers: { host: 'localhost' } }).end()
    const [redirected] = (await once(redirect, 'response')) as [IncomingMessage]
    redirected.resume()
    t.equal(redirected.statusCode, 308)
    t.match(redirected.headers.location, /^https:\/\/localhost(:\d+)?\/docs\?a=b$/)

    t.match(await capture([{ event: 'small', distinct_id: 'd' }]), { status: 200, body: { status: 1 } })
    const listed = await send(ports.https, '/api/projects/@current/events/?limit=1', { headers: { ...api, ...FORGED } })
    t.match(listed.headers, { 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' })
    t.equal(JSON.parse(listed.body.results[0].properties).$ip, CLIENT_ADDRESS, 'the address of the client is stored')

    await send(ports.https, '/api/organizations/', { method: 'POST', headers: api, body: '{"name":"Second"}' })
    const { body } = await send(ports.https, '/api/organizations/?limit=1', { headers: { ...api, ...FORGED } })
    t.match(
      body.next,
      `https://localhost:${ports.https}/api/organizations/`,
      'links have the scheme and host of the client',
    )

    const large = (bytes: number): object[] =>
      Array.from({ length: 20 }, () => ({ event: 'large', distinct_id: 'd', properties: { x: 'x'.repeat(bytes) } }))
    t.match(await capture(large(1_000_000)), { status: 200, body: { status: 1 } }, 'a body of 20 MB arrives')
    t.match(
      await capture(large(1_075_000)),
      { status: 413, body: { code: 'request_too_large' } },
      'the server itself rejects a larger body',
    )
    t.equal((await capture(large((22 * MIB) / 20))).status, 413, 'a much larger body is rejected')

    const all = await send(ports.https, '/api/projects/@current/events/?event=large', { headers: api })
    t.equal(all.status, 200)
    t.equal(all.body.results?.length, 20, 'a response of 20 MB is streamed')
  })

  t.test(`${name} passes on parts of a response at once, and reuses connections`, async (t) => {
    let connections = 0
    let proceed: (() => void) | undefined
    const seen: IncomingMessage[] = []
    const upstream: Server = createServer(async (request, reply) => {
      seen.push(request)
      reply.writeHead(200, { 'content-type': 'text/csv' })
      reply.write('first\n')
      // Without the first part, the client never asks for the second.
      await new Promise<void>((resolve) => {
        proceed = resolve
      })
      reply.end('second\n')
    })
    upstream.on('connection', () => connections++)
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    t.teardown(() => upstream.close())
    const ports = await startProxy(t, name, (upstream.address() as AddressInfo).port)
    for (let i = 0; i < 2; i++) {
      const request = requestHttps({
        host: '127.0.0.1',
        servername: 'localhost',
        port: ports.https,
        localAddress: CLIENT_ADDRESS,
        rejectUnauthorized: false,
        agent: false,
        headers: { host: `localhost:${ports.https}`, ...FORGED },
      }).end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const [part] = await once(response, 'data')
      t.equal(String(part), 'first\n')
      proceed?.()
      t.equal(await text(response), 'second\n')
    }
    t.equal(connections, 1)
    t.match(seen[0]?.headers, {
      host: `localhost:${ports.https}`,
      'x-forwarded-for': CLIENT_ADDRESS,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': `localhost:${ports.https}`,
    })
    t.notOk(itemAt(seen, 0).headers.forwarded)
  })
}
