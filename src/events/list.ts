import { type Either, oneOf, type Sql, sql } from '../sql/template.ts'
import type { EventReader, ReadOptions } from './readers.ts'

/** An event as it is stored, with what its readers see of the person behind it. Times are microseconds, JSON is text. */
export interface EventRow {
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
  /** JSON text of each, where the person has it. */
  email: string | null
  name: string | null
  username: string | null
}

/** What else must hold of an event `e`, and of the person `p` behind it where it says so. */
export interface Condition {
  sql: Sql
  usesPerson: boolean
}

/** Where a page ended. */
export interface Position {
  timestamp: number
  uuid: string
}

export interface ListQuery {
  project_id: number
  /** Later than this. */
  after?: number
  /** Earlier than this. */
  before: number
  /** Of one of these names; no list means any. */
  names?: readonly string[]
  distinct_id?: string
  person_id?: string
  condition?: Condition
  oldestFirst: boolean
  offset: number
  from?: Position
  withPerson: boolean
  signal?: AbortSignal
}

/** How many alternatives are walked side by side, each on its index; with more, one walk looks at everything. */
const MOST_BRANCHES = 50
/** More distinct ids than a person has who is a person. */
const MOST_DISTINCT_IDS = 2_500
/** An index counts its entries one by one, so to pass over more than this is slow work. */
const QUICK_OFFSET = 1_000

/** One page, and where it ended if there is more. */
export async function page(
  reader: EventReader,
  query: ListQuery,
  limit: number,
): Promise<{ rows: EventRow[]; next: Position | null }> {
  const { project_id, signal } = query
  const distinctIds = await distinctIdsOf(reader, query)
  if (distinctIds?.length === 0) return { rows: [], next: null }
  const branches = branchesOf(query, distinctIds)
  const lane = branches.quick && !query.condition && query.offset <= QUICK_OFFSET ? 'first' : 'slow'
  const found = await reader.rows<Row>(select(query, branches.list, limit + 1), { project_id, lane, signal })
  const rows = found.slice(0, limit).map(eventRow)
  const last = found.length > limit ? rows.at(-1) : undefined
  return { rows, next: last ? { timestamp: last.timestamp, uuid: last.uuid } : null }
}

/** One event; undefined where the project has none of this UUID. */
export async function get(
  reader: EventReader,
  { project_id, uuid, withPerson, signal }: Pick<ListQuery, 'project_id' | 'withPerson' | 'signal'> & { uuid: string },
): Promise<EventRow | undefined> {
  const one = sql`select ${columns} from events e where e.project_id = ${project_id} and e.uuid = ${uuid}`
  const found = await reader.rows<Row>(withPersons(one, project_id, withPerson), { project_id, lane: 'first', signal })
  return found[0] && eventRow(found[0])
}

/** The ids to look for, where the query names a distinct id, a person, or both; none for who is unknown. */
async function distinctIdsOf(reader: EventReader, query: ListQuery): Promise<string[] | undefined> {
  const { project_id, distinct_id, person_id, signal } = query
  if (person_id === undefined) return distinct_id === undefined ? undefined : [distinct_id]
  const options: ReadOptions = { project_id, lane: 'first', signal }
  const found = await reader.rows<[string]>(
    sql`select distinct_id from person_distinct_ids where project_id = ${project_id} and person_id = ${person_id}
      order by distinct_id limit ${MOST_DISTINCT_IDS}`,
    options,
  )
  const ids = found.map(([id]) => id)
  return distinct_id === undefined ? ids : ids.filter((id) => id === distinct_id)
}

interface Branch {
  /** SQLite would rather sort by time than narrow by name as soon as a range has two ends. */
  index: Either
  narrowed: Sql
}

