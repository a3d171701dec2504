import './events.css'
import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { ErrorAlert, messageOf } from '../parts/ErrorAlert.tsx'
import { itemError } from '../parts/field-error.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { useProject } from '../shell/workspace.ts'
import { EventsActions } from './EventsActions.tsx'
import { EventsList } from './EventsList.tsx'
import { Filters } from './Filters.tsx'
import { LinkedEvent } from './LinkedEvent.tsx'
import { type Live, useLive } from './live.ts'
import type { EventItem } from './model.ts'
import { NoEventsYet } from './NoEventsYet.tsx'
import { anyEventQuery, eventsQuery, whereErrorOf } from './queries.ts'
import { RangeForm } from './RangeForm.tsx'
import { startOf } from './range.ts'
import { DEFAULT_AFTER, type EventsSearch } from './search.ts'
import { Trends } from './Trends.tsx'
import { useView } from './view.ts'

/** The events of a project: found by time, name, property or expression, counted over time and followed live. */
export function EventsPage() {
  const project_id = String(useProject().id)
  const view = useView()
  const { search } = view
  const client = useQueryClient()
  const any = useQuery(anyEventQuery(project_id))
  const list = useInfiniteQuery(eventsQuery(project_id, search))
  const live = useLive(project_id, search)
  const listed = useMemo(() => list.data?.pages.flatMap(({ events }) => events) ?? [], [list.data])
  const arrived = useMemo(() => newRows(live, listed, search), [live, listed, search])
  const isEmpty = any.data === false && listed.length === 0 && arrived.length === 0

  // The first event of a project makes the empty list and chart outdated.
  const wasEmpty = useRef(false)
  useEffect(() => {
    if (wasEmpty.current && any.data) void client.invalidateQueries({ queryKey: ['events', project_id] })
    wasEmpty.current = any.data === false
  }, [any.data, client, project_id])

  if (isEmpty) return <NoEvents />
  const refresh = (): void => {
    for (const part of ['list', 'histogram', 'trend'])
      void client.invalidateQueries({ queryKey: ['events', project_id, part] })
  }
  return (
    <>
      <PageHeader
        title="Events"
        actions={<EventsActions {...{ project_id, view, refresh, isBroken: list.isError }} />}
      />
      <Stack gap="md">
        <Stack gap="sm">
          <RangeForm view={view} />
          <Filters project_id={project_id} view={view} error={list.error} />
        </Stack>
        <Trends project_id={project_id} view={view} listError={list.error} />
        {live.error !== undefined && (
          <Alert color="yellow" title="Live events are interrupted" role="status">
            {messageOf(live.error)} The page tries again in a few seconds.
          </Alert>
        )}
        {search.open !== undefined &&
          !list.isPending &&
          ![...arrived, ...listed].some(({ id }) => id === search.open) && (
            <LinkedEvent project_id={project_id} id={search.open} view={view} />
          )}
        {list.isPending ? (
          <Rows />
        ) : list.error && listed.length === 0 ? (
          itemError(list.error, 'properties') || whereErrorOf(list.error) !== undefined ? (
            <Text c="dimmed" ta="center" py="xl">
              Correct the filter to see events.
            </Text>
          ) : (
            <ErrorAlert error={list.error} title="The events could not be loaded" retry={() => void list.refetch()} />
          )
        ) : (
          <EventsList {...{ view, listed, arrived, list }} />
        )}
      </Stack>
    </>
  )
}

/** The events that the list does not have yet, newest arrival first. */
function newRows({ latest, arrived }: Live, listed: EventItem[], { after = DEFAULT_AFTER }: EventsSearch): EventItem[] {
  const known = new Set(listed.map(({ id }) => id))
  const newest = listed[0]?.timestamp ?? ''
  const earliest = startOf(after) ?? Number.NEGATIVE_INFINITY
  const isInRange = ({ timestamp }: EventItem): boolean => Date.parse(timestamp) >= earliest
  return [
    ...arrived,
    // The others are on pages of the list that are not loaded.
    ...latest.filter(({ timestamp }) => timestamp > newest),
  ].filter((item) => !known.has(item.id) && isInRange(item))
}

const Rows = () => (
  <Stack gap={6} role="status" aria-label="Loading events">
    {[1, 2, 3, 4, 5, 6, 7, 8].map((row) => (
      <Skeleton key={row} h={35} />
    ))}
  </Stack>
)

function NoEvents() {
  return (
    <>
      <PageHeader title="Events" />
      <NoEventsYet>
        Events appear here as soon as a website, an app or a server sends them to this project. This page updates by
        itself.
      </NoEventsYet>
    </>
  )
}
