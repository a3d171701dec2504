/** Places in the order of ingestion: what an export has delivered up to, and what nothing can appear below any more. */
import type { Db } from '../sql/db.ts'
import { type Sql, sql } from '../sql/template.ts'
import { POSITION } from './extract.ts'
import type { EventReader } from './readers.ts'

/**
 * Every event below it is there for everybody to read, and none can appear there any more. PostgreSQL: the oldest
 * transaction that is still under way, because those that began later may commit before it.
 */
export async function horizon(events: Db): Promise<number> {
  const row = await events.get<{ position: number }>(
    events.engine === 'sqlite'
      ? sql`select coalesce((select seq from sqlite_sequence where name = 'events'), 0) + 1 as position`
      : sql`select position_base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint as position from event_store`,
  )
  return row!.position
}

/**
 * The first position after a pause that begins now: above every event that was acknowledged, and on PostgreSQL above every
 * transaction that has inserted and not committed yet. Such a transaction counts as before the pause.
 */
export async function pausePosition(events: Db): Promise<number> {
  if (events.engine === 'sqlite') return horizon(events)
  const row = await events.get<{ position: number }>(
    sql`select position_base + pg_current_xact_id()::text::bigint as position from event_store`,
  )
  return row!.position
}

/**
 * The first position after a pause that ends now: above every event that was acknowledged, and not above any that arrives
 * later. A transaction that commits later may be on either side.
 */
export async function resumePosition(events: Db): Promise<number> {
  if (events.engine === 'sqlite') return horizon(events)
  const row = await events.get<{ position: number }>(
    sql`select position_base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint as position from event_store`,
  )
  return row!.position
}

/** Events that are counted by one query. */
const COUNTED_AT_ONCE = 10_000

/** How many events of the project are in the range. In steps, so that no query is slow. */
export async function countBetween(
  reader: EventReader,
  { project_id, from, to }: { project_id: number; from: number; to: number },
): Promise<number> {
  const within = (start: number, end: number): Sql =>
    sql`from events e where e.project_id = ${project_id} and ${POSITION} >= ${start} and ${POSITION} < ${end}`
  const ask = (query: Sql) => reader.rows<[number]>(query, { project_id, lane: 'first' })
  let count = 0
  for (let start = from; ; ) {
    const [next] = await ask(
      sql`select ${POSITION} ${within(start, to)} order by ${POSITION} limit 1 offset ${COUNTED_AT_ONCE}`,
    )
    // A transaction of PostgreSQL has one position, however many events it holds.
    const end = next ? Math.max(Number(next[0]), start + 1) : to
    count += Number((await ask(sql`select count(*) ${within(start, end)}`))[0]![0])
    if (!next) return count
    start = end
  }
}

/**
 * The position after the last event of the project within the range that was ingested before then (microseconds), or
 * where the range begins. Looks from the end of the range backwards, on an index alone.
 */
export async function positionAt(
  reader: EventReader,
  { project_id, from, to, time }: { project_id: number; from: number; to: number; time: number },
): Promise<number> {
  const found = await reader.rows<[number]>(
    sql`select ${POSITION} from events e
      where e.project_id = ${project_id} and ${POSITION} >= ${from} and ${POSITION} < ${to} and e.created_at < ${time}
      order by ${POSITION} desc limit 1`,
    { project_id, lane: 'first' },
  )
  return found[0] ? Number(found[0][0]) + 1 : from
}

/**
 * What PostgreSQL has and SQLite has not, where events move from one to the other: with `seq` as the position too, every
 * watermark, range and cursor means the events that it meant before.
 */
export const MOVED_COLUMNS: Record<string, Record<string, string>> = { events: { position: 'seq' } }

/**
 * For a database that was restored into another cluster, whose transactions have smaller numbers: what comes in from now on
 * gets positions beyond all that were given, those that exports have reached included. Answers whether that was so.
 */
export async function goBeyond(events: Db, reached: number): Promise<boolean> {
  // Not the horizon: an old transaction still under way holds that back below what this cluster has given.
  if (events.engine === 'sqlite' || reached <= (await resumePosition(events))) return false
  return events.tx(async (tx) => {
    // Nobody inserts while the rule changes.
    await tx.exec('set local lock_timeout = 0; lock table events in access exclusive mode')
    if (reached <= (await resumePosition(tx))) return false
    const last = await tx.get<{ position: number | null }>(
      sql`select max((select max(e.position) from events e where e.project_id = p.id)) as position from projects p`,
    )
    const base = Math.max(reached, last?.position ?? 0)
    await tx.run(sql`update event_store set position_base = ${base}`)
    await tx.exec(`alter table events alter column position set default ${base} + pg_current_xact_id()::text::bigint`)
    return true
  })
}
