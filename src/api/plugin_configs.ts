import { isDeepStrictEqual } from 'node:util'
import { demandPluginAccess, PLUGIN_ACCESS } from '../auth/access.ts'
import type { Deps } from '../deps.ts'
import { invalid, notFound } from '../errors.ts'
import { diffFields } from '../plugins/changes.ts'
import { requireComplete, settingFields, type ConfigValues, resolveValues } from '../plugins/settings.ts'
import type { Db } from '../sql/db.ts'
import { changedFields, isEmpty } from '../store/changes.ts'
import { hold as holdOrganization } from '../store/members.ts'
import { pluginsAccess } from '../store/organizations.ts'
import * as activity from '../store/plugin_activity.ts'
import * as store from '../store/plugin_configs.ts'
import * as plugins from '../store/plugins.ts'
import { placeOf } from '../store/secrets.ts'
import type { UserRow } from '../store/users.ts'
import type { Area } from './handler-context.ts'
import { page, paging } from './page.ts'
import * as wire from './wire.ts'

const NOTHING: ConfigValues = { open: {}, secrets: {} }

export const plugin_configs = ({ db, now, vault }: Deps): Area<'plugin_configs', store.PluginConfigRow> => {
  const demandAccess = async (organization_id: string, needed: number): Promise<void> =>
    demandPluginAccess(await pluginsAccess(db, organization_id), needed)

  const settingsOf = ({ id, config, secrets }: store.PluginConfigRow): ConfigValues => ({
    open: JSON.parse(config),
    secrets: secrets === null ? {} : JSON.parse(vault.open(secrets, placeOf('plugin_configs', id))),
  })

  const stored = (id: number, { open, secrets }: ConfigValues) => {
    const keys = Object.keys(secrets)
    return {
      config: JSON.stringify(open),
      secret_keys: JSON.stringify(keys),
      secrets: keys.length ? vault.seal(JSON.stringify(secrets), placeOf('plugin_configs', id)) : null,
    }
  }

  /** Whoever changes something holds the organization first, so that nobody waits for each other in a circle. */
  const write = <Result>(organization_id: string, work: (tx: Db) => Promise<Result>): Promise<Result> =>
    db.tx(async (tx) => {
      if (!(await holdOrganization(tx, organization_id))) throw notFound()
      return work(tx)
    })

  /** With its plugin, which every configuration has. */
  const answer = async (row: store.PluginConfigRow) =>
    wire.pluginConfig(row, (await plugins.byIds(db, [row.plugin_id])).get(row.plugin_id)!)

  return {
    subject: async ({ params, project }) => {
      await demandAccess(project!.organization_id, PLUGIN_ACCESS.look)
      const row = /^[1-9][0-9]{0,14}$/.test(params.id!)
        ? await store.get(db, project!.id, Number(params.id))
        : undefined
      if (!row) throw notFound()
      return row
    },
    admit: ({ operation, project }) => demandAccess(project!.organization_id, operation.plugin_access),

    operations: {
      'plugin_configs.list': async ({ project, query, url }) => {
        const { count, rows } = await store.list(db, project.id, paging(query))
        const of = await plugins.byIds(db, [...new Set(rows.map(({ plugin_id }) => plugin_id))])
        const results = rows.flatMap((row) => {
          const plugin = of.get(row.plugin_id)
          return plugin ? [wire.pluginConfig(row, plugin)] : []
        })
        return page({ url, query }, count, results)
      },

      'plugin_configs.create': async ({ project, body, caller }) => {
        const made = await write(project.organization_id, async (tx) => {
          const plugin = await plugins.lock(tx, body.plugin)
          const visible = plugin && (await plugins.get(tx, project.organization_id, body.plugin))
          if (!visible) throw unknownPlugin()
          const settings = resolveValues(settingFields(JSON.parse(plugin.config_schema)), body.config ?? {}, NOTHING)
          const bare = await store.create(
            tx,
            {
              plugin_id: plugin.id,
              project_id: project.id,
              enabled: body.enabled ?? false,
              sort_order: body.order ?? 0,
              config: '{}',
              secret_keys: '[]',
              name: body.name ?? null,
              description: body.description ?? null,
            },
            now(),
          )
          const row = await store.update(tx, bare.id, stored(bare.id, settings), now())
          await note(tx, caller.user, project.organization_id, plugin, undefined, row)
          return row
        })
        return answer(made)
      },

      'plugin_configs.retrieve': async ({ subject }) => answer(subject),

      'plugin_configs.update': async ({ project, subject, body = {}, caller }) => {
        const changed = await write(project.organization_id, async (tx) => {
          const plugin = await plugins.lock(tx, subject.plugin_id)
          const before = await store.lock(tx, subject.id)
          if (!plugin || !before) throw notFound()
          const fields = settingFields(JSON.parse(plugin.config_schema))
          const shown = wire.pluginConfig(before, plugin)
          const resent = isDeepStrictEqual(body.config, shown.config)
          const settings = resent ? undefined : body.config && resolveValues(fields, body.config, settingsOf(before))
          // Settings that were right may no longer be after an upgrade: switching off must still work, switching on not.
          if (!settings && body.enabled && !before.enabled) requireComplete(fields, settingsOf(before))
          const { enabled, order, name, description } = body
          const { order: sort_order, ...changed } = changedFields(shown, { enabled, order, name, description })
          const changes = {
            ...changed,
            ...(sort_order !== undefined && { sort_order }),
            ...(settings && stored(before.id, settings)),
          }
          if (isEmpty(changes)) return before
          const row = await store.update(tx, before.id, changes, now())
          await note(tx, caller.user, project.organization_id, plugin, before, row)
          return row
        })
        return answer(changed)
      },

      'plugin_configs.delete': async ({ project, subject, caller }) =>
        write(project.organization_id, async (tx) => {
          const plugin = await plugins.lock(tx, subject.plugin_id)
          const row = await store.lock(tx, subject.id)
          if (!plugin || !row) throw notFound()
          await store.remove(tx, row.id)
          await note(tx, caller.user, project.organization_id, plugin, row, undefined)
        }),
    },
  }

  /** Notes what became of a configuration, if anything did. */
  async function note(
    tx: Db,
    { first_name, email }: UserRow,
    organization_id: string,
    plugin: plugins.PluginRow,
    before: store.PluginConfigRow | undefined,
    after: store.PluginConfigRow | undefined,
  ): Promise<void> {
    const was = before ? tellable(before, plugin) : {}
    const is = after ? tellable(after, plugin) : {}
    const resealed = before && after ? changedSecrets(settingsOf(before), settingsOf(after)) : []
    const seen = diffFields('PluginConfig', was, is) ?? []
    const unseen = resealed.filter((field) => !seen.some((change) => change.field === field))
    const changes = [
      ...seen,
      ...unseen.map((field): activity.FieldChange => {
        const mask = was[field] ?? is[field]
        return { type: 'PluginConfig', action: 'changed', field, before: mask, after: mask }
      }),
    ]
    if (changes.length === 0) return
    const row = (after ?? before)!
    await activity.record(
      tx,
      {
        organization_id,
        plugin_id: plugin.id,
        scope: 'PluginConfig',
        item_id: row.id,
        activity: verbOf(before, after, changes),
        user: { first_name, email },
        name: row.name || plugin.name,
        changes,
      },
      now(),
    )
  }
}

