/** The size of a time range of events or of another model, exact where the hourly counts allow it. */

import { either } from '../hogql/typed.ts'
import { name, oneOf, type Sql, sql } from '../sql/template.ts'
import { hasCounts } from './counts.ts'
import { bothConditions, type Extract, modelColumns, scanQuery } from './extract.ts'
import { type Histogram, type HistogramQuery, histogram } from './histogram.ts'
import { latestRows } from './latest.ts'
import { CHANGING_FEEDS } from './models.ts'
import type { EventReader } from './readers.ts'

export interface EstimateQuery extends Pick<Extract, 'model' | 'project_id' | 'include' | 'exclude' | 'where'> {
  /** Half-open, in microseconds. */
  start: number
  end: number
  signal?: AbortSignal
}

/** The time of the first row, in microseconds. Undefined if the project has no row before `end`. */
export async function earliestRow(
  reader: EventReader,
  { model, project_id, end, signal }: Pick<EstimateQuery, 'model' | 'project_id' | 'end' | 'signal'>,
): Promise<number | undefined> {
  if (model !== 'events') {
    const { table, time } = CHANGING_FEEDS[model]
    const [row] = await reader.rows<[number | null]>(
      sql`select min(${time.e}) from ${name(table)} e where e.project_id = ${project_id} and ${time.e} < ${end}`,
      { project_id, lane: 'slow', signal },
    )
    return row?.[0] == null ? undefined : Number(row[0])
  }
  const [row] = await reader.rows<[number]>(
    sql`select e.timestamp from events e where e.project_id = ${project_id} and e.timestamp < ${end}
      order by e.timestamp limit 1`,
    { project_id, lane: 'fast', signal },
  )
  return row && Number(row[0])
}

/** Counts rows. A scan of events that takes too long is extrapolated from the newest events and not exact. */
export async function estimateRecords(
  reader: EventReader,
  query: EstimateQuery,
): Promise<{ records: number; exact: boolean }> {
  const { project_id, start, end, include, exclude, signal } = query
  if (query.model !== 'events') return countChanged(reader, query)
  const earliest = await earliestRow(reader, query)
  const names = include?.length ? include.filter((name) => !exclude?.includes(name)) : undefined
  if (earliest === undefined || names?.length === 0) return { records: 0, exact: true }
  const excluded = names || !exclude?.length ? undefined : exclude
  // Hours before the first event would be looked up one by one.
  const range = { project_id, after: Math.max(start, earliest) - 1, before: end, interval: 'week', signal } as const
  const isCounted = await hasCounts(reader, project_id)
  const countOf = async (more: Partial<HistogramQuery>): Promise<number> =>
    total(await histogram(reader, { ...range, ...more }))
  if (isCounted && !query.where) {
    const all = await countOf({ names })
    return { records: excluded ? all - (await countOf({ names: excluded })) : all, exact: true }
  }
  const others = excluded ? { sql: sql`e.event not in ${oneOf(excluded)}`, usesPerson: false } : null
  const condition = bothConditions(others, query.where) ?? undefined
  const found = await histogram(reader, { ...range, names, condition })
  const matching = total(found)
  if (!found.next) return { records: matching, exact: true }
  const share = isCounted
    ? (await countOf({ names, after: found.next.timestamp - 1 })) / Math.max(1, await countOf({ names }))
    : found.progress
  return { records: Math.round(matching / Math.max(share, 1e-6)), exact: false }
}

async function countChanged(
  reader: EventReader,
  { start, end, signal, ...query }: EstimateQuery,
): Promise<{ records: number; exact: boolean }> {
  const count = scanQuery({ ...query, range: { by: 'times', start, end }, columns: [], encoding: 'json' })
  const [row] = await reader.rows<[number]>(count, { project_id: query.project_id, lane: 'slow', signal })
  return { records: Number(row?.[0] ?? 0), exact: true }
}

const total = ({ counts }: Histogram): number => [...counts.values()].reduce((sum, count) => sum + count, 0)

const SAMPLE_ROWS = 200
/** The size of the other columns of an event. */
const OTHER_BYTES = 250

/** The average size of the newest rows, uncompressed. For events, of those before `end`. */
export async function averageSize(
  reader: EventReader,
  { model, project_id, end, signal }: Pick<EstimateQuery, 'model' | 'project_id' | 'end' | 'signal'>,
): Promise<number> {
  if (model !== 'events') {
    const columns = modelColumns(model)
    const lines = await latestRows(reader, { model, project_id, columns, where: null, signal }, SAMPLE_ROWS)
    return lines.reduce((sum, line) => sum + line.length, 0) / Math.max(1, lines.length)
  }
  const text = (column: Sql): Sql => either(sql`length(${column})`, sql`length(${column}::text)`)
  const [row] = await reader.rows<[number | null]>(
    sql`select avg(size) from (
      select ${text(sql`e.properties`)} + ${text(sql`e.elements_chain`)} as size from events e
      where e.project_id = ${project_id} and e.timestamp < ${end} order by e.timestamp desc limit ${SAMPLE_ROWS}) sample`,
    { project_id, lane: 'fast', signal },
  )
  return OTHER_BYTES + Number(row?.[0] ?? 0)
}
