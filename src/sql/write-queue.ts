/**
 * Serializes the writes to a SQLite database. Concurrent writes share one transaction and one fsync. The fsync runs in the
 * thread pool and does not block the event loop.
 */
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises'
import type Sqlite from 'better-sqlite3'
import { errorCode, unavailable } from '../errors.ts'
import type { RunInContext } from './db.ts'

/** How long a write waits for another process's transaction before it fails with `unavailable`. */
const BUSY_TIMEOUT_MS = 10_000
const BUSY_RETRY_MS = 5
/** Bounds a transaction, so that pending reads run in between. */
const MAX_GROUP_SIZE = 50

/** How long the statements of a transaction may block the event loop. */
const MAX_BLOCK_MS = 0.2

/** Runs a statement and measures it. */
export type Timed = <Result>(text: string, work: () => Result) => Result

interface Write {
  /** Runs work in the context of the caller. */
  inContext: RunInContext
  /** Does the work and returns the function that resolves the caller's promise. */
  work: () => Promise<() => void>
  /** Whether the work runs in a shared transaction, in a transaction of its own, or in none. */
  mode: 'grouped' | 'isolated' | 'exclusive'
  /** Set when the write is queued, so all writes that wait for the same lock time out together. */
  deadline: number
  reject(error: unknown): void
}

/** `settle` resolves the caller's promise, or rejects it if the work failed. */
interface Settlement {
  settle(): void
  reject(error: unknown): void
}

export interface WriteQueue {
  /**
   * Runs `work` in a transaction. Resolves once the commit is durable; an error undoes the work. If a shared transaction
   * fails as a whole, `work` runs a second time in a separate transaction.
   */
  grouped<Result>(work: () => Promise<Result>): Promise<Result>
  /** Before each statement of a transaction. Lets reads run if the transaction has blocked the event loop for too long. */
  yieldIfDue(): Promise<void>
  /** Resolves when everything committed so far, by any process, is on disk. */
  sync(): Promise<void>
  /** Why the last write failed, if the disk refused it. Undefined after a write that succeeded. */
  failure(): unknown
  /** Runs `work` outside a transaction. */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result>
}

const inAnyContext: RunInContext = (work) => work()

/** `sync` resolves when everything that `writer` has committed is on disk. */
export function createWriteQueue(
  writer: Sqlite.Database,
  timed: Timed,
  sync: () => Promise<void>,
  snapshot: () => RunInContext = () => inAnyContext,
): WriteQueue {
  const begin = writer.prepare('begin immediate')
  const commit = writer.prepare('commit')
  const rollback = writer.prepare('rollback')
  const savepoint = writer.prepare('savepoint write')
  const release = writer.prepare('release write')
  const rollbackToSavepoint = writer.prepare('rollback to write')
  const queue: Write[] = []
  let draining = false
  /** When the current transaction began, or yielded last. */
  let resumed_at = 0
  let failure: unknown
  const acknowledgments = createAcknowledgments(sync, (error) => {
    failure = error
  })

  /** Turns a storage failure into `unavailable` and remembers it; returns any other error unchanged. */
  const describe = (error: unknown): unknown => {
    const described = describeStorageError(error)
    if (described !== error) failure = described
    return described
  }

  const enqueue = <Result>(work: () => Promise<Result>, mode: Write['mode']): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      const resolvable = async (): Promise<() => void> => {
        const result = await work()
        return () => resolve(result)
      }
      queue.push({ inContext: snapshot(), work: resolvable, mode, deadline: busyDeadline(), reject })
      if (!draining) void drain()
    })

  async function drain(): Promise<void> {
    draining = true
    // Writes queued in the same event-loop tick join the same transaction.
    for (await nextTick(); queue[0]; await nextTick())
      if (queue[0].mode === 'exclusive') await runExclusive(queue[0])
      else await runTransaction(queue[0])
    draining = false
  }

  async function runExclusive({ work, deadline, reject }: Write): Promise<void> {
    queue.shift()
    await acknowledgments.done()
    try {
      acknowledgments.add([{ settle: await retryWhileBusy(work, deadline), reject }])
    } catch (error) {
      reject(describe(error))
    }
    await acknowledgments.done()
  }

  async function runTransaction(first: Write): Promise<void> {
    try {
      await retryWhileBusy(async () => begin.run(), first.deadline)
    } catch (error) {
      queue.shift()
      return first.reject(describe(error))
    }
    resumed_at = performance.now()
    const group = queue.splice(0, groupSize(first))
    const writes: Settlement[] = []
    try {
      for (const write of group) writes.push({ settle: await runInSavepoint(write), reject: write.reject })
      first.inContext(() => timed('commit', () => commit.run()))
    } catch (error) {
      // Nothing is committed and no promise is settled yet.
      if (writer.inTransaction) rollback.run()
      if (group.length === 1) return first.reject(describe(error))
      // Retry each write separately, so that only the writes that cannot succeed fail.
      for (const write of group) write.mode = 'isolated'
      queue.unshift(...group)
      return
    }
    acknowledgments.add(writes)
  }

  function groupSize(first: Write): number {
    if (first.mode === 'isolated') return 1
    const end = queue.findIndex(({ mode }) => mode !== 'grouped')
    return Math.min(end < 0 ? queue.length : end, MAX_GROUP_SIZE)
  }

  /** Returns the function that settles the caller's promise after the commit. Throws if SQLite rolled back everything. */
  async function runInSavepoint({ inContext, work, reject }: Write): Promise<() => void> {
    savepoint.run()
    try {
      const settle = await inContext(work)
      release.run()
      return () => {
        failure = undefined
        settle()
      }
    } catch (error) {
      if (!writer.inTransaction) throw error
      rollbackToSavepoint.run()
      release.run()
      return () => reject(describe(error))
    }
  }

  return {
    grouped: (work) => enqueue(work, 'grouped'),
    yieldIfDue: async () => {
      if (performance.now() - resumed_at < MAX_BLOCK_MS) return
      await nextTick()
      resumed_at = performance.now()
    },
    // Through the queue of acknowledgments: the kernel reports a failed fsync only once.
    sync: () => new Promise((settle, reject) => acknowledgments.add([{ settle, reject }])),
    failure: () => failure,
    exclusive: (work) => enqueue(work, 'exclusive'),
  }
}

