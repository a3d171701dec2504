import { Anchor, Button, Group, Paper, Progress, ScrollArea, Skeleton, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import type { Bars } from '../parts/Chart.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { type HistogramPart, histogramQuery, isFiltered } from './queries.ts'
import type { View } from './view.ts'

const Chart = lazy(() => import('../parts/Chart.tsx').then(({ Chart }) => ({ default: Chart })))

const SECONDS = { minute: 60, hour: 3_600, day: 86_400, week: 604_800 }
const LIVE_MS = 10_000

/** The number of events over time. A scan continues until all events are counted, the page is left, or it is stopped. */
export function Histogram({
  project_id,
  view: { search, filter },
  listError,
}: {
  project_id: string
  view: View
  /** The list shows an error of the filters already. */
  listError: unknown
}) {
  const options = histogramQuery(project_id, search)
  const key = JSON.stringify(options.queryKey)
  const [stoppedKey, setStoppedKey] = useState<string>()
  const [showsTable, { toggle }] = useDisclosure(false)
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    ...options,
    // Without filters the counts are stored, so fetching them again is cheap.
    refetchInterval: search.live && !isFiltered(search) ? LIVE_MS : false,
  })
  const stopped = stoppedKey === key
  const continues = hasNextPage && !stopped && !error
  useEffect(() => {
    if (continues && !isFetchingNextPage) void fetchNextPage()
  }, [continues, isFetchingNextPage, fetchNextPage])

  const parts = data?.pages
  const bars = useMemo(() => (parts ? sum(parts) : undefined), [parts])
  if (error && !bars)
    return listError ? null : (
      <ErrorAlert error={error} title="The events could not be counted" retry={() => void refetch()} />
    )
  const last = parts?.at(-1)
  if (!bars || !last) return <Skeleton h={226} aria-label="Loading the chart" />
  const total = bars.counts.reduce((sum, count) => sum + count, 0)
  const progress = Math.round(100 * last.progress)
  const select = (from: number, to: number): void => filter({ after: iso(from), before: iso(to), live: undefined })
  return (
    <Paper withBorder p="sm" component="section" aria-label="Events over time">
      <Group justify="space-between" mb={4} mih={28}>
        <Text size="sm" role="status">
          <b>{hasNextPage ? `${plural(total, 'event')} so far` : plural(total, 'event')}</b>{' '}
          <Text span c="dimmed" size="sm">
            per {last.interval}, {spanOf(last)}
          </Text>
        </Text>
        <Anchor component="button" type="button" size="sm" onClick={toggle} aria-expanded={showsTable}>
          {showsTable ? 'Hide the table' : 'Show as table'}
        </Anchor>
      </Group>
      {hasNextPage && (
        <Group gap="sm" mb="xs" wrap="nowrap">
          <Progress value={progress} flex={1} size="sm" aria-label="Part of the time range that is counted" />
          <Text size="xs" c="dimmed">
            {progress} % counted
          </Text>
          {stopped ? (
            <Button size="compact-xs" variant="default" onClick={() => setStoppedKey(undefined)}>
              Continue counting
            </Button>
          ) : (
            <Button size="compact-xs" variant="default" onClick={() => setStoppedKey(key)}>
              Stop counting
            </Button>
          )}
        </Group>
      )}
      {error && <ErrorAlert error={error} title="Counting stopped" retry={() => void fetchNextPage()} />}
      <Suspense fallback={<Skeleton h={150} />}>
        <Chart
          bars={bars}
          summary={summaryOf(bars, last, total)}
          labelOf={(index) => `${intervalLabel(bars, index)}: ${plural(bars.counts[index] ?? 0, 'event')}`}
          onSelect={select}
        />
      </Suspense>
      {showsTable && <IntervalTable bars={bars} select={select} />}
    </Paper>
  )
}

/** The intervals with events. Each leads to its events, as a click on its bar does. */
function IntervalTable({ bars, select }: { bars: Bars; select: (from: number, to: number) => void }) {
  const rows = bars.starts.flatMap((start, i) => (bars.counts[i] ? [{ start, index: i }] : [])).reverse()
  return (
    <ScrollArea.Autosize mah={260} type="auto" mt="xs">
      <Table aria-label="Events per interval" stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Interval</Table.Th>
            <Table.Th ta="end">Events</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ start, index }) => (
            <Table.Tr key={start}>
              <Table.Td>
                <Anchor component="button" type="button" size="sm" onClick={() => select(start, start + bars.length)}>
                  {intervalLabel(bars, index)}
                </Anchor>
              </Table.Td>
              <Table.Td ta="end">{plural(bars.counts[index] ?? 0, 'event')}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  )
}

/** Every part has all intervals. */
function sum(parts: HistogramPart[]): Bars {
  const [first] = parts
  const starts = first?.results.map(({ start }) => Date.parse(start) / 1000) ?? []
  const counts = starts.map((_, i) => parts.reduce((sum, { results }) => sum + (results[i]?.count ?? 0), 0))
  return { starts, counts, length: SECONDS[first?.interval ?? 'hour'] }
}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()

const minutes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** Days and weeks begin at midnight UTC, which is another time in most zones. */
function intervalLabel({ starts, length }: Bars, index: number): string {
  const start = (starts[index] ?? 0) * 1000
  return minutes.formatRange(start, start + length * 1000)
}

const spanOf = ({ after, before, interval }: HistogramPart): string =>
  (interval === 'minute' || interval === 'hour' ? minutes : days).formatRange(Date.parse(after), Date.parse(before))

function summaryOf(bars: Bars, { interval }: HistogramPart, total: number): string {
  const most = Math.max(0, ...bars.counts)
  const peak = most > 0 ? `, most in ${intervalLabel(bars, bars.counts.indexOf(most))}: ${plural(most, 'event')}` : ''
  return `Chart of events per ${interval}. Total: ${plural(total, 'event')}${peak}. The table shows all intervals.`
}
