import { Anchor, Button, Group, Paper, Skeleton, Text } from '@mantine/core'
import { lazy, Suspense, useMemo } from 'react'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { count, plural } from '../parts/format.ts'
import { intervalLabel, rangeText } from './interval-label.ts'
import { BEFORE, breakdownText, chartOf, nounOf } from './series.ts'
import { TrendControls } from './TrendControls.tsx'
import { Legend } from './TrendLegend.tsx'
import { TrendTable } from './TrendTable.tsx'
import type { Trend } from './trend.ts'
import { type TrendState, useTrend, useTrendBefore } from './use-trend.ts'
import type { View } from './view.ts'

const Chart = lazy(() => import('../parts/Chart.tsx').then(({ Chart }) => ({ default: Chart })))

const HEIGHT = 170

/** The number of events or persons over time. */
export function Trends({
  project_id,
  view,
  listError,
}: {
  project_id: string
  view: View
  /** The list shows an error of the filters already. */
  listError: unknown
}) {
  const { search, filter, adjust } = view
  const state = useTrend(project_id, search)
  const { trend, error, retry } = state
  const before = useTrendBefore(project_id, search, trend)
  const data = useMemo(() => trend && chartOf(trend, before, search), [trend, before, search])
  const noun = nounOf(search)
  const select = (from: number, to: number): void => filter({ after: iso(from), before: iso(to), live: undefined })
  return (
    <Paper withBorder p="sm" component="section" aria-label="Events over time">
      <TrendControls project_id={project_id} view={view} />
      <Group justify="space-between" align="flex-start" gap="xs" my={6} mih={{ base: 44, sm: 24 }}>
        <Status {...{ state, before, view }} />
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => adjust({ table: search.table ? undefined : true })}
          aria-expanded={search.table === true}
        >
          {search.table ? 'Hide the table' : 'Show as table'}
        </Anchor>
      </Group>
      {error && !listError ? (
        <ErrorAlert
          error={error}
          title={trend ? 'Counting stopped' : 'The events could not be counted'}
          retry={retry}
        />
      ) : null}
      {trend && data ? (
        <Suspense fallback={<Skeleton h={HEIGHT} />}>
          <Chart
            data={data}
            height={HEIGHT}
            summary={summaryOf(trend, noun)}
            labelOf={(index) =>
              data.series.length === 1
                ? `${intervalLabel(trend, index)}: ${plural(data.series[0]?.counts[index] ?? 0, noun)}`
                : intervalLabel(trend, index)
            }
            onSelect={select}
          />
        </Suspense>
      ) : listError ? (
        <Text c="dimmed" ta="center" h={HEIGHT} pt={HEIGHT / 3}>
          Correct the filter to see the chart.
        </Text>
      ) : (
        !error && <Skeleton h={HEIGHT} aria-label="Loading the chart" />
      )}
      {search.breakdown && <Legend trend={trend} view={view} />}
      {search.table && trend && data && <TrendTable {...{ trend, data, select }} />}
    </Paper>
  )
}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** The sentence above the chart: the total, the interval, and the total of the period before. */
function Status({ state, before, view: { search } }: { state: TrendState; before: Trend | undefined; view: View }) {
  const { trend, isPartial, isStopped, stop, resume } = state
  if (!trend) return <Skeleton h={20} w={220} />
  const noun = nounOf(search)
  const total = trend.total === null ? `Unique ${noun}s` : plural(trend.total, noun)
  const by = search.breakdown ? ` by ${breakdownText(search.breakdown)}` : ''
  return (
    <Group gap="xs" flex="1 1 16rem" miw={0}>
      <Text size="sm" role="status" className="wrap">
        <b>{isPartial ? `${total} so far` : total}</b>{' '}
        <Text span c="dimmed" size="sm">
          {`${by} per ${trend.interval}, ${rangeText(trend)}`.trim()}
          {before?.total != null && `. ${BEFORE}: ${count(before.total)}${changeText(trend.total, before.total)}`}
        </Text>
      </Text>
      {isPartial && (
        <>
          <Text size="xs" c="dimmed">
            {Math.round(100 * trend.counted)} % counted
          </Text>
          <Button size="compact-xs" variant="default" onClick={isStopped ? resume : stop}>
            {isStopped ? 'Continue counting' : 'Stop counting'}
          </Button>
        </>
      )}
      {!isPartial && trend.counted < 1 && (
        <Text size="sm" c="var(--mantine-color-error)" role="status">
          Only the newest part of the time range is counted, because all of it takes too long.
        </Text>
      )}
    </Group>
  )
}

/** For example " (+12 %)". */
function changeText(now: number | null, before: number): string {
  if (now === null || before === 0) return ''
  const percent = Math.round((100 * (now - before)) / before)
  return ` (${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${count(Math.abs(percent))} %)`
}

function summaryOf(trend: Trend, noun: string): string {
  const counts = trend.starts.map((_, i) => trend.series.reduce((sum, { counts }) => sum + (counts[i] ?? 0), 0))
  const most = Math.max(0, ...counts)
  const total = trend.total === null ? '' : ` Total: ${plural(trend.total, noun)}`
  const peak = most > 0 ? `, most in ${intervalLabel(trend, counts.indexOf(most))}: ${plural(most, noun)}` : ''
  return trend.total === null
    ? `Chart of ${noun}s per ${trend.interval}. The table shows all intervals.`
    : `Chart of ${noun}s per ${trend.interval}.${total}${peak}. The table shows all intervals.`
}
