/** Stored credentials, which the API calls integrations. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answer, client, queryClient, type Schemas } from '../api.ts'

export type Integration = Schemas['Integration']
export type IntegrationKind = Schemas['IntegrationKind']

/** For the parts of the page of stored credentials. */
export interface CredentialProps {
  integration: Integration
}

export const PAGE_SIZE = 50
/** As many as a list to choose from can show. */
const MAX_CHOICES = 1_000

const pageOf = (page: number) => ({ limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE })

/** Of all lists. */
export const integrationsKey = ['integrations']

export const integrationsQuery = (organization_id: string, page: number) =>
  queryOptions({
    queryKey: [...integrationsKey, organization_id, page],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/integrations/', {
          params: { path: { organization_id }, query: pageOf(page) },
        }),
      ),
    placeholderData: keepPreviousData,
  })

export const integrationsOfKindQuery = (organization_id: string, kind: IntegrationKind) =>
  queryOptions({
    queryKey: [...integrationsKey, organization_id, kind],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/integrations/', {
          params: { path: { organization_id }, query: { kind, limit: MAX_CHOICES } },
        }),
      ),
  })

export const integrationQuery = (organization_id: string, id: string) =>
  queryOptions({
    queryKey: ['integration', organization_id, id],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/integrations/{id}/', {
          params: { path: { organization_id, id } },
        }),
      ),
  })

/** The exports of all projects that use the credentials. */
export const usersQuery = (organization_id: string, integration: string, page: number) =>
  queryOptions({
    queryKey: ['integration', organization_id, integration, 'exports', page],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/batch_exports/', {
          params: { path: { organization_id }, query: { integration, ...pageOf(page) } },
        }),
      ),
    placeholderData: keepPreviousData,
  })

/** Everything that shows the credentials. */
export const INTEGRATION_KEYS = [integrationsKey, ['integration'], ['exports'], ['export']]

export const storeIntegration = (organization_id: string, integration: Integration): void =>
  void queryClient.setQueryData(integrationQuery(organization_id, integration.id).queryKey, integration)
