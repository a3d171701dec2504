import { Table, Text } from '@mantine/core'
import type { PageElement } from './model.ts'

/** The clicked element and those around it. */
export function EventElements({ elements }: { elements: PageElement[] }) {
  if (elements.length === 0) return <Text size="sm">The event has no page elements.</Text>
  return (
    <Table aria-label="Page elements, innermost first" verticalSpacing={4} className="properties-table">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="30%">Element</Table.Th>
          <Table.Th>Text</Table.Th>
          <Table.Th>Link and attributes</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {elements.map((element, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: elements have no other key and never change.
          <Table.Tr key={i}>
            <Table.Td className="wrap mono">{selectorOf(element)}</Table.Td>
            <Table.Td className="wrap">{element.text}</Table.Td>
            <Table.Td className="wrap mono">
              {[element.href, ...attributesOf(element)].filter(Boolean).join(' ')}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

const selectorOf = ({ tag_name, attr_id, attr_class }: PageElement): string =>
  [tag_name ?? '', attr_id ? `#${attr_id}` : '', ...(attr_class ?? []).map((name) => `.${name}`)].join('')

const KNOWN_ATTRIBUTES = ['attr__id', 'attr__class', 'attr__href']

const attributesOf = ({ attributes = {} }: PageElement): string[] =>
  Object.entries(attributes)
    .filter(([name]) => !KNOWN_ATTRIBUTES.includes(name))
    .map(([name, value]) => `${name.replace(/^attr__/, '')}="${value}"`)
