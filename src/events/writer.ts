import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError, errorCode, unavailable } from '../errors.ts'
import { type Database, isLostRace } from '../sql/db.ts'
import { ingest } from './ingest.ts'
import type { NewEvent } from './normalize-event.ts'

/** Requests share a transaction up to this many events. A commit costs as much as about ten rows. */
const GROUP_EVENTS = 1_000
/** Bounds the memory of queued events on a slow disk. One request is always accepted. */
const QUEUE_BYTES = 64 * 1024 * 1024
/** A project may queue twice as much as stays free: two thirds of the memory alone, and never all of it. */
const SHARE_OF_FREE = 2
/** The memory of an event in addition to its properties. */
const EVENT_BYTES = 500
/** PostgreSQL: the share of the connections that commit events. */
const SHARE_OF_POOL = 1 / 2
/** The share of these for projects whose last commit failed: a database node that does not respond must not hold all. */
const SHARE_OF_FAILING = 1 / 2
const MAX_ATTEMPTS = 6
const RETRY_MS = 20

/** PostgreSQL error classes: insufficient resources, operator intervention, system error. */
const STORAGE_ERROR = /^(53|57|58)/

/**
 * Writes events to the event store. Concurrent requests share transactions. On SQLite all projects share them. On PostgreSQL
 * each project has its own queue, and the queues commit in parallel: on a cluster, a transaction then concerns one node, and a
 * project whose node is down does not fail the others.
 */
export interface EventWriter {
  /**
   * Resolves when the events, all of one project, are committed. Throws unavailable if they cannot be stored or too many are
   * queued.
   */
  add(events: readonly NewEvent[]): Promise<void>
  /** Throws unavailable if no more events fit, of the project or at all. Call it before decompressing or parsing a request. */
  requireCapacity(project_id?: number): void
  /** The size of the events that wait to be stored. */
  queued_bytes(): number
  /** Rejects new events and resolves when the queues are written. */
  stop(): Promise<void>
}

interface QueuedWrite {
  events: readonly NewEvent[]
  bytes: number
  resolve: () => void
  reject: (error: unknown) => void
}

interface Queue {
  key: number
  writes: QueuedWrite[]
  /** The number of events in `writes`. */
  events: number
  /** Groups that are being committed: at most two, of which the first has inserted its events. */
  committing: number
  isInserting: boolean
  isReady: boolean
  /** Whether the last commit failed. */
  isFailing: boolean
  /** Resolves when the group that was taken last is committed, or has failed once. */
  last: Promise<void>
}

/** The key of the only queue on SQLite. */
const ALL_PROJECTS = 0

const newQueue = (key: number): Queue => ({
  key,
  writes: [],
  events: 0,
  committing: 0,
  isInserting: false,
  isReady: false,
  isFailing: false,
  last: Promise.resolve(),
})

const shareOf = (count: number, share: number): number => Math.max(1, Math.floor(count * share))

interface Committer {
  db: Database
  log: Logger
  /** Called after each commit. */
  onStored?: ((stored: number, duplicates: number) => void) | undefined
}

interface GroupHooks {
  /** Called when the events are inserted. The other changes of the transaction wait for it. */
  onInserted?: () => Promise<void>
  /** Called after each attempt. */
  onAttempted?: () => void
}

/** If a group fails, each of its requests is retried alone. Returns whether the store is available. */
async function commit(committer: Committer, group: QueuedWrite[], hooks: GroupHooks = {}): Promise<boolean> {
  const events = group.flatMap((write) => write.events)
  try {
    await store(committer, events, hooks)
    for (const { resolve } of group) resolve()
    return true
  } catch (error) {
    const isUnavailable = error instanceof AppError && error.code === 'unavailable'
    if (isUnavailable || group.length === 1) for (const { reject } of group) reject(error)
    else for (const write of group) await commit(committer, [write])
    return !isUnavailable
  }
}

