import { Badge, Box, Button, Code, CopyButton, Group, Stack, Tabs, Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { Copy, CopyIconButton } from '../parts/Copy.tsx'
import { CheckIcon, CopyIcon, FilterIcon } from '../parts/icons.tsx'
import { PersonLink } from '../persons/PersonLink.tsx'
import { EventElements } from './EventElements.tsx'
import { EventProperties, FilterButton } from './EventProperties.tsx'
import type { EventItem } from './model.ts'
import { TABS } from './search.ts'
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
          <EventProperties
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
          <EventElements elements={item.elements} />
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
      <EventProperties
        properties={person.properties ?? {}}
        type="person"
        {...{ search, filter, adjust }}
        empty="The person has no properties that events show."
      />
    </Stack>
  )
}
