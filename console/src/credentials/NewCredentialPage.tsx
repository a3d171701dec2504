import '../exports/exports.css'
import { Alert, Anchor, Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { answer, client, type Schemas } from '../api.ts'
import { ConfigFields } from '../exports/ConfigFields.tsx'
import { credentialFields, hasCredentials } from '../exports/config-schema.ts'
import { DESTINATIONS, DestinationIcon, type DestinationType } from '../exports/destinations.tsx'
import { sentConfig } from '../exports/form-config.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { InfoIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Section } from '../parts/Section.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { CREDENTIAL, CREDENTIALS, NEW_CREDENTIAL, NEW_CREDENTIAL_ID } from './paths.ts'
import { INTEGRATION_KEYS, type IntegrationKind, storeIntegration } from './queries.ts'
import { useConfigForm } from './use-config-form.ts'

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
  const fields = credentialFields(kind)
  const { form, submit, ref, configFields, isPending, error } = useConfigForm({
    fields,
    initialValues: { name: '', config: {} },
    send: ({ name, config }) =>
      answer(
        client.POST('/api/organizations/{organization_id}/integrations/', {
          params: { path: { organization_id } },
          // The form is built from the schema of the kind, which the compiler cannot know.
          body: { name, kind, config: sentConfig(fields, config) } as Schemas['IntegrationCreate'],
        }),
      ),
    done: ({ name }) => `Stored the credentials "${name}".`,
    refreshes: INTEGRATION_KEYS,
    after: (integration) => {
      storeIntegration(organization_id, integration)
      return navigate({ to: CREDENTIAL, params: { organization, credential: integration.id }, search: {} })
    },
  })
  return (
    <form ref={ref} onSubmit={submit}>
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
          {...form.getInputProps('name')}
        />
        <ConfigFields {...configFields} />
        {error !== null && <ErrorAlert error={error} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            renderRoot={(props) => <Link to={CREDENTIALS} params={{ organization }} search={{}} {...props} />}
          >
            Cancel
          </Button>
          <ActionButton type="submit" loading={isPending} disabledReason={reason}>
            Store credentials
          </ActionButton>
        </Group>
      </Section>
    </form>
  )
}
