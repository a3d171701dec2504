/** Messages of alerts that wait for the next digest of their organization. */
import type { Db } from '../sql/db.ts'
import { oneOf, sql } from '../sql/template.ts'

export interface WaitingMessage {
  /** Null for a message to the administrators. */
  alert_id: string | null
  /** JSON. */
  body: string
}

/** Call `request` before the end of the transaction. */
export async function add(
  tx: Db,
  { id, organization_id, alert_id, body, now }: WaitingMessage & { id: string; organization_id: string; now: string },
): Promise<void> {
  await tx.run(sql`
    insert into alert_messages (id, organization_id, alert_id, body, created_at)
    values (${id}, ${organization_id}, ${alert_id}, ${body}, ${now})`)
}

/** Requests a digest of the messages that were added. The last statement of a transaction: others wait for its row. */
export async function request(tx: Db, organization_id: string, now: string): Promise<void> {
  await tx.run(sql`
    insert into alert_digests (organization_id, next_at, waiting) values (${organization_id}, ${now}, ${true})
    on conflict (organization_id) do update set waiting = ${true}`)
}

/** The organization whose digest is due first, except those in `failed`. */
export async function nextDue(db: Db, now: string, failed: readonly string[]): Promise<string | undefined> {
  const row = await db.get<{ organization_id: string }>(sql`
    select organization_id from alert_digests
    where waiting and next_at <= ${now} and organization_id not in ${oneOf(failed)} order by next_at limit 1`)
  return row?.organization_id
}

/** Removes and returns the oldest messages of a digest. Nothing when another process has taken it. */
export async function take(
  tx: Db,
  organization_id: string,
  { now, next_at, limit }: { now: string; next_at: string; limit: number },
): Promise<WaitingMessage[]> {
  const taken = await tx.run(sql`
    update alert_digests set next_at = ${next_at}, waiting = ${false}
    where organization_id = ${organization_id} and waiting and next_at <= ${now}`)
  if (taken === 0) return []
  const messages = await tx.all<WaitingMessage & { id: string; created_at: string }>(sql`
    delete from alert_messages where id in (
      select id from alert_messages where organization_id = ${organization_id} order by created_at, id limit ${limit})
    returning id, alert_id, body, created_at`)
  if (messages.length === limit) await request(tx, organization_id, now)
  const keyOf = ({ created_at, id }: { created_at: string; id: string }): string => created_at + id
  return messages.sort((first, second) => (keyOf(first) < keyOf(second) ? -1 : 1))
}

export async function removeOfAlert(tx: Db, alert_id: string): Promise<void> {
  await tx.run(sql`delete from alert_messages where alert_id = ${alert_id}`)
}

/** When the next digest is due. */
export async function nextAt(db: Db): Promise<string | null> {
  const row = await db.get<{ at: string | null }>(sql`select min(next_at) as at from alert_digests where waiting`)
  return row?.at ?? null
}
