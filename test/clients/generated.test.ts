/** Clients generated from the contract by third-party generators, and the client of this repository. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { JSON_TYPE, operations, resolve } from '../../src/contract/table.ts'
import { inTurn } from '../helpers/assertions/figures.ts'
import { defined } from '../helpers/assertions/items.ts'
import type { Json } from '../helpers/json.ts'
import { clientFile, clientPackage, installClients, run } from '../helpers/programs/clients.ts'
import { ended, environmentWith, serveArguments, startProcess } from '../helpers/programs/process.ts'

await installClients()
const TSC = clientFile('node_modules/typescript/bin/tsc')
const OWN = 'node_modules/workspace-admin-client'
const GENERATORS = {
  'openapi-fetch': ['openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'generated/openapi-typescript.ts'],
  'hey-api': ['@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'generated/hey-api'],
  orval: ['orval/dist/bin/orval.js', '--config', 'orval.config.cjs'],
  'openapi-typescript-codegen': [
    'openapi-typescript-codegen/bin/index.js',
    ...['-i', 'openapi.json', '-o', 'generated/openapi-typescript-codegen', '--useOptions', '--useUnionTypes'],
  ],
}
const tested = inTurn(Object.entries(GENERATORS))

const readme = [...readFileSync('client/README.md', 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)

const server = await startProcess(t, {}, serveArguments('--ephemeral'))
const posthog = await startProcess(t, {}, serveArguments('--ephemeral', '--dialect', 'posthog'))
const environment = {
  WORKSPACE_URL: server.url,
  WORKSPACE_KEY: defined(server.api_key),
  POSTHOG_URL: posthog.url,
  POSTHOG_KEY: defined(posthog.api_key),
}

/** Fetches the contract from the server, runs each generator with nearly default options, and compiles once. */
t.before(async () => {
  for (const name of ['src', 'generated', 'dist', OWN]) rmSync(clientFile(name), { recursive: true, force: true })
  cpSync('test/clients/package', clientFile(), { recursive: true })
  mkdirSync(clientFile('generated'))
  mkdirSync(clientFile(OWN))
  cpSync('client/package.json', clientFile(OWN, 'package.json'))
  for (const [i, code] of readme.entries()) writeFileSync(clientFile('src', `readme-${i}.ts`), code)
  writeFileSync(clientFile('openapi.json'), await (await fetch(`${server.url}/openapi.json`)).text())
  for (const name of Object.keys(GENERATORS))
    if (!tested.some(([other]) => other === name)) rmSync(clientFile('src', `${name}.ts`))
  await Promise.all([
    ...tested.map(([, [program = '', ...args]]) => run([clientFile('node_modules', program), ...args], environment)),
    buildOwnClient(),
  ])
  // Its imports have no file extensions, as only CommonJS allows.
  for (const folder of ['generated', 'dist/generated'].map((name) => clientFile(name, 'openapi-typescript-codegen'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }')
  }
  await run([TSC, '-p', '.'])
})

async function buildOwnClient(): Promise<void> {
  const words = ['--import=tsx', 'scripts/build-client.ts', clientFile(OWN, 'dist')]
  const { code, stderr } = await ended(spawn(process.execPath, words, { env: environmentWith({}) }))
  if (code !== 0) throw new Error(stderr)
}

for (const [generator] of tested)
  t.test(`${generator} generates a client that compiles and works`, async (t) => {
    const { roundTrip } = await import(pathToFileURL(clientFile('dist/src', `${generator}.js`)).href)
    t.strictSame(await roundTrip(server.url, server.api_key), {
      created: `By ${generator}`,
      listed: ['My organization', `By ${generator}`],
      changed: 'Changed',
      teams: 1,
      prefix: '{year}',
      rejected: { status: 400, type: 'validation_error', code: 'blank', attr: 'name' },
      deleted: 204,
    })
  })

t.test('the examples of the client README print the expected output', async (t) => {
  const batch = ['opened', 'closed', 'moved', 'opened', 'closed', 'opened'].map((event, number) => ({
    event,
    distinct_id: 'ada',
    timestamp: new Date(Date.now() - number * 1000).toISOString(),
    properties: { number },
  }))
  const sent = await fetch(`${server.url}/batch/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: server.project_token, batch }),
  })
  t.equal(sent.status, 200)
  const outputs = await Promise.all(readme.map((_, i) => run([`dist/src/readme-${i}.js`], environment)))
  t.strictSame(outputs, [
    'Hedgerow & Sons\n',
    '400 blank name\n',
    'opened 0\nclosed 1\nopened 3\nclosed 4\nopened 5\n',
    "[ 'event', 'count()' ] [ [ 'opened', 3 ], [ 'closed', 2 ] ]\n[ 'event', 'count()' ] [ [ 'moved', 1 ] ]\n",
    'grace@example.com true\n',
    '2\n',
    'exports/{year}\n',
  ])
})

t.test('every list of the contract can be iterated', async (t) => {
  const { createClient, each, pages } = await clientPackage('workspace-admin-client')
  const requests: string[] = []
  const answers = [{ next: 'http://x.example/?cursor=abc&limit=7&event=a&event=b' }, { next: null }]
  const client = createClient({
    baseUrl: server.url,
    fetch: async (request: Request) => {
      requests.push(request.url)
      return Response.json({ ...answers[(requests.length - 1) % 2], results: [requests.length] })
    },
  })
  const lists = operations.filter(({ response }) => {
    const schema = response.content?.[JSON_TYPE]?.schema
    return schema !== undefined && 'next' in (resolve(schema).properties ?? {})
  })
  t.ok(lists.length > 30)
  for (const { path } of lists) {
    const found: unknown[] = []
    for await (const item of each(client, path, {})) found.push(item)
    for await (const { results } of pages(client, path, {})) found.push(...results)
    t.equal(found.length, 4, path)
    const [first = '', second = ''] = requests.splice(0).map((url) => url.slice(server.url.length))
    t.equal(second, `${first}?cursor=abc&limit=7&event=a&event=b`)
  }
})

t.test('addMember adds a user who can act with a key', async (t) => {
  const { addMember, answer, createClient } = await clientPackage('workspace-admin-client')
  const client = createClient({ baseUrl: server.url, key: server.api_key })
  const { id } = await answer(client.POST('/api/organizations/', { body: { name: 'With members' } }))
  const { user, api_key } = await addMember(client, id, { target_email: 'ada@example.com', level: 8 })
  t.equal(user.email, 'ada@example.com')
  const me = await answer(createClient({ baseUrl: server.url, key: api_key }).GET('/api/users/@me/'))
  t.equal(me.email, 'ada@example.com')
  const params = { path: { organization_id: id } }
  const { results } = await answer(client.GET('/api/organizations/{organization_id}/members/', { params }))
  t.strictSame(results.map(({ user, level }: Json) => [user.email, level]).sort(), [
    ['ada@example.com', 8],
    ['owner@example.com', 15],
  ])
  await t.rejects(addMember(client, id, { target_email: 'ada@example.com' }), { code: 'invalid_input' })
  await answer(client.DELETE('/api/organizations/{id}/', { params: { path: { id } } }))
})

t.test('the client of this repository throws errors, follows pages and honors Retry-After', async (t) => {
  const { answer, createClient, each, pages, WorkspaceError } = await clientPackage('workspace-admin-client')
  const client = createClient({ baseUrl: `${server.url}/`, key: server.api_key })
  const created: string[] = []
  for (const name of ['a', 'b', 'c'])
    created.push((await answer(client.POST('/api/organizations/', { body: { name } }))).id)
  const params = { query: { limit: 1, offset: 1 } }
  const names: string[] = []
  for await (const { name } of each(client, '/api/organizations/', { params })) names.push(name)
  t.strictSame(names, ['a', 'b', 'c'], 'all pages from the offset')
  const sizes: [count: number, results: number][] = []
  for await (const { count, results } of pages(client, '/api/organizations/', { params: { query: { limit: 3 } } }))
    sizes.push([count, results.length])
  t.strictSame(sizes, [
    [4, 3],
    [4, 1],
  ])
  for (const id of created)
    t.equal(await answer(client.DELETE('/api/organizations/{id}/', { params: { path: { id } } })), undefined)

  const path = { id: created[0] }
  const gone = await answer(client.GET('/api/organizations/{id}/', { params: { path } })).catch(
    (error: unknown) => error,
  )
  t.ok(gone instanceof WorkspaceError)
  t.match(gone, { status: 404, type: 'invalid_request', code: 'not_found', attr: null, request_id: /^[\w-]+$/ })
  t.equal(gone.message, gone.detail)
  const anonymous = createClient({ baseUrl: server.url })
  await t.rejects(answer(anonymous.GET('/api/users/@me/')), { status: 401, code: 'not_authenticated' })
  t.match(await answer(anonymous.GET('/health/live')), { status: 'ok' })

  // A server with a list of responses, which records request bodies.
  const responses: [status: number, headers: Record<string, string>, body?: string][] = []
  const bodies: string[] = []
  const busy = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(body)
    const [status, headers, text = '{}'] = responses.shift()!
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  })
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => busy.close())
  const baseUrl = `http://127.0.0.1:${(busy.address() as AddressInfo).port}`
  const retrying = createClient({ baseUrl, key: 'phx_x' })
  const create = (options: object = {}) =>
    retrying
      .POST('/api/organizations/', { body: { name: 'again' }, ...options })
      .then(({ response }: { response: Response }) => response)

  responses.push([429, { 'retry-after': '0' }], [429, { 'retry-after': new Date(0).toUTCString() }], [201, {}])
  t.equal((await create()).status, 201)
  t.strictSame(bodies.splice(0), Array(3).fill('{"name":"again"}'), 'each attempt sends the whole body')
  responses.push([503, { 'retry-after': '0' }], [200, {}])
  t.equal((await retrying.GET('/api/organizations/')).response.status, 200)
  bodies.splice(0)
  responses.push([503, { 'retry-after': '0' }])
  t.equal((await create()).status, 503, 'a POST is not retried after 503: it may have created a resource')
  responses.push(...Array(4).fill([429, { 'retry-after': '0' }]))
  t.equal((await create()).status, 429, 'three retries at most')
  responses.push([503, {}])
  t.equal((await create()).status, 503, 'no retry without Retry-After')
  responses.push([429, { 'retry-after': '61' }])
  t.equal((await create()).status, 429, 'no retry when the wait is too long')
  responses.push([500, { 'retry-after': '0' }])
  t.equal((await create()).status, 500, 'no retry after 500')
  t.equal(bodies.splice(0).length, 8)
  responses.push([429, { 'retry-after': '30' }])
  const controller = new AbortController()
  busy.once('request', (_, response) => response.once('finish', () => controller.abort(new Error('enough'))))
  await t.rejects(create({ signal: controller.signal }), { message: 'enough' })

  for (const next of ['http://other.example/api/organizations/?offset=1', null])
    responses.push([200, {}, JSON.stringify({ count: 2, next, previous: null, results: [{ name: 'one' }] })])
  const listed: string[] = []
  for await (const { name } of each(retrying, '/api/organizations/')) listed.push(name)
  t.strictSame(listed, ['one', 'one'])
  t.same(responses, [], 'both requests reach the server of baseUrl, though `next` has another origin')

  responses.push([502, { 'content-type': 'text/html' }, '<h1>Bad gateway</h1>'])
  await t.rejects(answer(retrying.GET('/api/users/@me/')), { status: 502, type: 'server_error', code: 'error' })
})
