import { Group, Modal, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { Time } from '../parts/Time.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { ssoName } from '../signin/sso.tsx'
import { DataTable } from './DataTable.tsx'
import { DomainForm } from './DomainForm.tsx'
import { DomainState } from './DomainState.tsx'
import { domainsQuery, PAGE_SIZE } from './queries.ts'

type Domain = Schemas['Domain']

const route = getRouteApi('/signed-in/organizations/$organization/domains')

export function DomainsPage() {
  const organization = useOrganization()
  const navigate = route.useNavigate()
  const { page = 1, create } = route.useSearch()
  const domains = useQuery(domainsQuery(organization.id, page))
  const isEmpty = domains.data?.results.length === 0
  const reason = needsLevel(organization.membership_level, ADMINISTRATOR)
  const setCreate = (create: true | undefined): void =>
    void navigate({ search: (before) => ({ ...before, create }), replace: create === undefined })

  const addButton = (
    <ActionButton leftSection={<PlusIcon />} disabledReason={reason} onClick={() => setCreate(true)}>
      Add domain
    </ActionButton>
  )
  return (
    <>
      <PageHeader
        title="Domains and sign-in"
        description="Verify the domains of your email addresses to decide how their users sign in."
        actions={isEmpty ? undefined : addButton}
      />
      {domains.error ? (
        <ErrorAlert
          error={domains.error}
          title="The domains could not be loaded"
          retry={() => void domains.refetch()}
        />
      ) : isEmpty ? (
        <EmptyState title="No domains" action={addButton}>
          After you add a domain and publish a DNS record for it, people with an address in the domain can join without
          an invite, and you can require single sign-on or set up SAML.
        </EmptyState>
      ) : (
        <>
          <DataTable
            label="Domains"
            columns={['Domain', 'State', 'Joining', 'Sign-in']}
            minWidth={600}
            loading={domains.data === undefined}
          >
            {domains.data?.results.map((domain) => (
              <DomainRow key={domain.id} organization_id={organization.id} domain={domain} />
            ))}
          </DataTable>
          {domains.data && (
            <Pager
              count={domains.data.count}
              limit={PAGE_SIZE}
              page={page}
              noun="domain"
              onChange={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
            />
          )}
        </>
      )}
      <Modal opened={create === true && reason === undefined} onClose={() => setCreate(undefined)} title="Add a domain">
        <DomainForm organization_id={organization.id} close={() => setCreate(undefined)} />
      </Modal>
    </>
  )
}

function DomainRow({ organization_id, domain }: { organization_id: string; domain: Domain }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Link
          to="/organizations/$organization/domains/$domain"
          params={{ organization: organization_id, domain: domain.id }}
          className="row-link wrap"
        >
          {domain.domain}
        </Link>
      </Table.Td>
      <Table.Td>
        <Group gap={6} wrap="nowrap">
          <DomainState domain={domain} />
          {domain.verified_at && (
            <Text size="xs" c="dimmed" component="span">
              <Time value={domain.verified_at} />
            </Text>
          )}
        </Group>
      </Table.Td>
      <Table.Td>{domain.jit_provisioning_enabled ? 'Without an invite' : 'By invite only'}</Table.Td>
      <Table.Td>
        {domain.sso_enforcement ? `Only with ${ssoName(domain.sso_enforcement)}` : 'Any way'}
        {domain.has_saml && domain.sso_enforcement !== 'saml' && ', SAML set up'}
      </Table.Td>
    </Table.Tr>
  )
}
