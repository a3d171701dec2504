/**
 * Starts and ends a pause of a locked export, however it was requested. Positions are read before the
 * transaction; if the stored position is higher, it is used instead.
 */
import type { Db } from '../sql/db.ts'
import * as pauses from '../store/batch_export_pauses.ts'
import type { BatchExportChanges, BatchExportRow } from '../store/batch_exports.ts'

interface Place {
  position: number
  now: string
}

/** Returns the changes to the export. */
export async function beginPause(tx: Db, held: BatchExportRow, { position, now }: Place): Promise<BatchExportChanges> {
  const known = await pauses.list(tx, held.id)
  // An older node may have unpaused the export without ending the pause.
  for (const { id, resumed_at } of known) if (resumed_at === null) await pauses.remove(tx, id)
  await pauses.create(tx, {
    batch_export_id: held.id,
    paused_at: now,
    position: Math.max(position, held.watermark, ...known.map(({ resumed_position }) => resumed_position ?? 0)),
  })
  return { paused: true, last_paused_at: now }
}

/** Returns the changes to the export, and whether events of the pause are skipped. */
export async function endPause(
  tx: Db,
  held: BatchExportRow,
  { position, now, backfill }: Place & { backfill: boolean },
): Promise<{ changes: BatchExportChanges; skips: boolean }> {
  const open = (await pauses.list(tx, held.id)).find(({ resumed_at }) => resumed_at === null)
  // Pauses of older versions have no position. A schedule that has ended has nothing left to deliver.
  const skips = open !== undefined && !backfill && held.next_at !== null
  if (skips) await pauses.end(tx, { id: open.id, resumed_at: now, resumed_position: Math.max(position, open.position) })
  else if (open) await pauses.remove(tx, open.id)
  return { changes: { paused: false, resumed_at: now }, skips }
}
