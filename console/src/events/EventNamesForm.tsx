import { Checkbox, Group, ScrollArea, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { count } from '../parts/format.ts'
import { SearchIcon } from '../parts/icons.tsx'
import { namesQuery } from './queries.ts'

/** Chooses event names from those of the last 30 days. Every choice takes effect at once. Enter chooses the typed name. */
export function EventNamesForm({
  project_id,
  chosen,
  onChange,
  close,
}: {
  project_id: string
  chosen: readonly string[]
  onChange: (names: string[]) => void
  close: () => void
}) {
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const [wanted] = useDebouncedValue(text, 150)
  const names = useQuery(namesQuery(project_id, wanted))
  const toggle = (name: string): void =>
    onChange(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name])
  const choose = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const name = text === '' ? undefined : await nameFor(text)
    close()
    if (name !== undefined && !chosen.includes(name)) onChange([...chosen, name])
  }
  /** The name that is equal to the text, else the most frequent one that contains it, else the text: older events may have it. */
  const nameFor = async (text: string): Promise<string> => {
    // The list on the page may still be that of a shorter text.
    const { results } = await queries.fetchQuery(namesQuery(project_id, text)).catch(() => ({ results: [] }))
    return results.some(({ name }) => name === text) ? text : (results[0]?.name ?? text)
  }
  const found = names.data?.results ?? []
  // Names without recent events stay visible while they are chosen.
  const missing = text === '' ? chosen.filter((name) => !found.some((item) => item.name === name)) : []
  return (
    <Stack gap="xs">
      <form onSubmit={(event) => void choose(event)}>
        <TextInput
          aria-label="Search event names"
          placeholder="Search event names"
          leftSection={<SearchIcon size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={400}
          data-autofocus
        />
      </form>
      {names.error && <ErrorAlert error={names.error} retry={() => void names.refetch()} />}
      <ScrollArea.Autosize mah={280} type="auto" offsetScrollbars>
        <Stack gap={2} role="group" aria-label="Event names">
          {names.isPending && [1, 2, 3].map((row) => <Skeleton key={row} h={28} />)}
          {missing.map((name) => (
            <NameCheckbox key={name} {...{ name, toggle }} checked />
          ))}
          {found.map((item) => (
            <NameCheckbox key={item.name} {...{ toggle }} {...item} checked={chosen.includes(item.name)} />
          ))}
          {names.isSuccess && found.length === 0 && missing.length === 0 && (
            <Text size="sm" c="dimmed">
              {text ? `No event name contains "${text}".` : 'No events in the last 30 days.'}
            </Text>
          )}
        </Stack>
      </ScrollArea.Autosize>
      <Text size="xs" c="dimmed">
        {names.data?.exact === false ? 'Counts of the latest events.' : 'Counts of the last 30 days.'}
      </Text>
    </Stack>
  )
}

function NameCheckbox({
  name,
  count: events,
  checked,
  toggle,
}: {
  name: string
  count?: number
  checked: boolean
  toggle: (name: string) => void
}) {
  return (
    <Checkbox
      checked={checked}
      onChange={() => toggle(name)}
      py={4}
      styles={{ body: { alignItems: 'center' }, labelWrapper: { flex: 1, minWidth: 0 } }}
      label={
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text span size="sm" className="wrap">
            {name}
          </Text>
          {events !== undefined && (
            <Text span size="xs" c="dimmed">
              {count(events)}
            </Text>
          )}
        </Group>
      }
    />
  )
}
