import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../shell/routes.tsx'
import { type Kind, kindOf } from './families.ts'

const TABS = ['source', 'test', 'logs', 'metrics', 'failed', 'jobs', 'activity'] as const
export type PluginTab = 'settings' | (typeof TABS)[number]

const LEVELS = ['INFO', 'WARN', 'ERROR']
const TIMES = ['1h', '24h', '7d']

/** The filter of the log. */
export interface LogSearch {
  level?: string | undefined
  text?: string | undefined
  since?: string | undefined
  page?: number | undefined
}

interface ListSearch {
  family?: Kind
  view?: 'catalog' | 'activity'
  page?: number
  /** The purpose of catalog entries. */
  purpose?: string
  /** Part of the name or description of catalog entries. */
  search?: string
}

interface PluginSearch extends LogSearch {
  tab?: Exclude<PluginTab, 'settings'>
  file?: string
  /** The time range of the metrics. */
  range?: '7d'
}

const oneOf = (value: unknown, values: readonly string[]): value is string =>
  typeof value === 'string' && values.includes(value)

const pageIn = (page: unknown): { page?: number } =>
  Number.isSafeInteger(page) && Number(page) > 1 ? { page: Number(page) } : {}

/** Defaults stay out of the URL. */
const pluginsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/plugins',
  validateSearch: ({ family, view, page, purpose, search }: Record<string, unknown>): ListSearch => ({
    ...(kindOf(family) !== 'destinations' && { family: kindOf(family) }),
    ...((view === 'catalog' || view === 'activity') && { view }),
    ...pageIn(page),
    ...(typeof purpose === 'string' && { purpose }),
    ...((typeof search === 'string' || typeof search === 'number') && { search: String(search) }),
  }),
  component: lazyRouteComponent(() => import('./PluginsPage.tsx'), 'PluginsPage'),
})

const pluginRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/plugins/$family/$plugin',
  validateSearch: ({ tab: name, file, level, text, since, range, page }: Record<string, unknown>): PluginSearch => {
    const tab = TABS.find((known) => known === name)
    return {
      ...(tab && { tab }),
      ...(typeof file === 'string' && { file }),
      ...(oneOf(level, LEVELS) && { level }),
      ...((typeof text === 'string' || typeof text === 'number') && { text: String(text) }),
      ...(oneOf(since, TIMES) && { since }),
      ...(range === '7d' && { range }),
      ...pageIn(page),
    }
  },
  component: lazyRouteComponent(() => import('./PluginPage.tsx'), 'PluginPage'),
})

export const pluginsRoutes = [pluginsRoute, pluginRoute] as const
