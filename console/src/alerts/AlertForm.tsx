import {
  Alert,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  Radio,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client, type Schemas, WorkspaceError } from '../api.ts'
import { invalidate } from '../organization/queries.ts'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { errorBeside, fieldError } from '../parts/field-error.ts'
import { preflightQuery } from '../signin/sso.tsx'
import { exportOfAlertQuery, suggestedExportsQuery, suggestedMembersQuery, TRIGGERS, type Trigger } from './queries.ts'

type Channel = Schemas['AlertChannel']

const MIN_LAG = 5
const MAX_LAG = 10_080
const SUGGESTED_LAG = 60
const MAX_EMAILS = 20
const FIELDS = ['name', 'triggers', 'lag_minutes', 'team_id', 'batch_export_id', 'emails', 'url']

/** Creates an alert, or edits everything but its channel. */
export function AlertForm({
  organization,
  alert,
  close,
  onSaved,
}: {
  organization: Schemas['Organization']
  alert: Schemas['Alert'] | undefined
  close: () => void
  onSaved: (saved: Schemas['Alert']) => void
}) {
  const { data: preflight } = useQuery(preflightQuery)
  const noMail = preflight?.email_service_available === false
  const [name, setName] = useState(alert?.name ?? '')
  const [triggers, setTriggers] = useState<Trigger[]>(alert?.triggers ?? ['failure', 'recovery', 'pause'])
  const [lag, setLag] = useState<number | string>(alert?.lag_minutes ?? SUGGESTED_LAG)
  const [team_id, setTeam] = useState<number | null>(alert?.team_id ?? null)
  const [batch_export_id, setExport] = useState<string | null>(alert?.batch_export_id ?? null)
  const [chosen, setChannel] = useState<Channel | undefined>(alert?.channel)
  const [emails, setEmails] = useState<string[]>(alert?.emails ?? [])
  const [url, setUrl] = useState(alert?.url ?? '')
  const channel = chosen ?? (noMail ? 'webhook' : 'email')

  const save = useMutation({
    mutationFn: () => {
      const path = { organization_id: organization.id }
      const body = {
        name,
        triggers,
        ...(triggers.includes('lag') && { lag_minutes: Number(lag) }),
        team_id,
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
    onSuccess: async (saved) => {
      await invalidate('alerts')
      notifyDone(alert ? `The alert "${saved.name}" is saved.` : `The alert "${saved.name}" is created.`)
      onSaved(saved)
    },
  })
  const errorOf = (field: string): string | undefined => fieldError(save.error, field)
  const emailError = errorOf('emails') ?? addressError(save.error, emails)
  const general = emailError === undefined ? errorBeside(save.error, ...FIELDS) : null

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
        <Checkbox.Group
          label="Send a message about"
          withAsterisk
          value={triggers}
          error={errorOf('triggers')}
          onChange={(values) =>
            setTriggers(TRIGGERS.map(({ value }) => value).filter((value) => values.includes(value)))
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
            value={lag}
            error={errorOf('lag_minutes')}
            onChange={setLag}
          />
        )}
        <Group gap="sm" align="flex-start">
          <NativeSelect
            label="Project"
            flex="1 1 12rem"
            value={team_id === null ? '' : String(team_id)}
            data={[
              { value: '', label: 'All projects' },
              ...organization.teams.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            error={errorOf('team_id')}
            onChange={(event) => {
              setTeam(event.currentTarget.value === '' ? null : Number(event.currentTarget.value))
              setExport(null)
            }}
          />
          <ExportSelect
            organization_id={organization.id}
            team_id={team_id}
            value={batch_export_id}
            error={errorOf('batch_export_id')}
            onChange={setExport}
          />
        </Group>
        {!alert && (
          <Radio.Group label="Channel" value={channel} onChange={(value) => setChannel(value as Channel)}>
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
          <RecipientsInput organization_id={organization.id} value={emails} error={emailError} onChange={setEmails} />
        ) : (
          <TextInput
            label="URL"
            type="url"
            required
            maxLength={2000}
            placeholder="https://example.com/hook"
            value={url}
            error={errorOf('url')}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
        )}
        {alert && channel === 'webhook' && url.trim() !== alert.url && (
          <Alert color="yellow" title="The webhook gets a new secret">
            <Text size="sm">Requests to the new URL are signed with it. It is shown once, after you save.</Text>
          </Alert>
        )}
        {general !== null && <ErrorAlert error={general} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {alert ? 'Save alert' : 'Create alert'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The error of an address, which `attr` names by its index, such as `emails__1`. */
function addressError(error: unknown, emails: readonly string[]): string | undefined {
  if (!(error instanceof WorkspaceError)) return undefined
  const [, index] = /^emails__(\d{1,3})$/.exec(error.attr ?? '') ?? []
  return index === undefined ? undefined : `${emails[Number(index)] ?? 'This address'}: ${error.detail}`
}

const SEARCH_DELAY_MS = 200

function RecipientsInput({
  organization_id,
  value,
  error,
  onChange,
}: {
  organization_id: string
  value: string[]
  error: string | undefined
  onChange: (value: string[]) => void
}) {
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), SEARCH_DELAY_MS)
  const found = useQuery(suggestedMembersQuery(organization_id, search))
  return (
    <TagsInput
      label="Recipients"
      description="Addresses of members. Type a part of a name or an address to find them."
      placeholder={value.length === 0 ? 'ada@example.com' : ''}
      withAsterisk
      maxTags={MAX_EMAILS}
      acceptValueOnBlur
      splitChars={[',', ';', ' ']}
      data={found.data?.results.map(({ user }) => user.email) ?? []}
      // The server has searched, also by name.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={value}
      error={error}
      onChange={onChange}
    />
  )
}

function ExportSelect({
  organization_id,
  team_id,
  value,
  error,
  onChange,
}: {
  organization_id: string
  team_id: number | null
  value: string | null
  error: string | undefined
  onChange: (value: string | null) => void
}) {
  const [text, setText] = useState('')
  const selected = useQuery({ ...exportOfAlertQuery(organization_id, value ?? ''), enabled: value !== null })
  const [search] = useDebouncedValue(text === selected.data?.name ? '' : text.trim(), SEARCH_DELAY_MS)
  const found = useQuery(suggestedExportsQuery(organization_id, search))
  const offered = [...(found.data?.results ?? []), ...(value !== null && selected.data ? [selected.data] : [])].filter(
    (one) => team_id === null || one.team_id === team_id,
  )
  const options = new Map(offered.map(({ id, name }) => [id, name]))
  return (
    <Select
      label="Export"
      flex="1 1 12rem"
      placeholder="All exports"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'All exports' }}
      nothingFoundMessage="No export found."
      data={[...options].map(([value, label]) => ({ value, label }))}
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={value}
      error={error}
      onChange={onChange}
    />
  )
}
