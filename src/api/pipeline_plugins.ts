/** The three families of plugins: one implementation, bound once for each. */
import { demandPluginAccess, PLUGIN_ACCESS, requireLevel } from '../auth/access.ts'
import type { Deps } from '../deps.ts'
import { forbidden, invalid, notFound, unavailable } from '../errors.ts'
import { catalogue } from '../plugins/catalogue.ts'
import { diffFields, diffFiles } from '../plugins/changes.ts'
import { inspect } from '../plugins/inspect.ts'
import { type Manifest, readManifest } from '../plugins/manifest.ts'
import { createSources, type FetchedPlugin } from '../plugins/sources.ts'
import type { PluginUrl } from '../plugins/url.ts'
import type { Db } from '../sql/db.ts'
import { ADMIN, hold } from '../store/members.ts'
import type { OrganizationRow } from '../store/organizations.ts'
import * as activity from '../store/plugin_activity.ts'
import * as store from '../store/plugins.ts'
import { placeOf } from '../store/secrets.ts'
import type { UserRow } from '../store/users.ts'
import type { Area, HandlerContext } from './handler-context.ts'
import { page, paging } from './page.ts'
import * as wire from './wire.ts'

/** The verbs of the contract, which are the same for each family; the suite of the contract proves it. */
type Model = 'pipeline_destinations'
type Operations = Area<Model, store.PluginRow>['operations']
type VerbOf<Id> = Id extends `${Model}.${infer Verb}` ? Verb : never
type Verbs = { [Verb in VerbOf<keyof Operations>]: Operations[`${Model}.${Verb}`] }
type CreateBody = HandlerContext<`${Model}.create`>['body']
type UpdateBody = NonNullable<HandlerContext<`${Model}.update`>['body']>

/** What concerns the code is not told to others; what they may merely not change they are told. */
const OWNERS_ONLY = ['check_for_updates', 'source', 'update_source', 'upgrade']
const OWNERS_CHANGES = ['update', 'delete']

const MAX_SOURCE_FILES = 100
const MAX_SOURCE_CHARACTERS = 4 * 1024 * 1024
/** Of those who change the code of one plugin at the same moment, one is first each time. */
const TRIES = 5

/** What an install or an upgrade brings. */
interface Code {
  files: store.PluginFile[]
  capabilities: string
}

