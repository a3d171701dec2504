/** Keeps the sessions of events, and closes those that are quiet. */
import { createLoop, type Loop, type LoopLog } from '../background/loop.ts'
import { createSetAside } from '../background/set-aside.ts'
import { either } from '../hogql/typed.ts'
import type { Db } from '../sql/db.ts'
import { chunks, rows, type Sql, sql, type Value } from '../sql/template.ts'
import { epochMicroseconds } from '../time/stored.ts'
import { eachProject } from './each-project.ts'
import { insertReturning } from './insert.ts'
import type { NewEvent } from './normalize-event.ts'

/** The part of a session that one batch of events has. Times are microseconds. */
interface SessionPart {
  project_id: number
  session_id: string
  distinct_id: string
  start_timestamp: number
  end_timestamp: number
  event_count: number
  pageview_count: number
  entry_url: string | null
  entry_at: number | null
  exit_url: string | null
  exit_at: number | null
  last_event_at: number
}

/** Adds new events to their sessions, in the transaction that stores them. */
export async function addToSessions(tx: Db, events: readonly NewEvent[]): Promise<void> {
  const parts = new Map<string, SessionPart>()
  for (const event of events) {
    if (!event.session) continue
    const key = `${event.project_id} ${event.session.id}`
    const part = parts.get(key) ?? emptyPart(event, event.session.id)
    parts.set(key, part)
    extend(part, event, event.session)
  }
  if (parts.size === 0) return
  // Sorted by key: all transactions lock the rows in the same order, so they cannot deadlock.
  const sorted = [...parts.values()].sort(
    (a, b) => a.project_id - b.project_id || (a.session_id < b.session_id ? -1 : 1),
  )
  for (const some of chunks(sorted))
    await tx.send(sql`
    insert into event_sessions (project_id, session_id, distinct_id, start_timestamp, end_timestamp, event_count,
      pageview_count, entry_url, entry_at, exit_url, exit_at, last_event_at, is_open)
    values ${rows(some.map(valuesOf))}
    on conflict (project_id, session_id) do update set
      distinct_id = case when excluded.start_timestamp < event_sessions.start_timestamp
        then excluded.distinct_id else event_sessions.distinct_id end,
      start_timestamp = ${least(sql`event_sessions.start_timestamp`, sql`excluded.start_timestamp`)},
      end_timestamp = ${greatest(sql`event_sessions.end_timestamp`, sql`excluded.end_timestamp`)},
      event_count = event_sessions.event_count + excluded.event_count,
      pageview_count = event_sessions.pageview_count + excluded.pageview_count,
      entry_url = case when ${isEarlier} then excluded.entry_url else event_sessions.entry_url end,
      entry_at = case when ${isEarlier} then excluded.entry_at else event_sessions.entry_at end,
      exit_url = case when ${isLater} then excluded.exit_url else event_sessions.exit_url end,
      exit_at = case when ${isLater} then excluded.exit_at else event_sessions.exit_at end,
      last_event_at = ${greatest(sql`event_sessions.last_event_at`, sql`excluded.last_event_at`)},
      is_open = excluded.is_open`)
}

const least = (a: Sql, b: Sql): Sql => either(sql`min(${a}, ${b})`, sql`least(${a}, ${b})`)
const greatest = (a: Sql, b: Sql): Sql => either(sql`max(${a}, ${b})`, sql`greatest(${a}, ${b})`)
const isEarlier = sql`excluded.entry_at is not null
  and (event_sessions.entry_at is null or excluded.entry_at < event_sessions.entry_at)`
const isLater = sql`excluded.exit_at is not null
  and (event_sessions.exit_at is null or excluded.exit_at >= event_sessions.exit_at)`

const emptyPart = ({ project_id, distinct_id, timestamp, created_at }: NewEvent, session_id: string): SessionPart => ({
  project_id,
  session_id,
  distinct_id,
  start_timestamp: timestamp,
  end_timestamp: timestamp,
  event_count: 0,
  pageview_count: 0,
  entry_url: null,
  entry_at: null,
  exit_url: null,
  exit_at: null,
  last_event_at: created_at,
})

