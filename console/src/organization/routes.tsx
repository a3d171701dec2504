import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { organizationRoute } from '../shell/routes.tsx'
import { flagIn, pageIn, type RawSearch, textIn } from './search.ts'

interface ListSearch {
  page?: number
}

const listSearch = (search: RawSearch): ListSearch => ({ page: pageIn(search.page) })

const membersRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/members',
  validateSearch: (search: RawSearch): ListSearch & { search?: string } => ({
    ...listSearch(search),
    search: textIn(search.search),
  }),
  component: lazyRouteComponent(() => import('./MembersPage.tsx'), 'MembersPage'),
})

const invitesRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/invites',
  validateSearch: (search: RawSearch): ListSearch & { create?: true } => ({
    ...listSearch(search),
    create: flagIn(search.create),
  }),
  component: lazyRouteComponent(() => import('./InvitesPage.tsx'), 'InvitesPage'),
})

const domainsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/domains',
  validateSearch: (search: RawSearch): ListSearch & { create?: true } => ({
    ...listSearch(search),
    create: flagIn(search.create),
  }),
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
  validateSearch: (search: RawSearch): ListSearch & { create?: true; edit?: string } => ({
    ...listSearch(search),
    create: flagIn(search.create),
    edit: textIn(search.edit),
  }),
  component: lazyRouteComponent(() => import('./ProjectsPage.tsx'), 'ProjectsPage'),
})

export interface ActivitySearch {
  area?: string
  user?: string
  item?: string
  after?: string
  before?: string
  /** The position in the list, from `next` or `previous` of the API. */
  cursor?: string
  /** The id of the entry whose details are shown. */
  open?: string
}

const activityRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/activity',
  validateSearch: ({ area, user, item, after, before, cursor, open }: RawSearch): ActivitySearch => ({
    area: textIn(area),
    user: textIn(user),
    item: textIn(item),
    after: textIn(after),
    before: textIn(before),
    cursor: textIn(cursor),
    open: textIn(open),
  }),
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
