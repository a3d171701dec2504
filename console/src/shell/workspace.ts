import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { meQuery, organizationQuery, projectQuery, type Schemas } from '../api.ts'

/** The organization in the URL. Only for pages below `/organizations/$organization`. */
export function useOrganization(): Schemas['Organization'] {
  const { organization = '' } = useParams({ strict: false })
  return useSuspenseQuery(organizationQuery(organization)).data
}

/** The project in the URL. Only for pages below `/organizations/$organization/projects/$project`. */
export function useProject(): Schemas['Project'] {
  const { project = '' } = useParams({ strict: false })
  return useSuspenseQuery(projectQuery(project)).data
}

export const useMe = (): Schemas['Me'] => useSuspenseQuery(meQuery).data