async function store(
  { db, log, onStored }: Committer,
  events: readonly NewEvent[],
  { onInserted, onAttempted }: GroupHooks,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const stored = await db.tx((tx) => ingest(tx, events, onInserted)).finally(onAttempted)
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

/** Removes the next group from a queue. */
function take(queue: Queue): QueuedWrite[] {
  let events = 0
  const end = queue.writes.findIndex((write, i) => {
    events += write.events.length
    return i > 0 && events > GROUP_EVENTS
  })
  const group = queue.writes.splice(0, end < 0 ? queue.writes.length : end)
  for (const write of group) queue.events -= write.events.length
  return group
}

/** The memory of queued events, of each project and of all. */
function createCapacity() {
  const bytesOf = new Map<number, number>()
  let bytes = 0
  return {
    bytes: () => bytes,
    require: (project_id: number | undefined, size: number): void => {
      const free = QUEUE_BYTES - bytes - size
      const queued = project_id === undefined ? 0 : (bytesOf.get(project_id) ?? 0) + size
      if (bytes > 0 && (free < 0 || queued > free * SHARE_OF_FREE))
        throw unavailable('Too many events are waiting to be stored. Retry the request.')
    },
    /** A negative size frees memory. */
    hold: (project_id: number, size: number): void => {
      bytes += size
      const queued = (bytesOf.get(project_id) ?? 0) + size
      if (queued) bytesOf.set(project_id, queued)
      else bytesOf.delete(project_id)
    },
  }
}

export function createEventWriter(db: Database, log: Logger, onStored?: Committer['onStored']): EventWriter {
  const max_commits = shareOf(db.pool()?.max ?? 1, SHARE_OF_POOL)
  const max_failing = shareOf(max_commits, SHARE_OF_FAILING)
  const queues = new Map<number, Queue>()
  /** The queues that can commit a group. The first one is next. */
  const ready: Queue[] = []
  const commits = new Set<Promise<void>>()
  let failing = 0
  const capacity = createCapacity()
  let stopped = false

  const requireCapacity = (project_id?: number, size = 0): void => {
    if (stopped) throw unavailable('The server is shutting down. Retry the request.')
    capacity.require(project_id, size)
  }

  function enqueue(project_id: number, write: QueuedWrite): void {
    const key = db.engine === 'sqlite' ? ALL_PROJECTS : project_id
    const queue = queues.get(key) ?? newQueue(key)
    queues.set(key, queue)
    queue.writes.push(write)
    queue.events += write.events.length
    checkReady(queue)
    commitNext()
  }

  /**
   * While a group changes persons, sessions and counts, the next one may insert its events if it is full. It waits for the
   * other before its own changes, so these stay in order. A group that inserts never holds a row that the other needs.
   */
  function checkReady(queue: Queue): void {
    const overlaps = queue.committing === 1 && !queue.isInserting && !queue.isFailing && queue.events >= GROUP_EVENTS
    if (queue.isReady || queue.writes.length === 0 || (queue.committing > 0 && !overlaps)) return
    queue.isReady = true
    ready.push(queue)
  }

  function commitNext(): void {
    while (commits.size < max_commits) {
      const next = ready.findIndex(({ isFailing }) => !isFailing || failing < max_failing)
      const [queue] = next < 0 ? [] : ready.splice(next, 1)
      if (!queue) return
      const done = commitGroup(queue).then(() => {
        commits.delete(done)
        commitNext()
      })
      commits.add(done)
    }
  }

  async function commitGroup(queue: Queue): Promise<void> {
    const wasFailing = queue.isFailing
    if (wasFailing) failing++
    queue.isReady = false
    queue.isInserting = true
    queue.committing++
    // Requests that arrive in the same event-loop tick share a transaction.
    await turn()
    const group = take(queue)
    const previous = queue.last
    let onAttempted = (): void => undefined
    queue.last = new Promise((resolve) => {
      onAttempted = resolve
    })
    let attempts = 0
    const onInserted = async (): Promise<void> => {
      // A retry waits for nothing: the next group may hold the lock of an event that both contain.
      if (++attempts > 1) return
      queue.isInserting = false
      checkReady(queue)
      commitNext()
      await previous
    }
    queue.isFailing = !(await commit({ db, log, onStored }, group, { onInserted, onAttempted }))
    for (const { events, bytes } of group) if (events[0]) capacity.hold(events[0].project_id, -bytes)
    queue.committing--
    if (attempts === 0) queue.isInserting = false
    if (wasFailing) failing--
    checkReady(queue)
    if (queue.committing === 0 && queue.writes.length === 0 && !queue.isFailing) queues.delete(queue.key)
  }

  return {
    requireCapacity: (project_id) => requireCapacity(project_id),
    queued_bytes: capacity.bytes,
    add: async (events) => {
      const [first] = events
      if (!first) return
      const size = events.reduce((sum, event) => sum + event.properties.length + EVENT_BYTES, 0)
      requireCapacity(first.project_id, size)
      capacity.hold(first.project_id, size)
      return new Promise<void>((resolve, reject) => enqueue(first.project_id, { events, bytes: size, resolve, reject }))
    },
    stop: async () => {
      stopped = true
      while (commits.size) await Promise.all(commits)
    },
  }
}
