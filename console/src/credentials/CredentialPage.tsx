import { Alert, Anchor, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { answer, client, WorkspaceError } from '../api.ts'
import { credentialFields, flatConfig } from '../exports/config-schema.ts'
import { DESTINATIONS, DestinationIcon } from '../exports/destinations.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { Definition } from '../parts/Definition.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { InfoIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Section } from '../parts/Section.tsx'
import { Time } from '../parts/Time.tsx'
import { useChange } from '../parts/use-change.ts'
import { NotFound } from '../shell/RouteError.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { CredentialExports } from './CredentialExports.tsx'
import { CredentialSettings } from './CredentialSettings.tsx'
import { CredentialTest } from './CredentialTest.tsx'
import { CREDENTIAL_ID, CREDENTIALS } from './paths.ts'
import { type CredentialProps, integrationQuery, integrationsKey } from './queries.ts'

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
              <CredentialSettings key={integration.last_updated_at} integration={integration} />
            ) : (
              <Settings integration={integration} />
            )}
            <CredentialTest integration={integration} />
            <CredentialExports integration={integration} />
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

/** The read-only page, for members below level 8. */
function Settings({ integration }: CredentialProps) {
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

function DeleteButton({ integration, reason }: CredentialProps & { reason: string | undefined }) {
  const { id: organization_id } = useOrganization()
  const place = route.useParams()
  const navigate = useNavigate()
  const { id, name, batch_exports_count: count } = integration
  const remove = useChange({
    send: () =>
      answer(
        client.DELETE('/api/organizations/{organization_id}/integrations/{id}/', {
          params: { path: { organization_id, id } },
        }),
      ),
    done: `Deleted the credentials "${name}".`,
    refreshes: [integrationsKey],
    after: () => navigate({ to: CREDENTIALS, params: place, search: {} }),
  })
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
      onConfirm={() => remove.mutateAsync()}
    >
      Delete credentials
    </ConfirmButton>
  )
}
