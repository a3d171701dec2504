import { ActionIcon, Group, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { ChevronDownIcon, ChevronRightIcon } from '../parts/icons.tsx'
import { PersonLink } from '../persons/PersonLink.tsx'
import { EventDetail } from './EventDetail.tsx'
import { EventTime, preciseTime } from './EventTime.tsx'
import { type EventItem, libraryOf, personName, summaryOf } from './model.ts'
import type { View } from './view.ts'

const ROW_HEIGHT = 35

type Layout = 'phone' | 'normal' | 'library'

const COLUMNS: Record<Layout, number> = { phone: 2, normal: 5, library: 6 }

/** Renders the rows near the visible part of the page only. */
export function EventsTable({ events, view }: { events: EventItem[]; view: View }) {
  const table = useRef<HTMLTableElement>(null)
  const isPhone = useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false })
  const isWide = useMediaQuery('(min-width: 62em)', undefined, { getInitialValueInEffect: false })
  const hasLibrary = useMemo(() => events.some((item) => libraryOf(item) !== ''), [events])
  const layout: Layout = isPhone ? 'phone' : isWide && hasLibrary ? 'library' : 'normal'
  const columns = COLUMNS[layout]
  const [top, setTop] = useState(0)
  // The chart and the filters above change their height.
  useLayoutEffect(() => {
    const next = table.current ? table.current.getBoundingClientRect().top + window.scrollY : 0
    if (Math.abs(next - top) > 1) setTop(next)
  })
  const virtualizer = useWindowVirtualizer({
    count: events.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 15,
    scrollMargin: top,
    getItemKey: (index) => events[index]?.id ?? index,
  })
  const items = virtualizer.getVirtualItems()
  const above = (items[0]?.start ?? top) - top
  const below = virtualizer.getTotalSize() - ((items.at(-1)?.end ?? top) - top)
  return (
    <Table
      ref={table}
      className="events-table"
      verticalSpacing={6}
      aria-label="Events"
      aria-rowcount={events.length + 1}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={40}>
            <VisuallyHidden>Unfold</VisuallyHidden>
          </Table.Th>
          {layout !== 'phone' && <Table.Th w={150}>Time</Table.Th>}
          <Table.Th {...(layout !== 'phone' && { w: '22%' })}>Event</Table.Th>
          {layout !== 'phone' && (
            <>
              <Table.Th w="20%">Person</Table.Th>
              <Table.Th>Details</Table.Th>
            </>
          )}
          {layout === 'library' && <Table.Th w={140}>Library</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Filler height={above} columns={columns} />
      {items.map(({ index, key }) => {
        const item = events[index]
        return (
          item && (
            <tbody key={key} data-index={index} ref={virtualizer.measureElement}>
              <EventRow {...{ item, index, view, layout }} />
            </tbody>
          )
        )
      })}
      <Filler height={below} columns={columns} />
    </Table>
  )
}

function Filler({ height, columns }: { height: number; columns: number }) {
  return (
    height > 0 && (
      <tbody className="events-filler" aria-hidden>
        <tr>
          <td colSpan={columns} style={{ height }} />
        </tr>
      </tbody>
    )
  )
}

function EventRow({
  item,
  index,
  view: { search, show, filter, adjust },
  layout,
}: {
  item: EventItem
  index: number
  view: View
  layout: Layout
}) {
  const isOpen = search.open === item.id
  const toggle = (): void => show({ open: isOpen ? undefined : item.id, tab: undefined, find: undefined })
  const clicked = ({ target }: MouseEvent): void => {
    const isControl = target instanceof Element && target.closest('button, a, time')
    if (!isControl && window.getSelection()?.isCollapsed !== false) toggle()
  }
  const person = personName(item)
  const summary = summaryOf(item)
  return (
    <>
      {/* The button in the first cell does the same by keyboard. */}
      <Table.Tr className="event-row" aria-rowindex={index + 2} onClick={clicked} data-open={isOpen || undefined}>
        <Table.Td pe={0}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={toggle}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${item.event} of ${preciseTime(item.timestamp)}`}
          >
            {isOpen ? <ChevronDownIcon size={16} /> : <ChevronRightIcon size={16} />}
          </ActionIcon>
        </Table.Td>
        {layout === 'phone' ? (
          <Table.Td>
            <Group justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" fw={500} truncate>
                {item.event}
              </Text>
              <Text size="xs" component="div">
                <EventTime value={item.timestamp} />
              </Text>
            </Group>
            <Text size="xs" truncate>
              {person}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {summary}
            </Text>
          </Table.Td>
        ) : (
          <>
            <Table.Td>
              <EventTime value={item.timestamp} />
            </Table.Td>
            <Table.Td fw={500} title={item.event}>
              {item.event}
            </Table.Td>
            <Table.Td title={person}>
              {item.person ? (
                <PersonLink distinct_id={item.distinct_id} c="inherit" size="sm">
                  {person}
                </PersonLink>
              ) : (
                person
              )}
            </Table.Td>
            <Table.Td title={summary} c="dimmed">
              {summary}
            </Table.Td>
          </>
        )}
        {layout === 'library' && <Table.Td title={libraryOf(item)}>{libraryOf(item)}</Table.Td>}
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={COLUMNS[layout]} className="event-detail">
            <EventDetail {...{ item, search, filter, adjust }} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}