export function pipelinePlugins<Name extends store.Family>(deps: Deps, family: Name): Area<Name, store.PluginRow> {
  const { db, now, vault, config, outbound } = deps
  const sources = createSources(config, outbound)

  const listing =
    (which: store.PluginFilter) =>
    async ({ organization, query, url }: Pick<HandlerContext<`${Model}.list`>, 'organization' | 'query' | 'url'>) => {
      const { count, rows } = await store.list(db, organization.id, family, which, paging(query))
      return page({ url, query }, count, rows.map(wire.plugin))
    }

  /** Whoever changes something holds the organization first, so that nobody waits for each other in a circle. */
  const write = <Result>(organization_id: string, work: (tx: Db) => Promise<Result>): Promise<Result> =>
    db.tx(async (tx) => {
      if (!(await hold(tx, organization_id))) throw notFound()
      return work(tx)
    })

  const tokenOf = ({ id, private_token }: store.PluginRow): string | null =>
    private_token === null ? null : vault.open(private_token, placeOf('plugins', id))

  const verbs: Verbs = {
    list: listing('all'),
    unused: listing('unused'),
    exports_unsubscribe_configs: listing('sending'),

    repository: async ({ organization, query, url }) => {
      const { limit, offset } = paging(query)
      const entries = catalogue.slice(offset, offset + limit)
      return page(
        { url, query },
        catalogue.length,
        entries.map((entry, i) => wire.catalogPlugin(entry, offset + i + 1, organization)),
      )
    },

    activity: async ({ organization, query, url }) => {
      const { count, plugins } = await activity.list(db, organization.id, family, paging(query))
      const results = plugins.map(({ plugin, entries }) => wire.pluginWithActivity(plugin, entries))
      return page({ url, query }, count, results)
    },

    create: async ({ organization, body, caller }) => {
      if (body.is_global) demandMayShare(organization)
      const url = body.url ? sources.parse(body.url) : null
      if (url && (body.source || body.plugin_type === 'source'))
        throw invalid('url', 'A plugin has a URL or comes as source. Send one of the two.')
      if (url && (await store.hasUrl(db, organization.id, url.key))) throw taken()
      const { code, ...plugin } = url
        ? await fetched(url, body, await sources.fetch(url.origin, url.token))
        : await sent(body)

      return write(organization.id, async (tx) => {
        const id = await store.create(tx, { organization_id: organization.id, family, ...plugin }, now())
        if (id === undefined) throw taken()
        if (url?.token) await store.setToken(tx, id, vault.seal(url.token, placeOf('plugins', id)))
        await store.replaceFiles(tx, { id, revision: 0 }, code.files)
        const made = (await store.lock(tx, id))!
        await note(tx, caller.user, made, 'installed', null)
        return wire.plugin(made)
      })
    },

    retrieve: async ({ subject }) => wire.plugin(subject),

    update: async ({ organization, subject, body = {}, caller }) =>
      write(organization.id, async (tx) => {
        const before = await store.lock(tx, subject.id)
        if (!before) throw notFound()
        if (body.is_global !== undefined && body.is_global !== Boolean(before.is_global)) demandMayShare(organization)
        return wire.plugin(await change(tx, caller.user, before, writeOf(before, body), 'updated'))
      }),

    delete: async ({ organization, subject, caller }) =>
      write(organization.id, async (tx) => {
        const plugin = await store.lock(tx, subject.id)
        if (!plugin) throw notFound()
        if (plugin.is_global)
          throw invalid(null, 'This plugin is global. Set "is_global" to false before you uninstall it.')
        await store.remove(tx, plugin.id, now())
        await note(tx, caller.user, plugin, 'uninstalled', null)
      }),

    source: async ({ subject }) => wire.pluginWithSource(subject, await store.files(db, subject.id)),

    update_source: async ({ organization, subject, body, caller }) => {
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const plugin = await store.get(db, subject.organization_id, subject.id, family)
        if (!plugin) throw notFound()
        const before = textsOf(await store.files(db, plugin.id))
        const after = merged(before, body?.source ?? {})
        const fileList = diffFiles(before, after)
        if (fileList.length === 0) return wire.pluginWithSource(plugin, await store.files(db, plugin.id))
        const { files, capabilities } = await read(after)
        const written = await write(organization.id, async (tx) => {
          if (!(await store.replaceFiles(tx, plugin, files))) return undefined
          const redescribed = after['plugin.json'] === before['plugin.json'] ? undefined : manifestIn(after)
          const news = { capabilities, ...(redescribed && described(redescribed)) }
          return change(tx, caller.user, plugin, news, 'source_updated', fileList)
        })
        if (written) return wire.pluginWithSource(written, files)
      }
      throw unavailable('Others change the code of this plugin at the same moment. Read it again, then try again.')
    },

    check_for_updates: async ({ subject }) => {
      const url = remoteOf(subject)
      if (!url) return wire.plugin(subject)
      const latest_tag = await sources.latest(url.origin, tokenOf(subject))
      await store.setLatestTag(db, subject.id, latest_tag, now())
      return wire.plugin({ ...subject, latest_tag })
    },

    upgrade: async ({ organization, subject, caller }) => {
      const url = remoteOf(subject)
      if (!url) return wire.plugin(subject)
      const { tag, manifest, files } = await sources.fetch(url.origin, tokenOf(subject))
      const code = await read(files)
      return write(organization.id, async (tx) => {
        const held = await store.lock(tx, subject.id)
        if (!held || !(await store.replaceFiles(tx, held, code.files))) throw notFound()
        const news = { ...complete(manifest), capabilities: code.capabilities, tag, latest_tag: tag }
        return wire.plugin(await change(tx, caller.user, held, news, 'upgraded'))
      })
    },
  }

  return {
    subject: async ({ params, organization }) => {
      // Who may not even look is told so, whatever is there.
      demandPluginAccess(organization!.plugins_access_level, PLUGIN_ACCESS.look)
      const plugin = isId(params.id!) ? await store.get(db, organization!.id, Number(params.id), family) : undefined
      if (!plugin) throw notFound()
      return plugin
    },
    admit: async ({ operation, organization }, plugin) => {
      demandPluginAccess(organization!.plugins_access_level, operation.plugin_access)
      if (!plugin || plugin.organization_id === organization!.id) return
      const verb = operation.id.slice(operation.id.indexOf('.') + 1)
      if (OWNERS_ONLY.includes(verb)) throw notFound()
      if (OWNERS_CHANGES.includes(verb))
        throw forbidden(`This plugin is managed by another organization, ${plugin.organization_name}. Ask its members.`)
    },
    operations: Object.fromEntries(
      Object.entries(verbs).map(([verb, handler]) => [`${family}.${verb}`, handler]),
    ) as Area<Name, store.PluginRow>['operations'],
  }

  /** What it was fetched from; undefined for what was not fetched from elsewhere. */
  function remoteOf({ url, plugin_type }: store.PluginRow): PluginUrl | undefined {
    return url === null || plugin_type === 'local' ? undefined : sources.parse(url)
  }

  /** Writes a change and notes it, if it is one. */
  async function change(
    tx: Db,
    user: UserRow,
    before: store.PluginRow,
    news: store.PluginWrite,
    what: string,
    more: activity.FieldChange[] = [],
  ): Promise<store.PluginRow> {
    await store.update(tx, before.id, news, now())
    const after = (await store.lock(tx, before.id))!
    const changes = [...more, ...(diffFields('Plugin', tellable(before), tellable(after)) ?? [])]
    if (changes.length || what === 'upgraded') await note(tx, user, after, what, changes.length ? changes : null)
    return after
  }

  function note(
    tx: Db,
    { first_name, email }: UserRow,
    { organization_id, id, name }: store.PluginRow,
    what: string,
    changes: activity.FieldChange[] | null,
  ): Promise<void> {
    const entry = {
      organization_id,
      plugin_id: id,
      scope: 'Plugin',
      item_id: id,
      activity: what,
      name,
      changes,
    } as const
    return activity.record(tx, { ...entry, user: { first_name, email } }, now())
  }
}

