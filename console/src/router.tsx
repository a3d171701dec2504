import { createRouter } from '@tanstack/react-router'
import { accountRoutes } from './account/routes.tsx'
import { alertRoutes } from './alerts/routes.tsx'
import { credentialsRoutes } from './credentials/routes.tsx'
import { eventsRoutes } from './events/routes.tsx'
import { exportsRoutes } from './exports/routes.tsx'
import { homeRoutes } from './home/routes.tsx'
import { instanceRoutes } from './instance/routes.tsx'
import { organizationRoutes } from './organization/routes.tsx'
import { personsRoutes } from './persons/routes.tsx'
import { pluginsRoutes } from './plugins/routes.tsx'
import { queryRoutes } from './query/routes.tsx'
import { homeRoute, organizationRoute, projectRoute, rootRoute, signedInRoute } from './shell/routes.tsx'
import { publicRoutes, signedInRoutes } from './signin/routes.tsx'

const routeTree = rootRoute.addChildren([
  ...publicRoutes,
  signedInRoute.addChildren([
    homeRoute,
    ...signedInRoutes,
    ...accountRoutes,
    ...instanceRoutes,
    organizationRoute.addChildren([
      ...organizationRoutes,
      ...alertRoutes,
      ...credentialsRoutes,
      projectRoute.addChildren([
        ...homeRoutes,
        ...exportsRoutes,
        ...eventsRoutes,
        ...personsRoutes,
        ...queryRoutes,
        ...pluginsRoutes,
      ]),
    ]),
  ]),
])

export const router = createRouter({ routeTree, defaultPreload: 'intent', scrollRestoration: true })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
