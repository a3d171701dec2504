/** Trends that the histogram cannot count. */
import { queryOptions } from '@tanstack/react-query'
import { answer, client, WorkspaceError } from '../api.ts'
import { countTrend } from './count-trend.ts'
import { firstTime, listParameters, STALE_MS } from './queries.ts'
import { fits, startOf, suitableInterval, type TimeRange } from './range.ts'
import { ALL, DEFAULT_AFTER, type EventsSearch } from './search.ts'
import type { Trend } from './trend.ts'

/** Counts with the query operation. */
export const trendQuery = (project_id: string, search: EventsSearch) => {
  const { measure, interval, breakdown } = search
  return queryOptions({
    queryKey: ['events', project_id, 'trend', listParameters(search), { measure, interval, breakdown }],
    queryFn: ({ signal }) => newestPart(project_id, search, signal),
    staleTime: STALE_MS,
    refetchOnWindowFocus: false,
    // A query that took too long takes too long again.
    retry: false,
  })
}

/** The parts of the time range to count. If one takes too long, the next one is tried. */
const PARTS = [1, 1 / 4, 1 / 16]

async function newestPart(project_id: string, search: EventsSearch, signal: AbortSignal): Promise<Trend> {
  const whole = await rangeOf(project_id, search, signal)
  const wanted = search.interval
  const interval = wanted && fits(wanted, whole.to - whole.from) ? wanted : suitableInterval(whole)
  const start = performance.now()
  for (const counted of PARTS)
    try {
      const range = { from: whole.to - counted * (whole.to - whole.from), to: whole.to }
      const trend = await countTrend(project_id, { ...search, interval }, range, signal)
      return { ...trend, counted, took_ms: performance.now() - start }
    } catch (error) {
      const isTooSlow = error instanceof WorkspaceError && error.code === 'query_timeout'
      if (!isTooSlow || counted === PARTS.at(-1)) throw error
    }
  throw new Error('One part is counted, or the last error is thrown.')
}

/** The histogram ends as many milliseconds from now, so it has the events that are just arriving. */
const AHEAD_MS = 5_000

async function rangeOf(
  project_id: string,
  { after = DEFAULT_AFTER, before }: EventsSearch,
  signal: AbortSignal,
): Promise<TimeRange> {
  const to = before === undefined ? Date.now() + AHEAD_MS : startOf(before)
  const from = after === ALL ? await firstTime(project_id, signal) : startOf(after)
  if (from !== undefined && to !== undefined) return { from, to }
  // Only the server knows other relative times.
  const query = { ...(after !== ALL && { after }), ...(before !== undefined && { before }), interval: 'week' as const }
  const found = await answer(
    client.GET('/api/projects/{project_id}/events/histogram/', { params: { path: { project_id }, query }, signal }),
  )
  return { from: Date.parse(found.after), to: Date.parse(found.before) }
}
