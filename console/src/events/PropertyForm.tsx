import { Autocomplete, Button, Group, NativeSelect, SegmentedControl, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { completions } from './completions.tsx'
import { OPERATOR_CHOICES } from './describe.ts'
import { propertyNamesQuery, propertyValuesQuery } from './queries.ts'
import { OPERATORS, type Operator, type PropertyFilter, takesValue } from './search.ts'

/** Builds one property filter. Names and values are completed from recent events. */
export function PropertyForm({
  project_id,
  event,
  initial,
  submit,
}: {
  project_id: string
  event: string[] | undefined
  initial?: PropertyFilter
  submit: (filter: PropertyFilter) => void
}) {
  const [type, setType] = useState<'event' | 'person'>(initial?.type ?? 'event')
  const [key, setKey] = useState(initial?.key ?? '')
  const [operator, setOperator] = useState<Operator>(initial?.operator ?? 'exact')
  const [value, setValue] = useState([initial?.value ?? ''].flat().join(', '))
  const [missing, setMissing] = useState(false)
  const [wantedKey] = useDebouncedValue(key, 150)
  const [wantedValue] = useDebouncedValue(value, 150)
  const names = useQuery(propertyNamesQuery(project_id, { type, event, search: wantedKey }))
  // The server completes values of event properties only.
  const values = useQuery(
    propertyValuesQuery(project_id, { key: type === 'event' ? wantedKey : '', event, value: wantedValue }),
  )
  const save = (submitted: FormEvent): void => {
    submitted.preventDefault()
    const unchanged = value === [initial?.value ?? ''].flat().join(', ')
    setMissing(key === '')
    if (key === '') return
    submit({
      key,
      operator,
      type,
      // The form cannot show a list of values from the URL, so an unchanged list is kept.
      ...(takesValue(operator) && { value: unchanged && initial?.value !== undefined ? initial.value : value }),
    })
  }
  return (
    <form onSubmit={save}>
      <Stack gap="sm">
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label="Property of"
          value={type}
          onChange={(next) => setType(next === 'person' ? 'person' : 'event')}
          data={[
            { value: 'event', label: 'Event property' },
            { value: 'person', label: 'Person property' },
          ]}
        />
        <Autocomplete
          label="Property"
          value={key}
          onChange={setKey}
          maxLength={400}
          error={missing && key === '' && 'Enter the name of a property.'}
          data-autofocus
          {...completions(names.data?.results)}
        />
        <NativeSelect
          label="Operator"
          data={OPERATOR_CHOICES}
          value={operator}
          onChange={({ currentTarget }) => setOperator(OPERATORS.find((one) => one === currentTarget.value) ?? 'exact')}
        />
        {takesValue(operator) && (
          <Autocomplete
            label="Value"
            value={value}
            onChange={setValue}
            maxLength={4_000}
            {...(operator.startsWith('is_date') && { placeholder: '2026-11-02 or 2026-11-02 09:15:00' })}
            {...completions(values.data)}
          />
        )}
        <Group justify="flex-end">
          <Button type="submit" size="xs">
            {initial ? 'Change filter' : 'Add filter'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
