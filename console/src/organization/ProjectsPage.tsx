import { Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ActionButton } from '../parts/ActionButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { ProjectForm } from './ProjectForm.tsx'
import { ProjectTable } from './ProjectTable.tsx'
import { PAGE_SIZE, projectsQuery } from './queries.ts'

const route = getRouteApi('/signed-in/organizations/$organization/projects')

export function ProjectsPage() {
  const organization = useOrganization()
  const navigate = route.useNavigate()
  const { page = 1, create, edit } = route.useSearch()
  const projects = useQuery(projectsQuery(organization.id, page))
  const isEmpty = projects.data?.results.length === 0
  const reason = needsLevel(organization.membership_level, ADMINISTRATOR)
  const edited = projects.data?.results.find(({ id }) => String(id) === edit)
  const closeForm = (): void =>
    void navigate({ search: (before) => ({ ...before, create: undefined, edit: undefined }), replace: true })

  const newButton = (
    <ActionButton
      leftSection={<PlusIcon />}
      disabledReason={reason}
      onClick={() => void navigate({ search: (before) => ({ ...before, create: true }) })}
    >
      New project
    </ActionButton>
  )
  return (
    <>
      <PageHeader
        title="Projects"
        description="A project holds events, and the exports and plugins that use them. Senders use its token."
        actions={isEmpty ? undefined : newButton}
      />
      {projects.error ? (
        <ErrorAlert
          error={projects.error}
          title="The projects could not be loaded"
          retry={() => void projects.refetch()}
        />
      ) : isEmpty ? (
        <EmptyState title="No projects" action={newButton}>
          Create a project to receive events.
        </EmptyState>
      ) : (
        <>
          <ProjectTable
            organization={organization}
            projects={projects.data?.results}
            reason={reason}
            onEdit={({ id }) => void navigate({ search: (before) => ({ ...before, edit: String(id) }) })}
          />
          {projects.data && (
            <Pager
              count={projects.data.count}
              limit={PAGE_SIZE}
              page={page}
              noun="project"
              onChange={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
            />
          )}
        </>
      )}
      <Modal
        opened={reason === undefined && (create === true || edited !== undefined)}
        onClose={closeForm}
        title={edited ? `Edit ${edited.name}` : 'New project'}
      >
        <ProjectForm organization_id={organization.id} project={edited} close={closeForm} />
      </Modal>
    </>
  )
}
