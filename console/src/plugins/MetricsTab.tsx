import { Group, Paper, SegmentedControl, SimpleGrid, Skeleton, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { count, duration, plural } from '../parts/format.ts'
import { Pager } from '../parts/Pager.tsx'
import { Section } from '../parts/Section.tsx'
import { Time } from '../parts/Time.tsx'
import { useNow } from '../parts/use-now.ts'
import { metricsQuery } from './queries.ts'
import { percent } from './run-state.tsx'

type Metric = Schemas['PluginMetric']
type Value = Schemas['PluginMetricValue']

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const LIMIT = 50
const HOURS: Record<MetricRange, number> = { '24h': 24, '7d': 168 }

export type MetricRange = '24h' | '7d'

/** The calls of a configuration: totals, a chart by hour, and a table by hour and kind. */
export default function MetricsTab({
  project,
  config,
  range,
  setRange,
  page,
  setPage,
}: {
  project: string
  config: Schemas['PluginConfig']
  range: MetricRange
  setRange: (range: MetricRange) => void
  page: number
  setPage: (page: number) => void
}) {
  const metrics = useQuery(metricsQuery(project, config.id, range))
  const rows = metrics.data?.results.toReversed() ?? []
  return (
    <Stack>
      <SegmentedControl
        aria-label="Time range"
        data={[
          { value: '24h', label: '24 hours' },
          { value: '7d', label: '7 days' },
        ]}
        value={range}
        onChange={(value) => setRange(value === '7d' ? '7d' : '24h')}
        size="xs"
        w="fit-content"
      />
      {metrics.error && <ErrorAlert error={metrics.error} retry={() => void metrics.refetch()} />}
      {metrics.isPending && <Skeleton h={260} />}
      {metrics.data && rows.length === 0 && (
        <EmptyState title="No calls in this time">
          Each event, job and scheduled task that the plugin handles is counted here.
        </EmptyState>
      )}
      {metrics.data && rows.length > 0 && (
        <>
          <Totals totals={totalsOf(rows, metrics.data.delivery_rate)} />
          <Section title="Calls by hour">
            <Chart rows={rows} hours={HOURS[range]} />
            <HourTable rows={rows.slice((page - 1) * LIMIT, page * LIMIT)} />
            <Pager count={rows.length} limit={LIMIT} page={page} onChange={setPage} noun="row" />
          </Section>
          {metrics.data.values.length > 0 && (
            <Section title="Metrics of the plugin">
              <Totals totals={valuesOf(metrics.data.values)} />
            </Section>
          )}
        </>
      )}
    </Stack>
  )
}

const callsOf = ({ successes, successes_on_retry, failures }: Metric): number =>
  successes + successes_on_retry + failures

const sum = (rows: readonly Metric[], numberOf: (row: Metric) => number): number =>
  rows.reduce((total, row) => total + numberOf(row), 0)

const average = (milliseconds: number, calls: number): string => (calls === 0 ? '–' : duration(milliseconds / calls))

type Total = [label: string, value: string]

function totalsOf(rows: readonly Metric[], rate: number | null): Total[] {
  const calls = sum(rows, callsOf)
  return [
    ['Calls', count(calls)],
    ['Succeeded', rate === null ? '–' : percent(rate)],
    ['Failed', count(sum(rows, ({ failures }) => failures))],
    ['Dropped events', count(sum(rows, ({ dropped }) => dropped))],
    ['Changed events', count(sum(rows, ({ changed }) => changed))],
    [
      'Average time',
      average(
        sum(rows, ({ milliseconds }) => milliseconds),
        calls,
      ),
    ],
  ]
}

const KINDS: Record<Value['kind'], (a: number, b: number) => number> = {
  sum: (a, b) => a + b,
  max: Math.max,
  min: Math.min,
}

/** The values of the whole time range. */
function valuesOf(values: readonly Value[]): Total[] {
  const combined = new Map<string, number>()
  for (const { name, kind, value } of values) {
    const label = kind === 'sum' ? name : `${name} (${kind})`
    const before = combined.get(label)
    combined.set(label, before === undefined ? value : KINDS[kind](before, value))
  }
  return [...combined].map(([label, value]) => [label, value.toLocaleString()])
}

function Totals({ totals }: { totals: readonly Total[] }) {
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, md: 6 }} component="dl" m={0} spacing="xs">
      {totals.map(([label, value]) => (
        <Paper key={label} withBorder p="sm">
          <Text component="dt" size="xs" c="dimmed">
            {label}
          </Text>
          <Text component="dd" m={0} size="xl" fw={600}>
            {value}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  )
}

const clock = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })

/** One bar per hour. The failed part is at the bottom and striped, so it does not need its color. */
function Chart({ rows, hours }: { rows: Metric[]; hours: number }) {
  const now = useNow(MINUTE_MS)
  const last = Math.floor(now / HOUR_MS) * HOUR_MS
  const bars = Array.from({ length: hours + 1 }, (_, i) => {
    const start = last - (hours - i) * HOUR_MS
    const own = rows.filter(({ hour }) => Date.parse(hour) === start)
    return { start, calls: sum(own, callsOf), failures: sum(own, ({ failures }) => failures) }
  })
  const most = Math.max(1, ...bars.map(({ calls }) => calls))
  const share = (value: number): string => `${(value / most) * 100}%`
  const summary = `${plural(sum(rows, callsOf), 'call')}, at most ${count(most)} in one hour`
  return (
    <Stack gap={4}>
      <Group gap="md">
        <Key name="good" label="Succeeded" />
        <Key name="bad" label="Failed" />
      </Group>
      <div className="hour-bars" role="img" aria-label={summary}>
        {bars.map(({ start, calls, failures }) => (
          <div
            key={start}
            className="hour-bar"
            title={`${clock.format(start)}: ${plural(calls, 'call')}, ${count(failures)} failed`}
          >
            <span className="hour-good" style={{ height: share(calls - failures) }} />
            <span className="hour-bad" style={{ height: share(failures) }} />
          </div>
        ))}
      </div>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {clock.format(bars[0]?.start)}
        </Text>
        <Text size="xs" c="dimmed">
          {summary}
        </Text>
        <Text size="xs" c="dimmed">
          Now
        </Text>
      </Group>
    </Stack>
  )
}

const Key = ({ name, label }: { name: 'good' | 'bad'; label: string }) => (
  <Group gap={6}>
    <span className={`hour-key hour-${name}`} />
    <Text size="xs">{label}</Text>
  </Group>
)

const COLUMNS = ['Calls', 'Failed', 'Dropped', 'Changed', 'Average time']

function HourTable({ rows }: { rows: Metric[] }) {
  return (
    <Table.ScrollContainer minWidth={560} type="native" pos="relative">
      <Table aria-label="Calls by hour and kind">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Hour</Table.Th>
            <Table.Th>Kind</Table.Th>
            {COLUMNS.map((column) => (
              <Table.Th key={column} ta="right">
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.hour} ${row.category}`}>
              <Table.Td>
                <Time value={row.hour} format="absolute" />
              </Table.Td>
              <Table.Td className="mono">{row.category}</Table.Td>
              <Table.Td ta="right">{count(callsOf(row))}</Table.Td>
              <Table.Td ta="right">{count(row.failures)}</Table.Td>
              <Table.Td ta="right">{count(row.dropped)}</Table.Td>
              <Table.Td ta="right">{count(row.changed)}</Table.Td>
              <Table.Td ta="right">{average(row.milliseconds, callsOf(row))}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
