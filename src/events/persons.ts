/** Resolves events to persons and their distinct ids. */
import { v5 } from 'uuid'
import type { JsonObject } from '../json/object.ts'
import type { Db } from '../sql/db.ts'
import { chunks, oneOf, rows, type Sql, sql, type Value } from '../sql/template.ts'
import { insertReturning } from './insert.ts'
import { createYielder } from './yield.ts'

/** A batch of 300,000 changes would block the event loop for seconds. */
const MAX_BATCH = 1_000
/**
 * The properties of a person, as JSON text. Changes that would exceed it are ignored. Every event that changes a person parses and
 * writes all of them: 20 ms for 128 Ki characters of tiny properties.
 */
const MAX_PERSON_CHARACTERS = 128 * 1024
/**
 * A person with more distinct ids is not merged into another one. A merge rewrites the row of each: 10 ms for 1,000 of them,
 * and 5 seconds for 600,000, which anyone with the project token can add and merge again and again.
 */
const MAX_MERGED_IDS = 1_000

/** The person changes of one event. */
export interface PersonChange {
  project_id: number
  distinct_id: string
  event_uuid: string
  timestamp: number
  set: JsonObject | undefined
  set_once: JsonObject | undefined
  unset: readonly string[]
  identifies: boolean
  /** Another distinct id of the same person. */
  other: string | undefined
  /** Merge even if the other person is identified. */
  forced: boolean
  /** Whether to update the properties of an existing person. */
  updates: boolean
}

interface PersonRow {
  id: string
  /** JSON text on SQLite, an object on PostgreSQL. */
  properties: string | JsonObject
  is_identified: boolean | number
  first_distinct_id: string
  created_at: number
}

/** Most events change nothing, so the properties are parsed on demand. */
interface Person extends PersonRow {
  is_identified: boolean
  /** The row in the database. */
  stored: PersonRow | undefined
  changed: boolean
  /** The characters that the changes of this batch add at most. */
  added: number
  /** The number of distinct ids, at most `MAX_MERGED_IDS + 1` of the stored ones. 0 if this batch cannot merge the person. */
  ids: number
  mergedInto: Person | undefined
}

/** Derives the person id from the distinct id: every node computes the same one. */
const PERSONS_NAMESPACE = '932979b4-65c3-4424-8467-0b66ec27bc22'
export const personIdOf = (project_id: number, distinct_id: string): string =>
  v5(`${project_id}:${distinct_id}`, PERSONS_NAMESPACE)

/** Placeholder ids that clients send. Merging on them would join thousands of users into one person. */
const PLACEHOLDERS_IN_ANY_CASE = new Set(
  'anonymous guest distinctid distinct_id id not_authenticated email undefined true false'.split(' '),
)
const PLACEHOLDERS = new Set(['[object Object]', 'NaN', 'None', 'none', 'null', '0', 'undefined'])

