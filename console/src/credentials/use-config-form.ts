import { useEffect, useRef } from 'react'
import { configErrors } from '../exports/config-errors.ts'
import type { Config, Field } from '../exports/config-schema.ts'
import { useServerForm } from '../parts/use-server-form.ts'
import { CONFIG_ATTR } from './paths.ts'

interface Values {
  [name: string]: unknown
  name: string
  config: Config
}

type ServerForm<Answer> = Parameters<typeof useServerForm<Values, Answer>>[0]

/** A form with the settings of a destination. `configFields` are the properties of `ConfigFields`. */
export function useConfigForm<Answer>({
  fields,
  isSaved = false,
  ...options
}: Omit<ServerForm<Answer>, 'errorsOf'> & { fields: readonly Field[]; isSaved?: boolean }) {
  const sent = useServerForm(options)
  const { form, forget } = sent
  const { config } = form.values
  const errors = configErrors(sent.error, { prefix: CONFIG_ATTR, fields, config, isSaved })
  const isAtField = fields.some(({ key }) => key in errors)
  const ref = useRef<HTMLFormElement>(null)
  // Move to the first field with an error: it may be outside of the screen.
  useEffect(() => {
    if (sent.error || form.errors.name) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [sent.error, form.errors.name])
  return {
    ...sent,
    ref,
    error: isAtField ? null : sent.error,
    configFields: {
      fields,
      config,
      errors,
      isSaved,
      onChange: (key: string, value: unknown): void => {
        form.setFieldValue('config', (before: Config) => ({ ...before, [key]: value }))
        forget()
      },
    },
  }
}
