import { isUuid, requirePluginAccess } from '../auth/access.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { invalid, notFound } from '../errors.ts'
import { withPlugin } from '../plugins/configs.ts'
import { requestReplay } from '../plugins/failed-deliveries.ts'
import type { PluginConfigRow } from '../store/plugin_configs.ts'
import type { FailedDeliveryRow } from '../store/plugin_failed_deliveries.ts'
import * as store from '../store/plugin_failed_deliveries.ts'
import type { Area } from './handler-context.ts'
import { page, paging } from './page.ts'
import { pluginConfigOf, projectOf } from './plugin_configs.ts'

interface Subject {
  config: PluginConfigRow
  /** Undefined in operations on all failed deliveries of the configuration. */
  delivery: FailedDeliveryRow | undefined
}

export const plugin_failed_deliveries = (deps: Deps): Area<'plugin_failed_deliveries', Subject> => {
  const { db, plugins } = deps
  return {
    subject: async (access) => {
      const { plugin_config_id = '', id } = access.params
      const config = await pluginConfigOf(db, access, plugin_config_id)
      if (id === undefined) return { config, delivery: undefined }
      const delivery = isUuid(id) ? await store.get(db, config.id, id.toLowerCase()) : undefined
      if (!delivery) throw notFound()
      return { config, delivery }
    },
    admit: async (access) =>
      requirePluginAccess(projectOf(access).plugins_access_level, access.operation.plugin_access),

    operations: {
      'plugin_failed_deliveries.list': async ({ subject, query, url }) => {
        const { count, rows } = await store.list(db, subject.config.id, query, paging(query))
        return page({ url, query }, count, rows, serializeDelivery)
      },

      'plugin_failed_deliveries.replay_all': async ({ project, subject, body = {}, actor }) => {
        const described = await withPlugin(db, subject.config)
        const queued = await requestReplay(deps, described, project.organization_id, body, actor)
        plugins.deliveries.wake()
        return { queued }
      },

      'plugin_failed_deliveries.replay': async ({ project, subject: { config, delivery }, actor }) => {
        if (!delivery) throw notFound()
        const described = await withPlugin(db, config)
        await requestReplay(deps, described, project.organization_id, { id: delivery.id }, actor)
        plugins.deliveries.wake()
        const requested = await store.get(db, config.id, delivery.id)
        if (requested && requested.replay_requested_at === null)
          throw invalid(
            null,
            `${store.MAX_FAILED_DELIVERIES} deliveries of this configuration wait for their replay. Try again later.`,
          )
        return serializeDelivery(requested ?? delivery)
      },
    },
  }
}

const serializeDelivery = (row: FailedDeliveryRow): components['schemas']['PluginFailedDelivery'] => row
