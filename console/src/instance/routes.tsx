import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../shell/routes.tsx'

const instanceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/instance',
  component: lazyRouteComponent(() => import('./InstancePage.tsx'), 'InstancePage'),
})

export const instanceRoutes = [instanceRoute] as const
