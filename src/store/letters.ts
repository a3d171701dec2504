import type { Db } from '../sql/db.ts'
import { type Either, sql } from '../sql/template.ts'

/** A mail that is to go out, written down in the transaction that decided so. It holds no secret. */
export interface LetterRow {
  id: string
  kind: 'invite' | 'member_joined' | 'export_paused'
  recipient: string
  /** JSON of what the kind needs to be written. */
  content: string
  attempts: number
  created_at: string
}

const skipLocked: Either = { sqlite: sql``, postgres: sql`for update skip locked` }

export async function create(
  tx: Db,
  letter: { id: string; kind: LetterRow['kind']; recipient: string; content: object; now: string },
): Promise<void> {
  await tx.run(sql`
    insert into letters (id, kind, recipient, content, state, attempts, next_attempt_at, created_at)
    values (${letter.id}, ${letter.kind}, ${letter.recipient}, ${JSON.stringify(letter.content)}, 'waiting', 0,
      ${letter.now}, ${letter.now})`)
}

/** Takes the next letter that is due and marks it as being sent, so that no second sender ever takes it. */
export function claim(db: Db, now: string): Promise<LetterRow | undefined> {
  return db.get<LetterRow>(sql`
    update letters set state = 'sending', attempts = attempts + 1, next_attempt_at = ${now}
    where id = (select id from letters where state = 'waiting' and next_attempt_at <= ${now}
      order by next_attempt_at, id limit 1 ${skipLocked})
    returning id, kind, recipient, content, attempts, created_at`)
}

/** It certainly did not arrive: it waits for another try. */
export async function postpone(db: Db, id: string, next_attempt_at: string): Promise<void> {
  await db.run(sql`update letters set state = 'waiting', next_attempt_at = ${next_attempt_at} where id = ${id}`)
}

/** Sent, given up, or of unknown fate: none of them is tried again. */
export async function remove(db: Db, id: string): Promise<void> {
  await db.run(sql`delete from letters where id = ${id}`)
}

/** Letters whose sender died on the way: whether they arrived nobody knows, so they are taken out, not sent again. */
export function removeAbandoned(db: Db, sending_since: string): Promise<LetterRow[]> {
  return db.all<LetterRow>(sql`
    delete from letters where state = 'sending' and next_attempt_at < ${sending_since}
    returning id, kind, recipient, content, attempts, created_at`)
}
