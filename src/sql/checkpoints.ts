/** Moves the log of a SQLite database into its file, in a thread. A checkpoint in a commit blocks the event loop: up to 847 ms. */
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

/** Pages in the log that start a checkpoint, as in SQLite itself. */
const LOG_PAGES = 1_000
/** While the log is smaller, the thread is not started. */
const LOG_BYTES = LOG_PAGES * 4_096
/** Pages that stop the writers for a moment: otherwise steady writes would let the log grow without end. */
const MAX_LOG_PAGES = 4_000
/** How often the thread looks at the log while there are commits. */
const CHECK_MS = 200
/** Pages in the log at which SQLite itself makes a checkpoint in a commit, if the thread fails. */
export const FALLBACK_PAGES = 20_000

export interface Checkpoints {
  /** Call it after a commit. */
  committed(): void
  stop(): Promise<void>
}

/**
 * `passive` never waits for other connections. `restart` holds the write lock until the log is copied and readers have left
 * it, so the next write begins the log again; writers retry meanwhile.
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads')
const Sqlite = require(workerData.library)
const db = new Sqlite(workerData.file, { timeout: 100 })
const log = (mode) => db.pragma('wal_checkpoint(' + mode + ')')[0]
parentPort.on('message', (message) => {
  if (message === 'stop') {
    db.close()
    return parentPort.close()
  }
  try {
    if (log('noop').log >= workerData.pages) {
      const { log: pages, checkpointed } = log('passive')
      if (pages >= workerData.most && checkpointed < pages) log('restart')
    }
  } catch {
    // The next checkpoint retries.
  }
  parentPort.postMessage('done')
})`

export function createCheckpoints(file: string): Checkpoints {
  let worker: Worker | undefined
  let exited: Promise<unknown> | undefined
  let isBusy = false
  let hasNew = false
  let timer: NodeJS.Timeout | undefined

  function start(): Worker {
    const library = createRequire(import.meta.url).resolve('better-sqlite3')
    const workerData = { file, library, pages: LOG_PAGES, most: MAX_LOG_PAGES }
    const started = new Worker(PROGRAM, { eval: true, execArgv: [], workerData })
    started.unref()
    started.on('message', () => {
      isBusy = false
      if (hasNew) schedule()
    })
    // Without the thread, SQLite makes the checkpoints at `FALLBACK_PAGES`.
    started.on('error', () => undefined)
    exited = new Promise((resolve) => started.once('exit', resolve))
    return started
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      hasNew = false
      if (!worker && (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) < LOG_BYTES) return
      isBusy = true
      worker ??= start()
      worker.postMessage('check')
    }, CHECK_MS).unref()
  }

  return {
    committed: () => {
      hasNew = true
      if (!isBusy) schedule()
    },
    stop: async () => {
      clearTimeout(timer)
      // Terminating a thread while it loads the native library aborts the process.
      worker?.ref()
      worker?.postMessage('stop')
      await exited
    },
  }
}
