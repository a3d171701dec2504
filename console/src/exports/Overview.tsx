import { Anchor, Card, Group, Progress, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useRef } from 'react'
import type { Schemas } from '../api.ts'
import { bytes, count, duration, plural, relativeTime } from '../parts/format.ts'
import { Time } from '../parts/Time.tsx'
import { BackfillCard, useRecentBackfills } from './Backfills.tsx'
import { EXPORT } from './paths.ts'
import { runsQuery } from './queries.ts'
import { RunBars } from './RunBars.tsx'
import {
  durationOf,
  firstLine,
  isActive,
  isFailed,
  percentOf,
  rowsText,
  statusLabel,
  windowText,
} from './run-status.ts'
import { scheduleText, zoneOf } from './schedule.ts'
import { ZoneTime } from './ZoneTime.tsx'

const History = lazy(() => import('./History.tsx'))

type Run = Schemas['BatchExportRun']

interface OverviewProps {
  row: Schemas['BatchExport']
  place: { organization: string; project: string; export: string }
  now: number
}

export function Overview({ row, place, now }: OverviewProps) {
  const runs = useQuery(runsQuery(place.project, row.id))
  const backfills = useRecentBackfills(row, place.project, now)
  const active = row.latest_runs.filter(isActive)
  const [newest] = row.latest_runs.filter((run) => !isActive(run))
  const { next_run_at } = row
  // The backfills are above the rest, which would move down when they arrive.
  if (!backfills) return <Skeleton height={400} />
  return (
    <Stack>
      {active.map((run) => (
        <RunProgress key={run.id} run={run} place={place} />
      ))}
      {backfills.map((backfill) => (
        <BackfillCard key={backfill.id} backfill={backfill} project={place.project} />
      ))}
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Fact title="Schedule" value={scheduleText(row)}>
          {next_run_at === null ? (
            row.paused ? (
              'No next run while paused'
            ) : (
              'No further runs'
            )
          ) : (
            <>
              Next run {relativeTime(Date.parse(next_run_at), now)}, <ZoneTime value={next_run_at} zone={zoneOf(row)} />
            </>
          )}
        </Fact>
        <Fact title="Last run" value={newest ? statusLabel(newest) : 'None yet'}>
          {newest ? (
            <>
              <Time value={newest.finished_at} /> · {rowsText(newest)} · {duration(durationOf(newest))}
            </>
          ) : (
            firstRunHint(row)
          )}
        </Fact>
        <Fact title="Latest runs" value={<RunBars row={row} place={place} />}>
          {row.latest_runs.length > 0 ? 'Oldest first. Open a bar to see its run.' : 'A backfill exports past events.'}
        </Fact>
      </SimpleGrid>
      {newest && isFailed(newest) && newest.latest_error !== null && (
        <Card withBorder>
          <Title order={2} size="h5" mb={4}>
            The last run failed
          </Title>
          <Text size="sm" c="var(--mantine-color-error)" className="wrap">
            {firstLine(newest.latest_error)}
          </Text>
          <Text size="sm" mt="xs">
            Fix the cause, then{' '}
            <RunLink run={newest} place={place}>
              retry the run
            </RunLink>
            .
          </Text>
        </Card>
      )}
      <section aria-label="History">
        <Title order={2} size="h4" mb="xs">
          History
        </Title>
        {runs.data?.results.some((run) => !isActive(run)) ? (
          <Suspense fallback={<Skeleton height={260} />}>
            <History runs={runs.data.results} />
          </Suspense>
        ) : runs.isPending ? (
          <Skeleton height={260} />
        ) : (
          <Text size="sm" c="dimmed">
            The chart appears when the first run has ended.
          </Text>
        )}
      </section>
    </Stack>
  )
}

const firstRunHint = ({ paused, next_run_at }: Schemas['BatchExport']): string =>
  paused
    ? 'The first run starts after the pause.'
    : next_run_at === null
      ? 'The schedule has ended.'
      : 'The first run starts at the end of the current interval.'

function RunLink({ run, place, children }: { run: Run; place: OverviewProps['place']; children: string }) {
  return (
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => <Link to={EXPORT} params={place} search={{ tab: 'runs', run: run.id }} {...props} />}
    >
      {children}
    </Anchor>
  )
}

function Fact({ title, value, children }: { title: string; value: ReactNode; children: ReactNode }) {
  return (
    <Card withBorder padding="md">
      <Text size="xs" c="dimmed" fw={600} tt="uppercase">
        {title}
      </Text>
      <Text component="div" fw={600} size="lg" mih={32}>
        {value}
      </Text>
      <Text component="div" size="sm" c="dimmed">
        {children}
      </Text>
    </Card>
  )
}

/** The progress of an active run. The rate is measured since this page saw the run first. */
function RunProgress({ run, place }: { run: Run; place: OverviewProps['place'] }) {
  const first = useRef({ rows: run.records_completed ?? 0, at: Date.parse(run.last_updated_at) })
  const done = run.records_completed ?? 0
  const total = run.records_total_count
  const seconds = (Date.parse(run.last_updated_at) - first.current.at) / 1000
  const rate = seconds > 0 ? (done - first.current.rows) / seconds : 0
  const left = total !== null && rate > 0 ? ((total - done) / rate) * 1000 : null
  const size = 'bytes_completed' in run && typeof run.bytes_completed === 'number' ? run.bytes_completed : null
  const parts = [
    total === null ? `${plural(done, 'row')}, counting the total` : `${count(done)} of ${plural(total, 'row')}`,
    ...(size === null ? [] : [bytes(size)]),
    ...(rate > 0 ? [`${count(Math.round(rate))} rows/s`] : []),
    ...(left === null ? [] : [`about ${duration(left)} left`]),
  ]
  return (
    <Card withBorder component="section" aria-label="Run in progress">
      <Group justify="space-between" mb="xs" gap="xs">
        <Text fw={600}>
          {statusLabel(run)}: {windowText(run)}
        </Text>
        <Text size="sm">
          <RunLink run={run} place={place}>
            Show run
          </RunLink>
        </Text>
      </Group>
      <Progress
        value={percentOf(total ? done / total : 0, run.status)}
        animated={run.status === 'Running'}
        aria-label="Progress of the run"
        size="lg"
      />
      <Text size="sm" c="dimmed" mt="xs" role="status">
        {parts.join(' · ')}
      </Text>
      {run.latest_error !== null && (
        <Text size="sm" c="var(--mantine-color-error)" mt={4} className="wrap">
          The last attempt failed: {firstLine(run.latest_error)}
        </Text>
      )}
    </Card>
  )
}
