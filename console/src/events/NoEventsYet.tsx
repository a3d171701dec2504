import type { ReactNode } from 'react'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { useOrganization, useProject } from '../shell/workspace.ts'

/** Leads from a page of a project without events to its first event. */
export function NoEventsYet({ children }: { children: ReactNode }) {
  const organization = useOrganization()
  const project = useProject()
  return (
    <EmptyState
      title="No events yet"
      action={
        <ButtonLink
          to="/organizations/$organization/projects/$project/home"
          params={{ organization: organization.id, project: String(project.id) }}
        >
          Send the first event
        </ButtonLink>
      }
    >
      {children}
    </EmptyState>
  )
}
