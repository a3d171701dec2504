import { Card, Group, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, client, type Schemas } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { notifyDone } from '../parts/ErrorAlert.tsx'
import { bytes, count, duration, plural } from '../parts/format.ts'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'
import { backfillsQuery, invalidateExport, isActiveBackfill } from './queries.ts'
import { firstLine, percentOf, STATUSES, TONE_COLORS, type Tone, windowText, windowUtc } from './run-status.ts'

type Backfill = Schemas['Backfill']

const RECENT = 5
/** A backfill whose current run is retried. */
const FAILING: { label: string; tone: Tone } = { label: 'Failing', tone: 'bad' }
/** How long a backfill that has ended is still shown in the overview. */
const SHOWN_MS = 900_000

/** The backfills in progress, and those that have just ended. Undefined until they are loaded. */
export function useRecentBackfills(row: Schemas['BatchExport'], project: string, now: number): Backfill[] | undefined {
  const [newest] = row.latest_runs
  const seen = newest && `${newest.id} ${newest.status}`
  const { data, isPending } = useQuery(backfillsQuery(project, row.id, { limit: RECENT, seen }))
  if (isPending) return undefined
  // The overview does not need them, so it does without those that could not be loaded.
  return (data?.results ?? []).filter(
    (backfill) => isActiveBackfill(backfill) || now - Date.parse(backfill.finished_at ?? '') < SHOWN_MS,
  )
}

export const rangeOf = ({ start_at, end_at }: Pick<Backfill, 'start_at' | 'end_at'>) => ({
  data_interval_start: start_at,
  data_interval_end: end_at,
})

/** One backfill: its range, its progress and how it ended. */
export function BackfillCard({ backfill, project }: { backfill: Backfill; project: string }) {
  const { status, windows_completed, windows_total, records_completed, bytes_completed, progress } = backfill
  const { records_per_second: rate, seconds_left, latest_error, created_at, finished_at } = backfill
  const isActive = isActiveBackfill(backfill)
  const { label, tone } = isActive && latest_error !== null ? FAILING : STATUSES[status]
  const range = windowText(rangeOf(backfill))
  const parts = [
    plural(records_completed, 'row'),
    bytes(bytes_completed),
    ...(!rate ? [] : [`${plural(rate, 'row')}/s`]),
    ...(seconds_left === null ? [] : [`about ${duration(seconds_left * 1000)} left`]),
  ]
  return (
    <Card withBorder component="section" aria-label={`Backfill ${range}`}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Text fw={600} title={windowUtc(rangeOf(backfill))}>
            Backfill: {range}
          </Text>
          <Group gap="xs">
            <StateBadge color={TONE_COLORS[tone]}>{label}</StateBadge>
            {isActive && <CancelBackfill backfill={backfill} project={project} range={range} />}
          </Group>
        </Group>
        <Progress
          value={percentOf(progress ?? windows_completed / Math.max(1, windows_total), status)}
          color={TONE_COLORS[tone]}
          animated={status === 'Running'}
          aria-label="Progress of the backfill"
        />
        <Group justify="space-between" gap="xs">
          <Text size="sm" role={isActive ? 'status' : undefined}>
            {count(windows_completed)} of {plural(windows_total, 'run')} · {parts.join(' · ')}
          </Text>
          <Text size="sm" c="dimmed">
            {finished_at === null ? (
              <>
                Started <Time value={created_at} />
              </>
            ) : (
              <>
                Ended <Time value={finished_at} />, after {duration(Date.parse(finished_at) - Date.parse(created_at))}
              </>
            )}
          </Text>
        </Group>
        {latest_error !== null && (
          <Text size="sm" c="var(--mantine-color-error)" className="wrap">
            {isActive && 'The last attempt failed and is repeated: '}
            {firstLine(latest_error)}
          </Text>
        )}
      </Stack>
    </Card>
  )
}

function CancelBackfill({ backfill, project, range }: { backfill: Backfill; project: string; range: string }) {
  const { id, batch_export } = backfill
  return (
    <ConfirmButton
      size="compact-sm"
      variant="default"
      title="Cancel the backfill?"
      effect={`The backfill of ${range} and its current run stop. Delivered data stays where it is. The schedule continues.`}
      confirm="Cancel backfill"
      danger
      onConfirm={async () => {
        await answer(
          client.POST('/api/projects/{project_id}/batch_exports/{batch_export_id}/backfills/{id}/cancel/', {
            params: { path: { project_id: project, batch_export_id: batch_export, id } },
          }),
        )
        notifyDone('The backfill was cancelled.')
        await invalidateExport(project, batch_export)
      }}
    >
      Cancel backfill
    </ConfirmButton>
  )
}
