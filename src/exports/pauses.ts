/**
 * Starts and ends pauses of a locked export. The caller reads the position before the transaction; a higher stored
 * position takes precedence.
 */
import type { Db } from '../sql/db.ts'
import * as pauses from '../store/batch_export_pauses.ts'
import type { BatchExportChanges, BatchExportRow } from '../store/batch_exports.ts'

interface PauseBoundary {
  position: number
  now: string
}

/** Returns the changes to the export. */
export async function beginPause(
  tx: Db,
  row: BatchExportRow,
  { position, now }: PauseBoundary,
): Promise<BatchExportChanges> {
  const existing = await pauses.list(tx, row.id)
  // An older node may have unpaused the export without ending the pause.
  for (const { id, resumed_at } of existing) if (resumed_at === null) await pauses.remove(tx, id)
  await pauses.create(tx, {
    batch_export_id: row.id,
    paused_at: now,
    position: Math.max(position, row.watermark, ...existing.map(({ resumed_position }) => resumed_position ?? 0)),
  })
  return { paused: true, last_paused_at: now }
}

/** The range of positions that a pause skips, and its times. */
export interface SkippedRange {
  from: number
  to: number
  paused_at: string
  resumed_at: string
}

/** Returns the changes to the export, and the skipped events, which may be none. */
export async function endPause(
  tx: Db,
  row: BatchExportRow,
  { position, now, backfill }: PauseBoundary & { backfill: boolean },
): Promise<{ changes: BatchExportChanges; skipped: SkippedRange | null }> {
  const open = (await pauses.list(tx, row.id)).find(({ resumed_at }) => resumed_at === null)
  // Exports paused by older versions have no pause row. A schedule that has ended has nothing left to deliver.
  const changes: BatchExportChanges = { paused: false, resumed_at: now }
  if (open && (backfill || row.next_at === null)) await pauses.remove(tx, open.id)
  if (!open || backfill || row.next_at === null) return { changes, skipped: null }
  const resumed_position = Math.max(position, open.position)
  await pauses.end(tx, { id: open.id, resumed_at: now, resumed_position })
  const from = Math.max(row.watermark, open.position)
  return { changes, skipped: { from, to: resumed_position, paused_at: open.paused_at, resumed_at: now } }
}
