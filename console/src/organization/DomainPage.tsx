import { Alert, Group, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { answer, client, WorkspaceError } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { InfoIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { AnchorLink } from '../parts/links.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Time } from '../parts/Time.tsx'
import { useChange } from '../parts/use-change.ts'
import { NotFound } from '../shell/RouteError.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { DomainSaml } from './DomainSaml.tsx'
import { DomainSignIn } from './DomainSignIn.tsx'
import { DomainState } from './DomainState.tsx'
import { DomainVerification } from './DomainVerification.tsx'
import type { DomainProps } from './domain.ts'
import { domainQuery, domainsKey } from './queries.ts'

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
          <AnchorLink to="/organizations/$organization/domains" params={{ organization: organization.id }} size="sm">
            Domains and sign-in
          </AnchorLink>
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
          <DomainVerification organization_id={organization.id} domain={domain} reason={reason} />
          <DomainSignIn organization_id={organization.id} domain={domain} reason={reason} />
          <DomainSaml organization_id={organization.id} domain={domain} reason={reason} />
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

function DeleteButton({ organization_id, domain, reason }: DomainProps) {
  const navigate = useNavigate()
  const remove = useChange({
    send: () =>
      answer(
        client.DELETE('/api/organizations/{organization_id}/domains/{id}/', {
          params: { path: { organization_id, id: domain.id } },
        }),
      ),
    done: `${domain.domain} is deleted.`,
    refreshes: [domainsKey],
    after: () => navigate({ to: '/organizations/$organization/domains', params: { organization: organization_id } }),
  })
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
      onConfirm={() => remove.mutateAsync()}
    >
      Delete domain
    </ConfirmButton>
  )
}
