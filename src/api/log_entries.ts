import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import * as store from '../store/batch_export_logs.ts'
import type { HandlerContext } from './handler-context.ts'
import { page, paging } from './page.ts'
import { queryList } from './query.ts'
import { parseMoment } from './time.ts'
import * as wire from './wire.ts'

const LEVELS: readonly string[] = ['DEBUG', 'LOG', 'INFO', 'WARNING', 'ERROR']

type LogCall = Pick<HandlerContext<'batch_export_runs.logs' | 'project_batch_exports.logs'>, 'query' | 'url'>

/** One page of what an export, or one of its runs, said. */
export async function logPage(
  { db, now }: Deps,
  { query, url }: LogCall,
  about: Pick<store.LogFilter, 'batch_export_id' | 'run_id'>,
) {
  const levels = queryList(query, 'level')?.map((level) => level.toUpperCase())
  if (levels?.some((level) => !LEVELS.includes(level)))
    throw invalid('level', `"level" is one of ${LEVELS.join(', ')}.`)
  const time = (field: 'after' | 'before'): string | undefined =>
    query[field] === undefined ? undefined : isoOf(parseMoment(query[field], field, now()))
  const filter = {
    ...about,
    levels: levels as store.LogLevel[],
    search: query.search,
    after: time('after'),
    before: time('before'),
  }
  const { count, rows } = await store.list(db, filter as store.LogFilter, paging(query))
  return page({ url, query }, count, rows.map(wire.logEntry))
}

/** The largest year that sorts as text like the others. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z')
const FIRST = Date.parse('0000-01-01T00:00:00.000Z')

/** Microseconds as the milliseconds that are stored. */
export const isoOf = (microseconds: number): string =>
  new Date(Math.max(FIRST, Math.min(LAST, Math.floor(microseconds / 1000)))).toISOString()