export function isPlaceholderId(distinct_id: string): boolean {
  const bare = distinct_id.replace(/^(['"])(.*)\1$/s, '$2')
  return bare.trim() === '' || PLACEHOLDERS.has(bare) || PLACEHOLDERS_IN_ANY_CASE.has(bare.toLowerCase())
}

/** PostgreSQL: serializes the changes of a project's persons until the transaction ends. */
export async function lockPersons(tx: Db, project_id: number): Promise<void> {
  if (tx.engine === 'postgres')
    await tx.send(sql`select pg_advisory_xact_lock(hashtextextended(${`persons of ${project_id}`}, 0))`)
}

/**
 * Applies the person changes of events in order, inside the transaction that stores them. `changed_at` is the time of
 * arrival in microseconds.
 */
export async function applyPersonChanges(tx: Db, changes: readonly PersonChange[], changed_at: number): Promise<void> {
  const byProject = new Map<number, PersonChange[]>()
  for (const change of changes) {
    const list = byProject.get(change.project_id)
    if (list) list.push(change)
    else byProject.set(change.project_id, [change])
  }
  // Locked in a fixed order to avoid deadlocks between nodes.
  const projects = [...byProject].sort(([a], [b]) => a - b)
  const yieldIfDue = createYielder()
  for (const [project_id, list] of projects) {
    let locked = tx.engine === 'sqlite'
    for (let at = 0; at < list.length; at += MAX_BATCH) {
      const some = list.slice(at, at + MAX_BATCH)
      let changed = await apply(tx, project_id, some)
      if (changed && !locked) {
        // Another node may have changed them, so read again under the lock.
        await lockPersons(tx, project_id)
        locked = true
        changed = await apply(tx, project_id, some)
      }
      await changed?.store(tx, changed_at)
      await yieldIfDue()
    }
  }
}

/** Returns the persons after these changes, not stored yet. Undefined if nothing changed. */
async function apply(tx: Db, project_id: number, changes: readonly PersonChange[]): Promise<PersonBatch | undefined> {
  const people = await load(tx, project_id, changes)
  const yieldIfDue = createYielder()
  for (const change of changes) {
    people.apply(change)
    await yieldIfDue()
  }
  return people.changed() ? people : undefined
}

/** Loads the persons of these changes. */
async function load(tx: Db, project_id: number, changes: readonly PersonChange[]): Promise<PersonBatch> {
  const ids = new Set<string>()
  for (const { distinct_id, other } of changes) {
    ids.add(distinct_id)
    if (other !== undefined) ids.add(other)
  }
  const found = await tx.all<PersonRow & { distinct_id: string }>(sql`
    select d.distinct_id, p.id, p.properties, p.is_identified, p.first_distinct_id, p.created_at
    from person_distinct_ids d join persons p on p.project_id = d.project_id and p.id = d.person_id
    where d.project_id = ${project_id} and d.distinct_id in ${oneOf([...ids])}`)
  return new PersonBatch(project_id, found, await countIds(tx, project_id, changes, found))
}

/** The number of distinct ids, up to `MAX_MERGED_IDS + 1`, of each stored person that these changes may merge. */
async function countIds(
  tx: Db,
  project_id: number,
  changes: readonly PersonChange[],
  found: readonly { distinct_id: string; id: string }[],
): Promise<ReadonlyMap<string, number>> {
  const owners = new Map(found.map(({ distinct_id, id }) => [distinct_id, id]))
  const merged = new Set<string>()
  for (const { distinct_id, other } of changes) {
    if (other === undefined) continue
    const [person, another] = [owners.get(distinct_id), owners.get(other)]
    if (person === another) continue
    if (person !== undefined) merged.add(person)
    if (another !== undefined) merged.add(another)
  }
  if (merged.size === 0) return new Map()
  const counts = await tx.all<{ id: string; ids: number }>(sql`
    select p.id, (select count(*) from (
      select 1 from person_distinct_ids d where d.project_id = ${project_id} and d.person_id = p.id
      limit ${MAX_MERGED_IDS + 1}) some_ids) as ids
    from persons p where p.project_id = ${project_id} and p.id in ${oneOf([...merged])}`)
  return new Map(counts.map(({ id, ids }) => [id, Number(ids)]))
}

class PersonBatch {
  private readonly persons = new Map<string, Person>()
  private readonly byDistinctId = new Map<string, Person>()
  private readonly added = new Map<string, Person>()

  constructor(
    private readonly project_id: number,
    found: readonly (PersonRow & { distinct_id: string })[],
    ids: ReadonlyMap<string, number>,
  ) {
    for (const { distinct_id, ...row } of found) {
      let person = this.persons.get(row.id)
      if (!person) {
        person = {
          ...row,
          is_identified: Boolean(row.is_identified),
          stored: row,
          changed: false,
          added: 0,
          ids: ids.get(row.id) ?? 0,
          mergedInto: undefined,
        }
        this.persons.set(row.id, person)
      }
      this.byDistinctId.set(distinct_id, person)
    }
  }

  changed(): boolean {
    return [...this.persons.values()].some((person) => person.changed)
  }

  apply(change: PersonChange): void {
    const { distinct_id, other } = change
    const merges =
      other !== undefined && other !== distinct_id && !isPlaceholderId(other) && !isPlaceholderId(distinct_id)
        ? other
        : undefined
    const before = this.of(distinct_id) ?? (merges === undefined ? undefined : this.of(merges))
    const person = before ?? this.create(change)
    if (!this.of(distinct_id)) this.add(distinct_id, person)
    if (merges !== undefined) this.merge(merges, person, change)
    const identified = change.identifies || (merges !== undefined && this.of(merges) === person)
    if (identified && !person.is_identified && !isPlaceholderId(distinct_id)) {
      person.is_identified = true
      person.changed = true
    }
    if (before && change.updates) update(person, change)
  }

  private of(distinct_id: string): Person | undefined {
    const person = this.byDistinctId.get(distinct_id)
    return person && survivorOf(person)
  }

  private add(distinct_id: string, person: Person): void {
    this.byDistinctId.set(distinct_id, person)
    this.added.set(distinct_id, person)
    person.ids++
    person.changed = true
  }

  private create({ distinct_id, timestamp, event_uuid, set, set_once, unset }: PersonChange): Person {
    const properties: JsonObject = { ...set_once, ...set, $creator_event_uuid: event_uuid }
    for (const name of unset) delete properties[name]
    const person: Person = {
      id: personIdOf(this.project_id, distinct_id),
      properties,
      is_identified: false,
      first_distinct_id: distinct_id,
      created_at: timestamp,
      stored: undefined,
      changed: true,
      added: 0,
      ids: 0,
      mergedInto: undefined,
    }
    this.persons.set(person.id, person)
    return person
  }

  /** An identified person is only merged on explicit request, one with many distinct ids never. */
  private merge(other_id: string, person: Person, { forced }: PersonChange): void {
    const other = this.of(other_id)
    if (!other) this.add(other_id, person)
    if (!other || other === person || (other.is_identified && !forced) || other.ids > MAX_MERGED_IDS) return
    other.mergedInto = person
    person.ids += other.ids
    person.properties = { ...propertiesOf(other), ...propertiesOf(person) }
    person.created_at = Math.min(person.created_at, other.created_at)
    person.changed = true
  }

  async store(tx: Db, changed_at: number): Promise<void> {
    const { project_id } = this
    const persons = [...this.persons.values()]
    const changed = persons.filter((person) => person.changed && !person.mergedInto)
    const changes = await addEntries(tx, project_id, changed, changed_at)
    const moved = ({ stored, created_at }: Person): boolean => stored?.created_at !== created_at
    const kept = changed.filter((person) => !moved(person))
    await this.upsert(tx, changed.filter(moved), changes, sql`, created_at = excluded.created_at`)
    // SQLite writes an index of every column that is set, also if the value stays the same.
    await this.upsert(tx, kept, changes, sql``)
    const yieldIfDue = createYielder()
    for (const person of persons) {
      const survivor = survivorOf(person)
      if (survivor === person || !person.stored) continue
      await tx.send(sql`
        update person_distinct_ids set person_id = ${survivor.id}
        where project_id = ${project_id} and person_id = ${person.id}`)
      await tx.send(sql`delete from persons where project_id = ${project_id} and id = ${person.id}`)
      await yieldIfDue()
    }
    for (const some of chunks([...this.added]))
      await tx.send(sql`
        insert into person_distinct_ids (project_id, distinct_id, person_id)
        values ${rows(some.map(([distinct_id, person]) => [project_id, distinct_id, survivorOf(person).id]))}`)
  }

  private async upsert(
    tx: Db,
    persons: readonly Person[],
    changes: ReadonlyMap<string, number>,
    alsoSet: Sql,
  ): Promise<void> {
    const yieldIfDue = createYielder()
    for (const some of chunks(persons)) {
      const values: Value[][] = []
      for (const person of some) {
        values.push([
          this.project_id,
          person.id,
          propertiesText(person),
          person.is_identified,
          person.first_distinct_id,
          person.created_at,
          changes.get(person.id) ?? 0,
        ])
        await yieldIfDue()
      }
      await tx.send(sql`
        insert into persons (project_id, id, properties, is_identified, first_distinct_id, created_at, last_change)
        values ${rows(values)}
        on conflict (project_id, id) do update set properties = excluded.properties,
          is_identified = excluded.is_identified, last_change = excluded.last_change ${alsoSet}`)
    }
  }
}

/** Adds an entry for each person to the order of changes. Returns the positions by person id. */
async function addEntries(
  tx: Db,
  project_id: number,
  persons: readonly Person[],
  changed_at: number,
): Promise<ReadonlyMap<string, number>> {
  const entries = await insertReturning<{ seq: number; person_id: string }, Person>(
    tx,
    persons,
    (some) => sql`
      insert into person_changes (project_id, person_id, changed_at)
      values ${rows(some.map(({ id }) => [project_id, id, changed_at]))} returning seq, person_id`,
  )
  return new Map(entries.map(({ seq, person_id }) => [person_id, seq]))
}

/** The person that remains after all merges. */
function survivorOf(person: Person): Person {
  let survivor = person
  while (survivor.mergedInto) survivor = survivor.mergedInto
  return survivor
}

function propertiesOf(person: Person): JsonObject {
  const { properties, stored } = person
  if (typeof properties === 'string') person.properties = JSON.parse(properties) as JsonObject
  else if (properties === stored?.properties) person.properties = { ...properties }
  return person.properties as JsonObject
}

/** The stored properties if the changed ones are too large. */
function propertiesText(person: Person): string {
  const text = JSON.stringify(propertiesOf(person))
  if (text.length <= MAX_PERSON_CHARACTERS || !person.stored) return text
  const { properties } = person.stored
  return typeof properties === 'string' ? properties : JSON.stringify(properties)
}

/** Applies $set_once, then $set, then $unset. */
function update(person: Person, { set, set_once, unset }: PersonChange): void {
  if (!set && !set_once && unset.length === 0) return
  if (set || set_once) person.added += JSON.stringify([set, set_once]).length
  if (person.added > MAX_PERSON_CHARACTERS) return
  const properties = propertiesOf(person)
  for (const name in set_once)
    if (!Object.hasOwn(properties, name)) {
      define(properties, name, set_once[name])
      person.changed = true
    }
  for (const name in set)
    if (!same(properties[name], set[name])) {
      define(properties, name, set[name])
      person.changed = true
    }
  for (const name of unset)
    if (Object.hasOwn(properties, name)) {
      delete properties[name]
      person.changed = true
    }
}

/** Sets a property, even one named __proto__. */
function define(properties: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(properties, name, { value, enumerable: true, configurable: true, writable: true })
  else properties[name] = value
}

const same = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
