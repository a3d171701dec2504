/** Deletes the events of deleted projects and persons, events past their project's retention, and other expired rows. */
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { createLoop, type Loop, type LoopLog } from '../background/loop.ts'
import { createSetAside } from '../background/set-aside.ts'
import { either } from '../hogql/typed.ts'
import type { Db } from '../sql/db.ts'
import { oneOf, type Sql, sql } from '../sql/template.ts'
import { deleteEvents } from './counts.ts'
import { eachProject } from './each-project.ts'
import { forgetDeletions, removeMirror, resetMirror, unusedMirrors } from './mirrors.ts'

/** Rows per statement. Ingestion waits for one transaction at most. */
const CHUNK = 200
/** Ingestion caches project tokens for a moment, so a deleted project is checked again before it leaves the queue. */
const GRACE_MS = 60_000
const FIRST_ROUND_MS = 5_000
const ROUND_MS = 600_000
const DAY_MS = 86_400_000
/** Exports that are further behind deliver the latest change of a person only. */
const CHANGES_MS = 7 * DAY_MS
/** A mirror whose node was away for longer begins again. */
const UNUSED_MS = 7 * DAY_MS

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
  /** Deletes expired rows of the administration database, until the work is stopped. */
  removeExpired(work: { readonly stopped: boolean }): Promise<void>
}

export interface PurgerOptions {
  events: Db
  purges: Purges
  now: () => string
  log: LoopLog
}

/** Wake it after a project is deleted. */
export type Purger = Loop

/** The parts of a purger that its deletions use. */
interface Deletions {
  events: Db
  loop: { readonly stopped: boolean }
}

