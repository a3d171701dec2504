import assert from 'node:assert/strict'
import { countEvents } from '../../../src/events/counts.ts'
import type { Db } from '../../../src/sql/db.ts'
import { sql } from '../../../src/sql/template.ts'
import type { BodyOf } from '../response-bodies.ts'

export interface StoredEvent {
  project_id: number
  uuid: string
  event: string
  distinct_id: string
  /** Microseconds. */
  timestamp: number
  properties: object
  elements_chain: string
}

type Listed = BodyOf<'events.list'>
export type EventRecord = Exclude<Listed['results'][number], unknown[]>

/** The events of a page without `select`. */
export const recordsOf = ({ body }: { body: Pick<Listed, 'results'> }): EventRecord[] =>
  body.results.map((record) => {
    assert.ok(!Array.isArray(record), 'a record has names')
    return record
  })

/** 2026-01-01 in microseconds, the start of the test clock. */
export const NEW_YEAR = Date.parse('2026-01-01T00:00:00Z') * 1000

export const uuid = (number: number): string => `0192b71c-0000-7000-8000-${number.toString(16).padStart(12, '0')}`

/** The number of inserted events by database, so both engines get the same ids. */
const inserted = new WeakMap<Db, number>()

/** Inserts rows as ingestion would, with defaults for missing fields. */
export async function insertEvents(
  db: Db,
  project_id: number,
  events: readonly Partial<StoredEvent>[],
): Promise<StoredEvent[]> {
  const before = inserted.get(db) ?? 0
  inserted.set(db, before + events.length)
  const rows = events.map((event, i) => ({
    project_id,
    uuid: uuid(0xf0000000 + before + i),
    event: 'seen',
    distinct_id: 'somebody',
    timestamp: NEW_YEAR - 1,
    properties: {},
    elements_chain: '',
    ...event,
  }))
  await db.tx(async (tx) => {
    for (const row of rows)
      await tx.run(sql`
        insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain)
        values (${row.project_id}, ${row.uuid}, ${row.event}, ${row.distinct_id}, ${row.timestamp}, ${NEW_YEAR},
          ${JSON.stringify(row.properties)}, ${row.elements_chain})`)
    await countEvents(tx, rows)
  })
  return rows
}

export async function insertPerson(
  db: Db,
  project_id: number,
  {
    id,
    distinct_ids,
    properties = {},
    is_identified = false,
  }: {
    id: string
    distinct_ids: string[]
    properties?: object
    is_identified?: boolean
  },
): Promise<void> {
  await db.tx(async (tx) => {
    await tx.run(sql`
      insert into persons (project_id, id, properties, is_identified, first_distinct_id, created_at)
      values (${project_id}, ${id}, ${JSON.stringify(properties)}, ${is_identified}, ${distinct_ids[0] ?? null}, ${NEW_YEAR})`)
    for (const distinct_id of distinct_ids)
      await tx.run(sql`insert into person_distinct_ids (project_id, distinct_id, person_id)
        values (${project_id}, ${distinct_id}, ${id})`)
  })
}
