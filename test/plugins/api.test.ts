/** `posthog.api`: what plugins can read of their project, and what they cannot. */
import t from 'tap'
import { onBothEngines, type TestApp } from '../helpers/app.ts'
import { ingest } from '../helpers/seeds/exports.ts'
import { capture, configsUrl, logOf, openReceiver, type RunningPlugin, runPlugin } from '../helpers/seeds/plugins.ts'

t.setTimeout(300_000)

const environment = { OUTBOUND_ALLOW: '127.0.0.1/32', SECRET_KEY: '5e'.repeat(32) }

/** Calls `posthog.api` with the arguments that an event brings, and logs what it got. */
const READER = `export async function onEvent({ properties: { method = 'get', path, options } }) {
  const response = await posthog.api[method](path, options)
  console.log(JSON.stringify([response.status, await response.json()]))
}`

interface Call {
  path: string
  method?: string
  options?: Record<string, unknown>
}

/** The status and body of each call. */
async function callAll(app: TestApp, plugin: RunningPlugin, calls: Call[]): Promise<unknown[]> {
  const before = (await logOf(app, plugin)).length
  app.advance(2_000)
  await capture(
    app,
    calls.map((properties) => ({ event: 'read', properties })),
  )
  await ingest(app, [])
  await app.deps.plugins.deliveries.drain()
  const lines = (await logOf(app, plugin)).slice(before)
  return lines.map(({ message }) => (message.startsWith('[') ? JSON.parse(message) : message))
}

const allow = (app: TestApp, { config }: RunningPlugin, api_access = true, key?: string) =>
  app.send('PATCH', `${configsUrl(app)}${config}/`, { body: { api_access }, ...(key !== undefined && { key }) })

onBothEngines(
  t,
  'a plugin reads its own project when an administrator has allowed it',
  async (t, app) => {
    const { project_id } = app.first
    const plugin = await runPlugin(app, READER)
    const [off] = await callAll(app, plugin, [{ path: '/api/projects/@current/' }])
    t.match(off, [403, { code: 'permission_denied', detail: /set "api_access" of the configuration/ }])

    t.match(await allow(app, plugin), { status: 200, body: { api_access: true } })
    const found = await callAll(app, plugin, [
      { path: '/api/projects/@current/' },
      { path: `api/projects/${project_id}/events?limit=1` },
      { path: '/api/projects/@current/events/', options: { data: { limit: 2, event: 'read' } } },
      { path: '/api/projects/@current/plugin_configs/nothing/' },
    ])
    t.match(found[0], [200, { id: project_id }])
    t.match(found[1], [200, { results: [{ event: 'read' }] }])
    t.match(found[2], [200, { results: [{ event: 'read' }, { event: 'read' }] }])
    t.match(found[3], [404, { code: 'not_found' }])

    t.match(await allow(app, plugin, false), { status: 200, body: { api_access: false } })
    t.match(await callAll(app, plugin, [{ path: '/api/projects/@current/' }]), [[403, { detail: /api_access/ }]])
  },
  { environment },
)

onBothEngines(
  t,
  'other projects, other areas and changes are refused',
  async (t, app) => {
    const { project_id, organization_id } = app.first
    const plugin = await runPlugin(app, READER)
    await allow(app, plugin)
    const other = await app.send('POST', `/api/organizations/${organization_id}/projects/`, { body: { name: 'Other' } })
    const own = `/api/projects/${project_id}`
    const outside = [
      `/api/projects/${other.body.id}/`,
      `/api/projects/${project_id}0/`,
      `${own}/../${other.body.id}/events/`,
      `${own}/%2e%2e/${other.body.id}/events/`,
      `/api/projects/${project_id}%2F..%2F${other.body.id}/events/`,
      `//example.com/api/projects/${other.body.id}/`,
      `https://example.com${own}/`,
      '/api/organizations/@current/',
      '/api/users/@me/',
      '/metrics',
      '',
      `${own}/${'x'.repeat(20_000)}`,
    ]
    for (const [i, answer] of (
      await callAll(
        app,
        plugin,
        outside.map((path) => ({ path })),
      )
    ).entries())
      t.match(answer, [403, { detail: /only the project of the plugin/ }], String(outside[i]).slice(0, 80))
    const writes: Call[] = [
      { method: 'post', path: `${own}/plugin_configs/`, options: { data: { plugin: plugin.plugin } } },
      { method: 'patch', path: `${own}/`, options: { data: { name: 'taken' } } },
      { method: 'put', path: `${own}/plugin_configs/${plugin.config}/` },
      { method: 'delete', path: `${own}/plugin_configs/${plugin.config}/` },
    ]
    for (const answer of await callAll(app, plugin, writes)) t.match(answer, [403, { detail: /only reads/ }])
    t.match(await app.send('GET', `${own}/`), { body: { name: /^(?!taken)/ } })
  },
  { environment },
)

