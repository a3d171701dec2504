import './plugins.css'
import { Box, SegmentedControl, Skeleton } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { ActionButton } from '../parts/ActionButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { LinkTabs } from '../parts/LinkTabs.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { CONFIGURE, INSTALL, needsPluginAccess } from './access.ts'
import { Catalog } from './Catalog.tsx'
import { FamilyActivity } from './FamilyActivity.tsx'
import { FAMILIES, FAMILY_NAMES, familyOf, type Kind, TRANSFORMATIONS } from './families.ts'
import { changesEvents } from './fields.ts'
import { InstalledPlugins } from './InstalledPlugins.tsx'
import { configsQuery, pluginsQuery } from './queries.ts'
import type { ListView } from './routes.tsx'

const Transformations = lazy(() =>
  import('./Transformations.tsx').then(({ Transformations }) => ({ default: Transformations })),
)
const InstallDialog = lazy(() =>
  import('./InstallDialog.tsx').then(({ InstallDialog }) => ({ default: InstallDialog })),
)

export const PLUGINS_ROUTE = '/signed-in/organizations/$organization/projects/$project/plugins'

/** The plugins of the organization, with their state in this project. */
export function PluginsPage() {
  const organization = useOrganization()
  const { project } = useParams({ from: PLUGINS_ROUTE })
  const { family: kind = 'destinations', view = 'installed', page = 1, purpose } = useSearch({ from: PLUGINS_ROUTE })
  const family = familyOf(kind)
  const navigate = useNavigate({ from: '/organizations/$organization/projects/$project/plugins' })
  const [installing, setInstalling] = useState(false)
  const place = { organization: organization.id, family }
  const noAccess = needsPluginAccess(organization, CONFIGURE)
  const install = (
    <ActionButton
      leftSection={<PlusIcon size={16} />}
      disabledReason={needsPluginAccess(organization, INSTALL)}
      onClick={() => setInstalling(true)}
    >
      Install {FAMILIES[family].noun}
    </ActionButton>
  )
  if (noAccess)
    return (
      <>
        <PageHeader title="Plugins" />
        <EmptyState title="Plugins are off for this organization">
          {noAccess} They can raise it with{' '}
          <span className="mono wrap">workspace-admin organizations set-plugin-access {organization.id} 6</span>.
        </EmptyState>
      </>
    )
  if (kind === TRANSFORMATIONS)
    return (
      <>
        <PageHeader title="Plugins" description="Transformations change or drop events before they are stored." />
        <KindTabs organization={organization.id} kind={kind} />
        <Box mt="md">
          <Suspense fallback={<Skeleton h={104} />}>
            <Transformations organization={organization.id} project={project} />
          </Suspense>
        </Box>
      </>
    )
  return (
    <>
      <PageHeader title="Plugins" description={FAMILIES[family].description} actions={install} />
      <KindTabs organization={organization.id} kind={kind} />
      <SegmentedControl
        my="md"
        aria-label="View"
        data={[
          { value: 'installed', label: 'Installed' },
          { value: 'catalog', label: 'Catalog' },
          { value: 'activity', label: 'Activity' },
        ]}
        value={view}
        onChange={(next) => {
          const wanted = next as ListView
          void navigate({ search: { family, ...(wanted !== 'installed' && { view: wanted }) } })
        }}
      />
      {view === 'installed' && (
        <InstalledPlugins
          place={place}
          project={project}
          page={page}
          setPage={(page) => void navigate({ search: { family, page } })}
          install={install}
        />
      )}
      {view === 'catalog' && (
        <Catalog
          place={place}
          organization={organization}
          project={project}
          purpose={purpose ?? FAMILIES[family].purpose}
          setPurpose={(purpose) => void navigate({ search: { family, view, purpose } })}
        />
      )}
      {view === 'activity' && (
        <FamilyActivity
          place={place}
          page={page}
          setPage={(page) => void navigate({ search: { family, view, page } })}
        />
      )}
      {installing && (
        <Suspense>
          <InstallDialog place={place} project={project} close={() => setInstalling(false)} />
        </Suspense>
      )}
    </>
  )
}

function KindTabs({ organization, kind }: { organization: string; kind: Kind }) {
  const params = useParams({ from: PLUGINS_ROUTE })
  const configs = useQuery(configsQuery(params.project))
  const transformations = configs.data?.results.filter(({ plugin_info }) => changesEvents(plugin_info)).length
  const counts = useQueries({
    queries: FAMILY_NAMES.map((name) => pluginsQuery({ organization, family: name }, 1, 1)),
  })
  return (
    <LinkTabs
      label="Kinds of plugins"
      tabs={[
        ...FAMILY_NAMES.map((name, index) => ({
          name,
          label: FAMILIES[name].label,
          count: counts[index]?.data?.count,
        })),
        { name: TRANSFORMATIONS, label: 'Transformations', count: transformations } as const,
      ].map(({ name, ...tab }) => ({
        ...tab,
        isActive: name === kind,
        link: { to: '/organizations/$organization/projects/$project/plugins', params, search: { family: name } },
      }))}
    />
  )
}
