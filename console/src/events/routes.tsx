import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../shell/routes.tsx'
import { parseSearch } from './search.ts'

const eventsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/events',
  validateSearch: parseSearch,
  component: lazyRouteComponent(() => import('./EventsPage.tsx'), 'EventsPage'),
})

export const eventsRoutes = [eventsRoute] as const
