import '../exports/exports.css'
import { Alert, Anchor, Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { answer, client, type Schemas } from '../api.ts'
import { ConfigFields } from '../exports/ConfigFields.tsx'
import { configErrors } from '../exports/config-errors.ts'
import { type Config, credentialFields, hasCredentials } from '../exports/config-schema.ts'
import { DESTINATIONS, DestinationIcon, type DestinationType } from '../exports/destinations.tsx'
import { sentConfig } from '../exports/form-config.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { errorBeside, fieldError } from '../parts/field-error.ts'
import { InfoIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Section } from '../parts/Section.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { CONFIG_ATTR, CREDENTIAL, CREDENTIALS, NEW_CREDENTIAL, NEW_CREDENTIAL_ID } from './paths.ts'
import { type IntegrationKind, invalidateIntegrations, storeIntegration } from './queries.ts'

const route = getRouteApi(NEW_CREDENTIAL_ID)

const isKind = (type: DestinationType): type is IntegrationKind => hasCredentials(type)
const KINDS = (Object.keys(DESTINATIONS) as DestinationType[]).filter(isKind)

/** Chooses the destination, then shows its form. */
export function NewCredentialPage() {
  const place = route.useParams()
  const { kind: chosen } = route.useSearch()
  const { membership_level } = useOrganization()
  const reason = needsLevel(membership_level, ADMINISTRATOR)
  const kind = KINDS.find((name) => name === chosen)
  const above = (
    <Anchor size="sm" renderRoot={(props) => <Link to={CREDENTIALS} params={place} search={{}} {...props} />}>
      Credentials
    </Anchor>
  )
  if (!kind)
    return (
      <>
        <PageHeader title="Add credentials" description="For which destination are they?" above={above} />
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {KINDS.map((name) => (
            <Link key={name} to={NEW_CREDENTIAL} params={place} search={{ kind: name }} className="choice">
              <DestinationIcon type={name} size={36} />
              <Text fw={600} my="auto">
                {DESTINATIONS[name].label}
              </Text>
            </Link>
          ))}
        </SimpleGrid>
      </>
    )
  return (
    <>
      <PageHeader
        title="Add credentials"
        description={
          <>
            Destination: {DESTINATIONS[kind].label}.{' '}
            <Anchor
              inherit
              underline="always"
              renderRoot={(props) => <Link to={NEW_CREDENTIAL} params={place} search={{}} {...props} />}
            >
              Choose another destination
            </Anchor>
          </>
        }
        above={above}
      />
      <Stack maw={880}>
        {reason !== undefined && (
          <Alert color="blue" icon={<InfoIcon />} title="You cannot store credentials">
            {reason}
          </Alert>
        )}
        <CredentialForm key={kind} kind={kind} organization={place.organization} reason={reason} />
      </Stack>
    </>
  )
}

function CredentialForm({
  kind,
  organization,
  reason,
}: {
  kind: IntegrationKind
  organization: string
  reason: string | undefined
}) {
  const { id: organization_id } = useOrganization()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [config, setConfig] = useState<Config>({})
  const fields = credentialFields(kind)
  const form = useRef<HTMLFormElement>(null)
  const create = useMutation({
    mutationFn: () =>
      answer(
        client.POST('/api/organizations/{organization_id}/integrations/', {
          params: { path: { organization_id } },
          // The form is built from the schema of the kind, which the compiler cannot know.
          body: { name, kind, config: sentConfig(fields, config) } as Schemas['IntegrationCreate'],
        }),
      ),
    onSuccess: async (integration) => {
      storeIntegration(organization_id, integration)
      notifyDone(`Stored the credentials "${integration.name}".`)
      void invalidateIntegrations()
      await navigate({ to: CREDENTIAL, params: { organization, credential: integration.id }, search: {} })
    },
  })
  // Move to the first field with an error: it may be outside of the screen.
  useEffect(() => {
    if (create.error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [create.error])
  const elsewhere = errorBeside(create.error, 'name', ...fields.map(({ key }) => `${CONFIG_ATTR}${key}`))
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate()
      }}
    >
      <Section
        title={DESTINATIONS[kind].label}
        description="The secrets are encrypted, and nobody can read them again. What else an export needs, such as the table, is set in the export."
      >
        <TextInput
          label="Name"
          description="Shown to the members who choose credentials for an export."
          required
          maxLength={400}
          autoComplete="off"
          value={name}
          error={fieldError(create.error, 'name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ConfigFields
          fields={fields}
          config={config}
          errors={configErrors(create.error, { prefix: CONFIG_ATTR, fields, config, isSaved: false })}
          isSaved={false}
          onChange={(key, value) => {
            setConfig((before) => ({ ...before, [key]: value }))
            create.reset()
          }}
        />
        {elsewhere !== null && <ErrorAlert error={elsewhere} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            renderRoot={(props) => <Link to={CREDENTIALS} params={{ organization }} search={{}} {...props} />}
          >
            Cancel
          </Button>
          <ActionButton type="submit" loading={create.isPending} disabledReason={reason}>
            Store credentials
          </ActionButton>
        </Group>
      </Section>
    </form>
  )
}
