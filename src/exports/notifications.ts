/**
 * Decides which alerts send a message about an export, and stores it in the transaction of the change. An incident row
 * stands for a known problem: a statement inserts or deletes it, so one problem sends one message on all nodes. The messages
 * of an organization wait for its next digest.
 */
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import * as digests from '../store/alert_digests.ts'
import type { IncidentKind } from '../store/alert_incidents.ts'
import * as incidents from '../store/alert_incidents.ts'
import type { AlertRow } from '../store/alerts.ts'
import * as alerts from '../store/alerts.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import { addMilliseconds } from '../time/stored.ts'
import { messageOf, type Occurrence } from './alert-messages.ts'

export interface NotifyInputs {
  ids: Ids
  now: string
}

/** A failed backfill is not repaired by a scheduled run. */
const kindOf = ({ backfill_id }: RunRow): IncidentKind => (backfill_id === null ? 'runs' : 'backfills')

/** Call it with the export locked, after the last attempt of a run has failed. Returns whether a message waits. */
export async function notifyFailure(tx: Db, inputs: NotifyInputs, row: BatchExportRow, run: RunRow): Promise<boolean> {
  const notified: AlertRow[] = []
  for (const alert of await alerts.matching(tx, row)) {
    if (!alert.on_failure && !alert.on_recovery) continue
    const incident = { batch_export_id: row.id, kind: kindOf(run), alert_id: alert.id, now: inputs.now }
    if ((await incidents.open(tx, incident)) && alert.on_failure) notified.push(alert)
  }
  return report(tx, inputs, row, notified, { trigger: 'failure', run })
}

/** Call it with the export locked, after a run has delivered events. */
export async function notifyCompletion(
  tx: Db,
  inputs: NotifyInputs,
  row: BatchExportRow,
  run: RunRow,
): Promise<boolean> {
  const reported = await incidents.close(tx, row.id, kindOf(run))
  if (reported.length === 0) return false
  const matching = await alerts.matching(tx, row)
  const notified = matching.filter(({ id, on_recovery }) => on_recovery && reported.includes(id))
  return report(tx, inputs, row, notified, { trigger: 'recovery', run })
}

/** Call it with the export locked, when the server pauses it. Administrators get a message without any alert. */
export async function notifyPause(tx: Db, inputs: NotifyInputs, row: BatchExportRow, run: RunRow): Promise<boolean> {
  const notified = (await alerts.matching(tx, row)).filter(({ on_pause }) => on_pause)
  return report(tx, inputs, row, [...notified, null], { trigger: 'pause', run })
}

/** Incidents per transaction. */
const LAG_ROWS = 100
const MINUTE_MS = 60_000

/**
 * Finds exports that are late or have caught up. Alerts with the same threshold share a statement. Returns whether a message
 * waits.
 */
export async function checkLag(
  db: Db,
  { ids, now, stopped }: { ids: Ids; now: () => string; stopped: () => boolean },
): Promise<boolean> {
  let reported = false
  for (const lag_minutes of await incidents.lagThresholds(db)) {
    const inputs = { ids, now: now() }
    const cutoff = addMilliseconds(inputs.now, -lag_minutes * MINUTE_MS)
    for (const change of [reportLag, reportCaughtUp])
      for (let rows = LAG_ROWS; rows === LAG_ROWS && !stopped(); ) {
        rows = await db.tx((tx) => change(tx, inputs, { lag_minutes, cutoff, limit: LAG_ROWS }))
        if (rows > 0) reported = true
      }
  }
  return reported
}

interface Threshold {
  lag_minutes: number
  cutoff: string
  limit: number
}

/** Returns the number of new incidents. */
async function reportLag(tx: Db, inputs: NotifyInputs, threshold: Threshold): Promise<number> {
  const opened = await incidents.openLag(tx, { ...threshold, now: inputs.now })
  const organizations = new Set<string>()
  for (const { batch_export_id, alert_id, late_since } of opened) {
    const lag_minutes = Math.floor((Date.parse(inputs.now) - Date.parse(late_since)) / MINUTE_MS)
    const row = await exports.getById(tx, batch_export_id)
    const alert = await alerts.getById(tx, alert_id)
    if (!row || !alert) continue
    await addMessages(tx, inputs, row, [alert], { trigger: 'lag', lag_minutes, late_since })
    organizations.add(alert.organization_id)
  }
  await requestDigests(tx, organizations, inputs.now)
  return opened.length
}

/**
 * A paused export and one whose runs fail have not recovered: the end of their lag is not reported. Returns the number of
 * incidents that ended.
 */
async function reportCaughtUp(tx: Db, inputs: NotifyInputs, threshold: Threshold): Promise<number> {
  const closed = await incidents.closeLag(tx, threshold)
  const organizations = new Set<string>()
  for (const { batch_export_id, alert_id } of closed) {
    const row = await exports.getById(tx, batch_export_id)
    if (!row || row.paused) continue
    const failing = await incidents.withFailures(tx, batch_export_id, [alert_id])
    const matching = await alerts.matching(tx, row)
    const notified = matching.filter(({ id, on_recovery }) => on_recovery && id === alert_id && !failing.includes(id))
    await addMessages(tx, inputs, row, notified, { trigger: 'recovery', run: null })
    for (const { organization_id } of notified) organizations.add(organization_id)
  }
  await requestDigests(tx, organizations, inputs.now)
  return closed.length
}

/** Locks the digests in one order, so that two nodes do not block each other. */
async function requestDigests(tx: Db, organizations: ReadonlySet<string>, now: string): Promise<void> {
  for (const id of [...organizations].sort()) await digests.request(tx, id, now)
}

async function report(
  tx: Db,
  inputs: NotifyInputs,
  row: BatchExportRow,
  notified: readonly (AlertRow | null)[],
  occurrence: Occurrence,
): Promise<boolean> {
  const organization_id = await addMessages(tx, inputs, row, notified, occurrence)
  if (organization_id === undefined) return false
  await digests.request(tx, organization_id, inputs.now)
  return true
}

/** Adds a message of each alert; null stands for the message to administrators. Returns the organization that has them. */
async function addMessages(
  tx: Db,
  { ids, now }: NotifyInputs,
  row: BatchExportRow,
  notified: readonly (AlertRow | null)[],
  occurrence: Occurrence,
): Promise<string | undefined> {
  const place = notified.length ? await alerts.placeOf(tx, row.project_id) : undefined
  if (!place) return undefined
  const organization_id = place.organization.id
  for (const alert of notified) {
    const envelope = { id: ids.uuid(), timestamp: now, alert: alert && { id: alert.id, name: alert.name } }
    const body = JSON.stringify(messageOf(envelope, place, row, occurrence))
    await digests.add(tx, { id: envelope.id, organization_id, alert_id: alert?.id ?? null, body, now })
  }
  return organization_id
}
