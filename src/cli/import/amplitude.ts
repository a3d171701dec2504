/** Events of Amplitude's export API. */
import { isJsonObject, type JsonObject } from '../../json/object.ts'
import { firstText, isEmpty, type Reader, type ReadRow, renamed } from './reader.ts'
import { identifyOf } from './segment.ts'

export const amplitude: Reader = { name: 'amplitude', matches, read, withoutTime: 'refuse' }

const EVENTS: Readonly<Record<string, string>> = {
  '[Amplitude] Page Viewed': '$pageview',
  '[Amplitude] Screen Viewed': '$screen',
}

const FIELDS = {
  $ip: 'ip_address',
  $locale: 'language',
  $lib: 'library',
  $app_version: 'version_name',
  $device_id: 'device_id',
  $geoip_city_name: 'city',
  $geoip_subdivision_1_name: 'region',
  $geoip_country_name: 'country',
  platform: 'platform',
}
/** Of a browser, Amplitude stores the browser as `os_name` and the operating system as `device_type`. */
const WEB = { $browser: 'os_name', $browser_version: 'os_version', $os: 'device_type' }
const APP = { $os: 'os_name', $os_version: 'os_version', $device_model: 'device_type' }
const PAGE = {
  $current_url: '[Amplitude] Page URL',
  $pathname: '[Amplitude] Page Path',
  $host: '[Amplitude] Page Domain',
  title: '[Amplitude] Page Title',
  $screen_name: '[Amplitude] Screen Name',
  $referrer: 'referrer',
  $referring_domain: 'referring_domain',
}

function matches({ event_type, event_time, user_id, device_id, event }: JsonObject): boolean {
  return typeof event_type === 'string' && event === undefined && [event_time, user_id, device_id].some(Boolean)
}

function read(row: JsonObject): ReadRow {
  const { event_type, platform, groups } = row
  const [user, device] = [firstText(row.user_id), firstText(row.device_id)]
  const distinct_id = user ?? device ?? firstText(row.amplitude_id)
  if (distinct_id === undefined) return { problem: 'The event has neither `user_id` nor `device_id`.' }
  const properties = isJsonObject(row.event_properties) ? row.event_properties : {}
  const $set = isJsonObject(row.user_properties) ? row.user_properties : {}
  const identity = event_type === '$identify' ? identifyOf(user, device, $set) : undefined
  const mapped = typeof event_type === 'string' && Object.hasOwn(EVENTS, event_type) ? EVENTS[event_type] : event_type
  return {
    event: {
      event: identity?.event ?? mapped,
      distinct_id,
      timestamp: firstText(row.event_time, row.client_event_time),
      id: firstText(row.uuid, row.$insert_id),
      properties: {
        ...renamed(row, FIELDS),
        ...renamed(row, platform === 'Web' ? WEB : APP),
        ...renamed(properties, PAGE),
        ...sessionOf(row, device ?? distinct_id),
        ...(isJsonObject(groups) && !isEmpty(groups) && { $groups: groups }),
        ...properties,
        ...(identity?.properties ?? (isEmpty($set) ? {} : { $set })),
      },
    },
  }
}

/** Amplitude numbers the sessions of a device by the time of their start; -1 is an event outside of a session. */
const sessionOf = ({ session_id }: JsonObject, device: string): JsonObject =>
  typeof session_id === 'number' && session_id > 0 ? { $session_id: `${device}:${session_id}` } : {}
