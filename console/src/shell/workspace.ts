import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { meQuery, organizationQuery, projectQuery, queryClient, type Schemas, WorkspaceError } from '../api.ts'

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

interface Place {
  organization: string | undefined
  project: string | undefined
}

/** The storage belongs to the tab, so two tabs can show two organizations. */
const STORED = 'workspace'

function keptPlace(): Place {
  const [organization, project] = sessionStorage.getItem(STORED)?.split('/') ?? []
  return { organization, project: project || undefined }
}

export const forgetPlace = (): void => sessionStorage.removeItem(STORED)

/** Keeps the place in the URL for pages without one. The pages of an organization keep its last project. */
export function useKeepPlace(): void {
  const { organization, project } = useParams({ strict: false })
  useEffect(() => {
    if (organization === undefined) return
    const kept = keptPlace()
    const last = kept.organization === organization ? kept.project : undefined
    sessionStorage.setItem(STORED, `${organization}/${project ?? last ?? ''}`)
  }, [organization, project])
}

/** The kept project, else the current project of the user, else the first one. `teams` is unknown while it loads. */
function projectOf(organization: string, teams: { id: number }[] | undefined, me: Schemas['Me']): string | undefined {
  const kept = keptPlace()
  const wanted = [
    kept.organization === organization ? kept.project : undefined,
    me.team?.organization === organization ? String(me.team.id) : undefined,
  ]
  const ids = teams?.map(({ id }) => String(id))
  return wanted.find((id) => id !== undefined && (ids?.includes(id) ?? true)) ?? ids?.[0]
}

const placeOfUser = ({ organization, team }: Schemas['Me']): Place => ({
  organization: organization?.id,
  project: team && team.organization === organization?.id ? String(team.id) : undefined,
})

/** The user may have lost the organization of this tab, or another user has signed in. */
const isLost = (error: unknown): boolean => error instanceof WorkspaceError && error.status === 404

/** The place of this tab. Without one, the current organization and project of the user. */
export async function currentPlace(me: Schemas['Me']): Promise<Place> {
  const organization = keptPlace().organization ?? me.organization?.id
  if (organization === undefined) return placeOfUser(me)
  try {
    const found = await queryClient.fetchQuery(organizationQuery(organization))
    return { organization, project: projectOf(organization, found.teams, me) }
  } catch (error) {
    if (isLost(error)) return placeOfUser(me)
    throw error
  }
}

/** The place in the URL. On pages without one, the place of this tab. */
export function useCurrentPlace(): Place {
  const params = useParams({ strict: false })
  const me = useMe()
  const organization = params.organization ?? keptPlace().organization ?? me.organization?.id
  const { data, error } = useQuery({ ...organizationQuery(organization ?? ''), enabled: organization !== undefined })
  if (organization === undefined || (params.organization === undefined && isLost(error))) return placeOfUser(me)
  return { organization, project: params.project ?? projectOf(organization, data?.teams, me) }
}
