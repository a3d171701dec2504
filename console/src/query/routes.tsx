import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../shell/routes.tsx'
import { parseSearch } from './search.ts'

const queryRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/query',
  validateSearch: parseSearch,
  component: lazyRouteComponent(() => import('./QueryPage.tsx'), 'QueryPage'),
})

export const queryRoutes = [queryRoute] as const
