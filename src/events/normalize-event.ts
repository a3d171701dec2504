/** Converts sent events to stored rows and person changes. */
import { isJsonObject, type JsonObject } from '../json/object.ts'
import { elementsChain } from './elements.ts'
import { MAX_NAME_LENGTH, type SentEvent, truncate } from './payload.ts'
import type { PersonChange } from './persons.ts'
import { eventTime, isoOf } from './time.ts'

/** A row of the events table. Times are microseconds since 1970. */
export interface EventRow {
  project_id: number
  uuid: string
  event: string
  distinct_id: string
  timestamp: number
  created_at: number
  /** JSON text. */
  properties: string
  elements_chain: string
}

export interface NewEvent extends EventRow {
  /** The plugin configurations that captured the event, separated by commas. Absent for events of clients. */
  origin?: string
  /** Null if the event must not create or change persons. */
  person: PersonChange | null
  /** Null without a `$session_id`. */
  session: EventSession | null
  /** The fields that the client sent, for plugins that change events. Absent in a project without such plugins. */
  sent?: SentFields
}

/** JSON. The properties and the other fields of an event as the client sent them. */
interface SentFields {
  properties: string
  others: string
}

/** The part of an event that belongs to its session. */
export interface EventSession {
  id: string
  url: string | null
  isPageview: boolean
}

/** The context that all events of one request share. */
export interface Arrival {
  project_id: number
  /** Microseconds since 1970. */
  now: number
  sent_at: number | null
  /** The IP address of the sender. Null for historical events and events from a file. */
  address: string | null
  uuid: () => string
  /** Whether plugins change the events before they are stored. */
  keepsSent?: boolean
}

/** The stored size of an event: its properties and elements chain in UTF-8. */
export const EVENT_LIMIT_BYTES = 1024 * 1024
/**
 * `$set`, `$set_once` and `$unset` of an event, as JSON text. The main process merges them with the stored properties: 64 Ki
 * characters of tiny properties take 10 ms, 1 Mi takes 200 ms.
 */
const PERSON_LIMIT_CHARACTERS = 64 * 1024

export const EVENT_TOO_LARGE = 'event_too_large'

/** The error detail for an event that is too large; undefined otherwise. */
export function describeOversize({ properties, elements_chain, person }: NewEvent): string | undefined {
  // `properties` contains the changes of the person, so most events need no counting.
  if (person && properties.length > PERSON_LIMIT_CHARACTERS) {
    const { length } = JSON.stringify([person.set, person.set_once, person.unset])
    if (length > PERSON_LIMIT_CHARACTERS)
      return `The event changes person properties of ${length} characters; the limit is ${PERSON_LIMIT_CHARACTERS}. Send fewer.`
  }
  // A UTF-16 unit takes at most 3 bytes, so most events need no counting.
  if ((properties.length + elements_chain.length) * 3 <= EVENT_LIMIT_BYTES) return undefined
  const bytes = Buffer.byteLength(properties) + Buffer.byteLength(elements_chain)
  if (bytes <= EVENT_LIMIT_BYTES) return undefined
  return `The stored event has ${bytes} bytes; the limit is ${EVENT_LIMIT_BYTES}. Shorten its properties.`
}

const MAX_SESSION_ID_LENGTH = 200
const MAX_URL_LENGTH = 2_000

