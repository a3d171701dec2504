import type { useNavigate } from '@tanstack/react-router'
import { meQuery, queryClient } from '../api.ts'
import { forgetPlace } from '../shell/workspace.ts'

/** After the user left or deleted an organization, opens the one that is current now. */
export async function openAnotherOrganization(navigate: ReturnType<typeof useNavigate>, left: string): Promise<void> {
  await queryClient.fetchQuery({ ...meQuery, staleTime: 0 })
  forgetPlace()
  await navigate({ to: '/' })
  queryClient.removeQueries({ queryKey: ['organization', left] })
  await queryClient.invalidateQueries({ queryKey: ['organizations'] })
}
