import {
  Badge,
  Button,
  Group,
  NativeSelect,
  Stack,
  Table,
  Text,
  TextInput,
  Tooltip,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { answer, client, type Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton, ConfirmDialog } from '../parts/ConfirmButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { InviteIcon, SearchIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, levelName, needsLevel, OWNER, withArticle } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { capitalized, type Level, levelOptions, nameOf, parseLevel } from '../parts/people.ts'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'
import { useMe, useOrganization } from '../shell/workspace.ts'
import { ActionsHeader, DataTable } from './DataTable.tsx'
import { useDialogItem } from './dialog-item.ts'
import { openAnotherOrganization } from './leave.ts'
import { invalidate, membersQuery, PAGE_SIZE } from './queries.ts'

type Member = Schemas['Member']

const route = getRouteApi('/signed-in/organizations/$organization/members')
const SEARCH_DELAY_MS = 250

export function MembersPage() {
  const organization = useOrganization()
  const navigate = route.useNavigate()
  const { page = 1, search } = route.useSearch()
  const members = useQuery(membersQuery(organization.id, page, search))
  return (
    <>
      <PageHeader
        title="Members"
        description="People who can sign in to this organization. Every member sees all of its projects."
        actions={
          <>
            <LeaveButton organization={organization} />
            <Button
              component={Link}
              to={`/organizations/${organization.id}/invites` as '/'}
              search={{ create: true } as never}
              leftSection={<InviteIcon />}
            >
              Invite people
            </Button>
          </>
        }
      />
      <SearchField />
      {members.error ? (
        <ErrorAlert
          error={members.error}
          title="The members could not be loaded"
          retry={() => void members.refetch()}
        />
      ) : members.data?.results.length === 0 ? (
        <EmptyState
          title="No member found"
          action={
            <Button variant="default" onClick={() => void navigate({ search: {} })}>
              Show all members
            </Button>
          }
        >
          {search === undefined
            ? 'This page of the list is empty.'
            : `No name or email address contains "${search}". Check the spelling, or look for a pending invite.`}
        </EmptyState>
      ) : (
        <>
          <MemberTable organization={organization} members={members.data?.results} />
          {members.data && (
            <Pager
              count={members.data.count}
              limit={PAGE_SIZE}
              page={page}
              noun="member"
              onChange={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
            />
          )}
        </>
      )}
    </>
  )
}

/** The text is in the URL shortly after the user stops typing. */
function SearchField() {
  const navigate = route.useNavigate()
  const { search = '' } = route.useSearch()
  const [text, setText] = useState(search)
  useEffect(() => setText(search), [search])
  useEffect(() => {
    if (text === search) return
    const timer = setTimeout(
      () => void navigate({ search: { search: text || undefined }, replace: true }),
      SEARCH_DELAY_MS,
    )
    return () => clearTimeout(timer)
  }, [text, search, navigate])
  return (
    <TextInput
      type="search"
      aria-label="Search members"
      placeholder="Search by name or email"
      leftSection={<SearchIcon />}
      maxLength={200}
      maw={360}
      mb="md"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}

function MemberTable({
  organization,
  members,
}: {
  organization: Schemas['Organization']
  members: Member[] | undefined
}) {
  const removal = useDialogItem<Member>()
  const change = useDialogItem<{ member: Member; level: Level }>()
  const pathOf = ({ user }: Member) => ({ path: { organization_id: organization.id, user__uuid: user.uuid } })

  const remove = async (member: Member): Promise<void> => {
    await answer(
      client.DELETE('/api/organizations/{organization_id}/members/{user__uuid}/', { params: pathOf(member) }),
    )
    await invalidate('members', 'organization')
    notifyDone(`${nameOf(member.user)} is no longer a member.`)
  }
  const setLevel = async (member: Member, level: Level): Promise<void> => {
    await answer(
      client.PATCH('/api/organizations/{organization_id}/members/{user__uuid}/', {
        params: pathOf(member),
        body: { level },
      }),
    )
    await invalidate('members')
    notifyDone(`${nameOf(member.user)} is now ${withArticle(level)}.`)
  }

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
      {removal.item && (
        <ConfirmDialog
          opened={removal.opened}
          close={removal.close}
          title={`Remove ${nameOf(removal.item.user)}?`}
          effect={`${removal.item.user.email} loses access to ${organization.name} and its projects at once. Their pending invites are deleted. The account and its other memberships stay. A new invite lets them come back.`}
          confirm="Remove member"
          danger
          onConfirm={() => (removal.item ? remove(removal.item) : Promise.resolve())}
        />
      )}
      {change.item && (
        <ConfirmDialog
          opened={change.opened}
          close={change.close}
          title={`Make ${nameOf(change.item.member.user)} ${withArticle(change.item.level)}?`}
          effect={<LevelEffect {...change.item} />}
          confirm="Change level"
          onConfirm={() => (change.item ? setLevel(change.item.member, change.item.level) : Promise.resolve())}
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

function LevelEffect({ member, level }: { member: Member; level: Level }) {
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

function MemberRow({
  member,
  level,
  onLevel,
  onRemove,
}: {
  member: Member
  level: number | null
  onLevel: (level: Level) => void
  onRemove: () => void
}) {
  const me = useMe()
  const { user } = member
  const self = user.uuid === me.uuid
  const name = nameOf(user)
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={6} wrap="nowrap">
          <Text size="sm" fw={500} className="wrap">
            {name}
          </Text>
          {self && (
            <Badge size="xs" variant="default">
              You
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" className="wrap">
          {user.email}
        </Text>
      </Table.Td>
      <Table.Td>
        <LevelSelect member={member} reason={levelReason(member, level, self)} own={level} onLevel={onLevel} />
      </Table.Td>
      <Table.Td>
        <TwoFactor member={member} />
      </Table.Td>
      <Table.Td>
        <Time value={member.joined_at} />
      </Table.Td>
      <Table.Td ta="right">
        {!self && (
          <ActionButton
            size="compact-sm"
            variant="subtle"
            color="red"
            aria-label={`Remove ${name}`}
            disabledReason={removeReason(member, level)}
            onClick={onRemove}
          >
            Remove
          </ActionButton>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

const HIGHER = 'This member has a higher level than you. Ask an owner of the organization.'

function levelReason(member: Member, level: number | null, self: boolean): string | undefined {
  if (self) return 'You cannot change your own level. Ask another administrator or owner.'
  return needsLevel(level, ADMINISTRATOR) ?? (member.level > (level ?? 0) ? HIGHER : undefined)
}

function removeReason(member: Member, level: number | null): string | undefined {
  const reason = needsLevel(level, ADMINISTRATOR) ?? (member.level > (level ?? 0) ? HIGHER : undefined)
  return reason ?? (member.level === OWNER ? 'An owner cannot be removed. Lower their level first.' : undefined)
}

/** A level that cannot be changed is a button, because a disabled select cannot be focused to read the reason. */
function LevelSelect({
  member,
  reason,
  own,
  onLevel,
}: {
  member: Member
  reason: string | undefined
  own: number | null
  onLevel: (level: Level) => void
}) {
  const id = useId()
  const label = `Level of ${nameOf(member.user)}`
  if (reason !== undefined)
    return (
      <>
        <Tooltip label={reason}>
          <UnstyledButton
            fz="sm"
            px="xs"
            aria-label={`${label}: ${levelName(member.level)}`}
            aria-disabled
            aria-describedby={id}
          >
            {capitalized(levelName(member.level))}
          </UnstyledButton>
        </Tooltip>
        <VisuallyHidden id={id}>{reason}</VisuallyHidden>
      </>
    )
  return (
    <NativeSelect
      size="xs"
      w={140}
      aria-label={label}
      value={String(member.level)}
      data={levelOptions(own)}
      onChange={(event) => {
        const chosen = parseLevel(event.currentTarget.value)
        if (chosen !== undefined) onLevel(chosen)
      }}
    />
  )
}

function TwoFactor({ member }: { member: Member }) {
  return (
    <Group gap={6} wrap="nowrap">
      <StateBadge color={member.is_2fa_enabled ? 'green' : 'gray'}>{member.is_2fa_enabled ? 'On' : 'Off'}</StateBadge>
      {member.has_social_auth && (
        <Text size="xs" c="dimmed">
          Single sign-on
        </Text>
      )}
    </Group>
  )
}

function LeaveButton({ organization }: { organization: Schemas['Organization'] }) {
  const navigate = useNavigate()
  const leave = async (): Promise<void> => {
    await answer(
      client.DELETE('/api/organizations/{organization_id}/members/{user__uuid}/', {
        params: { path: { organization_id: organization.id, user__uuid: '@me' } },
      }),
    )
    await openAnotherOrganization(navigate, organization.id)
    notifyDone(`You left ${organization.name}.`)
  }
  return (
    <ConfirmButton
      variant="default"
      title={`Leave ${organization.name}?`}
      effect="You lose access to the organization and its projects at once. To come back, you need a new invite."
      confirm="Leave organization"
      danger
      disabledReason={
        organization.membership_level === OWNER
          ? 'An owner cannot leave. Another owner must lower your level first.'
          : undefined
      }
      onConfirm={leave}
    >
      Leave organization
    </ConfirmButton>
  )
}
