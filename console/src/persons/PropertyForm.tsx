import { Autocomplete, Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { propertyNamesQuery } from '../events/queries.ts'
import { conditionOf, isOperator, OPERATORS, type Operator, takesNumber, takesValue } from './condition.ts'

const CHOICES = Object.entries(OPERATORS).map(([value, label]) => ({ value, label }))

/** Writes a condition on one property. Names are completed from the persons of recent events. */
export function PropertyForm({ project_id, add }: { project_id: string; add: (condition: string) => void }) {
  const [name, setName] = useState('')
  const [operator, setOperator] = useState<Operator>('equals')
  const [value, setValue] = useState('')
  const [submitted, setSubmitted] = useState(false)
  const [wanted] = useDebouncedValue(name, 150)
  const names = useQuery(propertyNamesQuery(project_id, { type: 'person', event: undefined, search: wanted }))
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value))
  const isWrongValue = takesNumber(operator) && !isNumber
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setSubmitted(true)
    if (name !== '' && !isWrongValue) add(conditionOf(name, operator, value))
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Autocomplete
          label="Property"
          data={names.data?.results.map((item) => item.name).filter(Boolean) ?? []}
          value={name}
          onChange={setName}
          maxLength={400}
          error={submitted && name === '' && 'Enter the name of a property.'}
          data-autofocus
          // The server has filtered the options already. The list stays inside the popover, or a click on it would close both.
          filter={({ options }) => options}
          comboboxProps={{ withinPortal: false }}
          withScrollArea={false}
          styles={{ options: { maxHeight: 200, overflowY: 'auto' } }}
        />
        <NativeSelect
          label="Operator"
          data={CHOICES}
          value={operator}
          onChange={({ currentTarget }) =>
            setOperator(isOperator(currentTarget.value) ? currentTarget.value : 'equals')
          }
        />
        {takesValue(operator) && (
          <TextInput
            label="Value"
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
            maxLength={1_000}
            error={submitted && isWrongValue && 'Enter a number.'}
          />
        )}
        <Group justify="flex-end">
          <Button type="submit" size="xs">
            Add condition
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
