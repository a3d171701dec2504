import { keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query'
import { answer, client, queryClient, type Schemas } from '../api.ts'
import { isActive } from './run-status.ts'
import { pollInterval } from './schedule.ts'

export const EXPORTS_PER_PAGE = 50
const RUNS_POLL_MS = 1_500

export const exportsQuery = (project: string, { search, page }: { search?: string; page: number }) =>
  queryOptions({
    queryKey: ['exports', project, { search, page }],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/batch_exports/', {
          params: {
            path: { project_id: project },
            query: { limit: EXPORTS_PER_PAGE, offset: (page - 1) * EXPORTS_PER_PAGE, ...(search && { search }) },
          },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pollInterval(state.data?.results),
  })

export const exportQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: ['export', project, id],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/batch_exports/{id}/', { params: { path: { project_id: project, id } } }),
      ),
    refetchInterval: ({ state }) => pollInterval(state.data && [state.data]),
  })

export const runsQuery = (project: string, batch_export_id: string, cursor?: string) =>
  queryOptions({
    queryKey: ['export', project, batch_export_id, 'runs', cursor],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/', {
          params: { path: { project_id: project, batch_export_id }, query: { ...(cursor && { cursor }) } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.results.some(isActive) ? RUNS_POLL_MS : false),
  })

export const runQuery = (project: string, batch_export_id: string, id: string) =>
  queryOptions({
    queryKey: ['export', project, batch_export_id, 'run', id],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/{id}/', {
          params: { path: { project_id: project, batch_export_id, id } },
        }),
      ),
    refetchInterval: ({ state }) => (state.data && isActive(state.data) ? RUNS_POLL_MS : false),
  })

export const isActiveBackfill = ({ status }: Schemas['Backfill']): boolean =>
  status === 'Starting' || status === 'Running'

export interface BackfillFilter {
  limit: number
  status?: Schemas['BackfillStatus'] | undefined
  cursor?: string | undefined
  /** The newest run: a backfill starts and ends with one. */
  seen?: string | undefined
}

export const backfillsQuery = (project: string, batch_export_id: string, filter: BackfillFilter) =>
  queryOptions({
    queryKey: ['export', project, batch_export_id, 'backfills', filter],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/batch_exports/{batch_export_id}/backfills/', {
          params: {
            path: { project_id: project, batch_export_id },
            query: {
              limit: filter.limit,
              ...(filter.status && { status: [filter.status] }),
              ...(filter.cursor && { cursor: filter.cursor }),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.results.some(isActiveBackfill) ? RUNS_POLL_MS : false),
  })

/** The keys of an export with everything below it, and of the lists that show it. */
export const keysOfExport = (project: string, id: string): QueryKey[] => [
  ['export', project, id],
  ['exports', project],
]

/** Fetches everything that an action on the export changes again. */
export const invalidateExport = (project: string, id: string): Promise<unknown> =>
  Promise.all(keysOfExport(project, id).map((queryKey) => queryClient.invalidateQueries({ queryKey })))

/** How much a backfill would export. `range` is its body as JSON. */
export const estimateQuery = (project: string, id: string, range: string) =>
  queryOptions({
    queryKey: ['export', project, id, 'estimate', range],
    queryFn: () =>
      answer(
        client.POST('/api/projects/{project_id}/batch_exports/{batch_export_id}/backfills/estimate/', {
          params: { path: { project_id: project, batch_export_id: id } },
          body: JSON.parse(range),
        }),
      ),
    retry: false,
    staleTime: 10_000,
  })

/** Stores the answer of an action, so the page shows it before the next request. */
export const storeExport = (project: string, row: Schemas['BatchExport']): void =>
  void queryClient.setQueryData(exportQuery(project, row.id).queryKey, row)
