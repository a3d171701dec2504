/** Rows of PostHog's batch exports, and of the exports of this program: of events, and of persons. */
import { parseUuid } from '../../events/payload.ts'
import type { JsonObject } from '../../json/object.ts'
import { NOT_PROPERTIES, propertiesOf } from './own.ts'
import { firstText, isEmpty, type Reader, type ReadRow } from './reader.ts'

export const posthog: Reader = { name: 'posthog', matches, read, withoutTime: 'refuse' }

const COLUMNS = ['created_at', 'person_id', 'person_properties', 'elements_chain', '_inserted_at', 'team_id']

function matches(row: JsonObject): boolean {
  if (isPerson(row)) return true
  const hasColumns = COLUMNS.some((name) => row[name] !== undefined)
  return hasColumns && parseUuid(row.uuid) !== undefined && row.event !== undefined && row.timestamp !== undefined
}

const isPerson = (row: JsonObject): boolean =>
  row.event === undefined && row.distinct_id !== undefined && row.person_id !== undefined

function read(row: JsonObject): ReadRow {
  if (isPerson(row)) return readPerson(row)
  const properties = propertiesOf(row.properties)
  if (properties === undefined) return { problem: NOT_PROPERTIES }
  const [$set, $set_once] = [propertiesOf(row.set) ?? {}, propertiesOf(row.set_once) ?? {}]
  const { elements_chain } = row
  return {
    event: {
      event: row.event,
      distinct_id: row.distinct_id,
      timestamp: row.timestamp,
      id: firstText(row.uuid),
      properties: elements_chain ? { ...properties, $elements_chain: elements_chain } : properties,
      others: { ...(!isEmpty($set) && { $set }), ...(!isEmpty($set_once) && { $set_once }) },
    },
  }
}

/** One version of a person, for one of its distinct ids. */
function readPerson(row: JsonObject): ReadRow {
  const { distinct_id, is_deleted, created_at, _inserted_at } = row
  if (is_deleted === true || is_deleted === 'true') return { problem: 'The person is deleted.' }
  const $set = propertiesOf(row.properties)
  if ($set === undefined) return { problem: NOT_PROPERTIES }
  const version = firstText(row.person_version, row.version) ?? '0'
  return {
    event: {
      event: '$set',
      distinct_id,
      timestamp: firstText(_inserted_at, created_at),
      id: `person:${distinct_id}:${version}`,
      properties: { $set },
    },
  }
}
