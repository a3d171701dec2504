import './plugins.css'
import { Skeleton } from '@mantine/core'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { ActionButton } from '../parts/ActionButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { CONFIGURE, INSTALL, needsPluginAccess } from './access.ts'
import { Catalog } from './Catalog.tsx'
import { FamilyActivity } from './FamilyActivity.tsx'
import { FAMILIES, familyOf, TRANSFORMATIONS } from './families.ts'
import { InstalledPlugins } from './InstalledPlugins.tsx'
import { PLUGINS_ID, PLUGINS_PATH, type PluginsTab, PluginsTabs } from './PluginsTabs.tsx'

const Transformations = lazy(() =>
  import('./Transformations.tsx').then(({ Transformations }) => ({ default: Transformations })),
)
const InstallDialog = lazy(() =>
  import('./InstallDialog.tsx').then(({ InstallDialog }) => ({ default: InstallDialog })),
)

const DESCRIPTIONS: Partial<Record<PluginsTab, string>> = {
  transformations: 'Transformations change or drop events before they are stored.',
  catalog: 'Plugins that this server knows. An installed plugin does nothing until it is configured and enabled.',
  activity: 'Installations, changes of settings and upgrades of plugins.',
}

/** The plugins of the organization, with their state in this project. */
export function PluginsPage() {
  const organization = useOrganization()
  const { project } = useParams({ from: PLUGINS_ID })
  const { family: kind = 'destinations', view, page = 1, purpose, search } = useSearch({ from: PLUGINS_ID })
  const family = familyOf(kind)
  const tab: PluginsTab = view ?? kind
  const navigate = useNavigate({ from: PLUGINS_PATH })
  const [installing, setInstalling] = useState(false)
  const place = { organization: organization.id, family }
  const noAccess = needsPluginAccess(organization, CONFIGURE)
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
  const install = (
    <ActionButton
      leftSection={<PlusIcon size={16} />}
      disabledReason={needsPluginAccess(organization, INSTALL)}
      onClick={() => setInstalling(true)}
    >
      Install {FAMILIES[family].noun}
    </ActionButton>
  )
  return (
    <>
      <PageHeader
        title="Plugins"
        description={DESCRIPTIONS[tab] ?? FAMILIES[family].description}
        actions={tab === family ? install : undefined}
      />
      <PluginsTabs organization={organization.id} tab={tab} />
      {tab === family && (
        <InstalledPlugins
          place={place}
          project={project}
          page={page}
          setPage={(page) => void navigate({ search: { family, page } })}
          install={install}
        />
      )}
      {tab === TRANSFORMATIONS && (
        <Suspense fallback={<Skeleton h={104} />}>
          <Transformations organization={organization.id} project={project} />
        </Suspense>
      )}
      {tab === 'catalog' && (
        <Catalog
          organization={organization}
          project={project}
          filter={{ search, purpose }}
          setFilter={(filter) => void navigate({ search: { view: 'catalog', ...filter }, resetScroll: false })}
        />
      )}
      {tab === 'activity' && (
        <FamilyActivity
          place={place}
          page={page}
          setFamily={(family) => void navigate({ search: { view: 'activity', family }, resetScroll: false })}
          setPage={(page) => void navigate({ search: { view: 'activity', family, page } })}
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
