import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../shell/routes.tsx'
import { type Family, familyOf } from './families.ts'

export type ListView = 'installed' | 'catalog' | 'activity'
export type PluginTab = 'settings' | 'source' | 'activity'

interface ListSearch {
  family?: Family
  view?: Exclude<ListView, 'installed'>
  page?: number
  /** The purpose of catalog entries. */
  purpose?: string
}

interface PluginSearch {
  tab?: Exclude<PluginTab, 'settings'>
  file?: string
}

/** Defaults stay out of the URL. */
const pluginsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/plugins',
  validateSearch: ({ family, view, page, purpose }: Record<string, unknown>): ListSearch => ({
    ...(familyOf(family) !== 'destinations' && { family: familyOf(family) }),
    ...((view === 'catalog' || view === 'activity') && { view }),
    ...(Number.isSafeInteger(page) && Number(page) > 1 && { page: Number(page) }),
    ...(typeof purpose === 'string' && { purpose }),
  }),
  component: lazyRouteComponent(() => import('./PluginsPage.tsx'), 'PluginsPage'),
})

const pluginRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/plugins/$family/$plugin',
  validateSearch: ({ tab, file }: Record<string, unknown>): PluginSearch => ({
    ...((tab === 'source' || tab === 'activity') && { tab }),
    ...(typeof file === 'string' && { file }),
  }),
  component: lazyRouteComponent(() => import('./PluginPage.tsx'), 'PluginPage'),
})

export const pluginsRoutes = [pluginsRoute, pluginRoute] as const
