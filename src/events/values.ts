import { call, constant, field } from '../hogql/ast.ts'
import { compileCondition } from '../hogql/print.ts'
import { type Either, type Sql, sql } from '../sql/template.ts'
import { ALL_EVENTS, hasCounts, hourOf } from './counts.ts'
import { branchesOf, type Condition, mergedBranches } from './list.ts'
import type { EventReader, ReadOptions } from './readers.ts'

export interface RecentQuery {
  project_id: number
  after: number
  before: number
  /** Event names; undefined means any. */
  names?: readonly string[]
  /** On the properties of events. Only for values of properties and custom event names. */
  condition?: Condition | undefined
  signal?: AbortSignal
}

export interface ValueCount {
  name: string
  count: number
}

/** Suggestions come from the latest events only. */
const RECENT_EVENTS = 100_000
/** Distinct stored values per property; the most frequent ones are used. */
const MAX_STORED_VALUES = 10_000
const MAX_VALUES = 100
/** Longer values, in characters of JSON, are not suggested. */
const MAX_VALUE_LENGTH = 1_000

/** The values of a property in recent events, most frequent first. Each item of an array counts. */
export async function propertyValues(
  reader: EventReader,
  query: RecentQuery,
  key: string,
  containing = '',
): Promise<ValueCount[]> {
  const stored = await reader.rows<[string, number]>(
    counted(sql`cast(e.properties -> ${property(key)} as text)`, query),
    options(query),
  )
  const counts = new Map<string, number>()
  for (const [json, count] of stored)
    for (const name of namesIn(JSON.parse(json))) counts.set(name, (counts.get(name) ?? 0) + count)
  return ranked(counts, containing)
}

/** The names of recent custom events, most frequent first. */
export async function customEventNames(
  reader: EventReader,
  query: RecentQuery,
  containing = '',
): Promise<ValueCount[]> {
  const stored = await reader.rows<[string, number]>(counted(sql`e.event`, query), options(query))
  return ranked(new Map(stored.filter(([name]) => !name.startsWith('$'))), containing)
}

const options = ({ project_id, signal }: RecentQuery): ReadOptions => ({ project_id, lane: 'slow', signal })

const counted = (value: Sql, query: RecentQuery): Sql => {
  const { condition } = query
  const columns = condition ? sql`${value} as value, (${condition.sql}) as matches` : sql`${value} as value`
  return sql`
    select value, count(*) from (${recent(columns, query, RECENT_EVENTS)}) recent
    where ${condition ? sql`matches and` : sql``} value is not null and length(value) <= ${MAX_VALUE_LENGTH} group by value order by count(*) desc, value limit ${MAX_STORED_VALUES}`
}

/** Columns of the latest events `e`: one index scan per name. */
function recent(columns: Sql, query: RecentQuery, limit: number): Sql {
  const { project_id, after, before } = query
  return mergedBranches(branchesOf(query).list, {
    columns: sql`e.timestamp, ${columns}`,
    scan: ({ index, narrowed }) => sql`
      from events e ${index}
      where e.project_id = ${project_id} and e.timestamp > ${after} and e.timestamp < ${before} ${narrowed}`,
    order: sql`order by e.timestamp desc`,
    end: sql`limit ${limit}`,
    needed: limit,
  })
}

export interface Names {
  /** Whether the counts include all events. */
  exact: boolean
  names: ValueCount[]
}

/** The hourly counts that a list of names adds up: 30 days of about 700 names. */
const MAX_COUNT_ROWS = 500_000
const SAMPLED_EVENTS = 5_000

/** The names of events since `after`, most frequent first. */
export async function eventNames(
  reader: EventReader,
  query: RecentQuery,
  { search, limit }: { search: string; limit: number },
): Promise<Names> {
  const { project_id, after } = query
  const since = (hour: number): Sql => sql`from event_counts e where e.project_id = ${project_id} and e.hour >= ${hour}`
  const first = hourOf(after)
  const [isCounted, [excess]] = await Promise.all([
    hasCounts(reader, project_id),
    reader.rows<[number]>(
      sql`select e.hour ${since(first)} order by e.hour desc limit 1 offset ${MAX_COUNT_ROWS}`,
      options(query),
    ),
  ])
  if (!isCounted) {
    const stored = await reader.rows<[string, number]>(counted(sql`e.event`, query), options(query))
    return { exact: false, names: ranked(new Map(stored), search, limit) }
  }
  const escaped = search.replace(/[\\%_]/g, '\\$&')
  const matching = compileCondition(call(1, 'ilike', [field(1, ['event']), constant(1, `%${escaped}%`)]), { now: 0 })
  const found = await reader.rows<[string, number]>(
    sql`select e.event, cast(sum(e.count) as bigint) ${since(excess ? Number(excess[0]) : first)} and e.event <> ${ALL_EVENTS}
      ${search ? sql`and ${matching.sql}` : sql``} group by e.event order by 2 desc, 1 limit ${limit}`,
    options(query),
  )
  return { exact: !excess, names: found.map(([name, count]) => ({ name, count: Number(count) })) }
}

/** The names of properties in a sample of recent events, or of the persons of these events. */
export async function propertyNames(
  reader: EventReader,
  query: RecentQuery,
  { type, search, limit }: { type: 'event' | 'person'; search: string; limit: number },
): Promise<ValueCount[]> {
  const sampled =
    type === 'event'
      ? recent(sql`e.properties`, query, SAMPLED_EVENTS)
      : sql`select p.properties from persons p where p.project_id = ${query.project_id} and p.id in (
          select d.person_id from (${recent(sql`e.distinct_id`, query, SAMPLED_EVENTS)}) e
          join person_distinct_ids d on d.project_id = ${query.project_id} and d.distinct_id = e.distinct_id)`
  const keys: Either = {
    sqlite: sql`json_each(s.properties) k`,
    postgres: sql`lateral json_object_keys(s.properties) k (key)`,
  }
  const found = await reader.rows<[string, number]>(
    sql`select k.key, count(*) from (${sampled}) s, ${keys} where length(k.key) <= ${MAX_VALUE_LENGTH}
      group by k.key order by count(*) desc, k.key limit ${MAX_STORED_VALUES}`,
    options(query),
  )
  return ranked(new Map(found), search, limit)
}

/** SQLite takes a path, in which a key must be quoted. */
const property = (key: string): Either => ({
  sqlite: sql`${`$.${JSON.stringify(key)}`}`,
  postgres: sql`${key}::text`,
})

function namesIn(value: unknown): string[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap(namesIn)
  return [typeof value === 'string' ? value : JSON.stringify(value)]
}

function ranked(counts: Map<string, number>, containing: string, limit = MAX_VALUES): ValueCount[] {
  const wanted = containing.toLowerCase()
  return [...counts]
    .map(([name, count]) => ({ name, count: Number(count) }))
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
}
