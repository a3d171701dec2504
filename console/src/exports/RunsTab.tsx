import './exports.css'
import { Button, Card, Group, Select, Skeleton, Stack, Table, Text, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { answer, client, type Schemas } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert, notifyDone, notifyError } from '../parts/ErrorAlert.tsx'
import { duration, plural } from '../parts/format.ts'
import { ChevronDownIcon, ChevronRightIcon } from '../parts/icons.tsx'
import { Time } from '../parts/Time.tsx'
import { RunBadge } from './badges.tsx'
import { EXPORT_ID } from './paths.ts'
import { invalidateExport, runQuery, runsQuery } from './queries.ts'
import { RunDetails } from './RunDetails.tsx'
import { durationOf, firstLine, isActive, isFailed, rowsText, STATUSES, windowText, windowUtc } from './run-status.ts'

type Run = Schemas['BatchExportRun']

const route = getRouteApi(EXPORT_ID)

/** The options of the status filter. An option may stand for several statuses that mean the same to people. */
const FILTERS: Record<string, { label: string; keeps: (run: Run) => boolean }> = {
  active: { label: 'In progress', keeps: isActive },
  completed: { label: 'Completed', keeps: ({ status }) => status === 'Completed' },
  failed: { label: 'Failed', keeps: isFailed },
  cancelled: { label: 'Cancelled', keeps: ({ status }) => status === 'Cancelled' },
}

interface RunGroup {
  key: string
  /** The runs of one window, newest first. */
  runs: [Run, ...Run[]]
}

/** A window has several runs after a retry, or after a backfill of the window. Each run counts its own attempts. */
function groupByWindow(runs: readonly Run[]): RunGroup[] {
  const groups = new Map<string, RunGroup>()
  for (const run of runs) {
    const key = `${run.data_interval_start} ${run.data_interval_end}`
    const group = groups.get(key)
    if (group) group.runs.push(run)
    else groups.set(key, { key, runs: [run] })
  }
  return [...groups.values()]
}

const cursorIn = (url: string | null): string | undefined =>
  url === null ? undefined : (new URL(url).searchParams.get('cursor') ?? undefined)

export function RunsTab({
  row,
  place,
}: {
  row: Schemas['BatchExport']
  place: { organization: string; project: string; export: string }
}) {
  const { status, run: opened, cursor } = route.useSearch()
  const navigate = route.useNavigate()
  const runs = useQuery(runsQuery(place.project, row.id, cursor))
  const shown = runs.data?.results ?? []
  const isElsewhere = opened !== undefined && runs.data !== undefined && !shown.some(({ id }) => id === opened)
  const filter = status === undefined ? undefined : FILTERS[status]
  const groups = groupByWindow(shown).filter(({ runs }) => !filter || runs.some(filter.keeps))
  const [previous, next] = [cursorIn(runs.data?.previous ?? null), cursorIn(runs.data?.next ?? null)]
  if (runs.error) return <ErrorAlert error={runs.error} retry={() => void runs.refetch()} />
  if (!runs.data) return <Skeleton height={300} />
  if (shown.length === 0)
    return (
      <EmptyState title="No runs yet">
        The first run starts at the end of the current interval. Use “Backfill” to export past events now.
      </EmptyState>
    )
  const toggle = (id: string): void =>
    void navigate({ search: (before) => ({ ...before, run: before.run === id ? undefined : id }), resetScroll: false })
  return (
    <Stack gap="sm">
      {isElsewhere && <LinkedRun id={opened} project={place.project} row={row} close={() => toggle(opened)} />}
      <Group justify="space-between" align="flex-end">
        <Select
          label="Status"
          placeholder="All statuses"
          clearable
          size="xs"
          w={180}
          data={Object.entries(FILTERS).map(([value, { label }]) => ({ value, label }))}
          value={status ?? null}
          onChange={(value) =>
            void navigate({ search: (before) => ({ ...before, status: value ?? undefined }), resetScroll: false })
          }
        />
        <Text size="sm" c="dimmed" role="status">
          {plural(groups.length, 'window')}, {plural(shown.length, 'run')}
          {next || previous ? ' on this page' : ''}
        </Text>
      </Group>
      <Table className="cards">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Window</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Rows</Table.Th>
            <Table.Th>Duration</Table.Th>
            <Table.Th>Started</Table.Th>
            <Table.Th>Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map((group) => (
            <GroupRows
              key={group.key}
              group={group}
              row={row}
              project={place.project}
              opened={opened}
              toggle={toggle}
            />
          ))}
        </Table.Tbody>
      </Table>
      {groups.length === 0 && (
        <Text size="sm" c="dimmed">
          No run on this page has this status.
        </Text>
      )}
      {(previous ?? next) !== undefined && (
        <Group justify="flex-end" gap="xs">
          <PageButton cursor={previous}>Newer runs</PageButton>
          <PageButton cursor={next}>Older runs</PageButton>
        </Group>
      )}
    </Stack>
  )
}

function PageButton({ cursor, children }: { cursor: string | undefined; children: string }) {
  const navigate = route.useNavigate()
  return (
    <Button
      size="xs"
      variant="default"
      disabled={cursor === undefined}
      onClick={() => void navigate({ search: (before) => ({ ...before, cursor, run: undefined }) })}
    >
      {children}
    </Button>
  )
}

