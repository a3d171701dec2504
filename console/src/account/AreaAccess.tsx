import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useId } from 'react'
import type { Access, Area } from './scopes.ts'

/** Chooses the access of a key to one area. */
export function AreaAccess({
  area: { label, description, write },
  value,
  onChange,
}: {
  area: Area
  value: Access
  onChange: (value: Access) => void
}) {
  const id = useId()
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap">
      <Stack gap={0} flex={1} miw={0}>
        <Text size="sm" fw={500} id={id}>
          {label}
        </Text>
        <Text size="xs" c="dimmed">
          {description}
        </Text>
      </Stack>
      <SegmentedControl<Access>
        size="xs"
        aria-labelledby={id}
        data={[
          { value: 'none', label: 'None' },
          { value: 'read', label: 'Read' },
          ...(write ? [{ value: 'write' as const, label: 'Write' }] : []),
        ]}
        value={value}
        onChange={onChange}
      />
    </Group>
  )
}
