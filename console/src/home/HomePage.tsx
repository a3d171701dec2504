import './home.css'
import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { anyEventQuery } from '../events/queries.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { useOrganization, useProject } from '../shell/workspace.ts'
import { EventsPerDay } from './EventsPerDay.tsx'
import { FrequentEvents } from './FrequentEvents.tsx'
import { Side } from './Side.tsx'
import { WelcomeSteps } from './WelcomeSteps.tsx'

/** The first page of a project: its events, what needs attention and what changed. Without events, the way to the first one. */
export function HomePage() {
  const project = useProject()
  const organization = useOrganization()
  const any = useQuery(anyEventQuery(String(project.id)))
  const place = { organization: organization.id, project: String(project.id) }
  if (any.data === false)
    return (
      <>
        <PageHeader
          title={`Welcome to ${project.name}`}
          description="Two steps: send an event, then export your events to a destination."
        />
        <WelcomeSteps project={project} place={place} />
      </>
    )
  return (
    <>
      <PageHeader title={project.name} />
      {any.error ? (
        <ErrorAlert error={any.error} title="The project could not be loaded" retry={() => void any.refetch()} />
      ) : any.data ? (
        <div className="home">
          <Stack gap="md" miw={0}>
            <EventsPerDay place={place} />
            <FrequentEvents place={place} />
          </Stack>
          <Side project={project} place={place} />
        </div>
      ) : (
        <div className="home" role="status" aria-label="Loading">
          <Skeleton h={600} />
          <Skeleton h={400} />
        </div>
      )}
    </>
  )
}
