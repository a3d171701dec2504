import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { flagIn, pageIn, type RawSearch, textIn } from '../organization/search.ts'
import { organizationRoute } from '../shell/routes.tsx'

interface AlertsSearch {
  page?: number
  create?: true
  /** The id of the alert that is edited. */
  edit?: string
}

const alertsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/alerts',
  validateSearch: (search: RawSearch): AlertsSearch => ({
    page: pageIn(search.page),
    create: flagIn(search.create),
    edit: textIn(search.edit),
  }),
  component: lazyRouteComponent(() => import('./AlertsPage.tsx'), 'AlertsPage'),
})

export const alertRoutes = [alertsRoute] as const
