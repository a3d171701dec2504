import { Anchor, Badge, Group, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { Pager } from '../parts/Pager.tsx'
import { EnableSwitch } from './EnableSwitch.tsx'
import { FAMILIES } from './families.ts'
import { missingSettings } from './fields.ts'
import { configsQuery, type FamilyPlace, LIMIT, pluginsQuery, STATE_MS } from './queries.ts'
import { RunState } from './run-state.tsx'
import { hasUpdate, nameOf, originOf, shortTag } from './versions.ts'

/** The installed plugins of one family with their state in the project. */
export function InstalledPlugins({
  place,
  project,
  page,
  setPage,
  install,
}: {
  place: FamilyPlace
  project: string
  page: number
  setPage: (page: number) => void
  install: ReactNode
}) {
  const plugins = useQuery(pluginsQuery(place, page))
  const configs = useQuery({ ...configsQuery(project), refetchInterval: STATE_MS })
  const { noun, label } = FAMILIES[place.family]
  const error = plugins.error ?? configs.error
  if (error)
    return (
      <ErrorAlert
        error={error}
        retry={() => {
          void plugins.refetch()
          void configs.refetch()
        }}
      />
    )
  if (!plugins.data || !configs.data)
    return (
      <Stack gap="xs">
        <Skeleton h={104} />
        <Skeleton h={104} />
      </Stack>
    )
  if (plugins.data.count === 0)
    return (
      <EmptyState title={`No ${label.toLowerCase()} are installed`} action={install}>
        {FAMILIES[place.family].description} Install one from the catalog, from a URL, or write its source here.
      </EmptyState>
    )
  return (
    <>
      <Stack gap="xs" component="ul" m={0} p={0} aria-label={label}>
        {plugins.data.results.map((plugin) => (
          <PluginRow
            key={plugin.id}
            place={place}
            project={project}
            plugin={plugin}
            config={configs.data.results.find((config) => config.plugin === plugin.id)}
          />
        ))}
      </Stack>
      <Pager count={plugins.data.count} limit={LIMIT} page={page} onChange={setPage} noun={noun} />
    </>
  )
}

function PluginRow({
  place,
  project,
  plugin,
  config,
}: {
  place: FamilyPlace
  project: string
  plugin: Schemas['Plugin']
  config: Schemas['PluginConfig'] | undefined
}) {
  const { organization, family } = place
  const name = nameOf(plugin)
  const to = '/organizations/$organization/projects/$project/plugins/$family/$plugin'
  const params = { organization, project, family, plugin: String(plugin.id) }
  const missing = missingSettings(plugin.config_schema, config?.config ?? {})
  return (
    <Paper withBorder p="md" component="li" style={{ listStyle: 'none' }} aria-label={name}>
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={4} flex="1 1 18rem" miw={0}>
          <Group gap="xs">
            <Text span fw={600}>
              <Link to={to} params={params} className="row-link wrap">
                {name}
              </Link>
            </Text>
            {hasUpdate(plugin) && (
              <Badge variant="dot" color="yellow" tt="none">
                Update available: {shortTag(plugin.tag)} → {shortTag(plugin.latest_tag)}
              </Badge>
            )}
            {plugin.is_global && (
              <Badge variant="default" tt="none">
                Shared with all organizations
              </Badge>
            )}
          </Group>
          {plugin.description && (
            <Text size="sm" lineClamp={2} className="wrap">
              {plugin.description}
            </Text>
          )}
          {config && (config.enabled || config.error) && <RunState config={config} />}
          {config?.error && (
            <Text size="sm" c="var(--mantine-color-error)" lineClamp={2} className="wrap">
              {config.error.name}: {config.error.message}
            </Text>
          )}
          <Text size="xs" c="dimmed" className="wrap">
            Installed {originOf(plugin)}
            {plugin.tag && ` · revision ${shortTag(plugin.tag)}`}
            {plugin.organization_id !== organization && ` · managed by ${plugin.organization_name}`}
            {config && ` · order ${config.order}`}
          </Text>
        </Stack>
        <Stack gap={4} miw={120}>
          <EnableSwitch
            project={project}
            plugin={plugin}
            config={config}
            disabledReason={missing.length ? 'Needs settings.' : undefined}
          />
          {missing.length > 0 && !config?.enabled && (
            <Anchor
              size="xs"
              underline="always"
              renderRoot={(props) => (
                <Link {...props} to={to} params={params} aria-label={`Fill in the settings of ${name}`} />
              )}
            >
              Fill in settings
            </Anchor>
          )}
        </Stack>
      </Group>
    </Paper>
  )
}
