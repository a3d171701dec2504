import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError, errorCode, unavailable } from '../errors.ts'
import { type Db, isLostRace } from '../sql/db.ts'
import { ingest } from './ingest.ts'
import type { NewEvent } from './normalize-event.ts'

/** Requests share a transaction up to this many events. A commit costs as much as about ten rows. */
const GROUP_EVENTS = 1_000
/** Bounds the memory of queued events on a slow disk. One request is always accepted. */
const QUEUE_BYTES = 64 * 1024 * 1024
/** The memory of an event in addition to its properties. */
const EVENT_BYTES = 500
const MAX_ATTEMPTS = 6
const RETRY_MS = 20

/** PostgreSQL error classes: insufficient resources, operator intervention, system error. */
const STORAGE_ERROR = /^(53|57|58)/

/** Writes events to the event store. Concurrent requests share transactions. */
export interface EventWriter {
  /** Resolves when the events are committed. Throws unavailable if they cannot be stored or the queue is full. */
  add(events: readonly NewEvent[]): Promise<void>
  /** Throws unavailable if the queue is full. Call it before decompressing a request. */
  requireCapacity(): void
  /** The size of the events that wait to be stored. */
  queued_bytes(): number
  /** Rejects new events and resolves when the queue is written. */
  stop(): Promise<void>
}

interface QueuedWrite {
  events: readonly NewEvent[]
  bytes: number
  resolve: () => void
  reject: (error: unknown) => void
}

export function createEventWriter(
  db: Db,
  log: Logger,
  /** Called after each commit. */
  onStored?: (stored: number, duplicates: number) => void,
): EventWriter {
  const queue: QueuedWrite[] = []
  let bytes = 0
  let stopped = false
  let working: Promise<void> | undefined

  const requireCapacity = (size = 0): void => {
    if (stopped) throw unavailable('The server is shutting down. Retry the request.')
    if (bytes > 0 && bytes + size > QUEUE_BYTES)
      throw unavailable('Too many events are waiting to be stored. Retry the request.')
  }

  async function work(): Promise<void> {
    while (queue.length) {
      // Requests that arrive in the same event-loop tick share a transaction.
      await turn()
      const group = take()
      await commit(group)
      for (const write of group) bytes -= write.bytes
    }
    working = undefined
  }

  function take(): QueuedWrite[] {
    let events = 0
    const end = queue.findIndex((write, i) => {
      events += write.events.length
      return i > 0 && events > GROUP_EVENTS
    })
    return queue.splice(0, end < 0 ? queue.length : end)
  }

  /** If a group fails, each of its requests is retried alone. */
  async function commit(group: QueuedWrite[]): Promise<void> {
    try {
      await store(group.flatMap(({ events }) => events))
      for (const { resolve } of group) resolve()
    } catch (error) {
      if (group.length === 1 || (error instanceof AppError && error.code === 'unavailable'))
        for (const { reject } of group) reject(error)
      else for (const write of group) await commit([write])
    }
  }

  async function store(events: readonly NewEvent[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const stored = await db.tx((tx) => ingest(tx, events))
        onStored?.(stored, events.length - stored)
        return
      } catch (error) {
        if (isLostRace(error) && attempt < MAX_ATTEMPTS) await sleep(Math.random() * RETRY_MS * attempt)
        else if (STORAGE_ERROR.test(errorCode(error))) {
          log.error({ err: error }, 'storing events failed')
          throw unavailable('The events cannot be stored now. Retry the request.')
        } else throw error
      }
    }
  }

  return {
    requireCapacity: () => requireCapacity(),
    queued_bytes: () => bytes,
    add: async (events) => {
      if (events.length === 0) return
      const size = events.reduce((sum, event) => sum + event.properties.length + EVENT_BYTES, 0)
      requireCapacity(size)
      bytes += size
      const stored = new Promise<void>((resolve, reject) => queue.push({ events, bytes: size, resolve, reject }))
      working ??= work()
      return stored
    },
    stop: async () => {
      stopped = true
      await working
    },
  }
}
