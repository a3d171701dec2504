/** The number of events per interval, from the hourly counts or from a scan in parts. */
import { either } from '../hogql/typed.ts'
import { joined, oneOf, type Sql, sql } from '../sql/template.ts'
import { ALL_EVENTS, HOUR, hasCounts, hourOf, integer } from './counts.ts'
import {
  type Branch,
  branchesOf,
  distinctIdsOf,
  type ListCursor,
  type ListQuery,
  mergedBranches,
  personJoin,
} from './list.ts'
import type { EventReader } from './readers.ts'

export type Interval = 'minute' | 'hour' | 'day' | 'week'

/** Intervals begin at multiples of their length after `origin`: weeks on Sundays. */
const INTERVALS: Record<Interval, { length: number; origin: number }> = {
  minute: { length: HOUR / 60, origin: 0 },
  hour: { length: HOUR, origin: 0 },
  day: { length: 24 * HOUR, origin: 0 },
  week: { length: 7 * 24 * HOUR, origin: 3 * 24 * HOUR },
}
const SHORTEST_FIRST: readonly Interval[] = ['minute', 'hour', 'day', 'week']
const DEFAULT_INTERVALS = 120
/** The time that one part of a scan takes. */
const PART_MS = 1_000

export interface HistogramQuery extends Omit<ListQuery, 'after' | 'oldestFirst' | 'offset' | 'withPerson'> {
  /** Exclusive lower bound. */
  after: number
  interval: Interval
}

export interface Histogram {
  /** The number of events by the index of the interval. Intervals without events may be missing. */
  counts: ReadonlyMap<number, number>
  exact: boolean
  progress: number
  next: ListCursor | null
}

/** The shortest interval that divides the range into about 120, or weeks. */
export const intervalFor = (after: number, before: number): Interval =>
  SHORTEST_FIRST.find((interval) => (before - after) / INTERVALS[interval].length <= DEFAULT_INTERVALS) ?? 'week'

export interface Intervals {
  first: number
  length: number
  count: number
}

/** The intervals between the bounds, which are exclusive. */
export function intervalsOf({
  after,
  before,
  interval,
}: Pick<HistogramQuery, 'after' | 'before' | 'interval'>): Intervals {
  const { length, origin } = INTERVALS[interval]
  const rest = (after + 1 - origin) % length
  const first = after + 1 - (rest < 0 ? rest + length : rest)
  return { first, length, count: before > after + 1 ? Math.ceil((before - first) / length) : 0 }
}

/** A scan takes about `part_ms` and returns the counts so far. */
export async function histogram(reader: EventReader, query: HistogramQuery, part_ms = PART_MS): Promise<Histogram> {
  const { project_id, interval, distinct_id, person_id, condition, from } = query
  const all = intervalsOf(query)
  if (all.count === 0) return complete(new Map())
  const isCounted = interval !== 'minute' && distinct_id === undefined && person_id === undefined && !condition && !from
  return isCounted && (await hasCounts(reader, project_id))
    ? complete(await readCounts(reader, query, all))
    : scan(reader, query, all, part_ms)
}

const complete = (counts: ReadonlyMap<number, number>): Histogram => ({ counts, exact: true, progress: 1, next: null })

const nth = (timestamp: Sql, { first, length }: Intervals): Sql =>
  sql`((${timestamp} - ${integer(first)}) / ${integer(length)})`

/**
 * Adds up whole hours. For an incomplete hour at either end, it counts the shorter side of the boundary: it adds the events
 * inside the range, or adds the whole hour and subtracts the events outside.
 */
async function readCounts(
  reader: EventReader,
  { project_id, after, before, names, signal }: HistogramQuery,
  all: Intervals,
): Promise<Map<number, number>> {
  const from = after + 1
  const [firstHour, lastHour] = [hourOf(from), hourOf(before)]
  const branches = branchesOf({ names }).list
  const between = (lower: number, upper: number, sign: Sql): Sql[] =>
    upper <= lower
      ? []
      : branches.map(
          ({ index, narrowed }) => sql`
            select ${nth(sql`e.timestamp`, all)} as nth, ${sign} count(*) as count from events e ${index}
            where e.project_id = ${project_id} ${narrowed} and e.timestamp >= ${lower} and e.timestamp < ${upper} group by 1`,
        )
  const plus = (lower: number, upper: number): Sql[] => between(lower, upper, sql`+`)
  const minus = (lower: number, upper: number): Sql[] => between(lower, upper, sql`-`)
  const includesFirst = from - firstHour * HOUR <= HOUR / 2
  const includesLast = before - lastHour * HOUR > HOUR / 2
  const [start, end] = [includesFirst ? firstHour : firstHour + 1, includesLast ? lastHour + 1 : lastHour]
  const whole = sql`
    select ${nth(sql`(h.hour * ${integer(HOUR)})`, all)} as nth, cast(sum(c.count) as bigint) as count
    from ${hours(start, end)} h join event_counts c on c.project_id = ${project_id} and c.hour = h.hour
      and c.event in ${oneOf(names?.length ? names : [ALL_EVENTS])} group by 1`
  const parts =
    firstHour === lastHour
      ? plus(from, before)
      : [
          ...(start < end ? [whole] : []),
          ...(includesFirst ? minus(firstHour * HOUR, from) : plus(from, start * HOUR)),
          ...(includesLast ? minus(before, end * HOUR) : plus(end * HOUR, before)),
        ]
  if (parts.length === 0) return new Map()
  const found = await reader.rows<[number, number]>(
    sql`select nth, cast(sum(count) as bigint) from (${joined(parts, ' union all ')}) parts group by nth`,
    { project_id, lane: 'fast', signal },
  )
  return new Map(found.map(([index, count]) => [Number(index), Number(count)]))
}

