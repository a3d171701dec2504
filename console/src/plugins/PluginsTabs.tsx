import { useQueries, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { LinkTabs } from '../parts/LinkTabs.tsx'
import { FAMILIES, FAMILY_NAMES, type Kind, TRANSFORMATIONS } from './families.ts'
import { changesEvents } from './fields.ts'
import { configsQuery, pluginsQuery } from './queries.ts'

export const PLUGINS_PATH = '/organizations/$organization/projects/$project/plugins'
export const PLUGINS_ID = `/signed-in${PLUGINS_PATH}` as const

export type PluginsTab = Kind | 'catalog' | 'activity'

/** The kinds of installed plugins with their numbers, the catalog and the activity. */
export function PluginsTabs({ organization, tab }: { organization: string; tab: PluginsTab }) {
  const params = useParams({ from: PLUGINS_ID })
  const configs = useQuery(configsQuery(params.project))
  const transformations = configs.data?.results.filter(({ plugin_info }) => changesEvents(plugin_info)).length
  const counts = useQueries({
    queries: FAMILY_NAMES.map((name) => pluginsQuery({ organization, family: name }, 1, 1)),
  })
  const tabOf = (name: PluginsTab, label: string, search: object, count?: number) => ({
    label,
    count,
    isActive: name === tab,
    link: { to: PLUGINS_PATH, params, search } as const,
  })
  return (
    <LinkTabs
      label="Kinds of plugins"
      tabs={[
        ...FAMILY_NAMES.map((name, i) => tabOf(name, FAMILIES[name].label, { family: name }, counts[i]?.data?.count)),
        tabOf(TRANSFORMATIONS, 'Transformations', { family: TRANSFORMATIONS }, transformations),
        tabOf('catalog', 'Catalog', { view: 'catalog' }),
        tabOf('activity', 'Activity', { view: 'activity' }),
      ]}
    />
  )
}
