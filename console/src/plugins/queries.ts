/** Queries and keys of plugins. The three families have operations of the same shape. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answer, client, queryClient, type Schemas } from '../api.ts'
import type { Family } from './families.ts'
import type { LogSearch } from './routes.tsx'

type Base = '/api/organizations/{organization_id}/pipeline_destinations/'

/** The path of another family has the same parameters and responses, so the first family types all calls. */
const within = <Path extends `${Base}${string}`>(family: Family, path: Path): Path =>
  path.replace('pipeline_destinations', `pipeline_${family}`) as Path

export interface FamilyPlace {
  organization: string
  family: Family
}

/** For the parts of the page of a plugin. */
export interface PluginProps {
  place: FamilyPlace
  plugin: Schemas['Plugin']
}

export const LIMIT = 50
const CONFIG_LIMIT = 1000
const ACTIVITY_LIMIT = 20

/** Everything about the plugins of an organization. */
export const pluginsKey = (organization: string) => ['plugins', organization]

export const pluginsQuery = ({ organization, family }: FamilyPlace, page = 1, limit = LIMIT) =>
  queryOptions({
    queryKey: [...pluginsKey(organization), family, 'list', page, limit],
    queryFn: () =>
      answer(
        client.GET(within(family, '/api/organizations/{organization_id}/pipeline_destinations/'), {
          params: { path: { organization_id: organization }, query: { limit, offset: (page - 1) * limit } },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const pluginQuery = ({ organization, family }: FamilyPlace, id: number) =>
  queryOptions({
    queryKey: [...pluginsKey(organization), family, 'one', id],
    queryFn: () =>
      answer(
        client.GET(within(family, '/api/organizations/{organization_id}/pipeline_destinations/{id}/'), {
          params: { path: { organization_id: organization, id } },
        }),
      ),
  })

export const storePlugin = (place: FamilyPlace, plugin: Schemas['Plugin']): void =>
  void queryClient.setQueryData(pluginQuery(place, plugin.id).queryKey, plugin)

export const sourceQuery = ({ organization, family }: FamilyPlace, id: number) =>
  queryOptions({
    queryKey: [...pluginsKey(organization), family, 'source', id],
    queryFn: () =>
      answer(
        client.GET(within(family, '/api/organizations/{organization_id}/pipeline_destinations/{id}/source/'), {
          params: { path: { organization_id: organization, id } },
        }),
      ),
  })

/** The catalog is the same for every family. */
export const catalogQuery = (organization: string) =>
  queryOptions({
    queryKey: ['plugin-catalog', organization],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/pipeline_destinations/repository/', {
          params: { path: { organization_id: organization }, query: { limit: 1000 } },
        }),
      ),
    staleTime: 600_000,
  })

export const activityQuery = ({ organization, family }: FamilyPlace, page: number) =>
  queryOptions({
    queryKey: [...pluginsKey(organization), family, 'activity', page],
    queryFn: () => activityPage({ organization, family }, page),
    placeholderData: keepPreviousData,
  })

const activityPage = ({ organization, family }: FamilyPlace, page: number): Promise<Schemas['PluginActivityPage']> =>
  answer(
    client.GET(within(family, '/api/organizations/{organization_id}/pipeline_destinations/activity/'), {
      params: {
        path: { organization_id: organization },
        query: { limit: ACTIVITY_LIMIT, offset: (page - 1) * ACTIVITY_LIMIT },
      },
    }),
  )

export { ACTIVITY_LIMIT }

/** The activity of one plugin. The API lists it by plugin, most recently changed first, so it is usually on page one. */
export const pluginActivityQuery = (place: FamilyPlace, id: number) =>
  queryOptions({
    queryKey: [...pluginsKey(place.organization), place.family, 'activity of', id],
    queryFn: async (): Promise<Schemas['PluginActivity'][]> => {
      for (let page = 1; ; page++) {
        const { next, results } = await activityPage(place, page)
        const found = results.find((plugin) => plugin.id === id)
        if (found || next === null) return found?.activity ?? []
      }
    },
  })

export const install = (
  { organization, family }: FamilyPlace,
  body: Schemas['PluginCreate'],
): Promise<Schemas['Plugin']> =>
  answer(
    client.POST(within(family, '/api/organizations/{organization_id}/pipeline_destinations/'), {
      params: { path: { organization_id: organization } },
      body,
    }),
  )

export const updatePlugin = (
  { organization, family }: FamilyPlace,
  id: number,
  body: Schemas['PluginWrite'],
): Promise<Schemas['Plugin']> =>
  answer(
    client.PATCH(within(family, '/api/organizations/{organization_id}/pipeline_destinations/{id}/'), {
      params: { path: { organization_id: organization, id } },
      body,
    }),
  )

export const uninstall = ({ organization, family }: FamilyPlace, id: number): Promise<unknown> =>
  answer(
    client.DELETE(within(family, '/api/organizations/{organization_id}/pipeline_destinations/{id}/'), {
      params: { path: { organization_id: organization, id } },
    }),
  )

export const checkForUpdates = ({ organization, family }: FamilyPlace, id: number): Promise<Schemas['Plugin']> =>
  answer(
    client.GET(within(family, '/api/organizations/{organization_id}/pipeline_destinations/{id}/check_for_updates/'), {
      params: { path: { organization_id: organization, id } },
    }),
  )

export const upgrade = ({ organization, family }: FamilyPlace, id: number): Promise<Schemas['Plugin']> =>
  answer(
    client.POST(within(family, '/api/organizations/{organization_id}/pipeline_destinations/{id}/upgrade/'), {
      params: { path: { organization_id: organization, id } },
      body: {},
    }),
  )

export const updateSource = (
  { organization, family }: FamilyPlace,
  id: number,
  body: Schemas['PluginSourceWrite'],
): Promise<Schemas['PluginWithSource']> =>
  answer(
    client.PATCH(within(family, '/api/organizations/{organization_id}/pipeline_destinations/{id}/update_source/'), {
      params: { path: { organization_id: organization, id } },
      body,
    }),
  )

/** How often pages that show the state of configurations load it. */
export const STATE_MS = 15_000

/** The configurations of a project, by their order. */
export const configsQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['plugin-configs', project_id],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/plugin_configs/', {
          params: { path: { project_id }, query: { limit: CONFIG_LIMIT } },
        }),
      ),
  })

