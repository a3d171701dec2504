import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { answer, client } from '../api.ts'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { ConnectionStep } from './ConnectionStep.tsx'
import { useDestinationFields } from './CredentialChoice.tsx'
import { PROVIDERS, providerOf } from './destination-tiles.ts'
import { DESTINATIONS, type DestinationType } from './destinations.tsx'
import { type ExportFormState, sentExport, suggestedName } from './export-values.ts'
import { FormPart } from './FormPart.tsx'
import { failureAt } from './form-errors.ts'
import { MODELS } from './models.ts'
import { EXPORT, NEW_EXPORT } from './paths.ts'
import { invalidateExport, storeExport } from './queries.ts'
import { RowsFields } from './RowsFields.tsx'
import { ScheduleFields } from './ScheduleFields.tsx'
import { StepNav } from './StepNav.tsx'
import { scheduleText } from './schedule.ts'
import { type NewExportSearch, STEPS, type Step } from './steps.ts'
import { TimeLimits } from './TimeLimits.tsx'
import { useConnectionTest } from './use-connection-test.ts'
import { useInvalidFocus } from './use-invalid-focus.ts'

/** The steps of a new export to one destination. A step can be entered when the connection was tested. */
export function NewExportForm({
  form,
  type,
  place,
  search,
}: {
  form: ExportFormState
  type: DestinationType
  place: { organization: string; project: string }
  search: NewExportSearch
}) {
  const { project } = place
  const { values } = form
  const navigate = useNavigate()
  const provider = providerOf(type, search.provider)
  const { examples = {}, label = DESTINATIONS[type].label } = PROVIDERS[provider ?? ''] ?? {}
  const fields = useDestinationFields(type, values.destinations[type].integration).map((field) => ({
    ...field,
    ...(examples[field.key] !== undefined && { example: examples[field.key] }),
  }))
  const step = search.step ?? 'where'
  const { ref, focus } = useInvalidFocus<HTMLFormElement>(step)
  const test = useConnectionTest(project, form, { type, fields, isSaved: false }, focus)
  const goTo = (next: Step): Promise<void> =>
    navigate({
      to: NEW_EXPORT,
      params: place,
      search: { type, provider: search.provider, step: next === 'where' ? undefined : next },
    })
  const context = { type, fields, values, isSaved: false }
  const create = useMutation({
    mutationFn: () =>
      answer(
        client.POST('/api/projects/{project_id}/batch_exports/', {
          params: { path: { project_id: project } },
          body: sentExport(values, type, fields),
        }),
      ),
    onSuccess: async (row) => {
      storeExport(project, row)
      notifyDone(`Created the export "${row.name}". Its first run starts at the end of the current interval.`)
      void invalidateExport(project, row.id)
      await navigate({ to: EXPORT, params: { ...place, export: row.id } })
    },
    onError: async (error) => {
      const failure = failureAt(error, context)
      if (!failure) return
      form.setErrors(failure.errors)
      focus()
      await goTo(failure.step)
    },
  })
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (step === 'when') create.mutate()
    else if (step === 'what') await goTo('when')
    else if (test.isSettled || (await test.run())) await goTo('what')
  }
  // After a reload the form is empty, and the connection has to be tested again.
  if (step !== 'where' && !test.isSettled)
    return <Navigate to={NEW_EXPORT} params={place} search={{ ...search, step: undefined }} replace />
  const previous = STEPS[STEPS.indexOf(step) - 1]
  return (
    <>
      <StepNav
        place={place}
        search={search}
        current={step}
        summaries={{
          where: label,
          what: test.isSettled ? MODELS[values.model].label : '',
          when: test.isSettled ? scheduleText(values) : '',
        }}
        canEnter={(other) => other === 'where' || test.isSettled}
      />
      <form ref={ref} onSubmit={(event) => void submit(event)} noValidate>
        <Stack gap="md" maw={880}>
          {step === 'where' && (
            <ConnectionStep {...{ form, type, fields, place, test, provider, label }} skip={() => void goTo('what')} />
          )}
          {step === 'what' && (
            <FormPart title="What is exported">
              <RowsFields {...{ form, type, project }} isSaved={false} failure={create.error} />
            </FormPart>
          )}
          {step === 'when' && (
            <FormPart title="When it runs">
              <TextInput
                label="Name"
                description="Shown in the list of exports and in messages."
                inputWrapperOrder={['label', 'input', 'error', 'description']}
                placeholder={suggestedName(values, type)}
                maxLength={400}
                autoComplete="off"
                {...form.getInputProps('name')}
              />
              <ScheduleFields form={form} />
              <TimeLimits form={form} />
            </FormPart>
          )}
          {create.error && !failureAt(create.error, context) && <ErrorAlert error={create.error} />}
          <Group justify="space-between">
            {previous ? (
              <Button variant="default" onClick={() => void goTo(previous)}>
                Back
              </Button>
            ) : (
              <ButtonLink variant="default" to={NEW_EXPORT} params={place} search={{}}>
                Back
              </ButtonLink>
            )}
            <Button type="submit" loading={create.isPending}>
              {step === 'when' ? 'Create export' : 'Continue'}
            </Button>
          </Group>
        </Stack>
      </form>
    </>
  )
}
