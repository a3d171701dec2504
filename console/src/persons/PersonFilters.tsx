import { Button, Group, Popover, Stack, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { ConditionForm } from '../parts/ConditionForm.tsx'
import { PlusIcon, SearchIcon } from '../parts/icons.tsx'
import { withCondition } from './condition.ts'
import { PropertyForm } from './PropertyForm.tsx'
import { MAX_SEARCH, type PersonsSearch } from './search.ts'

/** The search by id and email, and the condition on properties. A form writes conditions as HogQL. */
export function PersonFilters({
  project_id,
  search,
  filter,
  error,
}: {
  project_id: string
  search: PersonsSearch
  filter: (change: PersonsSearch, replace?: boolean) => void
  /** The error of the condition. */
  error: { detail: string; offset: number | undefined } | undefined
}) {
  const [adds, setAdds] = useState(false)
  const [writes, setWrites] = useState(false)
  const { where } = search
  const showsCondition = where !== undefined || writes
  return (
    <Stack gap="xs">
      <Group gap="xs" role="group" aria-label="Filters">
        <SearchField value={search.search ?? ''} onChange={(search) => filter({ search }, true)} />
        <Popover
          opened={adds}
          onChange={setAdds}
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
              leftSection={<PlusIcon size={14} />}
              aria-label="Add filter: Property"
              aria-haspopup="dialog"
              aria-expanded={adds}
              onClick={() => setAdds(!adds)}
            >
              Property
            </Button>
          </Popover.Target>
          <Popover.Dropdown role="dialog" aria-label="Add filter: Property">
            <PropertyForm
              project_id={project_id}
              add={(condition) => {
                setAdds(false)
                filter({ where: withCondition(where, condition) })
              }}
            />
          </Popover.Dropdown>
        </Popover>
        {!showsCondition && (
          <Button
            variant="default"
            size="xs"
            fw={400}
            leftSection={<PlusIcon size={14} />}
            aria-label="Add filter: HogQL condition"
            onClick={() => setWrites(true)}
          >
            HogQL condition
          </Button>
        )}
      </Group>
      {showsCondition && (
        <ConditionForm
          applied={where ?? ''}
          label="HogQL condition"
          placeholder="properties.plan = 'team' and created_at > now() - INTERVAL 30 DAY"
          error={error}
          apply={(where) => filter({ where })}
          remove={() => {
            setWrites(false)
            filter({ where: undefined })
          }}
        />
      )}
    </Stack>
  )
}

/** Writes the text into the URL when the user stops typing. */
function SearchField({ value, onChange }: { value: string; onChange: (text: string | undefined) => void }) {
  const [text, setText] = useState(value)
  const apply = useDebouncedCallback((text: string) => onChange(text || undefined), 250)
  // Back and forward change the URL without the field.
  useEffect(() => setText(value), [value])
  return (
    <TextInput
      type="search"
      size="xs"
      aria-label="Search persons"
      placeholder="Distinct id, email or person id"
      leftSection={<SearchIcon size={16} />}
      w={{ base: '100%', sm: 320 }}
      value={text}
      maxLength={MAX_SEARCH}
      onChange={(event) => {
        setText(event.currentTarget.value)
        apply(event.currentTarget.value.trim())
      }}
    />
  )
}
