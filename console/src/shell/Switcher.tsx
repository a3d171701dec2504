import { Button, Group, Menu, ScrollArea, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { answer, client, organizationQuery, organizationsQuery, queryClient } from '../api.ts'
import { notifyDone, notifyError } from '../parts/ErrorAlert.tsx'
import { CheckIcon, ChevronDownIcon, PlusIcon } from '../parts/icons.tsx'
import { useCurrentPlace, useMe } from './workspace.ts'

/** Chooses the organization and the project. `@current` changes only when the user asks for it. */
export function Switcher() {
  const me = useMe()
  const place = useCurrentPlace()
  const navigate = useNavigate()
  const organizations = useQuery(organizationsQuery)
  const organization = useQuery({
    ...organizationQuery(place.organization ?? ''),
    enabled: place.organization !== undefined,
  })
  const project = organization.data?.teams.find(({ id }) => String(id) === place.project)
  const isCurrent = me.team ? String(me.team.id) === place.project : false

  const open = (to: string, project?: number): void => {
    if (project === undefined)
      void navigate({ to: '/organizations/$organization/projects', params: { organization: to } })
    else
      void navigate({
        to: '/organizations/$organization/projects/$project/exports',
        params: { organization: to, project: String(project) },
      })
  }
  const makeCurrent = async (): Promise<void> => {
    try {
      await answer(client.PATCH('/api/users/@me/', { body: { set_current_team: Number(place.project) } }))
      await queryClient.invalidateQueries({ queryKey: ['me'] })
      notifyDone(`"@current" now refers to ${project?.name ?? 'this project'}.`)
    } catch (error) {
      notifyError(error)
    }
  }

  return (
    <Menu position="bottom-start" width={300}>
      <Menu.Target>
        <Button variant="default" rightSection={<ChevronDownIcon size={14} />} maw={{ base: 210, sm: 340 }}>
          <Group gap={6} wrap="nowrap" miw={0}>
            <Text size="sm" fw={600} truncate>
              {organization.data?.name ?? 'Choose an organization'}
            </Text>
            {project && (
              <Text size="sm" c="dimmed" truncate>
                / {project.name}
              </Text>
            )}
          </Group>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <ScrollArea.Autosize mah="70vh" type="auto">
          {organization.data && (
            <>
              <Menu.Label>Projects of {organization.data.name}</Menu.Label>
              {organization.data.teams.map(({ id, name }) => (
                <Menu.Item
                  key={id}
                  onClick={() => organization.data && open(organization.data.id, id)}
                  rightSection={String(id) === place.project ? <CheckIcon size={14} /> : null}
                >
                  {name}
                </Menu.Item>
              ))}
              {place.project !== undefined && !isCurrent && (
                <Menu.Item onClick={() => void makeCurrent()}>Use this project as @current</Menu.Item>
              )}
              <Menu.Divider />
            </>
          )}
          <Menu.Label>Organizations</Menu.Label>
          {organizations.data?.results.map(({ id, name, teams }) => (
            <Menu.Item
              key={id}
              onClick={() => open(id, teams[0]?.id)}
              rightSection={id === place.organization ? <CheckIcon size={14} /> : null}
            >
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item component={Link} to="/organizations/new" leftSection={<PlusIcon size={14} />}>
            New organization
          </Menu.Item>
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  )
}
