import { type Either, oneOf, type Sql, sql } from '../sql/template.ts'
import type { EventReader, ReadOptions } from './readers.ts'

export interface RecentQuery {
  project_id: number
  after: number
  before: number
  /** Event names; undefined means any. */
  names?: readonly string[]
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

function counted(value: Sql, { project_id, after, before, names }: RecentQuery): Sql {
  const narrowed = names?.length ? sql`and e.event in ${oneOf(names)}` : sql``
  return sql`
    select value, count(*) from (
      select ${value} as value from events e
      where e.project_id = ${project_id} and e.timestamp > ${after} and e.timestamp < ${before} ${narrowed}
      order by e.timestamp desc limit ${RECENT_EVENTS}) recent
    where value is not null and length(value) <= ${MAX_VALUE_LENGTH} group by value order by count(*) desc, value limit ${MAX_STORED_VALUES}`
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

function ranked(counts: Map<string, number>, containing: string): ValueCount[] {
  const wanted = containing.toLowerCase()
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_VALUES)
}