/** A shared plugin is visible to every organization, so sharing also requires an administrator. */
function demandMayShare({ membership_level, plugins_access_level }: OrganizationRow): void {
  requireLevel(membership_level, ADMIN)
  demandPluginAccess(plugins_access_level, PLUGIN_ACCESS.share)
}

type Described = Omit<store.NewPlugin, 'organization_id' | 'family'> & { code: Code }

/** A plugin that was fetched: what it says of itself wins. */
async function fetched(url: PluginUrl, body: CreateBody, { tag, manifest, files }: FetchedPlugin): Promise<Described> {
  const code = await read(files)
  const wished = body.plugin_type === 'repository' ? 'repository' : 'custom'
  return {
    ...complete(manifest),
    plugin_type: url.origin.host === 'file' ? 'local' : wished,
    url: url.url,
    url_key: url.key,
    tag,
    latest_tag: tag,
    is_global: body.is_global ?? false,
    capabilities: code.capabilities,
    metrics: jsonText(body.metrics, {}),
    code,
  }
}

/** A plugin that was sent as text, or whose code comes later. */
async function sent(body: CreateBody): Promise<Described> {
  const files = merged({}, body.source ?? {})
  const manifest = manifestIn(files)
  const code = await read(files)
  return {
    plugin_type: body.source ? 'source' : (body.plugin_type ?? null),
    name: body.name ?? null,
    description: body.description ?? null,
    url: null,
    url_key: null,
    icon: body.icon ?? null,
    config_schema: JSON.stringify(body.config_schema ?? {}),
    tag: body.tag ?? null,
    latest_tag: null,
    is_global: body.is_global ?? false,
    metrics: jsonText(body.metrics, {}),
    public_jobs: jsonText(body.public_jobs, {}),
    ...(manifest && described(manifest)),
    capabilities: code.files.length ? code.capabilities : JSON.stringify(body.capabilities ?? {}),
    code,
  }
}

