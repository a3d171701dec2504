import type { Db } from '../sql/db.ts'
import { chunks, rows, sql } from '../sql/template.ts'
import type { NewEvent } from './normalize-event.ts'
import { settle } from './persons.ts'
import { pacer } from './yield.ts'

/**
 * Stores events and what they say about persons, in their order. One whose uuid the project already has leaves no trace.
 * Answers how many were new. Call it inside a transaction. Others get turns in between: nobody else writes here but who
 * can wait.
 */
export async function ingest(tx: Db, events: readonly NewEvent[]): Promise<number> {
  const breathe = pacer()
  const changes = []
  let count = 0
  for (const some of chunks(events)) {
    const stored = await insert(tx, firstOfEach(some))
    count += stored.length
    for (const { person } of stored) if (person) changes.push(person)
    await breathe()
  }
  if (changes.length) await settle(tx, changes)
  return count
}

const keyOf = ({ project_id, uuid }: { project_id: number; uuid: string }): string => `${project_id} ${uuid}`

/** Two rows of one insert cannot be told apart by what it returns. Rows of an earlier one are in the table already. */
function firstOfEach(events: readonly NewEvent[]): readonly NewEvent[] {
  const seen = new Set<string>()
  const first = events.filter((event) => {
    const before = seen.size
    return seen.add(keyOf(event)).size > before
  })
  return first.length === events.length ? events : first
}

/** Inserts the events and returns the new ones. */
async function insert(tx: Db, events: readonly NewEvent[]): Promise<readonly NewEvent[]> {
  const stored = await tx.all<{ project_id: number; uuid: string }>(sql`
    insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain)
    values ${rows(
      events.map((event) => [
        event.project_id,
        event.uuid,
        event.event,
        event.distinct_id,
        event.timestamp,
        event.created_at,
        event.properties,
        event.elements_chain,
      ]),
    )}
    on conflict (project_id, uuid) do nothing returning project_id, uuid`)
  if (stored.length === events.length) return events
  const fresh = new Set(stored.map(keyOf))
  return events.filter((event) => fresh.has(keyOf(event)))
}
