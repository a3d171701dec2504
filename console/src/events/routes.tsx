import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../shell/routes.tsx'

const eventsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/events',
  component: lazyRouteComponent(() => import('./EventsPage.tsx'), 'EventsPage'),
})

export const eventsRoutes = [eventsRoute] as const
