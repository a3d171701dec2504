/** Errors of the server at the fields of the form of an export. */
import type { FormErrors } from '@mantine/form'
import { type Schemas, WorkspaceError } from '../api.ts'
import { configErrors } from './config-errors.ts'
import { type Field, fieldsThatApply } from './config-schema.ts'
import type { DestinationType } from './destinations.tsx'
import type { ExportValues } from './export-values.ts'
import { EVENT_LISTS } from './field-texts.ts'
import type { Step } from './steps.ts'

export const CONFIG_ATTR = 'destination__config__'

/** The step that has the field. */
const FIELD_STEPS: Record<string, Step> = {
  model: 'what',
  include_events: 'what',
  exclude_events: 'what',
  filters: 'what',
  hogql_query: 'what',
  name: 'when',
  interval: 'when',
  timezone: 'when',
  offset_day: 'when',
  offset_hour: 'when',
  start_at: 'when',
  end_at: 'when',
}

export const configPath = (type: DestinationType, key: string): string => `destinations.${type}.config.${key}`

/** The path of the form value that `attr` of an error names. Undefined if the form does not have it. */
function pathOf(attr: string, type: DestinationType, fields: readonly Field[]): string | undefined {
  if (attr === 'destination__integration') return `destinations.${type}.integration`
  if (attr.startsWith(CONFIG_ATTR)) {
    const key = attr.slice(CONFIG_ATTR.length)
    if (key in EVENT_LISTS) return key
    return fields.some((field) => field.key === key) ? configPath(type, key) : undefined
  }
  const [name = ''] = attr.split('__')
  return name in FIELD_STEPS ? name : undefined
}

interface FieldFailure {
  errors: FormErrors
  step: Step
}

/** The form at the time of a request. */
export interface FormContext {
  type: DestinationType
  fields: readonly Field[]
  values: ExportValues
  isSaved: boolean
}

/** The field that an error is about, in the words of the form. Undefined if no field can show it. */
export function failureAt(error: unknown, { type, fields, values, isSaved }: FormContext): FieldFailure | undefined {
  if (!(error instanceof WorkspaceError) || error.attr === null) return undefined
  const { config } = values.destinations[type]
  const path = pathOf(error.attr, type, fieldsThatApply(fields, config))
  if (path === undefined) return undefined
  const [sentence] = Object.values(configErrors(error, { prefix: CONFIG_ATTR, fields, config, isSaved }))
  return { errors: { [path]: sentence ?? error.detail }, step: FIELD_STEPS[path] ?? 'where' }
}

/** The setting that a failed step of a connection test asks to check. Empty if the form does not have it. */
export function failedStepErrors(
  { steps }: Schemas['DestinationTest'],
  { type, fields, values }: FormContext,
): FormErrors {
  const shown = fieldsThatApply(fields, values.destinations[type].config)
  return Object.fromEntries(
    steps.flatMap(({ attr, detail }) => {
      const path = attr === null ? undefined : pathOf(attr, type, shown)
      return path === undefined ? [] : [[path, detail]]
    }),
  )
}
