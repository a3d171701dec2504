/** The three families of plugins. One implementation is bound for each. */
import { isIntegerId, PLUGIN_ACCESS, requirePluginAccess } from '../auth/access.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { storedJson } from '../json/stored.ts'
import { requireOwner } from '../plugins/access.ts'
import { type CatalogEntry, catalog } from '../plugins/catalog.ts'
import * as service from '../plugins/service.ts'
import { fieldsOf, MASK } from '../plugins/settings.ts'
import { createSources } from '../plugins/sources.ts'
import type { OrganizationRow } from '../store/organizations.ts'
import * as activity from '../store/plugin_activity.ts'
import * as store from '../store/plugins.ts'
import type { Area, HandlerContext, ResolvedAccess } from './handler-context.ts'
import { page, paging } from './page.ts'

type Schemas = components['schemas']
/** The contract of all families is the same; a test proves it. */
type Model = 'pipeline_destinations'
type Operations = Area<Model, store.PluginRow>['operations']
type VerbOf<Id> = Id extends `${Model}.${infer Verb}` ? Verb : never
type Verbs = { [Verb in VerbOf<keyof Operations>]: Operations[`${Model}.${Verb}`] }
type ListCall = Pick<HandlerContext<`${Model}.list`>, 'organization' | 'query' | 'url'>

export function pipelinePlugins<Name extends store.Family>(deps: Deps, family: Name): Area<Name, store.PluginRow> {
  const { db } = deps
  const tools: service.PluginService = { ...deps, sources: createSources(deps.config, deps.outbound) }

  const list =
    (filter: store.PluginFilter) =>
    async ({ organization, query, url }: ListCall) => {
      const { count, rows } = await store.list(db, organization.id, family, filter, paging(query))
      return page({ url, query }, count, rows, serializePlugin)
    }

  const verbs: Verbs = {
    list: list('all'),
    unused: list('unused'),
    exports_unsubscribe_configs: list('sending'),

    repository: async ({ organization, query, url }) => {
      const { limit, offset } = paging(query)
      const found = catalog.slice(offset, offset + limit).map((entry, i) => ({ entry, id: offset + i + 1 }))
      return page({ url, query }, catalog.length, found, ({ entry, id }) =>
        serializeCatalogEntry(entry, id, organization),
      )
    },

    activity: async ({ organization, query, url }) => {
      const { count, rows } = await activity.list(db, organization.id, family, paging(query))
      return page({ url, query }, count, rows, serializePluginActivity)
    },

    create: async ({ organization, body, actor }) =>
      serializePlugin(await service.install(tools, organization, family, body, actor)),

    retrieve: async ({ subject }) => serializePlugin(subject),

    update: async ({ organization, subject, body = {}, actor }) =>
      serializePlugin(await service.update(tools, organization, subject.id, body, actor)),

    delete: ({ subject, actor }) => service.uninstall(tools, subject, actor),

    source: async ({ subject }) => serializeSource({ plugin: subject, files: await store.files(db, subject.id) }),

    update_source: async ({ organization, subject, body, actor }) =>
      serializeSource(await service.updateSource(tools, organization, subject, body ?? {}, actor)),

    check_for_updates: async ({ subject }) => serializePlugin(await service.checkForUpdates(tools, subject)),

    upgrade: async ({ organization, subject, actor }) =>
      serializePlugin(await service.upgrade(tools, organization, subject, actor)),
  }

  return {
    subject: async (access) => {
      const organization = organizationOf(access)
      // Without access the response is 403, whether or not the plugin exists.
      requirePluginAccess(organization.plugins_access_level, PLUGIN_ACCESS.view)
      const { id = '' } = access.params
      const plugin = isIntegerId(id) ? await store.get(db, organization.id, Number(id), family) : undefined
      if (!plugin) throw notFound()
      return plugin
    },
    admit: async (access, plugin) => {
      const { operation } = access
      const organization = organizationOf(access)
      requirePluginAccess(organization.plugins_access_level, operation.plugin_access)
      if (plugin) requireOwner(plugin, organization.id, operation.id.slice(operation.id.indexOf('.') + 1))
    },
    operations: Object.fromEntries(
      Object.entries(verbs).map(([verb, handler]) => [`${family}.${verb}`, handler]),
    ) as Area<Name, store.PluginRow>['operations'],
  }
}

function organizationOf({ organization }: ResolvedAccess): OrganizationRow {
  if (!organization) throw notFound()
  return organization
}

const parseJson = <T>(text: string | null): T | null => (text === null ? null : storedJson(text))

export function serializePlugin(row: store.PluginRow): Schemas['Plugin'] {
  return {
    id: row.id,
    plugin_type: row.plugin_type,
    name: row.name,
    description: row.description,
    url: row.url,
    icon: row.icon,
    config_schema: storedJson(row.config_schema),
    tag: row.tag,
    latest_tag: row.latest_tag,
    is_global: Boolean(row.is_global),
    organization_id: row.organization_id,
    organization_name: row.organization_name,
    capabilities: storedJson(row.capabilities),
    metrics: parseJson(row.metrics),
    public_jobs: parseJson(row.public_jobs),
  }
}

function serializeSource({ plugin, files }: service.PluginWithFiles): Schemas['PluginWithSource'] {
  return {
    ...serializePlugin(plugin),
    source: Object.fromEntries(files.map(({ name, text }) => [name, text])),
    source_errors: Object.fromEntries(files.flatMap(({ name, error }) => (error === null ? [] : [[name, error]]))),
    source_error_positions: Object.fromEntries(
      files.flatMap(({ name, error_line: line, error_column: column }) =>
        line === null || column === null ? [] : [[name, { line, column }]],
      ),
    ),
  }
}

function serializePluginActivity({ plugin, entries }: activity.PluginActivity): Schemas['PluginWithActivity'] {
  const fields = fieldsOf(plugin)
  const secretFields = new Set(fields.filter(({ secret }) => secret).map(({ key }) => `config__${key}`))
  /** A field may have become secret after the change was recorded. */
  const masked = (change: activity.FieldChange): activity.FieldChange =>
    secretFields.has(change.field)
      ? { ...change, before: change.before === null ? null : MASK, after: change.after === null ? null : MASK }
      : change
  return {
    ...serializePlugin(plugin),
    activity: entries.map((entry) => ({
      user: { first_name: entry.user_first_name ?? '', email: entry.user_email ?? '' },
      activity: entry.activity,
      scope: entry.area === 'plugins' ? 'Plugin' : 'PluginConfig',
      item_id: entry.item_id,
      detail: {
        name: entry.item_name ?? '',
        changes: parseJson<activity.FieldChange[]>(entry.plugin_changes)?.map(masked) ?? null,
        trigger: null,
        type: null,
        short_id: null,
      },
      created_at: entry.created_at,
    })),
  }
}

/** A catalog entry has the shape of a plugin. `id` is its position in the catalog. */
function serializeCatalogEntry(
  entry: CatalogEntry,
  id: number,
  organization: Pick<OrganizationRow, 'id' | 'name'>,
): Schemas['CatalogPlugin'] {
  return {
    id,
    plugin_type: 'repository',
    name: entry.name,
    description: entry.description,
    url: entry.url,
    icon: entry.icon ?? null,
    config_schema: [],
    tag: null,
    latest_tag: null,
    is_global: false,
    organization_id: organization.id,
    organization_name: organization.name,
    capabilities: {},
    metrics: {},
    public_jobs: {},
    verified: entry.verified,
    maintainer: entry.maintainer,
    type: entry.type,
  }
}
