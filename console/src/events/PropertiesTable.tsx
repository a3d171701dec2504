import './properties-table.css'
import { Badge, Group, Stack, Table, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { CopyIconButton } from '../parts/Copy.tsx'
import { SearchIcon } from '../parts/icons.tsx'
import { valueText } from './model.ts'

export type Scalar = string | number | boolean

/** The properties of an event or of a person, with a search and buttons for each value. */
export function PropertiesTable({
  properties,
  label,
  find: initial = '',
  onFind,
  actions,
  actionsWidth = 104,
  isLibraryLast = false,
  empty,
}: {
  properties: Record<string, unknown>
  label: string
  /** Part of the name or the value of the shown properties. It belongs in the URL. */
  find: string | undefined
  onFind: (text: string | undefined) => void
  /** The buttons of a value besides the one that copies it. */
  actions: (key: string, value: Scalar) => ReactNode
  actionsWidth?: number
  /** Whether the properties that libraries set, such as `$browser`, come after the others. */
  isLibraryLast?: boolean
  empty: string
}) {
  // The text is local state, because the URL changes later than the input.
  const [find, setFind] = useState(initial)
  const rankOf = (key: string): number => Number(isLibraryLast && key.startsWith('$'))
  const all = Object.entries(properties).sort(([a], [b]) => rankOf(a) - rankOf(b) || a.localeCompare(b))
  const found = all.filter(([key, value]) => `${key}\n${valueText(value)}`.toLowerCase().includes(find.toLowerCase()))
  if (all.length === 0) return <Text size="sm">{empty}</Text>
  return (
    <Stack gap="xs">
      <TextInput
        aria-label="Search properties"
        placeholder="Search names and values"
        leftSection={<SearchIcon size={16} />}
        size="xs"
        maw={320}
        value={find}
        onChange={({ currentTarget: { value } }) => {
          setFind(value)
          onFind(value || undefined)
        }}
      />
      <Table className="properties-table" aria-label={label} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="30%">Property</Table.Th>
            <Table.Th>Value</Table.Th>
            <Table.Th w={actionsWidth}>Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {found.map(([key, value]) => (
            <Table.Tr key={key}>
              <Table.Td className="wrap">{key}</Table.Td>
              <Table.Td className="wrap mono">
                {value === null ? <Badge variant="default">null</Badge> : valueText(value)}
              </Table.Td>
              <Table.Td>
                <Group gap={2} wrap="nowrap">
                  {isScalar(value) && actions(key, value)}
                  <CopyIconButton value={valueText(value)} label={`the value of ${key}`} />
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {found.length === 0 && (
        <Text size="sm" c="dimmed">
          No property contains "{find}".
        </Text>
      )}
    </Stack>
  )
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
