import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../shell/routes.tsx'

const exportsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/exports',
  component: lazyRouteComponent(() => import('./ExportsPage.tsx'), 'ExportsPage'),
})

const newExportRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/exports/new',
  component: lazyRouteComponent(() => import('./NewExportPage.tsx'), 'NewExportPage'),
})

const exportRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/exports/$export',
  component: lazyRouteComponent(() => import('./ExportPage.tsx'), 'ExportPage'),
})

const editExportRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/exports/$export/edit',
  component: lazyRouteComponent(() => import('./EditExportPage.tsx'), 'EditExportPage'),
})

export const exportsRoutes = [exportsRoute, newExportRoute, exportRoute, editExportRoute] as const