/** A table `hour` with the numbers from `start`, and below `end`. */
const hours = (start: number, end: number): Sql =>
  either(
    sql`(with recursive h (hour) as (
      select ${integer(start)} union all select hour + 1 from h where hour + 1 < ${end}) select hour from h)`,
    sql`(select hour from generate_series(${integer(start)}, ${integer(end - 1)}) hour)`,
  )

/** Events per statement: the first, and the limits between which it adapts to `STATEMENT_MS`. */
const FIRST_EVENTS = 5_000
const MIN_EVENTS = 500
const MAX_EVENTS = 200_000
const STATEMENT_MS = 150

/** Counts events from the cursor, newest first, until the time budget of one part is used up. */
async function scan(reader: EventReader, query: HistogramQuery, all: Intervals, part_ms: number): Promise<Histogram> {
  const { project_id, after, before, signal } = query
  const counts = new Map<number, number>()
  const distinctIds = await distinctIdsOf(reader, query)
  const branches = distinctIds?.length === 0 ? [] : branchesOf(query, distinctIds).list
  const read = <Row extends unknown[]>(statement: Sql): Promise<Row[]> =>
    reader.rows<Row>(statement, { project_id, lane: 'slow', signal })
  const start = performance.now()
  let cursor = query.from
  for (let size = FIRST_EVENTS; branches.length; ) {
    const begin = performance.now()
    const [last] = await read<[number, string]>(lastOf(query, branches, cursor, size))
    const end = last && { timestamp: Number(last[0]), uuid: last[1] }
    for (const [index, count] of await read<[number, number]>(countBetween(query, branches, all, cursor, end)))
      counts.set(Number(index), (counts.get(Number(index)) ?? 0) + Number(count))
    if (!end) break
    cursor = end
    const now = performance.now()
    if (now - start >= part_ms)
      return { counts, exact: false, progress: (before - end.timestamp) / (before - after), next: end }
    const fitting = (size * STATEMENT_MS) / (now - begin)
    size = Math.round(Math.min(MAX_EVENTS, Math.max(MIN_EVENTS, Math.min(fitting, 4 * size))))
  }
  return { counts, exact: query.from === undefined, progress: 1, next: null }
}

/** The position of the last of `size` events from the cursor, whether or not they match the condition. */
function lastOf(query: HistogramQuery, branches: Branch[], cursor: ListCursor | undefined, size: number): Sql {
  return mergedBranches(branches, {
    columns: sql`e.timestamp, e.uuid`,
    scan: ({ index, narrowed }) => sql`from events e ${index} where ${within(query, cursor)} ${narrowed}`,
    order: sql`order by e.timestamp desc, e.uuid desc`,
    end: sql`limit 1 offset ${size - 1}`,
    needed: size,
  })
}

/** Counts the matching events after the cursor, up to and including the one at `end`. */
function countBetween(
  query: HistogramQuery,
  branches: Branch[],
  all: Intervals,
  cursor: ListCursor | undefined,
  end: ListCursor | undefined,
): Sql {
  const { project_id, condition } = query
  const person = condition?.usesPerson ? personJoin(project_id) : sql``
  const filter = condition ? sql`and ${condition.sql}` : sql``
  const parts = branches.map(
    ({ index, narrowed }) => sql`
      select e.timestamp from events e ${index} ${person} where ${within(query, cursor, end)} ${narrowed} ${filter}`,
  )
  return sql`select ${nth(sql`e.timestamp`, all)}, count(*) from (${joined(parts, ' union all ')}) e group by 1`
}

function within({ project_id, after, before }: HistogramQuery, cursor?: ListCursor, end?: ListCursor): Sql {
  const upper = cursor
    ? sql`(e.timestamp, e.uuid) < (${cursor.timestamp}, ${cursor.uuid})`
    : sql`e.timestamp < ${before}`
  const lower = end ? sql`(e.timestamp, e.uuid) >= (${end.timestamp}, ${end.uuid})` : sql`e.timestamp > ${after}`
  return sql`e.project_id = ${project_id} and ${upper} and ${lower}`
}
