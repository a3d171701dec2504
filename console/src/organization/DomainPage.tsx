import { Alert, Anchor, Box, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { answer, client, queryClient, type Schemas, WorkspaceError } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { Copy } from '../parts/Copy.tsx'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { CheckIcon, InfoIcon, WarningIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Section } from '../parts/Section.tsx'
import { Time } from '../parts/Time.tsx'
import { NotFound } from '../shell/RouteError.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { SamlForm, SignInForm } from './DomainSignIn.tsx'
import { DomainState } from './DomainsPage.tsx'
import { domainQuery, invalidate } from './queries.ts'

type Domain = Schemas['Domain']

export function DomainPage() {
  const organization = useOrganization()
  const { domain: id = '' } = useParams({ strict: false })
  const { data: domain, error, refetch } = useQuery(domainQuery(organization.id, id))
  const reason = needsLevel(organization.membership_level, ADMINISTRATOR)
  if (error instanceof WorkspaceError && error.status === 404) return <NotFound />
  if (error) return <ErrorAlert error={error} title="The domain could not be loaded" retry={() => void refetch()} />
  return (
    <>
      <PageHeader
        title={domain?.domain ?? 'Domain'}
        above={
          <Anchor
            component={Link}
            to="/organizations/$organization/domains"
            params={{ organization: organization.id } as never}
            size="sm"
          >
            Domains and sign-in
          </Anchor>
        }
        description={
          domain && (
            <Group gap="xs" mt={4}>
              <DomainState domain={domain} />
              {domain.verified_at && (
                <span>
                  Verified <Time value={domain.verified_at} />
                </span>
              )}
            </Group>
          )
        }
        actions={domain && <DeleteButton organization_id={organization.id} domain={domain} reason={reason} />}
      />
      {domain ? (
        <Stack maw={760}>
          {reason !== undefined && (
            <Alert color="blue" icon={<InfoIcon />} title="You can read these settings, but not change them">
              {reason}
            </Alert>
          )}
          <Verification organization_id={organization.id} domain={domain} reason={reason} />
          <SignInForm organization_id={organization.id} domain={domain} reason={reason} />
          <SamlForm organization_id={organization.id} domain={domain} reason={reason} />
        </Stack>
      ) : (
        <Stack maw={760}>
          <Skeleton h={220} />
          <Skeleton h={180} />
        </Stack>
      )}
    </>
  )
}

interface DomainProps {
  organization_id: string
  domain: Domain
  /** Why the user cannot change the domain. */
  reason: string | undefined
}

function Verification({ organization_id, domain, reason }: DomainProps) {
  const verify = useMutation({
    mutationFn: () =>
      answer(
        client.POST('/api/organizations/{organization_id}/domains/{id}/verify/', {
          params: { path: { organization_id, id: domain.id } },
        }),
      ),
    onSuccess: async ({ found_records: _found, ...verified }) => {
      queryClient.setQueryData(domainQuery(organization_id, domain.id).queryKey, verified)
      await invalidate('domains')
    },
  })
  if (domain.is_verified)
    return (
      <Section title="Ownership">
        <Group gap="xs" wrap="nowrap" align="flex-start" role="status">
          <Box flex="none" pt={2}>
            <CheckIcon />
          </Box>
          <Text size="sm">
            The domain is verified. A verification does not expire, so the DNS record may be removed.
          </Text>
        </Group>
      </Section>
    )
  return (
    <Section title="Verify that you own the domain">
      <Text size="sm">
        Publish this record at the DNS provider of {domain.domain}, then check it here. Changes of DNS can take from a
        few minutes to a day to become visible.
      </Text>
      <RecordTable domain={domain} />
      <Group>
        <ActionButton disabledReason={reason} loading={verify.isPending} onClick={() => verify.mutate()}>
          Verify domain
        </ActionButton>
      </Group>
      <div aria-live="polite">
        {verify.error && <ErrorAlert error={verify.error} title="The domain is not verified" />}
        {verify.data && !verify.data.is_verified && !verify.isPending && (
          <NotSeen domain={domain} records={verify.data.found_records} />
        )}
      </div>
    </Section>
  )
}

function RecordTable({ domain }: { domain: Domain }) {
  const row = (label: string, value: ReactNode) => (
    <Table.Tr>
      <Table.Th scope="row" w={90}>
        {label}
      </Table.Th>
      <Table.Td>{value}</Table.Td>
    </Table.Tr>
  )
  return (
    <Table withTableBorder highlightOnHover={false} aria-label="DNS record">
      <Table.Tbody>
        {row('Type', <span className="mono">TXT</span>)}
        {row('Name', <Copy value={domain.verification_record_name} label="record name" />)}
        {row('Value', <Copy value={domain.verification_challenge} label="record value" />)}
      </Table.Tbody>
    </Table>
  )
}

/** The TXT records that the server found instead of the expected one. */
function NotSeen({ domain, records }: { domain: Domain; records: string[] }) {
  return (
    <Alert color="yellow" icon={<WarningIcon />} title="Not verified yet">
      <Stack gap={6}>
        {records.length === 0 ? (
          <Text size="sm" className="wrap">
            No TXT record was found at {domain.verification_record_name}. Check its name, or wait until the change is
            visible, and verify again.
          </Text>
        ) : (
          <>
            <Text size="sm" className="wrap">
              {plural(records.length, 'TXT record')} found at {domain.verification_record_name}, but none with the value
              above. Correct the value and verify again.
            </Text>
            {records.map((record) => (
              <Text key={record} size="sm" className="mono wrap">
                {record || '(empty)'}
              </Text>
            ))}
          </>
        )}
      </Stack>
    </Alert>
  )
}

function DeleteButton({ organization_id, domain, reason }: DomainProps) {
  const navigate = useNavigate()
  const remove = async (): Promise<void> => {
    await answer(
      client.DELETE('/api/organizations/{organization_id}/domains/{id}/', {
        params: { path: { organization_id, id: domain.id } },
      }),
    )
    await navigate({ to: '/organizations/$organization/domains', params: { organization: organization_id } as never })
    await invalidate('domains')
    notifyDone(`${domain.domain} is deleted.`)
  }
  return (
    <ConfirmButton
      variant="light"
      danger
      title={`Delete ${domain.domain}?`}
      effect={
        domain.is_verified
          ? 'Its sign-in settings are deleted: nobody can join without an invite, single sign-on is no longer required and SAML stops working. Members stay. To use the domain again, you must verify it with a new record.'
          : 'Its DNS record is no longer needed. If you add the domain again, it gets a new record.'
      }
      confirm="Delete domain"
      disabledReason={reason}
      onConfirm={remove}
    >
      Delete domain
    </ConfirmButton>
  )
}
