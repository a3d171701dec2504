import { Alert, Button, Group, NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client, type Schemas, WorkspaceError } from '../api.ts'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { WarningIcon } from '../parts/icons.tsx'
import { invalidate } from './queries.ts'

const MAX_RETENTION_DAYS = 36_500
const SUGGESTED_DAYS = 365

/** Creates a project, or edits its name and retention. */
export function ProjectForm({
  organization_id,
  project,
  close,
}: {
  organization_id: string
  project: Schemas['Project'] | undefined
  close: () => void
}) {
  const [name, setName] = useState(project?.name ?? '')
  const [forEver, setForEver] = useState((project?.event_retention_days ?? null) === null)
  const [days, setDays] = useState<number | string>(project?.event_retention_days ?? SUGGESTED_DAYS)
  const event_retention_days = forEver ? null : Number(days)

  const save = useMutation({
    mutationFn: () => {
      const body = { name, event_retention_days }
      return project
        ? answer(
            client.PATCH('/api/organizations/{organization_id}/projects/{id}/', {
              params: { path: { organization_id, id: String(project.id) } },
              body,
            }),
          )
        : answer(
            client.POST('/api/organizations/{organization_id}/projects/', {
              params: { path: { organization_id } },
              body,
            }),
          )
    },
    onSuccess: async (saved) => {
      await invalidate('projects', 'project', 'organization', 'organizations')
      notifyDone(project ? `${saved.name} is saved.` : `${saved.name} is created.`)
      close()
    },
  })
  const errorOf = (field: string): string | undefined =>
    save.error instanceof WorkspaceError && save.error.attr === field ? save.error.detail : undefined
  const atField = errorOf('name') ?? errorOf('event_retention_days')
  const before = project?.event_retention_days ?? null
  const deletes = project && event_retention_days !== null && (before === null || event_retention_days < before)

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          required
          maxLength={200}
          data-autofocus
          value={name}
          error={errorOf('name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Radio.Group
          label="Keep events"
          description="Events older than this, by their own time, are deleted in the background. Exports that ran already are not affected."
          value={forEver ? 'ever' : 'days'}
          onChange={(value) => setForEver(value === 'ever')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="ever" label="For ever" />
            <Radio value="days" label="For a number of days" />
          </Stack>
        </Radio.Group>
        {!forEver && (
          <NumberInput
            label="Days"
            required
            min={1}
            max={MAX_RETENTION_DAYS}
            allowDecimal={false}
            value={days}
            error={errorOf('event_retention_days')}
            onChange={setDays}
          />
        )}
        {deletes && (
          <Alert color="yellow" icon={<WarningIcon />} title="This deletes events">
            <Text size="sm">
              Events of {project.name} that are older than {plural(event_retention_days, 'day')} are deleted soon after
              you save. They cannot be restored.
            </Text>
          </Alert>
        )}
        {save.error && atField === undefined && <ErrorAlert error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {project ? 'Save project' : 'Create project'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
