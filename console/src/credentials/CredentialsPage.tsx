import { Group, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { DESTINATIONS, DestinationIcon } from '../exports/destinations.tsx'
import { DataTable } from '../organization/DataTable.tsx'
import { ActionButton } from '../parts/ActionButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { PlusIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { Time } from '../parts/Time.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { CREDENTIAL, CREDENTIALS_ID, NEW_CREDENTIAL } from './paths.ts'
import { type Integration, integrationsQuery, PAGE_SIZE } from './queries.ts'
import { receiverOf } from './receiver.ts'

const route = getRouteApi(CREDENTIALS_ID)

/** The stored credentials of the organization. */
export function CredentialsPage() {
  const organization = useOrganization()
  const place = route.useParams()
  const navigate = route.useNavigate()
  const { page = 1 } = route.useSearch()
  const integrations = useQuery(integrationsQuery(organization.id, page))
  const isEmpty = integrations.data?.results.length === 0
  const addButton = (
    <ActionButton
      leftSection={<PlusIcon />}
      disabledReason={needsLevel(organization.membership_level, ADMINISTRATOR)}
      onClick={() => void navigate({ to: NEW_CREDENTIAL, params: place, search: {} })}
    >
      Add credentials
    </ActionButton>
  )
  return (
    <>
      <PageHeader
        title="Credentials"
        description="Store the credentials of a destination once, use them in several exports, and rotate them in one place."
        actions={isEmpty ? undefined : addButton}
      />
      {integrations.error ? (
        <ErrorAlert
          error={integrations.error}
          title="The credentials could not be loaded"
          retry={() => void integrations.refetch()}
        />
      ) : isEmpty ? (
        <EmptyState title={page > 1 ? 'This page of the list is empty' : 'No stored credentials'} action={addButton}>
          Members can use stored credentials in their exports without seeing the secrets. Exports can also have
          credentials of their own.
        </EmptyState>
      ) : (
        <>
          <DataTable
            label="Credentials"
            columns={['Name', 'Destination', 'Sent to', 'Used by', 'Secrets changed']}
            minWidth={760}
            loading={integrations.data === undefined}
          >
            {integrations.data?.results.map((integration) => (
              <Row key={integration.id} organization={place.organization} integration={integration} />
            ))}
          </DataTable>
          {integrations.data && (
            <Pager
              count={integrations.data.count}
              limit={PAGE_SIZE}
              page={page}
              noun="stored credential"
              onChange={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
            />
          )}
        </>
      )}
    </>
  )
}

function Row({ organization, integration }: { organization: string; integration: Integration }) {
  const { id, name, kind, batch_exports_count, secrets_changed_at } = integration
  return (
    <Table.Tr>
      <Table.Td>
        <Link to={CREDENTIAL} params={{ organization, credential: id }} className="row-link wrap">
          {name}
        </Link>
      </Table.Td>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <DestinationIcon type={kind} size={22} />
          {DESTINATIONS[kind].label}
        </Group>
      </Table.Td>
      <Table.Td className="wrap">{receiverOf(integration)}</Table.Td>
      <Table.Td>{batch_exports_count === 0 ? 'No export' : plural(batch_exports_count, 'export')}</Table.Td>
      <Table.Td>
        <Time value={secrets_changed_at} />
      </Table.Td>
    </Table.Tr>
  )
}
