import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answer, client, type Schemas, WorkspaceError } from '../api.ts'
import { toEventItem } from './model.ts'
import { fits } from './range.ts'
import { ALL, DEFAULT_AFTER, type EventsSearch, type Interval } from './search.ts'

export const PAGE_SIZE = 100
const COMPLETIONS = 50
/** Counting needs more requests than a list, so it is not repeated when the page is shown again. */
export const STALE_MS = 60_000
/** The histogram has at most 1,000 weeks. */
const LONGEST_HISTOGRAM_MS = 990 * 7 * 86_400_000

type Histogram = Schemas['EventHistogram']
export type HistogramPart = Histogram

/** The filters without the time range, as parameters of the API. Lists are JSON text, so any name is taken literally. */
export function filterParameters({ event, properties, distinct_id, person_id, where }: EventsSearch) {
  return {
    ...(event && { event: JSON.stringify(event) }),
    ...(properties && { properties: JSON.stringify(properties) }),
    ...(distinct_id !== undefined && { distinct_id }),
    ...(person_id !== undefined && { person_id }),
    ...(where !== undefined && { where: JSON.stringify([where]) }),
  }
}

/** `after` is exclusive in the API. An interval of the histogram includes its start. */
function rangeParameters({ after = DEFAULT_AFTER, before }: EventsSearch) {
  return { ...(after !== ALL && { after: exclusive(after) }), ...(before !== undefined && { before }) }
}

/** One microsecond earlier. Relative and unknown times stay as they are; the server reports unknown ones. */
function exclusive(time: string): string {
  const milliseconds = Date.parse(time)
  if (!/^\d{4}-/.test(time) || Number.isNaN(milliseconds)) return time
  return new Date(milliseconds - 1).toISOString().replace('Z', '999Z')
}

export const listParameters = (search: EventsSearch) => ({ ...rangeParameters(search), ...filterParameters(search) })

/** Whether the list is narrowed by more than its time range. */
export const isFiltered = (search: EventsSearch): boolean => Object.keys(filterParameters(search)).length > 0

/** The parameters of the next page. The server has made relative times absolute. */
const parametersOf = (next: string | null | undefined): Record<string, string> | undefined =>
  next ? Object.fromEntries(new URL(next).searchParams) : undefined

const isEvent = (row: Schemas['Event'] | unknown[]): row is Schemas['Event'] => !Array.isArray(row)

export const eventsQuery = (project_id: string, search: EventsSearch) =>
  infiniteQueryOptions({
    queryKey: ['events', project_id, 'list', listParameters(search)],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...(pageParam ?? listParameters(search)), limit: PAGE_SIZE }
      const page = await answer(
        client.GET('/api/projects/{project_id}/events/', { params: { path: { project_id }, query }, signal }),
      )
      return { next: page.next, events: page.results.filter(isEvent).map(toEventItem) }
    },
    initialPageParam: undefined as Record<string, string> | undefined,
    getNextPageParam: ({ next }) => parametersOf(next),
    staleTime: STALE_MS,
    refetchOnWindowFocus: false,
  })

/** All events of the project, oldest first, of which only one is read. */
const oldestEvent = (project_id: string, signal: AbortSignal) =>
  answer(
    client.GET('/api/projects/{project_id}/events/', {
      params: { path: { project_id }, query: { orderBy: 'timestamp', limit: 1, include_person: false } },
      signal,
    }),
  )

/** Whether the project has any event. Polls until it has. */
export const anyEventQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['events', project_id, 'any'],
    queryFn: async ({ signal }) => (await oldestEvent(project_id, signal)).results.length > 0,
    refetchInterval: (query) => (query.state.data === false ? 3_000 : false),
    staleTime: STALE_MS,
  })

/** Without `interval`, the server chooses one. */
export const histogramQuery = (project_id: string, search: EventsSearch, interval?: Interval) =>
  infiniteQueryOptions({
    queryKey: ['events', project_id, 'histogram', listParameters(search), interval],
    queryFn: async ({ pageParam, signal }) => {
      const range = pageParam ?? {
        ...listParameters(search),
        ...(interval && { interval }),
        ...((search.after ?? DEFAULT_AFTER) === ALL && (await allTime(project_id, interval, signal))),
      }
      // The type of `interval` is lost in the URL of the next part.
      const query = range as typeof range & { interval?: Interval }
      return answer(
        client.GET('/api/projects/{project_id}/events/histogram/', { params: { path: { project_id }, query }, signal }),
      )
    },
    initialPageParam: undefined as Record<string, string> | undefined,
    getNextPageParam: ({ next }) => parametersOf(next),
    staleTime: STALE_MS,
    refetchOnWindowFocus: false,
  })

/** The range from the first event, and the interval if it is long enough for it. */
async function allTime(project_id: string, interval: Interval | undefined, signal: AbortSignal) {
  const first = await firstTime(project_id, signal)
  const after = exclusive(new Date(first).toISOString())
  return { after, interval: interval && fits(interval, Date.now() - first) ? interval : undefined }
}

/** The time of the first event in milliseconds. */
export async function firstTime(project_id: string, signal: AbortSignal): Promise<number> {
  const [first] = (await oldestEvent(project_id, signal)).results.filter(isEvent)
  const earliest = Date.now() - LONGEST_HISTOGRAM_MS
  return Math.max(earliest, first ? Date.parse(first.timestamp) : Date.now() - 1)
}

export const eventQuery = (project_id: string, id: string) =>
  queryOptions({
    queryKey: ['events', project_id, 'event', id],
    queryFn: async ({ signal }) =>
      toEventItem(
        await answer(
          client.GET('/api/projects/{project_id}/events/{id}/', { params: { path: { project_id, id } }, signal }),
        ),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const namesQuery = (project_id: string, search: string) =>
  queryOptions({
    queryKey: ['events', project_id, 'names', search],
    queryFn: ({ signal }) =>
      answer(
        client.GET('/api/projects/{project_id}/events/names/', {
          params: { path: { project_id }, query: { search, limit: COMPLETIONS } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const propertyNamesQuery = (
  project_id: string,
  { type, event, search }: { type: 'event' | 'person'; event: string[] | undefined; search: string },
) =>
  queryOptions({
    queryKey: ['events', project_id, 'property names', type, event, search],
    queryFn: ({ signal }) =>
      answer(
        client.GET('/api/projects/{project_id}/events/property_names/', {
          params: {
            path: { project_id },
            query: { type, search, limit: COMPLETIONS, ...(event && { event: JSON.stringify(event) }) },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const propertyValuesQuery = (
  project_id: string,
  { key, event, value }: { key: string; event: string[] | undefined; value: string },
) =>
  queryOptions({
    queryKey: ['events', project_id, 'property values', key, event, value],
    queryFn: async ({ signal }) => {
      const values = await answer(
        client.GET('/api/projects/{project_id}/events/values/', {
          params: { path: { project_id }, query: { key, value, ...(event && { event_name: JSON.stringify(event) }) } },
          signal,
        }),
      )
      return Array.isArray(values) ? values : []
    },
    enabled: key !== '',
  })

/** The error of the HogQL expression; undefined for other errors. */
export const whereErrorOf = (error: unknown): WorkspaceError | undefined =>
  error instanceof WorkspaceError && error.attr?.startsWith('where') ? error : undefined
