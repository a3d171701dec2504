import { Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { ActivityEntry } from './ActivityEntry.tsx'
import { ActivityFilters } from './ActivityFilters.tsx'
import { activityQuery } from './queries.ts'
import type { ActivitySearch } from './routes.tsx'

const route = getRouteApi('/signed-in/organizations/$organization/activity')

export function ActivityPage() {
  const organization = useOrganization()
  const reason = needsLevel(organization.membership_level, ADMINISTRATOR)
  return (
    <>
      <PageHeader
        title="Activity log"
        description="Every change in the organization and every sign-in of its members, newest first."
      />
      {reason === undefined ? (
        <ActivityList organization_id={organization.id} />
      ) : (
        <EmptyState title="Only administrators and owners read the activity log">
          It contains the sign-ins and addresses of other members. {reason}
        </EmptyState>
      )}
    </>
  )
}

function ActivityList({ organization_id }: { organization_id: string }) {
  const navigate = route.useNavigate()
  const search = route.useSearch()
  const { data, error, refetch, isPlaceholderData } = useQuery(activityQuery(organization_id, search))
  const filter = (changes: Partial<ActivitySearch>): void =>
    void navigate({ search: (before) => ({ ...before, cursor: undefined, open: undefined, ...changes }) })
  const isFiltered = [search.area, search.user, search.item, search.after, search.before].some(Boolean)
  return (
    <>
      <ActivityFilters organization_id={organization_id} search={search} onChange={filter} />
      {error ? (
        <ErrorAlert error={error} title="The activity could not be loaded" retry={() => void refetch()} />
      ) : data === undefined ? (
        <Stack gap="xs">
          {['a', 'b', 'c', 'd', 'e'].map((key) => (
            <Skeleton key={key} h={52} />
          ))}
        </Stack>
      ) : data.results.length === 0 ? (
        <EmptyState
          title="No activity"
          action={
            isFiltered && (
              <Button variant="default" onClick={() => void navigate({ search: {} })}>
                Clear filters
              </Button>
            )
          }
        >
          {isFiltered ? 'Nothing matches all of the filters.' : 'Nothing has happened yet.'}
        </EmptyState>
      ) : (
        <Paper withBorder component="ul" aria-label="Activity" aria-busy={isPlaceholderData} m={0} p={0}>
          {data.results.map((entry) => (
            <ActivityEntry
              key={entry.id}
              entry={entry}
              opened={search.open === entry.id}
              onToggle={(open) =>
                void navigate({ search: (before) => ({ ...before, open }), replace: true, resetScroll: false })
              }
              onFilter={filter}
            />
          ))}
        </Paper>
      )}
      {data && (data.previous !== null || data.next !== null) && (
        <Group justify="space-between" mt="sm" component="nav" aria-label="Pages">
          <Turn label="Newer" url={data.previous} />
          <Turn label="Older" url={data.next} />
        </Group>
      )}
    </>
  )
}

/** Only the cursor of the URL is used. */
function Turn({ label, url }: { label: string; url: string | null }) {
  const navigate = route.useNavigate()
  const cursor = url === null ? undefined : (new URL(url).searchParams.get('cursor') ?? undefined)
  return (
    <Button
      variant="default"
      size="xs"
      disabled={url === null}
      onClick={() => void navigate({ search: (before) => ({ ...before, cursor, open: undefined }) })}
    >
      <Text span size="sm">
        {label}
      </Text>
    </Button>
  )
}
