/** Events of Mixpanel's raw export API. */
import { parseUuid } from '../../events/payload.ts'
import { isJsonObject, type JsonObject } from '../../json/object.ts'
import { NOT_PROPERTIES } from './own.ts'
import { firstText, type Reader, type ReadRow, renamed } from './reader.ts'

export const mixpanel: Reader = { name: 'mixpanel', matches, read, withoutTime: 'refuse' }

const EVENTS: Readonly<Record<string, string>> = { $mp_web_page_view: '$pageview', 'Page View': '$pageview' }

/** Other properties keep their names, which are often the same as ours. */
const RENAMED = {
  $ip: 'ip',
  $lib: 'mp_lib',
  $pathname: 'current_url_path',
  $host: 'current_domain',
  title: 'current_page_title',
  $app_version: '$app_version_string',
  $app_build: '$app_build_number',
  $device_model: '$model',
  $device_manufacturer: '$manufacturer',
  $geoip_city_name: '$city',
  $geoip_subdivision_1_name: '$region',
  $geoip_country_code: 'mp_country_code',
}
const REPLACED: ReadonlySet<string> = new Set(Object.values(RENAMED))

/** Larger numbers are milliseconds: as seconds, this is the year 5138. */
const MAX_SECONDS = 100_000_000_000
const MAX_MS = 8_640_000_000_000_000

function matches({ event, distinct_id, properties }: JsonObject): boolean {
  if (typeof event !== 'string' || distinct_id !== undefined || !isJsonObject(properties)) return false
  return properties.time !== undefined || properties.$insert_id !== undefined
}

function read({ event, properties }: JsonObject): ReadRow {
  if (!isJsonObject(properties)) return { problem: NOT_PROPERTIES }
  const { time, distinct_id, $insert_id, ...rest } = properties
  if (time !== undefined && localTime(time) === undefined)
    return { problem: '`time` must be a number of seconds or milliseconds since 1970.' }
  const person = personOf(event, distinct_id, properties)
  const kept = Object.entries(rest).filter(([name]) => !REPLACED.has(name))
  return {
    event: {
      event: typeof event === 'string' && Object.hasOwn(EVENTS, event) ? EVENTS[event] : event,
      distinct_id: person.distinct_id,
      timestamp: localTime(time),
      id: idOf({ event, time, distinct_id, $insert_id }),
      properties: { ...Object.fromEntries(kept), ...renamed(rest, RENAMED), ...person.properties },
      ...(person.event !== undefined && { event: person.event }),
    },
  }
}

/**
 * Without a zone: the export API of projects from before 2023 counts the seconds of a local time, which `--timezone`
 * names. Undefined for a value that is not a time.
 */
function localTime(time: unknown): string | undefined {
  if (time === null || time === '' || typeof time === 'boolean' || typeof time === 'object') return undefined
  const number = Number(time)
  const milliseconds = Math.abs(number) > MAX_SECONDS ? number : number * 1000
  return Math.abs(milliseconds) <= MAX_MS ? new Date(milliseconds).toISOString().slice(0, -1) : undefined
}

/** Mixpanel itself recognizes a repeated event by these four values. */
function idOf({ event, time, distinct_id, $insert_id }: JsonObject): string | undefined {
  const id = firstText($insert_id)
  if (id === undefined || parseUuid(id) !== undefined) return id
  return JSON.stringify([event, time, distinct_id, id])
}

interface PersonFields {
  event?: string
  distinct_id: unknown
  properties: JsonObject
}

function personOf(event: unknown, distinct_id: unknown, properties: JsonObject): PersonFields {
  const { $identified_id, $anon_id, $anon_distinct_id, $distinct_ids } = properties
  if (event === '$identify')
    return {
      distinct_id: firstText($identified_id, distinct_id),
      properties: { $anon_distinct_id: firstText($anon_distinct_id, $anon_id) },
    }
  const [first, second] = event === '$merge' && Array.isArray($distinct_ids) ? $distinct_ids : []
  if (first && second) return { event: '$merge_dangerously', distinct_id: first, properties: { alias: second } }
  return { distinct_id, properties: {} }
}
