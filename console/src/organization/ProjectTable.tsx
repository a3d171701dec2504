import { Group, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { answer, client, type Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmDialog } from '../parts/ConfirmButton.tsx'
import { Copy, CopyIconButton } from '../parts/Copy.tsx'
import { plural } from '../parts/format.ts'
import { useChange } from '../parts/use-change.ts'
import { ActionsHeader, DataTable } from './DataTable.tsx'
import { useDialogItem } from './dialog-item.ts'
import { PROJECT_KEYS } from './queries.ts'

type Project = Schemas['Project']

const retentionText = (days: number | null): string => (days === null ? 'For ever' : plural(days, 'day'))

/** The projects, with dialogs that reset their token or delete them. */
export function ProjectTable({
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

  const { item: resetItem } = reset
  const { item: deleted } = deletion

  const resetToken = useChange({
    send: (project: Project) =>
      answer(
        client.PATCH('/api/organizations/{organization_id}/projects/{id}/reset_token/', { params: paramsOf(project) }),
      ),
    done: (_saved, { name }) => `${name} has a new token.`,
    refreshes: PROJECT_KEYS,
  })
  const remove = useChange({
    send: (project: Project) =>
      answer(client.DELETE('/api/organizations/{organization_id}/projects/{id}/', { params: paramsOf(project) })),
    done: (_deleted, { name }) => `${name} is deleted.`,
    refreshes: PROJECT_KEYS,
  })

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
      {resetItem && (
        <ConfirmDialog
          opened={reset.opened}
          close={reset.close}
          title={`Reset the token of ${resetItem.name}?`}
          effect="The old token stops working at once. Websites, apps and servers that still use it get an error and their events are lost until they use the new token."
          confirm="Reset token"
          danger
          onConfirm={() => resetToken.mutateAsync(resetItem)}
        />
      )}
      {deleted && (
        <ConfirmDialog
          opened={deletion.opened}
          close={deletion.close}
          title={`Delete ${deleted.name}?`}
          effect="The project is deleted at once with its events, exports, runs and plugin configurations. Data that was exported already stays at its destination. This cannot be undone."
          confirm="Delete project"
          danger
          typed={deleted.name}
          onConfirm={() => remove.mutateAsync(deleted)}
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
