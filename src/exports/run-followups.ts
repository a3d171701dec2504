/** Pauses an export that keeps failing. */
import type { Db } from '../sql/db.ts'
import { SYSTEM } from '../store/activity_log.ts'
import * as backfills from '../store/batch_export_backfills.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import { recordExport } from './activity.ts'
import { logExport } from './export-log.ts'
import { type NotifyInputs, notifyPause } from './notifications.ts'
import { beginPause } from './pauses.ts'

/** An export is paused when this many of its last runs failed. */
const MAX_FAILURES = 10
const RECENT_RUNS = 50

/** Pauses a locked export when too many of its last runs failed. Returns whether a message about it waits. */
export async function pauseFailing(
  tx: Db,
  inputs: NotifyInputs,
  row: BatchExportRow,
  { position, run }: { position: number; run: runs.RunRow },
): Promise<boolean> {
  const { ids, now } = inputs
  const { id } = row
  if (row.paused) return false
  const failures = await runs.recentFailures(tx, id, row.resumed_at, RECENT_RUNS)
  if (failures < MAX_FAILURES) return false
  const changes = await beginPause(tx, row, { position, now })
  await exports.update(tx, id, { ...changes, last_updated_at: now })
  await backfills.cancel(tx, { batch_export_id: id }, now)
  await recordExport(tx, ids, now, SYSTEM, 'paused', row)
  const message = `The export was paused: ${failures} of its last ${RECENT_RUNS} runs failed. Fix the cause, then unpause it.`
  await logExport(tx, row, 'WARNING', now, message)
  return notifyPause(tx, inputs, row, run)
}
