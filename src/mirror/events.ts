/** The statements of the mirror that read events. */
import { POSITION } from '../events/extract.ts'
import { either } from '../hogql/typed.ts'
import { type Sql, sql } from '../sql/template.ts'
import type { Read } from './store.ts'

/** An event in the order of ingestion. Numbers of PostgreSQL arrive as text. */
export type EventRow = [
  position: number | string,
  seq: number | string,
  event: string,
  distinct_id: string,
  timestamp: number | string,
  /** Null if they are large. */
  properties: string | null,
]

const PROPERTIES = either(sql`e.properties`, sql`e.properties::text`)
/** Larger properties are read one event at a time, which bounds the memory of a page. */
const LARGE_BYTES = 16 * 1024
const BY_POSITION = either(sql`indexed by events_by_position`, sql``)

export interface Positions {
  project_id: number
  from: number
  /** Exclusive. No end by default. */
  below?: number
  /** Begins after this event. */
  after?: EventRow | undefined
}

const between = ({ project_id, from, below, after }: Positions): Sql => sql`
  from events e ${BY_POSITION} where e.project_id = ${project_id} and ${POSITION} >= ${Number(after?.[0] ?? from)}
    ${below === undefined ? sql`` : sql`and ${POSITION} < ${below}`}
    ${after ? isLater(Number(after[0]), Number(after[1])) : sql``}`

const isLater = (position: number, seq: number): Sql =>
  either(sql`and e.seq > ${seq}`, sql`and (e.position, e.seq) > (${position}, ${seq})`)

/** At most `limit` events, oldest first. */
export const eventsBetween = (read: Read, positions: Positions, limit: number): Promise<EventRow[]> =>
  read(sql`
    select ${POSITION}, e.seq, e.event, e.distinct_id, e.timestamp,
      case when octet_length(${PROPERTIES}) <= ${LARGE_BYTES} then ${PROPERTIES} end ${between(positions)}
    order by ${POSITION}, e.seq limit ${limit}`)

/** Identifies the same events. */
export const seqsBetween = (positions: Positions, limit: number): Sql => sql`
  select e.seq ${between(positions)} order by ${POSITION}, e.seq limit ${limit}`

/** Returns a function that reads the large properties of an event. */
export const largeProperties =
  (read: Read, project_id: number) =>
  async ([position, seq]: EventRow): Promise<string> => {
    const [row] = await read<[string]>(sql`
      select ${PROPERTIES} from events e ${BY_POSITION}
      where e.project_id = ${project_id} and ${POSITION} = ${Number(position)} and e.seq = ${Number(seq)}`)
    // An event that was deleted meanwhile is recorded as deleted.
    return row?.[0] ?? '{}'
  }

const PERSON = either(sql`p.properties`, sql`p.properties::text`)

const personsIn = (project_id: number): Sql => sql`
  from person_distinct_ids d join persons p on p.project_id = ${project_id} and p.id = d.person_id
  where d.project_id = ${project_id}`

/** The person of each distinct id in the shape of an event: the id in place of its name, and the time of creation. */
export const personsOf = (read: Read, project_id: number, limit: number): Promise<EventRow[]> =>
  read(sql`
    select 0, 0, p.id, d.distinct_id, p.created_at, ${PERSON} ${personsIn(project_id)} limit ${limit}`)

/** The sizes of their properties. */
export const personsBytes = (project_id: number, limit: number): Sql => sql`
  select sum(bytes) from (select octet_length(${PERSON}) as bytes ${personsIn(project_id)} limit ${limit}) sizes`

/** The sizes of the properties that `eventsBetween` returns. */
export const eventsBytes = (positions: Positions, limit: number): Sql => sql`
  select sum(bytes) from (select octet_length(${PROPERTIES}) as bytes ${between(positions)} limit ${limit}) sizes
  where bytes <= ${LARGE_BYTES}`

/** The position of the event after the first `count` ones. Undefined if there are no more. */
export const positionAfter = (positions: Positions, count: number): Sql => sql`
  select ${POSITION} as position ${between(positions)} order by ${POSITION} limit 1 offset ${count}`

/** The positions and sizes of at most `limit` events, oldest first. */
export const eventSizes = (positions: Positions, limit: number): Sql => sql`
  select ${POSITION}, octet_length(${PROPERTIES}) ${between(positions)} order by ${POSITION}, e.seq limit ${limit}`
