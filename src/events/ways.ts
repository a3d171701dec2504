/** The ways of answering a query: from the hourly counts of events, from an index alone, or from rows. All give the same result. */
import type { Parts, Query } from '../hogql/query.ts'
import { INTEGER } from '../hogql/typed.ts'
import { joined, type Sql, sql } from '../sql/template.ts'
import { type CountedQuery, countedQuery, countsTable, rangeOf } from './counted-query.ts'
import { hasCounts } from './counts.ts'
import { coveringIndex } from './covering-index.ts'
import { guarded } from './guarded.ts'
import { personJoin } from './list.ts'
import { CHANGING_FEEDS, type ChangingModel } from './models.ts'
import type { EventReader } from './readers.ts'
import type { TimeRange } from './time.ts'

export interface Way {
  name: 'counts' | 'index' | 'rows'
  /** Why this way was taken. */
  detail: string
  /** The clauses FROM and WHERE. */
  from: Sql
  /** Orders rows that are equal otherwise. */
  unique: Sql
  /** The compiled query, if it differs from that over rows. */
  compiled?: Query
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

export async function wayOfEvents(reader: EventReader, question: Question): Promise<Way> {
  const { project_id, range, now, parts, compiled, selected } = question
  const counted = selected
    ? ({ isCounted: false, reason: 'The query selects a person or many names.' } as const)
    : countedQuery(parts, range, now)
  if (counted.isCounted && (await hasCounts(reader, project_id))) return countsWay(project_id, counted)
  const index =
    compiled.aggregate && !selected ? coveringIndex(parts, rangeOf(parts.where ?? [], range, now)) : undefined
  const person = compiled.usesPerson ? personJoin(project_id) : sql``
  const where = sql`where e.project_id = ${project_id} ${within(sql`e.timestamp`, range)} ${selected ?? sql``}`
  return {
    from: sql`from events e ${index?.hint ?? sql``} ${person} ${where}`,
    unique: NEWEST_FIRST,
    ...(index
      ? { name: 'index', detail: `The index ${index.name} has all fields of the query.` }
      : { name: 'rows', detail: counted.isCounted ? 'The events are not all counted yet.' : counted.reason }),
  }
}

const countsWay = (project_id: number, counted: CountedQuery): Way => ({
  name: 'counts',
  detail: 'The hourly counts of events answer the query.',
  from: sql`from ${countsTable(project_id, counted)} e where 1 = 1`,
  unique: sql``,
  compiled: counted.compiled,
})

/** The current rows of another model. */
export function wayOfModel(model: ChangingModel, { project_id, range }: Question): Way {
  const { from, time, unique } = CHANGING_FEEDS[model].current
  const where = sql`where e.project_id = ${project_id} ${within(time, range)}`
  return { name: 'rows', detail: `The query reads the ${model}.`, from: sql`from ${from} ${where}`, unique }
}

const within = (time: Sql, { from, to }: TimeRange): Sql => sql`
  ${from === undefined ? sql`` : sql`and ${time} >= ${from}`} ${to === undefined ? sql`` : sql`and ${time} < ${to}`}`

/** The rows of an answer, and the number of rows that they were computed from. */
export async function rowsOf(
  reader: EventReader,
  way: Way,
  { project_id, compiled: question }: Question,
  page: { limit: number; offset: number },
  signal: AbortSignal | undefined,
): Promise<{ rows: unknown[][]; rows_read: number }> {
  const { select, where, having, group_by, order_by, aggregate } = way.compiled ?? question
  const types = question.columns.map(({ type }) => type)
  const read = aggregate ? sql`cast(sum(count(*)) over () as bigint)` : sql`1`
  const last: Sql = { strings: [` as c${types.length}`], parts: [] }
  const order = [...(order_by ? [order_by] : []), ...(aggregate ? groupOrder(question) : [way.unique])]
  const statement = sql`
    select ${joined([select, sql`${read} ${last}`], ', ')} ${way.from} ${where ? sql`and ${where}` : sql``}
    ${group_by ? sql`group by ${group_by}` : sql``} ${having ? sql`having ${having}` : sql``}
    ${order.length ? sql`order by ${joined(order, ', ')}` : sql``} limit ${page.limit} offset ${page.offset}`
  const rows = await reader.rows(guarded([...types, INTEGER], statement), { project_id, lane: 'slow', signal })
  return { rows, rows_read: aggregate ? Number(rows[0]?.[types.length] ?? 0) : rows.length }
}

/** Types whose values have no order. */
export const UNSORTABLE = ['json', 'array', 'tuple', 'interval']

/** Orders groups that are equal otherwise, so that all ways return the same page. */
const groupOrder = ({ columns }: Query): Sql[] =>
  columns.flatMap(({ aggregate, type }, i): Sql[] =>
    aggregate || UNSORTABLE.includes(type.kind) ? [] : [{ strings: [`${i + 1} asc nulls last`], parts: [] }],
  )
