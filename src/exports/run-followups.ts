/** Follow-ups of a finished run: the next window of a backfill, and the pause of an export that keeps failing. */
import type { Ids } from '../ids.ts'
import * as outbox from '../mail/outbox.ts'
import type { Db } from '../sql/db.ts'
import { SYSTEM } from '../store/activity_log.ts'
import * as logs from '../store/batch_export_logs.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import { administrators } from '../store/members.ts'
import { recordExport } from './activity.ts'
import type { Interval } from './interval.ts'
import { beginPause } from './pauses.ts'
import { backfillWindow } from './schedule.ts'

/** An export is paused when this many of its last runs failed. */
const MAX_FAILURES = 10
const RECENT_RUNS = 50

interface Inputs {
  ids: Ids
  now: string
}

/** Starts the next window of a backfill in the transaction that finishes the previous one. */
export async function continueBackfill(tx: Db, inputs: Inputs, row: BatchExportRow, ended: RunRow): Promise<void> {
  if (ended.kind !== 'backfill' || ended.backfill_id === null) return
  const backfill = await runs.activeBackfill(tx, ended.backfill_id)
  if (!backfill) return
  const { now } = inputs
  if (ended.status !== 'Completed') {
    await runs.endBackfill(tx, backfill.id, 'Failed', now)
    const message = `The backfill from ${backfill.start_at} to ${backfill.end_at} ended because a run failed.`
    return logExport(tx, row, 'ERROR', now, message)
  }
  if (await createBackfillRun(tx, inputs, row, backfill, ended.data_interval_end)) return
  await runs.endBackfill(tx, backfill.id, 'Completed', now)
  await logExport(tx, row, 'INFO', now, `The backfill from ${backfill.start_at} to ${backfill.end_at} is complete.`)
}

/** Creates the run of the next window. Returns false when no window is left. */
export async function createBackfillRun(
  tx: Db,
  { ids, now }: Inputs,
  row: BatchExportRow,
  backfill: runs.BackfillRow,
  after?: string,
): Promise<boolean> {
  const window = backfillWindow(row.interval as Interval, backfill, after)
  if (!window) return false
  await runs.create(tx, {
    id: ids.uuid(),
    batch_export_id: row.id,
    project_id: row.project_id,
    kind: 'backfill',
    backfill_id: backfill.id,
    data_interval_start: window.start,
    data_interval_end: window.end,
    from_position: null,
    to_position: null,
    now,
  })
  return true
}

/**
 * Pauses a locked export when too many of its last runs failed, and notifies the administrators. Returns the number of
 * enqueued emails.
 */
export async function pauseFailing(
  tx: Db,
  { ids, now }: Inputs,
  row: BatchExportRow,
  { position, byMail }: { position: number; byMail: boolean },
): Promise<number> {
  const { id } = row
  if (row.paused) return 0
  const failures = await runs.recentFailures(tx, id, row.resumed_at, RECENT_RUNS)
  if (failures < MAX_FAILURES) return 0
  const changes = await beginPause(tx, row, { position, now })
  await exports.update(tx, id, { ...changes, last_updated_at: now })
  await runs.cancelBackfills(tx, id, now)
  await recordExport(tx, ids, now, SYSTEM, 'paused', row)
  const message = `The export was paused: ${failures} of its last ${RECENT_RUNS} runs failed. Fix the cause, then unpause it.`
  await logExport(tx, row, 'WARNING', now, message)
  const recipients = byMail ? await administrators(tx, row.project_id) : []
  for (const { email, organization } of recipients)
    await outbox.enqueue(tx, {
      id: ids.uuid(),
      kind: 'export_paused',
      recipient: email,
      content: { name: row.name, organization, failures },
      now,
    })
  return recipients.length
}

const logExport = (
  tx: Db,
  { id, project_id }: BatchExportRow,
  level: logs.LogLevel,
  now: string,
  message: string,
): Promise<void> => logs.write(tx, { project_id, batch_export_id: id, run_id: '', timestamp: now, level, message })
