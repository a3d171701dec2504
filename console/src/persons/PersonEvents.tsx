import { Group, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { EventTime } from '../events/EventTime.tsx'
import { summaryOf } from '../events/model.ts'
import { ALL } from '../events/search.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { AnchorLink } from '../parts/links.tsx'
import { personEventsQuery } from './queries.ts'

const EVENTS = '/organizations/$organization/projects/$project/events'

/** The latest events of a person. Each opens on the events page. */
export function PersonEvents({ place }: { place: { organization: string; project: string; person: string } }) {
  const { data, error, refetch } = useQuery(personEventsQuery(place.project, place.person))
  const { organization, project } = place
  const params = { organization, project }
  const search = { person_id: place.person, after: ALL }
  if (error) return <ErrorAlert error={error} title="The events could not be loaded" retry={() => void refetch()} />
  if (!data) return null
  if (data.events.length === 0)
    return (
      <EmptyState title="No events">
        The events of this person were deleted, or are older than the project keeps them.
      </EmptyState>
    )
  return (
    <>
      <Group justify="space-between" mb={4}>
        <Text size="xs" c="dimmed">
          {data.hasMore ? `Latest ${plural(data.events.length, 'event')}` : plural(data.events.length, 'event')}
        </Text>
        <AnchorLink to={EVENTS} params={params} search={search} size="sm">
          All events of this person
        </AnchorLink>
      </Group>
      <Table className="person-rows" aria-label="Latest events">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={150}>Time</Table.Th>
            <Table.Th w="34%">Event</Table.Th>
            <Table.Th>Details</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.events.map((item) => (
            <Table.Tr key={item.id}>
              <Table.Td className="person-time">
                <EventTime value={item.timestamp} />
              </Table.Td>
              <Table.Td title={item.event}>
                <Link to={EVENTS} params={params} search={{ ...search, open: item.id }} className="row-link">
                  {item.event}
                </Link>
              </Table.Td>
              <Table.Td title={summaryOf(item)} c="dimmed" className="person-wide">
                {summaryOf(item)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  )
}
