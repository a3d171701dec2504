import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organizationRoute } from '../shell/routes.tsx'

const membersRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/members',
  component: lazyRouteComponent(() => import('./MembersPage.tsx'), 'MembersPage'),
})

const invitesRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/invites',
  component: lazyRouteComponent(() => import('./InvitesPage.tsx'), 'InvitesPage'),
})

const domainsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/domains',
  component: lazyRouteComponent(() => import('./DomainsPage.tsx'), 'DomainsPage'),
})

const domainRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/domains/$domain',
  component: lazyRouteComponent(() => import('./DomainPage.tsx'), 'DomainPage'),
})

const projectsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/projects',
  component: lazyRouteComponent(() => import('./ProjectsPage.tsx'), 'ProjectsPage'),
})

const activityRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/activity',
  component: lazyRouteComponent(() => import('./ActivityPage.tsx'), 'ActivityPage'),
})

const settingsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./SettingsPage.tsx'), 'SettingsPage'),
})

export const organizationRoutes = [
  membersRoute,
  invitesRoute,
  domainsRoute,
  domainRoute,
  projectsRoute,
  activityRoute,
  settingsRoute,
] as const