/** Creates the configuration of a plugin in a project, or changes it. */
export const saveConfig = (
  project_id: string,
  plugin: number,
  saved: Schemas['PluginConfig'] | undefined,
  body: Schemas['PluginConfigWrite'],
): Promise<Schemas['PluginConfig']> =>
  saved
    ? answer(
        client.PATCH('/api/projects/{project_id}/plugin_configs/{id}/', {
          params: { path: { project_id, id: saved.id } },
          body,
        }),
      )
    : answer(
        client.POST('/api/projects/{project_id}/plugin_configs/', {
          params: { path: { project_id } },
          body: { plugin, ...body },
        }),
      )

export const deleteConfig = (project_id: string, id: number): Promise<unknown> =>
  answer(client.DELETE('/api/projects/{project_id}/plugin_configs/{id}/', { params: { path: { project_id, id } } }))

const AT_LEAST: Record<string, Schemas['PluginLogType'][]> = {
  INFO: ['INFO', 'WARN', 'ERROR'],
  WARN: ['WARN', 'ERROR'],
  ERROR: ['ERROR'],
}
export const LOG_LIMIT = 100

/** The lines of at least a level, newest first. */
export const logsQuery = (project_id: string, id: number, { level, text, since, page = 1 }: LogSearch) =>
  queryOptions({
    queryKey: ['plugin-logs', project_id, id, level, text, since, page],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/plugin_configs/{id}/logs/', {
          params: {
            path: { project_id, id },
            query: {
              limit: LOG_LIMIT,
              offset: (page - 1) * LOG_LIMIT,
              type_filter: AT_LEAST[level ?? ''],
              ...(text !== undefined && { search: text }),
              ...(since !== undefined && { after: `-${since}` }),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const metricsQuery = (project_id: string, id: number, range: string) =>
  queryOptions({
    queryKey: ['plugin-metrics', project_id, id, range],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/plugin_configs/{id}/metrics/', {
          params: { path: { project_id, id }, query: { after: `-${range}` } },
        }),
      ),
    refetchInterval: 30_000,
  })

export const FAILED_LIMIT = 50
const WAITING_MS = 3_000

/** Of all pages. */
export const failedKey = (project: string, config: number) => ['plugin-failed-deliveries', project, config]

/** The failed deliveries, newest first. While replays wait, their results are expected soon. */
export const failedQuery = (project_id: string, plugin_config_id: number, page: number) =>
  queryOptions({
    queryKey: [...failedKey(project_id, plugin_config_id), page],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/plugin_configs/{plugin_config_id}/failed_deliveries/', {
          params: {
            path: { project_id, plugin_config_id },
            query: { limit: FAILED_LIMIT, offset: (page - 1) * FAILED_LIMIT },
          },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.results.some(({ replay_requested_at }) => replay_requested_at !== null) ? WAITING_MS : false,
  })

export const replay = (
  project_id: string,
  plugin_config_id: number,
  id: string,
): Promise<Schemas['PluginFailedDelivery']> =>
  answer(
    client.POST('/api/projects/{project_id}/plugin_configs/{plugin_config_id}/failed_deliveries/{id}/replay/', {
      params: { path: { project_id, plugin_config_id, id } },
    }),
  )

export const replayAll = (project_id: string, plugin_config_id: number): Promise<Schemas['PluginReplay']> =>
  answer(
    client.POST('/api/projects/{project_id}/plugin_configs/{plugin_config_id}/failed_deliveries/replay/', {
      params: { path: { project_id, plugin_config_id } },
      body: {},
    }),
  )

export const startJob = (
  project_id: string,
  id: number,
  job: Schemas['PluginJobStart']['job'],
): Promise<Schemas['PluginJobStarted']> =>
  answer(
    client.POST('/api/projects/{project_id}/plugin_configs/{id}/job/', {
      params: { path: { project_id, id } },
      body: { job },
    }),
  )

export const testPlugin = (project_id: string, body: Schemas['PluginTest']): Promise<Schemas['PluginTestResult']> =>
  answer(client.POST('/api/projects/{project_id}/plugin_configs/test/', { params: { path: { project_id } }, body }))

export const MAX_TEST_EVENTS = 20

export const testEventsQuery = (project_id: string, plugin_config_id: number) =>
  queryOptions({
    queryKey: ['plugin-test-events', project_id, plugin_config_id],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/plugin_configs/{plugin_config_id}/test_events/', {
          params: { path: { project_id, plugin_config_id } },
        }),
      ),
  })

