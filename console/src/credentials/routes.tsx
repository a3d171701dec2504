import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { pageIn, type RawSearch, textIn } from '../organization/search.ts'
import { organizationRoute } from '../shell/routes.tsx'

const credentialsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/credentials',
  validateSearch: (search: RawSearch): { page?: number } => ({ page: pageIn(search.page) }),
  component: lazyRouteComponent(() => import('./CredentialsPage.tsx'), 'CredentialsPage'),
})

const newCredentialRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/credentials/new',
  validateSearch: (search: RawSearch): { kind?: string } => ({ kind: textIn(search.kind) }),
  component: lazyRouteComponent(() => import('./NewCredentialPage.tsx'), 'NewCredentialPage'),
})

const credentialRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/credentials/$credential',
  validateSearch: (search: RawSearch): { page?: number } => ({ page: pageIn(search.page) }),
  component: lazyRouteComponent(() => import('./CredentialPage.tsx'), 'CredentialPage'),
})

export const credentialsRoutes = [credentialsRoute, newCredentialRoute, credentialRoute] as const
