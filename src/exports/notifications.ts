/**
 * Decides which alerts send a message about an export, and enqueues it in the transaction of the change. An incident row
 * stands for a known problem: a statement inserts or deletes it, so one problem sends one message on all nodes.
 */
import type { Ids } from '../ids.ts'
import * as outbox from '../mail/outbox.ts'
import type { Db } from '../sql/db.ts'
import * as deliveries from '../store/alert_deliveries.ts'
import type { IncidentKind } from '../store/alert_incidents.ts'
import * as incidents from '../store/alert_incidents.ts'
import type { AlertRow } from '../store/alerts.ts'
import * as alerts from '../store/alerts.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import { type AlertMessage, mailOf, messageOf, type Occurrence } from './alert-messages.ts'

export interface NotifyInputs {
  ids: Ids
  now: string
  /** False when email is not configured. */
  byMail: boolean
}

/** The messages that a transaction has enqueued. Wake the mailer and the alerter after the commit. */
export interface Enqueued {
  mails: number
  webhooks: number
  /** The addresses of the emails. */
  addresses: string[]
}

export const NOTHING: Enqueued = { mails: 0, webhooks: 0, addresses: [] }

export const sumOf = (first: Enqueued, second: Enqueued): Enqueued => ({
  mails: first.mails + second.mails,
  webhooks: first.webhooks + second.webhooks,
  addresses: [...first.addresses, ...second.addresses],
})

/** A failed backfill is not repaired by a scheduled run. */
const kindOf = ({ backfill_id }: RunRow): IncidentKind => (backfill_id === null ? 'runs' : 'backfills')

/** Call it with the export locked, after the last attempt of a run has failed. */
export async function notifyFailure(tx: Db, inputs: NotifyInputs, row: BatchExportRow, run: RunRow): Promise<Enqueued> {
  const notified: AlertRow[] = []
  for (const alert of await alerts.matching(tx, row)) {
    if (!alert.on_failure && !alert.on_recovery) continue
    const incident = { batch_export_id: row.id, kind: kindOf(run), alert_id: alert.id, now: inputs.now }
    if ((await incidents.open(tx, incident)) && alert.on_failure) notified.push(alert)
  }
  return enqueue(tx, inputs, row, notified, { trigger: 'failure', run })
}

/** Call it with the export locked, after a run has delivered events. */
export async function notifyCompletion(
  tx: Db,
  inputs: NotifyInputs,
  row: BatchExportRow,
  run: RunRow,
): Promise<Enqueued> {
  const reported = await incidents.close(tx, row.id, kindOf(run))
  if (reported.length === 0) return NOTHING
  const matching = await alerts.matching(tx, row)
  const notified = matching.filter(({ id, on_recovery }) => on_recovery && reported.includes(id))
  return enqueue(tx, inputs, row, notified, { trigger: 'recovery', run })
}

/** Call it with the export locked, when the server pauses it. */
export async function notifyPause(tx: Db, inputs: NotifyInputs, row: BatchExportRow, run: RunRow): Promise<Enqueued> {
  const notified = (await alerts.matching(tx, row)).filter(({ on_pause }) => on_pause)
  return enqueue(tx, inputs, row, notified, { trigger: 'pause', run })
}

/** Incidents per transaction. */
const LAG_ROWS = 100
const MINUTE_MS = 60_000

/** Finds exports that are late or have caught up. Alerts with the same threshold share a statement. */
export async function checkLag(
  db: Db,
  { now, ...inputs }: Omit<NotifyInputs, 'now'> & { now: () => string },
): Promise<Enqueued> {
  let enqueued = NOTHING
  for (const lag_minutes of await incidents.lagThresholds(db)) {
    const at = now()
    const threshold = { lag_minutes, cutoff: new Date(Date.parse(at) - lag_minutes * MINUTE_MS).toISOString() }
    const open = (): Promise<{ opened: number; sent: Enqueued }> =>
      db.tx((tx) => reportLag(tx, { ...inputs, now: at }, threshold))
    for (let result = await open(); ; result = await open()) {
      enqueued = sumOf(enqueued, result.sent)
      if (result.opened < LAG_ROWS) break
    }
    enqueued = sumOf(enqueued, await db.tx((tx) => reportCaughtUp(tx, { ...inputs, now: at }, threshold)))
  }
  return enqueued
}

