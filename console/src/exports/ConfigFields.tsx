import { NumberInput, PasswordInput, Select, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Config, type Field, fieldsThatApply } from './config-schema.ts'
import { MoreSettings } from './MoreSettings.tsx'

const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'error', 'description']

interface FieldsProps {
  fields: readonly Field[]
  config: Config
  /** By key. */
  errors: Record<string, ReactNode>
  onChange: (key: string, value: unknown) => void
  /** A saved destination: its secrets are set and stay the same unless they are typed again. */
  isSaved: boolean
}

/** The settings of a destination. Rare ones are folded. */
export function ConfigFields({ fields, ...props }: FieldsProps) {
  const { config, errors } = props
  const shown = fieldsThatApply(fields, config)
  const rare = shown.filter(({ isRare }) => isRare)
  return (
    <>
      <FieldGrid fields={shown.filter(({ isRare }) => !isRare)} {...props} />
      {rare.length > 0 && (
        <MoreSettings
          isSet={rare.some(({ key }) => Boolean(config[key]))}
          hasError={rare.some(({ key }) => errors[key] !== undefined)}
        >
          <FieldGrid fields={rare} {...props} />
        </MoreSettings>
      )}
    </>
  )
}

function FieldGrid({ fields, ...props }: FieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
      {fields.map((field) => (
        <ConfigField key={field.key} field={field} {...props} />
      ))}
    </SimpleGrid>
  )
}

function ConfigField({ field, config, errors, onChange, isSaved }: Omit<FieldsProps, 'fields'> & { field: Field }) {
  const { key, label, hint, example, kind, required, schema, isReadable, choices = {} } = field
  const value = config[key]
  const common = {
    label,
    description: hint,
    error: errors[key],
    name: key,
    placeholder: example,
    // Hints of different length would move the inputs of a row apart.
    inputWrapperOrder: ORDER,
  }
  const text = typeof value === 'string' ? value : ''
  switch (kind) {
    case 'secret': {
      const SecretInput = isReadable ? TextInput : PasswordInput
      return (
        <SecretInput
          {...common}
          required={required && !isSaved}
          aria-invalid={errors[key] !== undefined}
          description={isSaved && text === '' ? 'Set. Type a new value to replace it.' : hint}
          placeholder={isSaved ? '••••••••' : example}
          autoComplete="off"
          maxLength={schema.maxLength}
          value={text}
          onChange={(event) => onChange(key, event.currentTarget.value)}
        />
      )
    }
    case 'choice':
      return (
        <Select
          {...common}
          required={required}
          clearable={!required}
          clearButtonProps={{ 'aria-label': `Clear ${label}` }}
          placeholder={required ? undefined : 'Default'}
          data={(schema.enum ?? []).flatMap((choice) =>
            choice === null ? [] : [{ value: String(choice), label: choices[choice] ?? String(choice) }],
          )}
          value={text || null}
          onChange={(choice) => onChange(key, choice ?? '')}
        />
      )
    case 'flag':
      return (
        <Switch
          label={label}
          description={hint}
          error={errors[key]}
          name={key}
          mt={{ sm: 26 }}
          checked={value === true}
          onChange={(event) => onChange(key, event.currentTarget.checked)}
        />
      )
    case 'number':
      return (
        <NumberInput
          {...common}
          required={required}
          min={schema.minimum}
          max={schema.maximum}
          allowDecimal={false}
          value={typeof value === 'number' ? value : ''}
          onChange={(number) => onChange(key, typeof number === 'number' ? number : '')}
        />
      )
    case 'list':
      return (
        <TagsInput
          {...common}
          placeholder="Type a value and press Enter"
          maxTags={schema.maxItems}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(list) => onChange(key, list)}
        />
      )
    default:
      return (
        <TextInput
          {...common}
          required={required}
          maxLength={schema.maxLength}
          type={schema.format === 'uri' ? 'url' : 'text'}
          autoComplete="off"
          value={text}
          onChange={(event) => onChange(key, event.currentTarget.value)}
        />
      )
  }
}
