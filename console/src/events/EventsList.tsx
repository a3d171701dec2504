import { Button, Group, Text } from '@mantine/core'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { EventsTable } from './EventsTable.tsx'
import { NO_FILTERS } from './Filters.tsx'
import type { EventItem } from './model.ts'
import { isFiltered } from './queries.ts'
import { ALL, DEFAULT_AFTER } from './search.ts'
import type { View } from './view.ts'

const { timeZone } = Intl.DateTimeFormat().resolvedOptions()

/** The listed events, and those that arrived live. New rows wait while a row is being read. */
export function EventsList({
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
          : `${plural(rows.length, 'event')} loaded, newest first.`}{' '}
        Times are in {timeZone.replaceAll('_', ' ')}.
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
