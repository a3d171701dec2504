import { Group, Paper, Skeleton, Stack, Title } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { EnableSwitch } from './EnableSwitch.tsx'
import { FAMILY_NAMES, type Family } from './families.ts'
import { changesEvents, missingSettings } from './fields.ts'
import { PluginLink } from './PluginLink.tsx'
import { configsQuery, pluginsQuery, STATE_MS } from './queries.ts'
import { TransformationOrder } from './TransformationOrder.tsx'

/** The largest page. */
const ALL = 1000

/** The plugins of all families that change events, in the order in which they run. */
export function Transformations({ organization, project }: { organization: string; project: string }) {
  const configs = useQuery({ ...configsQuery(project), refetchInterval: STATE_MS })
  const lists = useQueries({
    queries: FAMILY_NAMES.map((family) => pluginsQuery({ organization, family }, 1, ALL)),
  })
  const error = configs.error ?? lists.find((list) => list.error)?.error
  if (error)
    return (
      <ErrorAlert
        error={error}
        retry={() => {
          void configs.refetch()
          for (const list of lists) void list.refetch()
        }}
      />
    )
  if (!configs.data || lists.some((list) => !list.data)) return <Skeleton h={104} />
  const families = new Map<number, Family>()
  for (const [index, list] of lists.entries())
    for (const { id } of list.data?.results ?? []) families.set(id, FAMILY_NAMES[index] ?? 'destinations')
  const ordered = configs.data.results.filter(({ plugin_info }) => changesEvents(plugin_info))
  const configured = new Set(configs.data.results.map(({ plugin }) => plugin))
  const others = lists
    .flatMap((list) => list.data?.results ?? [])
    .filter((plugin) => changesEvents(plugin) && !configured.has(plugin.id))
  if (ordered.length + others.length === 0)
    return (
      <EmptyState title="No transformations are installed">
        Plugins whose code has <span className="mono">processEvent</span> appear here. Install one as a destination, a
        frontend app or an import app.
      </EmptyState>
    )
  return (
    <Stack>
      {ordered.length > 0 && (
        <TransformationOrder organization={organization} project={project} ordered={ordered} families={families} />
      )}
      {others.length > 0 && (
        <Title order={2} size="h5">
          Not used in this project
        </Title>
      )}
      {others.length > 0 && (
        <Stack gap="xs" component="ul" m={0} p={0} aria-label="Transformations that are not used in this project">
          {others.map((plugin) => (
            <Paper key={plugin.id} withBorder p="md" component="li" style={{ listStyle: 'none' }}>
              <Group justify="space-between">
                <PluginLink place={{ organization, project, families }} plugin={plugin} />
                <EnableSwitch
                  project={project}
                  plugin={plugin}
                  config={undefined}
                  disabledReason={missingSettings(plugin.config_schema, {}).length ? 'Needs settings.' : undefined}
                />
              </Group>
            </Paper>
          ))}
        </Stack>
      )}
    </Stack>
  )
}
