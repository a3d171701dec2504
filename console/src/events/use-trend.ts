import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { histogramQuery } from './queries.ts'
import { fits, lengthOf, periodBefore } from './range.ts'
import { ALL, DEFAULT_AFTER, type EventsSearch } from './search.ts'
import { isHistogram, type Trend, trendOf } from './trend.ts'
import { trendQuery } from './trend-query.ts'

const LIVE_MS = 10_000
/** Live counts take at most this share of the time. */
const LIVE_SHARE = 1 / 20

export interface TrendState {
  trend: Trend | undefined
  error: unknown
  retry: () => void
  /** Whether further parts are missing, which are counted unless it is stopped. */
  isPartial: boolean
  isStopped: boolean
  stop: () => void
  resume: () => void
}

/** The chart's series. A scan continues until all events are counted, the page is left, or it is stopped. */
export function useTrend(
  project_id: string,
  search: EventsSearch,
  { enabled = true, keepsPrevious = false } = {},
): TrendState {
  const length = lengthOf(search.after ?? DEFAULT_AFTER, search.before)
  const wanted = search.interval
  const interval = wanted && (length === undefined || fits(wanted, length)) ? wanted : undefined
  const usesHistogram = isHistogram(search)
  const options = histogramQuery(project_id, search, interval)
  const key = JSON.stringify(options.queryKey)
  const [stoppedKey, setStoppedKey] = useState<string>()
  const pace = (trend: Trend | undefined): number | false =>
    search.live && trend ? Math.max(LIVE_MS, trend.took_ms / LIVE_SHARE) : false
  const histogram = useInfiniteQuery({
    ...options,
    enabled: enabled && usesHistogram,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    // Parts that are still missing come first.
    refetchInterval: ({ state: { data } }) => (data?.pages.at(-1)?.next ? false : pace(data && trendOf(data.pages))),
  })
  const query = useQuery({
    ...trendQuery(project_id, { ...search, interval }),
    enabled: enabled && !usesHistogram,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
    refetchInterval: ({ state: { data } }) => pace(data),
  })
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = histogram
  const isStopped = stoppedKey === key
  const continues = usesHistogram && hasNextPage && !isStopped && !error
  useEffect(() => {
    if (continues && !isFetchingNextPage) void fetchNextPage()
  }, [continues, isFetchingNextPage, fetchNextPage])
  const counted = useMemo(() => data && trendOf(data.pages), [data])
  return usesHistogram
    ? {
        trend: counted,
        error,
        retry: () => void (counted ? fetchNextPage() : refetch()),
        isPartial: hasNextPage,
        isStopped,
        stop: () => setStoppedKey(key),
        resume: () => setStoppedKey(undefined),
      }
    : { ...WHOLE, trend: query.data, error: query.error, retry: () => void query.refetch() }
}

const WHOLE = { isPartial: false, isStopped: false, stop: () => undefined, resume: () => undefined }

/** The same counts of the period before, without a breakdown. Undefined until the trend itself is counted. */
export function useTrendBefore(project_id: string, search: EventsSearch, trend: Trend | undefined): Trend | undefined {
  const isWanted = search.compare === true && (search.after ?? DEFAULT_AFTER) !== ALL && trend !== undefined
  const { from, to } = trend ? periodBefore(trend.range, trend.interval) : { from: 0, to: 0 }
  const before: EventsSearch = {
    ...search,
    after: new Date(from).toISOString(),
    before: new Date(to).toISOString(),
    breakdown: undefined,
    live: undefined,
    ...(trend && { interval: trend.interval }),
  }
  // The period moves with a live chart.
  const found = useTrend(project_id, before, { enabled: isWanted, keepsPrevious: search.live === true })
  return isWanted ? found.trend : undefined
}
