import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'

/** What was counted under a name in the window of so many seconds that begins at `start` (milliseconds). */
export interface RequestCount {
  name: string
  seconds: number
  start: number
  count: number
}

/** What all nodes together counted, in that window and in the one before it. */
export type RequestTotal = RequestCount & { previous: number }

/** Adds what this node counted, and answers where everybody stands. PostgreSQL alone has the table. */
export function add(db: Db, counted: readonly RequestCount[]): Promise<RequestTotal[]> {
  // In one order on every node: two that add to the same rows wait for each other, and never in a circle.
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

/** Windows that no limit looks at any more. */
export async function forget(db: Db, now_ms: number): Promise<void> {
  await db.run(sql`delete from request_counts where start < ${now_ms} - seconds * 2000`)
}
