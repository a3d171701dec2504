import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { queryClient } from '../api.ts'
import { projectRoute } from '../shell/routes.tsx'
import { PERSON } from './paths.ts'
import { distinctIdQuery, personEventsQuery, personQuery } from './queries.ts'
import { parsePersonSearch, parsePersonsSearch, text } from './search.ts'

const personsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/persons',
  validateSearch: parsePersonsSearch,
  component: lazyRouteComponent(() => import('./PersonsPage.tsx'), 'PersonsPage'),
})

/** Events name their person by a distinct id only. */
const findPersonRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/persons/find',
  validateSearch: ({ distinct_id }: Record<string, unknown>): { distinct_id?: string } => ({
    distinct_id: text(distinct_id),
  }),
  loaderDeps: ({ search: { distinct_id = '' } }) => ({ distinct_id }),
  loader: async ({ params, deps: { distinct_id } }) => {
    const person = await queryClient.fetchQuery(distinctIdQuery(params.project, distinct_id))
    if (person) throw redirect({ to: PERSON, params: { ...params, person: person.id }, replace: true })
  },
  component: lazyRouteComponent(() => import('./NoPerson.tsx'), 'NoPerson'),
})

const personRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/persons/$person',
  validateSearch: parsePersonSearch,
  // The events need not wait for the person.
  loader: ({ params: { project, person } }) => {
    void queryClient.prefetchQuery(personQuery(project, person))
    void queryClient.prefetchQuery(personEventsQuery(project, person))
  },
  component: lazyRouteComponent(() => import('./PersonPage.tsx'), 'PersonPage'),
})

export const personsRoutes = [personsRoute, findPersonRoute, personRoute] as const
