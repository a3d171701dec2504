/** Deletes the events of deleted projects, events past their project's retention, and other expired rows. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createLoop } from '../background/loop.ts'
import type { Db } from '../sql/db.ts'
import { type Sql, sql } from '../sql/template.ts'
import { deleteEvents } from './counts.ts'

/** Rows per transaction. Ingestion waits for one transaction at most. */
const CHUNK = 1_000
/** Ingestion caches project tokens for a moment, so a deleted project is checked again before it leaves the queue. */
const GRACE_MS = 60_000
const FIRST_ROUND_MS = 5_000
const ROUND_MS = 600_000
const DAY_MS = 86_400_000

/** The queue of deleted projects and the retention settings, both in the administration database. */
export interface Purges {
  queued(): Promise<{ project_id: number; queued_at: string }[]>
  done(project_id: number): Promise<void>
  retentions(): Promise<{ project_id: number; days: number }[]>
  /** Called with events that the retention deleted. */
  expired?(project_id: number, places: readonly { position: number; seq: number }[]): Promise<void>
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

export function createPurger({ events, purges, now, log }: PurgerOptions): Purger {
  const loop = createLoop({
    round: async () => ((await work()) > 0 ? GRACE_MS : ROUND_MS),
    retry_ms: ROUND_MS,
    onError: (error) => log.error({ err: error }, 'deleting expired rows failed; the next round retries'),
  })

  /** Returns how many projects need another round. */
  async function work(): Promise<number> {
    let left = 0
    for (const { project_id, queued_at } of await purges.queued()) {
      const removed = await removeProject(project_id)
      if (removed) log.info({ project: project_id, removed }, 'deleted the events of a deleted project')
      if (loop.stopped || Date.parse(now()) - Date.parse(queued_at) < GRACE_MS) left++
      else await purges.done(project_id)
    }
    for (const { project_id, days } of await purges.retentions()) {
      const oldest = (Date.parse(now()) - days * DAY_MS) * 1000
      const expired = sql`uuid in (
        select uuid from events where project_id = ${project_id} and timestamp < ${oldest} order by timestamp limit ${CHUNK})`
      const removed = await inChunks(() =>
        deleteEvents(events, project_id, expired, async (places) => purges.expired?.(project_id, places)),
      )
      if (removed) log.info({ project: project_id, removed }, 'deleted events past the retention of their project')
    }
    await purges.removeExpired()
    return left
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
