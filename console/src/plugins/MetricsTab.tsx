import { Paper, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { count } from '../parts/format.ts'
import { Pager } from '../parts/Pager.tsx'
import { Section } from '../parts/Section.tsx'
import { HourChart, HourTable } from './HourChart.tsx'
import { average, callsOf, type Metric, sum } from './metrics.ts'
import { metricsQuery } from './queries.ts'
import { percent } from './run-state.tsx'

type Value = Schemas['PluginMetricValue']

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
            <HourChart rows={rows} hours={HOURS[range]} />
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
