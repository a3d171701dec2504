/** Events as plugins get and return them. */

import { v5 } from 'uuid'
import { isJsonObject, type JsonObject } from '../json/object.ts'
import { storedJson } from '../json/stored.ts'
import { replaceInvalidText } from '../json/text.ts'
import type { Db } from '../sql/db.ts'
import { chunks, oneOf, sql } from '../sql/template.ts'
import { parseElements } from './elements.ts'
import { describeOversize, type EventRow, type NewEvent, rowOf } from './normalize-event.ts'
import { MAX_NAME_LENGTH, parseUuid, truncate } from './payload.ts'
import { isoOf, parseEventTime } from './time.ts'

/** An event before it is stored, in the two lines that the sandbox gets: its fields with `"properties":0`, and its properties. */
export function incomingEvent(event: NewEvent, { now, site_url }: { now: string; site_url: string }): string {
  const { uuid, distinct_id, project_id, timestamp, sent } = event
  if (sent === undefined) throw new Error(`The event ${uuid} was received without its sent fields.`)
  const others = sent.others === '{}' ? '' : `,${sent.others.slice(1, -1)}`
  return `{"uuid":"${uuid}","event":${JSON.stringify(event.event)},"distinct_id":${JSON.stringify(distinct_id)},"team_id":${project_id},"ip":null,"site_url":${JSON.stringify(site_url)},"now":"${now}","timestamp":"${isoOf(timestamp)}"${others},"properties":0}\n${sent.properties}`
}

/** The event of a text that `incomingEvent` or `returnedEvents` wrote. */
export function parseIncoming(text: string): JsonObject {
  const end = text.indexOf('\n')
  return { ...storedJson<JsonObject>(text.slice(0, end)), properties: storedJson<JsonObject>(text.slice(end + 1)) }
}

/** Why an event that a plugin returned cannot be stored. */
export class InvalidEvent extends Error {
  override readonly name = 'InvalidEvent'
}

/** An event on its way through the plugins. */
export interface ChangingEvent {
  row: NewEvent
  /** The event as the next plugin gets it. */
  text: string
}

/** The most events that plugins may make of one. */
export const MAX_PARTS = 100

/**
 * The events that a plugin returned for one event. Of several events without a uuid of their own, the first keeps that of the
 * event, and the others get uuids derived from it: the events of a repeated request have the same uuids. Throws `InvalidEvent`, also for more than `max` events.
 */
export function returnedEvents(before: ChangingEvent, text: string, max = MAX_PARTS): ChangingEvent[] {
  const returned = parse(text)
  if (!Array.isArray(returned)) return [changedEvent(before, returned, before.row.uuid, text)]
  if (returned.length > max)
    throw new InvalidEvent(
      `The plugin returned ${returned.length} events for one. Plugins may make ${MAX_PARTS} of an event that was sent.`,
    )
  let isTaken = false
  return returned.map((event: unknown, i) => {
    const { uuid } = before.row
    const changed = changedEvent(before, event, isTaken ? derivedUuid(uuid, i) : uuid)
    isTaken ||= changed.row.uuid === uuid
    return changed
  })
}

/** `uuid`: that of an event without another. `text`: the event as the plugin returned it, unless it is one of several. */
function changedEvent(before: ChangingEvent, returned: unknown, uuid: string, text?: string): ChangingEvent {
  if (!isJsonObject(returned)) throw new InvalidEvent('The returned event is not an object.')
  const { row } = before
  const { event, timestamp, properties = {} } = returned
  if (typeof event !== 'string' || event === '') throw new InvalidEvent('The returned event has no name.')
  const distinct_id = typeof returned.distinct_id === 'number' ? String(returned.distinct_id) : returned.distinct_id
  if (typeof distinct_id !== 'string' || distinct_id.trim() === '')
    throw new InvalidEvent('The returned event has no distinct_id.')
  if (!isJsonObject(properties)) throw new InvalidEvent('The properties of the returned event are not an object.')
  const time = timestamp === isoOf(row.timestamp) ? row.timestamp : parseEventTime(timestamp)
  if (time === undefined) throw new InvalidEvent('The timestamp of the returned event is not a time.')
  const identity = {
    project_id: row.project_id,
    uuid: ownUuid(returned.uuid, row.uuid) ?? uuid,
    event: truncate(event, MAX_NAME_LENGTH),
    distinct_id: truncate(distinct_id, MAX_NAME_LENGTH),
    timestamp: time,
    created_at: row.created_at,
  }
  const isSettled = settleElements(properties, before.text)
  // Deriving the row changes the properties.
  const { project_id: team_id, uuid: own } = identity
  const isKept = !isSettled && returned.uuid === own && returned.team_id === team_id
  const { properties: _, ...fields } = returned
  const next =
    isKept && text?.includes('"properties":0}\n')
      ? text
      : `${JSON.stringify({ ...fields, uuid: own, team_id, properties: 0 })}\n${JSON.stringify(properties)}`
  const changed = { ...rowOf(identity, properties, returned), ...(row.origin !== undefined && { origin: row.origin }) }
  const oversize = describeOversize(changed)
  if (oversize) throw new InvalidEvent(oversize)
  return { row: changed, text: next }
}

/** Undefined for the uuid of the event itself, and without one. */
function ownUuid(value: unknown, before: string): string | undefined {
  if (value === undefined || value === null || value === before) return undefined
  const uuid = parseUuid(value)
  if (uuid === undefined) throw new InvalidEvent('The uuid of the returned event is not a UUID.')
  return uuid
}

const derivedUuid = (uuid: string, number: number): string =>
  v5(String(number), Buffer.from(uuid.replaceAll('-', ''), 'hex'))

/** An event may have its elements in two forms. Removes the other one if the plugin changed one. False if it changed none. */
function settleElements(properties: JsonObject, before: string): boolean {
  if (!before.includes('"$elements')) return false
  const earlier = storedJson<JsonObject>(before.slice(before.indexOf('\n') + 1))
  const isChainChanged = properties.$elements_chain !== earlier.$elements_chain
  const areElementsChanged = JSON.stringify(properties.$elements) !== JSON.stringify(earlier.$elements)
  if (areElementsChanged && (!isChainChanged || properties.$elements_chain === undefined))
    delete properties.$elements_chain
  else if (isChainChanged) delete properties.$elements
  return isChainChanged || areElementsChanged
}

/** An event has two lines if the plugin did not read its properties. */
function parse(text: string): unknown {
  try {
    return replaceInvalidText(text.includes('\n') ? parseIncoming(text) : JSON.parse(text))
  } catch {
    throw new InvalidEvent('The returned event is nested too deeply.')
  }
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
