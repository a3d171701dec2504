import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answer, client, type Schemas } from '../api.ts'
import type { ExportValues } from './export-values.ts'
import { MODELS } from './models.ts'

export type Preview = Schemas['QueryPreview']

export type Selection = Schemas['QueryPreviewCreate']

/** The rows that the form chooses. Without a query, a few columns stand for all. */
export const selectionOf = (values: ExportValues): Selection => ({
  model: values.model,
  hogql_query: values.hogql_query ?? MODELS[values.model].query,
  ...(values.model === 'events' && {
    filters: values.filters,
    include_events: values.include_events,
    exclude_events: values.exclude_events,
  }),
})

/** The first rows that an export would deliver. `selection` is JSON text. */
export const previewQuery = (project: string, selection: string) =>
  queryOptions({
    queryKey: ['export-preview', project, selection],
    queryFn: ({ signal }) =>
      answer(
        client.POST('/api/projects/{project_id}/batch_exports/preview/', {
          params: { path: { project_id: project } },
          body: JSON.parse(selection),
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })
