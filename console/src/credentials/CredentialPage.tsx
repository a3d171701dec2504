import { Alert, Anchor, Group, List, SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { answer, client, WorkspaceError } from '../api.ts'
import { ConfigFields } from '../exports/ConfigFields.tsx'
import { TestResult } from '../exports/ConnectionTest.tsx'
import { configErrors } from '../exports/config-errors.ts'
import { type Config, credentialFields, fieldsBeside, flatConfig } from '../exports/config-schema.ts'
import { DESTINATIONS, DestinationIcon } from '../exports/destinations.tsx'
import { changedConfig, sentConfig } from '../exports/form-config.ts'
import { EXPORT } from '../exports/paths.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { Definition } from '../parts/Definition.tsx'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { errorBeside, fieldError } from '../parts/field-error.ts'
import { plural } from '../parts/format.ts'
import { InfoIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { Section } from '../parts/Section.tsx'
import { Time } from '../parts/Time.tsx'
import { NotFound } from '../shell/RouteError.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { CONFIG_ATTR, CREDENTIAL_ID, CREDENTIALS } from './paths.ts'
import {
  type Integration,
  integrationQuery,
  invalidateIntegrations,
  PAGE_SIZE,
  storeIntegration,
  usersQuery,
} from './queries.ts'

const route = getRouteApi(CREDENTIAL_ID)

/** Stored credentials: their settings, a test, and the exports that use them. */
export function CredentialPage() {
  const organization = useOrganization()
  const place = route.useParams()
  const found = useQuery(integrationQuery(organization.id, place.credential))
  const { data: integration, error } = found
  const reason = needsLevel(organization.membership_level, ADMINISTRATOR)
  if (error instanceof WorkspaceError && error.status === 404) return <NotFound />
  if (error)
    return <ErrorAlert error={error} title="The credentials could not be loaded" retry={() => void found.refetch()} />
  return (
    <>
      <PageHeader
        title={integration?.name ?? 'Credentials'}
        above={
          <Anchor size="sm" renderRoot={(props) => <Link to={CREDENTIALS} params={place} search={{}} {...props} />}>
            Credentials
          </Anchor>
        }
        description={
          integration && (
            <Group gap="xs" mt={4}>
              <DestinationIcon type={integration.kind} size={22} />
              <Text span inherit mr="sm">
                {DESTINATIONS[integration.kind].label}
              </Text>
              <span>
                Secrets changed <Time value={integration.secrets_changed_at} />
              </span>
            </Group>
          )
        }
        actions={integration && <DeleteButton integration={integration} reason={reason} />}
      />
      <Stack maw={880}>
        {reason !== undefined && (
          <Alert color="blue" icon={<InfoIcon />} title="You can use these credentials, but not change them">
            {reason}
          </Alert>
        )}
        {integration ? (
          <>
            {reason === undefined ? (
              <SettingsForm key={integration.last_updated_at} integration={integration} />
            ) : (
              <Settings integration={integration} />
            )}
            <TestForm integration={integration} />
            <Users integration={integration} />
          </>
        ) : (
          <>
            <Skeleton h={260} />
            <Skeleton h={160} />
          </>
        )}
      </Stack>
    </>
  )
}

interface PartProps {
  integration: Integration
}

/** The read-only page, for members below level 8. */
function Settings({ integration }: PartProps) {
  const fields = credentialFields(integration.kind)
  const config = flatConfig(fields, { ...integration.config })
  const shown = fields.filter(({ key, kind }) => kind !== 'secret' && config[key] !== undefined && config[key] !== null)
  return (
    <Section title="Settings" description="The secrets are never shown.">
      <SimpleGrid component="dl" m={0} cols={{ base: 1, sm: 2 }}>
        {shown.map(({ key, label, kind }) => (
          <Definition key={key} term={label}>
            {kind === 'flag' ? (config[key] ? 'Yes' : 'No') : String(config[key])}
          </Definition>
        ))}
      </SimpleGrid>
    </Section>
  )
}

/** Only what changed is sent, so secrets stay as they are unless they are typed again. */
function SettingsForm({ integration }: PartProps) {
  const { id: organization_id } = useOrganization()
  const fields = credentialFields(integration.kind)
  const initial = flatConfig(fields, { ...integration.config })
  const [name, setName] = useState(integration.name)
  const [config, setConfig] = useState<Config>(initial)
  const form = useRef<HTMLFormElement>(null)
  const changed = changedConfig(fields, initial, config)
  const save = useMutation({
    mutationFn: () =>
      answer(
        client.PATCH('/api/organizations/{organization_id}/integrations/{id}/', {
          params: { path: { organization_id, id: integration.id } },
          body: {
            ...(name !== integration.name && { name }),
            ...(Object.keys(changed).length > 0 && { config: changed }),
          },
        }),
      ),
    onSuccess: (saved) => {
      storeIntegration(organization_id, saved)
      notifyDone(`Saved the credentials "${saved.name}". Exports use them from their next attempt on.`)
      void invalidateIntegrations()
    },
  })
  useEffect(() => {
    if (save.error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [save.error])
  const elsewhere = errorBeside(save.error, 'name', ...fields.map(({ key }) => `${CONFIG_ATTR}${key}`))
  const isUnchanged = name === integration.name && Object.keys(changed).length === 0
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Section
        title="Settings"
        description="To rotate a secret, type its new value. If the secrets are sent to another address, type all of them again."
      >
        <TextInput
          label="Name"
          required
          maxLength={400}
          autoComplete="off"
          value={name}
          error={fieldError(save.error, 'name')}
          onChange={(event) => {
            setName(event.currentTarget.value)
            save.reset()
          }}
        />
        <ConfigFields
          fields={fields}
          config={config}
          errors={configErrors(save.error, { prefix: CONFIG_ATTR, fields, config, isSaved: true })}
          isSaved
          onChange={(key, value) => {
            setConfig((before) => ({ ...before, [key]: value }))
            save.reset()
          }}
        />
        {elsewhere !== null && <ErrorAlert error={elsewhere} />}
        <Group justify="flex-end">
          <ActionButton
            type="submit"
            loading={save.isPending}
            disabledReason={isUnchanged ? 'Nothing has changed.' : undefined}
          >
            Save credentials
          </ActionButton>
        </Group>
      </Section>
    </form>
  )
}

/** Asks for the settings that every export must have. The other ones have defaults. */
function TestForm({ integration }: PartProps) {
  const { id: organization_id } = useOrganization()
  const fields = fieldsBeside(integration.kind, integration.config).filter(({ required }) => required)
  const [config, setConfig] = useState<Config>({})
  const test = useMutation({
    mutationFn: () =>
      answer(
        client.POST('/api/organizations/{organization_id}/integrations/{id}/test/', {
          params: { path: { organization_id, id: integration.id } },
          body: { config: sentConfig(fields, config) },
        }),
      ),
  })
  const elsewhere = errorBeside(test.error, ...fields.map(({ key }) => `${CONFIG_ATTR}${key}`))
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        test.mutate()
      }}
    >
      <Section
        title="Test"
        description={
          fields.length
            ? 'Connects with the stored credentials, writes to this place and removes what it wrote.'
            : 'Connects with the stored credentials.'
        }
      >
        {fields.length > 0 && (
          <ConfigFields
            fields={fields}
            config={config}
            errors={configErrors(test.error, { prefix: CONFIG_ATTR, fields, config, isSaved: false })}
            isSaved={false}
            onChange={(key, value) => {
              setConfig((before) => ({ ...before, [key]: value }))
              test.reset()
            }}
          />
        )}
        <Group>
          <ActionButton type="submit" variant="default" loading={test.isPending}>
            Test credentials
          </ActionButton>
          <Text size="sm" c="dimmed" role="status">
            {test.isPending ? 'Testing each step…' : ''}
          </Text>
        </Group>
        {test.data && <TestResult result={test.data} />}
        {elsewhere !== null && <ErrorAlert error={elsewhere} />}
      </Section>
    </form>
  )
}

/** The exports that use the credentials. */
function Users({ integration }: PartProps) {
  const organization = useOrganization()
  const place = route.useParams()
  const navigate = route.useNavigate()
  const { page = 1 } = route.useSearch()
  const found = useQuery(usersQuery(organization.id, integration.id, page))
  const project = (id: number): string => organization.teams.find((team) => team.id === id)?.name ?? `Project ${id}`
  return (
    <Section title="Exports with these credentials">
      {found.error ? (
        <ErrorAlert error={found.error} retry={() => void found.refetch()} />
      ) : !found.data ? (
        <Skeleton h={24} />
      ) : found.data.count === 0 ? (
        <Text size="sm" c="dimmed">
          No export uses them yet. Choose them under “Credentials” in the form of an export.
        </Text>
      ) : (
        <div>
          <List spacing={6} size="sm" listStyleType="none" aria-label="Exports with these credentials">
            {found.data.results.map(({ id, name, team_id, paused }) => (
              <List.Item key={id}>
                <Link
                  to={EXPORT}
                  params={{ organization: place.organization, project: String(team_id), export: id }}
                  search={{}}
                  className="row-link wrap"
                >
                  {name}
                </Link>{' '}
                <Text span size="sm" c="dimmed">
                  in {project(team_id)}
                  {paused ? ', paused' : ''}
                </Text>
              </List.Item>
            ))}
          </List>
          <Pager
            count={found.data.count}
            limit={PAGE_SIZE}
            page={page}
            noun="export"
            onChange={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
          />
        </div>
      )}
    </Section>
  )
}

function DeleteButton({ integration, reason }: PartProps & { reason: string | undefined }) {
  const { id: organization_id } = useOrganization()
  const place = route.useParams()
  const navigate = useNavigate()
  const { id, name, batch_exports_count: count } = integration
  const remove = async (): Promise<void> => {
    await answer(
      client.DELETE('/api/organizations/{organization_id}/integrations/{id}/', {
        params: { path: { organization_id, id } },
      }),
    )
    await navigate({ to: CREDENTIALS, params: place, search: {} })
    void invalidateIntegrations()
    notifyDone(`Deleted the credentials "${name}".`)
  }
  const used =
    count > 0
      ? `${plural(count, 'export')} ${count === 1 ? 'uses' : 'use'} these credentials. Give ${count === 1 ? 'it' : 'them'} other credentials first.`
      : undefined
  return (
    <ConfirmButton
      variant="light"
      danger
      title={`Delete the credentials ${name}?`}
      effect="The server forgets the secrets. No export uses them."
      confirm="Delete credentials"
      disabledReason={reason ?? used}
      onConfirm={remove}
    >
      Delete credentials
    </ConfirmButton>
  )
}