interface Threshold {
  lag_minutes: number
  cutoff: string
}

async function reportLag(
  tx: Db,
  inputs: NotifyInputs,
  threshold: Threshold,
): Promise<{ opened: number; sent: Enqueued }> {
  const opened = await incidents.openLag(tx, { ...threshold, now: inputs.now, limit: LAG_ROWS })
  let sent = NOTHING
  for (const { batch_export_id, alert_id, late_since } of opened) {
    const lag_minutes = Math.floor((Date.parse(inputs.now) - Date.parse(late_since)) / MINUTE_MS)
    const row = await exports.getById(tx, batch_export_id)
    const alert = await alerts.getById(tx, alert_id)
    if (row && alert)
      sent = sumOf(sent, await enqueue(tx, inputs, row, [alert], { trigger: 'lag', lag_minutes, late_since }))
  }
  return { opened: opened.length, sent }
}

/** A paused export and one whose runs fail have not recovered: the end of their lag is not reported. */
async function reportCaughtUp(tx: Db, inputs: NotifyInputs, threshold: Threshold): Promise<Enqueued> {
  let sent = NOTHING
  for (const { batch_export_id, alert_id } of await incidents.closeLag(tx, threshold)) {
    const row = await exports.getById(tx, batch_export_id)
    if (!row || row.paused) continue
    const failing = await incidents.withFailures(tx, batch_export_id, [alert_id])
    const matching = await alerts.matching(tx, row)
    const notified = matching.filter(({ id, on_recovery }) => on_recovery && id === alert_id && !failing.includes(id))
    sent = sumOf(sent, await enqueue(tx, inputs, row, notified, { trigger: 'recovery', run: null }))
  }
  return sent
}

async function enqueue(
  tx: Db,
  inputs: NotifyInputs,
  row: BatchExportRow,
  notified: readonly AlertRow[],
  occurrence: Occurrence,
): Promise<Enqueued> {
  const place = notified.length ? await alerts.placeOf(tx, row.project_id) : undefined
  if (!place) return NOTHING
  let sent = NOTHING
  const triggered: string[] = []
  for (const { id, name, channel } of notified) {
    const envelope = { id: inputs.ids.uuid(), timestamp: inputs.now, alert: { id, name } }
    const message = messageOf(envelope, place, row, occurrence)
    const enqueued = await (channel === 'email' ? enqueueMails : enqueueWebhook)(tx, inputs, message)
    if (enqueued.mails || enqueued.webhooks) triggered.push(id)
    sent = sumOf(sent, enqueued)
  }
  await alerts.setTriggered(tx, triggered, inputs.now)
  return sent
}

async function enqueueWebhook(tx: Db, { now }: NotifyInputs, message: AlertMessage): Promise<Enqueued> {
  const { id, alert } = message
  await deliveries.enqueue(tx, { id, alert_id: alert.id, body: JSON.stringify(message), now })
  return { mails: 0, webhooks: 1, addresses: [] }
}

/** One email for each recipient of the alert. */
export async function enqueueMails(
  tx: Db,
  { ids, now, byMail }: NotifyInputs,
  message: AlertMessage,
): Promise<Enqueued> {
  const recipients = byMail ? await alerts.recipients(tx, [message.alert.id]) : []
  const addresses = recipients.map(({ email }) => email)
  const content = mailOf(message)
  for (const recipient of addresses)
    await outbox.enqueue(tx, { id: ids.uuid(), kind: 'alert', recipient, content, now })
  return { mails: addresses.length, webhooks: 0, addresses }
}
