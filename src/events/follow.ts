/** Reads stored events in the order of ingestion, for plugins that follow them. */
import { oneOf, sql } from '../sql/template.ts'
import { POSITION } from './extract.ts'
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
