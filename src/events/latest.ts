import { either } from '../hogql/typed.ts'
import { sql } from '../sql/template.ts'
import { type Extract, latestQuery } from './extract.ts'
import type { EventReader } from './readers.ts'
import { limited } from './rows.ts'

/** A condition that matches few events stops here. */
const SCANNED_EVENTS = 100_000

/** The columns of the latest events that match `where`, each event as the text of a JSON array. */
export async function latestRows(
  reader: EventReader,
  { project_id, columns, where, signal }: Pick<Extract, 'project_id' | 'columns' | 'where'> & { signal?: AbortSignal },
  limit: number,
): Promise<string[]> {
  const [bound] = await reader.rows<[number]>(
    sql`select e.timestamp from events e where e.project_id = ${project_id}
      order by e.timestamp desc limit 1 offset ${SCANNED_EVENTS}`,
    { project_id, lane: 'fast', signal },
  )
  const range = {
    by: 'times' as const,
    start: bound ? Number(bound[0]) : -Number.MAX_SAFE_INTEGER,
    end: Number.MAX_SAFE_INTEGER,
  }
  const rows = latestQuery({ project_id, range, columns, include: null, exclude: null, where }, limit)
  const found = await reader.rows<[string]>(either(rows, sql`select ${limited(sql`r.line`)} from (${rows}) r`), {
    project_id,
    lane: 'slow',
    signal,
  })
  return found.map(([line]) => line)
}
