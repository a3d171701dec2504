/** Who writes to a SQLite database, in turn: those who ask at the same time share a transaction, and its sync to the disk. */
import { setImmediate as nextLoop, setTimeout as sleep } from 'node:timers/promises'
import type Sqlite from 'better-sqlite3'
import { unavailable } from '../errors.ts'

/** How long a writer waits for another process's transaction before it answers "unavailable". */
const BUSY_DEADLINE_MS = 10_000
const BUSY_PAUSE_MS = 5
/** Who comes later waits for the next transaction: requests that only read want to be served in between. */
const MOST_TOGETHER = 50

interface Turn {
  work: () => Promise<unknown>
  /** In a transaction with others, in one of its own, outside of any. */
  way: 'together' | 'apart' | 'alone'
  /** Holds from the asking, not from the turn: ten writes behind a held lock do not wait ten times as long. */
  deadline: number
  resolve(result: any): void
  reject(error: unknown): void
}

export interface Turns {
  /**
   * In a transaction, as if nobody else wrote. Resolves when it is on the disk; what throws leaves nothing behind. The work
   * is done a second time, by itself, where a transaction with others came to nothing.
   */
  together<Result>(work: () => Promise<Result>): Promise<Result>
  /** Outside of any transaction. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
}

export function turnsOn(writer: Sqlite.Database, timed: <Result>(work: () => Result) => Result): Turns {
  const begin = writer.prepare('begin immediate')
  const commit = writer.prepare('commit')
  const rollback = writer.prepare('rollback')
  const mark = writer.prepare('savepoint turn')
  const keep = writer.prepare('release turn')
  const undo = writer.prepare('rollback to turn')
  const waiting: Turn[] = []
  let busy = false

  const ask = <Result>(work: () => Promise<Result>, way: Turn['way']): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ work, way, deadline: busyDeadline(), resolve, reject })
      if (!busy) void serve()
    })

  async function serve(): Promise<void> {
    busy = true
    while (waiting.length) {
      // Whoever asks in the same round of the event loop comes along.
      await nextLoop()
      if (waiting[0]!.way === 'alone') await serveAlone(waiting.shift()!)
      else await transact()
    }
    busy = false
  }

  async function serveAlone({ work, deadline, resolve, reject }: Turn): Promise<void> {
    await retrying(work, deadline).then(resolve, (error) => reject(translated(error)))
  }

  async function transact(): Promise<void> {
    try {
      await retrying(async () => begin.run(), waiting[0]!.deadline)
    } catch (error) {
      return waiting.shift()!.reject(translated(error))
    }
    const turns = waiting.splice(0, howMany())
    const endings: (() => void)[] = []
    try {
      for (const turn of turns) endings.push(await outcome(turn))
      timed(() => commit.run())
    } catch (error) {
      // Nobody's work is there, and nobody has been told anything yet.
      if (writer.inTransaction) rollback.run()
      if (turns.length === 1) return turns[0]!.reject(translated(error))
      // One of them needs more than there is, or is wrong as a whole: everybody hears of their own.
      for (const turn of turns) turn.way = 'apart'
      waiting.unshift(...turns)
      return
    }
    for (const end of endings) end()
  }

  /** Those who go into the next transaction. */
  function howMany(): number {
    if (waiting[0]!.way === 'apart') return 1
    const end = waiting.findIndex(({ way }) => way !== 'together')
    return Math.min(end < 0 ? waiting.length : end, MOST_TOGETHER)
  }

  /** What to tell once the transaction is on the disk. Throws when SQLite has given up all of it, as on a full disk. */
  async function outcome({ work, resolve, reject }: Turn): Promise<() => void> {
    mark.run()
    try {
      const result = await work()
      keep.run()
      return () => resolve(result)
    } catch (error) {
      if (!writer.inTransaction) throw error
      undo.run()
      keep.run()
      return () => reject(translated(error))
    }
  }

  return { together: (work) => ask(work, 'together'), alone: (work) => ask(work, 'alone') }
}

export const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY')

/** Also of what is no error at all: anything can be thrown. */
const codeOf = (error: unknown): string => String((error as { code?: unknown } | null | undefined)?.code)

const busyDeadline = (): number => performance.now() + BUSY_DEADLINE_MS

export async function retrying<Result>(work: () => Promise<Result>, deadline = busyDeadline()): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > deadline) throw unavailable('The database is busy. Try again in a moment.')
      await sleep(BUSY_PAUSE_MS)
    }
  }
}

/** What a caller may be told where nothing can be written, for no fault of theirs. */
const NO_STORAGE: [code: RegExp, sentence: string][] = [
  [/^SQLITE_FULL/, 'The disk is full: the database cannot be written. Free some space and try again.'],
  [/^SQLITE_IOERR/, "The disk does not take what is written to the database. Look into its machine's log; try again."],
  [
    /^SQLITE_(READONLY|CANTOPEN|PERM)/,
    "The database's file cannot be opened or written by this user. Check the permissions of its folder.",
  ],
]

/** A failure of the disk as what may pass; any other as it is. */
function translated(error: unknown): unknown {
  const known = NO_STORAGE.find(([pattern]) => pattern.test(codeOf(error)))
  return known ? unavailable(known[1], error) : error
}
