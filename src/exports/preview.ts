/** Runs the query of an export on recent rows. */
import { invalid } from '../errors.ts'
import { bothConditions } from '../events/extract.ts'
import { latestRows } from '../events/latest.ts'
import type { Model } from '../events/models.ts'
import type { EventReader } from '../events/readers.ts'
import { loadDestination } from './catalog.ts'
import type { DestinationType } from './destination.ts'
import { filterCondition, queryColumns, querySchema, unsupportedQuery } from './query.ts'

const ROWS = 10

export interface PreviewQuery {
  project_id: number
  model: Model
  hogql_query: string
  destination_type?: DestinationType
  filters?: readonly unknown[] | null
  include_events?: readonly string[] | null
  exclude_events?: readonly string[] | null
  /** Microseconds. */
  now: number
  signal?: AbortSignal
}

/**
 * `rows` are JSON arrays as text. Throws with attr `hogql_query` when the query cannot be used for an export, and with the
 * attr of a filter that is not valid.
 */
export async function preview(
  reader: EventReader,
  {
    project_id,
    model,
    hogql_query,
    destination_type,
    filters = null,
    include_events: include = null,
    exclude_events: exclude = null,
    now,
    signal,
  }: PreviewQuery,
): Promise<{ columns: string[]; rows: string[] }> {
  if (destination_type !== undefined) await requireQuerySupport(destination_type)
  if (model !== 'events') requireNoEventFilters(model, { filters, include_events: include, exclude_events: exclude })
  querySchema(hogql_query, model, now)
  const { columns, where: selected } = queryColumns(hogql_query, model, now)
  const where = bothConditions(selected, filterCondition(filters, now))
  return {
    columns: columns.map(({ name }) => name),
    rows: await latestRows(reader, { model, project_id, columns, where, include, exclude, signal }, ROWS),
  }
}

function requireNoEventFilters(model: Model, lists: Record<string, readonly unknown[] | null>): void {
  const [used] = Object.entries(lists).find(([, list]) => list?.length) ?? []
  if (used !== undefined) throw invalid(used, `"${used}" applies to the model "events" only. Remove it for ${model}.`)
}

async function requireQuerySupport(type: DestinationType): Promise<void> {
  const destination = await loadDestination(type, 'destination_type')
  if (!destination.supportsQuery) throw unsupportedQuery(type)
}
