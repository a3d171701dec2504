import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api.ts'
import { Copy, CopyIconButton } from '../parts/Copy.tsx'
import { bytes, duration } from '../parts/format.ts'
import { WarningIcon } from '../parts/icons.tsx'
import { Time } from '../parts/Time.tsx'
import { RunBadge } from './badges.tsx'
import { LogView } from './LogView.tsx'
import { EXPORT, EXPORT_ID } from './paths.ts'
import { durationOf, isActive, isFailed, rowsText, windowUtc } from './run-status.ts'

const route = getRouteApi(EXPORT_ID)
const LOG_POLL_MS = 1_500

/** The remedy after a failure, by status. */
const ADVICE: Partial<Record<Schemas['BatchExportRunStatus'], string>> = {
  Failed: 'This run fails again until its cause is fixed. Fix it, then retry the run.',
  FailedRetryable: 'The run has used up its attempts. Check the destination, then retry the run.',
}

/** Everything about one run: its result, its error in full and its log. */
export function RunDetails({
  run,
  row,
  project,
}: {
  run: Schemas['BatchExportRun']
  row: Schemas['BatchExport']
  project: string
}) {
  const place = route.useParams()
  const { level, text } = route.useSearch()
  const navigate = route.useNavigate()
  const { href } = useRouter().buildLocation({ to: EXPORT, params: place, search: { tab: 'runs', run: run.id } })
  const size = 'bytes_completed' in run && typeof run.bytes_completed === 'number' ? run.bytes_completed : null
  return (
    <Stack gap="sm">
      {run.latest_error !== null && (
        <Alert
          color={isFailed(run) ? 'red' : 'yellow'}
          variant="outline"
          className="plain-alert"
          icon={<WarningIcon />}
          title={isFailed(run) ? 'The run failed' : 'An attempt of this run failed'}
        >
          <Text size="sm" className="wrap" style={{ whiteSpace: 'pre-wrap' }}>
            {run.latest_error}
          </Text>
          {ADVICE[run.status] && (
            <Text size="sm" mt={4}>
              {ADVICE[run.status]}
            </Text>
          )}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
        <Detail label="Status">
          <RunBadge run={run} />
        </Detail>
        <Detail label="Rows">
          {rowsText(run)}
          {size !== null && ` (${bytes(size)})`}
        </Detail>
        <Detail label="Duration">{duration(durationOf(run))}</Detail>
        <Detail label="Ended">{run.finished_at === null ? 'In progress' : <Time value={run.finished_at} />}</Detail>
        <Detail label="Window in UTC">{windowUtc(run)}</Detail>
        <Detail label="Created">
          <Time value={run.created_at} format="absolute" />
        </Detail>
        <Detail label="Id">
          <Copy value={run.id} label="run id" />
        </Detail>
        <Detail label="Link">
          <Group gap={4}>
            Link to this run <CopyIconButton value={`${location.origin}${href}`} label="link to the run" />
          </Group>
        </Detail>
      </SimpleGrid>
      <LogView
        project={project}
        batch_export_id={row.id}
        run_id={run.id}
        name={`${row.name} ${run.id}`}
        poll_ms={isActive(run) ? LOG_POLL_MS : false}
        filter={{ level, text }}
        onFilter={(filter) =>
          void navigate({ search: (before) => ({ ...before, ...filter }), replace: true, resetScroll: false })
        }
      />
    </Stack>
  )
}

function Detail({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" component="div" className="wrap">
        {children}
      </Text>
    </div>
  )
}
