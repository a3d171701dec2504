/**
 * Everything that reads many events goes through here, so that a slow question hurts nobody but who asked it: lanes with
 * few places, one slow query per project, a deadline that counts from the asking, and, on SQLite, processes to kill.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { AppError, unavailable } from '../errors.ts'
import type { Database } from '../sql/db.ts'
import { compile, type Engine, type Sql } from '../sql/template.ts'
import { isTooLarge, type LaneName, type Question, type Reader, type Reply, tooLarge } from './reader-messages.ts'

export interface ReadOptions {
  project_id: number
  lane: LaneName
  /** Whoever asked has gone: the query is dropped, or killed where it runs. */
  signal?: AbortSignal
}

export interface EventReader {
  readonly engine: Engine
  /**
   * The rows of a statement, each a list in the order of its columns. Throws `query_timeout` at the deadline, waiting
   * included, `result_too_large` where they are too long for one answer, and `unavailable` when the reader died.
   */
  rows<Row extends unknown[] = unknown[]>(query: Sql, options: ReadOptions): Promise<Row[]>
  stop(): Promise<void>
}

export interface EventReaderOptions {
  events: Database
  url: string
  timeout_ms: number
  /** Called with the seconds each query took, waiting included. */
  observe?: (seconds: number) => void
  /** The file that a reader runs. */
  program?: string
  /** Of those that answer slow queries. */
  niceness?: number
}

export async function createEventReader(options: EventReaderOptions): Promise<EventReader> {
  if (options.events.engine === 'postgres') {
    const { openPostgresReaders, PLACES } = await import('./readers-postgres.ts')
    const { open, close } = openPostgresReaders(options.url)
    return schedule(options, PLACES, open, close)
  }
  // One processor is left to the server itself.
  const places = { first: 1, slow: Math.max(1, availableParallelism() - 1) }
  return schedule(options, places, (lane) => spawnReader(options, lane))
}

interface Job {
  project_id: number
  question: Question
  deadline: number
  start(reader: Reader): void
}

function schedule(
  { events: { engine }, timeout_ms, observe }: EventReaderOptions,
  places: Record<LaneName, number>,
  open: (lane: LaneName) => Reader,
  close: () => Promise<void> = async () => undefined,
): EventReader {
  const lanes = { first: makeLane('first'), slow: makeLane('slow') }
  let stopped = false

  function makeLane(name: LaneName) {
    return { name, idle: [] as Reader[], running: new Map<Job, Reader>(), waiting: [] as Job[] }
  }
  type Lane = ReturnType<typeof makeLane>

  /** Starts what may start: the longest waiting first, but of each project one slow query at a time. */
  function next(lane: Lane): void {
    while (!stopped && lane.running.size < places[lane.name]) {
      const busy = new Set(lane.name === 'slow' ? [...lane.running.keys()].map((job) => job.project_id) : [])
      const at = lane.waiting.findIndex((job) => !busy.has(job.project_id))
      if (at < 0) return
      const [job] = lane.waiting.splice(at, 1) as [Job]
      const reader = lane.idle.pop() ?? open(lane.name)
      lane.running.set(job, reader)
      job.start(reader)
    }
  }

  function ask(question: Question, { project_id, lane: laneName, signal }: ReadOptions): Promise<unknown[][]> {
    const lane = lanes[laneName]
    return new Promise((resolve, reject) => {
      const giveUp = (reason: unknown) => (): void => {
        settle()
        const reader = lane.running.get(job)
        if (reader) {
          lane.running.delete(job)
          void reader.discard()
        } else lane.waiting.splice(lane.waiting.indexOf(job), 1)
        reject(reason)
        next(lane)
      }
      const timer = setTimeout(giveUp(timedOut(timeout_ms)), timeout_ms)
      const leave = giveUp(new AppError({ code: 'query_timeout', detail: 'Nobody waits for this query any more.' }))
      const settle = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
      const job: Job = {
        project_id,
        question,
        deadline: performance.now() + timeout_ms,
        start: (reader) => {
          // Whoever gave up has taken the job off the list, and the reader with it.
          const done = (then: () => void): void => {
            if (lane.running.get(job) !== reader) return
            settle()
            lane.running.delete(job)
            then()
            next(lane)
          }
          reader.run(question, Math.max(1, job.deadline - performance.now())).then(
            (rows) =>
              done(() => {
                lane.idle.push(reader)
                resolve(rows)
              }),
            (error) =>
              done(() => {
                if (error instanceof Dead) void reader.discard()
                else lane.idle.push(reader)
                reject(error instanceof Dead ? unavailable(error.message) : translated(error, timeout_ms))
              }),
          )
        },
      }
      if (stopped) return giveUp(unavailable('The server is shutting down.'))()
      if (signal?.aborted) return leave()
      signal?.addEventListener('abort', leave)
      lane.waiting.push(job)
      next(lane)
    })
  }

  return {
    engine,
    rows: async <Row extends unknown[]>(query: Sql, options: ReadOptions) => {
      const start = performance.now()
      try {
        return (await ask(compile(query, engine), options)) as Row[]
      } finally {
        observe?.((performance.now() - start) / 1000)
      }
    },
    stop: async () => {
      if (stopped) return
      stopped = true
      const readers = Object.values(lanes).flatMap((lane) => [...lane.idle.splice(0), ...lane.running.values()])
      await Promise.all(readers.map((reader) => reader.discard()))
      await close()
    },
  }
}

