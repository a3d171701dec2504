/** Access to plugins: every operation at every plugin access level, for own and foreign plugins. */
import t from 'tap'
import { type Operation, operations } from '../../src/contract/table.ts'
import * as organizations from '../../src/store/organizations.ts'
import { onBothEngines, type TestApp } from '../helpers/app.ts'

const LEVELS = [0, 3, 6, 9]
const FAMILIES = ['pipeline_destinations', 'pipeline_frontend_apps', 'pipeline_import_apps'] as const
/** The relation of the calling organization to the plugin. */
const RELATIONS = [
  'own',
  'own global',
  'global plugin of another organization',
  'configured plugin of another organization',
  'local plugin of another organization',
] as const
type Relation = (typeof RELATIONS)[number]

const OWNERS_ONLY = ['check_for_updates', 'source', 'update_source', 'upgrade']
const BODIES: Record<string, object> = {
  create: { plugin_type: 'source', name: 'Made' },
  update: { description: 'Changed' },
  update_source: { source: { 'notes.md': 'Changed' } },
}

const verbOf = ({ id, area }: Operation): string => id.slice(area.length + 1)

function expectedStatus(operation: Operation, level: number, relation: Relation): number {
  const verb = verbOf(operation)
  const needed = operation.plugin_access
  if (level < 3) return 403
  if (operation.namesSubject && relation === 'local plugin of another organization') return 404
  if (level < needed) return 403
  if (!operation.namesSubject || relation.startsWith('own'))
    return verb === 'delete' && relation === 'own global' ? 400 : operation.status
  if (OWNERS_ONLY.includes(verb)) return 404
  return verb === 'retrieve' ? 200 : 403
}

const setLevel = (app: TestApp, level: number) =>
  organizations.setPluginsAccess(app.deps.db, app.first.organization_id, level, app.deps.now())

for (const family of FAMILIES)
  onBothEngines(t, `enforces plugin access levels and ownership for ${family}`, async (t, app) => {
    const other = await app.stranger('other@example.com')
    await organizations.setPluginsAccess(app.deps.db, other.organization_id, 9, app.deps.now())
    const urlOf = (id: string) => `/api/organizations/${id}/${family}/` as const

    const createPlugin = async (relation: Relation): Promise<number> => {
      await setLevel(app, 9)
      const { organization_id, key } = relation.startsWith('own') ? { ...app.first, key: app.first.api_key } : other
      const url = urlOf(organization_id)
      const { body } = await app.send('POST', url, { key, body: { plugin_type: 'source', name: relation } })
      const share = (is_global: boolean) => app.send('PATCH', `${url}${body.id}/`, { key, body: { is_global } })
      if (/global|configured/.test(relation)) await share(true)
      if (relation !== 'configured plugin of another organization') return body.id
      await app.send('POST', `/api/projects/${app.first.project_id}/plugin_configs/`, { body: { plugin: body.id } })
      await share(false)
      return body.id
    }
    for (const relation of RELATIONS)
      for (const operation of operations.filter(({ area }) => area === family))
        for (const level of LEVELS) {
          if (!operation.namesSubject && relation !== 'own') continue
          const id = operation.namesSubject ? await createPlugin(relation) : 0
          await setLevel(app, level)
          const path = operation.path
            .replace('{organization_id}', app.first.organization_id)
            .replace('{id}', String(id))
          const body = BODIES[verbOf(operation)]
          const { status, body: response } = await app.send(operation.method, path, body && { body })
          t.equal(status, expectedStatus(operation, level, relation), `${operation.id} at ${level}, ${relation}`)
          if (status === 403) t.match(response, { code: 'permission_denied', attr: null })
          if (status === 400) t.match(response, { code: 'invalid_input', attr: null, detail: /is_global/ })
        }
  })

