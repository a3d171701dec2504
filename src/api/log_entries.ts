import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import * as store from '../store/batch_export_logs.ts'
import type { HandlerContext } from './handler-context.ts'
import { page, paging } from './page.ts'
import { parseChoice, queryList } from './query-parameters.ts'
import { parseMoment } from './time.ts'

type LogCall = Pick<HandlerContext<'batch_export_runs.logs' | 'project_batch_exports.logs'>, 'query' | 'url'>

/** One page of the log of an export or of one of its runs. */
export async function logPage(
  { db, now }: Deps,
  { query, url }: LogCall,
  subject: Pick<store.LogFilter, 'batch_export_id' | 'run_id'>,
) {
  const filter: store.LogFilter = {
    ...subject,
    levels: queryList(query, 'level')?.map((text) => parseChoice('level', store.LOG_LEVELS, text.toUpperCase())),
    search: query.search,
    ...timesOf(query, now()),
  }
  const { count, rows } = await store.list(db, filter, paging(query))
  return page({ url, query }, count, rows, serializeLogEntry)
}

/** The range of a log in stored form. */
export function timesOf(
  query: { after?: string; before?: string },
  now: string,
): { after: string | undefined; before: string | undefined } {
  const timeOf = (field: 'after' | 'before'): string | undefined =>
    query[field] === undefined ? undefined : storedTime(parseMoment(query[field], field, now))
  return { after: timeOf('after'), before: timeOf('before') }
}

function serializeLogEntry(row: store.LogEntryRow): components['schemas']['BatchExportLogEntry'] {
  const { project_id: team_id, batch_export_id, run_id, timestamp, level, message } = row
  return { team_id, batch_export_id, run_id, timestamp, level, message }
}

/** Stored times sort as text up to this year. */
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')
const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z')

/** Converts microseconds to the stored form in milliseconds. */
export const storedTime = (microseconds: number): string =>
  new Date(Math.max(EARLIEST, Math.min(LATEST, Math.floor(microseconds / 1000)))).toISOString()
