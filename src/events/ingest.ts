import type { Db } from '../sql/db.ts'
import { rows, sql, type Value } from '../sql/template.ts'
import { countEvents } from './counts.ts'
import { insertReturning } from './insert.ts'
import type { NewEvent } from './normalize-event.ts'
import { applyPersonChanges } from './persons.ts'
import { addToSessions } from './sessions.ts'

/**
 * Stores and counts events, adds them to their sessions and applies their person changes, in order. Duplicates by uuid are
 * ignored. Returns the number of new events. Must run in a transaction, and yields to the event loop in between.
 */
export async function ingest(
  tx: Db,
  events: readonly NewEvent[],
  /** Called when the events are inserted. The changes of persons, sessions and counts wait for it. */
  onInserted?: () => Promise<void>,
): Promise<number> {
  const added = await insert(tx, firstOfEach(events))
  await onInserted?.()
  const changes = added.flatMap(({ person }) => person ?? [])
  if (changes.length) await applyPersonChanges(tx, changes, added.at(-1)?.created_at ?? 0)
  await addToSessions(tx, added)
  await countEvents(tx, added)
  return added.length
}

const keyOf = ({ project_id, uuid }: { project_id: number; uuid: string }): string => `${project_id} ${uuid}`

/** `returning` does not distinguish duplicates within one insert, so only the first of each is inserted. */
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
  const stored = await insertReturning<{ project_id: number; uuid: string }, NewEvent>(
    tx,
    events,
    (some) => sql`
      insert into events (project_id, uuid, event, distinct_id, timestamp, created_at, properties, elements_chain, origin)
      values ${rows(some.map(valuesOf))} on conflict (project_id, uuid) do nothing returning project_id, uuid`,
  )
  if (stored.length === events.length) return events
  const fresh = new Set(stored.map(keyOf))
  return events.filter((event) => fresh.has(keyOf(event)))
}

const valuesOf = (event: NewEvent): Value[] => [
  event.project_id,
  event.uuid,
  event.event,
  event.distinct_id,
  event.timestamp,
  event.created_at,
  event.properties,
  event.elements_chain,
  event.origin ?? null,
]