onBothEngines(t, 'enforces plugin access levels for plugin_configs', async (t, app) => {
  const pluginsUrl = `/api/organizations/${app.first.organization_id}/pipeline_destinations/` as const
  const url = `/api/projects/${app.first.project_id}/plugin_configs/` as const
  const { body: plugin } = await app.send('POST', pluginsUrl, { body: { plugin_type: 'source', name: 'P' } })
  for (const level of LEVELS) {
    await setLevel(app, 9)
    const { body: config } = await app.send('POST', url, { body: { plugin: plugin.id } })
    await setLevel(app, level)
    for (const [method, path, status] of [
      ['GET', url, 200],
      ['POST', url, 201],
      ['GET', `${url}${config.id}/`, 200],
      ['PATCH', `${url}${config.id}/`, 200],
      ['DELETE', `${url}${config.id}/`, 204],
    ] as const) {
      const response = await app.send(method, path, method === 'POST' ? { body: { plugin: plugin.id } } : {})
      t.equal(response.status, level < 3 ? 403 : status, `${method} at ${level}`)
    }
  }
})

onBothEngines(
  t,
  'shares a plugin at level 9 with an administrator and requires it to be local before uninstalling',
  async (t, app) => {
    const url = `/api/organizations/${app.first.organization_id}/pipeline_destinations/` as const
    const create = (is_global: boolean, key = app.first.api_key) =>
      app.send('POST', url, { key, body: { plugin_type: 'source', name: 'G', is_global } })
    const other = await app.stranger('other@example.com')
    const theirs = `/api/organizations/${other.organization_id}/pipeline_destinations/` as const
    for (const [level, status] of [
      [1, 403],
      [8, 200],
    ] as const) {
      const { key } = await app.member(`level${level}@example.com`, level)
      const share = (is_global: boolean, path = '', method = 'POST') =>
        app.send(method, `${url}${path}`, { key, body: { plugin_type: 'source', name: 'G', is_global } })
      t.equal((await share(true)).status, status === 200 ? 201 : 403, `level ${level} installs a shared plugin`)
      const { body: local } = await create(false, key)
      const path = `${local.id}/`
      t.equal((await share(false, path, 'PATCH')).status, 200, 'the current value is accepted')
      t.equal((await share(true, path, 'PATCH')).status, status)
      const { body: shared } = await create(true)
      t.equal((await share(true, `${shared.id}/`, 'PATCH')).status, 200, 'the current value is accepted')
      const back = await share(false, `${shared.id}/`, 'PATCH')
      t.equal(back.status, status, 'unsharing needs the same level')
      if (status === 403) t.match(back.body, { code: 'permission_denied', detail: /level 8/ })
      await app.send('PATCH', `${url}${shared.id}/`, { body: { is_global: false } })
      for (const { id, is_global } of (await app.send('GET', url)).body.results) {
        if (is_global) await app.send('PATCH', `${url}${id}/`, { body: { is_global: false } })
        await app.send('DELETE', `${url}${id}/`)
      }
    }
    await setLevel(app, 6)
    t.match(await create(true), { status: 403, body: { code: 'permission_denied', detail: /level 9/ } })
    const { body: created } = await create(false)
    const change = (body: object) => app.send('PATCH', `${url}${created.id}/`, { body })
    t.equal((await change({ is_global: true })).status, 403)
    t.equal((await change({ is_global: false, name: 'H' })).status, 200, 'the current value is accepted')
    t.equal((await app.send('GET', theirs, { key: other.key })).body.count, 0)
    await setLevel(app, 9)
    t.match(await change({ is_global: true }), { status: 200, body: { is_global: true } })
    t.match((await app.send('GET', theirs, { key: other.key })).body, {
      count: 1,
      results: [{ id: created.id, organization_name: 'My organization' }],
    })
    t.equal((await app.send('GET', `${theirs}${created.id}/`, { key: other.key })).status, 200)
    t.match(await app.send('PATCH', `${theirs}${created.id}/`, { key: other.key, body: { name: 5 } }), {
      status: 403,
      body: { detail: /managed by another organization, My organization/ },
    })
    await setLevel(app, 6)
    t.equal((await change({ is_global: false })).status, 403, 'unsharing needs level 9')
    t.equal((await change({ name: 'I' })).status, 200)
    await setLevel(app, 9)
    t.equal((await app.send('DELETE', `${url}${created.id}/`)).status, 400)
    await change({ is_global: false })
    t.equal((await app.send('DELETE', `${url}${created.id}/`)).status, 204)
    t.equal((await app.send('GET', theirs, { key: other.key })).body.count, 0)
  },
)
