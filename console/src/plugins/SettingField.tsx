import { Checkbox, Group, JsonInput, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { Attachment } from './Attachment.tsx'
import { Secret } from './Secret.tsx'
import { commonOf, type FieldProps, textOf } from './setting-field.ts'

/** One setting of a plugin, by its type. */
export function SettingField(props: FieldProps) {
  const { field } = props
  return (
    <Stack gap={4}>
      {field.text && (
        <Text size="sm" className="wrap" style={{ whiteSpace: 'pre-line' }}>
          {field.text}
        </Text>
      )}
      {field.type === 'attachment' ? (
        <Attachment {...props} />
      ) : field.secret ? (
        <Secret {...props} />
      ) : (
        <Open {...props} />
      )}
    </Stack>
  )
}

function Open(props: FieldProps) {
  const { field, value, onChange } = props
  const common = commonOf(props)
  switch (field.type) {
    case 'choice': {
      // Choices need not be texts, so the position identifies them.
      const index = field.choices.indexOf(value)
      return (
        <Select
          {...common}
          clearable={!props.isRequired}
          data={field.choices.map((choice, position) => ({ value: String(position), label: textOf(choice) }))}
          value={index === -1 ? null : String(index)}
          onChange={(position) => onChange(position === null ? '' : field.choices[Number(position)])}
        />
      )
    }
    case 'boolean':
      return (
        <Checkbox
          label={field.name}
          description={common.description}
          error={props.error}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'number':
      return <NumberInput {...common} value={typeof value === 'number' ? value : ''} onChange={onChange} />
    case 'date':
      return (
        <TextInput
          {...common}
          type="date"
          w={{ base: '100%', xs: 220 }}
          value={textOf(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    case 'daterange':
      return <DateRange {...props} />
    case 'json':
      return (
        <JsonInput
          {...common}
          autosize
          minRows={3}
          maxRows={14}
          formatOnBlur
          validationError="This is not valid JSON. Check its quotes, commas and brackets."
          styles={{ input: { fontFamily: 'ui-monospace, monospace' } }}
          value={textOf(value)}
          onChange={onChange}
        />
      )
    default:
      return (
        <TextInput
          {...common}
          autoComplete="off"
          value={textOf(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
  }
}

/** The value is a list of the first and the last day. */
function DateRange(props: FieldProps) {
  const { field, value, isRequired, error, onChange } = props
  const [from = '', until = ''] = Array.isArray(value) ? value.map(textOf) : []
  const change = (range: [string, string]): void => onChange(range.some(Boolean) ? range : '')
  return (
    <Group gap="xs" align="flex-start">
      <TextInput
        type="date"
        label={`${field.name}: first day`}
        description={field.hint || undefined}
        required={isRequired}
        error={error}
        w={{ base: '100%', xs: 220 }}
        value={from}
        onChange={(event) => change([event.currentTarget.value, until])}
      />
      <TextInput
        type="date"
        label={`${field.name}: last day`}
        required={isRequired}
        w={{ base: '100%', xs: 220 }}
        value={until}
        onChange={(event) => change([from, event.currentTarget.value])}
      />
    </Group>
  )
}
