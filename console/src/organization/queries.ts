/** The lists of an organization. A list has a key for all of its pages, which a change refreshes. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answer, client, meQuery, organizationsQuery } from '../api.ts'
import type { ActivitySearch } from './routes.tsx'

export const PAGE_SIZE = 50
const SUGGESTIONS = 20

export const membersKey = ['members']
export const invitesKey = ['invites']
export const domainsKey = ['domains']
export const projectsKey = ['projects']

/** Everything that shows projects. */
export const PROJECT_KEYS = [projectsKey, ['project'], ['organization'], organizationsQuery.queryKey, meQuery.queryKey]

const pageOf = (page: number) => ({ limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE })

export const membersQuery = (organization_id: string, page: number, search: string | undefined) =>
  queryOptions({
    queryKey: [...membersKey, organization_id, page, search],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/members/', {
          params: { path: { organization_id }, query: { ...pageOf(page), ...(search !== undefined && { search }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  })

/** Members whose name or address contains the text. */
export const suggestedMembersQuery = (organization_id: string, search: string) =>
  queryOptions({
    queryKey: [...membersKey, organization_id, 'suggested', search],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/members/', {
          params: { path: { organization_id }, query: { limit: SUGGESTIONS, ...(search && { search }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const invitesQuery = (organization_id: string, page: number) =>
  queryOptions({
    queryKey: [...invitesKey, organization_id, page],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/invites/', {
          params: { path: { organization_id }, query: pageOf(page) },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const domainsQuery = (organization_id: string, page: number) =>
  queryOptions({
    queryKey: [...domainsKey, organization_id, page],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/domains/', {
          params: { path: { organization_id }, query: pageOf(page) },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const domainQuery = (organization_id: string, id: string) =>
  queryOptions({
    queryKey: ['domain', organization_id, id],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/domains/{id}/', { params: { path: { organization_id, id } } }),
      ),
  })

export const projectsQuery = (organization_id: string, page: number) =>
  queryOptions({
    queryKey: [...projectsKey, organization_id, page],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/projects/', {
          params: { path: { organization_id }, query: pageOf(page) },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const activityQuery = (organization_id: string, search: ActivitySearch) => {
  const { area, user, item, after, before, cursor } = search
  return queryOptions({
    queryKey: ['activity', organization_id, area, user, item, after, before, cursor],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/activity_log/', {
          params: {
            path: { organization_id },
            query: {
              limit: PAGE_SIZE,
              ...(area !== undefined && { area }),
              ...(user !== undefined && { user }),
              ...(item !== undefined && { item_id: item }),
              ...(after !== undefined && { after }),
              ...(before !== undefined && { before }),
              ...(cursor !== undefined && { cursor }),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  })
}
