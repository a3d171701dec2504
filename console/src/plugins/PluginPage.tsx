import './plugins.css'
import { Anchor, Badge, Group, Skeleton, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link, type LinkProps, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { queryClient, type Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { Definition } from '../parts/Definition.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert, notifyDone, notifyError } from '../parts/ErrorAlert.tsx'
import { LinkTabs } from '../parts/LinkTabs.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Section } from '../parts/Section.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { ActivityEntries } from './ActivityEntries.tsx'
import { needsOwnPlugin, SHARE } from './access.ts'
import { EnableSwitch } from './EnableSwitch.tsx'
import { FAMILIES, familyOf } from './families.ts'
import { jobsOf, missingSettings, sendsEvents } from './fields.ts'
import {
  checkForUpdates,
  configsQuery,
  type FamilyPlace,
  pluginActivityQuery,
  pluginQuery,
  refreshPlugins,
  STATE_MS,
  uninstall,
  updatePlugin,
  upgrade,
} from './queries.ts'
import type { PluginTab } from './routes.tsx'
import { LastError, RunState } from './run-state.tsx'
import { SourceTab } from './SourceTab.tsx'
import { changesUrl, hasUpdate, nameOf, originOf, shortTag } from './versions.ts'

// The source tab loads a large editor, so it does not load the other tabs.
const SettingsForm = lazy(() => import('./SettingsForm.tsx').then(({ SettingsForm }) => ({ default: SettingsForm })))
const LogsTab = lazy(() => import('./LogsTab.tsx'))
const MetricsTab = lazy(() => import('./MetricsTab.tsx'))
const FailedTab = lazy(() => import('./FailedTab.tsx'))
const JobsTab = lazy(() => import('./JobsTab.tsx'))
const TestTab = lazy(() => import('./TestTab.tsx'))

const ROUTE = '/signed-in/organizations/$organization/projects/$project/plugins/$family/$plugin'
const TO = '/organizations/$organization/projects/$project/plugins/$family/$plugin'

interface PluginProps {
  place: FamilyPlace
  plugin: Schemas['Plugin']
}

/** One plugin: its state, settings, log and metrics in this project, its source and its activity. */
export function PluginPage() {
  const organization = useOrganization()
  const params = useParams({ from: ROUTE })
  const { tab = 'settings', file, range = '24h', page, ...filter } = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: TO })
  const place: FamilyPlace = { organization: organization.id, family: familyOf(params.family) }
  const { data: plugin } = useSuspenseQuery(pluginQuery(place, Number(params.plugin)))
  const configs = useQuery({ ...configsQuery(params.project), refetchInterval: STATE_MS })
  const own = configs.data?.results.filter((config) => config.plugin === plugin.id) ?? []
  const [config] = own
  const missing = missingSettings(plugin.config_schema, config?.config ?? {})
  const tabLink = (name: PluginTab): LinkProps => ({
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
        actions={<Actions place={place} plugin={plugin} organization={organization} project={params.project} />}
      />
      <Stack>
        {hasUpdate(plugin) && <Update place={place} plugin={plugin} organization={organization} />}
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
        <LinkTabs
          label="Parts of the plugin"
          tabs={tabs.map(([name, label, count]) => ({ label, count, isActive: tab === name, link: tabLink(name) }))}
        />
        {configs.error && <ErrorAlert error={configs.error} retry={() => void configs.refetch()} />}
        {tab === 'settings' && (
          <Stack maw={760}>
            {own.length > 1 && (
              <Text size="sm">
                This project has {own.length} configurations of this plugin. The first is shown; the API manages the
                others.
              </Text>
            )}
            {configs.data ? (
              <Suspense fallback={<Skeleton h={200} />}>
                <SettingsForm
                  // Changed settings reset the form. Turning the plugin on keeps unsaved text.
                  key={JSON.stringify([config?.id, config?.config, config?.order, plugin.config_schema])}
                  project={params.project}
                  plugin={plugin}
                  saved={config}
                />
              </Suspense>
            ) : (
              <Skeleton h={200} />
            )}
            <About plugin={plugin} organization={organization} place={place} />
          </Stack>
        )}
        {tab === 'source' && (
          <Suspense fallback={<Skeleton h={320} />}>
            <SourceTab
              place={place}
              plugin={plugin}
              organization={organization}
              project={params.project}
              config={config}
              file={file}
              setFile={(file) => void navigate({ search: { tab: 'source', file }, resetScroll: false })}
            />
          </Suspense>
        )}
        {tab === 'test' && configs.data && (
          <Suspense fallback={<Skeleton h={320} />}>
            <TestTab
              project={params.project}
              plugin={plugin}
              config={config}
              organization={organization}
              source={tabLink('source')}
            />
          </Suspense>
        )}
        {tab === 'logs' && (
          <OfConfig isLoaded={configs.isSuccess} config={config}>
            {(config) => (
              <LogsTab
                project={params.project}
                config={config}
                search={{ ...filter, page }}
                setSearch={(search) => void navigate({ search: { tab, ...search }, replace: true, resetScroll: false })}
              />
            )}
          </OfConfig>
        )}
        {tab === 'metrics' && (
          <OfConfig isLoaded={configs.isSuccess} config={config}>
            {(config) => (
              <MetricsTab
                project={params.project}
                config={config}
                range={range}
                setRange={(range) =>
                  void navigate({ search: { tab, ...(range === '7d' && { range }) }, resetScroll: false })
                }
                page={page ?? 1}
                setPage={(page) =>
                  void navigate({ search: { tab, ...(range === '7d' && { range }), page }, resetScroll: false })
                }
              />
            )}
          </OfConfig>
        )}
        {tab === 'failed' && (
          <OfConfig isLoaded={configs.isSuccess} config={config}>
            {(config) => (
              <FailedTab
                project={params.project}
                config={config}
                page={page ?? 1}
                setPage={(page) => void navigate({ search: { tab, page }, resetScroll: false })}
              />
            )}
          </OfConfig>
        )}
        {tab === 'jobs' && (
          <OfConfig isLoaded={configs.isSuccess} config={config}>
            {(config) => (
              <JobsTab
                project={params.project}
                plugin={plugin}
                config={config}
                organization={organization}
                logs={tabLink('logs')}
              />
            )}
          </OfConfig>
        )}
        {tab === 'activity' && <Activity place={place} plugin={plugin} />}
      </Stack>
    </>
  )
}

/** A tab that needs a configuration. */
function OfConfig({
  isLoaded,
  config,
  children,
}: {
  isLoaded: boolean
  config: Schemas['PluginConfig'] | undefined
  children: (config: Schemas['PluginConfig']) => ReactNode
}) {
  if (!isLoaded) return <Skeleton h={200} />
  if (!config)
    return (
      <EmptyState title="The plugin is not configured in this project">
        Save its settings or turn it on. Then this page shows its runs.
      </EmptyState>
    )
  return <Suspense fallback={<Skeleton h={200} />}>{children(config)}</Suspense>
}

/** Stores a changed plugin, and refreshes the lists that show it. */
function store({ place, plugin }: PluginProps): Promise<void> {
  queryClient.setQueryData(pluginQuery(place, plugin.id).queryKey, plugin)
  return refreshPlugins(place.organization)
}

function Actions({
  place,
  plugin,
  organization,
  project,
}: PluginProps & { organization: Schemas['Organization']; project: string }) {
  const navigate = useNavigate()
  const reason = needsOwnPlugin(organization, plugin)
  const check = useMutation({
    mutationFn: () => checkForUpdates(place, plugin.id),
    onSuccess: async (plugin) => {
      await store({ place, plugin })
      notifyDone(
        hasUpdate(plugin) ? `Revision ${shortTag(plugin.latest_tag)} is available.` : 'This is the latest revision.',
      )
    },
    onError: (error) => notifyError(error, 'The check for updates failed'),
  })
  return (
    <>
      <ActionButton
        variant="default"
        loading={check.isPending}
        disabledReason={
          plugin.url === null ? 'This plugin was not fetched from a URL. Change its source instead.' : reason
        }
        onClick={() => check.mutate()}
      >
        Check for updates
      </ActionButton>
      <ConfirmButton
        variant="outline"
        danger
        disabledReason={
          reason ??
          (plugin.is_global ? 'The plugin is shared with all organizations. Stop sharing it first.' : undefined)
        }
        title={`Uninstall "${nameOf(plugin)}"?`}
        effect="Its code and its settings in all projects of the organization are deleted. This cannot be undone. Its activity is kept."
        confirm="Uninstall plugin"
        onConfirm={async () => {
          await uninstall(place, plugin.id)
          await navigate({
            to: '/organizations/$organization/projects/$project/plugins',
            params: { organization: organization.id, project },
            search: place.family === 'destinations' ? {} : { family: place.family },
          })
          notifyDone(`"${nameOf(plugin)}" is uninstalled.`)
          queryClient.removeQueries({ queryKey: pluginQuery(place, plugin.id).queryKey })
          await refreshPlugins(organization.id)
          await queryClient.invalidateQueries({ queryKey: configsQuery(project).queryKey })
        }}
      >
        Uninstall
      </ConfirmButton>
    </>
  )
}

function Update({ place, plugin, organization }: PluginProps & { organization: Schemas['Organization'] }) {
  const changes = changesUrl(plugin)
  const from = shortTag(plugin.tag)
  const to = shortTag(plugin.latest_tag)
  return (
    <Section
      title="Update available"
      state={
        <Badge variant="dot" color="yellow" tt="none">
          {from} → {to}
        </Badge>
      }
      description={
        changes && (
          <Anchor href={changes} underline="always" target="_blank" rel="noreferrer">
            Show the changes of the code
          </Anchor>
        )
      }
      actions={
        <ConfirmButton
          disabledReason={needsOwnPlugin(organization, plugin)}
          title={`Upgrade "${nameOf(plugin)}"?`}
          effect={`Revision ${to} replaces revision ${from}, for all projects. Your edits of the source and of fields in plugin.json are lost. Settings are kept; new required settings must be filled in.`}
          confirm="Upgrade plugin"
          onConfirm={async () => {
            const upgraded = await upgrade(place, plugin.id)
            await store({ place, plugin: upgraded })
            notifyDone(`"${nameOf(upgraded)}" has revision ${shortTag(upgraded.tag)}.`)
          }}
        >
          Upgrade plugin
        </ConfirmButton>
      }
    />
  )
}

function About({ place, plugin, organization }: PluginProps & { organization: Schemas['Organization'] }) {
  const mayShare =
    needsOwnPlugin(organization, plugin, SHARE) ?? needsLevel(organization.membership_level, ADMINISTRATOR)
  const share = useMutation({
    mutationFn: (is_global: boolean) => updatePlugin(place, plugin.id, { is_global }),
    onSuccess: (plugin) => store({ place, plugin }),
    onError: (error) => notifyError(error, 'Sharing did not change'),
  })
  const shared = share.isPending ? share.variables : plugin.is_global
  return (
    <Section title="About this plugin">
      <Stack gap="sm" component="dl" m={0}>
        <Definition term="Installed">
          {originOf(plugin)}, managed by {plugin.organization_name}
        </Definition>
        {plugin.url && <Definition term="URL">{plugin.url}</Definition>}
        {plugin.tag && (
          <Definition term="Revision">
            <span className="mono wrap">{plugin.tag}</span>
          </Definition>
        )}
        {Object.entries(CAPABILITIES).map(([key, label]) => {
          const names = plugin.capabilities[key]
          return Array.isArray(names) && names.length > 0 ? (
            <Definition key={key} term={label}>
              <span className="mono wrap">{names.join(', ')}</span>
            </Definition>
          ) : null
        })}
      </Stack>
      <Switch
        label="Share with all organizations of this server"
        description={mayShare ?? 'Every organization can see and configure the plugin. Only yours can change it.'}
        checked={shared}
        disabled={mayShare !== undefined}
        onChange={(event) => share.mutate(event.currentTarget.checked)}
      />
    </Section>
  )
}

const CAPABILITIES = { methods: 'Functions', jobs: 'Jobs', scheduled_tasks: 'Scheduled tasks' }

function Activity({ place, plugin }: PluginProps) {
  const activity = useQuery(pluginActivityQuery(place, plugin.id))
  if (activity.error) return <ErrorAlert error={activity.error} retry={() => void activity.refetch()} />
  if (!activity.data) return <Skeleton h={160} />
  if (activity.data.length === 0)
    return (
      <EmptyState title="No activity">
        Changes that your organization makes to this plugin and its settings appear here.
      </EmptyState>
    )
  return <ActivityEntries entries={activity.data} />
}
