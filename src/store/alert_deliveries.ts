/** The queue of webhook requests. A request is a row, written in the transaction that decided to send it. */
import type { Db } from '../sql/db.ts'
import { oneOf, skipLocked, sql } from '../sql/template.ts'

export interface DeliveryRow {
  /** Sent with every attempt, so that the receiver can detect duplicates. */
  id: string
  alert_id: string
  /** JSON, the body of the request. */
  body: string
  attempts: number
  /** When the next attempt is due. During an attempt, when its process is considered dead. */
  next_attempt_at: string
  created_at: string
}

export async function enqueue(
  tx: Db,
  { id, alert_id, body, now }: Pick<DeliveryRow, 'id' | 'alert_id' | 'body'> & { now: string },
): Promise<void> {
  await tx.run(sql`
    insert into alert_deliveries (id, alert_id, body, attempts, next_attempt_at, created_at)
    values (${id}, ${alert_id}, ${body}, 0, ${now}, ${now})`)
}

/** Claims the next request that is due until `until`, except those of the alerts in `working`. */
export function claim(
  db: Db,
  {
    now,
    until,
    max_attempts,
    working,
  }: { now: string; until: string; max_attempts: number; working: readonly string[] },
): Promise<DeliveryRow | undefined> {
  return db.get<DeliveryRow>(sql`
    update alert_deliveries set attempts = attempts + 1, next_attempt_at = ${until}
    where id = (
      select d.id from alert_deliveries d
      where d.next_attempt_at <= ${now} and d.attempts < ${max_attempts} and d.alert_id not in ${oneOf(working)}
      order by d.next_attempt_at, d.id limit 1 ${skipLocked})
    returning *`)
}

/** Schedules another attempt, unless another process has claimed the request since. */
export async function postpone(db: Db, { id, attempts }: DeliveryRow, next_attempt_at: string): Promise<void> {
  await db.run(sql`
    update alert_deliveries set next_attempt_at = ${next_attempt_at} where id = ${id} and attempts = ${attempts}`)
}

/** Ends an attempt without counting it. */
export async function release(db: Db, { id, attempts }: DeliveryRow, now: string): Promise<void> {
  await db.run(sql`
    update alert_deliveries set next_attempt_at = ${now}, attempts = attempts - 1
    where id = ${id} and attempts = ${attempts}`)
}

export async function remove(db: Db, id: string): Promise<void> {
  await db.run(sql`delete from alert_deliveries where id = ${id}`)
}

export async function removeOfAlert(tx: Db, alert_id: string): Promise<void> {
  await tx.run(sql`delete from alert_deliveries where alert_id = ${alert_id}`)
}

/** Deletes the requests whose last attempt never ended. */
export function removeExhausted(db: Db, now: string, max_attempts: number): Promise<DeliveryRow[]> {
  return db.all<DeliveryRow>(sql`
    delete from alert_deliveries where attempts >= ${max_attempts} and next_attempt_at <= ${now} returning *`)
}

/** When the next attempt is due. */
export async function nextAttempt(db: Db): Promise<string | null> {
  const row = await db.get<{ at: string | null }>(sql`select min(next_attempt_at) as at from alert_deliveries`)
  return row?.at ?? null
}
