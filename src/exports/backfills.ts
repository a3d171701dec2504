/** Backfills export a range of event times, one window after another, in addition to the scheduled runs. */

import { AppError, invalid, notFound } from '../errors.ts'
import { averageSize, earliestRow, estimateRecords } from '../events/estimate.ts'
import { bothConditions } from '../events/extract.ts'
import { storedJson } from '../json/stored.ts'
import type { Db } from '../sql/db.ts'
import type { Actor } from '../store/activity_log.ts'
import type { BackfillRow, ListedBackfill } from '../store/batch_export_backfills.ts'
import * as backfills from '../store/batch_export_backfills.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import { fieldChanges } from '../store/field-changes.ts'
import { epochMicroseconds } from '../time/stored.ts'
import { recordExport } from './activity.ts'
import { logExport } from './export-log.ts'
import { boundaryBefore, type Cadence, countWindows, windowEnd } from './interval.ts'
import type { NotifyInputs } from './notifications.ts'
import { filterCondition, queryColumns } from './query.ts'
import type { PlannerDeps } from './schedule.ts'

const MAX_WINDOWS = 10_000
/** Runs whose size is averaged for an estimate. */
const SIZED_RUNS = 50

/** Times in stored form. A `start_at` of null is the window with the earliest event. */
export interface BackfillInput {
  start_at: string | null
  end_at: string
}

type Range = Pick<BackfillRow, 'start_at' | 'end_at'>

/** Returns the active backfill of the same range if there is one. */
export async function start(
  deps: PlannerDeps,
  actor: Actor,
  found: BatchExportRow,
  input: BackfillInput,
): Promise<{ row: BatchExportRow; backfill: BackfillRow }> {
  const { db, ids, now } = deps
  const { start_at, end_at } = await resolveRange(deps, found, input)
  return db.tx(async (tx) => {
    const row = await exports.lock(tx, found.id)
    if (!row) throw notFound()
    const count = requireFewWindows(row, { start_at, end_at })
    const time = now()
    const { backfill, isNew } = await backfills.create(tx, {
      id: ids.uuid(),
      batch_export_id: row.id,
      start_at,
      end_at,
      interval: row.interval,
      timezone: row.timezone,
      now: time,
    })
    if (isNew) {
      await logExport(
        tx,
        row,
        'INFO',
        time,
        `The backfill from ${start_at} to ${end_at} started. It has ${count} windows.`,
      )
      await createRun(tx, { ids, now: time }, row, backfill)
      await recordExport(tx, ids, time, actor, 'backfill_started', row, fieldChanges({}, { start_at, end_at }))
    }
    return { row, backfill }
  })
}

/** Finds the start of an open range, and throws for a range that cannot be exported. */
async function resolveRange(
  { eventReader, now }: Pick<PlannerDeps, 'eventReader' | 'now'>,
  row: BatchExportRow,
  { start_at, end_at }: BackfillInput,
): Promise<Range> {
  if (start_at !== null && start_at >= end_at) throw invalid('end_at', '"end_at" must be later than "start_at".')
  if (end_at > now()) throw invalid('end_at', '"end_at" must not be in the future.')
  const { project_id, model } = row
  // The first change of a person or session is found by a scan.
  if (start_at !== null && model !== 'events') return { start_at, end_at }
  const earliest = await earliestRow(eventReader, { project_id, model, end: epochMicroseconds(now()) })
  const first = earliest === undefined ? undefined : new Date(Math.floor(earliest / 1000)).toISOString()
  if (first !== undefined && end_at <= first)
    throw invalid('end_at', `The project has no ${model} before ${first}. Send a later "end_at".`)
  if (start_at !== null) return { start_at, end_at }
  if (first === undefined) throw invalid('start_at', `The project has no ${model} to export. Send a "start_at".`)
  return { start_at: boundaryBefore(row, first), end_at }
}

/** Returns the number of windows. */
function requireFewWindows(cadence: Pick<Cadence, 'interval' | 'timezone'>, { start_at, end_at }: Range): number {
  const count = countWindows(cadence, start_at, end_at)
  if (count > MAX_WINDOWS)
    throw invalid(
      'start_at',
      `A backfill covers at most ${MAX_WINDOWS} intervals, but this range has ${count}. Request a shorter range.`,
    )
  return count
}

export interface BackfillEstimate extends Range {
  windows: number
  records: number
  bytes: number
  /** Whether `records` is exact. `bytes` never is. */
  exact: boolean
}

/** Computes the size of a backfill without starting it. */
export async function estimate(
  deps: Pick<PlannerDeps, 'db' | 'eventReader' | 'now'>,
  row: BatchExportRow,
  input: BackfillInput,
  signal?: AbortSignal,
): Promise<BackfillEstimate> {
  const { db, eventReader, now } = deps
  const { project_id, model, hogql_query } = row
  const range = await resolveRange(deps, row, input)
  const windows = requireFewWindows(row, range)
  const names = storedJson<{ include_events?: string[]; exclude_events?: string[] }>(row.destination_config)
  const end = epochMicroseconds(range.end_at)
  const time = epochMicroseconds(now())
  const filters = filterCondition(row.filters === null ? null : storedJson(row.filters), time)
  const { records, exact } = await estimateRecords(eventReader, {
    project_id,
    model,
    start: epochMicroseconds(range.start_at),
    end,
    include: names.include_events ?? null,
    exclude: names.exclude_events ?? null,
    where: bothConditions(hogql_query === null ? null : queryColumns(hogql_query, model, time).where, filters),
    signal,
  })
  const size =
    records === 0
      ? 0
      : ((await runs.bytesPerRecord(db, row.id, SIZED_RUNS)) ??
        (await averageSize(eventReader, { project_id, model, end, signal })))
  return { ...range, windows, records, bytes: Math.round(records * size), exact }
}

