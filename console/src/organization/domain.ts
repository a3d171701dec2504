import { answer, client, queryClient, type Schemas } from '../api.ts'
import { domainQuery } from './queries.ts'

type Domain = Schemas['Domain']

/** For the parts of the page of a domain. */
export interface DomainProps {
  organization_id: string
  domain: Domain
  /** Why the user cannot change the domain. */
  reason: string | undefined
}

export const storeDomain = (organization_id: string, domain: Domain): void =>
  void queryClient.setQueryData(domainQuery(organization_id, domain.id).queryKey, domain)

export const updateDomain = (organization_id: string, id: string, body: Schemas['DomainWrite']): Promise<Domain> =>
  answer(
    client.PATCH('/api/organizations/{organization_id}/domains/{id}/', {
      params: { path: { organization_id, id } },
      body,
    }),
  )

export const SAVED = 'The sign-in settings are saved.'
