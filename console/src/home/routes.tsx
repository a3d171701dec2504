import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../shell/routes.tsx'

const projectHomeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/home',
  component: lazyRouteComponent(() => import('./HomePage.tsx'), 'HomePage'),
})

export const homeRoutes = [projectHomeRoute] as const
