import { Anchor, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CREDENTIALS } from '../credentials/paths.ts'
import { type Integration, type IntegrationKind, integrationsOfKindQuery } from '../credentials/queries.ts'
import { receiverOf } from '../credentials/receiver.ts'
import { useOrganization } from '../shell/workspace.ts'
import { type Field, fieldsBeside, fieldsOf, hasCredentials } from './config-schema.ts'
import type { DestinationType } from './destinations.tsx'

const OWN = 'own'

function useIntegrations(type: DestinationType): Integration[] | undefined {
  const organization = useOrganization()
  const { data } = useQuery({
    ...integrationsOfKindQuery(organization.id, type as IntegrationKind),
    enabled: hasCredentials(type),
  })
  return data?.results
}

/** The fields of an export to the type, with credentials of its own or stored ones. */
export function useDestinationFields(type: DestinationType, integration: string | null): Field[] {
  const credentials = useIntegrations(type)?.find(({ id }) => id === integration)?.config ?? {}
  return integration === null ? fieldsOf(type) : fieldsBeside(type, credentials)
}

/** Credentials of the export itself, or stored ones. */
export function CredentialChoice({
  type,
  value,
  error,
  onChange,
}: {
  type: DestinationType
  value: string | null
  error: ReactNode
  onChange: (integration: string | null) => void
}) {
  const { organization = '' } = useParams({ strict: false })
  const integrations = useIntegrations(type)
  const page = (text: string) => (
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => <Link to={CREDENTIALS} params={{ organization }} search={{}} {...props} />}
    >
      {text}
    </Anchor>
  )
  const stored = integrations?.map((integration) => ({
    value: integration.id,
    label: `${integration.name} (${receiverOf(integration)})`,
  }))
  return (
    <Select
      label="Credentials"
      description={
        integrations?.length === 0 ? (
          <>Store {page('credentials')} once to use them in several exports.</>
        ) : (
          <>Stored {page('credentials')} also decide where the secrets are sent.</>
        )
      }
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      error={error}
      allowDeselect={false}
      searchable={(integrations?.length ?? 0) > 10}
      data={[{ value: OWN, label: 'Enter credentials for this export' }, ...(stored ?? [])]}
      value={value ?? OWN}
      onChange={(chosen) => onChange(chosen === null || chosen === OWN ? null : chosen)}
    />
  )
}
