/** Events as the contract describes them: eight fields, all strings. */
import type { components } from '../contract/openapi.ts'
import type { Dialect } from '../contract/table.ts'
import { parseElements } from '../events/elements.ts'
import type { ListedEvent, PersonSummary } from '../events/list.ts'
import { isoOf } from '../events/time.ts'

export type EventRecord = components['schemas']['Event']

/** The order of the columns in CSV. */
export const EVENT_FIELDS = [
  'id',
  'distinct_id',
  'properties',
  'event',
  'timestamp',
  'person',
  'elements',
  'elements_chain',
] as const satisfies (keyof EventRecord)[]

/** The fields that contain JSON text. */
export const JSON_FIELDS: readonly string[] = ['properties', 'person', 'elements'] satisfies (keyof EventRecord)[]

/** Stored JSON is passed on as text. CSV uses this shape in every dialect. */
export function serializeEvent(row: ListedEvent): EventRecord {
  return {
    id: row.uuid,
    distinct_id: row.distinct_id,
    properties: row.properties,
    event: row.event,
    timestamp: isoOf(row.timestamp),
    person: row.person ? personJson(row.person) : 'null',
    elements: row.elements_chain === '' ? '[]' : JSON.stringify(parseElements(row.elements_chain)),
    elements_chain: row.elements_chain,
  }
}

export const eventJson = (row: ListedEvent, dialect: Dialect): string =>
  recordJson(serializeEvent(row), JSON_FIELDS, dialect)

/** The standard dialect returns JSON fields as strings, other dialects as JSON. Neither parses the stored text. */
export const recordJson = (record: EventRecord, jsonFields: readonly string[], dialect: Dialect): string =>
  dialect === 'standard'
    ? JSON.stringify(record)
    : `{${Object.entries(record)
        .map(([name, value]) => `"${name}":${jsonFields.includes(name) ? value : JSON.stringify(value)}`)
        .join(',')}}`

function personJson({ is_identified, first_distinct_id, email, name, username }: PersonSummary): string {
  const known = Object.entries({ email, name, username }).filter(([, text]) => text !== null)
  const properties = known.map(([key, text]) => `"${key}":${text}`).join(',')
  return `{"is_identified":${is_identified},"distinct_ids":[${JSON.stringify(first_distinct_id)}],"properties":{${properties}}}`
}
