import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../shell/routes.tsx'

const pluginsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/plugins',
  component: lazyRouteComponent(() => import('./PluginsPage.tsx'), 'PluginsPage'),
})

const pluginRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/plugins/$family/$plugin',
  component: lazyRouteComponent(() => import('./PluginPage.tsx'), 'PluginPage'),
})

export const pluginsRoutes = [pluginsRoute, pluginRoute] as const
