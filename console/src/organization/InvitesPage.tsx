import { Alert, Button, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, client, type Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmDialog } from '../parts/ConfirmButton.tsx'
import { Copy, CopyIconButton } from '../parts/Copy.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { InfoIcon, PlusIcon } from '../parts/icons.tsx'
import { levelName } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { capitalized, nameOf } from '../parts/people.ts'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { preflightQuery } from '../signin/sso.tsx'
import { ActionsHeader, DataTable } from './DataTable.tsx'
import { useDialogItem } from './dialog-item.ts'
import { InviteForm } from './InviteForm.tsx'
import { invalidate, invitesQuery, PAGE_SIZE } from './queries.ts'

type Invite = Schemas['Invite']
type CreatedInvite = Schemas['InviteCreated']
type Organization = Schemas['Organization']

const route = getRouteApi('/signed-in/organizations/$organization/invites')
/** From the contract. Lists do not contain the expiry time. */
const LIFETIME_MS = 3 * 86_400_000

export function InvitesPage() {
  const organization = useOrganization()
  const navigate = route.useNavigate()
  const { page = 1, create } = route.useSearch()
  const invites = useQuery(invitesQuery(organization.id, page))
  const isEmpty = invites.data?.results.length === 0
  const [links, setLinks] = useState<CreatedInvite[]>([])
  const setCreate = (create: true | undefined): void =>
    void navigate({ search: (before) => ({ ...before, create }), replace: create === undefined })

  /** Links are in the responses of a server without mail, and nowhere else. */
  const show = (created: CreatedInvite[]): void => {
    const withLinks = created.filter(({ signup_token }) => signup_token !== undefined)
    if (withLinks.length) setLinks((before) => [...before, ...withLinks])
  }

  const inviteButton = (
    <Button leftSection={<PlusIcon />} onClick={() => setCreate(true)}>
      Invite people
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Invites"
        description="Invites that nobody has accepted yet. They are valid for three days."
        actions={isEmpty ? undefined : inviteButton}
      />
      {invites.error ? (
        <ErrorAlert
          error={invites.error}
          title="The invites could not be loaded"
          retry={() => void invites.refetch()}
        />
      ) : isEmpty ? (
        <EmptyState title="No pending invites" action={inviteButton}>
          {page > 1
            ? 'This page of the list is empty.'
            : 'Everyone you invited has joined, or nobody was invited yet. Invite people by their email address.'}
        </EmptyState>
      ) : (
        <>
          <InviteTable organization={organization} invites={invites.data?.results} onCreated={show} />
          {invites.data && (
            <Pager
              count={invites.data.count}
              limit={PAGE_SIZE}
              page={page}
              noun="invite"
              onChange={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
            />
          )}
        </>
      )}
      <Modal opened={create === true} onClose={() => setCreate(undefined)} title="Invite people" size="lg">
        {create && <InviteForm organization={organization} onCreated={show} close={() => setCreate(undefined)} />}
      </Modal>
      <LinksDialog invites={links} close={() => setLinks([])} />
    </>
  )
}

/** The link that the server would mail. */
const linkOf = ({ id, signup_token }: CreatedInvite): string =>
  `${location.origin}/signup/${id}/?token=${signup_token ?? ''}`

function LinksDialog({ invites, close }: { invites: CreatedInvite[]; close: () => void }) {
  return (
    <Modal
      opened={invites.length > 0}
      onClose={close}
      title="Send these links yourself"
      size="lg"
      closeOnClickOutside={false}
    >
      <Stack>
        <Alert color="yellow" icon={<InfoIcon />} title="The links are shown only once">
          <Text size="sm">
            This server sends no email. Copy each link and send it to its recipient. Anyone who has the link can accept
            the invite. If a link is lost, create a new one in the list of invites.
          </Text>
        </Alert>
        <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
          {invites.map((invite) => (
            <li key={invite.id}>
              <Text size="sm" fw={500} className="wrap">
                {invite.target_email}
              </Text>
              <Copy value={linkOf(invite)} label={`link for ${invite.target_email}`} />
            </li>
          ))}
        </Stack>
        <Group justify="space-between">
          {invites.length > 1 ? (
            <Group gap={6}>
              <CopyIconButton
                value={invites.map((invite) => `${invite.target_email} ${linkOf(invite)}`).join('\n')}
                label="all links"
              />
              <Text size="sm">Copy all links with their addresses</Text>
            </Group>
          ) : (
            <span />
          )}
          <Button onClick={close}>I have copied the {invites.length > 1 ? 'links' : 'link'}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function InviteTable({
  organization,
  invites,
  onCreated,
}: {
  organization: Organization
  invites: Invite[] | undefined
  onCreated: (created: CreatedInvite[]) => void
}) {
  const { data: preflight } = useQuery(preflightQuery)
  const mails = preflight?.email_service_available ?? false
  const revocation = useDialogItem<Invite>()
  const renewal = useDialogItem<Invite>()

  const revoke = async ({ id, target_email }: Invite): Promise<void> => {
    await answer(
      client.DELETE('/api/organizations/{organization_id}/invites/{id}/', {
        params: { path: { organization_id: organization.id, id } },
      }),
    )
    await invalidate('invites')
    notifyDone(`The invite to ${target_email} is revoked.`)
  }
  /** A new invite to the same address replaces the old one. */
  const renew = async ({ target_email, first_name, level, message }: Invite): Promise<void> => {
    const created = await answer(
      client.POST('/api/organizations/{organization_id}/invites/', {
        params: { path: { organization_id: organization.id } },
        body: { target_email, first_name, level, message },
      }),
    )
    await invalidate('invites')
    onCreated([created])
    if (mails) notifyDone(`A new invite is on its way to ${target_email}.`)
  }

  return (
    <>
      <DataTable
        label="Invites"
        columns={['Address', 'Level', 'Expires', 'Sent', 'Invited by', ActionsHeader]}
        minWidth={760}
        loading={invites === undefined}
      >
        {invites?.map((invite) => (
          <InviteRow
            key={invite.id}
            invite={invite}
            own={organization.membership_level}
            renewLabel={mails ? 'Resend' : 'New link'}
            onRenew={() => renewal.ask(invite)}
            onRevoke={() => revocation.ask(invite)}
          />
        ))}
      </DataTable>
      {revocation.item && (
        <ConfirmDialog
          opened={revocation.opened}
          close={revocation.close}
          title={`Revoke the invite to ${revocation.item.target_email}?`}
          effect="Its link stops working at once. You can invite the address again later."
          confirm="Revoke invite"
          danger
          onConfirm={() => (revocation.item ? revoke(revocation.item) : Promise.resolve())}
        />
      )}
      {renewal.item && (
        <ConfirmDialog
          opened={renewal.opened}
          close={renewal.close}
          title={
            mails
              ? `Send a new invite to ${renewal.item.target_email}?`
              : `Create a new link for ${renewal.item.target_email}?`
          }
          effect="The new invite replaces the old one, whose link stops working. It is valid for three days from now."
          confirm={mails ? 'Resend invite' : 'Create new link'}
          onConfirm={() => (renewal.item ? renew(renewal.item) : Promise.resolve())}
        />
      )}
    </>
  )
}

function InviteRow({
  invite,
  own,
  renewLabel,
  onRenew,
  onRevoke,
}: {
  invite: Invite
  own: number | null
  renewLabel: string
  onRenew: () => void
  onRevoke: () => void
}) {
  const expires_at = new Date(Date.parse(invite.created_at) + LIFETIME_MS).toISOString()
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={500} className="wrap">
          {invite.target_email}
        </Text>
        {invite.first_name && (
          <Text size="xs" c="dimmed" className="wrap">
            {invite.first_name}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{capitalized(levelName(invite.level))}</Table.Td>
      <Table.Td>
        <Group gap={6} wrap="nowrap">
          {invite.is_expired && <StateBadge color="red">Expired</StateBadge>}
          <Time value={expires_at} />
        </Group>
      </Table.Td>
      <Table.Td>
        <StateBadge color={invite.emailing_attempt_made ? 'green' : 'gray'}>
          {invite.emailing_attempt_made ? 'By email' : 'Link only'}
        </StateBadge>
      </Table.Td>
      <Table.Td>
        <Text size="sm" className="wrap">
          {invite.created_by ? nameOf(invite.created_by) : 'Deleted account'}
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <ActionButton
            size="compact-sm"
            variant="subtle"
            aria-label={`${renewLabel} for ${invite.target_email}`}
            disabledReason={
              invite.level > (own ?? 0)
                ? `This invite grants the level ${levelName(invite.level)}, which is above yours. Ask its inviter.`
                : undefined
            }
            onClick={onRenew}
          >
            {renewLabel}
          </ActionButton>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            aria-label={`Revoke invite to ${invite.target_email}`}
            onClick={onRevoke}
          >
            Revoke
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}
