import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'
import { deleteBefore, type Stoppable } from './rows.ts'

/** Requests counted under a name in one window. `start` is in milliseconds. */
export interface RequestCount {
  name: string
  seconds: number
  start: number
  count: number
}

/** The counts of all nodes, in that window and in the previous one. */
export type RequestTotal = RequestCount & { previous: number }

/** Adds the counts of this node and returns the totals. The table exists only on PostgreSQL. */
export function add(db: Db, counted: readonly RequestCount[]): Promise<RequestTotal[]> {
  // Every node locks rows in the same order, so two nodes cannot deadlock.
  const sorted = [...counted].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.seconds - b.seconds))
  return db.all<RequestTotal>(sql`
    with added as (
      insert into request_counts as r (name, seconds, start, count)
      select * from json_to_recordset(${JSON.stringify(sorted)}::json)
        as c (name text, seconds bigint, start bigint, count bigint)
      on conflict (name, seconds, start) do update set count = r.count + excluded.count
      returning name, seconds, start, count)
    select a.*, coalesce(p.count, 0) as previous from added a left join request_counts p
      on p.name = a.name and p.seconds = a.seconds and p.start = a.start - a.seconds * 1000`)
}

/** Deletes windows of these lengths that have expired for every limit. */
export async function removeExpired(
  db: Db,
  work: Stoppable,
  now_ms: number,
  lengths: readonly number[],
): Promise<void> {
  for (const seconds of lengths)
    await deleteBefore(
      db,
      work,
      'request_counts',
      ['name', 'seconds', 'start'],
      'start',
      now_ms - seconds * 2_000,
      sql`seconds = ${seconds} and`,
    )
}
