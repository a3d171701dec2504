import { Skeleton, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { EventsSearch } from '../events/search.ts'
import { seriesFilter, seriesName } from '../events/series.ts'
import { trendQuery } from '../events/trend-query.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { count } from '../parts/format.ts'
import { AnchorLink } from '../parts/links.tsx'
import { Section } from '../parts/Section.tsx'
import { EVENTS, type Place } from './place.ts'
import { LAST_30_DAYS } from './queries.ts'
import { Sparkline } from './Sparkline.tsx'

const BY_NAME: EventsSearch = { ...LAST_30_DAYS, breakdown: { type: 'name' } }

/** The ten most frequent events of 30 days, each with its course. The room does not depend on their number. */
export function FrequentEvents({ place }: { place: Place }) {
  const { data, error, refetch } = useQuery(trendQuery(place.project, BY_NAME))
  return (
    <Section
      title="Most frequent events"
      compact
      actions={
        <AnchorLink to={EVENTS} params={place} search={BY_NAME} size="sm">
          Compare them
        </AnchorLink>
      }
    >
      <div className="home-events">
        {error ? (
          <ErrorAlert error={error} title="The events could not be counted" retry={() => void refetch()} />
        ) : data ? (
          <Table aria-label="Most frequent events" verticalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Event</Table.Th>
                <Table.Th w="35%">30 days</Table.Th>
                <Table.Th w={90} ta="end">
                  Events
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.series.map(({ value, counts, total }) => {
                const name = seriesName(value, BY_NAME)
                const filter = seriesFilter(value, BY_NAME)
                return (
                  <Table.Tr key={`${value.kind} ${name}`}>
                    <Table.Td className="home-event" title={name}>
                      {filter ? (
                        <Link className="row-link" to={EVENTS} params={place} search={{ after: '-30d', ...filter }}>
                          {name}
                        </Link>
                      ) : (
                        name
                      )}
                    </Table.Td>
                    <Table.Td>
                      <Sparkline counts={counts} />
                    </Table.Td>
                    <Table.Td ta="end">{count(total ?? 0)}</Table.Td>
                  </Table.Tr>
                )
              })}
            </Table.Tbody>
          </Table>
        ) : (
          <Skeleton h="100%" aria-label="Loading the events" />
        )}
      </div>
    </Section>
  )
}
