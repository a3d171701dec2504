/** Deletes the events of deleted projects and persons, events past their project's retention, and other expired rows. */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { createLoop } from '../background/loop.ts'
import { createSetAside } from '../background/set-aside.ts'
import { either } from '../hogql/typed.ts'
import type { Db } from '../sql/db.ts'
import { oneOf, type Sql, sql } from '../sql/template.ts'
import { deleteEvents } from './counts.ts'
import { eachProject } from './each-project.ts'

/** Rows per transaction. Ingestion waits for one transaction at most. */
const CHUNK = 200
/** Rows that are read before the other requests get their turn. */
const PAGE = 500
/** Ingestion caches project tokens for a moment, so a deleted project is checked again before it leaves the queue. */
const GRACE_MS = 60_000
const FIRST_ROUND_MS = 5_000
const ROUND_MS = 600_000
const DAY_MS = 86_400_000
/** Exports that are further behind deliver the latest change of a person only. */
const CHANGES_MS = 7 * DAY_MS

interface QueuedProject {
  project_id: number
  queued_at: string
}

const projectOf = ({ project_id }: { project_id: number }): number => project_id

/** The queue of deleted projects and the retention settings, both in the administration database. */
export interface Purges {
  queued(): Promise<QueuedProject[]>
  done(project_id: number): Promise<void>
  retentions(): Promise<{ project_id: number; days: number }[]>
  /** Returns the next projects after an id, in the order of their ids. */
  projects(after: number): Promise<readonly number[]>
  /** Completes deletions of persons that a process did not finish before `time`. */
  deletePersons(time: string): Promise<void>
  /** Called with events that the retention deleted. */
  expired?(project_id: number, positions: readonly { position: number; seq: number }[]): Promise<void>
  /** Deletes expired rows of the administration database. */
  removeExpired(): Promise<void>
}

interface Log {
  info(fields: object, text: string): void
  error(fields: object, text: string): void
}

export interface PurgerOptions {
  events: Db
  purges: Purges
  now: () => string
  log: Log
}

export interface Purger {
  /** Starts the background loop. */
  start(): void
  /** Starts a round now. Called after a project is deleted. */
  wake(): void
  /** Runs one round: deletes everything that is due now. */
  work(): Promise<void>
  stop(): Promise<void>
}

interface Replaceable {
  table: Sql
  /** Joins the current state of an entry `e`. */
  state(project_id: number): Sql
  isReplaced: Sql
}

/** Entries that mark a deletion stay: nothing replaces them. */
const REPLACEABLE: Replaceable[] = [
  {
    table: sql`person_changes`,
    state: (project_id) => sql`left join persons p on p.project_id = ${project_id} and p.id = e.person_id`,
    isReplaced: sql`e.distinct_id is null and (p.id is null or p.last_change > e.seq)`,
  },
  {
    table: sql`session_changes`,
    state: (project_id) =>
      sql`left join event_sessions s on s.project_id = ${project_id} and s.session_id = e.session_id`,
    isReplaced: sql`(s.session_id is null or s.last_change > e.seq)`,
  },
]

const SESSION_ID = either(sql`properties ->> '$."$session_id"'`, sql`properties ->> '$session_id'`)

interface EventDeletion {
  distinct_id: string
  /** Microseconds. */
  before: number
}

function* slices<Item>(list: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < list.length; start += CHUNK) yield list.slice(start, start + CHUNK)
}

