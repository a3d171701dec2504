import { Badge, Group, NativeSelect, Table, Text, Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useId } from 'react'
import type { Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ADMINISTRATOR, levelName, needsLevel, OWNER } from '../parts/levels.ts'
import { capitalized, type Level, levelOptions, nameOf, parseLevel } from '../parts/people.ts'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'
import { useMe } from '../shell/workspace.ts'

type Member = Schemas['Member']

export function MemberRow({
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
