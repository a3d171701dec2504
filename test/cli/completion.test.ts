/** Completion of names: what the server of the profile knows, cached for a minute, silent when it does not respond. */
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readBashWords } from '../../src/cli/bash-words.ts'
import { writeProfile } from '../../src/cli/profiles.ts'
import { freshFolder } from '../helpers/folders.ts'
import { runCommand } from '../helpers/programs/process.ts'

const KEY = 'phx_secret_of_the_profile'
const ORGANIZATION = '0192b6f0-5a3c-7c1e-9d2a-4b7f1c9e8a10'
const EXPORT = '0192b6f0-5a3c-7c1e-9d2a-4b7f1c9e8a11'
const RUN = '0192b6f0-5a3c-7c1e-9d2a-4b7f1c9e8a12'
const MEMBER = '0192b6f0-5a3c-7c1e-9d2a-4b7f1c9e8a13'

/** The lists of the server, by path. */
const LISTS: Record<string, object[]> = {
  '/api/organizations/': [{ id: ORGANIZATION, name: 'Hedgerow Analytics', slug: 'hedgerow' }],
  [`/api/organizations/${ORGANIZATION}/projects/`]: [{ id: 7, name: 'Only here' }],
  '/api/projects/': [
    { id: 1, name: 'Web shop', api_token: 'phc_not_for_the_cache' },
    { id: 2, name: 'Twin' },
    { id: 3, name: 'Twin' },
    { id: 4, name: '2026' },
    { id: 5, name: '--all' },
    { id: 6, name: 'Two\nlines \u001b[31m' },
  ],
  '/api/projects/%40current/batch_exports/': [{ id: EXPORT, name: 'Every day' }],
  '/api/projects/1/batch_exports/': [{ id: EXPORT, name: 'Every hour' }],
  [`/api/projects/%40current/batch_exports/${EXPORT}/runs/`]: [
    { id: RUN, status: 'Completed', data_interval_end: '2026-01-02T00:00:00Z' },
  ],
  '/api/organizations/%40current/members/': [{ user: { uuid: MEMBER, email: 'ada@example.com' }, level: 15 }],
  '/api/organizations/%40current/pipeline_destinations/': [{ id: 11, name: 'Sender' }],
  [`/api/organizations/${ORGANIZATION}/pipeline_destinations/`]: [{ id: 11, name: 'Sender' }],
  [`/api/organizations/${ORGANIZATION}/pipeline_frontend_apps/`]: [{ id: 12, name: 'Banner' }],
  [`/api/organizations/${ORGANIZATION}/pipeline_import_apps/`]: [{ id: 11, name: 'Sender' }],
}

