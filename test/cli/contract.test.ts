/** `contract check` against this server on both engines, and against a proxy that falsifies responses. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { operations } from '../../src/contract/table.ts'
import { inTurn } from '../helpers/assertions/figures.ts'
import { defined } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { emptyDatabase } from '../helpers/programs/postgres.ts'
import { command, ended, programFile, startProcess } from '../helpers/programs/process.ts'

interface Finding {
  operation: string
  request: string
  result: string
  detail: string | null
}

async function check(words: string[]): Promise<{ code: number | null; ok: boolean; findings: Finding[] }> {
  const { code, stdout, stderr } = await ended(command(['contract', 'check', '--json', ...words], {}))
  if (!stdout) throw new Error(stderr)
  return { code, ...JSON.parse(stdout) }
}

// Each engine and each dialect once.
const SERVERS = [
  ['sqlite', 'standard'],
  ['postgres', 'posthog'],
] as const

/** Operations that would change the owner of the key or send mail, and those without a resource to request. */
const SKIPPED = [
  'members.update',
  'users.update',
  'users.request_email_verification',
  'password_reset.request',
  'plugin_failed_deliveries.replay',
  'signup.accept',
  'password_reset.complete',
  'password_reset.check',
  'sso.begin',
  'sso.complete',
  'capture.array_config',
  'capture.site_app',
  'members.remove',
  ...operations.filter(({ needsSession }) => needsSession).map(({ id }) => id),
]

