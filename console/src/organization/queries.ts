/** The lists of an organization. Keys start with their area, so a mutation invalidates all pages at once. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answer, client, queryClient } from '../api.ts'

export const PAGE_SIZE = 50

const pageOf = (page: number) => ({ limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE })

export const membersQuery = (organization_id: string, page: number, search: string | undefined) =>
  queryOptions({
    queryKey: ['members', organization_id, page, search],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/members/', {
          params: { path: { organization_id }, query: { ...pageOf(page), ...(search !== undefined && { search }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const invitesQuery = (organization_id: string, page: number) =>
  queryOptions({
    queryKey: ['invites', organization_id, page],
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
    queryKey: ['domains', organization_id, page],
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
    queryKey: ['projects', organization_id, page],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/projects/', {
          params: { path: { organization_id }, query: pageOf(page) },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const invalidate = (...areas: string[]): Promise<unknown> =>
  Promise.all(areas.map((area) => queryClient.invalidateQueries({ queryKey: [area] })))
