import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { MASK } from './fields.ts'
import { commonOf, type FieldProps, textOf } from './setting-field.ts'

/** A secret is never shown. It stays until another value is typed or it is removed. */
export function Secret(props: FieldProps) {
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
        aria-invalid={Boolean(props.error)}
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
