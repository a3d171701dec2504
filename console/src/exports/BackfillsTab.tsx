import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Schemas } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { BackfillCard } from './Backfills.tsx'
import { ListSkeleton } from './ListSkeleton.tsx'
import { EXPORT_ID } from './paths.ts'
import { backfillsQuery } from './queries.ts'

const route = getRouteApi(EXPORT_ID)
const PER_PAGE = 20
const FILTERS: Schemas['BackfillStatus'][] = ['Starting', 'Running', 'Completed', 'Failed', 'Cancelled']

const cursorOf = (url: string | null | undefined): string | undefined =>
  (url && new URL(url).searchParams.get('cursor')) || undefined

/** All backfills of an export, newest first. */
export function BackfillsTab({ row, project }: { row: Schemas['BatchExport']; project: string }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const status = FILTERS.find((name) => name === search.status)
  const { data, error, refetch } = useQuery(
    backfillsQuery(project, row.id, { limit: PER_PAGE, status, cursor: search.cursor }),
  )
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <ListSkeleton />
  const { results } = data
  if (results.length === 0 && !status && !search.cursor)
    return (
      <EmptyState title="No backfills yet">
        A backfill exports past events, one run per interval, in addition to the scheduled runs. Use “Backfill” to start
        one.
      </EmptyState>
    )
  const [previous, next] = [cursorOf(data.previous), cursorOf(data.next)]
  const goTo = (cursor: string | undefined): void => void navigate({ search: (before) => ({ ...before, cursor }) })
  return (
    <Stack>
      <Select
        label="Status"
        placeholder="All"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear status' }}
        w={200}
        data={FILTERS}
        value={status ?? null}
        onChange={(value) =>
          void navigate({
            search: (before) => ({ ...before, status: value ?? undefined, cursor: undefined }),
            resetScroll: false,
          })
        }
      />
      {results.map((backfill) => (
        <BackfillCard key={backfill.id} backfill={backfill} project={project} />
      ))}
      {results.length === 0 && (
        <Text size="sm" c="dimmed">
          No backfill has this status.
        </Text>
      )}
      {(previous ?? next) !== undefined && (
        <Group justify="flex-end" gap="xs">
          <Button size="xs" variant="default" disabled={previous === undefined} onClick={() => goTo(previous)}>
            Newer backfills
          </Button>
          <Button size="xs" variant="default" disabled={next === undefined} onClick={() => goTo(next)}>
            Older backfills
          </Button>
        </Group>
      )}
    </Stack>
  )
}
