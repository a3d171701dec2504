import type { ReactNode } from 'react'
import type { Field } from './fields.ts'

export interface FieldProps {
  field: Field
  value: unknown
  /** Whether a secret is stored. */
  isSet: boolean
  isRequired: boolean
  error: ReactNode
  onChange: (value: unknown) => void
}

export const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)

/** The properties that the inputs of all types have. */
export const commonOf = ({ field, isRequired, error }: FieldProps) => ({
  label: field.name,
  description: field.hint || undefined,
  required: isRequired,
  error,
})
