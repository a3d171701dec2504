import { Group, Modal, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { answer, client, type Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmDialog } from '../parts/ConfirmButton.tsx'
import { Copy, CopyIconButton } from '../parts/Copy.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { PlusIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { ActionsHeader, DataTable } from './DataTable.tsx'
import { useDialogItem } from './dialog-item.ts'
import { ProjectForm } from './ProjectForm.tsx'
import { invalidate, PAGE_SIZE, projectsQuery } from './queries.ts'

type Project = Schemas['Project']

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

export const retentionText = (days: number | null): string => (days === null ? 'For ever' : plural(days, 'day'))

function ProjectTable({
  organization,
  projects,
  reason,
  onEdit,
}: {
  organization: Schemas['Organization']
  projects: Project[] | undefined
  reason: string | undefined
  onEdit: (project: Project) => void
}) {
  const reset = useDialogItem<Project>()
  const deletion = useDialogItem<Project>()
  const paramsOf = ({ id }: Project) => ({ path: { organization_id: organization.id, id: String(id) } })

  const resetToken = async (project: Project): Promise<void> => {
    await answer(
      client.PATCH('/api/organizations/{organization_id}/projects/{id}/reset_token/', { params: paramsOf(project) }),
    )
    await invalidate('projects', 'project', 'organization', 'me')
    notifyDone(`${project.name} has a new token.`)
  }
  const remove = async (project: Project): Promise<void> => {
    await answer(client.DELETE('/api/organizations/{organization_id}/projects/{id}/', { params: paramsOf(project) }))
    await invalidate('projects', 'organization', 'organizations', 'me')
    notifyDone(`${project.name} is deleted.`)
  }

  return (
    <>
      <DataTable
        label="Projects"
        columns={['Name', 'Id', 'Token', 'Time zone', 'Events are kept', ActionsHeader]}
        minWidth={860}
        loading={projects === undefined}
      >
        {projects?.map((project) => (
          <Table.Tr key={project.id}>
            <Table.Td>
              <Link
                to="/organizations/$organization/projects/$project/exports"
                params={{ organization: organization.id, project: String(project.id) }}
                className="row-link wrap"
              >
                {project.name}
              </Link>
            </Table.Td>
            <Table.Td>
              <Copy value={String(project.id)} label={`id of ${project.name}`} />
            </Table.Td>
            <Table.Td>
              <TokenCell project={project} />
            </Table.Td>
            <Table.Td>{project.timezone}</Table.Td>
            <Table.Td>
              <Text size="sm">{retentionText(project.event_retention_days)}</Text>
            </Table.Td>
            <Table.Td>
              <RowActions
                project={project}
                reason={reason}
                onEdit={() => onEdit(project)}
                onReset={() => reset.ask(project)}
                onDelete={() => deletion.ask(project)}
              />
            </Table.Td>
          </Table.Tr>
        ))}
      </DataTable>
      {reset.item && (
        <ConfirmDialog
          opened={reset.opened}
          close={reset.close}
          title={`Reset the token of ${reset.item.name}?`}
          effect="The old token stops working at once. Websites, apps and servers that still use it get an error and their events are lost until they use the new token."
          confirm="Reset token"
          danger
          onConfirm={() => (reset.item ? resetToken(reset.item) : Promise.resolve())}
        />
      )}
      {deletion.item && (
        <ConfirmDialog
          opened={deletion.opened}
          close={deletion.close}
          title={`Delete ${deletion.item.name}?`}
          effect="The project is deleted at once with its events, exports, runs and plugin configurations. Data that was exported already stays at its destination. This cannot be undone."
          confirm="Delete project"
          danger
          typed={deletion.item.name}
          onConfirm={() => (deletion.item ? remove(deletion.item) : Promise.resolve())}
        />
      )}
    </>
  )
}

const SHOWN_TOKEN = 14

/** The whole token would take half of the row. */
function TokenCell({ project: { api_token, name } }: { project: Project }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <span className="mono">{api_token.slice(0, SHOWN_TOKEN)}…</span>
      <CopyIconButton value={api_token} label={`token of ${name}`} />
    </Group>
  )
}

function RowActions({
  project: { name },
  reason,
  onEdit,
  onReset,
  onDelete,
}: {
  project: Project
  reason: string | undefined
  onEdit: () => void
  onReset: () => void
  onDelete: () => void
}) {
  const action = (label: string, of: string, onClick: () => void, color?: string) => (
    <ActionButton
      size="compact-sm"
      variant="subtle"
      aria-label={of}
      disabledReason={reason}
      onClick={onClick}
      {...(color !== undefined && { color })}
    >
      {label}
    </ActionButton>
  )
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {action('Edit', `Edit ${name}`, onEdit)}
      {action('Reset token', `Reset token of ${name}`, onReset)}
      {action('Delete', `Delete ${name}`, onDelete, 'red')}
    </Group>
  )
}