export const createTestEvent = (
  project_id: string,
  plugin_config_id: number,
  body: Schemas['PluginTestEventCreate'],
): Promise<Schemas['PluginTestEvent']> =>
  answer(
    client.POST('/api/projects/{project_id}/plugin_configs/{plugin_config_id}/test_events/', {
      params: { path: { project_id, plugin_config_id } },
      body,
    }),
  )

export const updateTestEvent = (
  project_id: string,
  plugin_config_id: number,
  id: string,
  body: Schemas['PluginTestEventWrite'],
): Promise<Schemas['PluginTestEvent']> =>
  answer(
    client.PATCH('/api/projects/{project_id}/plugin_configs/{plugin_config_id}/test_events/{id}/', {
      params: { path: { project_id, plugin_config_id, id } },
      body,
    }),
  )

export const deleteTestEvent = (project_id: string, plugin_config_id: number, id: string): Promise<unknown> =>
  answer(
    client.DELETE('/api/projects/{project_id}/plugin_configs/{plugin_config_id}/test_events/{id}/', {
      params: { path: { project_id, plugin_config_id, id } },
    }),
  )

export const runTestEvents = (project_id: string, plugin_config_id: number): Promise<Schemas['PluginTestEventRun']> =>
  answer(
    client.POST('/api/projects/{project_id}/plugin_configs/{plugin_config_id}/test_events/run/', {
      params: { path: { project_id, plugin_config_id } },
      body: {},
    }),
  )

export const refreshPlugins = (organization: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: pluginsKey(organization) })
