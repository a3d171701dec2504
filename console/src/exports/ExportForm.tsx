import { Button, Card, Group, Select, SimpleGrid, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { hasOffsetDay, hasOffsetHour } from '../../../src/exports/interval.ts'
import { answer, client, type Schemas, WorkspaceError } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { ConfigFields } from './ConfigFields.tsx'
import { TestResult } from './ConnectionTest.tsx'
import { CredentialChoice, useCredentials } from './CredentialChoice.tsx'
import { configErrors } from './config-errors.ts'
import { type Config, describeType, type Field, fieldsBeside, fieldsOf, hasCredentials } from './config-schema.ts'
import { DESTINATIONS, DestinationIcon, type DestinationType } from './destinations.tsx'
import { sentConfig } from './form-config.ts'
import { MODELS, type Model, parseFilters } from './models.ts'
import { QuerySection, queryErrorOf } from './QuerySection.tsx'
import { ScheduleFields } from './ScheduleFields.tsx'
import type { Cadence } from './schedule.ts'

export interface ExportValues extends Cadence {
  name: string
  /** In UTC, as a local date and time input has it. */
  start_at: string
  end_at: string
  model: Model
  /** JSON text; empty without conditions. */
  filters: string
  hogql_query: string | null
  config: Config
  /** The id of stored credentials; null if the export has its own. */
  integration: string | null
}

const CONFIG_ATTR = 'destination__config__'

/** The error of a field, by the name of the field. Errors without a field have an empty name. */
function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof WorkspaceError)) return {}
  return { [error.attr ?? '']: error.detail }
}

