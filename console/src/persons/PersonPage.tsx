import './persons.css'
import { Grid, Group, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { WorkspaceError } from '../api.ts'
import { Copy } from '../parts/Copy.tsx'
import { Definition } from '../parts/Definition.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { LinkTabs } from '../parts/LinkTabs.tsx'
import { AnchorLink, ButtonLink } from '../parts/links.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Time } from '../parts/Time.tsx'
import { DeletePerson } from './DeletePerson.tsx'
import { DistinctIds } from './DistinctIds.tsx'
import { PersonEvents } from './PersonEvents.tsx'
import { PersonProperties } from './PersonProperties.tsx'
import { PersonSessions } from './PersonSessions.tsx'
import { IdentifiedBadge } from './PersonsTable.tsx'
import { PERSON, PERSON_ID, PERSONS } from './paths.ts'
import { nameOf, type Person, personEventsQuery, personQuery } from './queries.ts'
import { TABS, type Tab } from './search.ts'

const route = getRouteApi(PERSON_ID)

/** A person with its properties, distinct ids, latest events and sessions. */
export function PersonPage() {
  const place = route.useParams()
  const person = useQuery(personQuery(place.project, place.person))
  const events = useQuery(personEventsQuery(place.project, place.person))
  const above = (
    <AnchorLink to={PERSONS} params={place} size="sm">
      Persons
    </AnchorLink>
  )
  if (person.error)
    return (
      <>
        <PageHeader title="Person" above={above} />
        {person.error instanceof WorkspaceError && person.error.status === 404 ? (
          <EmptyState
            title="This person does not exist"
            action={
              <ButtonLink to={PERSONS} params={place} variant="default">
                All persons
              </ButtonLink>
            }
          >
            It was deleted, or merged into another person. Search for one of its distinct ids.
          </EmptyState>
        ) : (
          <ErrorAlert error={person.error} title="The person could not be loaded" retry={() => void person.refetch()} />
        )}
      </>
    )
  // Both at once, because the rows of events decide where the properties are on a phone.
  if (!person.data || events.isPending) return <PersonSkeleton above={above} />
  return (
    <>
      <PageHeader
        title={nameOf(person.data)}
        above={above}
        actions={<DeletePerson person={person.data} place={place} />}
      />
      <Content person={person.data} />
    </>
  )
}

const LABELS: Record<Tab, string> = { events: 'Events', sessions: 'Sessions' }

function Content({ person }: { person: Person }) {
  const place = route.useParams()
  const { tab = 'events', find } = route.useSearch()
  return (
    <Stack gap="lg">
      <Group component="dl" gap="xl" m={0} align="flex-start">
        <Definition term="State">
          <IdentifiedBadge is_identified={person.is_identified} />
        </Definition>
        <Definition term="First seen">
          <Time value={person.created_at} format="absolute" />
        </Definition>
        <Definition term="Person id">
          <Copy value={person.id} label="the id of the person" />
        </Definition>
      </Group>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <LinkTabs
            label="Activity of the person"
            tabs={TABS.map((name) => ({
              label: LABELS[name],
              isActive: name === tab,
              link: { to: PERSON, params: place, search: { find, ...(name !== 'events' && { tab: name }) } },
            }))}
          />
          <div className="person-panel">
            {tab === 'events' ? (
              <PersonEvents place={place} />
            ) : (
              <PersonSessions key={person.id} person={person} place={place} />
            )}
          </div>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <DistinctIds ids={person.distinct_ids} />
            <PersonProperties properties={person.properties} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

const PersonSkeleton = ({ above }: { above: ReactNode }) => (
  <div role="status" aria-label="Loading the person">
    <PageHeader title="Person" above={above} />
    <Stack gap="lg">
      <Skeleton h={40} maw={620} />
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Skeleton h={420} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Skeleton h={420} />
        </Grid.Col>
      </Grid>
    </Stack>
  </div>
)
