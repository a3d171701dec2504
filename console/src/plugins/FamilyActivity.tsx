import { Paper, Select, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { Pager } from '../parts/Pager.tsx'
import { ActivityEntries } from './ActivityEntries.tsx'
import { FAMILIES, FAMILY_NAMES, type Family, familyOf } from './families.ts'
import { ACTIVITY_LIMIT, activityQuery, type FamilyPlace } from './queries.ts'
import { nameOf } from './versions.ts'

const SHOWN = 5

interface ActivityProps {
  place: FamilyPlace
  page: number
  setPage: (page: number) => void
}

/** The latest changes of the plugins of one family, which can be chosen. */
export function FamilyActivity({ setFamily, ...props }: ActivityProps & { setFamily: (family: Family) => void }) {
  return (
    <Stack gap="sm">
      <Select
        aria-label="Kind of plugins"
        maw={220}
        data={FAMILY_NAMES.map((value) => ({ value, label: FAMILIES[value].label }))}
        allowDeselect={false}
        value={props.place.family}
        onChange={(name) => setFamily(familyOf(name))}
      />
      <Entries {...props} />
    </Stack>
  )
}

/** The latest changes of each plugin, also of uninstalled ones. */
function Entries({ place, page, setPage }: ActivityProps) {
  const activity = useQuery(activityQuery(place, page))
  if (activity.error) return <ErrorAlert error={activity.error} retry={() => void activity.refetch()} />
  if (!activity.data) return <Skeleton h={160} />
  if (activity.data.count === 0)
    return (
      <EmptyState title="Nothing has happened yet">
        Installations, changes of settings and upgrades of {FAMILIES[place.family].label.toLowerCase()} appear here.
      </EmptyState>
    )
  return (
    <>
      <Stack gap="xs">
        {activity.data.results.map((plugin) => (
          <Paper key={plugin.id} withBorder p="md" component="section" aria-label={nameOf(plugin)}>
            <Title order={2} size="h5" mb="xs">
              {nameOf(plugin)}
            </Title>
            <ActivityEntries entries={plugin.activity.slice(0, SHOWN)} />
            {plugin.activity.length > SHOWN && (
              <Text size="xs" c="dimmed" mt="xs">
                Older changes are on the page of the plugin.
              </Text>
            )}
          </Paper>
        ))}
      </Stack>
      <Pager count={activity.data.count} limit={ACTIVITY_LIMIT} page={page} onChange={setPage} noun="plugin" />
    </>
  )
}
