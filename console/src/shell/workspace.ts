import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
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

/** The place in the URL. On other pages, the current organization and project of the user. */
export function useCurrentPlace(): { organization: string | undefined; project: string | undefined } {
  const params = useParams({ strict: false })
  const me = useMe()
  const organization = params.organization ?? me.organization?.id
  const first = useQuery({ ...organizationQuery(organization ?? ''), enabled: organization !== undefined })
  const current = me.team && me.team.organization === organization ? me.team.id : first.data?.teams[0]?.id
  return { organization, project: params.project ?? (current === undefined ? undefined : String(current)) }
}
