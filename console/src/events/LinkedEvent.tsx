import { ActionIcon, Group, Paper, Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { CloseIcon } from '../parts/icons.tsx'
import { EventDetail } from './EventDetail.tsx'
import { eventQuery } from './queries.ts'
import type { View } from './view.ts'

/** An event that a link names and the list does not show. */
export function LinkedEvent({ project_id, id, view }: { project_id: string; id: string; view: View }) {
  const event = useQuery(eventQuery(project_id, id))
  const close = (): void => view.show({ open: undefined, tab: undefined, find: undefined })
  return (
    <Paper withBorder p="sm" component="section" aria-label="Linked event">
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Title order={2} size="h5" className="wrap">
          {event.data ? event.data.event : 'Linked event'}
        </Title>
        <ActionIcon variant="subtle" color="gray" aria-label="Close the event" onClick={close}>
          <CloseIcon size={16} />
        </ActionIcon>
      </Group>
      {event.error ? (
        <ErrorAlert error={event.error} title="This event could not be loaded" retry={() => void event.refetch()} />
      ) : event.data ? (
        <EventDetail item={event.data} {...view} />
      ) : (
        <Skeleton h={200} />
      )}
    </Paper>
  )
}
