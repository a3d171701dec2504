import { integerLiteral } from '../hogql/convert.ts'
import { type Either, joined, oneOf, type Sql, sql } from '../sql/template.ts'
import type { EventReader, ReadOptions } from './readers.ts'

/** An event of a list with its person. Times are microseconds, JSON is text. */
export interface ListedEvent {
  uuid: string
  event: string
  distinct_id: string
  timestamp: number
  properties: string
  elements_chain: string
  person: PersonSummary | null
}

export interface PersonSummary {
  is_identified: boolean
  first_distinct_id: string
  /** JSON text; null when the person lacks the property. */
  email: string | null
  name: string | null
  username: string | null
}

/** A condition on an event `e` and, if it uses it, its person `p`. */
export interface Condition {
  sql: Sql
  usesPerson: boolean
}

/** The last event of a page. */
export interface ListCursor {
  timestamp: number
  uuid: string
}

export interface ListQuery {
  project_id: number
  /** Exclusive lower bound. */
  after?: number
  /** Exclusive upper bound. */
  before: number
  /** Event names; undefined means any. */
  names?: readonly string[]
  distinct_id?: string
  person_id?: string
  condition?: Condition
  oldestFirst: boolean
  offset: number
  from?: ListCursor
  withPerson: boolean
  signal?: AbortSignal
}

/** Up to this many names or ids, each is one index scan, and the results are merged. Above it, one scan filters. */
const MAX_BRANCHES = 50
/** More distinct ids than a real person has. */
const MAX_DISTINCT_IDS = 2_500
/** A larger offset goes to the slow lane, because an index skips entries one by one. */
const QUICK_OFFSET = 1_000

/** Reads one page. Each event is converted when it arrives. `next` is null on the last page. */
export async function page<Item>(
  reader: EventReader,
  query: ListQuery,
  limit: number,
  convert: (event: ListedEvent) => Item,
): Promise<{ items: Item[]; next: ListCursor | null }> {
  const { project_id, signal } = query
  const distinctIds = await distinctIdsOf(reader, query)
  if (distinctIds?.length === 0) return { items: [], next: null }
  const branches = branchesOf(query, distinctIds)
  const lane = branches.quick && !query.condition && query.offset <= QUICK_OFFSET ? 'fast' : 'slow'
  // Without further conditions the index by time is always the best.
  const one_plan = lane === 'fast' && !query.names?.length && !distinctIds && query.after === undefined
  const options: ReadOptions = { project_id, lane, one_plan, signal }
  /** The last event of the page. */
  let last: ListCursor | undefined
  let count = 0
  const items = await reader.convertedRows(select(query, branches.list, limit + 1), options, (row: ListedRow) => {
    const event = toListedEvent(row)
    if (++count === limit) last = { timestamp: event.timestamp, uuid: event.uuid }
    return convert(event)
  })
  return { items: items.slice(0, limit), next: items.length > limit && last ? last : null }
}

/** Returns undefined if the project has no event with this UUID. */
export async function get(
  reader: EventReader,
  { project_id, uuid, withPerson, signal }: Pick<ListQuery, 'project_id' | 'withPerson' | 'signal'> & { uuid: string },
): Promise<ListedEvent | undefined> {
  const one = sql`select ${columns} from events e where e.project_id = ${project_id} and e.uuid = ${uuid}`
  const found = await reader.rows<ListedRow>(withPersons(one, project_id, withPerson), {
    project_id,
    lane: 'fast',
    signal,
  })
  return found[0] && toListedEvent(found[0])
}

/** The distinct ids of the query's distinct id and person. Empty for an unknown person. */
export async function distinctIdsOf(
  reader: EventReader,
  query: Pick<ListQuery, 'project_id' | 'distinct_id' | 'person_id' | 'signal'>,
): Promise<string[] | undefined> {
  const { project_id, distinct_id, person_id, signal } = query
  if (person_id === undefined) return distinct_id === undefined ? undefined : [distinct_id]
  const options: ReadOptions = { project_id, lane: 'fast', signal }
  const found = await reader.rows<[string]>(
    sql`select distinct_id from person_distinct_ids where project_id = ${project_id} and person_id = ${person_id}
      order by distinct_id limit ${MAX_DISTINCT_IDS}`,
    options,
  )
  const ids = found.map(([id]) => id)
  return distinct_id === undefined ? ids : ids.filter((id) => id === distinct_id)
}

export interface Branch {
  /** Without this hint SQLite uses the time index as soon as the range has two bounds. */
  index: Either
  narrowed: Sql
}

/** One index scan per name or id. Each stops at the end of the page. */
export function branchesOf(
  { names }: Pick<ListQuery, 'names'>,
  distinctIds?: string[],
): { list: Branch[]; quick: boolean } {
  const ofNames = names?.length ? sql`and e.event in ${oneOf(names)}` : sql``
  if (distinctIds) {
    const list =
      distinctIds.length <= MAX_BRANCHES
        ? distinctIds.map((id) => ({ index: BY_DISTINCT_ID, narrowed: sql`and e.distinct_id = ${id} ${ofNames}` }))
        : [{ index: BY_DISTINCT_ID, narrowed: sql`and e.distinct_id in ${oneOf(distinctIds)} ${ofNames}` }]
    return { list, quick: distinctIds.length <= MAX_BRANCHES && !names?.length }
  }
  if (!names?.length) return { list: [{ index: BY_TIME, narrowed: sql`` }], quick: true }
  if (names.length > MAX_BRANCHES) return { list: [{ index: BY_TIME, narrowed: ofNames }], quick: false }
  return { list: names.map((name) => ({ index: BY_NAME, narrowed: sql`and e.event = ${name}` })), quick: true }
}

