import {
  ActionIcon,
  Badge,
  Box,
  Button,
  Code,
  CopyButton,
  Group,
  Stack,
  Table,
  Tabs,
  Text,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core'
import type { ReactNode } from 'react'
import { Copy, CopyIconButton } from '../parts/Copy.tsx'
import { CheckIcon, CopyIcon, ExcludeIcon, FilterIcon } from '../parts/icons.tsx'
import { PersonLink } from '../persons/PersonLink.tsx'
import type { EventItem, PageElement } from './model.ts'
import { PropertiesTable, type Scalar } from './PropertiesTable.tsx'
import { type Operator, type PropertyFilter, TABS } from './search.ts'
import type { View } from './view.ts'

/** One event: its properties, the person behind it, the clicked elements and its JSON. */
export function EventDetail({
  item,
  search,
  filter,
  adjust,
}: { item: EventItem } & Pick<View, 'search' | 'filter' | 'adjust'>) {
  const tab = search.tab ?? 'properties'
  const json = JSON.stringify(item, null, 2)
  const link = `${location.origin}${location.pathname}?open=${item.id}`
  return (
    <Stack gap="sm" py="xs" px={{ base: 0, sm: 'sm' }} role="group" aria-label={`Event ${item.event}`}>
      <Group justify="space-between" gap="xs">
        <Group gap="lg">
          <Fact name="Id">
            <Copy value={item.id} label="the id of the event" />
          </Fact>
          <Fact name="Time">
            <Copy value={item.timestamp} label="the time of the event" />
          </Fact>
          <Fact name="Distinct id">
            <Group gap={2} wrap="nowrap">
              <Copy value={item.distinct_id} label="the distinct id" />
              <FilterButton
                label={`Filter for the distinct id ${item.distinct_id}`}
                onClick={() => filter({ distinct_id: item.distinct_id })}
              />
            </Group>
          </Fact>
        </Group>
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<FilterIcon size={14} />}
            onClick={() => filter({ event: [item.event] })}
          >
            Filter for this event name
          </Button>
          <CopyLinkButton value={link} />
        </Group>
      </Group>
      <Tabs
        value={tab}
        onChange={(value) => adjust({ tab: TABS.find((one) => one === value && one !== 'properties') })}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="properties">Properties ({Object.keys(item.properties).length})</Tabs.Tab>
          <Tabs.Tab value="person">Person</Tabs.Tab>
          <Tabs.Tab value="elements">Elements ({item.elements.length})</Tabs.Tab>
          <Tabs.Tab value="json">JSON</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="properties" pt="sm">
          <Properties
            properties={item.properties}
            type="event"
            {...{ search, filter, adjust }}
            empty="The event has no properties."
          />
        </Tabs.Panel>
        <Tabs.Panel value="person" pt="sm">
          <PersonPanel {...{ item, search, filter, adjust }} />
        </Tabs.Panel>
        <Tabs.Panel value="elements" pt="sm">
          <Elements elements={item.elements} />
        </Tabs.Panel>
        <Tabs.Panel value="json" pt="sm">
          <Group align="flex-start" wrap="nowrap" gap="xs">
            <Code block flex={1} miw={0} tabIndex={0} className="wrap-code" aria-label="The event as JSON">
              {json}
            </Code>
            <CopyIconButton value={json} label="the event as JSON" />
          </Group>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Box miw={0}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      {children}
    </Box>
  )
}

function CopyLinkButton({ value }: { value: string }) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
            onClick={copy}
          >
            {copied ? 'Link copied' : 'Copy link'}
          </Button>
          <VisuallyHidden role="status">{copied ? 'Copied the link to this event' : ''}</VisuallyHidden>
        </>
      )}
    </CopyButton>
  )
}

function FilterButton({ label, onClick, isExclude }: { label: string; onClick: () => void; isExclude?: boolean }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" size="sm" aria-label={label} onClick={onClick}>
        {isExclude ? <ExcludeIcon /> : <FilterIcon />}
      </ActionIcon>
    </Tooltip>
  )
}

function Properties({
  properties,
  type,
  search,
  filter,
  adjust,
  empty,
}: {
  properties: Record<string, unknown>
  type: PropertyFilter['type']
  empty: string
} & Pick<View, 'search' | 'filter' | 'adjust'>) {
  const add = (key: string, operator: Operator, value: Scalar): void => {
    filter({ properties: [...(search.properties ?? []), { key, operator, value, type }] })
  }
  return (
    <PropertiesTable
      {...{ properties, empty }}
      label={type === 'event' ? 'Properties of the event' : 'Properties of the person'}
      find={search.find}
      onFind={(find) => adjust({ find })}
      actions={(key, value) => (
        <>
          <FilterButton label={`Filter for ${key}: this value`} onClick={() => add(key, 'exact', value)} />
          <FilterButton label={`Exclude ${key}: this value`} onClick={() => add(key, 'is_not', value)} isExclude />
        </>
      )}
    />
  )
}

function PersonPanel({
  item,
  search,
  filter,
  adjust,
}: { item: EventItem } & Pick<View, 'search' | 'filter' | 'adjust'>) {
  const { person } = item
  if (!person) return <Text size="sm">This event belongs to no known person.</Text>
  return (
    <Stack gap="sm">
      <Group gap="lg">
        <Fact name="Person">
          <PersonLink distinct_id={item.distinct_id} size="sm">
            Open the person
          </PersonLink>
        </Fact>
        <Fact name="State">
          <Badge color={person.is_identified ? 'green' : 'gray'} variant="light" autoContrast>
            {person.is_identified ? 'identified' : 'anonymous'}
          </Badge>
        </Fact>
        <Fact name="Distinct ids">
          {person.distinct_ids?.map((id) => (
            <Copy key={id} value={id} label="the distinct id of the person" />
          ))}
        </Fact>
      </Group>
      <Properties
        properties={person.properties ?? {}}
        type="person"
        {...{ search, filter, adjust }}
        empty="The person has no properties that events show."
      />
    </Stack>
  )
}

function Elements({ elements }: { elements: PageElement[] }) {
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
