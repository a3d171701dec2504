/** Follows new events in the order of ingestion, which includes late events with old timestamps. */
import { either } from '../hogql/typed.ts'
import type { Database } from '../sql/db.ts'
import { type Sql, sql } from '../sql/template.ts'
import { POSITION } from './extract.ts'
import {
  columns,
  type ListedEvent,
  type ListedRow,
  type ListQuery,
  personJoin,
  type Selection,
  selected,
  toListedEvent,
  withPersons,
} from './list.ts'
import { horizon } from './positions.ts'
import type { EventReader } from './readers.ts'

/** The last event that was read. All events of a PostgreSQL transaction have one position. */
export interface TailCursor {
  position: number
  seq: number
}

export interface TailQuery extends Pick<ListQuery, 'project_id' | 'condition' | 'withPerson' | 'signal'>, Selection {
  /** Without a cursor, the latest events are returned. */
  from?: TailCursor
}

export interface Tail {
  /** The events in the order of ingestion. */
  rows: ListedEvent[]
  cursor: TailCursor
  /** Whether further events have been ingested already. */
  more: boolean
}

/** A query with filters reads at most this many events. */
const SCANNED_EVENTS = 10_000

/** Reads events that were ingested after the cursor, up to the horizon. */
export async function tail(events: Database, reader: EventReader, query: TailQuery, limit: number): Promise<Tail> {
  const { project_id, condition, withPerson, from, signal } = query
  const end = { position: await horizon(events), seq: 0 }
  const newestFirst = from === undefined
  const isFiltered = (condition !== undefined || query.names?.length || query.distinct_id) ?? query.person_id
  const within = sql`e.project_id = ${project_id} and ${POSITION} < ${end.position} ${from ? sql`and ${rowKey} > ${rowKeyOf(from)}` : sql``}`
  const order = (position: Sql): Sql =>
    newestFirst ? sql`order by ${position} desc, e.seq desc` : sql`order by ${position}, e.seq`

  let bound: TailCursor | undefined
  if (isFiltered) {
    const [last] = await reader.rows<[number, number]>(
      sql`select ${POSITION}, e.seq from events e ${BY_POSITION} where ${within}
        ${order(POSITION)} limit 1 offset ${SCANNED_EVENTS - 1}`,
      { project_id, lane: 'fast', signal },
    )
    bound = last && { position: Number(last[0]), seq: Number(last[1]) }
  }
  const scanned = bound ? sql`and ${rowKey} ${newestFirst ? sql`>=` : sql`<=`} ${rowKeyOf(bound)}` : sql``
  const found = await reader.rows<[...ListedRow, position: number, seq: number]>(
    sql`${withPersons(
      sql`select ${columns}, ${POSITION} as position, e.seq from events e ${BY_POSITION}
        ${condition?.usesPerson ? personJoin(project_id) : sql``} where ${within} ${scanned} ${selected(query)}
        ${condition ? sql`and ${condition.sql}` : sql``} ${order(POSITION)} limit ${newestFirst ? limit : limit + 1}`,
      project_id,
      withPerson,
      sql`, e.position, e.seq`,
    )} ${order(sql`e.position`)}`,
    { project_id, lane: condition ? 'slow' : 'fast', signal },
  )
  const page = found.slice(0, limit)
  if (newestFirst) return { rows: page.reverse().map(toListedEvent), cursor: end, more: false }
  const last = found.length > limit ? page.at(-1) : undefined
  const cursor = last ? { position: Number(last.at(-2)), seq: Number(last.at(-1)) } : (bound ?? end)
  return { rows: page.map(toListedEvent), cursor, more: cursor !== end }
}

export const BY_POSITION = either(sql`indexed by events_by_position`, sql``)

/** On SQLite the position is `seq`. */
export const rowKey = either(sql`e.seq`, sql`(e.position, e.seq)`)
export const rowKeyOf = ({ position, seq }: TailCursor): Sql =>
  either(sql`${Math.max(seq, position - 1)}`, sql`(${position}, ${seq})`)
