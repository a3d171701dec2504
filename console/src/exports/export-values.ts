/** The values of the form of an export, as the server sends and receives them. */
import type { UseFormReturnType } from '@mantine/form'
import { hasOffsetDay, hasOffsetHour, inUtc } from '../../../src/exports/interval.ts'
import { findTimeZone } from '../../../src/time/zones.ts'
import type { Schemas } from '../api.ts'
import { type Config, type Field, fieldsOf, flatConfig } from './config-schema.ts'
import { DESTINATIONS, type DestinationType } from './destinations.tsx'
import { changedConfig, movedConfig, sentConfig } from './form-config.ts'
import { MODELS, type Model } from './models.ts'
import type { Cadence } from './schedule.ts'

interface Draft {
  config: Config
  /** The id of stored credentials; null if the export has its own. */
  integration: string | null
}

export interface ExportValues extends Cadence {
  /** Empty for the suggested name. */
  name: string
  /** In UTC, as a local date and time input has it. */
  start_at: string
  end_at: string
  model: Model
  include_events: string[]
  exclude_events: string[]
  filters: unknown[]
  hogql_query: string | null
  /** A draft for each type, so the choice of another type loses nothing. */
  destinations: Record<DestinationType, Draft>
}

export type ExportFormState = UseFormReturnType<ExportValues>

const TYPES = Object.keys(DESTINATIONS) as DestinationType[]

export const typeOf = (name: string | undefined): DestinationType | undefined => TYPES.find((type) => type === name)

const emptyDrafts = (): ExportValues['destinations'] =>
  Object.fromEntries(TYPES.map((type): [string, Draft] => [type, { config: {}, integration: null }])) as Record<
    DestinationType,
    Draft
  >

export const newValues = (): ExportValues => ({
  ...inUtc('hour'),
  // Days begin at the reader's midnight unless another zone is chosen.
  timezone: findTimeZone(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? 'UTC',
  name: '',
  start_at: '',
  end_at: '',
  model: 'events',
  include_events: [],
  exclude_events: [],
  filters: [],
  hogql_query: null,
  destinations: emptyDrafts(),
})

export function valuesOf(row: Schemas['BatchExport']): ExportValues {
  const { type, integration } = row.destination
  const { include_events, exclude_events, ...config } = flatConfig(fieldsOf(type), { ...row.destination.config })
  return {
    name: row.name,
    interval: row.interval,
    timezone: row.timezone,
    offset_day: row.offset_day,
    offset_hour: row.offset_hour,
    start_at: toInput(row.start_at),
    end_at: toInput(row.end_at),
    model: row.model,
    include_events: textsIn(include_events),
    exclude_events: textsIn(exclude_events),
    filters: row.filters ?? [],
    hogql_query: row.hogql_query,
    destinations: { ...emptyDrafts(), [type]: { config, integration } },
  }
}

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** For example "Events to PostgreSQL". */
export const suggestedName = ({ model }: ExportValues, type: DestinationType): string =>
  `${MODELS[model].label} to ${DESTINATIONS[type].label}`

/** The settings of the destination with the lists of events, which the server stores together. */
const configOf = ({ destinations, include_events, exclude_events }: ExportValues, type: DestinationType): Config => ({
  ...destinations[type].config,
  include_events,
  exclude_events,
})

/** `fields` are those that the form has. */
export function sentDestination(values: ExportValues, type: DestinationType, fields: readonly Field[]) {
  const { integration } = values.destinations[type]
  // The form is built from the schema of the type, which the compiler cannot know.
  return { type, config: sentConfig(fields, configOf(values, type)), integration } as Schemas['DestinationCreate']
}

export const sentExport = (
  values: ExportValues,
  type: DestinationType,
  fields: readonly Field[],
): Schemas['BatchExportCreate'] => ({
  name: values.name.trim() || suggestedName(values, type),
  ...sentSchedule(values),
  interval: values.interval,
  model: values.model,
  filters: values.filters,
  hogql_query: values.hogql_query,
  start_at: fromInput(values.start_at),
  end_at: fromInput(values.end_at),
  destination: sentDestination(values, type, fields),
})

const SCHEDULE = ['interval', 'timezone', 'offset_day', 'offset_hour'] as const

/** Only what changed, so stored secrets are kept. */
export function sentChanges(
  before: ExportValues,
  after: ExportValues,
  type: DestinationType,
  fields: readonly Field[],
): Schemas['BatchExportWrite'] {
  const { integration } = after.destinations[type]
  const isMoved = integration !== before.destinations[type].integration
  const config = (isMoved ? movedConfig : changedConfig)(fields, configOf(before, type), configOf(after, type))
  return {
    ...(after.name !== before.name && { name: after.name }),
    ...(SCHEDULE.some((field) => after[field] !== before[field]) && sentSchedule(after)),
    ...(after.start_at !== before.start_at && { start_at: fromInput(after.start_at) }),
    ...(after.end_at !== before.end_at && { end_at: fromInput(after.end_at) }),
    ...(JSON.stringify(after.filters) !== JSON.stringify(before.filters) && { filters: after.filters }),
    ...(after.hogql_query !== before.hogql_query && { hogql_query: after.hogql_query }),
    ...((isMoved || Object.keys(config).length > 0) && {
      destination: { ...(isMoved && { integration }), config },
    }),
  }
}

/** Offsets that the interval does not have are left out. */
const sentSchedule = ({ interval, timezone, offset_day, offset_hour }: Cadence): Partial<Cadence> => ({
  interval,
  timezone,
  ...(hasOffsetDay(interval) && { offset_day }),
  ...(hasOffsetHour(interval) && { offset_hour }),
})

/** The value of a date and time input in UTC, and back. */
const fromInput = (text: string): string | null => (text === '' ? null : new Date(`${text}Z`).toISOString())
const toInput = (time: string | null): string => (time === null ? '' : new Date(time).toISOString().slice(0, 16))
