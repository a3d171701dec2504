import { Stack, Text } from '@mantine/core'
import { answer, client, organizationQuery, type Schemas } from '../api.ts'
import { ConfirmDialog } from '../parts/ConfirmButton.tsx'
import { levelName, withArticle } from '../parts/levels.ts'
import { type Level, nameOf } from '../parts/people.ts'
import { useChange } from '../parts/use-change.ts'
import { ActionsHeader, DataTable } from './DataTable.tsx'
import { useDialogItem } from './dialog-item.ts'
import { MemberRow } from './MemberRow.tsx'
import { membersKey } from './queries.ts'

type Member = Schemas['Member']

interface LevelChange {
  member: Member
  level: Level
}

/** The members, with dialogs that change their level or remove them. */
export function MemberTable({
  organization,
  members,
}: {
  organization: Schemas['Organization']
  members: Member[] | undefined
}) {
  const removal = useDialogItem<Member>()
  const change = useDialogItem<LevelChange>()
  const paramsOf = ({ user }: Member) => ({ path: { organization_id: organization.id, user__uuid: user.uuid } })
  const remove = useChange({
    send: (member: Member) =>
      answer(client.DELETE('/api/organizations/{organization_id}/members/{user__uuid}/', { params: paramsOf(member) })),
    done: (_removed, { user }) => `${nameOf(user)} is no longer a member.`,
    refreshes: [membersKey, organizationQuery(organization.id).queryKey],
  })
  const setLevel = useChange({
    send: ({ member, level }: LevelChange) =>
      answer(
        client.PATCH('/api/organizations/{organization_id}/members/{user__uuid}/', {
          params: paramsOf(member),
          body: { level },
        }),
      ),
    done: (_saved, { member, level }) => `${nameOf(member.user)} is now ${withArticle(level)}.`,
    refreshes: [membersKey],
  })
  const { item: removed } = removal
  const { item: changed } = change
  return (
    <>
      <DataTable
        label="Members"
        columns={['Name', 'Level', 'Two-factor', 'Joined', ActionsHeader]}
        minWidth={640}
        loading={members === undefined}
      >
        {members?.map((member) => (
          <MemberRow
            key={member.id}
            member={member}
            level={organization.membership_level}
            onLevel={(level) => change.ask({ member, level })}
            onRemove={() => removal.ask(member)}
          />
        ))}
      </DataTable>
      {removed && (
        <ConfirmDialog
          opened={removal.opened}
          close={removal.close}
          title={`Remove ${nameOf(removed.user)}?`}
          effect={`${removed.user.email} loses access to ${organization.name} and its projects at once. Their pending invites are deleted. The account and its other memberships stay. A new invite lets them come back.`}
          confirm="Remove member"
          danger
          onConfirm={() => remove.mutateAsync(removed)}
        />
      )}
      {changed && (
        <ConfirmDialog
          opened={change.opened}
          close={change.close}
          title={`Make ${nameOf(changed.member.user)} ${withArticle(changed.level)}?`}
          effect={<LevelEffect {...changed} />}
          confirm="Change level"
          onConfirm={() => setLevel.mutateAsync(changed)}
        />
      )}
    </>
  )
}

const EFFECTS: Record<Level, string> = {
  1: 'Members use projects, exports and plugins, and invite other members.',
  8: 'Administrators also manage members, domains, projects and the settings of the organization.',
  15: 'Owners can do everything, including deleting the organization. Only another owner can lower their level.',
}

function LevelEffect({ member, level }: LevelChange) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        {member.user.email} is {withArticle(member.level)} now. {EFFECTS[level]}
      </Text>
      {level < member.level && (
        <Text size="sm">Invites that they created with a higher level than {levelName(level)} are deleted.</Text>
      )}
    </Stack>
  )
}
