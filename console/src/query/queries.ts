import { queryOptions, skipToken } from '@tanstack/react-query'
import { answer, client, type Schemas, WorkspaceError } from '../api.ts'

export type QueryResult = Schemas['QueryResponse']

/** A result may have 50,000 rows, so it is neither kept for long nor compared with the previous one. */
const KEEP_MS = 60_000

/** The result of a query. Undefined: no query was run. It is computed again only on request. */
export const resultQuery = (project_id: string, text: string | undefined) =>
  queryOptions({
    queryKey: ['query', project_id, text],
    queryFn:
      text === undefined
        ? skipToken
        : ({ signal }) =>
            answer(
              client.POST('/api/projects/{project_id}/query/', {
                params: { path: { project_id } },
                body: { query: { kind: 'HogQLQuery', query: text, explain: true } },
                signal,
              }),
            ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEEP_MS,
    retry: false,
    structuralSharing: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

/** The error in the text of the query; undefined for other errors. */
export const queryErrorOf = (error: unknown): WorkspaceError | undefined =>
  error instanceof WorkspaceError && error.attr === 'query__query' ? error : undefined
