import { Button, Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { answer, client } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { useServerForm } from '../parts/use-server-form.ts'

/** For users without an organization. */
export function NoOrganization() {
  const navigate = useNavigate()
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { name: '' },
    send: (body) => answer(client.POST('/api/organizations/', { body })),
    // The new organization is the current one of the user, so everything is loaded again.
    refreshes: [[]],
    after: ({ id }) => navigate({ to: '/organizations/$organization/projects', params: { organization: id } }),
  })
  return (
    <>
      <PageHeader title="Create an organization" />
      <EmptyState
        title="You do not belong to an organization"
        action={
          <form onSubmit={submit}>
            <Group align="flex-end">
              <TextInput label="Name" required maxLength={64} {...form.getInputProps('name')} />
              <Button type="submit" loading={isPending}>
                Create
              </Button>
            </Group>
            {error && <ErrorAlert error={error} />}
          </form>
        }
      >
        Open the link of an invite to join one, or create your own. You become its owner.
      </EmptyState>
    </>
  )
}
