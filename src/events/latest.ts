import { either } from '../hogql/typed.ts'
import { name, sql } from '../sql/template.ts'
import { type Extract, latestQuery, POSITION, type Range } from './extract.ts'
import { limited } from './guarded.ts'
import { FEEDS } from './models.ts'
import type { EventReader } from './readers.ts'
import { MAX_TIME } from './time.ts'

/** A condition that matches few rows stops here. */
const SCANNED_ROWS = 100_000

/** The columns of the latest rows of a model that match `where`, each row as the text of a JSON array. */
export async function latestRows(
  reader: EventReader,
  {
    model,
    project_id,
    columns,
    where,
    include = null,
    exclude = null,
    signal,
  }: Pick<Extract, 'model' | 'project_id' | 'columns' | 'where'> &
    Partial<Pick<Extract, 'include' | 'exclude'>> & { signal?: AbortSignal },
  limit: number,
): Promise<string[]> {
  const order = model === 'events' ? sql`e.timestamp` : POSITION
  const [bound] = await reader.rows<[number]>(
    sql`select ${order} from ${name(FEEDS[model].table)} e where e.project_id = ${project_id}
      order by ${order} desc limit 1 offset ${SCANNED_ROWS}`,
    { project_id, lane: 'fast', signal },
  )
  const [from, to] = [bound ? Number(bound[0]) : -MAX_TIME, MAX_TIME]
  const range: Range = model === 'events' ? { by: 'times', start: from, end: to } : { by: 'positions', from, to }
  const rows = latestQuery({ model, project_id, range, columns, include, exclude, where }, limit)
  const found = await reader.rows<[string]>(either(rows, sql`select ${limited(sql`r.line`)} from (${rows}) r`), {
    project_id,
    lane: 'slow',
    signal,
  })
  return found.map(([line]) => line)
}
