import { Button, Group, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, client, type Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmDialog } from '../parts/ConfirmButton.tsx'
import { levelName } from '../parts/levels.ts'
import { capitalized, nameOf } from '../parts/people.ts'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'
import { useChange } from '../parts/use-change.ts'
import { preflightQuery } from '../signin/sso.tsx'
import { ActionsHeader, DataTable } from './DataTable.tsx'
import { useDialogItem } from './dialog-item.ts'
import { invitesKey } from './queries.ts'

type Invite = Schemas['Invite']
type CreatedInvite = Schemas['InviteCreated']

/** The pending invites, with dialogs that renew or revoke them. */
export function InviteTable({
  organization,
  invites,
  onCreated,
}: {
  organization: Schemas['Organization']
  invites: Invite[] | undefined
  onCreated: (created: CreatedInvite[]) => void
}) {
  const { data: preflight } = useQuery(preflightQuery)
  const mails = preflight?.email_service_available ?? false
  const revocation = useDialogItem<Invite>()
  const renewal = useDialogItem<Invite>()

  const { item: revoked } = revocation
  const { item: renewed } = renewal

  const revoke = useChange({
    send: ({ id }: Invite) =>
      answer(
        client.DELETE('/api/organizations/{organization_id}/invites/{id}/', {
          params: { path: { organization_id: organization.id, id } },
        }),
      ),
    done: (_revoked, { target_email }) => `The invite to ${target_email} is revoked.`,
    refreshes: [invitesKey],
  })
  /** A new invite to the same address replaces the old one. */
  const renew = useChange({
    send: ({ target_email, first_name, level, message }: Invite) =>
      answer(
        client.POST('/api/organizations/{organization_id}/invites/', {
          params: { path: { organization_id: organization.id } },
          body: { target_email, first_name, level, message },
        }),
      ),
    done: (_created, { target_email }) => (mails ? `A new invite is on its way to ${target_email}.` : undefined),
    refreshes: [invitesKey],
    after: (created) => onCreated([created]),
  })

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
      {revoked && (
        <ConfirmDialog
          opened={revocation.opened}
          close={revocation.close}
          title={`Revoke the invite to ${revoked.target_email}?`}
          effect="Its link stops working at once. You can invite the address again later."
          confirm="Revoke invite"
          danger
          onConfirm={() => revoke.mutateAsync(revoked)}
        />
      )}
      {renewed && (
        <ConfirmDialog
          opened={renewal.opened}
          close={renewal.close}
          title={
            mails ? `Send a new invite to ${renewed.target_email}?` : `Create a new link for ${renewed.target_email}?`
          }
          effect="The new invite replaces the old one, whose link stops working. It is valid for three days from now."
          confirm={mails ? 'Resend invite' : 'Create new link'}
          onConfirm={() => renew.mutateAsync(renewed)}
        />
      )}
    </>
  )
}

/** From the contract. Lists do not contain the expiry time. */
const LIFETIME_MS = 3 * 86_400_000

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
