import { Button, Group, NativeSelect, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { nameOf } from '../parts/people.ts'
import { AREAS } from './activity-text.ts'
import { suggestedMembersQuery } from './queries.ts'
import type { ActivitySearch } from './routes.tsx'

const TIMES = [
  { value: '', label: 'Any time' },
  { value: '-1h', label: 'Last hour' },
  { value: '-24h', label: 'Last 24 hours' },
  { value: '-7d', label: 'Last 7 days' },
  { value: '-30d', label: 'Last 30 days' },
  { value: 'range', label: 'Between two times' },
]
/** Two fields per row on a phone. */
const FIELD = { flex: '1 1 9.5rem', maw: 280 } as const

export function ActivityFilters({
  organization_id,
  search,
  onChange,
}: {
  organization_id: string
  search: ActivitySearch
  onChange: (changes: Partial<ActivitySearch>) => void
}) {
  const preset = TIMES.find(({ value }) => value !== '' && value === search.after)?.value
  const hasTimes = search.after !== undefined || search.before !== undefined
  const [range, setRange] = useState(hasTimes && preset === undefined)
  const isFiltered = [search.area, search.user, search.item, search.after, search.before].some(Boolean)
  return (
    <Group gap="sm" mb="md" align="flex-end" role="search" aria-label="Filters">
      <NativeSelect
        label="Area"
        {...FIELD}
        value={search.area ?? ''}
        data={[{ value: '', label: 'All areas' }, ...Object.entries(AREAS).map(([value, label]) => ({ value, label }))]}
        onChange={(event) => onChange({ area: event.currentTarget.value || undefined })}
      />
      <UserFilter organization_id={organization_id} user={search.user} onChange={(user) => onChange({ user })} />
      <NativeSelect
        label="Time"
        {...FIELD}
        value={range ? 'range' : (preset ?? '')}
        data={TIMES}
        onChange={(event) => {
          const { value } = event.currentTarget
          setRange(value === 'range')
          onChange({ after: value === 'range' ? undefined : value || undefined, before: undefined })
        }}
      />
      {range && (
        <>
          <TimeField label="From" value={search.after} onChange={(after) => onChange({ after })} />
          <TimeField label="To" value={search.before} onChange={(before) => onChange({ before })} />
        </>
      )}
      <ItemFilter item={search.item} onChange={(item) => onChange({ item })} />
      {isFiltered && (
        <Button
          variant="subtle"
          onClick={() => {
            setRange(false)
            onChange({ area: undefined, user: undefined, item: undefined, after: undefined, before: undefined })
          }}
        >
          Clear filters
        </Button>
      )}
    </Group>
  )
}

/** Finds members by name or address. A former member can be in the filter, too: then only the id is known. */
function UserFilter({
  organization_id,
  user,
  onChange,
}: {
  organization_id: string
  user: string | undefined
  onChange: (user: string | undefined) => void
}) {
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text, 250)
  const { data } = useQuery(suggestedMembersQuery(organization_id, search))
  const [chosen, setChosen] = useState<{ value: string; label: string }>()
  const found = (data?.results ?? []).map(({ user }) => ({
    value: user.uuid,
    label: nameOf(user) === user.email ? user.email : `${nameOf(user)} (${user.email})`,
  }))
  const current =
    user === undefined || found.some(({ value }) => value === user)
      ? []
      : [chosen?.value === user ? chosen : { value: user, label: `User ${user.slice(0, 8)}…` }]
  return (
    <Select
      label="User"
      {...FIELD}
      placeholder="All users"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear user' }}
      value={user ?? null}
      data={[...current, ...found]}
      // The server has filtered already.
      filter={({ options }) => options}
      onSearchChange={setText}
      nothingFoundMessage="No member found"
      onChange={(value, option) => {
        setChosen(value === null || option === null ? undefined : { value, label: option.label })
        onChange(value ?? undefined)
      }}
    />
  )
}

function ItemFilter({ item, onChange }: { item: string | undefined; onChange: (item: string | undefined) => void }) {
  const [text, setText] = useState(item ?? '')
  const [shown, setShown] = useState(item)
  if (shown !== item) {
    setShown(item)
    setText(item ?? '')
  }
  const apply = (): void => {
    if (text.trim() !== (item ?? '')) onChange(text.trim() || undefined)
  }
  return (
    <TextInput
      label="Item id"
      {...FIELD}
      placeholder="Any item"
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply()
      }}
    />
  )
}

/** A time of the viewer's zone. The URL has it in UTC. */
function TimeField({
  label,
  value,
  onChange,
}: {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      {...FIELD}
      value={localTime(value)}
      onChange={(event) => {
        const time = Date.parse(event.currentTarget.value)
        onChange(Number.isNaN(time) ? undefined : new Date(time).toISOString())
      }}
    />
  )
}

function localTime(value: string | undefined): string {
  const time = Date.parse(value ?? '')
  if (Number.isNaN(time)) return ''
  const date = new Date(time)
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
