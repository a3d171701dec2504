/** One attempt to deliver a run: copies pages of events from the store to the destination. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../errors.ts'
import type { Extract, Range } from '../events/extract.ts'
import { openSource } from '../events/source.ts'
import { createOutbound } from '../outbound/guard.ts'
import { destinationOf } from './catalogue.ts'
import { type Checkpoint, DeliveryError, type DestinationType, type Tools } from './destination.ts'
import { scratchPrefix } from './leftovers.ts'
import { columnsOf } from './query.ts'

/** Everything an attempt needs. It is sent to the delivery process. */
export interface Job {
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
  hogql_query: string | null
  checkpoint: Checkpoint | null
  /** The value of `now()` in the query, in microseconds. */
  now: number
  /** The database with the events. */
  url: string
  files_root: string
  outbound_allow: string | undefined
}

/** Receives the progress of an attempt. */
export interface Reporter {
  tell(report: Report): void
  /** Resolves once the checkpoint is stored. */
  checkpoint(state: Checkpoint): Promise<void>
}

export type Report =
  | { kind: 'progress'; records: number }
  | { kind: 'total'; records: number }
  | { kind: 'log'; level: 'DEBUG' | 'INFO' | 'WARNING'; message: string }

export interface Delivered {
  records: number
  bytes: number
}

/** Rows per page. Most events have a few hundred bytes, but one may have a megabyte. */
const PAGE_ROWS = 2_000
const FIRST_PAGE_ROWS = 200
const PAGE_BYTES = 1024 * 1024
/** The shortest time between two progress messages. Each one interrupts the server. */
const TELL_EVERY_MS = 250

/** Throws DeliveryError for known failures and the signal's reason when aborted. */
export async function deliver(job: Job, { tell, checkpoint }: Reporter, signal: AbortSignal): Promise<Delivered> {
  const destination = await destinationOf(job.destination.type)!
  const { columns, where } = columnsOf(job.hogql_query, job.now) ?? { columns: destination.columns, where: null }
  const { include_events = null, exclude_events = null, ...config } = job.destination.config
  const extract: Extract = {
    project_id: job.project_id,
    range: job.range,
    columns,
    encoding: typeof destination.encoding === 'function' ? destination.encoding(config) : destination.encoding,
    include: include_events as string[] | null,
    exclude: exclude_events as string[] | null,
    where,
  }
  const scratch = await makeScratch(job.run_id)
  try {
    const source = await openSource(job.url, job.hogql_query !== null)
    try {
      if (!job.checkpoint) tell({ kind: 'total', records: await source.count(extract) })
      let limit = job.checkpoint?.page_rows ?? FIRST_PAGE_ROWS
      const tools: Tools = {
        outbound: createOutbound({ allow: job.outbound_allow }),
        files_root: job.files_root,
        scratch,
        signal,
        checkpoint: (state) => checkpoint({ ...state, page_rows: limit }),
        log: (level, message) => tell({ kind: 'log', level, message }),
      }
      const receiver = await destination.open({ ...job, config, columns, tools })
      try {
        let records = job.checkpoint?.records ?? 0
        let cursor = job.checkpoint?.cursor ?? null
        let told_at = 0
        for (;;) {
          signal.throwIfAborted()
          const page = await source.page(extract, cursor, limit)
          if (!page) break
          limit = Math.max(1, Math.min(PAGE_ROWS, Math.floor((page.records * PAGE_BYTES) / page.text.length)))
          await receiver.write(page)
          records += page.records
          cursor = page.cursor
          if (performance.now() - told_at < TELL_EVERY_MS) continue
          told_at = performance.now()
          tell({ kind: 'progress', records })
        }
        signal.throwIfAborted()
        // Finishing can take long.
        tell({ kind: 'progress', records })
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

/** Creates the scratch folder of this attempt and deletes those of killed attempts. */
async function makeScratch(run_id: string): Promise<string> {
  const prefix = scratchPrefix(run_id)
  for (const name of await readdir(tmpdir()))
    if (name.startsWith(prefix)) await rm(join(tmpdir(), name), { recursive: true, force: true })
  return mkdtemp(join(tmpdir(), prefix))
}

/** The message shown to the owner of the export. Unknown errors go to the operator's log only. */
export function failureOf(error: unknown): { message: string; retryable: boolean; retry_after_seconds?: number } {
  if (error instanceof DeliveryError) return { message: error.message, ...error.options }
  const { code } = error as { code?: unknown }
  // Libraries wrap the errors of the outbound guard; code and message survive.
  if (error instanceof AppError || code === 'outbound_refused' || code === 'outbound_unresolved')
    return { message: (error as Error).message, retryable: code === 'outbound_unresolved' || code === 'unavailable' }
  const hint = typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? ` (${code})` : ''
  return { message: `The delivery failed${hint}. The server's log has more.`, retryable: true }
}
