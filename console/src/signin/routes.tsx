import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute, signedInRoute } from '../shell/routes.tsx'

interface LoginSearch {
  /** The path to open after the sign-in. */
  next?: string
  error_code?: string
  email?: string
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: (search: Record<string, unknown>): LoginSearch => ({
    next: text(search.next),
    error_code: text(search.error_code),
    email: text(search.email),
  }),
  component: lazyRouteComponent(() => import('./LoginPage.tsx'), 'LoginPage'),
})

const signupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signup/$invite',
  component: lazyRouteComponent(() => import('./SignupPage.tsx'), 'SignupPage'),
})

const resetRequestRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset',
  validateSearch: (search: Record<string, unknown>): { email?: string } => ({ email: text(search.email) }),
  component: lazyRouteComponent(() => import('./ResetPage.tsx'), 'ResetRequestPage'),
})

const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset/$uuid',
  component: lazyRouteComponent(() => import('./ResetPage.tsx'), 'ResetPage'),
})

const verifyEmailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/verify_email/$uuid',
  component: lazyRouteComponent(() => import('./VerifyEmailPage.tsx'), 'VerifyEmailPage'),
})

const newOrganizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/organizations/new',
  component: lazyRouteComponent(() => import('../shell/NoOrganization.tsx'), 'NoOrganization'),
})

export const publicRoutes = [loginRoute, signupRoute, resetRequestRoute, resetRoute, verifyEmailRoute] as const
export const signedInRoutes = [newOrganizationRoute] as const
