/** Removes what is to be forgotten: events of projects that are gone, and those older than their project keeps them. */
import { setTimeout as timer } from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../sql/db.ts'
import { type Sql, sql } from '../sql/template.ts'

/** Rows of one transaction: ingestion waits for no more than that. */
const CHUNK = 1_000
/** Ingestion believes for a moment longer that a project is there, so it is looked at again before it is forgotten. */
const GRACE_MS = 60_000
const FIRST_LOOK_MS = 5_000
const LOOK_AGAIN_MS = 600_000
const DAY_MS = 86_400_000

/** What administration knows of it. The queue is a table, so a crash forgets nothing. */
export interface Purges {
  queued(): Promise<{ project_id: number; queued_at: string }[]>
  done(project_id: number): Promise<void>
  retentions(): Promise<{ project_id: number; days: number }[]>
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
  /** Begins to work by itself, until it is stopped. */
  start(): void
  /** There is something to remove. */
  wake(): void
  /** One round: everything that is due now. */
  work(): Promise<void>
  stop(): Promise<void>
}

export function createPurger({ events, purges, now, log }: PurgerOptions): Purger {
  let working: Promise<void> | undefined
  let again = false
  let started = false
  let stopped = false
  let next: NodeJS.Timeout | undefined

  function wake(): void {
    if (!started || stopped) return
    again = true
    working ??= round()
  }

  async function round(): Promise<void> {
    clearTimeout(next)
    let left = 0
    try {
      while (again && !stopped) {
        again = false
        left = await work()
      }
    } catch (error) {
      log.error({ err: error }, 'events could not be removed; the next round tries again')
    }
    // No await between the last check of `again` and this line: a wake-up in between would be lost.
    working = undefined
    if (!stopped) next = timer(wake, left ? GRACE_MS : LOOK_AGAIN_MS).unref()
  }

  /** Answers how many projects have to be looked at again. */
  async function work(): Promise<number> {
    let left = 0
    for (const { project_id, queued_at } of await purges.queued()) {
      const removed = await removeProject(project_id)
      if (removed) log.info({ project: project_id, removed }, 'removed the events of a project that is gone')
      if (stopped || Date.parse(now()) - Date.parse(queued_at) < GRACE_MS) left++
      else await purges.done(project_id)
    }
    for (const { project_id, days } of await purges.retentions()) {
      const oldest = (Date.parse(now()) - days * DAY_MS) * 1000
      const removed = await inChunks(sql`
        delete from events where project_id = ${project_id} and uuid in (
          select uuid from events where project_id = ${project_id} and timestamp < ${oldest}
          order by timestamp limit ${CHUNK})`)
      if (removed)
        log.info({ project: project_id, removed }, 'removed events that are older than their project keeps them')
    }
    return left
  }

  async function removeProject(project_id: number): Promise<number> {
    const mine = sql`project_id = ${project_id}`
    const removed = await inChunks(
      sql`delete from events where ${mine} and uuid in (select uuid from events where ${mine} limit ${CHUNK})`,
    )
    await inChunks(sql`
      delete from person_distinct_ids where ${mine} and distinct_id in (
        select distinct_id from person_distinct_ids where ${mine} limit ${CHUNK})`)
    await inChunks(
      sql`delete from persons where ${mine} and id in (select id from persons where ${mine} limit ${CHUNK})`,
    )
    return removed
  }

  /** Each chunk is followed by a pause as long as it took, so that ingestion has at least half of the time. */
  async function inChunks(statement: Sql): Promise<number> {
    let removed = 0
    while (!stopped) {
      const start = performance.now()
      const count = await events.run(statement)
      removed += count
      if (count < CHUNK) break
      await sleep(performance.now() - start)
    }
    return removed
  }

  return {
    start: () => {
      started = true
      next = timer(wake, FIRST_LOOK_MS).unref()
    },
    wake,
    work: async () => {
      await working
      await work()
    },
    stop: async () => {
      stopped = true
      clearTimeout(next)
      await working
    },
  }
}