/** Code as it is stored: read for what it offers and for what is wrong with it. */
async function read(files: Record<string, string>): Promise<Code> {
  const { capabilities, errors: found } = await inspect(files)
  const errors = new Map(Object.entries(found))
  return {
    capabilities: JSON.stringify(capabilities),
    files: Object.entries(files).map(([name, text]) => ({ name, text, error: errors.get(name) ?? null })),
  }
}

/** The files after a change; null deletes. Throws for a plugin.json that is not valid, and for too much. */
function merged(before: Record<string, string>, source: Record<string, string | null>): Record<string, string> {
  const all = new Map<string, string | null>([...Object.entries(before), ...Object.entries(source)])
  const after = Object.fromEntries([...all].flatMap(([name, text]) => (text === null ? [] : [[name, text]])))
  const texts = Object.values<string>(after)
  if (texts.length > MAX_SOURCE_FILES)
    throw invalid('source', `A plugin has at most ${MAX_SOURCE_FILES} files. Send fewer.`, 'max_length')
  if (texts.reduce((sum, text) => sum + text.length, 0) > MAX_SOURCE_CHARACTERS)
    throw invalid('source', `A plugin has at most ${MAX_SOURCE_CHARACTERS} characters. Send less.`, 'max_length')
  if (source['plugin.json'] != null) manifestIn(after)
  return after
}

const manifestIn = (files: Record<string, string>): Manifest | undefined =>
  files['plugin.json'] === undefined
    ? undefined
    : readManifest(files['plugin.json'], (detail) => invalid('source__plugin.json', detail))

/** What a plugin.json in the source says; what it leaves out stays as it was set. */
const described = ({ name, description, icon, config, publicJobs }: Manifest): store.PluginWrite => ({
  ...(name !== undefined && { name }),
  ...(description !== undefined && { description }),
  ...(icon !== undefined && { icon }),
  config_schema: JSON.stringify(config ?? []),
  ...(publicJobs !== undefined && { public_jobs: jsonText(publicJobs, {}) }),
})

/** All that the plugin.json of something published says. */
const complete = ({ name, description, icon, config, publicJobs }: FetchedPlugin['manifest']) => ({
  name,
  description: description ?? '',
  icon: icon ?? null,
  config_schema: JSON.stringify(config ?? []),
  public_jobs: jsonText(publicJobs, {}),
})

/** Null stays null; what is absent takes the default. */
const jsonText = (value: object | null | undefined, absent: object): string | null =>
  value === null ? null : JSON.stringify(value ?? absent)

function writeOf(before: store.PluginRow, body: UpdateBody): store.PluginWrite {
  const { plugin_type, name, description, icon, config_schema, tag, is_global, capabilities, metrics, public_jobs } =
    body
  // Where something was fetched from is no matter of opinion; whether it counts as from the catalogue is.
  const retyped =
    before.url === null ||
    (before.plugin_type !== 'local' && (plugin_type === 'custom' || plugin_type === 'repository'))
  return {
    ...(retyped && plugin_type !== undefined && { plugin_type }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(icon !== undefined && { icon }),
    ...(config_schema !== undefined && { config_schema: JSON.stringify(config_schema) }),
    ...(tag !== undefined && { tag }),
    ...(is_global !== undefined && { is_global }),
    ...(capabilities !== undefined && { capabilities: JSON.stringify(capabilities) }),
    ...(metrics !== undefined && { metrics: jsonText(metrics, {}) }),
    ...(public_jobs !== undefined && { public_jobs: jsonText(public_jobs, {}) }),
  }
}

/** A plugin as its activity tells of it. */
function tellable(row: store.PluginRow): Record<string, unknown> {
  const { id, organization_id, organization_name, url, ...rest } = wire.plugin(row)
  return rest
}

const textsOf = (files: readonly store.PluginFile[]): Record<string, string> =>
  Object.fromEntries(files.map(({ name, text }) => [name, text]))

const taken = () =>
  invalid('url', 'This organization has a plugin from that URL already. Use the one that is there.', 'unique')

const isId = (id: string): boolean => /^[1-9][0-9]{0,14}$/.test(id)
