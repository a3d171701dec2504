/** Plugins that run in a browser: the scripts of site apps, and frontends. */
import vm from 'node:vm'
import t from 'tap'
import { transpileStored } from '../../src/plugins/site-apps.ts'
import { sql } from '../../src/sql/template.ts'
import { setPluginsAccess } from '../../src/store/organizations.ts'
import { onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import type { Json } from '../helpers/json.ts'

t.setTimeout(5 * 60_000)

const options = { environment: { SECRET_KEY: '5e'.repeat(32) } }

const SITE = `interface Options { config: Record<string, unknown>; posthog?: { capture(name: string): void } }
export function inject({ config, posthog }: Options): void {
  globalThis.received = config
  posthog?.capture('injected')
}
`
const FIELDS = [
  { key: 'greeting', type: 'string', site: true },
  { key: 'color', type: 'string', site: true, default: 'red' },
  { key: 'limit', type: 'number', site: true },
  { key: 'endpoint', type: 'string' },
  { key: 'token', type: 'string', secret: true },
]
/** Closes a script element, opens a comment, and contains line separators. */
const GREETING = '</script><!-- \u2028\u2029 ünï'

const appsOf = ({ first }: TestApp) => `/api/organizations/${first.organization_id}/pipeline_frontend_apps/` as const
const configsOf = ({ first }: TestApp) => `/api/projects/${first.project_id}/plugin_configs/` as const

async function install(app: TestApp, source: Record<string, string>, config: object[] = FIELDS): Promise<number> {
  const created = await app.send('POST', appsOf(app), {
    body: { source: { 'plugin.json': JSON.stringify({ name: 'Banner', config }), ...source } },
  })
  if (created.status !== 201) throw new Error(created.text)
  return created.body.id
}

const configure = async (app: TestApp, plugin: number, config: object = {}, more: object = {}): Promise<number> =>
  (await app.send('POST', configsOf(app), { body: { plugin, enabled: true, config, ...more } })).body.id

async function siteApps(app: TestApp, path: '/decide/' | '/flags/?v=2&config=true' = '/decide/') {
  const { body } = await app.send('POST', path, { key: null, body: { token: app.first.project_token } })
  return body.siteApps
}

const urlOf = async (app: TestApp): Promise<string> => (await siteApps(app))[0]?.url ?? ''

/** Runs a script as a page does. Returns the settings that it received and the events that it captured. */
function run(script: string, id: number): { config: Json; captured: string[] } {
  const captured: string[] = []
  const window = { [`__$$ph_site_app_${id}`]: { capture: (name: string) => captured.push(name) } }
  const page: { window: object; received?: object } = { window }
  vm.runInNewContext(script, page)
  return { config: JSON.parse(JSON.stringify(page.received)), captured }
}

const MISSING = { status: 404, body: { type: 'server_error', code: 'missing_site_app_source', attr: null } }

onBothEngines(
  t,
  'lists the site apps of a project and serves each with its visible settings',
  async (t, app) => {
    t.strictSame(await siteApps(app), [])
    const plugin = await install(app, { 'site.ts': SITE })
    const id = await configure(app, plugin, {
      greeting: GREETING,
      limit: 0,
      endpoint: 'https://internal.example',
      token: 'hush',
    })
    const [listed, ...others] = await siteApps(app)
    t.same(others, [])
    t.match(listed, { id, url: new RegExp(`^/site_app/${id}/\\w{20,64}/[0-9a-f]{32}/$`), type: 'site_app' })
    t.strictSame(await siteApps(app, '/flags/?v=2&config=true'), [listed], '/flags/ lists the same')
    const byToken = (token: string) => app.send('GET', `/array/${token}/config`, { key: null })
    t.match(await byToken(app.first.project_token), {
      status: 200,
      body: { siteApps: [listed], hasFeatureFlags: false },
    })
    for (const wrong of ['phc_unknown', app.first.api_key, '%00', '%F0%9F%A6%94', 'x'.repeat(99)])
      t.equal((await byToken(wrong)).status, 401, wrong)
    const url = listed!.url

    const headers = { origin: 'https://shop.example' }
    const script = await app.send('GET', url, { key: null, headers })
    t.match(script, {
      status: 200,
      headers: {
        'content-type': 'application/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      },
    })
    t.notOk(script.headers['set-cookie'])
    t.strictSame(run(script.text, id), {
      config: { greeting: GREETING, color: 'red', limit: 0 },
      captured: ['injected'],
    })
    t.notMatch(script.text, /<\/|<!--|[\u2028\u2029]/, 'the settings cannot end a script element')
    t.notMatch(script.text, /hush|internal|\*\*\*/, 'other settings and secrets are not in the script')
    t.match(await app.send('HEAD', url, { key: null }), { status: 200, text: '' })
    t.equal((await app.send('GET', url.slice(0, -1), { key: null })).text, script.text, 'without the trailing slash')

    const web_token = itemAt(url.split('/'), 3)
    for (const path of [configsOf(app), `${configsOf(app)}${id}/`, `${appsOf(app)}activity/`])
      t.notMatch((await app.send('GET', path)).text, web_token, `${path} does not contain the token`)

    const stale = await app.send('GET', url.replace(/[0-9a-f]{32}\/$/, 'anything/'), { key: null })
    t.equal(stale.text, script.text, 'any hash is accepted')
    t.equal(stale.headers['cache-control'], 'no-store', 'but the response is not cached')
  },
  options,
)

onBothEngines(
  t,
  'the URL changes with the settings and with the code, and apps have the order of their configurations',
  async (t, app) => {
    const plugin = await install(app, { 'site.ts': SITE })
    const id = await configure(app, plugin, { greeting: 'a' }, { order: 2 })
    const item = `${configsOf(app)}${id}/` as const
    const urls = [await urlOf(app)]
    const change = async (send: () => Promise<unknown>, expected: object): Promise<void> => {
      await send()
      const url = await urlOf(app)
      t.notOk(urls.includes(url), 'a new URL')
      t.equal(url.split('/')[3], itemAt(urls, 0).split('/')[3], 'with the same token')
      urls.push(url)
      t.match(run((await app.send('GET', url, { key: null })).text, id).config, expected)
    }
    await change(() => app.send('PATCH', item, { body: { config: { greeting: 'b' } } }), { greeting: 'b' })
    const schema = [{ key: 'greeting', type: 'string', site: true, default: 'x' }]
    await change(() => app.send('PATCH', `${appsOf(app)}${plugin}/`, { body: { config_schema: schema } }), {
      greeting: 'b',
    })
    const text = SITE.replace('= config', "= { ...config, greeting: 'from the code' }")
    await change(
      () => app.send('PATCH', `${appsOf(app)}${plugin}/update_source/`, { body: { source: { 'site.ts': text } } }),
      { greeting: 'from the code' },
    )
    t.match(
      (await app.send('GET', itemAt(urls, 0), { key: null })).text,
      'from the code',
      'an old URL has the current script',
    )

    const first = await configure(app, plugin, {}, { order: 1 })
    t.strictSame(
      (await siteApps(app)).map((listed) => listed.id),
      [first, id],
    )
    t.not(itemAt(await siteApps(app), 0).url.split('/')[3], itemAt(urls, 0).split('/')[3], 'each has its own token')
  },
  options,
)

onBothEngines(
  t,
  'an app that is unknown, disabled, not compiled or requested with a wrong token is 404',
  async (t, app) => {
    const plugin = await install(app, { 'site.ts': SITE })
    const id = await configure(app, plugin)
    const other = await configure(app, plugin)
    const url = await urlOf(app)
    const [, , , token = '', hash = ''] = url.split('/')
    const get = (path: string) => app.send('GET', path, { key: null })
    const absent = await get(`/site_app/999999999/${token}/${hash}/`)
    t.match(absent, MISSING)
    for (const path of [
      `/site_app/${other}/${token}/${hash}/`,
      `/site_app/${id}/${token}x/${hash}/`,
      `/site_app/${id}/${token.toUpperCase()}/${hash}/`,
      `/site_app/${id}/%00/${hash}/`,
      ...['0', '-1', 'x', '1.5', '%00', '1e3', `0${id}`, '9'.repeat(40)].map(
        (wrong) => `/site_app/${wrong}/${token}/${hash}/`,
      ),
    ])
      t.equal((await get(path)).text, absent.text, path)
    t.equal((await app.send('POST', url, { key: null, body: {} })).status, 405)

    const both = async (change: () => Promise<unknown>, undo: () => Promise<unknown>, title: string): Promise<void> => {
      await change()
      t.match(await get(url), MISSING, title)
      t.notMatch(JSON.stringify(await siteApps(app)), url, `${title}: not listed`)
      await undo()
      t.equal((await get(url)).status, 200, `${title}: served again`)
    }
    const patch = (body: object) => app.send('PATCH', `${configsOf(app)}${id}/`, { body })
    await both(
      () => patch({ enabled: false }),
      () => patch({ enabled: true }),
      'a disabled configuration',
    )
    const write = (text: string | null) =>
      app.send('PATCH', `${appsOf(app)}${plugin}/update_source/`, { body: { source: { 'site.ts': text } } })
    await both(
      () => write('export function inject( {'),
      () => write(SITE),
      'a syntax error',
    )
    await both(
      () => write(null),
      () => write(SITE),
      'a plugin without site.ts',
    )
    const { organization_id } = app.first
    await both(
      () => setPluginsAccess(app.deps.db, organization_id, 0, app.deps.now()),
      () => setPluginsAccess(app.deps.db, organization_id, 6, app.deps.now()),
      'an organization without plugin access',
    )
    await app.send('DELETE', `${appsOf(app)}${plugin}/`)
    t.match(await get(url), MISSING, 'an uninstalled plugin')
    t.strictSame(await siteApps(app), [])
  },
  options,
)

onBothEngines(
  t,
  'syntax errors name the line, and imports fail in the page with the name of the module',
  async (t, app) => {
    const plugin = await install(app, { 'site.ts': SITE, 'frontend.tsx': 'export const a = <b/>' })
    const errorsOf = async (text: string): Promise<Record<string, string>> => {
      const body = { source: { 'site.ts': text } }
      const response = await app.send('PATCH', `${appsOf(app)}${plugin}/update_source/`, { body })
      t.equal(response.status, 200)
      return response.body.source_errors
    }
    t.match(await errorsOf('let a = 1\nlet b = ;'), { 'site.ts': /^Line 2, column 9: / })
    t.match(await errorsOf('\n\nconst a = 1; const a = 2'), { 'site.ts': /^Line 3/ })
    t.match(await errorsOf('await fetch("x")\nwith (window) {}'), { 'site.ts': /./ })
    t.match(await errorsOf(`// ${'x'.repeat(500_000)}`), {}, 'a long file')
    t.match(await errorsOf(`// ${'x'.repeat(512 * 1_024)}`), { 'site.ts': /524288/ })
    t.match(await errorsOf('('.repeat(50_000)), { 'site.ts': /./ }, 'deep nesting')
    t.strictSame(await errorsOf('\ufeffexport const inject = () => undefined // no line break at the end'), {})
    t.strictSame(
      await errorsOf("import type { A } from 'types'\nimport run from 'left-pad'\nexport const inject = run"),
      {},
    )
    const id = await configure(app, plugin)
    const script = await app.send('GET', await urlOf(app), { key: null })
    t.throws(() => run(script.text, id), { message: 'site.ts cannot import "left-pad". Put its code into site.ts.' })
  },
  options,
)

onBothEngines(
  t,
  'a secret setting cannot be visible in pages',
  async (t, app) => {
    const leaking = [{ key: 'token', type: 'string', secret: true, site: true }]
    const manifest = JSON.stringify({ name: 'Leak', config: leaking })
    const refused = (attr: string) => ({ status: 400, body: { code: 'invalid_input', attr, detail: /"token"/ } })
    t.match(await app.send('POST', appsOf(app), { body: { config_schema: leaking } }), refused('config_schema'))
    t.match(
      await app.send('POST', appsOf(app), { body: { source: { 'plugin.json': manifest } } }),
      refused('source__plugin.json'),
    )
    const plugin = await install(app, { 'site.ts': SITE }, [{ key: 'token', type: 'string', secret: true }])
    const item = `${appsOf(app)}${plugin}/` as const
    const asObject = { token: { type: 'string', secret: true, site: true } }
    t.match(await app.send('PATCH', item, { body: { config_schema: asObject } }), refused('config_schema'))
    t.match(
      await app.send('PATCH', `${item}update_source/`, { body: { source: { 'plugin.json': manifest } } }),
      refused('source__plugin.json'),
    )

    const id = await configure(app, plugin, { token: 'hush' })
    const script = async (): Promise<string> => (await app.send('GET', await urlOf(app), { key: null })).text
    const open = [{ key: 'token', type: 'string', site: true, default: 'none' }]
    t.equal((await app.send('PATCH', item, { body: { config_schema: open } })).status, 200)
    t.notMatch(await script(), 'hush', 'a stored secret stays hidden when its field is opened')
    await app.send('PATCH', `${configsOf(app)}${id}/`, { body: { config: { token: '********' } } })
    t.notMatch(await script(), /hush|\*\*\*/)

    // Versions before this rule stored such schemas.
    await app.deps.db.run(sql`update plugins set config_schema = ${JSON.stringify(leaking)} where id = ${plugin}`)
    await app.deps.db.run(sql`update plugin_configs set config = '{"token":"exposed"}' where id = ${id}`)
    t.strictSame(run(await script(), id).config, {})
    const stored = await app.send('GET', item)
    t.equal((await app.send('PATCH', item, { body: stored.body })).status, 200, 'it can be sent back')
  },
  options,
)

/** Loads an ES module from its text. */
const load = (text: string): Promise<{ getFrontendApp(require: (name: string) => unknown): any }> =>
  import(`data:text/javascript,${encodeURIComponent(text)}`)

onBothEngines(
  t,
  'serves the frontend of a plugin as an ES module',
  async (t, app) => {
    const FRONTEND = `import React from 'react'
interface Props { name: string }
export const scene = { title: 'Hello', component: ({ name }: Props) => <p className="a">{name}</p> }
`
    const plugin = await install(app, { 'frontend.tsx': FRONTEND })
    const id = await configure(app, plugin, {}, { enabled: false })
    const url = `${configsOf(app)}${id}/frontend/` as const
    const get = () => app.send('GET', url)
    const response = await get()
    t.match(response, {
      status: 200,
      headers: { 'content-type': 'application/javascript; charset=utf-8', 'cache-control': 'no-store' },
    })
    const react = { createElement: (...parts: unknown[]) => parts }
    const { scene } = (await load(response.text)).getFrontendApp((name) => (name === 'react' ? react : undefined))
    t.equal(scene.title, 'Hello')
    t.same(scene.component({ name: 'Ada' }), ['p', { className: 'a' }, 'Ada'])

    const answer = async (): Promise<object> => (await load((await get()).text)).getFrontendApp(() => undefined)
    const write = (text: string | null) =>
      app.send('PATCH', `${appsOf(app)}${plugin}/update_source/`, { body: { source: { 'frontend.tsx': text } } })
    await write('export const a = <p>')
    t.match(await answer(), { error: /^Line 1, column / })
    await write(null)
    t.same(await answer(), { no_frontend: true })
    await write(FRONTEND)
    await app.deps.db.run(sql`update plugin_files set transpiled = null where plugin_id = ${plugin}`)
    t.same(await answer(), { transpiling: true })

    const stranger = await app.stranger('else@example.com')
    t.equal((await app.send('GET', url, { key: stranger.key })).status, 404)
    t.equal((await app.send('GET', url, { key: null })).status, 401)
  },
  options,
)

onBothEngines(
  t,
  'transpiles files that were stored before',
  async (t, app) => {
    const { db } = app.deps
    const plugin = await install(app, { 'site.ts': SITE, 'frontend.tsx': 'export const a = <b/>' })
    const broken = await install(app, { 'site.ts': SITE })
    const id = await configure(app, plugin)
    await configure(app, broken)
    await db.run(sql`update plugin_files set transpiled = null`)
    await db.run(sql`update plugin_files set text = 'let a = ;' where plugin_id = ${broken} and name = 'site.ts'`)
    t.strictSame(await siteApps(app), [])
    await Promise.all([transpileStored(app.deps), transpileStored(app.deps)])
    t.strictSame(
      (await siteApps(app)).map((listed) => listed.id),
      [id],
    )
    t.match((await app.send('GET', `${configsOf(app)}${id}/frontend/`)).text, 'createElement')
    t.match((await app.send('GET', `${appsOf(app)}${broken}/source/`)).body.source_errors, {
      'site.ts': /^Line 1, column 9: /,
    })
    t.strictSame(
      await db.all(sql`select 1 from plugin_files where transpiled is null and error is null
      and name in ('site.ts', 'frontend.tsx')`),
      [],
    )
  },
  options,
)

const LIMITED = { environment: { ...options.environment, RATE_LIMITS: 'true' } }

const statusOf = async ({ app }: TestApp, url: string, remoteAddress: string): Promise<number> =>
  (await app.inject({ method: 'GET', url, remoteAddress })).statusCode

onBothEngines(
  t,
  'limits wrong URLs per address',
  async (t, app) => {
    await configure(app, await install(app, { 'site.ts': SITE }))
    for (let i = 0; i < 60; i++) await statusOf(app, '/site_app/1/wrong/0/', '192.0.2.1')
    t.equal(await statusOf(app, '/site_app/1/wrong/0/', '192.0.2.1'), 429)
    t.equal(await statusOf(app, '/site_app/1/wrong/0/', '192.0.2.2'), 404)
    t.equal(await statusOf(app, await urlOf(app), '192.0.2.1'), 200, 'the right URL still works')
  },
  LIMITED,
)

t.test('limits scripts per project, together with events', async (t) => {
  const app = await openApp(t, 'sqlite', LIMITED)
  await configure(app, await install(app, { 'site.ts': SITE }))
  const url = await urlOf(app)
  const found = new Set<number>()
  for (let i = 0; i < 50 && !found.has(429); i++)
    for (const status of await Promise.all(Array.from({ length: 100 }, () => statusOf(app, url, '192.0.2.1'))))
      found.add(status)
  t.same([...found], [200, 429])
  t.equal((await app.send('POST', '/decide/', { key: null, body: { token: app.first.project_token } })).status, 429)
})
