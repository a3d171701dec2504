import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ConfigFields } from './ConfigFields.tsx'
import { CredentialChoice } from './CredentialChoice.tsx'
import { type Field, hasCredentials, isSetting } from './config-schema.ts'
import type { DestinationType } from './destinations.tsx'
import type { ExportFormState } from './export-values.ts'
import { configPath } from './form-errors.ts'

/** Where the rows go: the credentials and the settings of the destination. */
export function DestinationFields({
  form,
  type,
  fields,
  isSaved,
}: {
  form: ExportFormState
  type: DestinationType
  fields: readonly Field[]
  /** The server has the secrets already. */
  isSaved: boolean
}) {
  const { config, integration } = form.values.destinations[type]
  const shown = fields.filter(isSetting)
  const errors = Object.fromEntries(
    shown.flatMap(({ key }): [string, ReactNode][] => {
      const error = form.errors[configPath(type, key)]
      return error ? [[key, error]] : []
    }),
  )
  return (
    <>
      {hasCredentials(type) && (
        <CredentialChoice
          type={type}
          value={integration}
          error={form.errors[`destinations.${type}.integration`]}
          onChange={(chosen) => form.setFieldValue(`destinations.${type}.integration`, chosen)}
        />
      )}
      {shown.length > 0 ? (
        <ConfigFields
          fields={shown}
          config={config}
          errors={errors}
          isSaved={isSaved}
          onChange={(key, value) => form.setFieldValue(configPath(type, key), value)}
        />
      ) : (
        !hasCredentials(type) && (
          <Text size="sm" c="dimmed">
            This destination has no settings.
          </Text>
        )
      )}
    </>
  )
}