function verbOf(
  before: store.PluginConfigRow | undefined,
  after: store.PluginConfigRow | undefined,
  changes: readonly activity.FieldChange[],
): string {
  if (!after) return 'config_deleted'
  if (Boolean(before?.enabled) !== Boolean(after.enabled)) return after.enabled ? 'enabled' : 'disabled'
  if (!before) return 'config_created'
  return changes.every(({ field }) => field === 'order') ? 'order_changed' : 'config_updated'
}

/** A configuration as its activity tells of it, with its secrets masked. */
function tellable(row: store.PluginConfigRow, plugin: plugins.PluginRow): Record<string, unknown> {
  const { enabled, order, config } = wire.pluginConfig(row, plugin)
  const settings = Object.entries(config).map(([key, value]) => [`config__${key}`, value])
  return { enabled, order, name: row.name, description: row.description, ...Object.fromEntries(settings) }
}

/** Secrets look the same before and after; whether they are the same is told. */
const changedSecrets = (before: ConfigValues, after: ConfigValues): string[] =>
  Object.keys(after.secrets)
    .filter((key) => Object.hasOwn(before.secrets, key))
    .filter((key) => JSON.stringify(before.secrets[key]) !== JSON.stringify(after.secrets[key]))
    .map((key) => `config__${key}`)

const unknownPlugin = () =>
  invalid('plugin', 'There is no such plugin, or the organization does not see it. Check the id.', 'does_not_exist')
