import './events.css'
import {
  ActionIcon,
  Alert,
  Button,
  Group,
  Menu,
  Paper,
  Skeleton,
  Stack,
  Switch,
  Text,
  Title,
  Tooltip,
} from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert, messageOf, notifyDone } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { ChevronDownIcon, CloseIcon, CopyIcon, DownloadIcon, RetryIcon } from '../parts/icons.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { useProject } from '../shell/workspace.ts'
import { EventDetail } from './EventDetail.tsx'
import { EventsTable } from './EventsTable.tsx'
import { Filters, NO_FILTERS } from './Filters.tsx'
import { Histogram } from './Histogram.tsx'
import { type Live, useLive } from './live.ts'
import type { EventItem } from './model.ts'
import { NoEventsYet } from './NoEventsYet.tsx'
import { anyEventQuery, eventQuery, eventsQuery, isFiltered, propertyErrorOf, whereErrorOf } from './queries.ts'
import { RangeForm } from './RangeForm.tsx'
import { startOf } from './range.ts'
import { csvUrl, curlCommand, MAX_ROWS } from './request.ts'
import { ALL, DEFAULT_AFTER, type EventsSearch } from './search.ts'
import { useView, type View } from './view.ts'

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
    void client.invalidateQueries({ queryKey: ['events', project_id, 'list'] })
    void client.invalidateQueries({ queryKey: ['events', project_id, 'histogram'] })
  }
  return (
    <>
      <PageHeader title="Events" actions={<Actions {...{ project_id, view, refresh, isBroken: list.isError }} />} />
      <Stack gap="md">
        <Stack gap="sm">
          <RangeForm view={view} />
          <Filters project_id={project_id} view={view} error={list.error} />
        </Stack>
        <Histogram project_id={project_id} view={view} listError={list.error} />
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
          propertyErrorOf(list.error) || whereErrorOf(list.error) !== undefined ? (
            <Text c="dimmed" ta="center" py="xl">
              Correct the filter to see events.
            </Text>
          ) : (
            <ErrorAlert error={list.error} title="The events could not be loaded" retry={() => void list.refetch()} />
          )
        ) : (
          <List {...{ view, listed, arrived, list }} />
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

function List({
  view,
  listed,
  arrived,
  list,
}: {
  view: View
  listed: EventItem[]
  arrived: EventItem[]
  list: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    isFetchNextPageError: boolean
    error: unknown
    fetchNextPage: () => Promise<unknown>
  }
}) {
  const { search } = view
  const start = useRef<HTMLDivElement>(null)
  const scrolled = useScrolledPast(start)
  // New rows would move the row that is being read.
  const isReading = scrolled || search.open !== undefined
  const [shown, setShown] = useState(0)
  if (!isReading && shown !== arrived.length) setShown(arrived.length)
  const waiting = Math.max(0, arrived.length - shown)
  const rows = useMemo(() => [...arrived.slice(waiting), ...listed], [arrived, waiting, listed])
  const showNew = (): void => {
    setShown(arrived.length)
    start.current?.scrollIntoView({ block: 'center' })
  }
  if (rows.length === 0 && waiting === 0) return <NoMatches view={view} />
  return (
    <div>
      <div ref={start} />
      {waiting > 0 && (
        <div className="new-events">
          <Button size="compact-md" radius="xl" onClick={showNew}>
            {plural(waiting, 'new event')}
          </Button>
        </div>
      )}
      <Text size="xs" c="dimmed" role="status" mb={4}>
        {search.live
          ? `Live: ${arrived.length === 0 ? 'waiting for new events' : `${plural(arrived.length, 'new event')} so far`}.`
          : `${plural(rows.length, 'event')} loaded, newest first.`}
      </Text>
      <EventsTable events={rows} view={view} />
      <Group justify="center" mt="md">
        {list.isFetchNextPageError && <ErrorAlert error={list.error} title="The next events could not be loaded" />}
        {list.hasNextPage ? (
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Load more
          </Button>
        ) : (
          <Text size="sm" c="dimmed">
            No older events in this time range.
          </Text>
        )}
      </Group>
    </div>
  )
}

/** Whether an element is above the visible part of the page. */
function useScrolledPast(element: RefObject<HTMLElement | null>): boolean {
  const [past, setPast] = useState(false)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry) setPast(!entry.isIntersecting && entry.boundingClientRect.top < HEADER_HEIGHT)
      },
      { rootMargin: `-${HEADER_HEIGHT}px 0px 0px 0px` },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return past
}

const HEADER_HEIGHT = 52

function Actions({
  project_id,
  view: { search, filter },
  refresh,
  isBroken,
}: {
  project_id: string
  view: View
  refresh: () => void
  isBroken: boolean
}) {
  const clipboard = useClipboard()
  const copy = (): void => {
    clipboard.copy(curlCommand(project_id, search))
    notifyDone('Copied the curl command. It reads the API key from WORKSPACE_KEY.')
  }
  return (
    <>
      <Switch
        label="Live"
        checked={search.live === true}
        onChange={({ currentTarget: { checked } }) => {
          filter(checked ? { live: true, before: undefined } : { live: undefined })
          // The list has not seen the events that arrived live.
          if (!checked) refresh()
        }}
      />
      <Tooltip label="Refresh">
        <ActionIcon variant="default" size={30} aria-label="Refresh" onClick={refresh}>
          <RetryIcon size={16} />
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default" size="xs" rightSection={<ChevronDownIcon size={14} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component="a"
            href={csvUrl(project_id, search)}
            download="events.csv"
            disabled={isBroken}
            leftSection={<DownloadIcon size={16} />}
          >
            Download CSV
            <Text size="xs" c="dimmed">
              The newest {MAX_ROWS.toLocaleString()} matching events at most
            </Text>
          </Menu.Item>
          <Menu.Item onClick={copy} leftSection={<CopyIcon size={16} />}>
            Copy as curl
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

/** An event that a link names and the list does not show. */
function LinkedEvent({ project_id, id, view }: { project_id: string; id: string; view: View }) {
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

const Rows = () => (
  <Stack gap={6} role="status" aria-label="Loading events">
    {[1, 2, 3, 4, 5, 6, 7, 8].map((row) => (
      <Skeleton key={row} h={35} />
    ))}
  </Stack>
)

function NoMatches({ view: { search, filter } }: { view: View }) {
  const isNarrow = (search.after ?? DEFAULT_AFTER) !== ALL || search.before !== undefined
  return (
    <EmptyState
      title="No matching events"
      action={
        <Group justify="center">
          {isFiltered(search) && <Button onClick={() => filter(NO_FILTERS)}>Clear filters</Button>}
          {isNarrow && (
            <Button variant="default" onClick={() => filter({ after: ALL, before: undefined })}>
              Search all time
            </Button>
          )}
        </Group>
      }
    >
      {isFiltered(search)
        ? 'No event of this time range matches every filter.'
        : 'The project has events, but none in this time range.'}
    </EmptyState>
  )
}

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
