/** Exports, persons, events and runs that the search finds on the server. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { answer, client, WorkspaceError } from '../api.ts'
import { preciseTime } from '../events/EventTime.tsx'
import { eventQuery } from '../events/queries.ts'
import { EXPORT } from '../exports/paths.ts'
import { PERSON } from '../persons/paths.ts'
import { nameOf } from '../persons/queries.ts'
import type { Target } from './search-pages.ts'

/** As in the contract. */
export const MAX_TEXT = 400
const RESULTS = 8
/** One character matches most persons. */
const MIN_PERSON_TEXT = 2
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export interface Group {
  name: string
  targets: Target[]
  isLoading: boolean
  error: unknown
}

const exportsFoundQuery = (project_id: string, query: { search?: string; run?: string }) =>
  queryOptions({
    queryKey: ['search', project_id, 'exports', query],
    queryFn: ({ signal }) =>
      answer(
        client.GET('/api/projects/{project_id}/batch_exports/', {
          params: { path: { project_id }, query: { limit: RESULTS, ...query } },
          signal,
        }),
      ),
  })

const personsFoundQuery = (project_id: string, search: string) =>
  queryOptions({
    queryKey: ['search', project_id, 'persons', search],
    queryFn: ({ signal }) =>
      answer(
        client.GET('/api/projects/{project_id}/persons/', {
          params: { path: { project_id }, query: { limit: RESULTS, search } },
          signal,
        }),
      ),
  })

interface Place {
  organization: string | undefined
  project: string | undefined
}

/** The groups that may have results for a text. Ids are looked up only if the text is one. */
export function useFound({ organization = '', project = '' }: Place, text: string): Group[] {
  const hasProject = project !== ''
  const isId = UUID.test(text)
  const place = { organization, project }
  const exports = useQuery({
    ...exportsFoundQuery(project, { search: text }),
    enabled: hasProject && !isId,
    placeholderData: keepPreviousData,
  })
  const persons = useQuery({
    ...personsFoundQuery(project, text),
    enabled: hasProject && text.length >= MIN_PERSON_TEXT,
  })
  const event = useQuery({ ...eventQuery(project, text.toLowerCase()), enabled: hasProject && isId })
  const run = useQuery({ ...exportsFoundQuery(project, { run: text }), enabled: hasProject && isId })
  const wanted = text.toLowerCase()
  return [
    group('Exports', exports, ({ results }) =>
      results
        .filter(({ name }) => name.toLowerCase().includes(wanted))
        .map(({ id, name }) => ({
          key: `export/${id}`,
          label: name,
          hint: '',
          link: { to: EXPORT, params: { ...place, export: id } },
        })),
    ),
    group('Persons', persons, ({ results }) =>
      results.map((person) => ({
        key: `person/${person.id}`,
        label: nameOf(person),
        hint: person.distinct_ids.find((id) => id.startsWith(text) && id !== nameOf(person)) ?? '',
        link: { to: PERSON, params: { ...place, person: person.id } },
      })),
    ),
    group('Events', event, (item) => [
      {
        key: `event/${item.id}`,
        label: item.event,
        hint: preciseTime(item.timestamp),
        link: {
          to: '/organizations/$organization/projects/$project/events',
          params: place,
          search: { open: item.id },
        },
      },
    ]),
    group('Runs', run, ({ results }) =>
      results.map(({ id, name }) => ({
        key: `run/${text}`,
        label: `Run of ${name}`,
        hint: '',
        link: { to: EXPORT, params: { ...place, export: id }, search: { tab: 'runs', run: wanted } },
      })),
    ),
  ]
}

/** The id of a person is not the id of an event, so "not found" is not an error here. */
const isNotFound = (error: unknown): boolean => error instanceof WorkspaceError && error.status === 404

function group<Data>(
  name: string,
  { data, isLoading, error }: { data: Data | undefined; isLoading: boolean; error: unknown },
  targetsOf: (data: Data) => Target[],
): Group {
  return {
    name,
    targets: data === undefined || error ? [] : targetsOf(data),
    isLoading,
    error: isNotFound(error) ? null : error,
  }
}
