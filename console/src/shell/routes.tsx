/** The parent routes of the pages of all areas. */
import { createRootRoute, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import { isSignedOut, meQuery, organizationQuery, projectQuery, queryClient } from '../api.ts'
import { Reauthentication } from '../signin/Reauthentication.tsx'
import { NotFound, RouteError } from './RouteError.tsx'
import { Shell } from './Shell.tsx'
import { currentPlace, useKeepPlace } from './workspace.ts'

export const rootRoute = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <Reauthentication />
    </>
  ),
  errorComponent: RouteError,
  notFoundComponent: NotFound,
})

/** Everything that needs a session. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const me = await queryClient.ensureQueryData(meQuery).catch((error) => {
      if (isSignedOut(error)) throw redirect({ to: '/login', search: { next: location.href } })
      throw error
    })
    return { me }
  },
  component: Shell,
  errorComponent: RouteError,
  notFoundComponent: NotFound,
})

export const organizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/organizations/$organization',
  loader: ({ params }) => queryClient.ensureQueryData(organizationQuery(params.organization)),
  component: () => {
    useKeepPlace()
    return <Outlet />
  },
  errorComponent: RouteError,
})

export const projectRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/projects/$project',
  loader: ({ params }) => queryClient.ensureQueryData(projectQuery(params.project)),
  errorComponent: RouteError,
})

/** Opens the home of this tab's project. */
export const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: async ({ context: { me } }) => {
    const { organization, project } = await currentPlace(me)
    if (organization === undefined) return
    if (project === undefined) throw redirect({ to: '/organizations/$organization/projects', params: { organization } })
    throw redirect({
      to: '/organizations/$organization/projects/$project/home',
      params: { organization, project },
    })
  },
  component: lazyRouteComponent(() => import('./NoOrganization.tsx'), 'NoOrganization'),
})
