/** The three plugin families: pipeline_destinations, pipeline_frontend_apps and pipeline_import_apps. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { contract, operations } from '../../src/contract/table.ts'
import { name, sql } from '../../src/sql/template.ts'
import { reencryptSecrets } from '../../src/store/secrets.ts'
import { createVault } from '../../src/store/vault.ts'
import { nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { defined, rowOf } from '../helpers/assertions/items.ts'
import { type Files, tarOf, zipOf } from '../helpers/peers/archives.ts'
import { openPluginHosts } from '../helpers/peers/plugin-hosts.ts'

const FAMILIES = ['pipeline_destinations', 'pipeline_frontend_apps', 'pipeline_import_apps'] as const
const SHA = '5b1f0c7d2e9a4863b7c05d1e8f2a6b394c7d0e15'
const NEXT = '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567'
const CONFIG = [{ key: 'address', name: 'Address', type: 'string', required: true }]

const hosts = await openPluginHosts(t)
const options = { environment: hosts.environment }

const filesOf = (name: string, code = 'export function onEvent(event) {}'): Files => ({
  'plugin.json': JSON.stringify({ name, description: `${name}.`, config: CONFIG, publicJobs: { go: {} } }, null, 2),
  'index.ts': code,
  'README.md': 'ignored',
})
const within = ({ first }: TestApp, family: (typeof FAMILIES)[number] = 'pipeline_destinations') =>
  `/api/organizations/${first.organization_id}/${family}/` as const
const github = (path: string): string => `${hosts.urls.github}/${path}`
const publishOnGithub = (name = 'hedgerow/webhook', files = filesOf('Webhooks')): void => {
  hosts.published[`github ${name}`] = { newest: { '': SHA, main: SHA }, revisions: { [SHA]: files } }
}
const sourceOf = (index: string): object => ({ plugin_type: 'source', name: 'Counter', source: { 'index.ts': index } })

t.test('the contracts of the families differ only in their name', async (t) => {
  const shapeOf = (family: string) =>
    operations
      .filter(({ area }) => area === family)
      .map(({ method, path, source }) => ({
        method,
        path,
        parameters: contract.paths[path]?.parameters,
        source,
      }))
  const [first, ...others] = FAMILIES.map((family) =>
    JSON.parse(JSON.stringify(shapeOf(family)).replaceAll(family, '<family>')),
  )
  t.equal(first.length, 13)
  for (const other of others) t.strictSame(other, first)
})

onBothEngines(
  t,
  'installs a plugin by URL into one family and uninstalls it',
  async (t, app) => {
    hosts.reset()
    publishOnGithub()
    const url = within(app)
    const created = await app.send('POST', url, {
      body: {
        url: `${github('hedgerow/webhook')}/`,
        name: 'Mine',
        tag: 'v9',
        metrics: { a: 'sum' },
        capabilities: { x: 1 },
      },
    })
    t.strictSame(created.body, {
      id: 1,
      plugin_type: 'custom',
      name: 'Webhooks',
      description: 'Webhooks.',
      url: github('hedgerow/webhook'),
      icon: null,
      config_schema: CONFIG,
      tag: SHA,
      latest_tag: SHA,
      is_global: false,
      organization_id: app.first.organization_id,
      organization_name: 'My organization',
      capabilities: { methods: ['onEvent'], jobs: [], scheduled_tasks: [] },
      metrics: { a: 'sum' },
      public_jobs: { go: {} },
    })
    t.equal(created.status, 201)
    const item = `${url}${created.body.id}/` as const
    t.strictSame((await app.send('GET', item)).body, created.body)
    t.match((await app.send('GET', url)).body, { count: 1, next: null, previous: null, results: [created.body] })
    t.match((await app.send('GET', `${item}source/`)).body, {
      id: 1,
      source: {
        'plugin.json': JSON.stringify({
          name: 'Webhooks',
          description: 'Webhooks.',
          config: CONFIG,
          publicJobs: { go: {} },
        }),
        'index.ts': 'export function onEvent(event) {}',
      },
      source_errors: {},
    })
    for (const family of FAMILIES.slice(1)) {
      t.equal((await app.send('GET', within(app, family))).body.count, 0)
      t.equal((await app.send('GET', `${within(app, family)}${created.body.id}/`)).status, 404, 'another family')
    }
    t.match(
      await app.send('POST', within(app, 'pipeline_import_apps'), {
        body: { url: github('hedgerow/webhook?private_token=x') },
      }),
      { status: 400, body: { code: 'unique', attr: 'url' } },
      'a URL is unique in an organization, across families',
    )
    const other = await app.stranger('other@example.com')
    t.match(
      await app.send('POST', `/api/organizations/${other.organization_id}/pipeline_import_apps/`, {
        key: other.key,
        body: { url: github('hedgerow/webhook'), plugin_type: 'repository' },
      }),
      { status: 201, body: { plugin_type: 'repository' } },
      'another organization may install it too',
    )
    t.match(await app.send('DELETE', item), { status: 204, text: '' })
    t.equal((await app.send('GET', item)).status, 404)
    t.strictSame(await app.deps.db.all(sql`select * from plugin_files where plugin_id = 1`), [])
    const again = await app.send('POST', url, { body: { url: github('hedgerow/webhook') } })
    t.match(again, { status: 201 }, 'the URL can be used again')
    t.not(again.body.id, created.body.id)
  },
  options,
)

onBothEngines(
  t,
  'resolves and fetches every form of URL',
  async (t, app) => {
    hosts.reset()
    const sub: Files = {
      ...Object.fromEntries(Object.entries(filesOf('Inner')).map(([name, text]) => [`a/b/${name}`, text])),
      ...filesOf('Outer'),
    }
    hosts.published['github ada/plugin'] = {
      newest: { '': SHA, dev: NEXT, 'dev:a/b': SHA },
      revisions: { [SHA]: sub, [NEXT]: filesOf('Next'), 'refs/tags/v1': filesOf('Release'), v2: filesOf('Archive') },
    }
    hosts.published['gitlab group/inner/project'] = {
      newest: { '': SHA },
      revisions: { [SHA]: filesOf('Lab'), v3: filesOf('Lab three') },
    }
    hosts.published['npm @scope/package'] = {
      newest: { latest: '1.2.0' },
      revisions: { '1.2.0': filesOf('Package'), '1.0.0': filesOf('Package one') },
    }
    hosts.published['npm plain'] = { newest: { latest: '3.0.0' }, revisions: { '3.0.0': filesOf('Plain') } }
    const gitlab = `${hosts.urls.gitlab}/group/inner/project`
    for (const [url, tag, name, requested] of [
      [
        github('ada/plugin'),
        SHA,
        'Outer',
        ['/repos/ada/plugin/commits?per_page=1', `/ada/plugin/archive/${SHA}.zip`, `/ada/plugin/zip/${SHA}`],
      ],
      [
        github('ada/plugin/tree/dev'),
        NEXT,
        'Next',
        ['/repos/ada/plugin/commits?per_page=1&sha=dev', `/ada/plugin/archive/${NEXT}.zip`, `/ada/plugin/zip/${NEXT}`],
      ],
      [
        github('ada/plugin/tree/dev/a/b'),
        SHA,
        'Inner',
        [
          '/repos/ada/plugin/commits?per_page=1&sha=dev&path=a%2Fb',
          `/ada/plugin/archive/${SHA}.zip`,
          `/ada/plugin/zip/${SHA}`,
        ],
      ],
      [
        github(`ada/plugin/tree/${SHA}/a/b`),
        SHA,
        'Inner',
        [`/ada/plugin/archive/${SHA}.zip`, `/ada/plugin/zip/${SHA}`],
      ],
      [
        github(`ada/plugin/commit/${NEXT}`),
        NEXT,
        'Next',
        [`/ada/plugin/archive/${NEXT}.zip`, `/ada/plugin/zip/${NEXT}`],
      ],
      [
        github('ada/plugin/releases/tag/v1'),
        'refs/tags/v1',
        'Release',
        ['/ada/plugin/archive/refs/tags/v1.zip', '/ada/plugin/zip/refs/tags/v1'],
      ],
      [github('ada/plugin/archive/v2.tar.gz'), 'v2', 'Archive', ['/ada/plugin/archive/v2.zip', '/ada/plugin/zip/v2']],
      [
        gitlab,
        SHA,
        'Lab',
        [
          '/api/v4/projects/group%2Finner%2Fproject/repository/commits?per_page=1',
          `/api/v4/projects/group%2Finner%2Fproject/repository/archive.zip?sha=${SHA}`,
        ],
      ],
      [
        `${gitlab}/-/tree/v3`,
        'v3',
        'Lab three',
        ['/api/v4/projects/group%2Finner%2Fproject/repository/archive.zip?sha=v3'],
      ],
      [
        'https://www.npmjs.com/package/@scope/package',
        '1.2.0',
        'Package',
        ['/@scope/package/latest', '/@scope/package/-/package-1.2.0.tgz'],
      ],
      [
        'https://www.npmjs.com/package/@scope/package/v/1.0.0',
        '1.0.0',
        'Package one',
        ['/@scope/package/-/package-1.0.0.tgz'],
      ],
      ['https://npmjs.com/package/plain', '3.0.0', 'Plain', ['/plain/latest', '/plain/-/plain-3.0.0.tgz']],
    ] as const) {
      hosts.requests = []
      const created = await app.send('POST', within(app), { body: { url } })
      t.match(created, { status: 201, body: { url, tag, latest_tag: tag, name, plugin_type: 'custom' } }, url)
      t.strictSame(
        hosts.requests.map((request) => request.url),
        requested,
        url,
      )
      t.ok(hosts.requests.every(({ authorization }) => authorization === undefined))
    }
  },
  options,
)

for (const engine of nextEngines())
  t.test(`uses private tokens, stores them encrypted and never returns them (${engine})`, async (t) => {
    hosts.reset()
    const log: string[] = []
    const app = await openApp(t, engine, { ...options, log: { write: (line: string) => log.push(line) } as never })
    const token = 'ghp_verySecretToken'
    for (const name of ['github ada/private', 'gitlab group/private', 'npm private'])
      hosts.published[name] = {
        newest: { '': SHA, latest: '1.0.0' },
        revisions: { [SHA]: filesOf('P'), '1.0.0': filesOf('P') },
        token,
      }
    for (const url of [
      github('ada/private'),
      `${hosts.urls.gitlab}/group/private`,
      'https://www.npmjs.com/package/private',
    ]) {
      t.match(
        await app.send('POST', within(app), { body: { url } }),
        { status: 400, body: { attr: 'url' } },
        'without a token',
      )
      t.match(await app.send('POST', within(app), { body: { url: `${url}?private_token=wrong` } }), { status: 400 })
      const created = await app.send('POST', within(app), { body: { url: `${url}?private_token=${token}` } })
      t.match(created, { status: 201, body: { url } })
      hosts.requests = []
      const item = `${within(app)}${created.body.id}/` as const
      const elsewhere = { url: github('somebody/else') }
      t.match(await app.send('PATCH', item, { body: elsewhere }), { body: { url } }, 'an update ignores the URL')
      t.equal((await app.send('GET', `${item}check_for_updates/`)).status, 200, 'the token is used again')
      t.equal((await app.send('POST', `${item}upgrade/`)).status, 200)
      t.ok(hosts.requests.some(({ authorization }) => authorization === `Bearer ${token}`))
      t.ok(
        hosts.requests.filter(({ host }) => host === 'codeload').every(({ authorization }) => !authorization),
        'the token is not sent to another host',
      )
    }
    for (const path of ['', 'activity/', 'unused/'])
      t.notMatch((await app.send('GET', `${within(app)}${path}`)).text, token)
    t.notMatch(log.join(''), token)
    for (const row of await app.deps.db.all<object>(sql`select * from plugins`)) t.notMatch(JSON.stringify(row), token)
    t.strictSame(await app.deps.db.all(sql`select * from activity_log where plugin_changes like '%Secret%'`), [])
  })

onBothEngines(
  t,
  'rejects an invalid URL with an actionable message and stores nothing',
  async (t, app) => {
    hosts.reset()
    publishOnGithub()
    const url = github('hedgerow/webhook')
    const publish = (files: Files | Buffer) => {
      hosts.published['github hedgerow/webhook'] = { newest: { '': SHA }, revisions: { [SHA]: files } }
    }
    const json = (manifest: unknown): Files => ({ 'plugin.json': JSON.stringify(manifest), 'index.js': '' })
    const rejects = async (title: string, detail: RegExp, sent = url, code = 'invalid_input') => {
      const response = await app.send('POST', within(app), { body: { url: sent } })
      t.match(response, { status: 400, body: { type: 'validation_error', code, attr: 'url', detail } }, title)
      t.notMatch(response.text, 'secret words', 'no text from the peer')
    }
    await rejects('not a URL', /not a URL/, 'hedgerow')
    await rejects('another site', /cannot be installed from this URL/, 'https://example.com/hedgerow/webhook')
    await rejects('a folder without PLUGIN_FOLDER', /PLUGIN_FOLDER/, 'file:/etc')
    await rejects('a missing repository', /404.*private_token/, github('nobody/nothing'))
    hosts.published['github a/empty'] = { newest: {}, revisions: {} }
    await rejects('no revision', /no revision/, github('a/empty'))

    publish({ 'index.js': 'x' })
    await rejects('no plugin.json', /no plugin\.json/)
    publish({ 'a/b/plugin.json': '{"name": "Deep"}', 'a/b/index.js': '' })
    await rejects('plugin.json too deep', /no plugin\.json/)
    publish({ 'plugin.json': '{', 'index.js': '' })
    await rejects('broken plugin.json', /not valid JSON/)
    for (const [manifest, detail] of [
      [[], /must contain an object/],
      [{}, /no "name"/],
      [{ name: 5 }, /"name" in plugin\.json/],
      [{ name: 'x'.repeat(201) }, /"name" in plugin\.json/],
      [{ name: 'a', config: 'x' }, /"config" in plugin\.json/],
      [{ name: 'a', config: { key: 5 } }, /"config" in plugin\.json/],
      [{ name: 'a', publicJobs: [] }, /"publicJobs" in plugin\.json/],
      [{ name: 'a', main: '../../etc/passwd' }, /"main" in plugin\.json/],
      [{ name: 'a', main: 'dist/gone.js' }, /no dist\/gone\.js/],
      [{ name: 'a', stateless: true, config: CONFIG }, /stateless/],
    ] as const) {
      publish(json(manifest))
      await rejects(JSON.stringify(manifest).slice(0, 60), detail)
    }
    publish({ 'plugin.json': '{"name": "a"}' })
    await rejects('no code', /no index\.js, index\.ts, frontend\.tsx or site\.ts/)
    publish({ 'plugin.json': '{"name": "a"}', 'index.js': Buffer.from([0xff, 0xfe]) })
    await rejects('invalid UTF-8', /not UTF-8 text/)
    publish({ 'plugin.json': '{"name": "a"}', 'index.js': 'a\0b' })
    await rejects('NUL', /not UTF-8 text/)
    publish({ 'plugin.json': '{"name": "a"}', 'index.js': Buffer.alloc(1024 * 1024 + 1) })
    await rejects('a large file', /"index\.js" is larger/)
    publish(Buffer.from('<html>'))
    await rejects('not an archive', /neither a zip nor a tar\.gz/)
    publish(zipOf({ 'r/../../x': '1', 'r/plugin.json': '{"name": "a"}', 'r/index.js': '' }))
    await rejects('a parent path in a zip', /outside of itself/)
    publish(await tarOf({ '/etc/x': '1' }))
    await rejects('an absolute path in a tar', /outside of itself/)
    publish(Buffer.alloc(17 * 1024 * 1024))
    await rejects('a large archive', /larger than 16777216 bytes/)

    publish(filesOf('Fine'))
    for (const [status, detail] of [
      [401, /returned 401/],
      [403, /returned 403.*private_token/],
      [429, /rate limit .* was exceeded \(429\)/],
      [500, /returned 500/],
    ] as const) {
      hosts.instead.github_api = (_, response) => void response.writeHead(status).end('secret words')
      await rejects(`status ${status}`, detail)
    }
    hosts.instead.github_api = (_, response) => void response.end('secret words')
    await rejects('a lookup that is not JSON', /no revision/)
    hosts.instead.github_api = (_, response) => void response.end(JSON.stringify([{ sha: 'a/../../b' }]))
    await rejects('an invalid commit', /no revision/)
    hosts.instead.github_api = (request) => void request.socket.destroy()
    await rejects('a closed connection', /cannot reach GitHub/)
    hosts.instead.github_api = (_, response) => void response.writeHead(302, { location: 'http://gone.invalid' }).end()
    await rejects('an unresolved host', /cannot reach GitHub/)
    hosts.instead.github_api = (_, response) => void response.writeHead(302, { location: '/again' }).end()
    await rejects('a redirect loop', /redirects more than 5 times/)
    hosts.instead.github_api = (_, response) => void response.writeHead(302, { location: 'gopher://x' }).end()
    await rejects('another protocol', /other than https/)
    for (const location of [
      'http://169.254.169.254/latest/meta-data',
      'http://[::1]:1/',
      'http://10.0.0.1/',
      'http://0/',
    ]) {
      hosts.instead.github_api = (_, response) => void response.writeHead(302, { location }).end()
      await rejects(`a redirect to ${location}`, /OUTBOUND_ALLOW/, url, 'outbound_refused')
    }
    hosts.instead = {}
    t.match((await app.send('POST', within(app), { body: { url, source: {} } })).body, {
      code: 'invalid_input',
      attr: 'url',
    })
    t.equal((await app.send('GET', within(app))).body.count, 0)
    t.equal((await app.send('GET', `${within(app)}activity/`)).body.count, 0)
    t.equal((await app.send('POST', within(app), { body: { url } })).status, 201, 'a good URL is installed')
  },
  options,
)

t.test('times out on a slow host and rejects loopback without OUTBOUND_ALLOW', async (t) => {
  hosts.reset()
  publishOnGithub()
  const slow = await openApp(t, 'sqlite', { environment: { ...hosts.environment, PLUGIN_FETCH_TIMEOUT_MS: '150' } })
  const body = { url: github('hedgerow/webhook') }
  hosts.instead.codeload = (_, response) => void response.writeHead(200).write('PK')
  t.match((await slow.send('POST', within(slow), { body })).body, { attr: 'url', detail: /too long/ })
  hosts.instead = {}
  const { OUTBOUND_ALLOW: _, ...closed } = hosts.environment
  const app = await openApp(t, 'sqlite', { environment: closed })
  hosts.requests = []
  t.match(await app.send('POST', within(app), { body }), {
    status: 400,
    body: { code: 'outbound_refused', attr: 'url' },
  })
  t.strictSame(hosts.requests, [])
})

t.test('installs folders below PLUGIN_FOLDER only', async (t) => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'workspace-plugins-')))
  t.teardown(() => rm(root, { recursive: true }))
  const folder = join(root, 'plugins')
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(root, dirname(path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  await write('plugins/mine/plugin.json', '{"description": "Local"}')
  await write('plugins/mine/index.js', 'exports.onEvent = () => {}')
  await write('plugins/parts/plugin.json', '{"name": "Parts", "main": "src/main.ts"}')
  await write(
    'plugins/parts/src/main.ts',
    "import { a } from './lib/a'; import b from '../shared/b.js'; import data from './data.json'\n// import './x'\nexport const onEvent = () => [a, b, data]",
  )
  await write('plugins/parts/src/lib/a.ts', "export { default as a } from '../../shared/b'")
  await write('plugins/parts/shared/b.ts', 'export default 1')
  await write('plugins/parts/src/data.json', '{}')
  await write('plugins/leaving/plugin.json', '{"name": "Leaving"}')
  await write('plugins/leaving/index.ts', "import './lib/a'")
  await write('plugins/leaving/lib/a.ts', "import '../../outside/index.js'")
  await write('plugins/parts/src/other.ts', 'not imported')
  await write('plugins/sly/plugin.json', '{"name": "Sly"}')
  await write('outside/plugin.json', '{"name": "Outside"}')
  await write('outside/index.js', '')
  await mkdir(join(folder, 'empty'))
  await symlink(join(root, 'outside'), join(folder, 'link'))
  await symlink(join(root, 'outside/index.js'), join(folder, 'sly/index.js'))
  const app = await openApp(t, 'sqlite', { environment: { ...hosts.environment, PLUGIN_FOLDER: folder } })
  const install = (url: string) => app.send('POST', within(app), { body: { url } })
  const created = await install(`file:${folder}/mine`)
  t.match(created, {
    status: 201,
    body: {
      plugin_type: 'local',
      name: 'mine',
      description: 'Local',
      tag: null,
      latest_tag: null,
      capabilities: { methods: ['onEvent'] },
    },
  })
  const item = `${within(app)}${created.body.id}/` as const
  t.same((await app.send('GET', `${item}check_for_updates/`)).body, created.body, 'there are no updates')
  t.same((await app.send('POST', `${item}upgrade/`)).body, created.body)
  for (const path of [
    '/outside',
    '/plugins',
    '/plugins/link',
    '/plugins/mine/../../outside',
    '/plugins/gone',
    '/plugins/empty',
    '/plugins/sly',
  ])
    t.match(await install(`file:${root}${path}`), { status: 400, body: { attr: 'url' } }, path)
  t.equal((await install('file:mine')).status, 201, 'a relative name')
  const sourceOf = async (url: string) => {
    const { status, body } = await install(url)
    t.equal(status, 201, url)
    return (await app.send('GET', `${within(app)}${body.id}/source/`)).body
  }
  const whole = await sourceOf('file:parts')
  t.match(whole, { capabilities: { methods: ['onEvent'] }, source_errors: {} }, 'several files')
  t.strictSame(Object.keys(whole.source).sort(), ['../shared/b.ts', 'data.json', 'index.ts', 'lib/a.ts', 'plugin.json'])
  t.match(await sourceOf('file:leaving'), {
    capabilities: {},
    source_errors: { 'index.ts': /^lib\/a\.ts: Line 1: Cannot import "\.\.\/\.\.\/outside\/index\.js"/ },
  })
})

onBothEngines(
  t,
  'updates the source of a plugin completely or not at all',
  async (t, app) => {
    const url = within(app)
    const created = await app.send('POST', url, { body: { plugin_type: 'source', name: 'Counter', latest_tag: 'x' } })
    t.match(created, {
      status: 201,
      body: {
        plugin_type: 'source',
        name: 'Counter',
        description: null,
        url: null,
        icon: null,
        config_schema: {},
        tag: null,
        latest_tag: null,
        capabilities: {},
        metrics: {},
        public_jobs: {},
      },
    })
    const item = `${url}${created.body.id}/` as const
    t.match((await app.send('GET', `${item}source/`)).body, { source: {}, source_errors: {} })
    const change = (source: object) => app.send('PATCH', `${item}update_source/`, { body: { source } })

    const first = await change({
      'plugin.json': JSON.stringify({ name: 'Page counter', icon: 'https://x/i.png', config: CONFIG }),
      'index.ts': 'export async function composeWebhook(event: any) { return null }\nexport const jobs = { go() {} }',
    })
    t.match(first, {
      status: 200,
      body: {
        name: 'Page counter',
        icon: 'https://x/i.png',
        config_schema: CONFIG,
        capabilities: { methods: ['composeWebhook'], jobs: ['go'], scheduled_tasks: [] },
        source: { 'index.ts': /composeWebhook/ },
      },
    })
    t.strictSame((await app.send('GET', `${item}source/`)).body, first.body)

    for (const [source, detail] of [
      [{ 'plugin.json': '{"name": ', 'index.ts': null }, /not valid JSON/],
      [{ 'plugin.json': '{"name": 5}', 'site.ts': 'a' }, /"name"/],
      [{ 'plugin.json': '[]' }, /must contain an object/],
    ] as const)
      t.match(await change(source), { status: 400, body: { attr: 'source__plugin.json', detail } })
    t.strictSame((await app.send('GET', `${item}source/`)).body, first.body, 'nothing changed')
    t.match(await change(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, '']))), {
      status: 400,
      body: { code: 'max_length', attr: 'source' },
    })
    t.match(await app.send('PATCH', `${item}update_source/`, { body: { source: { a: 5 } } }), {
      status: 400,
      body: { attr: 'source__a' },
    })

    const broken = await change({
      'frontend.tsx': 'export const a =\n  <div>',
      'notes.md': '# (',
      'site.ts': 'let x: number = 1',
    })
    t.match(broken, { status: 200, body: { source_errors: { 'frontend.tsx': /^Line 2, column \d+: / } } })
    t.match(broken.body.source_error_positions, { 'frontend.tsx': { line: 2, column: Number } })
    t.strictSame(
      (await app.send('GET', `${item}source/`)).body.source_error_positions,
      broken.body.source_error_positions,
    )
    t.strictSame(Object.keys(broken.body.source_errors), ['frontend.tsx'])
    t.strictSame(Object.keys(broken.body.source).sort(), [
      'frontend.tsx',
      'index.ts',
      'notes.md',
      'plugin.json',
      'site.ts',
    ])
    t.match(await change({ constructor: 'a', toString: 'b', 'hasOwnProperty.ts': '(' }), {
      status: 200,
      body: { source: { constructor: 'a' }, source_errors: { 'hasOwnProperty.ts': /^Line/ } },
    })
    await change({ constructor: null, toString: null, 'hasOwnProperty.ts': null })
    const emptied = await change({
      'frontend.tsx': null,
      'index.ts': null,
      'notes.md': null,
      'site.ts': null,
      'gone.ts': null,
    })
    t.match(emptied, {
      status: 200,
      body: { name: 'Page counter', capabilities: {}, source_errors: {}, source_error_positions: {} },
    })
    t.strictSame(Object.keys(emptied.body.source), ['plugin.json'])
    t.same((await app.send('GET', `${item}check_for_updates/`)).body.latest_tag, null, 'there are no updates')
    t.match(await app.send('POST', `${item}upgrade/`), { status: 200, body: { name: 'Page counter', tag: null } })

    t.same((await app.send('PATCH', `${item}update_source/`)).body, emptied.body, 'an absent body changes nothing')
    t.same((await app.send('PATCH', `${item}update_source/`, { body: emptied.body })).body, emptied.body, 'sent back')

    const flat = (body: object) => app.send('PATCH', `${item}update_source/`, { body })
    t.match(await flat({ 'index.ts': 'export function onEvent() {}', 'lib/a.ts': 'export {}', 'gone.ts': null }), {
      status: 200,
      body: { capabilities: { methods: ['onEvent'] }, source: { 'index.ts': /onEvent/, 'lib/a.ts': 'export {}' } },
    })
    const whole = await flat({ 'index.ts': null, 'lib/a.ts': null, allow_broken: true })
    t.strictSame(Object.keys(whole.body.source), ['plugin.json'])
    for (const [body, attr, code = 'invalid_input'] of [
      [{ name: 'X' }, 'name'],
      [{ Source: { 'index.ts': '' } }, 'Source'],
      [{ 'index.ts': 5 }, 'index.ts'],
      [{ 'index.ts': '', name: 'X' }, 'name'],
      [{ [`${'x'.repeat(201)}.ts`]: '' }, null],
      [{ 'index.ts': 'x'.repeat(1024 * 1024) }, null, 'request_too_large'],
      [{ source: {}, 'index.ts': '' }, 'index.ts'],
      [{ source: {}, sources: {} }, 'sources'],
      [{ 'plugin.json': '[]' }, 'source__plugin.json'],
    ] as const)
      t.match(await flat(body), { body: { attr, code } }, JSON.stringify(body).slice(0, 50))
    t.strictSame((await app.send('GET', `${item}source/`)).body, whole.body, 'nothing changed')

    const complete = await app.send('POST', url, {
      body: {
        name: 'Mine',
        description: 'Kept',
        config_schema: { a: {} },
        source: { 'plugin.json': '{"name": "Theirs"}', 'index.ts': 'module.exports = { onEvent() {} }' },
      },
    })
    t.match(complete, {
      status: 201,
      body: {
        plugin_type: 'source',
        name: 'Theirs',
        description: 'Kept',
        config_schema: [],
        capabilities: { methods: ['onEvent'] },
      },
    })
    t.match(await app.send('POST', url, { body: { source: { 'plugin.json': '!' } } }), {
      status: 400,
      body: { attr: 'source__plugin.json' },
    })
    t.equal((await app.send('GET', url)).body.count, 2)
  },
  options,
)

onBothEngines(
  t,
  'creates a plugin from its fields, without code',
  async (t, app) => {
    const fields = {
      plugin_type: 'local',
      name: 'Noted',
      description: 'Code comes later',
      icon: 'https://x/i.png',
      config_schema: { a: { type: 'string' } },
      tag: 'v1',
      is_global: true,
      metrics: { m: 'sum' },
      public_jobs: { j: {} },
    }
    for (const family of FAMILIES) {
      const sent = { ...fields, capabilities: { methods: ['onEvent'] } }
      const created = await app.send('POST', within(app, family), { body: sent })
      t.match(created, { status: 201, body: { ...fields, url: null, latest_tag: null } })
      t.strictSame(created.body.capabilities, {}, 'capabilities come from the code')
      const item = `${within(app, family)}${created.body.id}/` as const
      for (const [method, path] of [
        ['GET', ''],
        ['GET', 'check_for_updates/'],
        ['POST', 'upgrade/'],
      ] as const)
        t.same((await app.send(method, `${item}${path}`)).body, created.body)
      const changed = {
        ...fields,
        plugin_type: 'custom',
        tag: null,
        is_global: false,
        config_schema: [],
        metrics: null,
      }
      t.match(await app.send('PATCH', item, { body: changed }), { status: 200, body: changed })
      t.match(await app.send('POST', within(app, family), { body: {} }), {
        status: 201,
        body: { plugin_type: null, name: null },
      })
    }
  },
  options,
)

onBothEngines(
  t,
  'concurrent edits of the source are all applied',
  async (t, app) => {
    const created = await app.send('POST', within(app), { body: sourceOf('1') })
    const item = `${within(app)}${created.body.id}/` as const
    const responses = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        app.send('PATCH', `${item}update_source/`, { body: { source: { [`${name}.txt`]: name } } }),
      ),
    )
    t.ok(responses.every(({ status }) => status === 200))
    app.transcript.length = 0
    t.match((await app.send('GET', `${item}source/`)).body.source, {
      'a.txt': 'a',
      'b.txt': 'b',
      'c.txt': 'c',
      'index.ts': '1',
    })
  },
  options,
)

onBothEngines(
  t,
  'an edit that is merged again after another one switches nothing off for code that was not stored',
  async (t, app) => {
    const created = await app.send('POST', within(app), {
      body: {
        plugin_type: 'source',
        name: 'Helped',
        source: {
          'index.ts': "import { help } from './helper'; export function onEvent() { help() }",
          'helper.ts': 'export function help() {}',
        },
      },
    })
    const item = `${within(app)}${created.body.id}/` as const
    const configs = `/api/projects/${app.first.project_id}/plugin_configs/` as const
    const config = await app.send('POST', configs, { body: { plugin: created.body.id, enabled: true } })
    const edit = (source: Record<string, string | null>) =>
      app.send('PATCH', `${item}update_source/`, { body: { source, allow_broken: true } })

    const { inspector } = app.deps
    const { inspect } = inspector
    inspector.inspect = async (files) => {
      inspector.inspect = inspect
      const inspection = await inspect(files)
      t.equal((await edit({ 'index.ts': 'export function onEvent() {}' })).status, 200)
      return inspection
    }
    t.match(await edit({ 'helper.ts': null }), {
      status: 200,
      body: { source: { 'index.ts': 'export function onEvent() {}' } },
    })
    t.match((await app.send('GET', `${configs}${config.body.id}/`)).body, { enabled: true, error: null })
    const { results } = (await app.call('activity_log.list')).body
    t.notOk(results.some(({ activity }) => activity === 'disabled'))
  },
  options,
)

onBothEngines(
  t,
  'installs a URL once when two requests race, and does not upgrade a plugin that is uninstalled concurrently',
  async (t, app) => {
    hosts.reset()
    publishOnGithub()
    const install = () => app.send('POST', within(app), { body: { url: github('hedgerow/webhook') } })
    const responses = await Promise.all([install(), install()])
    t.strictSame(responses.map(({ status }) => status).sort(), [201, 400])
    const created = defined(responses.find(({ status }) => status === 201)).body
    t.match(responses.find(({ status }) => status === 400)?.body, { code: 'unique', attr: 'url' })
    const item = `${within(app)}${created.id}/` as const
    hosts.instead.github_api = async (_, response) => {
      await app.send('DELETE', item)
      response.end(JSON.stringify([{ sha: SHA }]))
    }
    t.equal((await app.send('POST', `${item}upgrade/`)).status, 404)
    t.strictSame(await app.deps.db.all(sql`select name from plugin_files`), [])
    app.transcript.length = 0
  },
  options,
)

for (const engine of nextEngines())
  t.test(
    `re-encrypts tokens and settings with a new key and deletes plugins with their organization (${engine})`,
    async (t) => {
      hosts.reset()
      publishOnGithub()
      const app = await openApp(t, engine, options)
      const { body: created } = await app.send('POST', within(app), {
        body: { url: github('hedgerow/webhook?private_token=T') },
      })
      await app.send('PATCH', `${within(app)}${created.id}/`, { body: { config_schema: [{ key: 'a', secret: true }] } })
      await app.send('POST', `/api/projects/${app.first.project_id}/plugin_configs/`, {
        body: { plugin: created.id, config: { a: 'S' } },
      })
      const { db } = app.deps
      const key = (byte: string) => Buffer.from(byte.repeat(32), 'hex')
      const [before, after] = [key('5e'), key('a1')]
      t.equal(await reencryptSecrets(db, createVault([after, before])), 2)
      const vault = createVault([after])
      const plugin = await rowOf<{ private_token: string }>(db, sql`select private_token from plugins`)
      t.equal(vault.decrypt(plugin.private_token, `plugins/${created.id}`), 'T')
      const config = await rowOf<{ id: number; secrets: string }>(db, sql`select id, secrets from plugin_configs`)
      t.equal(vault.decrypt(config.secrets, `plugin_configs/${config.id}`), '{"a":"S"}')
      await t.rejects(reencryptSecrets(db, createVault([before])), /SECRET_KEY/)

      t.equal((await app.send('DELETE', `/api/organizations/${app.first.organization_id}/`)).status, 204)
      for (const table of ['plugins', 'plugin_files', 'plugin_configs'])
        t.strictSame(await db.all(sql`select * from ${name(table)}`), [], table)
      t.strictSame(await db.all(sql`select * from activity_log where plugin_changes is not null`), [])
    },
  )

onBothEngines(
  t,
  'finds a newer revision with a check and installs it with an upgrade',
  async (t, app) => {
    hosts.reset()
    publishOnGithub()
    const { body: created } = await app.send('POST', within(app), {
      body: { url: github('hedgerow/webhook/tree/main'), plugin_type: 'repository' },
    })
    const item = `${within(app)}${created.id}/` as const
    t.same((await app.send('GET', `${item}check_for_updates/`)).body, created, 'no newer revision')
    hosts.published['github hedgerow/webhook'] = {
      newest: { main: NEXT },
      revisions: {
        [NEXT]: {
          'plugin.json': '{"name": "Renamed", "main": "./dist/main.js"}',
          'dist/main.js': 'exports.runEveryDay = () => {}',
          'site.ts': '',
        },
      },
    }
    const checked = await app.send('GET', `${item}check_for_updates/`)
    t.strictSame(checked.body, { ...created, latest_tag: NEXT }, 'only latest_tag changes')
    t.strictSame((await app.send('GET', item)).body, checked.body)
    const { key } = await app.member('member@example.com', 1)
    await app.send('PATCH', item, { body: { config_schema: [{ key: 'token', secret: true }] } })
    await app.send('POST', `/api/projects/${app.first.project_id}/plugin_configs/`, {
      body: { plugin: created.id, config: { token: 'hush' } },
      key,
    })
    t.match(
      await app.send('POST', `${item}upgrade/`, { key }),
      { status: 403, body: { detail: /level 8/ } },
      'new code could send the stored secret anywhere',
    )
    const upgraded = await app.send('POST', `${item}upgrade/`, {
      raw: { type: 'application/json', payload: '{"tag": "ignored"}' },
    })
    t.match(upgraded, {
      status: 200,
      body: {
        name: 'Renamed',
        description: '',
        config_schema: [],
        tag: NEXT,
        latest_tag: NEXT,
        plugin_type: 'repository',
        public_jobs: {},
        capabilities: { methods: [], scheduled_tasks: ['runEveryDay'] },
      },
    })
    t.strictSame(Object.keys((await app.send('GET', `${item}source/`)).body.source), [
      'index.ts',
      'plugin.json',
      'site.ts',
    ])

    hosts.published = {}
    for (const [method, path] of [
      ['GET', 'check_for_updates/'],
      ['POST', 'upgrade/'],
    ] as const)
      t.match(await app.send(method, `${item}${path}`), { status: 400, body: { attr: 'url', detail: /404/ } }, path)
    t.strictSame((await app.send('GET', item)).body, upgraded.body, 'a failure changes nothing')

    publishOnGithub('hedgerow/pinned')
    const { body: pinned } = await app.send('POST', within(app), {
      body: { url: github(`hedgerow/pinned/commit/${SHA}`) },
    })
    defined(hosts.published['github hedgerow/pinned']).newest = { '': NEXT }
    t.same(
      (await app.send('GET', `${within(app)}${pinned.id}/check_for_updates/`)).body,
      pinned,
      'a pinned revision has no updates',
    )
    t.same((await app.send('POST', `${within(app)}${pinned.id}/upgrade/`)).body, pinned)
  },
  options,
)

onBothEngines(
  t,
  'updates fields and records every change in the activity',
  async (t, app) => {
    hosts.reset()
    publishOnGithub()
    const url = within(app)
    const { body: created } = await app.send('POST', url, { body: { url: github('hedgerow/webhook') } })
    const item = `${url}${created.id}/` as const
    const ada = await app.member('ada@example.com', 1)
    const changed = await app.send('PATCH', item, {
      key: ada.key,
      body: {
        name: ' Mine ',
        icon: 'https://x/i.png',
        url: 'https://github.com/other/one',
        plugin_type: 'source',
        metrics: null,
        organization_id: 'x',
      },
    })
    t.match(changed, {
      status: 200,
      body: {
        name: 'Mine',
        icon: 'https://x/i.png',
        url: created.url,
        plugin_type: 'custom',
        metrics: null,
        organization_id: created.organization_id,
      },
    })
    t.equal((await app.send('PATCH', item)).status, 200, 'an absent body')
    t.match(await app.send('PATCH', item, { body: { plugin_type: 'inline' } }), {
      status: 400,
      body: { code: 'invalid_choice', attr: 'plugin_type' },
    })
    t.match(await app.send('PATCH', item, { body: { name: 'x'.repeat(201) } }), {
      status: 400,
      body: { code: 'max_length', attr: 'name' },
    })
    await app.send('PATCH', `${item}update_source/`, { body: { source: { 'index.ts': 'const secret = "hidden"' } } })
    await app.send('POST', `${item}upgrade/`)
    const { body: second } = await app.send('POST', url, { body: sourceOf('') })
    await app.send('DELETE', `${url}${second.id}/`)

    const { body: activity } = await app.send('GET', `${url}activity/`)
    t.match(activity, { count: 2, results: [{ id: second.id }, { id: created.id, name: 'Webhooks' }] })
    const activitiesOf = (i: number) => activity.results[i]?.activity.map((entry) => entry.activity)
    t.strictSame(activitiesOf(0), ['uninstalled', 'installed'])
    t.strictSame(activitiesOf(1), ['upgraded', 'source_updated', 'updated', 'installed'])
    t.match(activity.results[1]?.activity[2], {
      user: { first_name: 'P', email: 'ada@example.com' },
      scope: 'Plugin',
      item_id: String(created.id),
      detail: {
        name: 'Mine',
        changes: [
          { type: 'Plugin', action: 'changed', field: 'name', before: 'Webhooks', after: 'Mine' },
          { field: 'icon', before: null, after: 'https://x/i.png' },
          { field: 'metrics', before: {}, after: null },
        ],
        trigger: null,
        type: null,
        short_id: null,
      },
    })
    t.match(activity.results[1]?.activity[1]?.detail.changes, [
      { action: 'changed', field: 'index.ts', before: null, after: null },
      { field: 'capabilities', before: { methods: ['onEvent'] }, after: { methods: [] } },
    ])
    t.equal(
      (await app.send('GET', `${within(app, 'pipeline_import_apps')}activity/`)).body.count,
      0,
      'other families are excluded',
    )
    t.match((await app.send('GET', `${url}activity/?limit=1&offset=1`)).body, {
      count: 2,
      next: null,
      results: [{ id: created.id }],
    })
    for (let i = 0; i < 101; i++)
      await app.deps.db.run(sql`
      insert into activity_log (id, organization_id, plugin_id, actor, area, item_id, activity, changes, created_at)
      values (${String(i)}, ${created.organization_id}, ${created.id}, 'user', 'plugins', '1', 'updated', '[]',
        '2026-02-01T00:00:00.000Z')`)
    t.equal((await app.send('GET', `${url}activity/`)).body.results[0]?.activity.length, 100, 'at most 100 entries')
  },
  options,
)

onBothEngines(
  t,
  'lists the catalog, unused plugins and enabled plugins that send events',
  async (t, app) => {
    const url = within(app)
    const { body: shelf } = await app.send('GET', `${url}repository/?limit=2&offset=1`)
    t.match(shelf, { results: [{ id: 2, plugin_type: 'repository', url: /^https:/ }, { id: 3 }], next: /offset=3/ })
    t.same(
      (await app.send('GET', `${within(app, 'pipeline_import_apps')}repository/?limit=2&offset=1`)).body.results,
      shelf.results,
    )
    t.equal((await app.send('GET', `${url}repository/?offset=1000`)).body.results.length, 0)

    const make = async (code: string) => (await app.send('POST', url, { body: sourceOf(code) })).body.id
    const [sender, quiet, idle] = [
      await make('export function onEvent() {}'),
      await make('export function setupPlugin() {}'),
      await make('export function onEvent() {}'),
    ]
    const configure = (plugin: number, enabled: boolean) =>
      app.send('POST', `/api/projects/${app.first.project_id}/plugin_configs/`, { body: { plugin, enabled } })
    await configure(sender, true)
    await configure(sender, false)
    await configure(quiet, true)
    await configure(idle, false)
    const ids = async (path: 'unused' | 'exports_unsubscribe_configs') =>
      (await app.send('GET', `${url}${path}/`)).body.results.map(({ id }) => id)
    t.strictSame(await ids('unused'), [idle])
    t.strictSame(await ids('exports_unsubscribe_configs'), [sender])
    await app.send('PATCH', `${url}${quiet}/`, { body: { capabilities: { methods: ['composeWebhook'] } } })
    t.strictSame(await ids('exports_unsubscribe_configs'), [sender], 'capabilities come from the code')
    await app.send('PATCH', `${url}${quiet}/update_source/`, {
      body: { source: { 'index.ts': 'export const composeWebhook = () => null' } },
    })
    t.strictSame(await ids('exports_unsubscribe_configs'), [sender, quiet])
    t.match((await app.send('GET', `${url}exports_unsubscribe_configs/?limit=1`)).body, { count: 2, next: /offset=1/ })
  },
  options,
)
