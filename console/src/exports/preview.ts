import { answer, client, type Schemas } from '../api.ts'
import type { Model } from './models.ts'

export type Preview = Schemas['QueryPreview']

/** The first rows that a query would export. */
export const previewQuery = (project: string, model: Model, hogql_query: string): Promise<Preview> =>
  answer(
    client.POST('/api/projects/{project_id}/batch_exports/preview/', {
      params: { path: { project_id: project } },
      body: { hogql_query, model },
    }),
  )
