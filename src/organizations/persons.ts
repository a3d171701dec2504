import { deletePerson as deleteStoredPerson, type ListedPerson } from '../events/person-list.ts'
import type { Purger } from '../events/purge.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { type Actor, record } from '../store/activity_log.ts'
import { fieldChanges } from '../store/field-changes.ts'
import * as deletions from '../store/person_deletions.ts'
import { epochMicroseconds } from '../time/stored.ts'

interface PersonDeps {
  db: Db
  events: Db
  ids: Ids
  now: () => string
  purger: Purger
}

/**
 * Deletes a person. On SQLite the event store is another file, so the deletion is queued with its entry in the activity
 * log, and the purger completes it if this process dies.
 */
export async function deletePerson(
  { db, events, ids, now, purger }: PersonDeps,
  actor: Actor,
  project_id: number,
  person: ListedPerson,
  delete_events: boolean,
): Promise<void> {
  const row = { id: ids.uuid(), project_id, person_id: person.id, delete_events, deleted_at: now() }
  await db.tx(async (tx) => {
    await deletions.create(tx, row)
    await record(tx, ids, now(), actor, {
      project_id,
      area: 'persons',
      activity: 'deleted',
      item_id: person.id,
      // Not a distinct id: the log outlives the person, and distinct ids are often email addresses.
      item_name: person.id,
      changes: fieldChanges({}, { delete_events }),
    })
  })
  await completeDeletion({ db, events }, row)
  if (delete_events) purger.wake()
}

/** Completes deletions that a process did not finish before `time`. */
export async function completeDeletions(stores: { db: Db; events: Db }, time: string): Promise<void> {
  for (const row of await deletions.list(stores.db, time)) await completeDeletion(stores, row)
}

async function completeDeletion(
  { db, events }: { db: Db; events: Db },
  { id, project_id, person_id, delete_events, deleted_at }: deletions.PersonDeletionRow,
): Promise<void> {
  const deletion = { project_id, person_id, delete_events: Boolean(delete_events) }
  await events.tx((tx) => deleteStoredPerson(tx, { ...deletion, deleted_at: epochMicroseconds(deleted_at) }))
  await deletions.remove(db, id)
}
