/** Stores how an attempt at a run ended, and what follows from it. */
import type { Logger } from 'pino'
import type { Model } from '../events/models.ts'
import { pausePosition } from '../events/positions.ts'
import type { Ids } from '../ids.ts'
import type { Database, Db } from '../sql/db.ts'
import type * as logs from '../store/batch_export_logs.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { addMilliseconds } from '../time/stored.ts'
import type { Alerter } from './alerter.ts'
import { continueBackfill } from './backfills.ts'
import { type DeliveryResult, describeFailure } from './deliver.ts'
import { notifyCompletion, notifyFailure } from './notifications.ts'
import { pauseFailing } from './run-followups.ts'
import { NOTHING_TO_DELIVER } from './schedule.ts'

export const MAX_ATTEMPTS = 15
const FIRST_RETRY_MS = 30_000
const MAX_RETRY_MS = 120_000
/** Limits the `Retry-After` of a destination. */
const MAX_RETRY_AFTER_MS = 3_600_000

export interface ResultOptions {
  db: Db
  events: Database
  ids: Ids
  now: () => string
  log: Logger
  metrics: Metrics
  /** Sends the messages about runs. */
  alerter: Pick<Alerter, 'wake'>
}

/** One attempt at a claimed run. */
export interface Attempt {
  run: RunRow
  row: BatchExportRow
  /** Has the lease of the run. */
  owner: string
  logRun(level: logs.LogLevel, message: string, tx?: Db): Promise<void>
}

export async function complete(
  options: ResultOptions,
  attempt: Attempt,
  { records, bytes }: DeliveryResult,
  seconds: number,
): Promise<void> {
  const { ids, now, metrics } = options
  const { destination_type, model } = attempt.row
  const ended = await end(options, attempt, {
    result: { status: 'Completed', records_completed: records, bytes_completed: bytes },
    level: 'INFO',
    message: summary(model, { records, bytes }, seconds),
    notify: (tx, row, run) => notifyCompletion(tx, { ids, now: now() }, row, run),
  })
  if (ended) metrics.exported(destination_type, { records, bytes, seconds })
}

/** Schedules another attempt, if one may succeed. */
export async function fail(options: ResultOptions, attempt: Attempt, error: unknown): Promise<void> {
  const { db, now, log } = options
  const { run, row, owner, logRun } = attempt
  const { message, retryable, retry_after_seconds } = describeFailure(error)
  log.warn({ err: error, run: run.id, batch_export: row.id, attempt: run.attempts, retryable }, 'an export run failed')
  if (!retryable || run.attempts >= MAX_ATTEMPTS) return giveUp(options, attempt, message, retryable)
  const delay_ms = Math.max(
    Math.min(FIRST_RETRY_MS * 2 ** (run.attempts - 1), MAX_RETRY_MS),
    Math.min((retry_after_seconds ?? 0) * 1000, MAX_RETRY_AFTER_MS),
  )
  const postponed = await runs.postpone(db, run.id, owner, {
    now: now(),
    next_attempt_at: addMilliseconds(now(), delay_ms),
    latest_error: message,
  })
  if (postponed) await logRun('WARNING', `${message} The next attempt starts in ${delay_ms / 1000} seconds.`)
}

export async function giveUp(
  options: ResultOptions,
  attempt: Attempt,
  reason: string,
  retryable = true,
): Promise<void> {
  const { events, ids, now } = options
  const position = await pausePosition(events, attempt.row.model)
  const outcome = retryable ? `The run failed after ${attempt.run.attempts} attempts.` : 'The run is not retried.'
  await end(options, attempt, {
    result: { status: retryable ? 'FailedRetryable' : 'Failed', latest_error: reason },
    level: 'ERROR',
    message: `${reason} ${outcome}`,
    notify: async (tx, row, run) => {
      const failed = await notifyFailure(tx, { ids, now: now() }, row, run)
      const paused = await pauseFailing(tx, { ids, now: now() }, row, { position, run })
      return failed || paused
    },
  })
}

/** Ends the lease at shutdown. The next attempt continues at the checkpoint. This attempt does not count towards the limit. */
export async function release({ db, now }: ResultOptions, { run, owner, logRun }: Attempt): Promise<void> {
  const released = await runs.postpone(db, run.id, owner, {
    now: now(),
    next_attempt_at: now(),
    latest_error: null,
    uncounted: true,
  })
  if (released) await logRun('INFO', 'The server is shutting down. The run continues after the restart.')
}

interface Ending {
  result: Omit<runs.RunResult, 'now'>
  level: logs.LogLevel
  message: string
  /** Returns whether there are messages to send. */
  notify(tx: Db, row: BatchExportRow, run: RunRow): Promise<boolean>
}

/** Ends the run in one transaction. Returns false when the lease was lost. */
async function end(
  { db, ids, now, metrics, alerter }: ResultOptions,
  { run, row, owner, logRun }: Attempt,
  { result, level, message, notify }: Ending,
): Promise<boolean> {
  const notified = await db.tx(async (tx) => {
    const locked = await exports.lock(tx, row.id)
    const ended = locked && (await runs.finish(tx, run.id, owner, { ...result, now: now() }))
    if (!ended) return undefined
    await logRun(level, message, tx)
    await continueBackfill(tx, { ids, now: now() }, locked, ended)
    return notify(tx, locked, ended)
  })
  if (notified === undefined) return false
  if (notified) alerter.wake()
  metrics.exportRun(row.destination_type, result.status)
  return true
}

function summary(model: Model, { records, bytes }: DeliveryResult, seconds: number): string {
  if (records === 0) return NOTHING_TO_DELIVER[model]
  const rate = Math.round(records / Math.max(seconds, 0.001))
  return `Delivered ${records} ${model} (${bytes} bytes) in ${seconds.toFixed(1)} seconds, ${rate} ${model} per second.`
}
