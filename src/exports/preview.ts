/** Runs the query of an export on recent rows. */
import { latestRows } from '../events/latest.ts'
import type { Model } from '../events/models.ts'
import type { EventReader } from '../events/readers.ts'
import { loadDestination } from './catalog.ts'
import type { DestinationType } from './destination.ts'
import { queryColumns, querySchema, unsupportedQuery } from './query.ts'

const ROWS = 10

export interface PreviewQuery {
  project_id: number
  model: Model
  hogql_query: string
  destination_type?: DestinationType
  /** Microseconds. */
  now: number
  signal?: AbortSignal
}

/** `rows` are JSON arrays as text. Throws with attr `hogql_query` when the query cannot be used for an export. */
export async function preview(
  reader: EventReader,
  { project_id, model, hogql_query, destination_type, now, signal }: PreviewQuery,
): Promise<{ columns: string[]; rows: string[] }> {
  if (destination_type !== undefined) await requireQuerySupport(destination_type)
  querySchema(hogql_query, model, now)
  const { columns, where } = queryColumns(hogql_query, model, now)
  return {
    columns: columns.map(({ name }) => name),
    rows: await latestRows(reader, { model, project_id, columns, where, signal }, ROWS),
  }
}

async function requireQuerySupport(type: DestinationType): Promise<void> {
  const destination = await loadDestination(type, 'destination_type')
  if (!destination.supportsQuery) throw unsupportedQuery(type)
}
