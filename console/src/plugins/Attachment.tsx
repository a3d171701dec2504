import { Button, FileInput, Group } from '@mantine/core'
import { notifyError } from '../parts/ErrorAlert.tsx'
import { bytes } from '../parts/format.ts'
import { MASK } from './fields.ts'
import { commonOf, type FieldProps } from './setting-field.ts'

/** The settings of a configuration have at most 128 KiB in all, and base64 takes a third more than the file. */
const MAX_FILE_BYTES = 96_000

/** A file. The API returns it without its contents, and keeps them if they are not sent. */
const fileOf = (value: unknown): { file_name: string; size: number } | undefined =>
  typeof value === 'object' && value !== null && 'file_name' in value && 'size' in value
    ? { file_name: String(value.file_name), size: Number(value.size) }
    : undefined

export function Attachment(props: FieldProps) {
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
