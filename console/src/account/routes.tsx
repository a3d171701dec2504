import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../shell/routes.tsx'

const profileRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account/profile',
  component: lazyRouteComponent(() => import('./ProfilePage.tsx'), 'ProfilePage'),
})

const securityRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account/security',
  component: lazyRouteComponent(() => import('./SecurityPage.tsx'), 'SecurityPage'),
})

const sessionsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account/sessions',
  validateSearch: ({ page }: Record<string, unknown>): { page?: number } =>
    Number.isSafeInteger(page) && Number(page) > 1 ? { page: Number(page) } : {},
  component: lazyRouteComponent(() => import('./SessionsPage.tsx'), 'SessionsPage'),
})

const keysRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account/keys',
  component: lazyRouteComponent(() => import('./KeysPage.tsx'), 'KeysPage'),
})

export const accountRoutes = [profileRoute, securityRoute, sessionsRoute, keysRoute] as const