/** What to walk: one walk per name or id, so that each stays on its index and stops at the page's end. */
function branchesOf({ names }: ListQuery, distinctIds?: string[]): { list: Branch[]; quick: boolean } {
  const ofNames = names?.length ? sql`and e.event in ${oneOf(names)}` : sql``
  if (distinctIds) {
    const list =
      distinctIds.length <= MOST_BRANCHES
        ? distinctIds.map((id) => ({ index: BY_DISTINCT_ID, narrowed: sql`and e.distinct_id = ${id} ${ofNames}` }))
        : [{ index: BY_DISTINCT_ID, narrowed: sql`and e.distinct_id in ${oneOf(distinctIds)} ${ofNames}` }]
    return { list, quick: distinctIds.length <= MOST_BRANCHES && !names?.length }
  }
  if (!names?.length) return { list: [{ index: BY_TIME, narrowed: sql`` }], quick: true }
  if (names.length > MOST_BRANCHES) return { list: [{ index: BY_TIME, narrowed: ofNames }], quick: false }
  return { list: names.map((name) => ({ index: BY_NAME, narrowed: sql`and e.event = ${name}` })), quick: true }
}

const by = (sqlite: Sql): Either => ({ sqlite, postgres: sql`` })
const BY_TIME = by(sql`indexed by events_by_time`)
const BY_NAME = by(sql`indexed by events_by_name`)
const BY_DISTINCT_ID = by(sql`indexed by events_by_distinct_id`)

const columns = sql`e.uuid, e.event, e.distinct_id, e.timestamp, e.properties, e.elements_chain`

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
  const walk = ({ index, narrowed }: Branch, end: Sql): Sql =>
    sql`select ${columns} from events e ${index} ${person} where e.project_id = ${project_id} ${narrowed} ${lower} ${upper}
      ${filter} ${order} ${end}`
  const end = sql`limit ${limit} offset ${offset}`
  const found =
    branches.length === 1
      ? walk(branches[0]!, end)
      : sql`select ${columns} from (${branches
          .map((branch) => sql`select * from (${walk(branch, sql`limit ${limit + offset}`)}) b`)
          .reduce((all, next) => sql`${all} union all ${next}`)}) e ${order} ${end}`
  return sql`${withPersons(found, project_id, withPerson)} ${order}`
}

const later = (after: number | undefined): Sql => (after === undefined ? sql`` : sql`and e.timestamp > ${after}`)

const orderBy = (oldestFirst: boolean): Sql =>
  oldestFirst ? sql`order by e.timestamp, e.uuid` : sql`order by e.timestamp desc, e.uuid desc`

type Row = [
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

/** The stored JSON leaves as the text it is: nobody parses it on its way to the caller. */
function withPersons(events: Sql, project_id: number, withPerson: boolean): Sql {
  const own = sql`e.uuid, e.event, e.distinct_id, e.timestamp, cast(e.properties as text), e.elements_chain`
  if (!withPerson) return sql`select ${own}, null, null, null, null, null from (${events}) e`
  return sql`
    select ${own}, p.is_identified, p.first_distinct_id, cast(p.properties -> 'email' as text),
      cast(p.properties -> 'name' as text), cast(p.properties -> 'username' as text)
    from (${events}) e ${personJoin(project_id)}`
}

/** The person `p` behind an event `e`, or none. */
export const personJoin = (project_id: number): Sql => sql`
  left join person_distinct_ids d on d.project_id = ${project_id} and d.distinct_id = e.distinct_id
  left join persons p on p.project_id = ${project_id} and p.id = d.person_id`

/** The project, the range of time and whom a query names, as conditions of an event `e`. */
export function conditions({
  project_id,
  after,
  before,
  names,
  distinct_id,
  person_id,
}: Pick<ListQuery, 'project_id' | 'after' | 'before' | 'names' | 'distinct_id' | 'person_id'>): Sql {
  return sql`e.project_id = ${project_id} and e.timestamp < ${before} ${later(after)}
    ${names?.length ? sql`and e.event in ${oneOf(names)}` : sql``}
    ${distinct_id === undefined ? sql`` : sql`and e.distinct_id = ${distinct_id}`}
    ${
      person_id === undefined
        ? sql``
        : sql`and e.distinct_id in (
            select distinct_id from person_distinct_ids where project_id = ${project_id} and person_id = ${person_id})`
    }`
}

function eventRow(row: Row): EventRow {
  const [uuid, event, distinct_id, timestamp, properties, elements_chain, is_identified, first_distinct_id] = row
  const [email, name, username] = row.slice(8) as (string | null)[]
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
        : {
            is_identified: Boolean(is_identified),
            first_distinct_id,
            email: email ?? null,
            name: name ?? null,
            username: username ?? null,
          },
  }
}
