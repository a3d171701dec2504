import { Autocomplete, Button, Group, Popover, SegmentedControl, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ChevronDownIcon } from '../parts/icons.tsx'
import { completions } from './completions.tsx'
import { propertyNamesQuery } from './queries.ts'
import type { Breakdown } from './search.ts'
import { breakdownText } from './series.ts'
import type { View } from './view.ts'

/** Shows the breakdown of the chart. A click opens the form that changes it. */
export function BreakdownControl({ project_id, view }: { project_id: string; view: View }) {
  const { search, show } = view
  const [opened, setOpened] = useState(false)
  const text = search.breakdown ? `By ${breakdownText(search.breakdown)}` : 'Break down'
  const apply = (breakdown: Breakdown | undefined): void => {
    setOpened(false)
    show({ breakdown })
  }
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      width={320}
      shadow="md"
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <Button
          variant="default"
          size="xs"
          fw={400}
          maw={260}
          rightSection={<ChevronDownIcon size={14} />}
          onClick={() => setOpened(!opened)}
          aria-expanded={opened}
          aria-haspopup="dialog"
          aria-label={search.breakdown ? `Change the breakdown: ${text}` : 'Break down the chart'}
          title={text}
        >
          {text}
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Breakdown of the chart">
        <BreakdownForm {...{ project_id, view, apply }} />
      </Popover.Dropdown>
    </Popover>
  )
}

const KINDS = [
  { value: 'name', label: 'Event name' },
  { value: 'event', label: 'Property' },
  { value: 'person', label: 'Person' },
] as const

function BreakdownForm({
  project_id,
  view: { search },
  apply,
}: {
  project_id: string
  view: View
  apply: (breakdown: Breakdown | undefined) => void
}) {
  const { breakdown } = search
  const [type, setType] = useState<Breakdown['type']>(breakdown?.type ?? 'name')
  const [key, setKey] = useState(breakdown && breakdown.type !== 'name' ? breakdown.key : '')
  const [missing, setMissing] = useState(false)
  const [wanted] = useDebouncedValue(key, 150)
  const names = useQuery({
    ...propertyNamesQuery(project_id, {
      type: type === 'person' ? 'person' : 'event',
      event: search.event,
      search: wanted,
    }),
    enabled: type !== 'name',
  })
  const save = (submitted: FormEvent): void => {
    submitted.preventDefault()
    if (type === 'name') apply({ type })
    else if (key === '') setMissing(true)
    else apply({ type, key })
  }
  return (
    <form onSubmit={save}>
      <Stack gap="sm">
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label="Break down by"
          value={type}
          onChange={(value) => setType(KINDS.find((kind) => kind.value === value)?.value ?? 'name')}
          data={[...KINDS]}
        />
        {type !== 'name' && (
          <Autocomplete
            label={type === 'person' ? 'Person property' : 'Event property'}
            description="The ten largest values have a series of their own."
            value={key}
            onChange={setKey}
            maxLength={400}
            error={missing && key === '' && 'Enter the name of a property.'}
            data-autofocus
            {...completions(names.data?.results)}
          />
        )}
        <Group justify="flex-end" gap="xs">
          {breakdown && (
            <Button size="xs" variant="default" onClick={() => apply(undefined)}>
              Remove
            </Button>
          )}
          <Button type="submit" size="xs">
            Break down
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
