import './persons.css'
import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { NoEventsYet } from '../events/NoEventsYet.tsx'
import { anyEventQuery } from '../events/queries.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { PersonFilters } from './PersonFilters.tsx'
import { PersonsTable, PersonsTableSkeleton } from './PersonsTable.tsx'
import { PERSONS_ID } from './paths.ts'
import { conditionErrorOf, personsQuery } from './queries.ts'
import type { PersonsSearch } from './search.ts'

const route = getRouteApi(PERSONS_ID)

/** The persons of a project: found by distinct id, email or id, or by a condition on their properties. */
export function PersonsPage() {
  const place = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, isPlaceholderData, refetch } = useQuery(personsQuery(place.project, search))
  /** Another search starts at its first page. */
  const filter = (change: PersonsSearch, replace = false): void =>
    void navigate({
      search: ({ search, where }: PersonsSearch) => ({ search, where, ...change }),
      replace,
      resetScroll: false,
    })
  const wrong = conditionErrorOf(error, search)
  const isFiltered = search.search !== undefined || search.where !== undefined
  return (
    <>
      <PageHeader title="Persons" description="The people and devices behind the events, newest first." />
      <Stack gap="sm">
        <PersonFilters project_id={place.project} search={search} filter={filter} error={wrong} />
        {wrong ? (
          <Text c="dimmed" ta="center" py="xl">
            Correct the condition to see persons.
          </Text>
        ) : error ? (
          <ErrorAlert error={error} title="The persons could not be loaded" retry={() => void refetch()} />
        ) : data === undefined ? (
          <PersonsTableSkeleton />
        ) : data.persons.length === 0 ? (
          isFiltered ? (
            <NoMatches clear={() => void navigate({ search: {} })} />
          ) : (
            <NoPersons project_id={place.project} refresh={refetch} />
          )
        ) : (
          <Box opacity={isPlaceholderData ? 0.5 : 1} aria-busy={isPlaceholderData}>
            <PersonsTable persons={data.persons} place={place} />
            <Group justify="space-between" mt="sm">
              <Text size="xs" c="dimmed" role="status">
                {plural(data.persons.length, 'person', 'persons')} on this page
              </Text>
              {(data.newer || data.older) && (
                <Group gap="xs" component="nav" aria-label="Pages">
                  <Turn label="Newer" to={data.newer} />
                  <Turn label="Older" to={data.older} />
                </Group>
              )}
            </Group>
          </Box>
        )}
      </Stack>
    </>
  )
}

function Turn({ label, to }: { label: string; to: Pick<PersonsSearch, 'cursor' | 'page'> | undefined }) {
  const navigate = route.useNavigate()
  return (
    <Button
      variant="default"
      size="xs"
      disabled={to === undefined}
      onClick={() => void navigate({ search: ({ search, where }: PersonsSearch) => ({ search, where, ...to }) })}
    >
      {label}
    </Button>
  )
}

function NoPersons({ project_id, refresh }: { project_id: string; refresh: () => void }) {
  const { data: hasEvents } = useQuery(anyEventQuery(project_id))
  // The first event of a project makes the empty list outdated.
  const wasEmpty = useRef(false)
  useEffect(() => {
    if (wasEmpty.current && hasEvents) refresh()
    wasEmpty.current = hasEvents === false
  }, [hasEvents, refresh])
  if (hasEvents === undefined) return <PersonsTableSkeleton />
  return hasEvents ? (
    <EmptyState title="No persons yet">
      The events of this project were sent without persons, or all persons were deleted. The next event with a distinct
      id creates its person.
    </EmptyState>
  ) : (
    <NoEventsYet>A person appears here with the first event of its distinct id.</NoEventsYet>
  )
}

const NoMatches = ({ clear }: { clear: () => void }) => (
  <EmptyState
    title="No person found"
    action={
      <Button variant="default" onClick={clear}>
        Clear filters
      </Button>
    }
  >
    The search finds the start of a distinct id or of an email, in the same upper and lower case. For other properties,
    add a condition.
  </EmptyState>
)