function extend(
  part: SessionPart,
  { distinct_id, timestamp, created_at }: NewEvent,
  { url, isPageview }: NonNullable<NewEvent['session']>,
): void {
  if (timestamp < part.start_timestamp) part.distinct_id = distinct_id
  part.start_timestamp = Math.min(part.start_timestamp, timestamp)
  part.end_timestamp = Math.max(part.end_timestamp, timestamp)
  part.last_event_at = Math.max(part.last_event_at, created_at)
  part.event_count++
  if (isPageview) part.pageview_count++
  if (url === null) return
  if (part.entry_at === null || timestamp < part.entry_at) {
    part.entry_url = url
    part.entry_at = timestamp
  }
  if (part.exit_at === null || timestamp >= part.exit_at) {
    part.exit_url = url
    part.exit_at = timestamp
  }
}

const valuesOf = (part: SessionPart): Value[] => [
  part.project_id,
  part.session_id,
  part.distinct_id,
  part.start_timestamp,
  part.end_timestamp,
  part.event_count,
  part.pageview_count,
  part.entry_url,
  part.entry_at,
  part.exit_url,
  part.exit_at,
  part.last_event_at,
  true,
]

/** A session is complete when no event of it has arrived for this long. */
const QUIET_MS = 30 * 60_000
const ROUND_MS = 60_000
/** Sessions per transaction: about 5 ms of CPU time on SQLite. */
const CHUNK = 200

interface SessionCloserOptions {
  events: Db
  /** Returns the next projects after an id, in the order of their ids. */
  projects(after: number): Promise<readonly number[]>
  now: () => string
  log: Pick<LoopLog, 'error'>
}

export function createSessionCloser({ events, projects, now, log }: SessionCloserOptions): Loop {
  const loop = createLoop({
    name: 'session closer',
    round: () => work().then(() => ROUND_MS),
    first_ms: ROUND_MS,
    retry_ms: ROUND_MS,
    onError: (error) => log.error({ err: error }, 'closing quiet sessions failed; the next round retries'),
  })

  const reachable = createSetAside<number>({
    onFailure: (error, project) =>
      log.error({ err: error, project }, 'closing the quiet sessions of a project failed; retrying'),
  })

  /** Each statement names one project. A list of all projects with open sessions would read every open session. */
  async function work(): Promise<void> {
    const time = epochMicroseconds(now())
    await eachProject(projects, loop, reachable, async (project_id) => {
      const found = await events.get(
        sql`select 1 from event_sessions where project_id = ${project_id} and ${isQuiet(time)} limit 1`,
      )
      let closed = found ? CHUNK : 0
      while (!loop.stopped && closed === CHUNK) closed = await closeQuiet(events, project_id, time)
    })
  }

  return loop
}

const isQuiet = (now: number, last_event_at = sql`last_event_at`): Sql =>
  sql`is_open and ${last_event_at} < ${now - QUIET_MS * 1000}`

/**
 * The update decides, so two nodes add one entry for a session. Rows that another node locks are left to the next round. `+`
 * keeps SQLite from reading all quiet sessions for each chunk.
 */
function closeQuiet(events: Db, project_id: number, now: number): Promise<number> {
  const mine = sql`project_id = ${project_id}`
  return events.tx(async (tx) => {
    const closed = await tx.all<{ session_id: string; start_timestamp: number }>(sql`
      with quiet as materialized (
        select session_id from event_sessions where ${mine} and ${isQuiet(now)} order by last_event_at limit ${CHUNK}
        ${either(sql``, sql`for update skip locked`)})
      update event_sessions set is_open = ${false}
      where ${mine} and session_id in (select session_id from quiet) and ${isQuiet(now, sql`+last_event_at`)}
      returning session_id, start_timestamp`)
    const entries = await insertReturning<{ session_id: string; seq: number }, (typeof closed)[number]>(
      tx,
      closed,
      (some) => sql`
        insert into session_changes (project_id, session_id, start_timestamp, changed_at)
        values ${rows(some.map(({ session_id, start_timestamp }) => [project_id, session_id, start_timestamp, now]))}
        returning session_id, seq`,
    )
    const json = JSON.stringify(entries)
    // Not materialized, SQLite reads the whole list for each session: 29 s for 1,000.
    if (entries.length)
      await tx.send(sql`
        with r as materialized (${either(
          sql`select value ->> 'session_id' as session_id, value ->> 'seq' as seq from json_each(${json})`,
          sql`select session_id, seq from json_to_recordset(${json}::json) as r (session_id text, seq bigint)`,
        )})
        update event_sessions set last_change = r.seq from r
        where event_sessions.project_id = ${project_id} and event_sessions.session_id = r.session_id`)
    return closed.length
  })
}