/** Recordings, performance data and diagnostics of client libraries. */
const NOT_STORED = new Set(['$snapshot', '$performance_event', '$$heatmap', '$$client_ingestion_warning'])
/** Events that only change persons and groups. */
const ABOUT_PERSONS = new Set(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify'])
/** Properties of these events are too unreliable for persons. */
const NO_UPDATE = new Set(['$exception'])

/** Event properties that are copied to the person, each also under its `$initial_` name with its first value. */
const COPIED = new Map(
  [
    '$browser $os $device_type $current_url $pathname $referrer $referring_domain',
    '$app_build $app_name $app_namespace $app_version',
    'utm_source utm_medium utm_campaign utm_content utm_name utm_term',
    'gclid gad_source gclsrc dclid gbraid wbraid fbclid msclkid twclid li_fat_id mc_cid igshid ttclid rdt_cid',
  ]
    .flatMap((line) => line.split(' '))
    .map((name) => [name, `$initial_${name.replace('$', '')}`]),
)

/** Returns null for an event that is accepted but not stored. Modifies the event's properties. */
export function normalizeEvent(
  sent: SentEvent,
  { project_id, now, sent_at, address, uuid: newId, keepsSent }: Arrival,
): NewEvent | null {
  const { event, distinct_id, properties, source } = sent
  if (NOT_STORED.has(event)) return null
  if (!hasPerson(properties) && ABOUT_PERSONS.has(event)) return null

  const uuid = sent.uuid ?? newId()
  const timestamp = eventTime({
    timestamp: source.timestamp,
    offset: source.offset,
    sent_at: properties.$ignore_sent_at === true ? null : sent_at,
    now,
  })
  if (address !== null) properties.$ip ??= address
  if (sent_at !== null) properties.$sent_at = isoOf(sent_at)
  // The row is derived from the same properties, which changes them.
  const fields = keepsSent ? sentFields(sent, sent_at) : undefined
  const row = rowOf({ project_id, uuid, event, distinct_id, timestamp, created_at: now }, properties, source)
  if (fields !== undefined) row.sent = fields
  return row
}

type EventIdentity = Omit<EventRow, 'properties' | 'elements_chain'>

/**
 * The row of an event with its changes of persons and sessions, and with the person properties that are derived from it.
 * `source` may have `$set` and `$set_once`. Modifies the properties.
 */
export function rowOf(identity: EventIdentity, properties: JsonObject, source: JsonObject): NewEvent {
  const elements_chain = elementsOf(properties)
  const changesPerson = hasPerson(properties)
  if (changesPerson) gatherPersonProperties(properties, source)
  else for (const name of ['$set', '$set_once', '$unset']) if (name in properties) delete properties[name]
  return {
    ...identity,
    properties: JSON.stringify(properties),
    elements_chain,
    person: changesPerson ? personChange(identity, properties) : null,
    session: sessionOf(identity.event, properties),
  }
}

const hasPerson = ({ $process_person_profile }: JsonObject): boolean => $process_person_profile !== false

function sentFields({ properties, source }: SentEvent, sent_at: number | null): SentFields {
  const { $set, $set_once, offset } = source
  const { $elements, $elements_chain } = properties
  const needsChain = $elements !== undefined && $elements_chain === undefined
  return {
    others: JSON.stringify({
      ...(sent_at !== null && { sent_at: isoOf(sent_at) }),
      ...(offset !== undefined && { offset }),
      ...(isJsonObject($set) && { $set }),
      ...(isJsonObject($set_once) && { $set_once }),
    }),
    properties: JSON.stringify(needsChain ? { ...properties, $elements_chain: elementsOf({ $elements }) } : properties),
  }
}

function sessionOf(event: string, { $session_id, $current_url }: JsonObject): EventSession | null {
  if (typeof $session_id !== 'string' || $session_id === '' || $session_id.length > MAX_SESSION_ID_LENGTH) return null
  const url = typeof $current_url === 'string' ? truncate($current_url, MAX_URL_LENGTH) : null
  return { id: $session_id, url, isPageview: event === '$pageview' }
}

function elementsOf(properties: JsonObject): string {
  const { $elements, $elements_chain } = properties
  if ($elements === undefined && $elements_chain === undefined) return ''
  delete properties.$elements
  delete properties.$elements_chain
  if (typeof $elements_chain === 'string' && $elements_chain !== '') return $elements_chain
  return Array.isArray($elements) ? elementsChain($elements) : ''
}

const objectOf = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined)

/** Merges copied properties, `$set` in the properties and `$set` of the event. Later sources take precedence. */
function gatherPersonProperties(properties: JsonObject, source: JsonObject): void {
  let set: JsonObject | undefined
  let set_once: JsonObject | undefined
  for (const name in properties) {
    const initial = COPIED.get(name)
    if (initial === undefined) continue
    set ??= {}
    set_once ??= {}
    set[name] = properties[name]
    set_once[initial] = properties[name]
  }
  const [outer, outerOnce] = [objectOf(source.$set), objectOf(source.$set_once)]
  const [inner, innerOnce] = [objectOf(properties.$set), objectOf(properties.$set_once)]
  if (set || outer) properties.$set = { ...set, ...inner, ...outer }
  if (set_once || outerOnce) properties.$set_once = { ...set_once, ...innerOnce, ...outerOnce }
}

function personChange(
  { project_id, uuid, event, distinct_id, timestamp }: EventIdentity,
  properties: JsonObject,
): PersonChange {
  const { $unset } = properties
  return {
    project_id,
    distinct_id,
    event_uuid: uuid,
    timestamp,
    set: objectOf(properties.$set),
    set_once: objectOf(properties.$set_once),
    unset: Array.isArray($unset)
      ? $unset.filter((name): name is string => typeof name === 'string')
      : Object.keys(objectOf($unset) ?? {}),
    identifies: event === '$identify',
    other: otherIdOf(event, properties),
    forced: event === '$merge_dangerously',
    updates: !NO_UPDATE.has(event),
  }
}

/** Another distinct id of the same person. */
function otherIdOf(event: string, properties: JsonObject): string | undefined {
  const id =
    event === '$identify'
      ? properties.$anon_distinct_id
      : event === '$create_alias' || event === '$merge_dangerously'
        ? properties.alias
        : undefined
  if (id === undefined || id === null) return undefined
  return truncate(typeof id === 'string' ? id : JSON.stringify(id), MAX_NAME_LENGTH)
}
