import {
  Button,
  Checkbox,
  FileInput,
  Group,
  JsonInput,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { notifyError } from '../parts/ErrorAlert.tsx'
import { bytes } from '../parts/format.ts'
import { type Field, MASK } from './fields.ts'

interface FieldProps {
  field: Field
  value: unknown
  /** Whether a secret is stored. */
  isSet: boolean
  isRequired: boolean
  error: string | undefined
  onChange: (value: unknown) => void
}

const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)

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

const commonOf = ({ field, isRequired, error }: FieldProps) => ({
  label: field.name,
  description: field.hint || undefined,
  required: isRequired,
  error,
})

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

/** A secret is never shown. It stays until another value is typed or it is removed. */
function Secret(props: FieldProps) {
  const { field, value, isSet, onChange } = props
  const { required, ...common } = commonOf(props)
  const isKept = isSet && value === MASK
  return (
    <Stack gap={4}>
      <PasswordInput
        {...common}
        withAsterisk={required}
        required={required && !isKept}
        autoComplete="off"
        aria-invalid={props.error !== undefined}
        placeholder={isKept ? 'Set. Type to replace it.' : ''}
        value={isKept ? '' : textOf(value)}
        // Typing nothing keeps the stored secret.
        onChange={(event) => onChange(event.currentTarget.value === '' && isSet ? MASK : event.currentTarget.value)}
      />
      {isSet && (
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {isKept ? 'Set' : value === '' ? 'Is removed when you save.' : 'Is replaced when you save.'}
          </Text>
          {isKept && !required && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => onChange('')}
              aria-label={`Remove ${field.name}`}
            >
              Remove
            </Button>
          )}
          {!isKept && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => onChange(MASK)}
              aria-label={`Keep ${field.name}`}
            >
              Keep the stored value
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}

/** The settings of a configuration have at most 128 KiB in all, and base64 takes a third more than the file. */
const MAX_FILE_BYTES = 96_000

/** A file. The API returns it without its contents, and keeps them if they are not sent. */
const fileOf = (value: unknown): { file_name: string; size: number } | undefined =>
  typeof value === 'object' && value !== null && 'file_name' in value && 'size' in value
    ? { file_name: String(value.file_name), size: Number(value.size) }
    : undefined

function Attachment(props: FieldProps) {
  const { value, isSet, onChange, field } = props
  const { required, ...common } = commonOf(props)
  const file = fileOf(value)
  const stored = isSet && value === MASK ? 'Set' : file ? `${file.file_name} (${bytes(file.size)})` : ''
  const read = async (chosen: File | null): Promise<void> => {
    if (!chosen) return
    const { name, type, size } = chosen
    if (size > MAX_FILE_BYTES)
      return notifyError(new Error(`The file has ${bytes(size)}; at most ${bytes(MAX_FILE_BYTES)} are allowed.`))
    const content = new Uint8Array(await chosen.arrayBuffer())
    const contents = btoa(Array.from(content, (byte) => String.fromCharCode(byte)).join(''))
    onChange({ file_name: name, content_type: type || 'application/octet-stream', size, contents })
  }
  return (
    <Group align="flex-end" gap="xs">
      <FileInput
        {...common}
        withAsterisk={required}
        flex={1}
        placeholder={stored || 'Choose a file'}
        onChange={(chosen) => void read(chosen)}
      />
      {stored && !required && (
        <Button variant="default" onClick={() => onChange('')} aria-label={`Remove ${field.name}`}>
          Remove
        </Button>
      )}
    </Group>
  )
}
