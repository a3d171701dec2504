import './exports.css'
import { Button, Group, Select, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Schemas } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { LinkedRun } from './LinkedRun.tsx'
import { ListSkeleton } from './ListSkeleton.tsx'
import { EXPORT_ID } from './paths.ts'
import { runsQuery } from './queries.ts'
import { GroupRows } from './RunRows.tsx'
import { groupByWindow } from './run-groups.ts'
import { isActive, isFailed } from './run-status.ts'

type Run = Schemas['BatchExportRun']

const route = getRouteApi(EXPORT_ID)

/** The options of the status filter. An option may stand for several statuses that mean the same to people. */
const FILTERS: Record<string, { label: string; keeps: (run: Run) => boolean }> = {
  active: { label: 'In progress', keeps: isActive },
  completed: { label: 'Completed', keeps: ({ status }) => status === 'Completed' },
  failed: { label: 'Failed', keeps: isFailed },
  cancelled: { label: 'Cancelled', keeps: ({ status }) => status === 'Cancelled' },
}

const cursorIn = (url: string | null): string | undefined =>
  url === null ? undefined : (new URL(url).searchParams.get('cursor') ?? undefined)

/** The runs of an export, newest first, grouped by window. */
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
  if (!runs.data) return <ListSkeleton />
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
          clearButtonProps={{ 'aria-label': 'Clear status' }}
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
            <Table.Th className="number">Rows</Table.Th>
            <Table.Th className="number">Duration</Table.Th>
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
