import { isIntegerId, PLUGIN_ACCESS, requirePluginAccess } from '../auth/access.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import * as configs from '../plugins/configs.ts'
import { startJob } from '../plugins/jobs.ts'
import { deliveryRate, hourOf } from '../plugins/metrics.ts'
import { frontendModule } from '../plugins/site-apps.ts'
import { testPlugin } from '../plugins/test-run.ts'
import type { Db } from '../sql/db.ts'
import type { PluginConfigRow } from '../store/plugin_configs.ts'
import * as store from '../store/plugin_configs.ts'
import * as logs from '../store/plugin_logs.ts'
import * as metrics from '../store/plugin_metrics.ts'
import type { MembersProjectRow } from '../store/projects.ts'
import { type Area, RawResponse, type ResolvedAccess } from './handler-context.ts'
import { storedTime, timesOf } from './log_entries.ts'
import { page, paging } from './page.ts'
import { serializePlugin } from './pipeline_plugins.ts'
import { parseChoice, queryList } from './query-parameters.ts'
import { parseMoment } from './time.ts'

export const plugin_configs = (deps: Deps): Area<'plugin_configs', PluginConfigRow> => {
  const { db, plugins } = deps
  const wake = (): void => {
    plugins.deliveries.wake()
    plugins.tasks.wake()
  }
  return {
    subject: (access) => pluginConfigOf(db, access, access.params.id ?? ''),
    admit: async (access) =>
      requirePluginAccess(projectOf(access).plugins_access_level, access.operation.plugin_access),

    operations: {
      'plugin_configs.list': async ({ project, query, url }) => {
        const { count, rows } = await configs.list(deps, project.id, paging(query))
        return page({ url, query }, count, rows, serializeConfig)
      },

      'plugin_configs.create': async ({ project, body, actor, caller }) => {
        const created = await configs.create(deps, { ...project, scopes: caller.scopes }, body, actor)
        wake()
        return serializeConfig(created)
      },

      'plugin_configs.retrieve': async ({ subject }) => serializeConfig(await configs.describe(deps, subject)),

      'plugin_configs.update': async ({ project, subject, body = {}, actor, caller }) => {
        const updated = await configs.update(deps, { ...project, scopes: caller.scopes }, subject, body, actor)
        wake()
        return serializeConfig(updated)
      },

      'plugin_configs.delete': ({ project, subject, actor }) => configs.remove(deps, project, subject, actor),

      'plugin_configs.frontend': async ({ subject }) =>
        new RawResponse('application/javascript', await frontendModule(db, subject.plugin_id)),

      'plugin_configs.logs': async ({ subject, query, url }) => {
        const filter: logs.LogFilter = {
          plugin_config_id: subject.id,
          levels: queryList(query, 'type_filter')?.map((text) =>
            parseChoice('type_filter', logs.LOG_LEVELS, text.toUpperCase()),
          ),
          search: query.search,
          ...timesOf(query, deps.now()),
        }
        const { count, rows } = await logs.list(db, filter, paging(query))
        return page({ url, query }, count, rows, serializeLogEntry)
      },

      'plugin_configs.metrics': async ({ subject, query }) => {
        const now = deps.now()
        const { after = '-24h', before = now } = query
        const from = hourOf(storedTime(parseMoment(after, 'after', now)))
        const to = storedTime(parseMoment(before, 'before', now))
        const [rows, values] = await Promise.all([
          metrics.list(db, subject.id, { from, to }),
          metrics.listValues(db, subject.id, { from, to }),
        ])
        return {
          delivery_rate: deliveryRate(rows),
          results: rows.map(serializeMetric),
          values: values.map(({ hour, name, kind, value }) => ({ hour, name, kind, value })),
        }
      },

      'plugin_configs.start_job': async ({ project, subject, body, actor }) => {
        const job_id = await startJob(deps, project, await configs.withPlugin(db, subject), body.job, actor)
        deps.plugins.tasks.wake()
        return { job_id }
      },

      'plugin_configs.test': ({ project, body }) => testPlugin(deps, project, body),
    },
  }
}

export function projectOf({ project }: ResolvedAccess): MembersProjectRow {
  if (!project) throw notFound()
  return project
}

/** The configuration that the path names, of its project. */
export async function pluginConfigOf(db: Db, access: ResolvedAccess, id: string): Promise<PluginConfigRow> {
  const project = projectOf(access)
  requirePluginAccess(project.plugins_access_level, PLUGIN_ACCESS.view)
  const row = isIntegerId(id) ? await store.get(db, project.id, Number(id)) : undefined
  if (!row) throw notFound()
  return row
}

function serializeConfig({ config, plugin, state }: configs.DescribedConfig): components['schemas']['PluginConfig'] {
  return {
    id: config.id,
    plugin: config.plugin_id,
    team_id: config.project_id,
    plugin_info: serializePlugin(plugin),
    created_at: config.created_at,
    updated_at: config.updated_at,
    disabled_at: config.disabled_at,
    ...configs.visibleFields({ config, plugin }),
    ...state,
  }
}

const serializeLogEntry = (row: logs.LogEntryRow): components['schemas']['PluginLogEntry'] => ({
  id: row.id,
  team_id: row.project_id,
  plugin_id: row.plugin_id,
  plugin_config_id: row.plugin_config_id,
  timestamp: row.timestamp,
  source: row.source,
  type: row.level,
  message: row.message,
})

const serializeMetric = ({ plugin_config_id: _, ...row }: metrics.MetricRow): components['schemas']['PluginMetric'] =>
  row
