import './plugins.css'
import { Anchor, Group, Skeleton, Stack } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { PageHeader } from '../parts/PageHeader.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { EnableSwitch } from './EnableSwitch.tsx'
import { FAMILIES, familyOf } from './families.ts'
import { missingSettings } from './fields.ts'
import { PluginActions, PluginUpdate } from './PluginActions.tsx'
import { PluginTabs, route } from './PluginTabs.tsx'
import { configsQuery, type FamilyPlace, pluginQuery, STATE_MS } from './queries.ts'
import { LastError, RunState } from './run-state.tsx'
import { hasUpdate, nameOf } from './versions.ts'

/** One plugin: its state, settings, log and metrics in this project, its source and its activity. */
export function PluginPage() {
  const organization = useOrganization()
  const params = route.useParams()
  const place: FamilyPlace = { organization: organization.id, family: familyOf(params.family) }
  const { data: plugin } = useSuspenseQuery(pluginQuery(place, Number(params.plugin)))
  const configs = useQuery({ ...configsQuery(params.project), refetchInterval: STATE_MS })
  const config = configs.data?.results.find((config) => config.plugin === plugin.id)
  const missing = missingSettings(plugin.config_schema, config?.config ?? {})
  return (
    <>
      <PageHeader
        title={nameOf(plugin)}
        description={plugin.description}
        above={
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                {...props}
                to="/organizations/$organization/projects/$project/plugins"
                params={params}
                search={place.family === 'destinations' ? {} : { family: place.family }}
              />
            )}
          >
            ← {FAMILIES[place.family].label}
          </Anchor>
        }
        actions={<PluginActions place={place} plugin={plugin} project={params.project} />}
      />
      <Stack>
        {hasUpdate(plugin) && <PluginUpdate place={place} plugin={plugin} />}
        <Group>
          {configs.data ? (
            <EnableSwitch
              project={params.project}
              plugin={plugin}
              config={config}
              disabledReason={missing.length ? `Fill in first: ${missing.join(', ')}.` : undefined}
            />
          ) : (
            <Skeleton h={24} w={90} />
          )}
          {config && (config.enabled || config.error) && <RunState config={config} />}
        </Group>
        {config && <LastError error={config.error} />}
        <PluginTabs place={place} plugin={plugin} configs={configs} />
      </Stack>
    </>
  )
}
