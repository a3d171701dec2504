import { Card, Group, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, client, type Schemas } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { notifyDone } from '../parts/ErrorAlert.tsx'
import { bytes, count, duration, plural } from '../parts/format.ts'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'
import { backfillsQuery, invalidateExport, isActiveBackfill } from './queries.ts'
import { firstLine, STATUSES, TONE_COLORS, windowText, windowUtc } from './run-status.ts'

type Backfill = Schemas['Backfill']

const RECENT = 5
/** How long a backfill that has ended is still shown in the overview. */
const SHOWN_MS = 900_000

/** The progress of backfills, and the result of those that have just ended. */
export function RecentBackfills({ row, project, now }: { row: Schemas['BatchExport']; project: string; now: number }) {
  const [newest] = row.latest_runs
  const seen = newest && `${newest.id} ${newest.status}`
  const { data } = useQuery(backfillsQuery(project, row.id, { limit: RECENT, seen }))
  const shown = (data?.results ?? []).filter(
    (backfill) => isActiveBackfill(backfill) || now - Date.parse(backfill.finished_at ?? '') < SHOWN_MS,
  )
  return shown.map((backfill) => <BackfillCard key={backfill.id} backfill={backfill} project={project} />)
}

export const rangeOf = ({ start_at, end_at }: Pick<Backfill, 'start_at' | 'end_at'>) => ({
  data_interval_start: start_at,
  data_interval_end: end_at,
})

/** One backfill: its range, its progress and how it ended. */
export function BackfillCard({ backfill, project }: { backfill: Backfill; project: string }) {
  const { status, windows_completed, windows_total, records_completed, bytes_completed, progress } = backfill
  const { records_per_second: rate, seconds_left, latest_error, created_at, finished_at } = backfill
  const { label, tone } = STATUSES[status]
  const isActive = isActiveBackfill(backfill)
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
          value={100 * (progress ?? windows_completed / Math.max(1, windows_total))}
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
