/** Reads stored events in the order of ingestion, for plugins that follow them. */
import { HogqlError, invalidHogql } from '../hogql/error.ts'
import { type Compiled, compileCondition } from '../hogql/print.ts'
import { oneOf, sql } from '../sql/template.ts'
import { POSITION } from './extract.ts'
import { parseCondition } from './filters.ts'
import { personJoin } from './list.ts'
import type { EventRow } from './normalize-event.ts'
import type { EventReader } from './readers.ts'
import { BY_POSITION, rowKey, rowKeyOf, type TailCursor } from './tail.ts'

export interface FollowedEvent extends Omit<EventRow, 'created_at'>, TailCursor {
  /** The plugin configurations that captured it, separated by commas. */
  origin: string | null
}

type Row = [
  uuid: string,
  event: string,
  distinct_id: string,
  timestamp: number,
  properties: string,
  elements_chain: string,
  origin: string | null,
  position: number,
  seq: number,
]

const COLUMNS = sql`e.uuid, e.event, e.distinct_id, e.timestamp, ${{ sqlite: sql`e.properties`, postgres: sql`e.properties::text` }},
  e.elements_chain, e.origin, ${POSITION}, e.seq`

const followedEvent = (
  project_id: number,
  [uuid, event, distinct_id, timestamp, properties, elements_chain, origin, position, seq]: Row,
): FollowedEvent => ({
  project_id,
  uuid,
  event,
  distinct_id,
  timestamp: Number(timestamp),
  properties,
  elements_chain,
  origin,
  position: Number(position),
  seq: Number(seq),
})

/** The events of a project after one, below a position. */
export async function follow(
  reader: EventReader,
  { project_id, after, before }: { project_id: number; after: TailCursor; before: number },
  limit: number,
): Promise<FollowedEvent[]> {
  const rows = await reader.rows<Row>(
    sql`select ${COLUMNS} from events e ${BY_POSITION}
      where e.project_id = ${project_id} and ${POSITION} < ${before} and ${rowKey} > ${rowKeyOf(after)}
      order by ${POSITION}, e.seq limit ${limit}`,
    { project_id, lane: 'fast' },
  )
  return rows.map((row) => followedEvent(project_id, row))
}

/** The events of a project with these uuids, as far as they are stored. */
export async function followedByUuid(
  reader: EventReader,
  project_id: number,
  uuids: readonly string[],
): Promise<FollowedEvent[]> {
  const rows = await reader.rows<Row>(
    sql`select ${COLUMNS} from events e where e.project_id = ${project_id} and e.uuid in ${oneOf(uuids)}`,
    { project_id, lane: 'fast' },
  )
  return rows.map((row) => followedEvent(project_id, row))
}

/** A HogQL condition for events that plugins follow. Throws with this `attr` if it is invalid. `now`: microseconds. */
export function followCondition(text: string, attr: string, now: number): Compiled {
  try {
    return compileCondition(parseCondition(text, now), { now })
  } catch (error) {
    throw error instanceof HogqlError ? invalidHogql(attr, error, text) : error
  }
}

/** The uuids of those events that match the condition. */
export async function matchingUuids(
  reader: EventReader,
  project_id: number,
  uuids: readonly string[],
  { sql: condition, usesPerson }: Compiled,
  signal: AbortSignal,
): Promise<Set<string>> {
  const person = usesPerson ? personJoin(project_id) : sql``
  const rows = await reader.rows<[string]>(
    sql`select e.uuid from events e ${person}
      where e.project_id = ${project_id} and e.uuid in ${oneOf(uuids)} and (${condition})`,
    { project_id, lane: 'slow', signal },
  )
  return new Set(rows.map(([uuid]) => uuid))
}