/** Cancels an active backfill and its run. Returns the ids of the cancelled runs. */
export async function cancel(
  { db, ids, now }: Pick<PlannerDeps, 'db' | 'ids' | 'now'>,
  actor: Actor,
  { id }: BatchExportRow,
  { id: backfill_id, start_at, end_at }: BackfillRow,
): Promise<string[]> {
  return db.tx(async (tx) => {
    const row = await exports.lock(tx, id)
    if (!row) throw notFound()
    const time = now()
    const cancelled = await backfills.cancel(tx, { batch_export_id: id, id: backfill_id }, time)
    if (cancelled.backfills.length === 0)
      throw new AppError({ code: 'invalid_input', detail: 'This backfill has already ended and cannot be cancelled.' })
    await logExport(tx, row, 'INFO', time, `The backfill from ${start_at} to ${end_at} was cancelled.`)
    await recordExport(tx, ids, time, actor, 'backfill_cancelled', row, fieldChanges({}, { start_at, end_at }))
    return cancelled.runs
  })
}

/** Counts a finished run of a backfill and starts the next window, in the transaction that finishes the run. */
export async function continueBackfill(
  tx: Db,
  inputs: NotifyInputs,
  row: BatchExportRow,
  ended: RunRow,
): Promise<void> {
  if (ended.kind !== 'backfill' || ended.backfill_id === null) return
  const backfill = await backfills.active(tx, ended.backfill_id)
  if (!backfill) return
  const { now } = inputs
  const range = `The backfill from ${backfill.start_at} to ${backfill.end_at}`
  if (ended.status !== 'Completed') {
    await backfills.end(tx, backfill.id, { status: 'Failed', latest_error: ended.latest_error, now })
    return logExport(tx, row, 'ERROR', now, `${range} ended because a run failed.`)
  }
  await backfills.addWindow(tx, backfill.id, ended, now)
  if (await createRun(tx, inputs, row, backfill, ended.data_interval_end)) return
  await backfills.end(tx, backfill.id, { status: 'Completed', now })
  await logExport(tx, row, 'INFO', now, `${range} is complete.`)
}

/** Creates the run of the next window. The last window may be shorter. Returns false when no window is left. */
async function createRun(
  tx: Db,
  { ids, now }: NotifyInputs,
  row: BatchExportRow,
  backfill: BackfillRow,
  after = backfill.start_at,
): Promise<boolean> {
  const { start_at, end_at } = backfill
  if (after >= end_at) return false
  const end = windowEnd(windowsOf(backfill, row), start_at, after)
  await runs.create(tx, {
    id: ids.uuid(),
    batch_export_id: row.id,
    project_id: row.project_id,
    kind: 'backfill',
    backfill_id: backfill.id,
    data_interval_start: after,
    data_interval_end: end < end_at ? end : end_at,
    from_position: null,
    to_position: null,
    now,
  })
  return true
}

/** A backfill keeps the windows it started with when the export's schedule changes. */
const windowsOf = (
  { interval, timezone }: BackfillRow,
  row: BatchExportRow,
): Pick<Cadence, 'interval' | 'timezone'> => ({
  interval: interval ?? row.interval,
  timezone: timezone ?? row.timezone,
})

export interface BackfillProgress extends Pick<Cadence, 'interval' | 'timezone'> {
  /** From 0 to 1. Null for a backfill that failed or was cancelled. */
  progress: number | null
  windows_total: number
  records_completed: number
  bytes_completed: number
  /** Since the backfill was created. Null before the first record. */
  records_per_second: number | null
  /** Null unless it is running. */
  seconds_left: number | null
}

/** The progress, including that of the current run. */
export function progressOf(backfill: ListedBackfill, row: BatchExportRow, now: string): BackfillProgress {
  const windows = windowsOf(backfill, row)
  const { status, start_at, end_at, window_end, windows_completed, finished_at, run_records, run_total } = backfill
  const rest = status === 'Completed' ? 0 : restOf(windows, start_at, window_end ?? start_at, end_at)
  const windows_total = windows_completed + rest
  const records_completed = backfill.records_completed + (run_records ?? 0)
  const current = run_records && run_total ? Math.min(1, run_records / run_total) : 0
  const share = Math.min(1, (windows_completed + current) / Math.max(1, windows_total))
  const progress = status === 'Completed' ? 1 : status === 'Running' ? share : null
  const seconds = (Date.parse(finished_at ?? now) - Date.parse(backfill.created_at)) / 1000
  return {
    ...windows,
    progress,
    windows_total,
    records_completed,
    bytes_completed: backfill.bytes_completed + (backfill.run_bytes ?? 0),
    records_per_second: records_completed > 0 && seconds > 0 ? Math.round(records_completed / seconds) : null,
    seconds_left: status === 'Running' && share > 0 ? Math.round((seconds * (1 - share)) / share) : null,
  }
}

/** The windows from `after`, which is a boundary of the windows counted from `start`. */
const restOf = (windows: Pick<Cadence, 'interval' | 'timezone'>, start: string, after: string, end: string): number =>
  countWindows(windows, start, end) - countWindows(windows, start, after)
