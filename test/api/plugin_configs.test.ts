import t, { type Test } from 'tap'
import { name, sql } from '../../src/sql/template.ts'
import { nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { defined, itemAt, only, rowOf } from '../helpers/assertions/items.ts'
import type { BodyOf } from '../helpers/response-bodies.ts'
import { capture, runPlugin, storedEvents } from '../helpers/seeds/plugins.ts'

halfInQuick(t)

const options = { environment: { SECRET_KEY: '5e'.repeat(32) } }
const MASK = '********'

const configsOf = ({ first }: TestApp) => `/api/projects/${first.project_id}/plugin_configs/` as const
const pluginsOf = ({ first }: TestApp) => `/api/organizations/${first.organization_id}/pipeline_destinations/` as const

const SCHEMA = [
  { markdown: 'Text between fields.' },
  { key: 'bucket', name: 'Bucket', type: 'string', required: true },
  { key: 'secretKey', name: 'Key', type: 'string', secret: true, required: true },
  { key: 'token', type: 'string', secret: true },
  { key: 'mode', type: 'choice', choices: ['fast', 'slow'], default: 'slow' },
  { key: 'speed', type: 'string', required: true, visible_if: [['mode', 'fast']] },
  {
    key: 'reason',
    type: 'string',
    required_if: [
      ['mode', 'slow'],
      ['extra', 'x'],
    ],
    visible_if: [['token', undefined]],
  },
  { key: 'extra', type: 'json' },
  { key: 'upload', type: 'attachment' },
]

async function install(app: TestApp, config_schema: unknown = SCHEMA): Promise<number> {
  const created = await app.send('POST', pluginsOf(app), {
    body: { plugin_type: 'source', name: 'Exporter', description: 'Exports.', config_schema },
  })
  return created.body.id
}

onBothEngines(
  t,
  'creates, reads with masked secrets, updates and removes a configuration',
  async (t, app) => {
    const url = configsOf(app)
    const plugin = await install(app)
    const created = await app.send('POST', url, {
      body: { plugin, enabled: true, order: 2, config: { bucket: 'b', secretKey: 'hush', mode: 'fast', speed: '9' } },
    })
    t.match(created, {
      status: 201,
      body: {
        plugin,
        enabled: true,
        order: 2,
        team_id: app.first.project_id,
        plugin_info: { id: plugin, name: 'Exporter' },
        name: 'Exporter',
        description: 'Exports.',
      },
    })
    t.strictSame(created.body.config, { bucket: 'b', mode: 'fast', speed: '9', secretKey: MASK })
    const item = `${url}${created.body.id}/` as const
    t.strictSame((await app.send('GET', item)).body, created.body)
    const rows = await app.deps.db.all<{ id: number; secrets: string }>(sql`select * from plugin_configs`)
    t.notMatch(JSON.stringify(rows), 'hush', 'secrets are encrypted at rest')
    const secrets = async () => {
      const row = await rowOf<{ secrets: string | null }>(
        app.deps.db,
        sql`select secrets from plugin_configs where id = ${created.body.id}`,
      )
      return row.secrets && JSON.parse(app.deps.vault.decrypt(row.secrets, `plugin_configs/${created.body.id}`))
    }
    t.strictSame(await secrets(), { secretKey: 'hush' })

    const change = (body: object) => app.send('PATCH', item, { body })
    t.match(await change({ enabled: false, plugin: 999 }), { status: 200, body: { enabled: false, plugin } })
    t.strictSame(
      (await change({ config: { ...created.body.config, bucket: 'c' } })).body.config,
      { ...created.body.config, bucket: 'c' },
      'the mask is accepted',
    )
    t.strictSame(await secrets(), { secretKey: 'hush' }, 'the mask keeps the secret')
    await change({ config: { bucket: 'c', secretKey: null, token: 'new', reason: 'r' } })
    t.strictSame(await secrets(), { secretKey: 'hush', token: 'new' }, 'null keeps the secret')
    t.strictSame((await change({ config: { bucket: 'c', secretKey: 'other', token: '' } })).body.config, {
      bucket: 'c',
      token: '',
      mode: 'slow',
      secretKey: MASK,
    })
    t.strictSame(await secrets(), { secretKey: 'other' }, 'secrets can be emptied and replaced')
    t.match(await change({ name: ' Mine ', description: 'D', order: 0 }), {
      body: { name: 'Mine', description: 'D', order: 0 },
    })
    t.match(await change({ name: '', description: null }), { body: { name: 'Exporter', description: 'Exports.' } })
    t.equal((await app.send('PATCH', item)).status, 200, 'an absent body')

    const first = await app.send('POST', url, { body: { plugin: await install(app, {}), order: 0 } })
    t.match(first, { status: 201, body: { enabled: false, config: {} } })
    await change({ order: 1 })
    t.strictSame(
      (await app.send('GET', url)).body.results.map(({ id }) => id),
      [first.body.id, created.body.id],
      'ordered by order',
    )
    t.match((await app.send('GET', `${url}?limit=1`)).body, { count: 2, next: /offset=1/ })
    t.match(await app.send('DELETE', item), { status: 204, text: '' })
    t.equal((await app.send('GET', item)).status, 404)
    t.equal((await app.send('GET', `${pluginsOf(app)}${plugin}/`)).status, 200, 'the plugin remains')

    const { results } = (await app.send('GET', `${pluginsOf(app)}activity/`)).body
    const entries = defined(results.find(({ id }) => id === plugin)).activity
    t.strictSame(
      entries.map(({ activity }) => activity),
      [
        'config_deleted',
        'order_changed',
        'config_updated',
        'config_updated',
        'config_updated',
        'config_updated',
        'config_updated',
        'disabled',
        'enabled',
        'installed',
      ],
    )
    t.match(entries.at(-2), {
      scope: 'PluginConfig',
      item_id: String(created.body.id),
      detail: {
        name: 'Exporter',
        changes: [{ type: 'PluginConfig', action: 'created', field: 'enabled', after: true }],
      },
    })
    const replaced = entries[4]?.detail.changes?.find(({ field }) => field === 'config__secretKey')
    t.match(replaced, { action: 'changed', before: MASK, after: MASK }, 'the change is recorded without the values')
    t.notMatch(JSON.stringify(results), /hush|"new"|other/)
  },
  options,
)

onBothEngines(
  t,
  'validates settings against both forms of config_schema',
  async (t, app) => {
    const url = configsOf(app)
    const list = await install(app)
    const object = await install(
      app,
      Object.fromEntries(SCHEMA.flatMap(({ key, ...field }) => (key ? [[key, field]] : []))),
    )
    const right = { bucket: 'b', secretKey: 's' }
    for (const plugin of [list, object]) {
      for (const [config, error] of [
        [undefined, { attr: 'config__bucket', code: 'required' }],
        [{}, { attr: 'config__bucket', code: 'required' }],
        [
          { ...right, bucket: '' },
          { attr: 'config__bucket', code: 'required' },
        ],
        [
          { ...right, bucket: null },
          { attr: 'config__bucket', code: 'required' },
        ],
        [
          { ...right, secretKey: MASK },
          { attr: 'config__secretKey', code: 'required' },
        ],
        [
          { ...right, bucket: 5 },
          { attr: 'config__bucket', code: 'invalid_input' },
        ],
        [
          { ...right, upload: {} },
          { attr: 'config__upload', code: 'invalid_input' },
        ],
        [
          { ...right, extra: '{' },
          { attr: 'config__extra', code: 'invalid_input' },
        ],
        [
          { ...right, secretkey: 's' },
          { attr: 'config__secretkey', code: 'invalid_input' },
        ],
        [
          { ...right, mode: 'other' },
          { attr: 'config__mode', code: 'invalid_choice' },
        ],
        [
          { ...right, mode: 'fast' },
          { attr: 'config__speed', code: 'required' },
        ],
        [
          { ...right, token: 't' },
          { attr: 'config__reason', code: 'required' },
        ],
      ] as const)
        t.match(
          await app.send('POST', url, { body: { plugin, config } }),
          { status: 400, body: error },
          JSON.stringify(config),
        )
      for (const config of [
        right,
        { ...right, mode: 'fast', speed: '9' },
        { ...right, token: 't', reason: 'r' },
        { ...right, extra: { a: [1] } },
        { ...right, extra: '[1]', upload: 'text' },
      ])
        t.match(await app.send('POST', url, { body: { plugin, config } }), {
          status: 201,
          body: { config: { secretKey: MASK } },
        })
    }
    for (const config_schema of [
      [],
      {},
      [{ key: 5 }, { key: '' }, {}],
      { a: 5 },
      [{ key: 'a', choices: 'x', visible_if: 'x', type: 7 }],
    ])
      t.equal(
        (await app.send('POST', url, { body: { plugin: await install(app, config_schema) } })).status,
        201,
        'unusual schemas',
      )
    t.match(await app.send('POST', url, { body: {} }), { status: 400, body: { attr: 'plugin', code: 'required' } })
    t.match(await app.send('POST', url, { body: { plugin: 999 } }), {
      status: 400,
      body: { attr: 'plugin', code: 'does_not_exist' },
    })
  },
  options,
)

onBothEngines(
  t,
  'files are stored with their name and type, and returned without their contents',
  async (t, app) => {
    const url = configsOf(app)
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const plugin = await install(app, [
      { key: 'open', type: 'attachment' },
      { key: 'hidden', type: 'attachment', secret: true },
    ])
    const source = `export const processEvent = (event, { attachments, config }) => {
      event.properties = { keys: Object.keys(config) }
      for (const [key, { file_name, content_type, contents }] of Object.entries(attachments))
        event.properties[key] = [file_name, content_type, contents.toString()]
      console.log(attachments.hidden?.contents.toString())
      return event
    }`
    const seen = async (id: number) =>
      (await app.send('POST', `${url}test/`, { body: { plugin_config: id, source } })).body
    const filesIn = ({ results }: BodyOf<'plugin_configs.test'>) =>
      itemAt(results, 0).output?.properties as Record<string, string[]>
    const open = { file_name: 'a.csv', content_type: 'text/csv', contents: base64('a,b') }
    const hidden = { file_name: 'key.json', content_type: 'application/json', contents: base64('{"key":"hunter22"}') }
    const created = await app.send('POST', url, { body: { plugin, config: { open, hidden } } })
    t.equal(created.status, 201, created.text)
    const { id, config } = created.body
    t.strictSame(config, { open: { file_name: 'a.csv', content_type: 'text/csv', size: 3 }, hidden: MASK })
    const first = await seen(id)
    t.strictSame(filesIn(first).open, ['a.csv', 'text/csv', 'a,b'])
    t.match(filesIn(first), { keys: [], hidden: ['key.json', 'application/json', /key/] })
    t.strictSame(first.logs, [{ type: 'LOG', message: '**REDACTED**' }])

    const update = (values: object) => app.send('PATCH', `${url}${id}/`, { body: { config: values } })
    t.match(await update({ ...config, open: { ...(config.open as object), file_name: 'b.csv' } }), {
      status: 200,
      body: { config: { open: { file_name: 'b.csv', size: 3 }, hidden: MASK } },
    })
    t.strictSame(filesIn(await seen(id)).open, ['b.csv', 'text/csv', 'a,b'])
    for (const text of [base64('plain'), 'plain, not base64'])
      t.match(await update({ open: text, hidden: MASK }), {
        status: 200,
        body: { config: { open: { file_name: 'open', content_type: 'application/octet-stream', size: /^\d+$/ } } },
      })
    t.match(filesIn(await seen(id)).open?.[2], 'plain, not base64')
    for (const wrong of [
      5,
      { file_name: '', contents: '' },
      { file_name: 'a\n', contents: '' },
      { file_name: 'a', contents: '%' },
      { file_name: 'a', contents: 5 },
      { file_name: 'a', content_type: 'x'.repeat(201), contents: '' },
    ])
      t.match(
        await update({ open: wrong, hidden: MASK }),
        { status: 400, body: { attr: 'config__open', code: 'invalid_input' } },
        JSON.stringify(wrong),
      )
    const largest = 'a,b\n'.repeat(24_000)
    const sized = (text: string) => ({ open: { ...open, contents: base64(text) }, hidden: MASK })
    t.match(await update(sized(largest)), { status: 200, body: { config: { open: { size: 96_000 } } } })
    t.strictSame(filesIn(await seen(id)).open?.[2]?.length, 96_000)
    t.match(await update(sized(largest + largest)), { status: 400, body: { attr: 'config', code: 'max_length' } })
    t.strictSame((await update({ open: '', hidden: '' })).body.config, { open: '', hidden: '' })
    t.match(await update({ open: { file_name: 'a' }, hidden: '' }), {
      status: 400,
      body: { attr: 'config__open', code: 'required' },
    })
  },
  options,
)

onBothEngines(
  t,
  'masks values that become secret and never reveals former secrets',
  async (t, app) => {
    const url = configsOf(app)
    const plugin = await install(app, [{ key: 'a' }, { key: 'b', secret: true }])
    const created = await app.send('POST', url, { body: { plugin, enabled: true, config: { a: 'open', b: 'hush' } } })
    const item = `${url}${created.body.id}/` as const
    const describe = (config_schema: unknown) =>
      app.send('PATCH', `${pluginsOf(app)}${plugin}/`, { body: { config_schema } })
    await describe([{ key: 'a', secret: true }, { key: 'b' }, { key: 'c', required: true }])
    t.strictSame((await app.send('GET', item)).body.config, { a: MASK, b: MASK })
    const { results } = (await app.send('GET', `${pluginsOf(app)}activity/`)).body
    t.notMatch(JSON.stringify(itemAt(results, 0).activity), /hush|open/, 'masked in earlier activity too')
    t.match(
      await app.send('PATCH', item, { body: { enabled: false } }),
      { status: 200 },
      'disabling needs no complete settings',
    )
    t.match(await app.send('PATCH', item, { body: { enabled: true } }), {
      status: 400,
      body: { attr: 'config__c', code: 'required' },
    })
    const kept = await app.send('PATCH', item, { body: { enabled: true, config: { a: MASK, b: MASK, c: 'x' } } })
    t.strictSame(kept.body.config, { c: 'x', a: MASK, b: MASK })
    const row = await rowOf<{ secrets: string }>(app.deps.db, sql`select secrets from plugin_configs`)
    t.strictSame(JSON.parse(app.deps.vault.decrypt(row.secrets, `plugin_configs/${created.body.id}`)), {
      a: 'open',
      b: 'hush',
    })
    await app.send('PATCH', item, { body: { config: { b: 'shown now', c: 'x' } } })
    t.strictSame((await app.send('GET', item)).body.config, { b: 'shown now', c: 'x' })
    await app.send('DELETE', `${pluginsOf(app)}${plugin}/`)
    t.equal((await app.send('GET', url)).body.count, 0, 'uninstalling deletes configurations')
  },
  options,
)

onBothEngines(
  t,
  'configures only plugins that the organization can see',
  async (t, app) => {
    const other = await app.stranger('other@example.com')
    const theirs = `/api/projects/${other.project_id}/plugin_configs/` as const
    const plugin = await install(app, [])
    const configure = () => app.send('POST', theirs, { key: other.key, body: { plugin, enabled: true } })
    t.match(await configure(), { status: 400, body: { attr: 'plugin', code: 'does_not_exist' } })
    const share = (is_global: boolean) => app.send('PATCH', `${pluginsOf(app)}${plugin}/`, { body: { is_global } })
    await share(true)
    const created = await configure()
    t.equal(created.status, 201)
    const pluginsUrl = `/api/organizations/${other.organization_id}/pipeline_destinations/` as const
    t.match((await app.send('GET', `${pluginsUrl}activity/`, { key: other.key })).body, {
      count: 1,
      results: [{ activity: [{ activity: 'enabled' }] }],
    })
    t.match(
      (await app.send('GET', `${pluginsOf(app)}activity/`)).body.results[0]?.activity[0],
      { activity: 'updated' },
      "another organization's activity is hidden",
    )
    t.strictSame(
      (await app.send('GET', `${pluginsOf(app)}unused/`)).body.count,
      1,
      'use by other organizations does not count',
    )

    await share(false)
    t.match(
      (await app.send('GET', pluginsUrl, { key: other.key })).body,
      { count: 1 },
      'a configured plugin stays visible',
    )
    t.equal((await app.send('GET', `${theirs}${created.body.id}/`, { key: other.key })).status, 200)
    await app.send('DELETE', `${theirs}${created.body.id}/`, { key: other.key })
    t.match((await app.send('GET', pluginsUrl, { key: other.key })).body, { count: 0 })
    t.match(
      (await app.send('GET', `${pluginsUrl}activity/`, { key: other.key })).body,
      { count: 0 },
      'its activity is hidden too',
    )
    t.equal((await configure()).status, 400)
  },
  options,
)

onBothEngines(
  t,
  'below administrator, settings change only together with the stored secrets',
  async (t, app) => {
    const url = configsOf(app)
    const plugin = await install(app, [
      { key: 'target', type: 'string' },
      { key: 'options', type: 'json' },
      { key: 'notes', type: 'string' },
      { key: 'limit', type: 'number' },
      { key: 'file', type: 'attachment', secret: true },
      { key: 'secretKey', type: 'string', secret: true },
      { key: 'hook', type: 'string', secret: true },
    ])
    const { key } = await app.member('member@example.com', 1)
    const file = { file_name: 'a', content_type: 'text/plain', contents: Buffer.from('hush').toString('base64') }
    const config = { target: 'x', options: '{"host":"a"}', notes: 'n', limit: 5, secretKey: 'hush', hook: 'hush', file }
    const created = await app.send('POST', url, { body: { plugin, config }, key })
    t.equal(created.status, 201, 'members create configurations')
    const item = `${url}${created.body.id}/` as const
    const shown = created.body.config
    const stored = () => app.deps.db.get(sql`select * from plugin_configs where id = ${created.body.id}`)
    const patch = (body: object, as = key) => app.send('PATCH', item, { body, key: as })
    const change = (more: object) => patch({ config: { ...shown, ...more } })
    const before = await stored()
    for (const more of [
      { target: 'evil.example.com:8443?' },
      { target: undefined },
      { options: '{"host":"evil"}' },
      { notes: 'other' },
      { limit: 6 },
      { target: 'evil', secretKey: null },
      { target: 'evil', secretKey: 'hush' },
      { hook: 'https://evil.example.com' },
      { file: { file_name: 'b' } },
      { target: 'evil', secretKey: 'hush', hook: 'hush', file: { file_name: 'a' } },
    ]) {
      const rejected = await change(more)
      t.match(
        rejected,
        { status: 400, body: { code: 'required', attr: /^config__(secretKey|hook|file)$/ } },
        JSON.stringify(more),
      )
      t.match(rejected.error?.detail, /again .* administrator/)
    }
    t.match(await patch({ enabled: true, config: { ...shown, notes: 'x' } }), { status: 400 })
    t.same(await stored(), before, 'nothing changed')

    for (const same of [{}, { secretKey: null }, { file: { file_name: 'a' } }])
      t.match(await change(same), { status: 200 }, 'the present values may be sent back')
    const filters = { events: [{ id: 'paid' }] }
    t.match(await patch({ enabled: true, order: 3, name: 'Mine', description: 'd', filters }), {
      status: 200,
      body: { enabled: true, order: 3, name: 'Mine', filters, config: shown },
    })
    t.match(await change({ target: 'y', secretKey: 'hush', hook: 'hush', file }), { status: 200 }, 'with all secrets')
    t.match(
      await change({ target: 'z', secretKey: undefined, hook: '', file: '' }),
      { status: 200, body: { config: { target: 'z', hook: '' } } },
      'secrets that are deleted are sent nowhere',
    )
    t.match(
      await change({ target: 'y', secretKey: undefined, hook: '', file: '' }),
      { status: 200 },
      'no secret is stored',
    )
    t.match(await patch({ config }), { status: 200 })
    t.match(
      await patch({ config: { ...shown, target: 'w', options: '{"host":"b"}' } }, app.first.api_key),
      { status: 200, body: { config: { target: 'w', secretKey: MASK, hook: MASK } } },
      'an administrator needs no secret',
    )
  },
  options,
)

onBothEngines(
  t,
  'a plugin whose code does not load is visible: it cannot be enabled, and an edit that breaks it is refused',
  async (t, app) => {
    const url = configsOf(app)
    const good = 'export function processEvent(event) { return event }'
    const broken = {
      'does not parse': ['export function processEvent(event) {\n  return event', /does not load.*Line/],
      'does not load': ["\nconst pg = require('pg')", /does not load.*Line 2: Cannot import "pg"/],
      'throws while it loads': ['throw new Error("no")', /does not load.*no/],
    } as const
    const installed = async (code: string) =>
      (await app.send('POST', pluginsOf(app), { body: { source: { 'index.ts': code } } })).body.id as number
    for (const [label, [code, detail]] of Object.entries(broken)) {
      const plugin = await installed(code)
      const expected = { status: 400, body: { code: 'invalid_input', attr: 'enabled', detail } }
      t.match(await app.send('POST', url, { body: { plugin, enabled: true } }), expected, `${label}: create`)
      const off = await app.send('POST', url, { body: { plugin } })
      t.match(off, { status: 201, body: { enabled: false } }, `${label}: create without enabling`)
      const own = `${url}${off.body.id}/` as const
      t.match(await app.send('PATCH', own, { body: { enabled: true } }), expected, `${label}: enable`)
      t.match(await app.send('PATCH', own, { body: { enabled: false, order: 3 } }), { status: 200 }, label)
    }

    const plugin = await installed(good)
    const config = await app.send('POST', url, { body: { plugin, enabled: true } })
    t.equal(config.status, 201)
    const source = `${pluginsOf(app)}${plugin}/update_source/` as const
    const edit = (code: string, allow_broken?: boolean) =>
      app.send('PATCH', source, { body: { source: { 'index.ts': code }, ...(allow_broken && { allow_broken }) } })
    const [code, detail] = broken['does not load']
    t.match(await edit(code), { status: 400, body: { attr: 'source__index.ts', detail } })
    const unchanged = await app.send('GET', `${pluginsOf(app)}${plugin}/source/`)
    t.equal(unchanged.body.source['index.ts'], good, 'a refused edit changes nothing')
    const read = async () => (await app.send('GET', `${url}${config.body.id}/`)).body
    t.match(await read(), { enabled: true, error: null })

    t.match(await edit(code, true), { status: 200, body: { source_errors: { 'index.ts': /Cannot import "pg"/ } } })
    t.match(await read(), { enabled: false, error: { message: /Cannot import "pg"/, method: 'load' } })
    const logs = await app.send('GET', `${url}${config.body.id}/logs/`)
    t.match(logs.body.results, [{ source: 'SYSTEM', type: 'ERROR', message: /switched off.*Cannot import "pg"/ }])
    t.equal((await edit('still broken (')).status, 200, 'a plugin that is off may be edited into any state')
    t.equal((await edit(good)).status, 200)
    t.match(await app.send('PATCH', `${url}${config.body.id}/`, { body: { enabled: true } }), { status: 200 })
  },
  options,
)

onBothEngines(
  t,
  'a test calls every kind of function, and names what is missing',
  async (t, app) => {
    const installed = async (code: string, config: unknown[] = []) => {
      const source = { 'index.ts': code, 'plugin.json': JSON.stringify({ name: 'Tested', config }) }
      return (await app.send('POST', pluginsOf(app), { body: { source } })).body.id as number
    }
    const run = async (plugin: number, events?: object[]) =>
      (await app.send('POST', `${configsOf(app)}test/`, { body: { plugin, ...(events && { events }) } })) as {
        status: number
        body: BodyOf<'plugin_configs.test'>
      }
    const plugin = await installed(`
      export const jobs = { later: (payload) => console.log('later', payload.n) }
      export function processEvent(event) {
        if (event.event === 'dropped') return null
        return event.event === 'split' ? [event, { ...event, event: 'other' }] : event
      }
      export async function exportEvents(events) { console.log('exports', events.map(({ event, $set }) => [event, $set])) }
      export async function runEveryMinute(meta) { await meta.jobs.later({ n: 5 }).runNow() }
      export function runEveryDay() { throw new Error('no day') }`)
    const events = [
      { event: 'split', distinct_id: 'ada', $set: { plan: 'pro' } },
      { event: 'dropped', distinct_id: 'ada' },
    ]
    const { body } = await run(plugin, events)
    t.equal(body.error, null)
    t.match(
      body.results.map(({ function: name, output, error }) => [name, output?.event ?? null, error]),
      [
        ['processEvent', 'split', null],
        ['processEvent', 'other', null],
        ['processEvent', null, null],
        ['exportEvents', null, null],
        ['runEveryMinute', null, null],
        ['runEveryDay', null, /no day/],
        ['later', null, null],
      ],
    )
    t.match(
      body.logs.map(({ message }) => message),
      ['exports [["split",{"plan":"pro"}],["other",{"plan":"pro"}]]', 'later 5'],
    )
    const nothing = await run(await installed('export function setupPlugin() {}'))
    t.match(nothing.body, { error: /^This plugin has no processEvent, .*, scheduled task or job\.$/, results: [] })
    const required = [{ key: 'token', type: 'string', required: true }]
    const broken = await run(await installed("require('pg'); export function onEvent() {}", required))
    t.match(broken, { status: 200, body: { error: /Cannot import "pg"/ } }, 'errors of imports come before settings')
    t.match(await run(await installed('export function onEvent() {}', required)), { status: 400 })
  },
  options,
)

onBothEngines(t, 'rejects secrets without a SECRET_KEY on PostgreSQL', async (t, app) => {
  const plugin = await install(app, [{ key: 'a', secret: true }])
  const response = await app.send('POST', configsOf(app), { body: { plugin, config: { a: 'hush' } } })
  t.equal(response.status, app.engine === 'sqlite' ? 201 : 503, 'SQLite has a key file beside the data')
  app.transcript.length = 0
})

onBothEngines(
  t,
  'streams a page of the largest configurations with the same bytes as single items',
  async (t, app) => {
    const url = configsOf(app)
    const fields = Array.from({ length: 900 }, (_, i) => ({ key: `k${i}`, type: 'string' }))
    const config = Object.fromEntries(fields.map(({ key }) => [key, 'ü"\n'.repeat(5)]))
    const items: string[] = []
    for (let i = 0; i < 20; i++) {
      const created = await app.send('POST', url, { body: { plugin: await install(app, fields), config } })
      items.push((await app.send('GET', `${url}${created.body.id}/`)).text)
    }
    const whole = await app.send('GET', url)
    t.ok(whole.text.length > 1024 * 1024)
    t.equal(whole.headers['content-length'], undefined, 'streamed')
    t.equal(whole.headers['content-type'], 'application/json; charset=utf-8')
    t.ok(whole.text === `{"count":20,"next":null,"previous":null,"results":[${items.join(',')}]}`, 'byte-equal')
    const one = await app.send('GET', `${url}?limit=1`)
    t.equal(one.headers['content-length'], String(Buffer.byteLength(one.text)), 'a short page has a length')
    t.same(one.body.results, [JSON.parse(String(items[0]))])
    app.transcript.length = 0
  },
  options,
)

const RUNNING = { environment: { OUTBOUND_ALLOW: '127.0.0.1/32', SECRET_KEY: '5e'.repeat(32) } }

/** The responses contain measured times, which differ. */
const onEachEngine = (title: string, scenario: (t: Test, app: TestApp) => Promise<void>): void => {
  for (const engine of nextEngines())
    t.test(`${title} (${engine})`, async (t) => scenario(t, await openApp(t, engine, RUNNING)))
}

onEachEngine('the log, the metrics and the last error of a configuration can be read', async (t, app) => {
  const running = await runPlugin(
    app,
    `export const metrics = { seen: 'sum' }
      export function processEvent(event, { metrics }) {
        metrics.seen.increment(1)
        if (event.event === 'bad') throw new Error('cannot read ' + event.event)
        console.warn('100% done', event.event)
        return event
      }`,
  )
  const params = { id: running.config }
  t.match((await app.call('plugin_configs.retrieve', { params })).body, {
    error: null,
    delivery_rate_24h: null,
    disabled_at: null,
  })
  await capture(app, [{ event: 'good' }, { event: 'fine' }, { event: 'better' }, { event: 'bad' }])
  await app.deps.plugins.recorder.flush()

  const all = (await app.call('plugin_configs.logs', { params })).body
  t.equal(all.count, 4)
  t.match(all.results[0], {
    team_id: app.first.project_id,
    plugin_id: running.plugin,
    plugin_config_id: running.config,
    source: 'PLUGIN',
    type: 'ERROR',
    message: /cannot read bad/,
  })
  const found = async (query: object) => (await app.call('plugin_configs.logs', { params, query })).body.results
  t.match(await found({ type_filter: 'warn' }), { length: 3 })
  t.match(await found({ type_filter: ['WARN', 'ERROR'] }), { length: 4 })
  t.match(await found({ search: '100% DONE f' }), [{ message: '100% done fine', source: 'CONSOLE' }])
  t.match(await found({ after: '2100-01-01' }), { length: 0 })
  t.match(await found({ limit: 1, offset: 1 }), [{ type: 'WARN' }])
  t.match(await app.call('plugin_configs.logs', { params, query: { type_filter: 'loud' } }), {
    status: 400,
    body: { attr: 'type_filter', detail: /DEBUG, LOG, INFO, WARN, ERROR/ },
  })

  const metrics = (await app.call('plugin_configs.metrics', { params })).body
  t.match(metrics, { delivery_rate: 0.75 })
  t.match(metrics.results, [{ category: 'processEvent', successes: 3, failures: 1, dropped: 0, changed: 0 }])
  const later = (await app.call('plugin_configs.metrics', { params, query: { after: '2100-01-01' } })).body
  t.strictSame(later, { delivery_rate: null, results: [], values: [] })
  t.match(metrics.values, [{ hour: /:00:00/, name: 'seen', kind: 'sum', value: 4 }])

  const enable = async (enabled: boolean) =>
    (await app.call('plugin_configs.update', { params, body: { enabled } })).body.disabled_at
  t.match(await enable(false), /T/, 'the time of disabling')
  t.equal(await enable(true), null)

  const described = {
    error: { name: 'Error', message: 'cannot read bad', stack: String, time: String },
    delivery_rate_24h: 0.75,
  }
  t.match((await app.call('plugin_configs.retrieve', { params })).body, described)
  t.match((await app.call('plugin_configs.list')).body.results, [described])
  await capture(app, [{ event: 'good' }])
  await app.deps.plugins.recorder.flush()
  t.match((await app.call('plugin_configs.retrieve', { params })).body, { error: null, delivery_rate_24h: 0.8 })
})

onEachEngine('public jobs start with a validated payload and run once', async (t, app) => {
  const { body: plugin } = await app.send('POST', pluginsOf(app), {
    body: {
      source: {
        'index.ts': `export const jobs = { fill: (payload) => console.log('filled', JSON.stringify(payload)) }`,
        'plugin.json': JSON.stringify({
          name: 'Filler',
          publicJobs: {
            fill: {
              payload: {
                since: { type: 'date', required: true },
                size: { type: 'number', default: 5, staff_only: true },
              },
            },
          },
        }),
      },
    },
  })
  const { body: config } = await app.call('plugin_configs.create', { body: { plugin: plugin.id, enabled: true } })
  const params = { id: config.id }
  const start = (job: object, key?: string) =>
    app.call('plugin_configs.start_job', { params, body: { job }, ...(key && { key }) })
  const rejected: [object, object][] = [
    [{ type: 'empty' }, { attr: 'job__type', detail: /Its jobs are: fill/ }],
    [{ type: 'fill' }, { attr: 'job__payload__since', code: 'required' }],
    [{ type: 'fill', payload: { since: 'x', other: 1 } }, { attr: 'job__payload__other' }],
    [
      { type: 'fill', payload: { since: 'x', size: '7' } },
      { attr: 'job__payload__size', detail: /must be a number/ },
    ],
  ]
  for (const [job, body] of rejected) t.match(await start(job), { status: 400, body })
  const member = await app.member('member@example.com', 1)
  const staffOnly = { type: 'fill', payload: { since: 'x', size: 7 } }
  t.match(await start(staffOnly, member.key), { status: 403, body: { detail: /Only administrators can set "size"/ } })
  const started = await start({ type: 'fill', payload: { since: '2026-01-01' } })
  t.match(started, { status: 200, body: { job_id: String } })
  await app.deps.plugins.tasks.drain()
  await app.deps.plugins.recorder.flush()
  const { results } = (await app.call('plugin_configs.logs', { params, query: { search: 'filled' } })).body
  t.equal(results.length, 1)
  t.strictSame(JSON.parse(only(results).message.replace('filled ', '')), {
    since: '2026-01-01',
    size: 5,
    $operation: 'start',
    $job_id: started.body.job_id,
  })
  const activity = await app.call('activity_log.list', { query: { area: 'plugin_configs' } })
  t.match(activity.body.results[0], { activity: 'job_started', item_id: String(config.id) })
  await app.call('plugin_configs.update', { params, body: { enabled: false } })
  t.match(await start({ type: 'fill', payload: { since: 'x' } }), { status: 400, body: { detail: /not enabled/ } })
})

onEachEngine('a test runs a plugin on sample events and stores nothing', async (t, app) => {
  const source = `
      export const jobs = { later: () => {} }
      export function processEvent(event, { config, global, storage, jobs }) {
        if (event.event === 'drop') return null
        if (event.event === 'fail') throw new TypeError('failed on purpose')
        console.log('key is', config.key)
        event.properties.greeting = config.word
        return event
      }
      export async function onEvent(event, { storage, jobs, cache }) {
        await storage.set('seen', (await storage.get('seen', 0)) + 1)
        posthog.capture('derived', { number: await storage.get('seen') })
        await jobs.later({ a: 1 }).runIn(1, 'minute')
      }`
  const schema = [
    { key: 'word', type: 'string' },
    { key: 'key', type: 'string', secret: true },
  ]
  const config = { word: 'hello', key: 'topsecret' }
  const running = await runPlugin(app, source, { config, schema, enabled: false })
  const events = ['one', 'drop', 'fail'].map((event) => ({ event, distinct_id: 'ada' }))
  const run = (body: object, key?: string) => app.call('plugin_configs.test', { body, ...(key && { key }) })
  const { status, body } = await run({ plugin_config: running.config, events })
  t.equal(status, 200)
  t.match(body, { error: null, milliseconds: Number })
  t.match(body.results, [
    { function: 'processEvent', input: { event: 'one' }, output: { properties: { greeting: 'hello' } }, error: null },
    { function: 'onEvent', input: { properties: { greeting: 'hello' } }, output: null, error: null },
    { function: 'processEvent', input: { event: 'drop' }, output: null, error: null },
    { function: 'processEvent', input: { event: 'fail' }, output: null, error: 'TypeError: failed on purpose' },
    { function: 'onEvent', input: { event: 'fail' } },
  ])
  t.match(body.logs[0], { type: 'LOG', message: 'key is **REDACTED**' })
  t.match(body.captured, [{ event: 'derived', properties: { number: 1 } }, { properties: { number: 2 } }])
  t.match(body.jobs, [{ type: 'later', payload: { a: 1 }, delay_ms: 60_000 }, {}])
  t.strictSame(await storedEvents(app), [])
  for (const table of ['plugin_storage', 'plugin_jobs', 'plugin_log_entries'] as const)
    t.same(await app.deps.db.get(sql`select count(*) as count from ${name(table)}`), { count: 0 }, table)

  const broken = await run({ plugin: running.plugin, config, source: 'export const x: number = (' })
  t.match(broken, { status: 200, body: { results: [], error: /Line 1/ } })
  const failing = await run({
    plugin: running.plugin,
    config,
    source: 'export function setupPlugin() { throw new Error("no access") }; export function onEvent() {}',
  })
  t.match(failing, { status: 200, body: { results: [], error: 'Error: no access' } })
  const endless = await run({
    plugin: running.plugin,
    config,
    source: 'export const processEvent = () => { for (;;); }',
  })
  t.match(endless.body.results, [{ output: null, error: /time/i }])
  t.match(await run({ plugin: running.plugin }), {
    status: 200,
    body: { results: [{ input: { event: '$pageview' } }, {}] },
  })
  for (const [sent, expected] of [
    [{}, { attr: 'plugin', code: 'required' }],
    [{ plugin: 4_711 }, { attr: 'plugin', code: 'does_not_exist' }],
    [{ plugin_config: 4_711 }, { attr: 'plugin_config', code: 'does_not_exist' }],
    [{ plugin: running.plugin, config: { other: 1 } }, { attr: 'config__other' }],
  ] as const)
    t.match(await run(sent), { status: 400, body: expected })
})

onEachEngine(
  'only administrators change the code or schema of a plugin whose configurations have secrets, or test it',
  async (t, app) => {
    const member = await app.member('member@example.com', 1)
    const schema = [{ key: 'key', type: 'string', secret: true }]
    const open = await runPlugin(app, 'export const onEvent = () => {}', { schema: [], enabled: false })
    const secret = await runPlugin(app, 'export const onEvent = () => {}', {
      schema,
      config: { key: 'topsecret' },
      enabled: false,
    })
    const edit = (id: number, key: string) =>
      app.send('PATCH', `${pluginsOf(app)}${id}/update_source/`, {
        key,
        body: { source: { 'index.ts': 'export const onEvent = () => fetch("https://example.com")' } },
      })
    t.equal((await edit(open.plugin, member.key)).status, 200)
    t.match(await edit(secret.plugin, member.key), { status: 403, body: { detail: /level 8/ } })
    const patch = (id: number, body: object, key = member.key) =>
      app.send('PATCH', `${pluginsOf(app)}${id}/`, { key, body })
    const opened = [{ key: 'key', type: 'string' }]
    t.equal((await patch(open.plugin, { config_schema: opened })).status, 200)
    t.match(await patch(secret.plugin, { config_schema: opened }), { status: 403, body: { detail: /level 8/ } })
    t.match(await patch(secret.plugin, { name: 'Renamed', config_schema: schema }), {
      status: 200,
      body: { name: 'Renamed', config_schema: schema },
    })
    t.equal((await patch(secret.plugin, { config_schema: [...schema, ...opened] }, app.first.api_key)).status, 200)
    const test = (plugin_config: number) =>
      app.call('plugin_configs.test', { body: { plugin_config, events: [] }, key: member.key })
    t.equal((await test(open.config)).status, 200)
    t.match(await test(secret.config), { status: 403, body: { detail: /level 8/ } })
    t.equal((await edit(secret.plugin, app.first.api_key)).status, 200)
  },
)
