import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answer, client, queryClient, type Schemas } from '../api.ts'
import { nameIn, toEventItem } from '../events/model.ts'
import { placeIn } from '../parts/query-place.ts'
import { queryErrorOf } from '../query/queries.ts'
import type { PersonsSearch } from './search.ts'

export type Person = Schemas['Person']

const PERSONS_PER_PAGE = 50
const LATEST_EVENTS = 25
const LATEST_SESSIONS = 25
/** The distinct ids whose sessions are found. Values of a query have at most 10,000 characters, and an id has up to 400. */
export const MAX_SESSION_IDS = 20

/** A row of the list. */
export interface ListedPerson {
  id: string
  name: string
  distinct_id: string | undefined
  /** The number of further distinct ids; undefined if it is not known. */
  others: number | undefined
  /** Undefined if it is not known. */
  is_identified: boolean | undefined
  created_at: string
}

interface PersonsPage {
  persons: ListedPerson[]
  /** The pages beside this one. */
  newer: Pick<PersonsSearch, 'cursor' | 'page'> | undefined
  older: Pick<PersonsSearch, 'cursor' | 'page'> | undefined
}

/** With a condition, the query operation answers; otherwise the list, which ends in indexes. */
export const personsQuery = (project_id: string, search: PersonsSearch) =>
  queryOptions({
    queryKey: ['persons', project_id, 'list', search],
    queryFn: ({ signal }) =>
      search.where === undefined
        ? listedPersons(project_id, search, signal)
        : selectedPersons(project_id, { ...search, where: search.where }, signal),
    placeholderData: keepPreviousData,
  })

async function listedPersons(
  project_id: string,
  { search, cursor }: PersonsSearch,
  signal: AbortSignal,
): Promise<PersonsPage> {
  const query = {
    limit: PERSONS_PER_PAGE,
    ...(search !== undefined && { search }),
    ...(cursor !== undefined && { cursor }),
  }
  const { results, next, previous } = await answer(
    client.GET('/api/projects/{project_id}/persons/', { params: { path: { project_id }, query }, signal }),
  )
  return {
    persons: results.map((person) => ({
      id: person.id,
      name: nameOf(person),
      distinct_id: person.distinct_ids[0],
      others: Math.max(0, person.distinct_ids.length - 1),
      is_identified: person.is_identified,
      created_at: person.created_at,
    })),
    newer: pageAt(previous),
    older: pageAt(next),
  }
}

const pageAt = (url: string | null): PersonsPage['newer'] =>
  url === null ? undefined : { cursor: new URL(url).searchParams.get('cursor') ?? undefined }

export const nameOf = ({ id, properties, distinct_ids }: Person): string => nameIn(properties) ?? distinct_ids[0] ?? id

/** The table has a row for each distinct id. One line, so the positions of errors in the condition start at line 2. */
const SELECT = [
  'SELECT person_id, min(distinct_id) AS first_id, count() AS ids, min(created_at) AS created,',
  'any(properties.email) AS email, any(properties.name) AS name, any(properties.username) AS username',
  'FROM persons WHERE (\n',
].join(' ')
const MATCHES = `
  AND (distinct_id LIKE {start} OR properties.email LIKE {start} OR toString(person_id) = {id})`

const selectOf = ({ where, search, page = 1 }: PersonsSearch): string => `${SELECT}${where}
)${search === undefined ? '' : MATCHES}
GROUP BY person_id
ORDER BY created DESC, person_id
LIMIT ${PERSONS_PER_PAGE} OFFSET ${(page - 1) * PERSONS_PER_PAGE}`

const valuesOf = (search: string) => ({
  start: `${search.replace(/[\\%_]/g, '\\$&')}%`,
  id: search.toLowerCase(),
})

async function selectedPersons(
  project_id: string,
  search: PersonsSearch & { where: string },
  signal: AbortSignal,
): Promise<PersonsPage> {
  const { page = 1 } = search
  const values = search.search === undefined ? {} : { values: valuesOf(search.search) }
  const { results, hasMore } = await answer(
    client.POST('/api/projects/{project_id}/query/', {
      params: { path: { project_id } },
      body: { query: { kind: 'HogQLQuery', query: selectOf(search), ...values } },
      signal,
    }),
  )
  return {
    persons: results.map(([id, distinct_id, ids, created, email, name, username]) => ({
      id: String(id),
      name: nameIn({ email, name, username }) ?? String(distinct_id),
      distinct_id: String(distinct_id),
      // With a search, only the distinct ids that match are counted.
      others: search.search === undefined ? Number(ids) - 1 : undefined,
      is_identified: undefined,
      created_at: String(created),
    })),
    newer: page > 1 ? { page: page > 2 ? page - 1 : undefined } : undefined,
    older: hasMore ? { page: page + 1 } : undefined,
  }
}