export function createPurger({ events, purges, now, log }: PurgerOptions): Purger {
  const loop = createLoop({
    name: 'purger',
    round: async () => ((await work()) > 0 ? GRACE_MS : ROUND_MS),
    retry_ms: ROUND_MS,
    onError: (error) => log.error({ err: error }, 'deleting expired rows failed; the next round retries'),
  })

  const reachable = createSetAside<number>({
    onFailure: (error, project) =>
      log.error({ err: error, project }, 'deleting expired rows of a project failed; retrying'),
  })

  let pruned_at = 0

  /** Returns how many projects and persons need another round. */
  async function work(): Promise<number> {
    await purges.deletePersons(new Date(Date.parse(now()) - GRACE_MS).toISOString())
    let left = await removeEventsOfPersons()
    for (const queued of reachable.due(await purges.queued(), projectOf)) if (!(await removeQueued(queued))) left++
    const isDaily = Date.parse(now()) - pruned_at >= DAY_MS
    for (const { project_id, days } of reachable.due(await purges.retentions(), projectOf))
      await reachable.attempt(project_id, () => removeOlder(project_id, days, isDaily))
    if (isDaily) {
      pruned_at = Date.parse(now())
      const before = (Date.parse(now()) - CHANGES_MS) * 1000
      await eachProject(purges.projects, loop, reachable, async (project_id) => {
        for (const entries of REPLACEABLE) await pruneChanges(entries, project_id, before)
      })
    }
    await purges.removeExpired()
    return left
  }

  /** Returns false if the project stays in the queue. */
  async function removeQueued({ project_id, queued_at }: QueuedProject): Promise<boolean> {
    const removed = await reachable.attempt(project_id, () => removeProject(project_id))
    if (removed) log.info({ project: project_id, removed }, 'deleted the events of a deleted project')
    if (removed === undefined || loop.stopped || Date.parse(now()) - Date.parse(queued_at) < GRACE_MS) return false
    await purges.done(project_id)
    return true
  }

  /** Deletes the events that are older than the retention of their project. */
  async function removeOlder(project_id: number, days: number, withSessions: boolean): Promise<void> {
    const oldest = (Date.parse(now()) - days * DAY_MS) * 1000
    const expired = sql`uuid in (
      select uuid from events where project_id = ${project_id} and timestamp < ${oldest} order by timestamp limit ${CHUNK})`
    const removed = await inChunks(() =>
      deleteEvents(events, project_id, expired, async (positions) => purges.expired?.(project_id, positions)),
    )
    if (removed) log.info({ project: project_id, removed }, 'deleted events past the retention of their project')
    if (withSessions) await pruneSessions(project_id, oldest)
  }

  /** Deletes sessions that ended before a time. An index on that time would slow down ingestion. */
  async function pruneSessions(project_id: number, before: number): Promise<void> {
    let after: string | undefined = ''
    while (after !== undefined && !loop.stopped) {
      const read: { session_id: string; end_timestamp: number }[] = await events.all(sql`
        select session_id, end_timestamp from event_sessions
        where project_id = ${project_id} and session_id > ${after} order by session_id limit ${PAGE}`)
      const expired = read.filter(({ end_timestamp }) => end_timestamp < before)
      for (const some of slices(expired))
        await events.run(sql`
          delete from event_sessions where project_id = ${project_id} and end_timestamp < ${before}
            and session_id in ${oneOf(some.map(({ session_id }) => session_id))}`)
      after = read.at(-1)?.session_id
      await turn()
    }
  }

  /**
   * Deletes the entries of a project from before a time (microseconds) that a later change replaced. Exports that have not
   * read them deliver the later change. Pages are within a project: SQLite uses only the project of `(project_id, seq)`,
   * and would read all earlier entries for each page.
   */
  async function pruneChanges({ table, state, isReplaced }: Replaceable, project_id: number, before: number) {
    let after: number | undefined = 0
    while (after !== undefined && !loop.stopped) {
      const read: { seq: number; changed_at: number; replaced: boolean | number }[] = await events.all(sql`
        select e.seq, e.changed_at, ${isReplaced} as replaced from ${table} e ${state(project_id)}
        where e.project_id = ${project_id} and e.seq > ${after} order by e.seq limit ${PAGE}`)
      const replaced = read.filter((entry) => entry.replaced && entry.changed_at < before)
      for (const some of slices(replaced))
        await events.run(sql`
          delete from ${table} where project_id = ${project_id} and seq in ${oneOf(some.map(({ seq }) => seq))}`)
      const last = read.at(-1)
      // Entries are in the order of their times, so all later ones stay too.
      after = last && last.changed_at < before ? last.seq : undefined
      await turn()
    }
  }

  /** A request that arrived before the deletion may be stored after it, so an id stays queued for a while. */
  async function removeEventsOfPersons(): Promise<number> {
    let left = 0
    await eachProject(purges.projects, loop, reachable, async (project_id) => {
      let after: string | undefined = ''
      while (after !== undefined && !loop.stopped) {
        const queued: EventDeletion[] = await events.all<EventDeletion>(sql`
          select distinct_id, before from event_deletions where project_id = ${project_id} and distinct_id > ${after}
          order by distinct_id limit ${CHUNK}`)
        for (const deletion of queued) if (!(await removeEventsOf(project_id, deletion))) left++
        after = queued.at(-1)?.distinct_id
      }
    })
    return left
  }

  /** Returns false if the id stays queued. */
  async function removeEventsOf(project_id: number, { distinct_id, before }: EventDeletion): Promise<boolean> {
    const mine = sql`project_id = ${project_id} and distinct_id = ${distinct_id}`
    const some = sql`from events where ${mine} and created_at < ${before} order by timestamp, uuid limit ${CHUNK}`
    const removed = await inChunks(async () => {
      await events.run(sql`
        delete from event_sessions where ${mine} and session_id in (select ${SESSION_ID} ${some})`)
      return deleteEvents(events, project_id, sql`uuid in (select uuid ${some})`)
    })
    if (removed) log.info({ project: project_id, removed }, 'deleted the events of a deleted person')
    if (loop.stopped || Date.parse(now()) - before / 1000 < GRACE_MS) return false
    await events.run(sql`delete from event_deletions where ${mine} and before = ${before}`)
    return true
  }

  async function removeProject(project_id: number): Promise<number> {
    const mine = sql`project_id = ${project_id}`
    const some = sql`uuid in (select uuid from events where ${mine} limit ${CHUNK})`
    const removed = await inChunks(() => deleteEvents(events, project_id, some))
    const run = (statement: Sql) => inChunks(() => events.run(statement))
    await run(sql`
      delete from person_distinct_ids where ${mine} and distinct_id in (
        select distinct_id from person_distinct_ids where ${mine} limit ${CHUNK})`)
    await run(sql`delete from persons where ${mine} and id in (select id from persons where ${mine} limit ${CHUNK})`)
    await run(sql`
      delete from person_changes where ${mine} and seq in (
        select seq from person_changes where ${mine} limit ${CHUNK})`)
    await run(sql`
      delete from session_changes where ${mine} and seq in (
        select seq from session_changes where ${mine} limit ${CHUNK})`)
    await run(sql`
      delete from event_sessions where ${mine} and session_id in (
        select session_id from event_sessions where ${mine} limit ${CHUNK})`)
    await run(sql`
      delete from event_deletions where ${mine} and distinct_id in (
        select distinct_id from event_deletions where ${mine} limit ${CHUNK})`)
    await run(sql`
      delete from event_counts where ${mine} and (hour, event) in (
        select hour, event from event_counts where ${mine} limit ${CHUNK})`)
    return removed
  }

  /** Pauses after each chunk for as long as the chunk took, which leaves at least half of the time to ingestion. */
  async function inChunks(removeSome: () => Promise<number>): Promise<number> {
    let removed = 0
    while (!loop.stopped) {
      const start = performance.now()
      const count = await removeSome()
      removed += count
      if (count < CHUNK) break
      await sleep(performance.now() - start)
    }
    return removed
  }

  return {
    start: () => loop.start(FIRST_ROUND_MS),
    wake: loop.wake,
    work: async () => {
      await loop.idle()
      await work()
    },
    stop: loop.stop,
  }
}
