/**
 * The ways of answering a query: from the hourly counts of events, from an index alone, from the mirror, or from rows. All give
 * the same result.
 */
import { isMirrored } from '../hogql/mirrored.ts'
import type { Parts, Query } from '../hogql/query.ts'
import { INTEGER } from '../hogql/typed.ts'
import { joined, name, type Sql, sql } from '../sql/template.ts'
import { type CountedQuery, countedQuery, countsTable, rangeOf } from './counted-query.ts'
import { uncountedQuery } from './counts.ts'
import { coveringIndex } from './covering-index.ts'
import { guarded } from './guarded.ts'
import { personJoin } from './list.ts'
import { CHANGING_FEEDS, type ChangingModel } from './models.ts'
import type { EventReader } from './readers.ts'
import type { TimeRange } from './time.ts'

export interface Way {
  name: 'counts' | 'index' | 'mirror' | 'rows'
  /** Why this way was taken. */
  detail: string
  /** The clauses FROM and WHERE. */
  from: Sql
  /** Orders rows that are equal otherwise. */
  unique: Sql
  /** The compiled query, if it differs from that over rows. */
  compiled?: Query
  /** Returns a row if the way does not have all events, so the next way is taken. */
  missing?: Sql
}

export interface Question {
  project_id: number
  range: TimeRange
  /** Microseconds since 1970. */
  now: number
  parts: Parts
  compiled: Query
  /** Further conditions on an event `e`, beginning with `and`. */
  selected?: Sql | undefined
}

const NEWEST_FIRST = sql`e.timestamp desc, e.uuid desc`

/** The ways of a query over events, the quickest first. */
export function waysOfEvents({ mirror }: EventReader, question: Question): Way[] {
  const { project_id, range, now, parts, compiled, selected } = question
  const counted = selected
    ? ({ isCounted: false, reason: 'The query selects a person or many names.' } as const)
    : countedQuery(parts, range, now)
  const index =
    compiled.aggregate && !selected ? coveringIndex(parts, rangeOf(parts.where ?? [], range, now)) : undefined
  const person = compiled.usesPerson ? personJoin(project_id) : sql``
  const where = sql`where e.project_id = ${project_id} ${within(sql`e.timestamp`, range)} ${selected ?? sql``}`
  const events: Way = {
    from: sql`from events e ${index?.hint ?? sql``} ${person} ${where}`,
    unique: NEWEST_FIRST,
    ...(index
      ? { name: 'index', detail: `The index ${index.name} has all fields of the query.` }
      : { name: 'rows', detail: counted.isCounted ? 'The events are not all counted yet.' : counted.reason }),
  }
  const useMirror = mirror && events.name === 'rows' && compiled.aggregate && !selected && isMirrored(parts)
  return [
    ...(counted.isCounted ? [countsWay(project_id, counted)] : []),
    ...(useMirror ? [mirrorWay(question)] : []),
    events,
  ]
}

const countsWay = (project_id: number, counted: CountedQuery): Way => ({
  name: 'counts',
  detail: 'The query only counts events by name and time.',
  from: sql`from ${countsTable(project_id, counted)} e where 1 = 1`,
  unique: sql``,
  compiled: counted.compiled,
  missing: uncountedQuery(project_id),
})

const mirrorWay = ({ project_id, range, compiled }: Question): Way => ({
  name: 'mirror',
  detail: 'The columns of the mirror have all fields of the query.',
  from: sql`from e ${compiled.usesPerson ? sql`left join p on p.distinct_id = e.distinct_id` : sql``} where e.project_id = ${project_id} ${within(sql`e.timestamp`, range)}`,
  unique: sql``,
})

/** The current rows of another model. */
export function wayOfModel(model: ChangingModel, { project_id, range }: Question): Way {
  const { from, time, unique } = CHANGING_FEEDS[model].current
  const where = sql`where e.project_id = ${project_id} ${within(time, range)}`
  return { name: 'rows', detail: `The query reads the ${model}.`, from: sql`from ${from} ${where}`, unique }
}

const within = (time: Sql, { from, to }: TimeRange): Sql => sql`
  ${from === undefined ? sql`` : sql`and ${time} >= ${from}`} ${to === undefined ? sql`` : sql`and ${time} < ${to}`}`

interface Found {
  way: Way
  rows: unknown[][]
  /** The number of rows that they were computed from. */
  rows_read: number
}

/** In place of `rows_read`: the way does not have all events. */
const INCOMPLETE = -1

/**
 * The rows of an answer by the first way that has all events. A statement also finds out whether its way has them. All ways
 * share a deadline.
 */
export async function rowsOf(
  reader: EventReader,
  [way, ...others]: readonly Way[],
  question: Question,
  page: { limit: number; offset: number },
  signal: AbortSignal | undefined,
  since = performance.now(),
): Promise<Found> {
  if (!way) throw new Error('A query has at least one way.')
  const { project_id, compiled } = question
  const types = compiled.columns.map(({ type }) => type)
  const statement = statementOf(way, compiled, page)
  const rows =
    way.name === 'mirror'
      ? await reader.mirror?.rows(statement, { project_id, signal, since })
      : await reader.rows(guarded([...types, INTEGER], statement), { project_id, lane: 'slow', signal, since })
  const readOf = (row: readonly unknown[] | undefined): number => Number(row?.[types.length] ?? 0)
  if (!rows || rows.some((row) => readOf(row) === INCOMPLETE))
    return rowsOf(reader, others, question, page, signal, since)
  return { way, rows, rows_read: compiled.aggregate ? readOf(rows[0]) : rows.length }
}

/** Returns the columns of the query, and the number of rows read. */
function statementOf(way: Way, query: Query, page: { limit: number; offset: number }): Sql {
  const { select, where, having, group_by, order_by, aggregate } = way.compiled ?? query
  const read = aggregate ? sql`cast(sum(count(*)) over () as bigint)` : sql`1`
  const order = [...(order_by ? [order_by] : []), ...(aggregate ? groupOrder(query) : [way.unique])]
  const statement = sql`
    select ${joined([select, sql`${read} as ${name(`c${query.columns.length}`)}`], ', ')} ${way.from}
    ${where ? sql`and ${where}` : sql``}
    ${group_by ? sql`group by ${group_by}` : sql``} ${having ? sql`having ${having}` : sql``}
    ${order.length ? sql`order by ${joined(order, ', ')}` : sql``} limit ${page.limit} offset ${page.offset}`
  if (!way.missing) return statement
  const nulls = query.columns.map(() => sql`null`)
  return sql`
    select * from (${statement}) found
    union all select ${joined(nulls, ', ')}, ${INCOMPLETE} where exists (${way.missing})`
}

/** Types whose values have no order. */
export const UNSORTABLE = ['json', 'array', 'tuple', 'interval']

/** Orders groups that are equal otherwise, so that all ways return the same page. */
const groupOrder = ({ columns }: Query): Sql[] =>
  columns.flatMap(({ aggregate, type }, i): Sql[] =>
    aggregate || UNSORTABLE.includes(type.kind) ? [] : [{ strings: [`${i + 1} asc nulls last`], parts: [] }],
  )
