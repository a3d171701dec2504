import { ActionIcon, Box, Table, Text, VisuallyHidden } from '@mantine/core'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, useLayoutEffect, useRef, useState } from 'react'
import { ChevronDownIcon, ChevronRightIcon } from '../parts/icons.tsx'
import { EventDetail } from './EventDetail.tsx'
import { EventTime, preciseTime } from './EventTime.tsx'
import { type EventItem, libraryOf, personName, summaryOf } from './model.ts'
import type { View } from './view.ts'

const ROW_HEIGHT = 41
const COLUMNS = 6

/** Renders the rows near the visible part of the page only. */
export function EventsTable({ events, view }: { events: EventItem[]; view: View }) {
  const table = useRef<HTMLTableElement>(null)
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
    <Table ref={table} className="events-table" aria-label="Events" aria-rowcount={events.length + 1}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={40}>
            <VisuallyHidden>Unfold</VisuallyHidden>
          </Table.Th>
          <Table.Th w={150} visibleFrom="sm">
            Time
          </Table.Th>
          <Table.Th w="22%">Event</Table.Th>
          <Table.Th w="20%" visibleFrom="sm">
            Person
          </Table.Th>
          <Table.Th visibleFrom="sm">Details</Table.Th>
          <Table.Th w={120} visibleFrom="md">
            Library
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Filler height={above} />
      {items.map(({ index, key }) => {
        const item = events[index]
        return (
          item && (
            <tbody key={key} data-index={index} ref={virtualizer.measureElement}>
              <EventRow item={item} index={index} view={view} />
            </tbody>
          )
        )
      })}
      <Filler height={below} />
    </Table>
  )
}

function Filler({ height }: { height: number }) {
  return (
    height > 0 && (
      <tbody className="events-filler" aria-hidden>
        <tr>
          <td colSpan={COLUMNS} style={{ height }} />
        </tr>
      </tbody>
    )
  )
}

function EventRow({
  item,
  index,
  view: { search, show, filter, adjust },
}: {
  item: EventItem
  index: number
  view: View
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
        <Table.Td visibleFrom="sm">
          <EventTime value={item.timestamp} />
        </Table.Td>
        <Table.Td fw={500} title={item.event}>
          {item.event}
          <Box hiddenFrom="sm" fw={400} fz="xs">
            <EventTime value={item.timestamp} /> · {person}
            <Text c="dimmed" fz="xs" truncate>
              {summary}
            </Text>
          </Box>
        </Table.Td>
        <Table.Td visibleFrom="sm" title={person}>
          {person}
        </Table.Td>
        <Table.Td visibleFrom="sm" title={summary}>
          <Text span size="sm" c="dimmed">
            {summary}
          </Text>
        </Table.Td>
        <Table.Td visibleFrom="md" title={libraryOf(item)}>
          {libraryOf(item)}
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={COLUMNS} className="event-detail">
            <EventDetail {...{ item, search, filter, adjust }} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}
