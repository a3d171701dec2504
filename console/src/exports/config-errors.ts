/** The errors of the settings of a destination, in the words of the form. */
import { WorkspaceError } from '../api.ts'
import { count } from '../parts/format.ts'
import { type Config, type Field, fieldsThatApply } from './config-schema.ts'
import { isUnset } from './form-config.ts'

interface Form {
  /** Before the key of a setting in `attr`. */
  prefix: string
  fields: readonly Field[]
  config: Config
  /** The server has the secrets of the settings already. */
  isSaved: boolean
}

/** The error of a setting, by its key. Empty if the error is about something else. */
export function configErrors(error: unknown, { prefix, fields, config, isSaved }: Form): Record<string, string> {
  if (!(error instanceof WorkspaceError) || !error.attr?.startsWith(prefix)) return {}
  const key = error.attr.slice(prefix.length)
  const field = fields.find((field) => field.key === key)
  return { [key]: (field && formSentence(field, config[key], error.code, isSaved)) ?? error.detail }
}

/** The required settings that are missing, by key. A saved destination has its secrets already. */
export const missingErrors = (fields: readonly Field[], config: Config, isSaved: boolean): Record<string, string> =>
  Object.fromEntries(
    fieldsThatApply(fields, config).flatMap((field) => {
      const isKept = field.kind === 'secret' && isSaved
      if (!field.required || isKept || !isUnset(config[field.key])) return []
      const sentence = formSentence(field, undefined, 'required', isSaved)
      return sentence === undefined ? [] : [[field.key, sentence]]
    }),
  )

/** Undefined for a rule that only the server knows. */
function formSentence(
  { label, kind, schema, choices = {} }: Field,
  value: unknown,
  code: WorkspaceError['code'],
  isSaved: boolean,
): string | undefined {
  const { minimum, maximum, maxLength, maxItems, format } = schema
  const name = /^.[A-Z]/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1)
  switch (code) {
    case 'required':
    case 'blank':
    case 'null':
    case 'empty':
      if (kind === 'choice') return `Choose the ${name}.`
      if (kind === 'secret' && isSaved) return `Enter the ${name}. If the address changes, enter it again.`
      return `Enter the ${name}.`
    case 'invalid_choice':
      return (
        schema.enum &&
        `Choose one of: ${schema.enum.flatMap((choice) => (choice === null ? [] : (choices[choice] ?? choice))).join(', ')}.`
      )
    case 'max_length':
      if (kind === 'list') return maxItems === undefined ? undefined : `Enter at most ${count(maxItems)} values.`
      return maxLength === undefined ? undefined : `Enter at most ${count(maxLength)} characters.`
    case 'invalid_input':
      if (format === 'uri' && !isWebAddress(value)) return 'Enter an address that starts with https:// or http://.'
      if (typeof value !== 'number' || minimum === undefined || maximum === undefined) return undefined
      return value < minimum || value > maximum
        ? `Enter a number from ${count(minimum)} to ${count(maximum)}.`
        : undefined
    default:
      return undefined
  }
}

const isWebAddress = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
