import { Alert, NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core'
import { answer, client, type Schemas } from '../api.ts'
import { FormActions } from '../parts/FormActions.tsx'
import { plural } from '../parts/format.ts'
import { WarningIcon } from '../parts/icons.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { PROJECT_KEYS } from './queries.ts'

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
  const before = project?.event_retention_days ?? null
  const { form, submit, isPending, error } = useServerForm({
    initialValues: {
      name: project?.name ?? '',
      keep: before === null ? 'ever' : 'days',
      event_retention_days: before ?? SUGGESTED_DAYS,
    },
    send: ({ name, keep, event_retention_days }) => {
      const body = { name, event_retention_days: keep === 'ever' ? null : Number(event_retention_days) }
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
    done: ({ name }) => (project ? `${name} is saved.` : `${name} is created.`),
    refreshes: PROJECT_KEYS,
    after: close,
  })
  const isLimited = form.values.keep === 'days'
  const days = Number(form.values.event_retention_days)
  const deletes = project && isLimited && (before === null || days < before)
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput label="Name" required maxLength={200} data-autofocus {...form.getInputProps('name')} />
        <Radio.Group
          label="Keep events"
          description="Events older than this, by their own time, are deleted in the background. Exports that ran already are not affected."
          {...form.getInputProps('keep')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="ever" label="For ever" />
            <Radio value="days" label="For a number of days" />
          </Stack>
        </Radio.Group>
        {isLimited && (
          <NumberInput
            label="Days"
            required
            min={1}
            max={MAX_RETENTION_DAYS}
            allowDecimal={false}
            {...form.getInputProps('event_retention_days')}
          />
        )}
        {deletes && (
          <Alert color="yellow" icon={<WarningIcon />} title="This deletes events">
            <Text size="sm">
              Events of {project.name} that are older than {plural(days, 'day')} are deleted soon after you save. They
              cannot be restored.
            </Text>
          </Alert>
        )}
        <FormActions
          submit={project ? 'Save project' : 'Create project'}
          cancel={close}
          isPending={isPending}
          error={error}
        />
      </Stack>
    </form>
  )
}
