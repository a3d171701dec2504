import type { Db } from '../sql/db.ts'
import * as logs from '../store/batch_export_logs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'

/** Writes an entry about an export, or about one of its runs. */
export const logExport = (
  tx: Db,
  { id, project_id }: BatchExportRow,
  level: logs.LogLevel,
  timestamp: string,
  message: string,
  run_id = '',
): Promise<void> => logs.write(tx, { project_id, batch_export_id: id, run_id, timestamp, level, message })
