import { Skeleton, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { intervalLabel } from '../events/interval-label.ts'
import { chartOf } from '../events/series.ts'
import { useTrend } from '../events/use-trend.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { AnchorLink } from '../parts/links.tsx'
import { Section } from '../parts/Section.tsx'
import { EVENTS, type Place } from './place.ts'
import { LAST_30_DAYS } from './queries.ts'

const Chart = lazy(() => import('../parts/Chart.tsx').then(({ Chart }) => ({ default: Chart })))

const HEIGHT = 170

/** The events of 30 days, from the hourly counts. A click on a day lists its events. */
export function EventsPerDay({ place }: { place: Place }) {
  const navigate = useNavigate()
  const { trend, error, retry, isPartial } = useTrend(place.project, LAST_30_DAYS)
  const data = useMemo(() => trend && chartOf(trend, undefined, LAST_30_DAYS), [trend])
  const select = (from: number, to: number): void => {
    const [after, before] = [from, to].map((seconds) => new Date(seconds * 1000).toISOString())
    void navigate({ to: EVENTS, params: place, search: { after, before } })
  }
  const total = trend?.total ?? 0
  return (
    <Section
      title="Events per day"
      compact
      state={
        trend && (
          <Text size="sm" c="dimmed">
            {plural(total, 'event')} {isPartial ? 'counted so far' : 'in 30 days'}
          </Text>
        )
      }
      actions={
        <AnchorLink to={EVENTS} params={place} search={{ ...LAST_30_DAYS, table: true }} size="sm">
          Show as table
        </AnchorLink>
      }
    >
      {error ? <ErrorAlert error={error} title="The events could not be counted" retry={retry} /> : null}
      {trend && data ? (
        <Suspense fallback={<Skeleton h={HEIGHT} />}>
          <Chart
            data={data}
            height={HEIGHT}
            summary={`Chart of events per day in the last 30 days. Total: ${plural(total, 'event')}.`}
            labelOf={(index) =>
              `${intervalLabel(trend, index)}: ${plural(trend.series[0]?.counts[index] ?? 0, 'event')}`
            }
            onSelect={select}
          />
        </Suspense>
      ) : (
        !error && <Skeleton h={HEIGHT} aria-label="Loading the chart" />
      )}
    </Section>
  )
}
