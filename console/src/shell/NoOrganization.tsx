import { Button, Group, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, client, queryClient } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'

/** For users without an organization. */
export function NoOrganization() {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () => answer(client.POST('/api/organizations/', { body: { name } })),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries()
      await navigate({ to: '/organizations/$organization/projects', params: { organization: id } })
    },
  })
  return (
    <>
      <PageHeader title="Create an organization" />
      <EmptyState
        title="You do not belong to an organization"
        action={
          <form
            onSubmit={(event) => {
              event.preventDefault()
              create.mutate()
            }}
          >
            <Group align="flex-end">
              <TextInput
                label="Name"
                required
                maxLength={64}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <Button type="submit" loading={create.isPending}>
                Create
              </Button>
            </Group>
            {create.error && <ErrorAlert error={create.error} />}
          </form>
        }
      >
        Open the link of an invite to join one, or create your own. You become its owner.
      </EmptyState>
    </>
  )
}