onBothEngines(
  t,
  'only administrators allow the API, and it ends when they leave',
  async (t, app) => {
    const { organization_id } = app.first
    const plugin = await runPlugin(app, READER, { config: { word: 'one' } })
    const member = await app.member('member@example.com', 1)
    t.match(await allow(app, plugin, true, member.key), { status: 403 })
    const admin = await app.member('admin@example.com', 8)
    const narrow = await app.key({ user_id: admin.id, scopes: ['plugin:write'] })
    t.match(await allow(app, plugin, true, narrow), { status: 403, body: { detail: /lacks the scope/ } })
    t.match(await allow(app, plugin, true, admin.key), { status: 200 })
    const settings = { key: member.key, body: { config: { word: 'other' } } }
    t.match(await app.send('PATCH', `${configsUrl(app)}${plugin.config}/`, settings), { status: 403 }, 'nor settings')
    const source = { source: { 'index.ts': 'export function onEvent() {}' } }
    const update =
      `/api/organizations/${organization_id}/pipeline_destinations/${plugin.plugin}/update_source/` as const
    t.match(await app.send('PATCH', update, { key: member.key, body: source }), { status: 403 }, 'the code can send it')
    const tested = { plugin_config: plugin.config, source: READER }
    t.match(await app.send('POST', `${configsUrl(app)}test/`, { key: member.key, body: tested }), { status: 403 })
    const STATUS =
      "export const onEvent = async () => console.log((await posthog.api.get('api/projects/@current/')).status)"
    const events = [{ event: 'read', distinct_id: 'ada' }]
    const run = await app.send('POST', `${configsUrl(app)}test/`, {
      body: { plugin_config: plugin.config, source: STATUS, events },
    })
    t.match(run.body.logs, [{ message: '200' }], 'a test reads, too')

    t.match(await callAll(app, plugin, [{ path: '/api/projects/@current/' }]), [[200, {}]])
    await app.send('DELETE', `/api/organizations/${organization_id}/members/${admin.uuid}/`)
    t.match(await callAll(app, plugin, [{ path: '/api/projects/@current/' }]), [[403, { detail: /has left/ }]])
    t.match(await allow(app, plugin, true, member.key), { status: 403 })
    const other = await app.key({ scopes: ['plugin:write'] })
    t.match(await allow(app, plugin, true, other), { status: 403 }, 'a key with fewer scopes does not take over')
    t.match(await allow(app, plugin), { status: 200, body: { api_access: true } }, 'another one allows it again')
    t.match(await callAll(app, plugin, [{ path: '/api/projects/@current/' }]), [[200, {}]])
  },
  { environment },
)

onBothEngines(
  t,
  'a configuration has a budget of its own, and no token works from outside',
  async (t, app) => {
    const plugin = await runPlugin(
      app,
      `export async function onEvent(event) {
        const statuses = {}
        for (let i = 0; i < event.properties.calls; i++) {
          const { status, headers } = await posthog.api.get('/api/projects/@current/')
          statuses[status] = (statuses[status] ?? 0) + 1
          statuses.limit ??= headers.get('ratelimit-limit')
        }
        console.log(JSON.stringify(statuses))
      }`,
    )
    await allow(app, plugin)
    app.advance(60_000)
    for (let request = 0; request < 2; request++) {
      await capture(app, [{ event: 'many', properties: { calls: 80 } }])
      await ingest(app, [])
      await app.deps.plugins.deliveries.drain()
    }
    const lines = (await logOf(app, plugin)).map(({ message }) => JSON.parse(message))
    t.strictSame(lines, [
      { 200: 80, limit: '120' },
      { 200: 40, 429: 40, limit: '120' },
    ])
    t.match(await app.send('GET', `/api/projects/${app.first.project_id}/`), { status: 200 }, 'the user has their own')
  },
  { environment: { ...environment, RATE_LIMITS: 'true' } },
)

onBothEngines(
  t,
  'with a host and keys, the request goes there',
  async (t, app) => {
    const receiver = await openReceiver(t)
    const plugin = await runPlugin(
      app,
      `export async function onEvent(event, { config: { url: host } }) {
        const keys = { personalApiKey: 'phx_own', projectApiKey: 'phc_own' }
        const { status } = await posthog.api.get('/api/event/', { host: host + '/', data: { a: 1 }, ...keys })
        await posthog.api.post('api/annotation', { host, data: { b: 2 }, ...keys })
        const failed = await posthog.api.get('/x', { personalApiKey: 'phx_own' }).catch(String)
        const nowhere = await posthog.api.get('/x', keys).catch(String)
        console.log(JSON.stringify([status, failed, nowhere]))
      }`,
      { config: { url: receiver.url } },
    )
    await capture(app, [{ event: 'go' }])
    await ingest(app, [])
    await app.deps.plugins.deliveries.drain()
    t.strictSame(receiver.received, [
      { path: '/api/event/?a=1&token=phc_own', body: '' },
      { path: '/api/annotation?token=phc_own', body: '{"b":2}' },
    ])
    t.match(
      (await logOf(app, plugin)).map(({ message }) => message),
      [/^\[200,"Error: You must specify a personalApiKey.*","Error: posthog.api needs a host and both keys/],
    )
  },
  { environment },
)