const timedOut = (timeout_ms: number): AppError =>
  new AppError({
    code: 'query_timeout',
    detail: `The query did not finish within ${timeout_ms / 1000} seconds. Ask for a shorter time range, fewer events or a simpler filter.`,
  })

function translated(error: unknown, timeout_ms: number): unknown {
  // PostgreSQL ends a statement by itself, at nearly the same moment as our own timer.
  if ((error as { code?: string }).code === '57014') return timedOut(timeout_ms)
  return isTooLarge(error) ? tooLarge() : error
}

/** The reader is gone, and with it the answer. */
class Dead extends Error {}

/** Beside this file when built; from the sources it runs under their loader, and without a debugger's port. */
const fromSources = import.meta.url.endsWith('.ts')
const PROGRAM = fileURLToPath(new URL(fromSources ? './reader-process.ts' : './reader-process.js', import.meta.url))

/**
 * So that a slow query leaves the processor to those who serve. Of ten slow queries on two busy processors, a first page
 * felt 1.5 to 2.3 times its idle p99 at 10, and 1.2 to 2.1 at 19.
 */
export const NICENESS = 19

/** A process with the database open for reading. It starts now; its first question waits for that. */
function spawnReader({ events, program = PROGRAM, niceness = NICENESS }: EventReaderOptions, lane: LaneName): Reader {
  const child: ChildProcess = fork(program, [events.location, lane], {
    execArgv: program.endsWith('.ts') ? ['--import=tsx'] : [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  // From here, so that its start and the threads it makes are niced too; what is gone already needs none.
  if (lane === 'slow' && child.pid !== undefined) setPriority(child.pid, niceness)
  // Whoever waits for rows holds the process open by the deadline's timer.
  child.unref()
  child.channel?.unref()
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  let asked: { resolve(rows: unknown[][]): void; reject(error: unknown): void } | undefined
  let rows: unknown[][] = []
  child.on('message', (reply: Reply) => {
    const { resolve, reject } = asked!
    if (!reply.failed) for (const row of reply.rows) rows.push(row)
    if (!reply.failed && reply.more) return
    const found = rows
    rows = []
    asked = undefined
    if (reply.failed) reject(Object.assign(new Error(reply.failed.message), { code: reply.failed.code }))
    else resolve(found)
  })
  let dead = false
  void gone.then(() => {
    dead = true
    asked?.reject(new Dead('What reads events stopped unexpectedly. Try again in a moment.'))
  })
  return {
    run: (question) =>
      new Promise((resolve, reject) => {
        asked = { resolve, reject }
        if (dead) reject(new Dead('What reads events had stopped. Try again in a moment.'))
        // A failure to send comes with the end of the process, which rejects.
        else child.send(question, () => undefined)
      }),
    discard: async () => {
      child.ref()
      child.kill('SIGKILL')
      await gone
    },
  }
}
