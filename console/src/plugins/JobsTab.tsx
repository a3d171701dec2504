import { Alert, Anchor, Stack, Text } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { Schemas } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { FormActions } from '../parts/FormActions.tsx'
import { CheckIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { Section } from '../parts/Section.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { type Field, type Job, jobsOf, type Values, withDefaults } from './fields.ts'
import { startJob } from './queries.ts'
import { SettingField } from './SettingField.tsx'

interface JobsProps {
  project: string
  config: Schemas['PluginConfig']
  organization: Schemas['Organization']
  /** The log of the configuration. */
  logs: LinkProps
}

/** The jobs that the plugin declares for users, each with a form. */
export default function JobsTab({ plugin, ...props }: JobsProps & { plugin: Schemas['Plugin'] }) {
  const jobs = jobsOf(plugin)
  if (jobs.length === 0)
    return (
      <EmptyState title="The plugin has no jobs to start">
        A plugin declares them as <span className="mono">publicJobs</span> in plugin.json.
      </EmptyState>
    )
  return (
    <Stack maw={760}>
      {jobs.map((job) => (
        <JobForm key={job.name} job={job} {...props} />
      ))}
    </Stack>
  )
}

/** The `attr` of an error about a field. */
const attrOf = (key: string): string => `job__payload__${key}`

const BAD_JSON = 'This is not valid JSON. Check its quotes, commas and brackets.'

function isJson(text: unknown): boolean {
  if (typeof text !== 'string' || text === '') return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Fields without a value are left out, so they have their defaults. */
const payloadOf = (fields: readonly Field[], values: Values): Values =>
  Object.fromEntries(
    fields.flatMap(({ key, type }): [string, unknown][] => {
      const value = values[key]
      if (value === undefined || value === null || value === '') return []
      return [[key, type === 'json' && typeof value === 'string' ? JSON.parse(value) : value]]
    }),
  )

function JobForm({ job: { name, fields }, project, config, organization, logs }: JobsProps & { job: Job }) {
  const notAdministrator = needsLevel(organization.membership_level, ADMINISTRATOR)
  const open = fields.filter(({ staff_only }) => !staff_only || !notAdministrator)
  const { form, submit, isPending, error, answer } = useServerForm({
    initialValues: { payload: withDefaults(fields, {}) },
    validate: ({ payload }) =>
      Object.fromEntries(
        open
          .filter(({ key, type }) => type === 'json' && !isJson(payload[key]))
          .map(({ key }) => [attrOf(key), BAD_JSON]),
      ),
    send: ({ payload }) => startJob(project, config.id, { type: name, payload: payloadOf(open, payload) }),
    errorsOf: ({ attr, detail }) => (open.some(({ key }) => attrOf(key) === attr) ? { [String(attr)]: detail } : {}),
  })
  return (
    <Section title={name} description={fields.length === 0 ? 'The job has no fields.' : undefined}>
      <form onSubmit={submit}>
        <Stack>
          {open.map((field) => (
            <SettingField
              key={field.key}
              field={field}
              value={form.values.payload[field.key]}
              isSet={false}
              isRequired={field.required}
              error={form.errors[attrOf(field.key)]}
              onChange={(value) => form.setFieldValue('payload', (before) => ({ ...before, [field.key]: value }))}
            />
          ))}
          {open.length < fields.length && (
            <Text size="sm" c="dimmed">
              Only administrators can set{' '}
              {fields
                .filter((field) => !open.includes(field))
                .map((field) => field.name)
                .join(', ')}
              . The job uses the defaults.
            </Text>
          )}
          {answer && (
            <Alert color="green" icon={<CheckIcon />} title="The job is queued" role="status">
              <Text size="sm" className="wrap">
                It runs once, in a moment. Its output and errors appear in{' '}
                <Anchor underline="always" c="inherit" renderRoot={(props) => <Link {...props} {...logs} />}>
                  the log
                </Anchor>
                . Job id: <span className="mono">{answer.job_id}</span>
              </Text>
            </Alert>
          )}
          <FormActions
            submit={`Start ${name}`}
            isPending={isPending}
            error={error}
            errorTitle="The job was not started"
            disabledReason={config.enabled ? undefined : 'The plugin is off. Turn it on, then start the job.'}
          />
        </Stack>
      </form>
    </Section>
  )
}
