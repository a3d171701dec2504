import { PLUGIN_ACCESS } from '../auth/access.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { requireOrganizationAccess } from '../plugins/access.ts'
import * as configs from '../plugins/configs.ts'
import type { PluginConfigRow } from '../store/plugin_configs.ts'
import * as store from '../store/plugin_configs.ts'
import type { MembersProjectRow } from '../store/projects.ts'
import type { Area, ResolvedAccess } from './handler-context.ts'
import { page, paging } from './page.ts'
import { isPluginId, serializePlugin } from './pipeline_plugins.ts'

export const plugin_configs = (deps: Deps): Area<'plugin_configs', PluginConfigRow> => {
  const { db, plugins } = deps
  const wake = (): void => {
    plugins.deliveries.wake()
    plugins.tasks.wake()
  }
  return {
    subject: async (access) => {
      const project = projectOf(access)
      await requireOrganizationAccess(db, project.organization_id, PLUGIN_ACCESS.view)
      const { id = '' } = access.params
      const row = isPluginId(id) ? await store.get(db, project.id, Number(id)) : undefined
      if (!row) throw notFound()
      return row
    },
    admit: (access) => requireOrganizationAccess(db, projectOf(access).organization_id, access.operation.plugin_access),

    operations: {
      'plugin_configs.list': async ({ project, query, url }) => {
        const { count, rows } = await configs.list(db, project.id, paging(query))
        return page({ url, query }, count, rows, serializeConfig)
      },

      'plugin_configs.create': async ({ project, body, actor }) => {
        const created = await configs.create(deps, project, body, actor)
        wake()
        return serializeConfig(created)
      },

      'plugin_configs.retrieve': async ({ subject }) => serializeConfig(await configs.withPlugin(db, subject)),

      'plugin_configs.update': async ({ project, subject, body = {}, actor }) => {
        const updated = await configs.update(deps, project, subject, body, actor)
        wake()
        return serializeConfig(updated)
      },

      'plugin_configs.delete': ({ project, subject, actor }) => configs.remove(deps, project, subject, actor),
    },
  }
}

function projectOf({ project }: ResolvedAccess): MembersProjectRow {
  if (!project) throw notFound()
  return project
}

function serializeConfig({ config, plugin }: configs.ConfigWithPlugin): components['schemas']['PluginConfig'] {
  return {
    id: config.id,
    plugin: config.plugin_id,
    team_id: config.project_id,
    plugin_info: serializePlugin(plugin),
    created_at: config.created_at,
    updated_at: config.updated_at,
    ...configs.visibleFields({ config, plugin }),
  }
}
