import { Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { preciseTime } from '../events/EventTime.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { count, duration, plural } from '../parts/format.ts'
import { PersonsTableSkeleton } from './PersonsTable.tsx'
import { MAX_SESSION_IDS, type Person, type Session, sessionsQuery } from './queries.ts'

interface Place {
  organization: string
  project: string
}

/** The latest sessions of a person. Each leads to its events. */
export function PersonSessions({ person, place }: { person: Person; place: Place }) {
  const { data, error, refetch } = useQuery(sessionsQuery(place.project, person))
  if (error) return <ErrorAlert error={error} title="The sessions could not be loaded" retry={() => void refetch()} />
  if (!data) return <PersonsTableSkeleton />
  if (data.sessions.length === 0)
    return (
      <EmptyState title="No sessions">
        Events with a property <span className="mono">$session_id</span> belong to a session. This person sent none.
      </EmptyState>
    )
  return (
    <>
      <Text size="xs" c="dimmed" mb={4}>
        {data.hasMore ? `Latest ${plural(data.sessions.length, 'session')}` : plural(data.sessions.length, 'session')}
        {person.distinct_ids.length > MAX_SESSION_IDS && ` of the first ${MAX_SESSION_IDS} distinct ids`}
      </Text>
      <Table className="person-rows" aria-label="Sessions">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={150}>Start</Table.Th>
            <Table.Th w={110} data-number>
              Duration
            </Table.Th>
            <Table.Th w={80} data-number>
              Events
            </Table.Th>
            <Table.Th w={80} data-number>
              Pages
            </Table.Th>
            <Table.Th>First page</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.sessions.map((session) => (
            <SessionRow key={session.id} session={session} person_id={person.id} place={place} />
          ))}
        </Table.Tbody>
      </Table>
    </>
  )
}

function SessionRow({ session, person_id, place }: { session: Session; person_id: string; place: Place }) {
  const { id, start, end, events, pageviews, entry_url } = session
  return (
    <Table.Tr>
      <Table.Td>
        <Link
          to="/organizations/$organization/projects/$project/events"
          params={{ organization: place.organization, project: place.project }}
          search={{
            person_id,
            after: start,
            // The end of a time range is exclusive.
            before: new Date(Date.parse(end) + 1).toISOString(),
            properties: [{ key: '$session_id', operator: 'exact', value: id, type: 'event' }],
          }}
          className="row-link"
        >
          <time dateTime={start}>{preciseTime(start)}</time>
        </Link>
      </Table.Td>
      <Table.Td data-number>{duration(session.duration * 1000)}</Table.Td>
      <Table.Td data-number>
        {count(events)}
        <span className="person-unit"> {events === 1 ? 'event' : 'events'}</span>
      </Table.Td>
      <Table.Td data-number>
        {count(pageviews)}
        <span className="person-unit"> {pageviews === 1 ? 'page' : 'pages'}</span>
      </Table.Td>
      <Table.Td title={entry_url} c="dimmed" className="person-wide">
        {entry_url}
      </Table.Td>
    </Table.Tr>
  )
}