/** The fields of an export. `save` receives the values, and a thrown error appears at its field. */
export function ExportForm({
  type,
  project,
  saved,
  initial,
  save,
  submitLabel,
  cancel,
}: {
  type: DestinationType
  project: string
  /** Null for a new export. */
  saved: Schemas['BatchExport'] | null
  initial: ExportValues
  /** `fields` are those that the form shows. */
  save: (values: ExportValues, fields: readonly Field[]) => Promise<unknown>
  submitLabel: string
  cancel: ReactNode
}) {
  const [values, setValues] = useState(initial)
  const credentials = useCredentials(type, values.integration)
  const fields = values.integration === null ? fieldsOf(type) : fieldsBeside(type, credentials)
  const form = useRef<HTMLFormElement>(null)
  const saving = useMutation({ mutationFn: (sent: ExportValues) => save(sent, fields) })
  const test = useMutation({
    mutationFn: (config: Config) =>
      answer(
        client.POST('/api/projects/{project_id}/batch_exports/test/', {
          params: { path: { project_id: project } },
          // The form is built from the schema of the type, which the compiler cannot know.
          body: { type, config, integration: values.integration } as Schemas['DestinationCreate'],
        }),
      ),
  })
  const failure = saving.error ?? test.error
  const errors = fieldErrors(failure)
  const shown = new Set([
    ...['name', 'interval', 'timezone', 'offset_day', 'offset_hour', 'start_at', 'end_at', 'model', 'hogql_query'],
    ...(hasCredentials(type) ? ['destination__integration'] : []),
    ...fields.map(({ key }) => `${CONFIG_ATTR}${key}`),
  ])
  const filtersError = Object.entries(errors).find(([attr]) => attr.startsWith('filters'))?.[1]
  const isElsewhere =
    failure !== null && filtersError === undefined && !Object.keys(fieldErrors(failure)).some((attr) => shown.has(attr))

  // Move to the first field with an error: it may be outside of the screen.
  useEffect(() => {
    if (failure !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failure])

  const change = (changes: Partial<ExportValues>): void => {
    setValues((before) => ({ ...before, ...changes }))
    saving.reset()
  }
  const areFiltersValid = parseFilters(values.filters) !== null
  const secrets = fields.filter(({ kind, required }) => kind === 'secret' && required)
  // Secrets that the export already has are not typed again.
  const isSaved = saved !== null && saved.destination.integration === null
  const missing = isSaved && secrets.some(({ key }) => !values.config[key])
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        if (areFiltersValid) saving.mutate(values)
      }}
    >
      <Stack gap="lg" maw={880}>
        <Part title="Export">
          <TextInput
            label="Name"
            required
            maxLength={400}
            autoComplete="off"
            value={values.name}
            error={errors.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <Select
            label="Rows"
            description={MODELS[values.model].description}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            data={Object.entries(MODELS).map(([value, { label }]) => ({ value, label }))}
            allowDeselect={false}
            disabled={saved !== null}
            value={values.model}
            error={errors.model}
            onChange={(model) => model && change({ model: model as Model, filters: '', hogql_query: null })}
          />
          <ScheduleFields value={values} errors={errors} onChange={change} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              type="datetime-local"
              label="No run before (UTC)"
              value={values.start_at}
              error={errors.start_at}
              onChange={(event) => change({ start_at: event.currentTarget.value })}
            />
            <TextInput
              type="datetime-local"
              label="No run after (UTC)"
              value={values.end_at}
              error={errors.end_at}
              onChange={(event) => change({ end_at: event.currentTarget.value })}
            />
          </SimpleGrid>
        </Part>
        <Part title={DESTINATIONS[type].label} icon={<DestinationIcon type={type} />} description={describeType(type)}>
          {hasCredentials(type) && (
            <CredentialChoice
              type={type}
              value={values.integration}
              error={errors.destination__integration}
              onChange={(integration) => {
                change({ integration })
                test.reset()
              }}
            />
          )}
          <ConfigFields
            fields={fields}
            config={values.config}
            errors={{
              ...configErrors(failure, { prefix: CONFIG_ATTR, fields, config: values.config, isSaved }),
              ...(test.data && failedStepErrors(test.data)),
            }}
            isSaved={isSaved}
            onChange={(key, value) => {
              change({ config: { ...values.config, [key]: value } })
              test.reset()
            }}
          />
          <Group mt="md">
            <ActionButton
              variant="default"
              loading={test.isPending}
              disabledReason={missing ? 'Type the secrets again to test: the server never returns them.' : undefined}
              onClick={() => {
                saving.reset()
                test.mutate(sentConfig(fields, values.config))
              }}
            >
              Test connection
            </ActionButton>
            <Text size="sm" c="dimmed" role="status">
              {test.isPending ? 'Testing each step…' : ''}
            </Text>
          </Group>
          {test.data && <TestResult result={test.data} />}
        </Part>
        <Part title="Columns and rows">
          {values.model === 'events' && (
            <Textarea
              label="Filters"
              description='Conditions on properties, as JSON: [{"key": "plan", "value": "team", "operator": "exact", "type": "event"}]. Empty for all events.'
              autosize
              minRows={2}
              maxRows={12}
              maxLength={16_384}
              spellCheck={false}
              classNames={{ input: 'mono' }}
              value={values.filters}
              error={filtersError ?? (areFiltersValid ? undefined : 'The filters must be a JSON list.')}
              onChange={(event) => change({ filters: event.currentTarget.value })}
            />
          )}
          <QuerySection
            // Another model has other columns.
            key={values.model}
            model={values.model}
            project={project}
            value={values.hogql_query}
            error={queryErrorOf(failure)}
            onChange={(hogql_query) => change({ hogql_query })}
          />
        </Part>
        {isElsewhere && <ErrorAlert error={failure} />}
        <Group justify="flex-end">
          {cancel}
          <Button type="submit" loading={saving.isPending}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Part({
  title,
  icon,
  description,
  children,
}: {
  title: string
  icon?: ReactNode
  description?: string
  children: ReactNode
}) {
  return (
    <Card withBorder component="section" padding="lg">
      <Group gap="sm" mb="md" wrap="nowrap">
        {icon}
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          {description && (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
        </div>
      </Group>
      <Stack gap="md">{children}</Stack>
    </Card>
  )
}

/** The failed step of a test, by the setting that it asks to check. */
const failedStepErrors = ({ steps }: Schemas['DestinationTest']): Record<string, string> =>
  Object.fromEntries(
    steps.flatMap(({ attr, detail }) => (attr === null ? [] : [[attr.slice(CONFIG_ATTR.length), detail]])),
  )

/** The fields of the schedule as they are sent. Offsets that the interval does not have are left out. */
export const sentSchedule = ({ interval, timezone, offset_day, offset_hour }: Cadence): Partial<Cadence> => ({
  interval,
  timezone,
  ...(hasOffsetDay(interval) && { offset_day }),
  ...(hasOffsetHour(interval) && { offset_hour }),
})

/** The value of a date and time input in UTC, and back. */
export const fromInput = (text: string): string | null => (text === '' ? null : new Date(`${text}Z`).toISOString())
export const toInput = (time: string | null): string => (time === null ? '' : new Date(time).toISOString().slice(0, 16))
