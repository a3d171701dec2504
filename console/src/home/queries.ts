import { queryOptions } from '@tanstack/react-query'
import { answer, client, queryClient, type Schemas } from '../api.ts'
import type { EventsSearch } from '../events/search.ts'
import { needsAttention } from '../exports/schedule.ts'
import { FAMILY_NAMES, type Family } from '../plugins/families.ts'
import { configsQuery, pluginsQuery } from '../plugins/queries.ts'
import { hasProblem } from '../plugins/run-state.tsx'

/** Home is looked at, not worked on: its numbers may be a minute old. */
const REFRESH_MS = 60_000
const EXPORTS_PER_REQUEST = 200
/** The largest page of plugins. */
const ALL_PLUGINS = 1_000
const ACTIVITY_LIMIT = 50
const CHANGES = 5

/** The days of the chart and of the sparklines. */
export const LAST_30_DAYS: EventsSearch = { after: '-30d', interval: 'day' }

/** The number of exports, and those that need attention. */
export const exportsInTroubleQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['exports', project_id, 'trouble'],
    queryFn: async ({ signal }) => {
      const found: Schemas['BatchExport'][] = []
      for (let offset = 0; ; offset += EXPORTS_PER_REQUEST) {
        const query = { limit: EXPORTS_PER_REQUEST, offset }
        const page = await answer(
          client.GET('/api/projects/{project_id}/batch_exports/', { params: { path: { project_id }, query }, signal }),
        )
        found.push(...page.results.filter((row) => needsAttention(row, Date.now())))
        if (page.next === null) return { count: page.count, found }
      }
    },
    refetchInterval: REFRESH_MS,
  })

export interface PluginInTrouble {
  config: Schemas['PluginConfig']
  family: Family
}

/** The configurations with failed calls, and those that an error has turned off. */
export const pluginsInTroubleQuery = (organization: string, project_id: string) =>
  queryOptions({
    queryKey: ['plugin-configs', project_id, 'trouble', organization],
    queryFn: async (): Promise<PluginInTrouble[]> => {
      const configs = (await queryClient.fetchQuery(configsQuery(project_id))).results.filter(hasProblem)
      if (configs.length === 0) return []
      const lists = await Promise.all(
        FAMILY_NAMES.map((family) => queryClient.fetchQuery(pluginsQuery({ organization, family }, 1, ALL_PLUGINS))),
      )
      return configs.map((config) => {
        const index = lists.findIndex(({ results }) => results.some(({ id }) => id === config.plugin))
        return { config, family: FAMILY_NAMES[index] ?? 'destinations' }
      })
    },
    refetchInterval: REFRESH_MS,
  })

/** The latest changes to the project and its organization. A sign-in changes nothing. */
export const latestChangesQuery = (organization_id: string, project: number) =>
  queryOptions({
    queryKey: ['activity', organization_id, 'latest', project],
    queryFn: async () => {
      const { results } = await answer(
        client.GET('/api/organizations/{organization_id}/activity_log/', {
          params: { path: { organization_id }, query: { limit: ACTIVITY_LIMIT } },
        }),
      )
      const isHere = ({ project_id }: Schemas['Activity']): boolean => project_id === null || project_id === project
      return results.filter((entry) => entry.area !== 'sessions' && isHere(entry)).slice(0, CHANGES)
    },
    refetchInterval: REFRESH_MS,
  })
