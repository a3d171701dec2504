/** Lists persons, and deletes them with tombstones for exports. */
import { either } from '../hogql/typed.ts'
import type { Db } from '../sql/db.ts'
import { chunks, joined, oneOf, rows, type Sql, sql } from '../sql/template.ts'
import { lockPersons } from './persons.ts'
import type { EventReader, ReadOptions } from './readers.ts'

export interface ListedPerson {
  id: string
  /** JSON text. */
  properties: string
  is_identified: boolean
  /** Microseconds. */
  created_at: number
  /** At most `MAX_DISTINCT_IDS`, in order. */
  distinct_ids: string[]
}

/** The creation time and the id of a person. */
export type PersonCursor = [created_at: number, id: string]

export interface PersonQuery {
  project_id: number
  /** The id of a person, or the start of a distinct id or of an email. */
  search?: string
  distinct_id?: string
  /** Persons after this one, or before it if `backwards`. */
  from?: PersonCursor
  backwards: boolean
  signal?: AbortSignal
}

/** A person of a shared computer can have many thousands. */
const MAX_DISTINCT_IDS = 1_000
/** A short prefix matches most persons. */
const MAX_MATCHES = 10_000

/** Persons from newest to oldest, or in reverse if `backwards`. */
export async function listPersons(
  reader: EventReader,
  { project_id, search, distinct_id, from, backwards, signal }: PersonQuery,
  limit: number,
): Promise<ListedPerson[]> {
  const found = [
    ...(search === undefined ? [] : [matches(project_id, search)]),
    ...(distinct_id === undefined ? [] : [ownerOf(project_id, distinct_id)]),
  ]
  const beyond = from ? sql`and ${isBeyond(from, backwards, found.length > 0)}` : sql``
  const order = backwards ? sql`order by p.created_at, p.id` : sql`order by p.created_at desc, p.id desc`
  const rest = sql`${beyond} ${order} limit ${limit}`
  if (found.length === 0) return readPersons(reader, project_id, sql`persons p`, rest, 'fast', signal)
  // SQLite keeps the order of a cross join: it looks up the persons that were found, instead of reading all by time.
  const ids = joined(
    found.map((ids) => sql`select id from (${ids}) part`),
    ' intersect ',
  )
  return readPersons(
    reader,
    project_id,
    sql`(${ids}) found cross join persons p`,
    sql`and p.id = found.id ${rest}`,
    search === undefined ? 'fast' : 'slow',
    signal,
  )
}

/** Undefined if the project has no such person. */
export async function getPerson(
  reader: EventReader,
  { project_id, id, signal }: { project_id: number; id: string; signal?: AbortSignal },
): Promise<ListedPerson | undefined> {
  const [person] = await readPersons(reader, project_id, sql`persons p`, sql`and p.id = ${id}`, 'fast', signal)
  return person
}

async function readPersons(
  reader: EventReader,
  project_id: number,
  from: Sql,
  rest: Sql,
  lane: ReadOptions['lane'],
  signal?: AbortSignal,
): Promise<ListedPerson[]> {
  const found = await reader.rows<[string, string, boolean | number, number]>(
    sql`select p.id, cast(p.properties as text), p.is_identified, p.created_at from ${from}
      where p.project_id = ${project_id} ${rest}`,
    { project_id, lane, signal },
  )
  const persons = new Map(
    found.map(([id, properties, is_identified, created_at]): [string, ListedPerson] => [
      id,
      { id, properties, is_identified: Boolean(is_identified), created_at: Number(created_at), distinct_ids: [] },
    ]),
  )
  if (persons.size === 0) return []
  const ids = await reader.rows<[string, string]>(
    sql`select person_id, distinct_id from (
        select d.person_id, d.distinct_id, row_number() over (partition by d.person_id order by d.distinct_id) as nth
        from person_distinct_ids d where d.project_id = ${project_id} and d.person_id in ${oneOf([...persons.keys()])}) d
      where nth <= ${MAX_DISTINCT_IDS} order by person_id, distinct_id`,
    { project_id, lane: 'fast', signal },
  )
  for (const [id, distinct_id] of ids) persons.get(id)?.distinct_ids.push(distinct_id)
  return [...persons.values()]
}

/** Whether a person is on a later page. Persons that are looked up by id are in no order. */
function isBeyond([created_at, id]: PersonCursor, backwards: boolean, isLookup: boolean): Sql {
  const beyond = backwards ? sql`>` : sql`<`
  return isLookup
    ? sql`(p.created_at ${beyond} ${created_at} or p.created_at = ${created_at} and p.id ${beyond} ${id})`
    : sql`(p.created_at, p.id) ${beyond} (${created_at}, ${id})`
}

/** Sorts after every text with the prefix before it. */
const LAST_CHARACTER = '\u{10ffff}'

const startsWith = (value: Sql, search: string): Sql =>
  sql`${value} >= ${search} and ${value} < ${search + LAST_CHARACTER}`

/** As in the index `persons_by_email`. */
const EMAIL = either(
  sql`iif(json_valid(p.properties), p.properties ->> '$.email', null)`,
  sql`p.properties ->> 'email'`,
)
const INDEXED_EMAIL = either(sql`substr(${EMAIL}, 1, 400)`, sql`left(${EMAIL}, 400) collate "C"`)

/** Selects the id of the person with a distinct id. */
const ownerOf = (project_id: number, distinct_id: string): Sql => sql`
  select person_id as id from person_distinct_ids where project_id = ${project_id} and distinct_id = ${distinct_id}`

/** Selects the ids of persons. Each part reads a range of one index. */
const matches = (project_id: number, search: string): Sql => sql`
  select person_id as id from (select d.person_id from person_distinct_ids d
    where d.project_id = ${project_id} and ${startsWith(sql`d.distinct_id`, search)} limit ${MAX_MATCHES}) by_distinct_id
  union select id from (select p.id from persons p
    where p.project_id = ${project_id} and ${EMAIL} is not null and ${startsWith(INDEXED_EMAIL, search)}
    limit ${MAX_MATCHES}) by_email
  union select cast(${search.toLowerCase()} as text)`

export interface PersonDeletion {
  project_id: number
  person_id: string
  /** Whether to delete the events of the person too. The purger does it. */
  delete_events: boolean
  /** Microseconds. Events that arrive later are kept. */
  deleted_at: number
}

/**
 * Deletes a person and adds an entry for each distinct id to the order of changes. A later event with one of the ids
 * creates a person again. Repeating a deletion has no effect.
 */
export async function deletePerson(
  tx: Db,
  { project_id, person_id, delete_events, deleted_at }: PersonDeletion,
): Promise<void> {
  await lockPersons(tx, project_id)
  const own = sql`project_id = ${project_id} and person_id = ${person_id}`
  const ids = await tx.all<{ distinct_id: string }>(sql`select distinct_id from person_distinct_ids where ${own}`)
  for (const some of chunks(ids)) {
    await tx.send(sql`
      insert into person_changes (project_id, person_id, distinct_id, changed_at)
      values ${rows(some.map(({ distinct_id }) => [project_id, person_id, distinct_id, deleted_at]))}`)
    if (delete_events)
      await tx.send(sql`
        insert into event_deletions (project_id, distinct_id, before)
        values ${rows(some.map(({ distinct_id }) => [project_id, distinct_id, deleted_at]))}
        on conflict (project_id, distinct_id) do update set before = excluded.before
          where event_deletions.before < excluded.before`)
  }
  await tx.send(sql`delete from person_distinct_ids where ${own}`)
  await tx.send(sql`delete from persons where project_id = ${project_id} and id = ${person_id}`)
}
