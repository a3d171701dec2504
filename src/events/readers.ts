/**
 * Schedules the queries that may read many events: lanes with few slots, one slow query per project, and a deadline that
 * includes the time in the queue.
 */
import { AppError, errorCode, unavailable } from '../errors.ts'
import type { Database, Observe } from '../sql/db.ts'
import { compile, type Engine, type Sql } from '../sql/template.ts'
import { isTooLarge, type LaneName, type ReaderBackend, resultTooLarge, type Statement } from './reader-messages.ts'
import { createSqliteReaders } from './readers-sqlite.ts'

export interface ReadOptions {
  project_id: number
  lane: LaneName
  one_plan?: Statement['one_plan']
  /** Aborted when the caller disconnects. */
  signal?: AbortSignal
  /** When the question was first asked (`performance.now()`), if this is another attempt. */
  since?: number
}

/** Answers questions over the mirrored events of a project. */
export interface MirrorReader {
  /** Returns undefined if it cannot answer a statement for DuckDB exactly. */
  rows(query: Sql, options: Pick<ReadOptions, 'project_id' | 'signal' | 'since'>): Promise<unknown[][] | undefined>
}

export interface EventReader {
  readonly engine: Engine
  readonly mirror?: MirrorReader | undefined
  /**
   * Returns the rows of a statement, each an array in the order of its columns. Throws `query_timeout` at the deadline,
   * `result_too_large`, and `unavailable` when the reader crashes.
   */
  rows<Row extends unknown[] = unknown[]>(query: Sql, options: ReadOptions): Promise<Row[]>
  /** The same, but converts each row when it arrives, while the database reads the next ones. */
  convertedRows<Row extends unknown[], Item>(
    query: Sql,
    options: ReadOptions,
    convert: (row: Row) => Item,
  ): Promise<Item[]>
  /** The number of queries by lane and state. */
  load(): { lane: LaneName; state: 'running' | 'waiting'; count: number }[]
  stop(): Promise<void>
}

export interface EventReaderOptions {
  events: Database
  url: string
  timeout_ms: number
  /** Called with the duration of each query in seconds, including the time in the queue, and its text. */
  observe?: Observe
  /** The niceness of SQLite reader processes in the slow lane. */
  niceness?: number
  mirror?: MirrorReader | undefined
}

export async function createEventReader({
  events: { engine, location },
  url,
  timeout_ms,
  observe,
  niceness,
  mirror,
}: EventReaderOptions): Promise<EventReader> {
  const backend =
    engine === 'postgres'
      ? (await import('./readers-postgres.ts')).createPostgresReaders(url)
      : createSqliteReaders({ file: location, niceness })
  const scheduler = createScheduler(backend, timeout_ms)
  const convertedRows: EventReader['convertedRows'] = async (query, options, convert) => {
    const statement = { ...compile(query, engine), one_plan: options.one_plan }
    const start = performance.now()
    try {
      // The query selects the columns of the row.
      return await scheduler.run(statement, options, convert as (row: unknown[]) => ReturnType<typeof convert>)
    } finally {
      observe?.((performance.now() - start) / 1000, statement.text)
    }
  }
  return {
    engine,
    mirror,
    convertedRows,
    rows: <Row extends unknown[]>(query: Sql, options: ReadOptions) => convertedRows(query, options, (row: Row) => row),
    load: scheduler.load,
    stop: scheduler.stop,
  }
}

interface QueuedQuery {
  project_id: number
  start(): void
  /** Stops the statement if it is running. */
  controller: AbortController
}

interface Lane {
  name: LaneName
  running: Set<QueuedQuery>
  /** The waiting queries in order of arrival. */
  waiting: Set<QueuedQuery>
}

export function createScheduler(backend: ReaderBackend, timeout_ms: number) {
  const createLane = (name: LaneName): Lane => ({ name, running: new Set(), waiting: new Set() })
  const lanes: Record<LaneName, Lane> = { fast: createLane('fast'), slow: createLane('slow') }
  let stopped = false

  /** Starts the oldest queries while there are free slots, but only one slow query per project. */
  function startNext({ name, running, waiting }: Lane): void {
    while (!stopped && running.size < backend.slots[name]) {
      const busy = new Set(name === 'slow' ? [...running].map(({ project_id }) => project_id) : [])
      const query = [...waiting].find(({ project_id }) => !busy.has(project_id))
      if (!query) return
      waiting.delete(query)
      running.add(query)
      query.start()
    }
  }

  function run<Item>(
    statement: Statement,
    { project_id, lane: laneName, signal, since = performance.now() }: ReadOptions,
    convert: (row: unknown[]) => Item,
  ): Promise<Item[]> {
    const lane = lanes[laneName]
    return new Promise((resolve, reject) => {
      if (stopped) return reject(unavailable('The server is shutting down. Retry the request.'))
      if (signal?.aborted) return reject(clientDisconnected())
      const controller = new AbortController()
      const deadline = since + timeout_ms
      const query: QueuedQuery = {
        project_id,
        controller,
        start: () => {
          const left_ms = Math.max(1, deadline - performance.now())
          backend
            .run(lane.name, statement, convert, left_ms, controller.signal)
            .then(resolve, (error) => reject(describeFailure(error, timeout_ms)))
            .finally(remove)
        },
      }
      const remove = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        lane.waiting.delete(query)
        lane.running.delete(query)
        startNext(lane)
      }
      const giveUp = (error: AppError): void => {
        reject(error)
        controller.abort()
        remove()
      }
      const onAbort = (): void => giveUp(clientDisconnected())
      const timer = setTimeout(() => giveUp(queryTimeout(timeout_ms)), deadline - performance.now())
      signal?.addEventListener('abort', onAbort)
      lane.waiting.add(query)
      startNext(lane)
    })
  }

  return {
    run,
    load: () =>
      Object.values(lanes).flatMap(({ name, running, waiting }) => [
        { lane: name, state: 'running' as const, count: running.size },
        { lane: name, state: 'waiting' as const, count: waiting.size },
      ]),
    stop: async (): Promise<void> => {
      if (stopped) return
      stopped = true
      for (const { running } of Object.values(lanes)) for (const { controller } of running) controller.abort()
      await backend.stop()
    },
  }
}

const queryTimeout = (timeout_ms: number): AppError =>
  new AppError({
    code: 'query_timeout',
    detail: `The query did not finish within ${timeout_ms / 1000} seconds. Request a shorter time range, fewer events or a simpler filter.`,
  })

const clientDisconnected = (): AppError =>
  new AppError({ code: 'query_timeout', detail: 'The client disconnected before the query finished.' })

/** PostgreSQL cancels a statement at its own timeout, at nearly the same time as the scheduler. */
const STATEMENT_CANCELLED = '57014'

function describeFailure(error: unknown, timeout_ms: number): unknown {
  if (errorCode(error) === STATEMENT_CANCELLED) return queryTimeout(timeout_ms)
  return isTooLarge(error) ? resultTooLarge() : error
}