async function openServer(t: Test) {
  const requests: string[] = []
  let isSilent = false
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1)
    requests.push(path)
    if (isSilent) return
    const project = /^\/api\/projects\/(%40current|\d+)\/$/.exec(path)
    const results = LISTS[path]
    if (project) return response.end(JSON.stringify({ id: 1, organization: ORGANIZATION }))
    if (!results) return response.writeHead(404).end('{"detail":"Not found."}')
    response.end(JSON.stringify({ count: results.length, next: null, previous: null, results }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const home = freshFolder(t)
  const cache = join(home, '.cache', 'workspace-admin', 'completion')
  const env = {
    HOME: home,
    WORKSPACE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    WORKSPACE_KEY: KEY,
  }
  const complete = async (words: string[], variables: Record<string, string> = {}): Promise<string[]> => {
    const { code, stdout, stderr } = await runCommand(['complete', '--', ...words], { ...env, ...variables })
    t.equal(stderr, '')
    t.equal(code, 0)
    return stdout.split('\n').filter((line) => line !== '')
  }
  const silence = (): void => {
    isSilent = true
  }
  const storeProfile = (): string =>
    writeProfile({ HOME: home }, 'default', { url: env.WORKSPACE_URL, key: KEY, email: 'ada@example.com' })
  return { requests, silence, cache, complete, storeProfile }
}

t.test('offers names where an argument or a flag takes an id', async (t) => {
  const { complete } = await openServer(t)
  const exported = [`Every day\t${EXPORT}`]
  const runs = ['latest\tthe newest run', `${RUN}\tCompleted 2026-01-02 00:00:00`]
  const member = [`ada@example.com\t${MEMBER}`]
  const cases: [words: string[], candidates: string[]][] = [
    [['organizations', 'retrieve', ''], [`Hedgerow Analytics\t${ORGANIZATION}`]],
    [['exports', 'retrieve', ''], exported],
    [['exports', 'pause', 'Ev'], exported],
    [['project-batch-exports', 'delete', '--yes', ''], exported],
    [['exports', 'list', '--project', 'Only', '--organization', ''], [`Hedgerow Analytics\t${ORGANIZATION}`]],
    [['exports', 'list', '--organization', 'hedgerow', '--project', ''], ['Only here\t7']],
    [['exports', 'list', '--organization=hedgerow', '--project=On'], ['--project=Only here\t7']],
    [['use', '--organization', ''], [`Hedgerow Analytics\t${ORGANIZATION}`]],
    [['exports', 'retrieve', '--project', 'Web shop', ''], [`Every hour\t${EXPORT}`]],
    [['runs', 'retrieve', 'Every day', ''], runs],
    [['runs', 'watch', 'Every day', ''], runs],
    [['runs', 'logs', '--limit', '5', EXPORT, ''], runs],
    [['members', 'update', ''], member],
    [['activity_log', 'list', '--user', ''], member],
    [['pipeline_destinations', 'retrieve', ''], ['Sender\t11']],
    [
      ['plugin_configs', 'create', '--plugin', ''],
      ['Sender\t11', 'Banner\t12'],
    ],
    [['users', 'update', '--set-current-organization', ''], [`Hedgerow Analytics\t${ORGANIZATION}`]],
    [['members', 'update', 'ada@example.com', ''], []],
    [['import', '--organization', 'hedgerow', '--project', ''], ['Only here\t7']],
    [['import', '--database', 'sqlite:data', '--project', ''], []],
    [['users', 'create', '--email', 'x@example.com', '--organization', ''], []],
  ]
  for (const [words, candidates] of cases) t.strictSame(await complete(words), candidates, words.join(' '))
})

t.test('offers projects to an import only if it uses a server', async (t) => {
  const { complete, storeProfile } = await openServer(t)
  storeProfile()
  const withoutServer = { WORKSPACE_URL: '', WORKSPACE_KEY: '' }
  const projects = (variables = {}) => complete(['import', '--project', ''], { ...withoutServer, ...variables })
  t.equal((await projects()).length, 6, 'the profile')
  t.strictSame(await projects({ DATABASE_URL: 'sqlite:data' }), [], 'the database of the environment')
})

t.test('offers the id if the name is ambiguous or no shell could insert it', async (t) => {
  const { complete } = await openServer(t)
  t.strictSame(await complete(['projects', 'retrieve', '']), [
    'Web shop\t1',
    '2\tTwin',
    '3\tTwin',
    '4\t2026',
    '5\t--all',
    '6\tTwo\\nlines \\u001b[31m',
  ])
})

t.test('asks once per minute, and stores no secrets', async (t) => {
  const { complete, requests, cache } = await openServer(t)
  const words = ['projects', 'retrieve', '']
  const first = await complete(words)
  t.strictSame(await complete(words), first)
  t.strictSame(await complete(['projects', 'update', 'We']), first)
  t.strictSame(requests, ['/api/projects/'])
  t.equal(statSync(cache).mode & 0o777, 0o700)
  const files = readdirSync(cache).map((name) => join(cache, name))
  t.ok(files.length > 0)
  for (const file of files) {
    t.equal(statSync(file).mode & 0o777, 0o600)
    t.notMatch(`${file} ${readFileSync(file, 'utf8')}`, /secret|phx_|phc_/)
    const expired = new Date(Date.now() - 61_000)
    utimesSync(file, expired, expired)
  }
  t.strictSame(await complete(words), first)
  t.strictSame(requests, ['/api/projects/', '/api/projects/'], 'a minute later')
  await complete(words, { WORKSPACE_KEY: 'phx_of_another_user' })
  t.equal(requests.length, 3, 'another key sees its own lists')
})

t.test('is silent without a server, a key, a profile or a cache', async (t) => {
  const { complete, requests, silence } = await openServer(t)
  const words = ['projects', 'retrieve', '']
  t.strictSame(await complete(['domains', 'retrieve', '']), [], 'the server responds with an error')
  t.strictSame(await complete(words, { WORKSPACE_KEY: '' }), [])
  t.strictSame(await complete([...words.slice(0, 2), '--profile', 'none', '']), [])
  t.strictSame(await complete(words, { WORKSPACE_URL: 'http://127.0.0.1:1' }), [])
  t.equal((await complete(words, { HOME: '' })).length, 6)
  t.equal((await complete(words, { XDG_CACHE_HOME: '/dev/null' })).length, 6)
  const before = requests.length
  silence()
  t.strictSame(await complete(words), [], 'the server does not respond')
  t.equal(requests.length, before + 1)
})

t.test('bash gets the text to insert', (t) => {
  const breaks = ' \t\n"\'@><=;|&(:'
  const cases: [line: string, words: string[], candidate: string, insertion: string | undefined][] = [
    ['w exports retrieve ', ['exports', 'retrieve', ''], "Ada's $5 shop", "Ada\\'s\\ \\$5\\ shop"],
    ['w x Every\\ d', ['x', 'Every d'], 'Every day', 'Every\\ day'],
    ["w x 'Every d", ['x', 'Every d'], "Every day's end", "Every day'\\''s end"],
    ['w x "Say \\"h', ['x', 'Say "h'], 'Say "hi" for $5', 'Say \\"hi\\" for \\$5'],
    ['w x Every" d', ['x', 'Every d'], 'Every day', ' day'],
    ['w x ada@ex', ['x', 'ada@ex'], 'ada@example.com', '@example.com'],
    ['w x --project=We', ['x', '--project=We'], '--project=Web shop', 'Web\\ shop'],
    ['w x @current ', ['x', '@current', ''], 'y', 'y'],
    ["w x 'a b' 'c'\\''d' ", ['x', 'a b', "c'd", ''], 'y', 'y'],
    ['w x Every', ['x', 'Every'], 'None', undefined],
  ]
  for (const [line, words, candidate, insertion] of cases) {
    const read = readBashWords(breaks, line, [])
    t.strictSame([read.words, read.insertionOf(candidate)], [words, insertion], line)
  }
  const split = readBashWords(breaks, '', ['members', 'update', 'ada', '@', 'ex'])
  t.strictSame(split.words, ['members', 'update', 'ada@ex'], 'without the line')
  const literal = readBashWords(breaks, '', ['runs', 'retrieve', 'Every day', "'x"])
  t.strictSame([literal.words, literal.insertionOf('x y')], [['runs', 'retrieve', 'Every day', 'x'], 'x y'])
  t.end()
})
