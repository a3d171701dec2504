/** From an event as it was sent to the row that is stored and what it says about persons. */
import { elementsChain } from './elements.ts'
import { cut, type Json, MAX_NAME_LENGTH, type SentEvent } from './payload.ts'
import type { PersonChange } from './persons.ts'
import { eventTime, isoOf } from './time.ts'

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
  /** What it says about persons; null where it is to leave them alone. */
  person: PersonChange | null
}

/** What all events of one request share. */
export interface Arrival {
  project_id: number
  /** Microseconds since 1970. */
  now: number
  sent_at: number | null
  /** Whom the request came from; null for events from a file. */
  address: string | null
  uuid: () => string
}

/** The stored size of an event: its properties and elements chain in UTF-8. */
export const EVENT_LIMIT_BYTES = 1024 * 1024

export const EVENT_TOO_LARGE = 'event_too_large'

/** The error detail for an event that is too large; undefined otherwise. */
export function oversizeOf({ properties, elements_chain }: EventRow): string | undefined {
  // A UTF-16 unit takes at most 3 bytes, so most events need no counting.
  if ((properties.length + elements_chain.length) * 3 <= EVENT_LIMIT_BYTES) return undefined
  const bytes = Buffer.byteLength(properties) + Buffer.byteLength(elements_chain)
  if (bytes <= EVENT_LIMIT_BYTES) return undefined
  return `The event takes ${bytes} bytes as it is stored, and the limit is ${EVENT_LIMIT_BYTES}. Shorten its properties.`
}

/** Not events of this store: recordings, measurements and what libraries say about themselves. */
const NOT_STORED = new Set(['$snapshot', '$performance_event', '$$heatmap', '$$client_ingestion_warning'])
/** Nothing but what they say about persons and groups. */
const ABOUT_PERSONS = new Set(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify'])
/** They tell of a moment in which much may be wrong. */
const NO_UPDATE = new Set(['$exception'])

/** What a person has of their events without being told so, and what keeps its first value. */
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

/** Null for an event that is taken and not stored. Changes the properties it is given. */
export function shape(sent: SentEvent, { project_id, now, sent_at, address, uuid: newId }: Arrival): NewEvent | null {
  const { event, distinct_id, properties, source } = sent
  if (NOT_STORED.has(event)) return null
  const personal = properties.$process_person_profile !== false
  if (!personal && ABOUT_PERSONS.has(event)) return null

  const uuid = sent.uuid ?? newId()
  const timestamp = eventTime({
    timestamp: source.timestamp,
    offset: source.offset,
    sent_at: properties.$ignore_sent_at === true ? null : sent_at,
    now,
  })
  if (address !== null) properties.$ip ??= address
  if (sent_at !== null) properties.$sent_at = isoOf(sent_at)
  const elements_chain = elementsOf(properties)
  if (personal) gatherPersonProperties(properties, source)
  else for (const name of ['$set', '$set_once', '$unset']) if (name in properties) delete properties[name]

  return {
    project_id,
    uuid,
    event,
    distinct_id,
    timestamp,
    created_at: now,
    properties: JSON.stringify(properties),
    elements_chain,
    person: personal ? personChange({ project_id, uuid, event, distinct_id, timestamp }, properties) : null,
  }
}

function elementsOf(properties: Json): string {
  const { $elements, $elements_chain } = properties
  if ($elements === undefined && $elements_chain === undefined) return ''
  delete properties.$elements
  delete properties.$elements_chain
  if (typeof $elements_chain === 'string' && $elements_chain !== '') return $elements_chain
  return Array.isArray($elements) ? elementsChain($elements) : ''
}

const objectOf = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined

/** Beside the event and within it, the outer wins; what is copied gives way to what was set on purpose. */
function gatherPersonProperties(properties: Json, source: Json): void {
  let set: Json | undefined
  let set_once: Json | undefined
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
  { project_id, uuid, event, distinct_id, timestamp }: Omit<EventRow, 'created_at' | 'properties' | 'elements_chain'>,
  properties: Json,
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

/** The other id that an event says is the same person. */
function otherIdOf(event: string, properties: Json): string | undefined {
  const told =
    event === '$identify'
      ? properties.$anon_distinct_id
      : event === '$create_alias' || event === '$merge_dangerously'
        ? properties.alias
        : undefined
  if (told === undefined || told === null) return undefined
  return cut(typeof told === 'string' ? told : JSON.stringify(told), MAX_NAME_LENGTH)
}