/** Pauses after each chunk for as long as the chunk took, which leaves at least half of the time to ingestion. */
async function inChunks({ loop }: Deletions, removeSome: () => Promise<number>): Promise<number> {
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

/** Reads a table in the order of a key, page by page. `each` returns whether to go on. Other requests get their turn. */
async function eachPage<Row, Key>(
  { loop }: Deletions,
  first: Key,
  keyOf: (row: Row) => Key,
  read: (after: Key) => Promise<Row[]>,
  each: (rows: Row[]) => Promise<boolean>,
): Promise<void> {
  for (let after = first; !loop.stopped; ) {
    const rows = await read(after)
    const last = rows.at(-1)
    if (!last || !(await each(rows))) return
    after = keyOf(last)
    await turn()
  }
}

/** The tables of a project besides `events`, and the key of each within the project. */
const TABLES: [table: Sql, key: Sql][] = [
  [sql`person_distinct_ids`, sql`distinct_id`],
  [sql`persons`, sql`id`],
  [sql`person_changes`, sql`seq`],
  [sql`session_changes`, sql`seq`],
  [sql`event_sessions`, sql`session_id`],
  [sql`event_deletions`, sql`distinct_id`],
  [sql`event_counts`, sql`hour, event`],
  [sql`mirror_segments`, sql`node, from_position`],
  [sql`mirror_deletions`, sql`node, position, seq`],
]

/** Returns the number of deleted events. */
async function removeProject(deletions: Deletions, project_id: number): Promise<number> {
  const { events } = deletions
  const mine = sql`project_id = ${project_id}`
  const some = sql`uuid in (select uuid from events where ${mine} limit ${CHUNK})`
  // First, so that the deletions of its events are not recorded.
  await events.run(sql`delete from mirrors where ${mine}`)
  const removed = await inChunks(deletions, () => deleteEvents(events, project_id, some))
  for (const [table, key] of TABLES)
    await inChunks(deletions, () =>
      events.run(sql`
        delete from ${table} where ${mine} and (${key}) in (select ${key} from ${table} where ${mine} limit ${CHUNK})`),
    )
  return removed
}

/** Deletes sessions that ended before a time. An index on that time would slow down ingestion. */
function pruneSessions(deletions: Deletions, project_id: number, before: number): Promise<void> {
  const { events } = deletions
  return eachPage<{ session_id: string; end_timestamp: number }, string>(
    deletions,
    '',
    ({ session_id }) => session_id,
    (after) =>
      events.all(sql`
        select session_id, end_timestamp from event_sessions
        where project_id = ${project_id} and session_id > ${after} order by session_id limit ${CHUNK}`),
    async (rows) => {
      const expired = rows.filter(({ end_timestamp }) => end_timestamp < before).map(({ session_id }) => session_id)
      if (expired.length)
        await events.run(sql`
          delete from event_sessions
          where project_id = ${project_id} and end_timestamp < ${before} and session_id in ${oneOf(expired)}`)
      return true
    },
  )
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

/**
 * Deletes the entries of a project from before a time (microseconds) that a later change replaced. Exports that have not
 * read them deliver the later change. Pages are within a project: SQLite uses only the project of `(project_id, seq)`,
 * and would read all earlier entries for each page.
 */
function pruneChanges(deletions: Deletions, entries: Replaceable, project_id: number, before: number): Promise<void> {
  const { events } = deletions
  const { table, state, isReplaced } = entries
  return eachPage<{ seq: number; changed_at: number; replaced: boolean | number }, number>(
    deletions,
    0,
    ({ seq }) => seq,
    (after) =>
      events.all(sql`
        select e.seq, e.changed_at, ${isReplaced} as replaced from ${table} e ${state(project_id)}
        where e.project_id = ${project_id} and e.seq > ${after} order by e.seq limit ${CHUNK}`),
    async (rows) => {
      // Entries are in the order of their times, so all later ones stay too.
      const old = rows.filter(({ changed_at }) => changed_at < before)
      const replaced = old.filter((entry) => entry.replaced).map(({ seq }) => seq)
      if (replaced.length)
        await events.run(sql`delete from ${table} where project_id = ${project_id} and seq in ${oneOf(replaced)}`)
      return old.length === rows.length
    },
  )
}

/** Removes mirrors whose nodes are gone: each deleted event adds a row for every node. */
async function removeUnusedMirrors(deletions: Deletions, before: string): Promise<void> {
  const { events, loop } = deletions
  for (const owner of await unusedMirrors(events, before)) {
    await resetMirror(events, owner)
    await inChunks(deletions, () => forgetDeletions(events, owner, before, CHUNK))
    if (loop.stopped) return
    await removeMirror(events, owner, before)
  }
}

interface EventDeletion {
  distinct_id: string
  /** Microseconds. */
  before: number
}

/** Deletes the events of a distinct id from before the deletion of its person. Returns their number. */
function removeEventsOf(deletions: Deletions, project_id: number, { distinct_id, before }: EventDeletion) {
  const { events } = deletions
  const mine = sql`project_id = ${project_id} and distinct_id = ${distinct_id}`
  const some = sql`from events where ${mine} and created_at < ${before} order by timestamp, uuid limit ${CHUNK}`
  return inChunks(deletions, async () => {
    await events.run(sql`delete from event_sessions where ${mine} and session_id in (select ${SESSION_ID} ${some})`)
    return deleteEvents(events, project_id, sql`uuid in (select uuid ${some})`)
  })
}

export function createPurger({ events, purges, now, log }: PurgerOptions): Purger {
  const loop = createLoop({
    name: 'purger',
    round: async () => ((await work()) > 0 ? GRACE_MS : ROUND_MS),
    first_ms: FIRST_ROUND_MS,
    retry_ms: ROUND_MS,
    onError: (error) => log.error({ err: error }, 'deleting expired rows failed; the next round retries'),
  })
  const deletions: Deletions = { events, loop }

  const reachable = createSetAside<number>({
    onFailure: (error, project) =>
      log.error({ err: error, project }, 'deleting expired rows of a project failed; retrying'),
  })

  let pruned_at = 0

  const milliseconds = (): number => Date.parse(now())

  /** Returns how many projects and persons need another round. */
  async function work(): Promise<number> {
    await purges.deletePersons(new Date(milliseconds() - GRACE_MS).toISOString())
    let left = await removeDeletedPersons()
    for (const queued of reachable.due(await purges.queued(), projectOf)) if (!(await removeQueued(queued))) left++
    const isDaily = milliseconds() - pruned_at >= DAY_MS
    for (const { project_id, days } of reachable.due(await purges.retentions(), projectOf))
      await reachable.attempt(project_id, () => removeOlder(project_id, days, isDaily))
    if (isDaily) {
      pruned_at = milliseconds()
      const before = (milliseconds() - CHANGES_MS) * 1000
      await eachProject(purges.projects, loop, reachable, async (project_id) => {
        for (const entries of REPLACEABLE) await pruneChanges(deletions, entries, project_id, before)
      })
      await removeUnusedMirrors(deletions, new Date(milliseconds() - UNUSED_MS).toISOString())
    }
    await purges.removeExpired(loop)
    return left
  }

  /** Returns false if the project stays in the queue. */
  async function removeQueued({ project_id, queued_at }: QueuedProject): Promise<boolean> {
    const removed = await reachable.attempt(project_id, () => removeProject(deletions, project_id))
    if (removed) log.info({ project: project_id, removed }, 'deleted the events of a deleted project')
    if (removed === undefined || loop.stopped || milliseconds() - Date.parse(queued_at) < GRACE_MS) return false
    await purges.done(project_id)
    return true
  }

  /** Deletes the events that are older than the retention of their project. */
  async function removeOlder(project_id: number, days: number, withSessions: boolean): Promise<void> {
    const oldest = (milliseconds() - days * DAY_MS) * 1000
    const expired = sql`uuid in (
      select uuid from events where project_id = ${project_id} and timestamp < ${oldest} order by timestamp limit ${CHUNK})`
    const removed = await inChunks(deletions, () =>
      deleteEvents(events, project_id, expired, async (positions) => purges.expired?.(project_id, positions)),
    )
    if (removed) log.info({ project: project_id, removed }, 'deleted events past the retention of their project')
    if (withSessions) await pruneSessions(deletions, project_id, oldest)
  }

  /**
   * Deletes the events of deleted persons. A request that arrived before the deletion may be stored after it, so an id
   * stays queued for a while. Returns the number of ids that stay.
   */
  async function removeDeletedPersons(): Promise<number> {
    let left = 0
    await eachProject(purges.projects, loop, reachable, (project_id) =>
      eachPage<EventDeletion, string>(
        deletions,
        '',
        ({ distinct_id }) => distinct_id,
        (after) =>
          events.all(sql`
            select distinct_id, before from event_deletions where project_id = ${project_id} and distinct_id > ${after}
            order by distinct_id limit ${CHUNK}`),
        async (queued) => {
          for (const deletion of queued) {
            const removed = await removeEventsOf(deletions, project_id, deletion)
            if (removed) log.info({ project: project_id, removed }, 'deleted the events of a deleted person')
            const { distinct_id, before } = deletion
            if (loop.stopped || milliseconds() - before / 1000 < GRACE_MS) left++
            else
              await events.run(sql`
                delete from event_deletions
                where project_id = ${project_id} and distinct_id = ${distinct_id} and before = ${before}`)
          }
          return true
        },
      ),
    )
    return left
  }

  return loop
}
