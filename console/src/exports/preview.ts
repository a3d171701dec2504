import { answer, client } from '../api.ts'

export interface Preview {
  columns: string[]
  results: unknown[][]
}

type Post = (
  path: string,
  init: { params: { path: { project_id: string } }; body: { hogql_query: string } },
) => Promise<{ data?: Preview; error?: unknown; response: Response }>

/** The first rows that a query would export. The contract of this operation is not in the types yet. */
export const previewQuery = (project: string, hogql_query: string): Promise<Preview> =>
  answer(
    (client.POST as unknown as Post)('/api/projects/{project_id}/batch_exports/preview/', {
      params: { path: { project_id: project } },
      body: { hogql_query },
    }),
  )
