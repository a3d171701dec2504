import { Card, Group, Progress, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, client, type Schemas } from '../api.ts'
import { plural } from '../parts/format.ts'
import { Time } from '../parts/Time.tsx'
import { isActive, windowText } from './run-status.ts'
import { countWindows } from './schedule.ts'

const STARTED = /^The backfill from (\S+) to (\S+) started\./
const ENDED = /^The backfill from (\S+) to (\S+) (is complete|ended)/
const CANCELLED = 'The backfill was cancelled'
const POLL_MS = 1_500
const LINES = 20
/** How long a backfill that has ended is still shown. */
const SHOWN_MS = 900_000

interface Backfill {
  data_interval_start: string
  data_interval_end: string
  started_at: string
  /** Null while it runs. */
  ended_at: string | null
  outcome: 'active' | 'complete' | 'failed' | 'cancelled'
}

type Ending = Pick<Backfill, 'ended_at' | 'outcome'>

/** Reads the log, newest line first: the API has no list of backfills. */
function backfillsIn(entries: readonly Schemas['BatchExportLogEntry'][]): Backfill[] {
  const endings = new Map<string, Ending>()
  // The line of a cancellation does not name its range. It is taken to end every backfill that started before it.
  let cancelled: Ending = { ended_at: null, outcome: 'active' }
  const found: Backfill[] = []
  for (const { message, timestamp } of entries) {
    const [, from, to, verb] = ENDED.exec(message) ?? []
    const [, start, end] = STARTED.exec(message) ?? []
    if (message.startsWith(CANCELLED)) cancelled = { ended_at: timestamp, outcome: 'cancelled' }
    else if (from)
      endings.set(`${from} ${to}`, { ended_at: timestamp, outcome: verb === 'ended' ? 'failed' : 'complete' })
    else if (start && end) {
      const range = { data_interval_start: start, data_interval_end: end, started_at: timestamp }
      found.push({ ...range, ...(endings.get(`${start} ${end}`) ?? cancelled) })
      endings.delete(`${start} ${end}`)
    }
  }
  return found
}

/** The progress of backfills, and the result of those that have just ended. */
export function Backfills({ row, project, now }: { row: Schemas['BatchExport']; project: string; now: number }) {
  const [newest] = row.latest_runs
  const log = useQuery({
    // A backfill starts and ends with a run.
    queryKey: ['export', project, row.id, 'backfills', newest?.id, newest?.status],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/batch_exports/{batch_export_id}/logs/', {
          params: {
            path: { project_id: project, batch_export_id: row.id },
            query: { search: 'The backfill', limit: LINES },
          },
        }),
      ),
    placeholderData: (before) => before,
  })
  const shown = backfillsIn(log.data?.results ?? []).filter(
    ({ ended_at, outcome }) =>
      (outcome === 'active' && row.latest_runs.some(isActive)) ||
      (ended_at !== null && now - Date.parse(ended_at) < SHOWN_MS),
  )
  return shown.map((backfill) => (
    <BackfillCard key={backfill.started_at} row={row} project={project} backfill={backfill} />
  ))
}

const ENDINGS = { complete: 'Completed', failed: 'Stopped because a run failed', cancelled: 'Cancelled' }

function BackfillCard({
  row,
  project,
  backfill,
}: {
  row: Schemas['BatchExport']
  project: string
  backfill: Backfill
}) {
  const { data_interval_start: start, data_interval_end: end, started_at, ended_at, outcome } = backfill
  const total = countWindows(row.interval, Date.parse(start), Date.parse(end))
  const runs = useQuery({
    queryKey: ['export', project, row.id, 'backfill', started_at, outcome],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/', {
          params: {
            path: { project_id: project, batch_export_id: row.id },
            query: { start, end, after: started_at, ordering: '-data_interval_start' },
          },
        }),
      ),
    refetchInterval: outcome === 'active' ? POLL_MS : false,
    placeholderData: (before) => before,
  })
  const [newest] = runs.data?.results ?? []
  // Windows are exported one after another, so the newest one tells how many are done.
  const until = newest?.status === 'Completed' ? newest.data_interval_end : (newest?.data_interval_start ?? start)
  const done = outcome === 'complete' ? total : countWindows(row.interval, Date.parse(start), Date.parse(until))
  return (
    <Card withBorder component="section" aria-label="Backfill">
      <Group justify="space-between" mb="xs" gap="xs">
        <Text fw={600}>Backfill: {windowText(backfill)}</Text>
        <Text size="sm" role="status">
          {done} of {plural(total, 'run')}
        </Text>
      </Group>
      <Progress
        value={(done / Math.max(1, total)) * 100}
        color={outcome === 'complete' ? 'green' : outcome === 'active' ? undefined : 'red'}
        aria-label="Progress of the backfill"
      />
      {outcome !== 'active' && (
        <Text size="sm" c="dimmed" mt="xs">
          {ENDINGS[outcome]} <Time value={ended_at} />
        </Text>
      )}
    </Card>
  )
}
