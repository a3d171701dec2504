/** Lists persons, and deletes them with tombstones for exports. */
import { either } from '../hogql/typed.ts'
import type { Db } from '../sql/db.ts'
import { chunks, oneOf, rows, type Sql, sql } from '../sql/template.ts'
import { lockPersons } from './persons.ts'
import type { EventReader } from './readers.ts'

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
  /** A prefix of a distinct id, or an email address. */
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
  const conditions = sql`
    ${search === undefined ? sql`` : sql`and ${matches(project_id, search)}`}
    ${
      distinct_id === undefined
        ? sql``
        : sql`and p.id in (select person_id from person_distinct_ids
            where project_id = ${project_id} and distinct_id = ${distinct_id})`
    }
    ${from ? sql`and (p.created_at, p.id) ${backwards ? sql`>` : sql`<`} (${from[0]}, ${from[1]})` : sql``}`
  const order = backwards ? sql`order by p.created_at, p.id` : sql`order by p.created_at desc, p.id desc`
  return readPersons(reader, project_id, sql`${conditions} ${order} limit ${limit}`, search !== undefined, signal)
}

/** Undefined if the project has no such person. */
export async function getPerson(
  reader: EventReader,
  { project_id, id, signal }: { project_id: number; id: string; signal?: AbortSignal },
): Promise<ListedPerson | undefined> {
  const [person] = await readPersons(reader, project_id, sql`and p.id = ${id}`, false, signal)
  return person
}

async function readPersons(
  reader: EventReader,
  project_id: number,
  rest: Sql,
  isSlow: boolean,
  signal?: AbortSignal,
): Promise<ListedPerson[]> {
  const found = await reader.rows<[string, string, boolean | number, number]>(
    sql`select p.id, cast(p.properties as text), p.is_identified, p.created_at from persons p
      where p.project_id = ${project_id} ${rest}`,
    { project_id, lane: isSlow ? 'slow' : 'fast', signal },
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

/** Sorts after every text with the prefix before it. */
const LAST_CHARACTER = '\u{10ffff}'

const matches = (project_id: number, search: string): Sql => sql`(
  ${either(sql`p.properties ->> '$.email'`, sql`p.properties ->> 'email'`)} = ${search}
  or p.id in (select d.person_id from person_distinct_ids d where d.project_id = ${project_id}
    and d.distinct_id >= ${search} and d.distinct_id < ${search + LAST_CHARACTER} limit ${MAX_MATCHES}))`

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