for (const [engine, dialect] of inTurn(SERVERS))
  t.test(`this server conforms to the contract (${engine}, ${dialect})`, async (t) => {
    const database = engine === 'postgres' ? await emptyDatabase() : { url: `sqlite:${t.testdir()}`, drop: () => {} }
    t.teardown(database.drop)
    const { url, api_key } = await startProcess(t, {
      DATABASE_URL: database.url,
      SECRET_KEY: 'ab'.repeat(32),
      DIALECT: dialect,
    })
    const count = async (path: string): Promise<number> => {
      const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${api_key}` } })
      const list = (await response.json()) as Json
      return (list.results ?? list).length
    }
    const current = async (): Promise<unknown> => {
      const response = await fetch(`${url}/api/users/@me/`, { headers: { authorization: `Bearer ${api_key}` } })
      return response.json()
    }
    const before = await current()
    const report = join(freshFolder(t), 'report.xml')
    const { code, ok, findings } = await check([
      '--base-url',
      url,
      '--key',
      defined(api_key),
      '--junit',
      report,
      '--dialect',
      dialect,
    ])
    t.same(
      findings.filter(({ result }) => result === 'failed'),
      [],
    )
    t.same([code, ok], [0, true])
    t.same(
      findings
        .filter(({ result }) => result === 'skipped')
        .map(({ operation }) => operation)
        .sort(),
      SKIPPED.toSorted(),
    )
    t.same(new Set(findings.map(({ operation }) => operation)), new Set(operations.map(({ id }) => id)))
    t.same(
      [await count('/api/organizations/'), await count('/api/personal_api_keys/')],
      [1, 1],
      'it deletes the resources it created',
    )
    t.same(await current(), before, 'the caller and `@current` are unchanged')
    const xml = readFileSync(report, 'utf8')
    t.match(xml, `tests="${findings.length}" failures="0" skipped="${SKIPPED.length}"`)
    t.equal(xml.match(/<testcase /g)?.length, findings.length)
  })

/** A proxy that changes responses of the real server. */
async function falsifyingProxy(
  t: Test,
  target: string,
  falsify: (request: IncomingMessage, response: { status: number; type: string; text: string }) => void,
): Promise<{ url: string; methods: Set<string> }> {
  const methods = new Set<string>()
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    methods.add(String(request.method))
    const body = await buffer(request)
    const real = await fetch(`${target}${request.url}`, {
      method: request.method,
      headers: Object.fromEntries(
        ['authorization', 'content-type'].flatMap((name) =>
          request.headers[name] ? [[name, request.headers[name]]] : [],
        ),
      ) as Record<string, string>,
      ...(body.length > 0 && { body }),
    })
    const falsified = {
      status: real.status,
      type: real.headers.get('content-type') ?? '',
      text: await real.text(),
    }
    falsify(request, falsified)
    response.writeHead(falsified.status, falsified.type ? { 'content-type': falsified.type } : {}).end(falsified.text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, methods }
}

t.test('reports responses that do not match the contract', async (t) => {
  const { url, api_key } = await startProcess(t, { DATABASE_URL: `sqlite:${t.testdir()}` })
  const proxy = await falsifyingProxy(t, url, ({ method, url: path, headers }, response) => {
    if (path === '/api/organizations/' && method === 'GET' && headers.authorization) response.text = '{"results": [{}]}'
    if (path === '/api/users/@me/') response.type = 'text/html'
    if (path === '/api/personal_api_keys/@current/' && !headers.authorization) response.status = 200
    if (path === '/health/live') response.status = 418
    if (path === '/api/projects/' && method === 'POST' && response.status === 400) response.status = 500
    if (path!.endsWith('/domains/') && method === 'GET') response.text = '<"&\u0000'
  })
  const report = join(freshFolder(t), 'report.xml')
  const { code, ok, findings } = await check(['--base-url', proxy.url, '--key', defined(api_key), '--junit', report])
  t.same([code, ok], [1, false])
  const failures = Object.fromEntries(
    findings
      .filter(({ result }) => result === 'failed')
      .map(({ operation, request, detail }) => [`${operation} ${request}`, detail]),
  )
  t.match(failures, {
    'organizations.list as described': /body does not match the contract/,
    'users.me as described': /text\/html instead of application\/json/,
    'api_keys.current without a key': /200 instead of 401/,
    'service.live as described': /418; the contract declares 200/,
    'projects.create with a malformed body': /500 instead of 400/,
    'domains.list as described': /not JSON/,
  })
  t.equal(readFileSync(report, 'utf8').match(/<failure /g)?.length, Object.keys(failures).length)
  const shown = await ended(
    command(['contract', 'check', '--read-only', '--base-url', proxy.url, '--key', defined(api_key)], {}),
  )
  t.equal(shown.code, 1)
  t.match(shown.stdout, /^Skipped 2: It needs a session\.\n {2}two_factor\.status, session\.list\nSkipped \d+: /)
  t.match(shown.stdout, /Failed:\n(.*\n)*.*users\.me as described +It sends text\/html/)
})

t.test('--read-only sends GET requests only; an unreachable server is exit code 9', async (t) => {
  const { url, api_key } = await startProcess(t, { DATABASE_URL: `sqlite:${t.testdir()}` })
  const proxy = await falsifyingProxy(t, url, () => undefined)
  const { code, findings } = await check(['--read-only', '--base-url', proxy.url, '--key', defined(api_key)])
  t.equal(code, 0)
  t.same(
    findings
      .filter(({ request }) => request === 'as described')
      .map(({ operation }) => operation)
      .sort(),
    operations
      .filter(({ method, path }) => method === 'GET' && !path.startsWith('/signup'))
      .map(({ id }): string => id)
      .sort(),
  )
  t.same([...proxy.methods], ['GET'])
  const unreachable = await ended(
    command(['contract', 'check', '--base-url', 'http://127.0.0.1:9', '--key', 'phx_x'], {}),
  )
  t.equal(unreachable.code, 9)
  t.match(unreachable.stderr, /No server responds/)
})

t.test('a program starts a private server with one call', async (t) => {
  const { startServer } = await import(programFile('main.js'))
  const { url, first, stop } = await startServer({ ephemeral: true })
  const response = await fetch(`${url}/api/organizations/`, { headers: { authorization: `Bearer ${first.api_key}` } })
  t.equal(((await response.json()) as Json).results.length, 1)
  await stop()
  await t.rejects(fetch(`${url}/health/live`))
})