interface GroupProps {
  group: RunGroup
  row: Schemas['BatchExport']
  project: string
  opened: string | undefined
  toggle: (id: string) => void
}

/** The newest run of a window. Unfolded it shows all runs of the window. */
function GroupRows({ group: { runs }, row, project, opened, toggle }: GroupProps) {
  const [newest] = runs
  const open = runs.find(({ id }) => id === opened)
  return (
    <Fragment>
      <Table.Tr>
        <Table.Td>
          <UnstyledButton
            onClick={() => toggle(open?.id ?? newest.id)}
            aria-expanded={open !== undefined}
            aria-label={`Details of the window ${windowText(newest)}`}
          >
            <Group gap={6} wrap="nowrap">
              {open ? <ChevronDownIcon size={14} /> : <ChevronRightIcon size={14} />}
              <Text span size="sm" title={windowUtc(newest)}>
                {windowText(newest)}
              </Text>
            </Group>
          </UnstyledButton>
          {runs.length > 1 && (
            <Text size="xs" c="dimmed" pl={20}>
              {plural(runs.length, 'run')}
            </Text>
          )}
        </Table.Td>
        <RunCells run={newest} />
        <Table.Td>
          <RunActions run={newest} row={row} project={project} />
        </Table.Td>
      </Table.Tr>
      {open && (
        <Table.Tr>
          <Table.Td colSpan={6}>
            <Stack gap="sm" py="xs">
              {runs.length > 1 && (
                <Group gap={6} role="group" aria-label="Runs of the window">
                  {runs.map((run, i) => (
                    <Button
                      key={run.id}
                      size="compact-xs"
                      variant={run.id === open.id ? 'filled' : 'default'}
                      aria-pressed={run.id === open.id}
                      onClick={() => run.id !== open.id && toggle(run.id)}
                    >
                      Run {runs.length - i}: {STATUSES[run.status].label}
                    </Button>
                  ))}
                </Group>
              )}
              <RunDetails run={open} row={row} project={project} />
            </Stack>
          </Table.Td>
        </Table.Tr>
      )}
    </Fragment>
  )
}

function RunCells({ run }: { run: Run }) {
  return (
    <>
      <Table.Td>
        <RunBadge run={run} />
        {run.latest_error !== null && (
          <Text
            size="xs"
            c="var(--mantine-color-error)"
            className="one-line"
            maw={{ base: 320, sm: 240 }}
            title={firstLine(run.latest_error)}
          >
            {firstLine(run.latest_error)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{rowsText(run)}</Table.Td>
      <Table.Td>{duration(durationOf(run))}</Table.Td>
      <Table.Td>
        <Time value={run.created_at} />
      </Table.Td>
    </>
  )
}

/** Retry or cancel. Both ask for confirmation. */
export function RunActions({ run, row, project }: { run: Run; row: Schemas['BatchExport']; project: string }) {
  const [cancelling, setCancelling] = useState(false)
  const params = { path: { project_id: project, batch_export_id: row.id, id: run.id } }
  const window = windowText(run)
  if (!isActive(run))
    return (
      <ConfirmButton
        size="compact-sm"
        variant="default"
        title="Retry this run?"
        effect={
          <>
            The events of the window <strong>{window}</strong> are exported again. Destinations that support it do not
            store an event twice.
          </>
        }
        confirm="Retry run"
        onConfirm={async () => {
          await answer(
            client.POST('/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/{id}/retry/', { params }),
          )
          await invalidateExport(project, row.id)
          notifyDone(`Retrying the window ${window}.`)
        }}
      >
        Retry
      </ConfirmButton>
    )
  if (cancelling) return <RunBadge run={run} cancelling />
  return (
    <ConfirmButton
      size="compact-sm"
      variant="outline"
      danger
      title="Cancel this run?"
      effect={
        <>
          The export of the window <strong>{window}</strong> stops. Delivered rows stay at the destination. If the run
          belongs to a backfill, the entire backfill is cancelled. The schedule continues.
        </>
      }
      confirm="Cancel run"
      onConfirm={async () => {
        setCancelling(true)
        // The dialog closes at once. The row says "Cancelling" until the server answers.
        void answer(
          client.POST('/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/{id}/cancel/', { params }),
        )
          .catch((error) => notifyError(error, 'The run was not cancelled'))
          .then(() => invalidateExport(project, row.id))
          .finally(() => setCancelling(false))
      }}
    >
      Cancel
    </ConfirmButton>
  )
}

/** A run that a link names and that is not on this page. */
function LinkedRun({
  id,
  project,
  row,
  close,
}: {
  id: string
  project: string
  row: Schemas['BatchExport']
  close: () => void
}) {
  const run = useQuery(runQuery(project, row.id, id))
  return (
    <Card withBorder component="section" aria-label="Linked run">
      <Group justify="space-between" mb="sm">
        <Text fw={600}>{run.data ? windowText(run.data) : 'Linked run'}</Text>
        <Button size="compact-sm" variant="default" onClick={close}>
          Close run
        </Button>
      </Group>
      {run.error && <ErrorAlert error={run.error} />}
      {run.data ? (
        <RunDetails run={run.data} row={row} project={project} />
      ) : (
        run.isPending && <Skeleton height={160} />
      )}
    </Card>
  )
}
