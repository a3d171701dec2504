import './exports.css'
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { answer, client, type Schemas } from '../api.ts'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { TestPart } from './ConnectionTest.tsx'
import { useDestinationFields } from './CredentialChoice.tsx'
import { fieldsThatApply } from './config-schema.ts'
import { DestinationFields } from './DestinationFields.tsx'
import { DESTINATIONS, DestinationIcon } from './destinations.tsx'
import { type ExportValues, sentChanges, valuesOf } from './export-values.ts'
import { FormPart } from './FormPart.tsx'
import { failureAt } from './form-errors.ts'
import { EXPORT } from './paths.ts'
import { invalidateExport, storeExport } from './queries.ts'
import { RowsFields } from './RowsFields.tsx'
import { ScheduleFields } from './ScheduleFields.tsx'
import { TimeLimits } from './TimeLimits.tsx'
import { useConnectionTest } from './use-connection-test.ts'
import { useInvalidFocus } from './use-invalid-focus.ts'

/** All fields of an export on one page. Only changed fields are sent, so stored secrets are kept. */
export function EditExportForm({
  row,
  place,
}: {
  row: Schemas['BatchExport']
  place: { organization: string; project: string; export: string }
}) {
  const { project } = place
  const { type } = row.destination
  const form = useForm<ExportValues>({ initialValues: valuesOf(row) })
  const { values } = form
  const { config, integration } = values.destinations[type]
  const fields = useDestinationFields(type, integration)
  const isSaved = row.destination.integration === null
  const navigate = useNavigate()
  const { ref, focus } = useInvalidFocus<HTMLFormElement>()
  const test = useConnectionTest(project, form, { type, fields, isSaved }, focus)
  const context = { type, fields, values, isSaved }
  const save = useMutation({
    mutationFn: () =>
      answer(
        client.PATCH('/api/projects/{project_id}/batch_exports/{id}/', {
          params: { path: { project_id: project, id: row.id } },
          body: sentChanges(form.getInitialValues(), values, type, fields),
        }),
      ),
    onSuccess: async (saved) => {
      storeExport(project, saved)
      notifyDone(`Saved the export "${saved.name}".`)
      void invalidateExport(project, row.id)
      await navigate({ to: EXPORT, params: place })
    },
    onError: (error) => {
      const failure = failureAt(error, context)
      if (!failure) return
      form.setErrors(failure.errors)
      focus()
    },
  })
  const hasUntypedSecrets =
    isSaved &&
    integration === null &&
    fieldsThatApply(fields, config).some(
      ({ key, kind, required, mayBeEmpty }) => kind === 'secret' && (required || mayBeEmpty) && !config[key],
    )
  return (
    <form
      ref={ref}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Stack gap="md" maw={880}>
        <FormPart
          title={DESTINATIONS[type].label}
          icon={<DestinationIcon type={type} size={36} />}
          description={DESTINATIONS[type].description}
        >
          <DestinationFields form={form} type={type} fields={fields} isSaved={isSaved} />
          <TestPart
            test={test}
            disabledReason={
              hasUntypedSecrets ? 'Type the secrets again to test: the server never returns them.' : undefined
            }
          />
        </FormPart>
        <FormPart title="What is exported">
          <RowsFields {...{ form, type, project }} isSaved failure={save.error} />
        </FormPart>
        <FormPart title="When it runs">
          <TextInput label="Name" required maxLength={400} autoComplete="off" {...form.getInputProps('name')} />
          <ScheduleFields form={form} />
          <TimeLimits form={form} />
        </FormPart>
        {save.error && !failureAt(save.error, context) && <ErrorAlert error={save.error} />}
        <Group justify="flex-end">
          <ButtonLink variant="default" to={EXPORT} params={place}>
            Cancel
          </ButtonLink>
          <Button type="submit" loading={save.isPending}>
            Save export
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
