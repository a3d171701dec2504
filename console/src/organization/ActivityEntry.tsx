import { Anchor, Box, Button, Group, Stack, Table, Text } from '@mantine/core'
import { useId } from 'react'
import type { Schemas } from '../api.ts'
import { Copy } from '../parts/Copy.tsx'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'
import { AREAS, actorOf, fieldText, sentenceOf, valueText } from './activity-text.ts'
import type { ActivitySearch } from './routes.tsx'

type Activity = Schemas['Activity']

/** One entry as a sentence. Its actor and its item are filters; its details unfold. */
export function ActivityEntry({
  entry,
  opened,
  onToggle,
  onFilter,
}: {
  entry: Activity
  opened: boolean
  onToggle: (open: string | undefined) => void
  onFilter: (changes: Partial<ActivitySearch>) => void
}) {
  const id = useId()
  const { before, item, after } = sentenceOf(entry)
  const { user, item_id, area } = entry
  return (
    <Box component="li" className="entry" px="md" py="xs">
      <Group justify="space-between" align="flex-start" gap="xs">
        <Box flex="1 1 18rem" miw={0}>
          <Text size="sm" className="wrap">
            {user ? (
              <Anchor
                component="button"
                type="button"
                size="sm"
                fw={600}
                title={`Show only activity of ${user.email}`}
                onClick={() => onFilter({ user: user.uuid })}
              >
                {actorOf(entry)}
              </Anchor>
            ) : (
              <b>{actorOf(entry)}</b>
            )}{' '}
            {before}
            {item !== null &&
              (item_id === null ? (
                <b>{item}</b>
              ) : (
                <Anchor
                  component="button"
                  type="button"
                  size="sm"
                  fw={500}
                  title={`Show only activity about ${item}`}
                  onClick={() => onFilter({ item: item_id })}
                >
                  {item}
                </Anchor>
              ))}
            {after}
          </Text>
          <Group gap={8} mt={2}>
            <StateBadge color={entry.activity === 'sign_in_failed' ? 'red' : 'gray'}>
              {entry.activity === 'sign_in_failed' ? 'Failed sign-in' : (AREAS[area] ?? area)}
            </StateBadge>
            <Text size="xs" c="dimmed" component="span">
              <Time value={entry.created_at} />
            </Text>
            {entry.address !== null && (
              <Text size="xs" c="dimmed" className="wrap">
                from {entry.address}
              </Text>
            )}
            {entry.api_key_id !== null && (
              <Text size="xs" c="dimmed">
                with an API key
              </Text>
            )}
          </Group>
        </Box>
        <Button
          size="compact-xs"
          variant="subtle"
          aria-expanded={opened}
          aria-controls={id}
          onClick={() => onToggle(opened ? undefined : entry.id)}
        >
          {opened ? 'Hide details' : 'Details'}
        </Button>
      </Group>
      <div id={id} hidden={!opened}>
        {opened && <Details entry={entry} />}
      </div>
    </Box>
  )
}

function Details({ entry }: { entry: Activity }) {
  return (
    <Stack gap="xs" mt="xs">
      {entry.changes.length > 0 && (
        <Table.ScrollContainer minWidth={320} type="native">
          <Table withTableBorder highlightOnHover={false} aria-label="Changed fields" fz="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Field</Table.Th>
                <Table.Th>Before</Table.Th>
                <Table.Th>After</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {entry.changes.map(({ field, before, after }) => (
                <Table.Tr key={field}>
                  <Table.Td>{fieldText(field)}</Table.Td>
                  <Table.Td className="wrap">{valueText(field, before)}</Table.Td>
                  <Table.Td className="wrap">{valueText(field, after)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Fact label="User" value={entry.user?.email} />
      <Fact label="Item id" value={entry.item_id} />
      <Fact label="Project id" value={entry.project_id === null ? null : String(entry.project_id)} />
      <Fact label="API key id" value={entry.api_key_id} />
      <Fact label="Session id" value={entry.session_id} />
      <Fact label="Entry id" value={entry.id} />
    </Stack>
  )
}

function Fact({ label, value }: { label: string; value: string | null | undefined }) {
  if (!value) return null
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="xs" c="dimmed" w={80} flex="none">
        {label}
      </Text>
      <Text size="xs" component="div" miw={0}>
        <Copy value={value} label={label.toLowerCase()} />
      </Text>
    </Group>
  )
}
