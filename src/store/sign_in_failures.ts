import type { Db } from '../sql/db.ts'
import { joined, sql } from '../sql/template.ts'

/** Counts failures by name, such as an account and a client address. Names are hashes. */
export interface FailureRow {
  failures: number
  blocked_until: string
}

const NOT_BLOCKED = '1970-01-01T00:00:00.000Z'

export function get(db: Db, name: string): Promise<FailureRow | undefined> {
  return db.get<FailureRow>(sql`select failures, blocked_until from sign_in_failures where name = ${name}`)
}

/** Adds a failure and returns the number of failures. Failures before `forget_before` no longer count. */
export async function add(db: Db, name: string, now: string, forget_before: string): Promise<number> {
  const row = await db.get<{ failures: number }>(sql`
    insert into sign_in_failures (name, failures, blocked_until, last_failed_at)
    values (${name}, 1, ${NOT_BLOCKED}, ${now})
    on conflict (name) do update set
      failures = case when sign_in_failures.last_failed_at < ${forget_before} then 1 else sign_in_failures.failures + 1 end,
      last_failed_at = ${now}
    returning failures`)
  return row?.failures ?? 1
}

export interface Reservation {
  now: string
  /** Failures before it no longer count. */
  forget_before: string
  /** Blocks from this number of failures on. */
  limit: number
  /** The end of the block after `limit` failures, after one more, and so on. The last applies to all further ones. */
  blocked_until: readonly string[]
}

/**
 * Counts an attempt as a failure before it is evaluated. Undefined when the name is blocked. This is one statement, so
 * concurrent attempts cannot exceed the limit.
 */
export function reserve(
  db: Db,
  name: string,
  { now, forget_before, limit, blocked_until }: Reservation,
): Promise<FailureRow | undefined> {
  const failures = sql`(case when f.last_failed_at < ${forget_before} then 1 else f.failures + 1 end)`
  const blocks = blocked_until.map((time, i) => sql`when ${failures} = ${limit + i} then ${time}`)
  const first = limit <= 1 ? (blocked_until[0] ?? NOT_BLOCKED) : NOT_BLOCKED
  return db.get<FailureRow>(sql`
    insert into sign_in_failures as f (name, failures, blocked_until, last_failed_at)
    values (${name}, 1, ${first}, ${now})
    on conflict (name) do update set
      failures = ${failures},
      blocked_until = case when ${failures} < ${limit} then ${NOT_BLOCKED} ${joined(blocks, ' ')}
        else ${blocked_until.at(-1) ?? NOT_BLOCKED} end,
      last_failed_at = ${now}
    where f.blocked_until <= ${now}
    returning failures, blocked_until`)
}

/** Takes back an attempt that was not a failure. A block ends only if this attempt began it. */
export async function release(db: Db, name: string, { blocked_until }: FailureRow): Promise<void> {
  await db.run(sql`
    update sign_in_failures set failures = failures - 1,
      blocked_until = case when blocked_until = ${blocked_until} then ${NOT_BLOCKED} else blocked_until end
    where name = ${name} and failures > 0`)
}

export async function remove(db: Db, name: string): Promise<void> {
  await db.run(sql`delete from sign_in_failures where name = ${name}`)
}
