/** Records changes of batch exports in the activity log. */

import { isDeepStrictEqual } from 'node:util'
import type { Ids } from '../ids.ts'
import { storedJson } from '../json/stored.ts'
import type { Db } from '../sql/db.ts'
import { type Actor, record } from '../store/activity_log.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import { type FieldChange, fieldChanges, secretChange } from '../store/field-changes.ts'
import { ownerOf } from '../store/secrets.ts'
import { decryptIfReadable, type Vault } from '../store/vault.ts'

export type ExportActivity =
  | 'created'
  | 'updated'
  | 'deleted'
  | 'paused'
  | 'unpaused'
  | 'backfill_started'
  | 'backfill_cancelled'

export function recordExport(
  tx: Db,
  ids: Ids,
  now: string,
  actor: Actor,
  activity: ExportActivity,
  { id, project_id, name }: BatchExportRow,
  changes: FieldChange[] = [],
): Promise<void> {
  return record(tx, ids, now, actor, {
    project_id,
    area: 'batch_exports',
    activity,
    item_id: id,
    item_name: name,
    changes,
  })
}

export function recordRun(
  tx: Db,
  ids: Ids,
  now: string,
  actor: Actor,
  activity: 'started' | 'retried' | 'cancelled',
  { project_id, name }: BatchExportRow,
  { id }: RunRow,
): Promise<void> {
  return record(tx, ids, now, actor, { project_id, area: 'batch_export_runs', activity, item_id: id, item_name: name })
}

/** The fields that callers set. Each key of the destination is a separate field; secrets have no values. */
export function exportChanges(vault: Vault, before: BatchExportRow | null, after: BatchExportRow): FieldChange[] {
  const secrets = before?.secrets === after.secrets ? [] : replacedSecrets(vault, before, after)
  return [
    ...fieldChanges(before ? openFields(before) : {}, openFields(after)),
    ...secrets.map((key) => secretChange(`destination__config__${key}`)),
  ]
}

/** The same secret is encrypted to another text, so the values are compared. A secret that cannot be decrypted is treated as missing. */
function replacedSecrets(vault: Vault, before: BatchExportRow | null, after: BatchExportRow): string[] {
  const isLost =
    before?.secrets && decryptIfReadable(vault, before.secrets, ownerOf('batch_exports', before.id)) === null
  const [old, current] = [isLost ? {} : secretsOf(vault, before), secretsOf(vault, after)]
  return Object.keys({ ...old, ...current }).filter((key) => !isDeepStrictEqual(old[key], current[key]))
}

function secretsOf(vault: Vault, row: BatchExportRow | null): Record<string, unknown> {
  if (!row || row.secrets === null) return {}
  return storedJson(vault.decrypt(row.secrets, ownerOf('batch_exports', row.id)))
}

function openFields(row: BatchExportRow): object {
  const { name, interval, timezone, offset_day, offset_hour, start_at, end_at, model, hogql_query } = row
  const { destination_type } = row
  const config: object = storedJson(row.destination_config)
  const settings = Object.entries(config).map(([key, value]) => [`destination__config__${key}`, value])
  return {
    name,
    interval,
    timezone,
    offset_day,
    offset_hour,
    paused: Boolean(row.paused),
    start_at,
    end_at,
    model,
    filters: row.filters === null ? null : storedJson(row.filters),
    hogql_query,
    destination__type: destination_type,
    destination__integration: row.integration_id,
    ...Object.fromEntries(settings),
  }
}
