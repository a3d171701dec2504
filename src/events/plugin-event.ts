/** Events as plugins get and return them. */

import { isJsonObject } from '../json/object.ts'
import { replaceInvalidText } from '../json/text.ts'
import type { Db } from '../sql/db.ts'
import { chunks, oneOf, sql } from '../sql/template.ts'
import { parseElements } from './elements.ts'
import {
  describeOversize,
  type EventRow,
  elementsOf,
  gatherPersonProperties,
  type NewEvent,
  personChange,
} from './normalize-event.ts'
import { MAX_NAME_LENGTH, truncate } from './payload.ts'
import { isoOf, parseEventTime } from './time.ts'

/** An event before it is stored, as JSON. The properties are inserted as text, because parsing them would take most of the time. */
export function incomingEvent(event: NewEvent, { now, site_url }: { now: string; site_url: string }): string {
  const { uuid, distinct_id, project_id, timestamp, properties, elements_chain } = event
  const own = elements_chain === '' ? properties : withMember(properties, '$elements_chain', elements_chain)
  return `{"uuid":"${uuid}","event":${JSON.stringify(event.event)},"distinct_id":${JSON.stringify(distinct_id)},"team_id":${project_id},"ip":null,"site_url":${JSON.stringify(site_url)},"now":"${now}","timestamp":"${isoOf(timestamp)}","properties":${own}}`
}

/** Adds a member to the text of a JSON object. */
const withMember = (object: string, name: string, value: string): string =>
  `${object.slice(0, -1)}${object === '{}' ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}}`

/** Why an event that a plugin returned cannot be stored. */
export class InvalidEvent extends Error {
  override readonly name = 'InvalidEvent'
}

/** The row of an event that a plugin changed. Its uuid and project stay. Throws `InvalidEvent`. */
export function changedEvent(before: NewEvent, text: string): NewEvent {
  const returned = parse(text)
  const { event, timestamp, properties = {} } = returned
  if (typeof event !== 'string' || event === '') throw new InvalidEvent('The returned event has no name.')
  const distinct_id = typeof returned.distinct_id === 'number' ? String(returned.distinct_id) : returned.distinct_id
  if (typeof distinct_id !== 'string' || distinct_id.trim() === '')
    throw new InvalidEvent('The returned event has no distinct_id.')
  if (!isJsonObject(properties)) throw new InvalidEvent('The properties of the returned event are not an object.')
  const time = timestamp === isoOf(before.timestamp) ? before.timestamp : parseEventTime(timestamp)
  if (time === undefined) throw new InvalidEvent('The timestamp of the returned event is not a time.')

  const elements_chain = elementsOf(properties)
  const hasPerson = properties.$process_person_profile !== false
  if (hasPerson) gatherPersonProperties(properties, returned)
  else for (const name of ['$set', '$set_once', '$unset']) if (name in properties) delete properties[name]
  const { project_id, uuid, created_at } = before
  const identity = {
    project_id,
    uuid,
    event: truncate(event, MAX_NAME_LENGTH),
    distinct_id: truncate(distinct_id, MAX_NAME_LENGTH),
    timestamp: time,
  }
  const row: NewEvent = {
    ...before,
    ...identity,
    created_at,
    properties: JSON.stringify(properties),
    elements_chain,
    person: hasPerson ? personChange(identity, properties) : null,
  }
  const oversize = describeOversize(row)
  if (oversize) throw new InvalidEvent(oversize)
  return row
}

function parse(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = replaceInvalidText(JSON.parse(text))
  } catch {
    throw new InvalidEvent('The returned event is nested too deeply.')
  }
  if (!isJsonObject(value)) throw new InvalidEvent('The returned event is not an object.')
  return value
}

/** Adds the plugins that ran, as existing queries expect them. Values that the client sent under these names are replaced. */
export function withPluginNames(
  event: NewEvent,
  names: { succeeded: readonly string[]; failed: readonly string[] },
): NewEvent {
  const added = { $plugins_succeeded: names.succeeded, $plugins_failed: names.failed }
  const { properties } = event
  const text = properties.includes('"$plugins_')
    ? JSON.stringify({ ...JSON.parse(properties), ...added })
    : `${properties.slice(0, -1)}${properties === '{}' ? '' : ','}${JSON.stringify(added).slice(1)}`
  const named = { ...event, properties: text }
  return describeOversize(named) ? event : named
}

/** A stored event, as JSON. `person`: JSON. */
export function storedEvent(
  { uuid, event, distinct_id, project_id, timestamp, properties, elements_chain }: Omit<EventRow, 'created_at'>,
  person?: string,
): string {
  const elements = elements_chain === '' ? '[]' : JSON.stringify(parseElements(elements_chain))
  return `{"uuid":"${uuid}","event":${JSON.stringify(event)},"distinct_id":${JSON.stringify(distinct_id)},"team_id":${project_id},"ip":null,"timestamp":"${isoOf(timestamp)}","properties":${properties},"elements":${elements},"elements_chain":${JSON.stringify(elements_chain)}${person === undefined ? '' : `,"person":${person}`}}`
}

/** The persons of distinct ids as they are now, as JSON. */
export async function personsOf(
  events: Db,
  project_id: number,
  distinct_ids: Iterable<string>,
): Promise<Map<string, string>> {
  const persons = new Map<string, string>()
  for (const some of chunks([...new Set(distinct_ids)])) {
    const rows = await events.all<{ distinct_id: string; id: string; properties: string }>(sql`
      select d.distinct_id, p.id, ${{ sqlite: sql`p.properties`, postgres: sql`p.properties::text as properties` }}
      from person_distinct_ids d join persons p on p.project_id = d.project_id and p.id = d.person_id
      where d.project_id = ${project_id} and d.distinct_id in ${oneOf(some)}`)
    for (const { distinct_id, id, properties } of rows)
      persons.set(distinct_id, `{"id":${JSON.stringify(id)},"properties":${properties}}`)
  }
  return persons
}

/** The uuids of the events that are stored already. */
export async function storedUuids(events: Db, project_id: number, uuids: readonly string[]): Promise<Set<string>> {
  const stored = new Set<string>()
  for (const some of chunks(uuids)) {
    const found = await events.all<{ uuid: string }>(
      sql`select uuid from events where project_id = ${project_id} and uuid in ${oneOf(some)}`,
    )
    for (const { uuid } of found) stored.add(uuid)
  }
  return stored
}
