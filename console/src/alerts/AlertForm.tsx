import { Alert, Checkbox, Group, NativeSelect, NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, client, type Schemas, type WorkspaceError } from '../api.ts'
import { FormActions } from '../parts/FormActions.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { preflightQuery } from '../signin/sso.tsx'
import { ExportSelect, RecipientsInput } from './AlertFields.tsx'
import { alertsKey, TRIGGERS, type Trigger } from './queries.ts'

type AlertItem = Schemas['Alert']

const MIN_LAG = 5
const MAX_LAG = 10_080
const SUGGESTED_LAG = 60

const valuesOf = (alert: AlertItem | undefined) => ({
  name: alert?.name ?? '',
  triggers: alert?.triggers ?? (['failure', 'recovery', 'pause'] as Trigger[]),
  lag_minutes: alert?.lag_minutes ?? SUGGESTED_LAG,
  /** Empty for all projects. */
  team_id: String(alert?.team_id ?? ''),
  batch_export_id: alert?.batch_export_id ?? null,
  /** Undefined for the first channel that the server has. */
  channel: alert?.channel,
  emails: alert?.emails ?? [],
  url: alert?.url ?? '',
})

type Values = ReturnType<typeof valuesOf>

/** The `attr` of an address has its index, such as `emails__1`. */
function errorsOf({ attr, detail }: WorkspaceError, values: Values): Record<string, string> {
  const [, index] = /^emails__(\d{1,3})$/.exec(attr ?? '') ?? []
  if (index !== undefined) return { emails: `${values.emails[Number(index)] ?? 'This address'}: ${detail}` }
  return attr !== null && attr in values ? { [attr]: detail } : {}
}

/** Creates an alert, or edits everything but its channel. */
export function AlertForm({
  organization,
  alert,
  close,
  onSaved,
}: {
  organization: Schemas['Organization']
  alert: AlertItem | undefined
  close: () => void
  onSaved: (saved: AlertItem) => void
}) {
  const { data: preflight } = useQuery(preflightQuery)
  const noMail = preflight?.email_service_available === false
  const channelOf = ({ channel }: Values) => channel ?? (noMail ? 'webhook' : 'email')
  const { form, submit, isPending, error } = useServerForm({
    initialValues: valuesOf(alert),
    send: (values) => {
      const { name, triggers, lag_minutes, team_id, batch_export_id, emails, url } = values
      const path = { organization_id: organization.id }
      const channel = channelOf(values)
      const body = {
        name,
        triggers,
        ...(triggers.includes('lag') && { lag_minutes: Number(lag_minutes) }),
        team_id: team_id === '' ? null : Number(team_id),
        batch_export_id,
        channel,
        ...(channel === 'email' ? { emails } : { url: url.trim() }),
      }
      return alert
        ? answer(
            client.PATCH('/api/organizations/{organization_id}/alerts/{id}/', {
              params: { path: { ...path, id: alert.id } },
              body,
            }),
          )
        : answer(client.POST('/api/organizations/{organization_id}/alerts/', { params: { path }, body }))
    },
    errorsOf,
    done: ({ name }) => `The alert "${name}" is ${alert ? 'saved' : 'created'}.`,
    refreshes: [alertsKey],
    after: onSaved,
  })
  const { triggers, team_id, url } = form.values
  const channel = channelOf(form.values)
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput label="Name" required maxLength={200} data-autofocus {...form.getInputProps('name')} />
        <Checkbox.Group
          label="Send a message about"
          withAsterisk
          {...form.getInputProps('triggers')}
          onChange={(values) =>
            form.setFieldValue(
              'triggers',
              TRIGGERS.map(({ value }) => value).filter((value) => values.includes(value)),
            )
          }
        >
          <Stack gap="xs" mt="xs">
            {TRIGGERS.map(({ value, label, description }) => (
              <Checkbox key={value} value={value} label={label} description={description} />
            ))}
          </Stack>
        </Checkbox.Group>
        {triggers.includes('lag') && (
          <NumberInput
            label="Lag in minutes"
            description="The time since the end of the oldest window that is not delivered."
            required
            min={MIN_LAG}
            max={MAX_LAG}
            allowDecimal={false}
            {...form.getInputProps('lag_minutes')}
          />
        )}
        <Group gap="sm" align="flex-start">
          <NativeSelect
            label="Project"
            flex="1 1 12rem"
            data={[
              { value: '', label: 'All projects' },
              ...organization.teams.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            {...form.getInputProps('team_id')}
            onChange={(event) => form.setValues({ team_id: event.currentTarget.value, batch_export_id: null })}
          />
          <ExportSelect
            organization_id={organization.id}
            team_id={team_id === '' ? null : Number(team_id)}
            value={form.values.batch_export_id}
            {...form.getInputProps('batch_export_id')}
          />
        </Group>
        {!alert && (
          <Radio.Group label="Channel" {...form.getInputProps('channel')} value={channel}>
            <Stack gap="xs" mt="xs">
              <Radio
                value="email"
                label="Email"
                description={
                  noMail
                    ? 'This server sends no email. Its operator can configure it.'
                    : 'To members of the organization.'
                }
                disabled={noMail}
              />
              <Radio
                value="webhook"
                label="Webhook"
                description="A signed POST request to an address of yours. You get the secret that verifies it after you create the alert."
              />
            </Stack>
          </Radio.Group>
        )}
        {channel === 'email' ? (
          <RecipientsInput
            organization_id={organization.id}
            value={form.values.emails}
            {...form.getInputProps('emails')}
          />
        ) : (
          <TextInput
            label="URL"
            type="url"
            required
            maxLength={2000}
            placeholder="https://example.com/hook"
            {...form.getInputProps('url')}
          />
        )}
        {alert && channel === 'webhook' && url.trim() !== alert.url && (
          <Alert color="yellow" title="The webhook gets a new secret">
            <Text size="sm">Requests to the new URL are signed with it. It is shown once, after you save.</Text>
          </Alert>
        )}
        <FormActions
          submit={alert ? 'Save alert' : 'Create alert'}
          cancel={close}
          isPending={isPending}
          error={error}
        />
      </Stack>
    </form>
  )
}
