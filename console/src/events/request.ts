/** The list as a request that works outside the console. */
import { listParameters } from './queries.ts'
import type { EventsSearch } from './search.ts'

/** The maximum number of rows in one response. */
export const MAX_ROWS = 50_000

const urlOf = (project_id: string): string => `${location.origin}/api/projects/${project_id}/events/`

export function csvUrl(project_id: string, search: EventsSearch): string {
  const parameters = new URLSearchParams({ ...listParameters(search), format: 'csv', limit: String(MAX_ROWS) })
  return `${urlOf(project_id)}?${parameters}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The shell replaces `$WORKSPACE_KEY`, so the key is never on the clipboard. */
export function curlCommand(project_id: string, search: EventsSearch): string {
  const parameters = Object.entries(listParameters(search))
  return [
    `curl -G ${quoted(urlOf(project_id))}`,
    '-H "Authorization: Bearer $WORKSPACE_KEY"',
    ...parameters.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`),
  ].join(' \\\n  ')
}
