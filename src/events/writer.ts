import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError, unavailable } from '../errors.ts'
import { type Db, isLostRace } from '../sql/db.ts'
import { ingest } from './ingest.ts'
import type { NewEvent } from './normalize-event.ts'

/** Requests share a transaction up to this many events: a commit costs about what ten rows cost. */
const GROUP_EVENTS = 1_000
/** What may wait to be written, so that a slow disk fills no memory. One request is always taken. */
const QUEUE_BYTES = 64 * 1024 * 1024
/** An event in memory beside its properties. */
const EVENT_BYTES = 500
const ATTEMPTS = 6
const PAUSE_MS = 20

/** PostgreSQL is short of something, or of its disk: nothing that the sender did. */
const NO_STORAGE = /^(53|57|58)/

/** The one way for events into their store. */
export interface EventWriter {
  /** Resolves when all of them are stored for good. Throws unavailable when that cannot be, and when too many wait. */
  add(events: readonly NewEvent[]): Promise<void>
  /** Throws unavailable when too many wait: worth knowing before a request is unpacked. */
  demandRoom(): void
  /** Takes nothing more, and resolves when all that was taken is written. */
  stop(): Promise<void>
}

interface Waiting {
  events: readonly NewEvent[]
  bytes: number
  done: () => void
  failed: (error: unknown) => void
}

export function createWriter(db: Db, log: Logger): EventWriter {
  const queue: Waiting[] = []
  let bytes = 0
  let stopped = false
  let working: Promise<void> | undefined

  const demandRoom = (more = 0): void => {
    if (stopped) throw unavailable('This server is shutting down. Send the events to another one, or again.')
    if (bytes > 0 && bytes + more > QUEUE_BYTES)
      throw unavailable('More events arrive than can be stored. Send these again in a moment.')
  }

  async function work(): Promise<void> {
    while (queue.length) {
      // What arrives in the same turn of the event loop goes into the same transaction.
      await turn()
      const group = take()
      await commit(group)
      for (const waiting of group) bytes -= waiting.bytes
    }
    working = undefined
  }

  function take(): Waiting[] {
    let [count, events] = [0, 0]
    do events += queue[count++]!.events.length
    while (count < queue.length && events + queue[count]!.events.length <= GROUP_EVENTS)
    return queue.splice(0, count)
  }

  /** Everybody hears of their own events: a group that fails is tried again one by one. */
  async function commit(group: Waiting[]): Promise<void> {
    try {
      await store(group.length === 1 ? group[0]!.events : group.flatMap(({ events }) => events))
      for (const { done } of group) done()
    } catch (error) {
      if (group.length === 1 || (error instanceof AppError && error.code === 'unavailable'))
        for (const { failed } of group) failed(error)
      else for (const waiting of group) await commit([waiting])
    }
  }

  async function store(events: readonly NewEvent[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await db.tx((tx) => ingest(tx, events))
        return
      } catch (error) {
        const code = String((error as { code?: string }).code)
        if (isLostRace(error) && attempt < ATTEMPTS) await sleep(Math.random() * PAUSE_MS * attempt)
        else if (NO_STORAGE.test(code)) {
          log.error({ err: error }, 'storing events failed')
          throw unavailable('The events cannot be stored now. Send them again in a moment.')
        } else throw error
      }
    }
  }

  return {
    demandRoom: () => demandRoom(),
    add: async (events) => {
      if (events.length === 0) return
      const size = events.reduce((sum, event) => sum + event.properties.length + EVENT_BYTES, 0)
      demandRoom(size)
      bytes += size
      const stored = new Promise<void>((done, failed) => queue.push({ events, bytes: size, done, failed }))
      working ??= work()
      return stored
    },
    stop: async () => {
      stopped = true
      await working
    },
  }
}
