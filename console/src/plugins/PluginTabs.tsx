import { Skeleton, Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { getRouteApi, type LinkProps } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import type { Schemas } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { LinkTabs } from '../parts/LinkTabs.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { AboutPlugin } from './AboutPlugin.tsx'
import { jobsOf, sendsEvents } from './fields.ts'
import { PluginActivity } from './PluginActivity.tsx'
import type { PluginProps } from './queries.ts'
import type { PluginTab } from './routes.tsx'
import { SourceTab } from './SourceTab.tsx'

// The source tab loads a large editor, so it does not load the other tabs.
const SettingsForm = lazy(() => import('./SettingsForm.tsx').then(({ SettingsForm }) => ({ default: SettingsForm })))
const LogsTab = lazy(() => import('./LogsTab.tsx'))
const MetricsTab = lazy(() => import('./MetricsTab.tsx'))
const FailedTab = lazy(() => import('./FailedTab.tsx'))
const JobsTab = lazy(() => import('./JobsTab.tsx'))
const TestTab = lazy(() => import('./TestTab.tsx'))

export const route = getRouteApi('/signed-in/organizations/$organization/projects/$project/plugins/$family/$plugin')
const TO = '/organizations/$organization/projects/$project/plugins/$family/$plugin'

type Config = Schemas['PluginConfig']

interface TabsProps extends PluginProps {
  configs: UseQueryResult<Schemas['PluginConfigPage']>
}

/** The tabs of a plugin, and the one in the URL. */
export function PluginTabs({ configs, ...props }: TabsProps) {
  const { plugin } = props
  const params = route.useParams()
  const { tab = 'settings' } = route.useSearch()
  const link = (name: PluginTab): LinkProps => ({
    to: TO,
    params,
    search: name === 'settings' ? {} : { tab: name },
  })
  const jobs = jobsOf(plugin).length
  const tabs: [name: PluginTab, label: string, count?: number][] = [
    ['settings', 'Settings'],
    ['source', 'Source'],
    ['test', 'Test'],
    ['logs', 'Logs'],
    ['metrics', 'Metrics'],
    ...(sendsEvents(plugin) || tab === 'failed' ? [['failed', 'Failed deliveries'] satisfies [PluginTab, string]] : []),
    ...(jobs > 0 || tab === 'jobs' ? [['jobs', 'Jobs', jobs] satisfies [PluginTab, string, number]] : []),
    ['activity', 'Activity'],
  ]
  const own = configs.data?.results.filter((config) => config.plugin === plugin.id)
  return (
    <>
      <LinkTabs
        label="Parts of the plugin"
        tabs={tabs.map(([name, label, count]) => ({ label, count, isActive: tab === name, link: link(name) }))}
      />
      {configs.error && <ErrorAlert error={configs.error} retry={() => void configs.refetch()} />}
      <Suspense key={tab} fallback={<Skeleton h={tab === 'source' || tab === 'test' ? 320 : 200} />}>
        <Tab {...props} own={own} link={link} />
      </Suspense>
    </>
  )
}

interface TabProps extends PluginProps {
  /** The configurations of the plugin in this project. Undefined while they load. */
  own: Config[] | undefined
  link: (tab: PluginTab) => LinkProps
}

function Tab({ place, plugin, own, link }: TabProps): ReactNode {
  const organization = useOrganization()
  const navigate = route.useNavigate()
  const { project } = route.useParams()
  const { tab, file, range = '24h', page, ...filter } = route.useSearch()
  const config = own?.[0]
  const inRange = range === '7d' ? { range } : {}
  /** A tab that needs a configuration. */
  const withConfig = (show: (config: Config) => ReactNode): ReactNode => {
    if (!own) return <Skeleton h={200} />
    return config ? show(config) : <NotConfigured />
  }
  switch (tab) {
    case 'source':
      return (
        <SourceTab
          place={place}
          plugin={plugin}
          project={project}
          config={config}
          file={file}
          setFile={(file) => void navigate({ search: { tab, file }, resetScroll: false })}
        />
      )
    case 'test':
      return own && <TestTab {...{ project, plugin, config, organization }} source={link('source')} />
    case 'logs':
      return withConfig((config) => (
        <LogsTab
          project={project}
          config={config}
          search={{ ...filter, page }}
          setSearch={(search) => void navigate({ search: { tab, ...search }, replace: true, resetScroll: false })}
        />
      ))
    case 'metrics':
      return withConfig((config) => (
        <MetricsTab
          project={project}
          config={config}
          range={range}
          setRange={(range) => void navigate({ search: { tab, ...(range === '7d' && { range }) }, resetScroll: false })}
          page={page ?? 1}
          setPage={(page) => void navigate({ search: { tab, ...inRange, page }, resetScroll: false })}
        />
      ))
    case 'failed':
      return withConfig((config) => (
        <FailedTab
          project={project}
          config={config}
          page={page ?? 1}
          setPage={(page) => void navigate({ search: { tab, page }, resetScroll: false })}
        />
      ))
    case 'jobs':
      return withConfig((config) => <JobsTab {...{ project, plugin, config, organization }} logs={link('logs')} />)
    case 'activity':
      return <PluginActivity place={place} plugin={plugin} />
    default:
      return (
        <Stack maw={760}>
          {own && own.length > 1 && (
            <Text size="sm">
              This project has {own.length} configurations of this plugin. The first is shown; the API manages the
              others.
            </Text>
          )}
          {own ? (
            <Suspense fallback={<Skeleton h={200} />}>
              <SettingsForm
                // Changed settings reset the form. Turning the plugin on keeps unsaved text.
                key={JSON.stringify([config?.id, config?.config, config?.order, plugin.config_schema])}
                project={project}
                plugin={plugin}
                saved={config}
              />
            </Suspense>
          ) : (
            <Skeleton h={200} />
          )}
          <AboutPlugin place={place} plugin={plugin} />
        </Stack>
      )
  }
}

function NotConfigured() {
  return (
    <EmptyState title="The plugin is not configured in this project">
      Save its settings or turn it on. Then this page shows its runs.
    </EmptyState>
  )
}
