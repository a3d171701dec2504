/** Lines in the form that capture accepts, and rows of the events list, which have `id` and properties as JSON text. */
import { parseUuid } from '../../events/payload.ts'
import { isJsonObject, type JsonObject } from '../../json/object.ts'
import { parseObject } from './lines.ts'
import { firstText, type Reader, type ReadRow } from './reader.ts'

export const own: Reader = { name: 'own', matches: () => true, read, withoutTime: 'now' }

const EVENT_FIELDS = [
  'event',
  'distinct_id',
  'timestamp',
  'uuid',
  'id',
  'properties',
  'person',
  'elements',
  'elements_chain',
]
const FIELDS: ReadonlySet<string> = new Set(EVENT_FIELDS)

function read(row: JsonObject): ReadRow {
  const { event, distinct_id, timestamp, uuid, id, elements_chain, ...rest } = row
  const properties = propertiesOf(row.properties)
  if (properties === undefined) return { problem: NOT_PROPERTIES }
  if (uuid !== undefined && uuid !== null && uuid !== '' && parseUuid(uuid) === undefined)
    return { problem: '`uuid` must be a UUID or omitted.' }
  const others = Object.entries(rest).filter(([name]) => name.startsWith('$') || name === 'offset')
  return {
    event: {
      event,
      distinct_id,
      timestamp,
      properties: elements_chain ? { ...properties, $elements_chain: elements_chain } : properties,
      id: firstText(uuid, id),
      others: Object.fromEntries(others),
    },
  }
}

export const NOT_PROPERTIES = '`properties` is not a JSON object, or is nested too deep.'

/** An object, or its JSON text. Undefined for another value, and for text that is nested too deep or has too many values. */
export function propertiesOf(value: unknown): JsonObject | undefined {
  if (value === undefined || value === null || value === '') return {}
  if (typeof value !== 'string') return isJsonObject(value) ? value : undefined
  try {
    return parseObject(Buffer.from(value))
  } catch {
    return undefined
  }
}

/** A CSV record as a row: every column that is not a field of an event becomes a property. */
export function rowOfRecord(record: Readonly<Record<string, string>>): JsonObject {
  const properties = propertiesOf(record.properties)
  if (properties === undefined) return { ...record }
  const others = Object.entries(record).filter(([name, value]) => !FIELDS.has(name) && value !== '')
  return { ...record, properties: { ...properties, ...Object.fromEntries(others) } }
}
