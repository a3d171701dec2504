/** One attempt to deliver a run: copies pages of events from the store to the destination. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import { AppError, errorCode } from '../errors.ts'
import { bothConditions, type Extract, modelColumns, type Page, type Range } from '../events/extract.ts'
import type { Column } from '../events/lines.ts'
import { CHANGING_FEEDS, type Model } from '../events/models.ts'
import { openSource, type Source } from '../events/source.ts'
import { createOutbound } from '../outbound/guard.ts'
import type { Observe } from '../sql/db.ts'
import type { TracingSettings } from '../telemetry/tracing.ts'
import { loadDestination } from './catalog.ts'
import {
  type Checkpoint,
  DeliveryError,
  type DeliveryErrorOptions,
  type Destination,
  type DestinationConfig,
  type DestinationType,
  describeRoleRefusal,
  type Merge,
  permanentError,
  type Receiver,
  type Tools,
} from './destination.ts'
import { filterCondition, queryColumns } from './query.ts'
import { scratchFolderPrefix } from './temporary-files.ts'

/** The message to the delivery process, with everything that an attempt needs. */
export interface DeliveryJob {
  run_id: string
  attempt: number
  batch_export_id: string
  project_id: number
  range_key: string
  range: Range
  backfill_id: string | null
  data_interval_start: string
  data_interval_end: string
  destination: { type: DestinationType; config: Record<string, unknown> }
  model: Model
  /** Conditions on events; null without conditions. */
  filters: readonly unknown[] | null
  hogql_query: string | null
  checkpoint: Checkpoint | null
  repeated?: boolean
  /** The value of `now()` in the query, in microseconds. */
  now: number
  /** The database with the events. */
  url: string
  files_root: string
  outbound_allow: string | undefined
  s3_endpoint?: string | undefined
  /** The buckets that may be accessed with the role of this machine. */
  role_buckets: readonly string[]
  /** The span of the attempt, if traces are on. */
  trace?: { settings: TracingSettings; parent: string }
}

/** Receives the progress of an attempt. */
export interface Reporter {
  report(report: Report): void
  /** Resolves once the checkpoint is stored. */
  checkpoint(state: Checkpoint): Promise<void>
}

export type Report =
  | { kind: 'progress'; records: number; bytes: number }
  | { kind: 'total'; records: number }
  | { kind: 'log'; level: 'DEBUG' | 'INFO' | 'WARNING'; message: string }

export interface DeliveryResult {
  records: number
  bytes: number
}

/** Rows per page. Most events have a few hundred bytes, but one may have a megabyte. */
const PAGE_ROWS = 2_000
const FIRST_PAGE_ROWS = 200
const PAGE_BYTES = 1024 * 1024
/** The shortest time between two progress messages. Each one interrupts the server. */
const REPORT_PERIOD_MS = 250