/** The error of the condition, with the index of the wrong character. Undefined for other errors. */
export function conditionErrorOf(
  error: unknown,
  search: PersonsSearch,
): { detail: string; offset: number | undefined } | undefined {
  const found = search.where === undefined ? undefined : queryErrorOf(error)
  if (!found) return undefined
  const place = placeIn(selectOf(search), found)
  const last = search.where?.length ?? 0
  return {
    detail: `${found.detail} Line 1 is "SELECT … FROM persons WHERE", and the condition follows.`,
    offset: place === undefined ? undefined : Math.min(last, Math.max(0, place - SELECT.length)),
  }
}

export const personQuery = (project_id: string, id: string) =>
  queryOptions({
    queryKey: ['persons', project_id, 'person', id],
    queryFn: ({ signal }) =>
      answer(client.GET('/api/projects/{project_id}/persons/{id}/', { params: { path: { project_id, id } }, signal })),
  })

/** The person with this distinct id; null if there is none. */
export const distinctIdQuery = (project_id: string, distinct_id: string) =>
  queryOptions({
    queryKey: ['persons', project_id, 'distinct id', distinct_id],
    queryFn: async ({ signal }) => {
      const { results } = await answer(
        client.GET('/api/projects/{project_id}/persons/', {
          params: { path: { project_id }, query: { distinct_id, limit: 1 } },
          signal,
        }),
      )
      return results[0] ?? null
    },
  })

/** The latest events of a person. */
export const personEventsQuery = (project_id: string, person_id: string) =>
  queryOptions({
    queryKey: ['persons', project_id, 'events', person_id],
    queryFn: async ({ signal }) => {
      const { results, next } = await answer(
        client.GET('/api/projects/{project_id}/events/', {
          params: { path: { project_id }, query: { person_id, limit: LATEST_EVENTS, include_person: false } },
          signal,
        }),
      )
      const rows = results.filter((row): row is Schemas['Event'] => !Array.isArray(row))
      return { events: rows.map(toEventItem), hasMore: Boolean(next) }
    },
  })

export interface Session {
  id: string
  start: string
  end: string
  /** Seconds. */
  duration: number
  events: number
  pageviews: number
  entry_url: string | undefined
}

const SESSIONS = `SELECT session_id, start_timestamp, end_timestamp, duration, event_count, pageview_count, entry_url
FROM sessions
WHERE distinct_id IN {ids}
ORDER BY start_timestamp DESC
LIMIT ${LATEST_SESSIONS}`

/** The latest sessions of a person. The query reads all sessions of the project, so it starts when they are shown. */
export const sessionsQuery = (project_id: string, { id, distinct_ids }: Person) =>
  queryOptions({
    queryKey: ['persons', project_id, 'sessions', id, distinct_ids],
    queryFn: async ({ signal }) => {
      const values = { ids: distinct_ids.slice(0, MAX_SESSION_IDS) }
      const { results, hasMore } = await answer(
        client.POST('/api/projects/{project_id}/query/', {
          params: { path: { project_id } },
          body: { query: { kind: 'HogQLQuery', query: SESSIONS, values } },
          signal,
        }),
      )
      return { sessions: results.map(toSession), hasMore }
    },
    staleTime: 60_000,
    retry: false,
  })

const toSession = ([id, start, end, duration, events, pageviews, entry_url]: unknown[]): Session => ({
  id: String(id),
  start: String(start),
  end: String(end),
  duration: Number(duration),
  events: Number(events),
  pageviews: Number(pageviews),
  entry_url: typeof entry_url === 'string' ? entry_url : undefined,
})

export const deletePerson = (project_id: string, id: string, delete_events: boolean): Promise<unknown> =>
  answer(
    client.DELETE('/api/projects/{project_id}/persons/{id}/', {
      params: { path: { project_id, id }, query: { delete_events } },
    }),
  )

/** Call it after the page of the person is left, which would load the person again. */
export const forgetPerson = (project_id: string): Promise<unknown> =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['persons', project_id], refetchType: 'active' }),
    queryClient.invalidateQueries({ queryKey: ['events', project_id], refetchType: 'active' }),
  ])
