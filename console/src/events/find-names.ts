import { queryClient } from '../api.ts'
import type { FindNames } from '../parts/query-completion.ts'
import { namesQuery, propertyNamesQuery } from './queries.ts'

/** Finds the names of events and properties for the HogQL editor. A failure only means that nothing is completed. */
export const findNamesOf =
  (project_id: string): FindNames =>
  async (kind, search) => {
    const type = kind === 'person property' ? 'person' : 'event'
    const found = await (kind === 'event'
      ? queryClient.fetchQuery(namesQuery(project_id, search))
      : queryClient.fetchQuery(propertyNamesQuery(project_id, { type, event: undefined, search }))
    ).catch(() => ({ results: [] }))
    return found.results.map(({ name }) => name)
  }