interface Merge {
  /** Columns of the events `e`. */
  columns: Sql
  /** The events of a branch. */
  scan(branch: Branch): Sql
  order: Sql
  end: Sql
  /** How many events of each branch may be among the result. */
  needed: number
}

/** The events of all branches in one order. A single branch needs no merge. */
export function mergedBranches(branches: readonly Branch[], { columns, scan, order, end, needed }: Merge): Sql {
  const select = (branch: Branch, end: Sql): Sql => sql`select ${columns} ${scan(branch)} ${order} ${end}`
  const [single, ...others] = branches
  if (single && others.length === 0) return select(single, end)
  const parts = branches.map((branch) => sql`select * from (${select(branch, sql`limit ${needed}`)}) b`)
  return sql`select * from (${joined(parts, ' union all ')}) e ${order} ${end}`
}

const by = (sqlite: Sql): Either => ({ sqlite, postgres: sql`` })
const BY_TIME = by(sql`indexed by events_by_time`)
const BY_NAME = by(sql`indexed by events_by_name`)
const BY_DISTINCT_ID = by(sql`indexed by events_by_distinct_id`)

export const columns = sql`e.uuid, e.event, e.distinct_id, e.timestamp, e.properties, e.elements_chain`

function select(query: ListQuery, branches: Branch[], limit: number): Sql {
  const { project_id, after, before, from, oldestFirst, offset, condition, withPerson } = query
  const lower = oldestFirst && from ? sql`and (e.timestamp, e.uuid) > (${from.timestamp}, ${from.uuid})` : later(after)
  const upper =
    !oldestFirst && from
      ? sql`and (e.timestamp, e.uuid) < (${from.timestamp}, ${from.uuid})`
      : sql`and e.timestamp < ${before}`
  const filter = condition ? sql`and ${condition.sql}` : sql``
  const person = condition?.usesPerson ? personJoin(project_id) : sql``
  const order = orderBy(oldestFirst)
  const found = mergedBranches(branches, {
    columns,
    scan: ({ index, narrowed }) =>
      sql`from events e ${index} ${person} where e.project_id = ${project_id} ${narrowed} ${lower} ${upper} ${filter}`,
    order,
    // PostgreSQL plans a prepared statement for the limit only if it is a constant.
    end: offset === 0 ? sql`limit ${integerLiteral(limit)}` : sql`limit ${limit} offset ${offset}`,
    needed: limit + offset,
  })
  return sql`${withPersons(found, project_id, withPerson)} ${order}`
}

const later = (after: number | undefined): Sql => (after === undefined ? sql`` : sql`and e.timestamp > ${after}`)

const orderBy = (oldestFirst: boolean): Sql =>
  oldestFirst ? sql`order by e.timestamp, e.uuid` : sql`order by e.timestamp desc, e.uuid desc`

export type ListedRow = [
  uuid: string,
  event: string,
  distinct_id: string,
  timestamp: number,
  properties: string,
  elements_chain: string,
  is_identified: boolean | number | null,
  first_distinct_id: string | null,
  email: string | null,
  name: string | null,
  username: string | null,
]

/** The stored JSON is returned as text without parsing. `extra` are further columns of the events. */
export function withPersons(events: Sql, project_id: number, withPerson: boolean, extra = sql``): Sql {
  const own = sql`e.uuid, e.event, e.distinct_id, e.timestamp, cast(e.properties as text), e.elements_chain`
  if (!withPerson) return sql`select ${own}, null, null, null, null, null ${extra} from (${events}) e`
  return sql`
    select ${own}, p.is_identified, p.first_distinct_id, cast(p.properties -> 'email' as text),
      cast(p.properties -> 'name' as text), cast(p.properties -> 'username' as text) ${extra}
    from (${events}) e ${personLookup(project_id)}`
}

/**
 * Joins the person `p` of an event `e`. The limit makes PostgreSQL look up each person in the order of events. Otherwise it
 * scans all distinct ids for a page of a hundred events, and sorts the events of an export.
 */
export const personLookup = (project_id: number): Either => ({
  sqlite: personJoin(project_id),
  postgres: sql`
    left join lateral (
      select p.* from person_distinct_ids d join persons p on p.project_id = ${project_id} and p.id = d.person_id
      where d.project_id = ${project_id} and d.distinct_id = e.distinct_id limit 1) p on true`,
})

/** Joins the person `p` of an event `e`. */
export const personJoin = (project_id: number): Sql => sql`
  left join person_distinct_ids d on d.project_id = ${project_id} and d.distinct_id = e.distinct_id
  left join persons p on p.project_id = ${project_id} and p.id = d.person_id`

export type Selection = Pick<ListQuery, 'names' | 'distinct_id' | 'person_id'>

/** Conditions on an event `e` for the names and persons of a query. Each begins with `and`. */
export const selected = ({
  project_id,
  names,
  distinct_id,
  person_id,
}: Pick<ListQuery, 'project_id'> & Selection): Sql => sql`
  ${names?.length ? sql`and e.event in ${oneOf(names)}` : sql``}
  ${distinct_id === undefined ? sql`` : sql`and e.distinct_id = ${distinct_id}`}
  ${
    person_id === undefined
      ? sql``
      : sql`and e.distinct_id in (
          select distinct_id from person_distinct_ids where project_id = ${project_id} and person_id = ${person_id})`
  }`

export function toListedEvent(row: readonly [...ListedRow, ...unknown[]]): ListedEvent {
  const [uuid, event, distinct_id, timestamp, properties, elements_chain, ...person] = row
  const [is_identified, first_distinct_id, email, name, username] = person
  return {
    uuid,
    event,
    distinct_id,
    timestamp,
    properties,
    elements_chain,
    person:
      first_distinct_id === null
        ? null
        : { is_identified: Boolean(is_identified), first_distinct_id, email, name, username },
  }
}
