import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'
import { deleteAll } from './rows.ts'

/** Counts failures by name, such as an account and a client address. Names are hashes. */
export interface FailureRow {
  failures: number
  blocked_until: string
}

export function get(db: Db, name: string): Promise<FailureRow | undefined> {
  return db.get<FailureRow>(sql`select failures, blocked_until from sign_in_failures where name = ${name}`)
}

/** Adds a failure and returns the number of failures. Failures before `forget_before` no longer count. */
export async function add(db: Db, name: string, now: string, forget_before: string): Promise<number> {
  const row = await db.get<{ failures: number }>(sql`
    insert into sign_in_failures (name, failures, blocked_until, last_failed_at) values (${name}, 1, ${now}, ${now})
    on conflict (name) do update set
      failures = case when sign_in_failures.last_failed_at < ${forget_before} then 1 else sign_in_failures.failures + 1 end,
      last_failed_at = ${now}
    returning failures`)
  return row?.failures ?? 1
}

export async function block(db: Db, name: string, blocked_until: string): Promise<void> {
  await db.run(sql`update sign_in_failures set blocked_until = ${blocked_until} where name = ${name}`)
}

export async function remove(db: Db, name: string): Promise<void> {
  await db.run(sql`delete from sign_in_failures where name = ${name}`)
}

export async function removeOlder(db: Db, last_failed_before: string): Promise<void> {
  await deleteAll(db, {
    table: sql`sign_in_failures`,
    key: [sql`name`],
    where: sql`last_failed_at < ${last_failed_before}`,
    order: sql`last_failed_at`,
  })
}