/** Settles writes that are committed once they are on disk. Commits that arrive during an fsync share the next one. */
function createAcknowledgments(sync: () => Promise<void>, onFailure: (error: unknown) => void) {
  let committed: Settlement[] = []
  let flushing: Promise<void> | undefined
  /** After a failed fsync the kernel may drop unwritten pages, so no later write is acknowledged either. */
  let sync_error: unknown

  function rejectAll(writes: Settlement[]): void {
    for (const { reject } of writes) reject(sync_error)
  }

  async function flush(): Promise<void> {
    while (committed.length > 0) {
      const writes = committed
      committed = []
      try {
        await sync()
      } catch (error) {
        sync_error = unavailable(SYNC_FAILED, error)
        onFailure(sync_error)
        rejectAll([...writes, ...committed.splice(0)])
        break
      }
      for (const { settle } of writes) settle()
    }
    flushing = undefined
  }

  return {
    add: (writes: Settlement[]): void => {
      if (sync_error) rejectAll(writes)
      else {
        committed.push(...writes)
        flushing ??= flush()
      }
    },
    /** Resolves when no fsync is running. */
    done: async (): Promise<void> => flushing,
  }
}

export const isBusy = (error: unknown): boolean => errorCode(error).startsWith('SQLITE_BUSY')

const busyDeadline = (): number => performance.now() + BUSY_TIMEOUT_MS

export async function retryWhileBusy<Result>(work: () => Promise<Result>, deadline = busyDeadline()): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > deadline) throw unavailable('The database is busy. Retry in a moment.')
      await sleep(BUSY_RETRY_MS)
    }
  }
}

const STORAGE_ERRORS: [code: RegExp, message: string][] = [
  [/^SQLITE_FULL/, 'The disk is full, so the database cannot be written. Free some space and retry.'],
  [/^SQLITE_IOERR/, 'Writing the database to disk failed. Check the system log of its machine, then retry.'],
  [
    /^SQLITE_(READONLY|CANTOPEN|PERM)/,
    'The database file cannot be opened or written by this user. Check the permissions of its folder.',
  ],
]

const SYNC_FAILED =
  'Writing the database to disk failed, and no further change is accepted. Check the disk, then restart the server.'

function describeStorageError(error: unknown): unknown {
  const known = STORAGE_ERRORS.find(([pattern]) => pattern.test(errorCode(error)))
  return known ? unavailable(known[1], error) : error
}