/** Throws DeliveryError for known failures and the signal's reason when aborted. */
export async function deliver(
  job: DeliveryJob,
  { report, checkpoint }: Reporter,
  signal: AbortSignal,
  observe?: Observe,
): Promise<DeliveryResult> {
  const destination = await loadDestination(job.destination.type)
  const refusal = describeRoleRefusal(destination, job.destination.config, job.role_buckets)
  if (refusal) throw permanentError(refusal)
  const { model } = job
  const { columns, where } = selectionOf(job, destination)
  const { include_events, exclude_events, ...config } = job.destination.config
  const extract: Extract = {
    model,
    project_id: job.project_id,
    range: job.range,
    columns,
    encoding: destination.encoding(config),
    include: listOrNull(include_events),
    exclude: listOrNull(exclude_events),
    where: bothConditions(where, filterCondition(job.filters, job.now)),
  }
  const scratch = await createScratchFolder(job.run_id)
  try {
    const interpreted = model !== 'events' || job.hogql_query !== null || job.filters !== null
    const source = await openSource(job.url, interpreted, observe)
    try {
      // Counts while the destination is opened.
      const counting = job.checkpoint ? undefined : source.count(extract)
      counting?.catch(() => undefined)
      const pages: PageSize = { rows: job.checkpoint?.page_rows ?? FIRST_PAGE_ROWS }
      const tools: Tools = {
        outbound: createOutbound({ allow: job.outbound_allow }),
        files_root: job.files_root,
        s3_endpoint: job.s3_endpoint,
        scratch,
        signal,
        checkpoint: (state) => checkpoint({ ...state, page_rows: pages.rows }),
        log: (level, message) => report({ kind: 'log', level, message }),
      }
      const receiver = await destination.open({ ...job, config, columns, merge: mergeOf(model, columns), tools })
      try {
        if (counting) report({ kind: 'total', records: await counting })
        const records = await copyPages(source, extract, receiver, { job, pages, report, signal })
        return { records, bytes: await receiver.commit() }
      } catch (error) {
        await receiver.abort()
        throw error
      }
    } finally {
      await source.close()
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The size of the next page. A checkpoint contains it. */
interface PageSize {
  rows: number
}

interface Copy {
  job: DeliveryJob
  pages: PageSize
  report: Reporter['report']
  signal: AbortSignal
}

/** Copies the events after the checkpoint to the receiver. Returns the number of events since the start of the range. */
async function copyPages(
  source: Source,
  extract: Extract,
  receiver: Receiver,
  { job: { checkpoint }, pages, report, signal }: Copy,
): Promise<number> {
  let records = checkpoint?.records ?? 0
  let cursor = checkpoint?.cursor ?? null
  let through = checkpoint?.through ?? null
  let reported_at = 0
  const readNext = (): Promise<Page | null> => {
    const page = source.page(extract, cursor, pages.rows, through)
    // Awaited when it is needed.
    page.catch(() => undefined)
    return page
  }
  let next = readNext()
  for (;;) {
    signal.throwIfAborted()
    const page = await next
    // SQLite blocks this thread while it reads. Sockets and compressors make progress between two pages.
    await nextTick()
    if (!page) {
      if (!through) break
      cursor = through
      through = null
      next = readNext()
      continue
    }
    pages.rows = Math.max(1, Math.min(PAGE_ROWS, Math.floor((page.records * PAGE_BYTES) / page.text.length)))
    cursor = page.cursor
    const writing = receiver.write(page)
    // One page is read while another is compressed and sent.
    next = readNext()
    await writing
    records += page.records
    if (performance.now() - reported_at < REPORT_PERIOD_MS) continue
    reported_at = performance.now()
    report({ kind: 'progress', records, bytes: receiver.bytes() })
  }
  signal.throwIfAborted()
  // The commit can take minutes.
  report({ kind: 'progress', records, bytes: receiver.bytes() })
  return records
}

function selectionOf(
  { model, hogql_query, now }: DeliveryJob,
  destination: Pick<Destination<DestinationConfig>, 'columns'>,
): Pick<Extract, 'columns' | 'where'> {
  if (hogql_query !== null) return queryColumns(hogql_query, model, now)
  return { columns: model === 'events' ? destination.columns : modelColumns(model), where: null }
}

/** Null for events, and for a query that lacks a column of the key or the version. */
function mergeOf(model: Model, columns: readonly Column[]): Merge | null {
  if (model === 'events') return null
  const { merge } = CHANGING_FEEDS[model]
  const isComplete = [...merge.key, merge.version].every((name) => columns.some((column) => column.name === name))
  return isComplete ? merge : null
}

const listOrNull = (value: unknown): string[] | null => (Array.isArray(value) ? value : null)

/** Creates the scratch folder of this attempt and deletes those of killed attempts. */
async function createScratchFolder(run_id: string): Promise<string> {
  const prefix = scratchFolderPrefix(run_id)
  for (const name of await readdir(tmpdir()))
    if (name.startsWith(prefix)) await rm(join(tmpdir(), name), { recursive: true, force: true })
  return mkdtemp(join(tmpdir(), prefix))
}

/** The message shown to the owner of the export. Unknown errors go to the operator's log only. */
export function describeFailure(error: unknown): { message: string } & DeliveryErrorOptions {
  if (error instanceof DeliveryError) return { message: error.message, ...error.options }
  const code = errorCode(error)
  // Libraries wrap the errors of the outbound guard, but keep their code and message.
  const known = error instanceof AppError || code === 'outbound_refused' || code === 'outbound_unresolved'
  if (known && error instanceof Error)
    return { message: error.message, retryable: code === 'outbound_unresolved' || code === 'unavailable' }
  const hint = /^[A-Z0-9_]{3,40}$/.test(code) ? ` (${code})` : ''
  return { message: `The delivery failed${hint}. See the server log for details.`, retryable: true }
}
