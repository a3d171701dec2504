import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../shell/routes.tsx'
import { type NewExportSearch, STEPS } from './steps.ts'

interface ExportsSearch {
  /** Part of the name. */
  search?: string
  page?: number
}

export const TABS = ['overview', 'runs', 'backfills', 'logs', 'settings'] as const
export type Tab = (typeof TABS)[number]

export interface ExportSearch {
  tab?: Tab
  /** Only runs or backfills with this status. */
  status?: string
  /** The run that is unfolded. */
  run?: string
  /** The page of runs or backfills. */
  cursor?: string
  /** The lowest level of log lines. */
  level?: string
  /** Part of the log message. */
  text?: string
}

const text = (value: unknown): string | undefined => {
  // The router parses digits as a number.
  const shown = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return typeof shown === 'string' && shown !== '' ? shown : undefined
}

const exportsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/exports',
  validateSearch: (search: Record<string, unknown>): ExportsSearch => ({
    search: text(search.search),
    page: Number.isInteger(search.page) && Number(search.page) > 1 ? Number(search.page) : undefined,
  }),
  component: lazyRouteComponent(() => import('./ExportsPage.tsx'), 'ExportsPage'),
})

const newExportRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/exports/new',
  validateSearch: (search: Record<string, unknown>): NewExportSearch => ({
    type: text(search.type),
    provider: text(search.provider),
    step: STEPS.find((step) => step === search.step && step !== 'where'),
    search: text(search.search),
  }),
  component: lazyRouteComponent(() => import('./NewExportPage.tsx'), 'NewExportPage'),
})

const exportRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/exports/$export',
  validateSearch: (search: Record<string, unknown>): ExportSearch => ({
    tab: TABS.find((tab) => tab === search.tab),
    status: text(search.status),
    run: text(search.run),
    cursor: text(search.cursor),
    level: text(search.level),
    text: text(search.text),
  }),
  component: lazyRouteComponent(() => import('./ExportPage.tsx'), 'ExportPage'),
})

const editExportRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/exports/$export/edit',
  component: lazyRouteComponent(() => import('./EditExportPage.tsx'), 'EditExportPage'),
})

export const exportsRoutes = [exportsRoute, newExportRoute, exportRoute, editExportRoute] as const
