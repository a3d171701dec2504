/** Checks the lag of exports for alerts, and sends digests of the messages that wait. */
import type { Logger } from 'pino'
import { createLoop } from '../background/loop.ts'
import type { Ids } from '../ids.ts'
import type { Outbound } from '../outbound/guard.ts'
import type { Db } from '../sql/db.ts'
import * as deliveries from '../store/alert_deliveries.ts'
import * as digests from '../store/alert_digests.ts'
import * as alerts from '../store/alerts.ts'
import { ownerOf } from '../store/secrets.ts'
import { decryptIfReadable, type Vault } from '../store/vault.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { addMilliseconds } from '../time/stored.ts'
import { enqueueDigest } from './digests.ts'
import { checkLag } from './notifications.ts'
import { sendWebhook, type WebhookResult } from './webhooks.ts'

/** The delays after each failed attempt. The last attempt has none. */
const RETRY_SECONDS = [30, 120, 600, 3_600]
const MAX_ATTEMPTS = RETRY_SECONDS.length + 1
/** Longer than a request can take. Afterwards the process is considered dead, and another one sends the request. */
const LEASE_MS = 60_000
/** How often to look for requests that another process enqueued. */
const POLL_MS = 5_000
const LAG_PERIOD_MS = 60_000
/** Requests at a time, at most one for each alert. */
const SLOTS = 10

export interface AlerterOptions {
  db: Db
  ids: Ids
  now: () => string
  vault: Vault
  outbound: Outbound
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  metrics: Pick<Metrics, 'webhook'>
  /** Null when email is not configured. */
  wakeMailer: (() => void) | null
}

export interface Alerter {
  start(): void
  /** Looks for due requests now. Called after one is enqueued. */
  wake(): void
  /** Checks the lag of exports now, and sends everything that is due. */
  drain(): Promise<void>
  stop(): Promise<void>
}

export function createAlerter(options: AlerterOptions): Alerter {
  const { db, ids, now, log, wakeMailer } = options
  /** The deliveries by the id of their alert. */
  const active = new Map<string, Promise<void>>()
  const stopping = new AbortController()
  // After a downtime the exporter gets a minute to catch up.
  let checked_at = Date.parse(now())

  const loop = createLoop({
    name: 'alerter',
    round: async () => {
      if (Date.parse(now()) - checked_at >= LAG_PERIOD_MS) await check()
      await enqueueDigests()
      await startDue()
      const waits = (await dueTimes()).map((time) => Date.parse(time) - Date.parse(now()))
      return Math.max(active.size ? POLL_MS : 10, Math.min(POLL_MS, ...waits))
    },
    retry_ms: POLL_MS,
    onError: (error) => log.error({ err: error }, 'checking or sending alerts failed; retrying'),
  })

  async function check(): Promise<void> {
    checked_at = Date.parse(now())
    await checkLag(db, { ids, now, stopped: () => loop.stopped })
  }

  /** A digest that fails does not stop those of other organizations. */
  async function enqueueDigests(): Promise<void> {
    const failed: string[] = []
    let error: unknown
    while (!loop.stopped) {
      const organization_id = await digests.nextDue(db, now(), failed)
      if (organization_id === undefined) break
      try {
        const inputs = { ids, now: now(), byMail: wakeMailer !== null }
        if (await db.tx((tx) => enqueueDigest(tx, inputs, organization_id))) wakeMailer?.()
      } catch (failure) {
        failed.push(organization_id)
        error ??= failure
      }
    }
    if (failed.length) throw error
  }

  /** When the next digest and the next request are due. */
  async function dueTimes(): Promise<string[]> {
    const times = [await digests.nextAt(db), await deliveries.nextAttempt(db)]
    return times.flatMap((time) => (time === null ? [] : [time]))
  }

  async function startDue(): Promise<void> {
    for (const { id, alert_id } of await deliveries.removeExhausted(db, now(), MAX_ATTEMPTS))
      log.error({ message: id, alert: alert_id }, 'gave up sending a webhook')
    while (!loop.stopped && active.size < SLOTS) {
      const claim = {
        now: now(),
        until: addMilliseconds(now(), LEASE_MS),
        max_attempts: MAX_ATTEMPTS,
        working: [...active.keys()],
      }
      const delivery = await deliveries.claim(db, claim)
      if (!delivery) return
      const done = deliver(options, delivery, stopping.signal)
        .catch((error) => log.error({ err: error, message: delivery.id }, 'the result of a webhook was not stored'))
        .finally(() => {
          active.delete(delivery.alert_id)
          loop.wake()
        })
      active.set(delivery.alert_id, done)
    }
  }

  return {
    start: () => loop.start(),
    wake: loop.wake,
    drain: async () => {
      await loop.idle()
      await check()
      do {
        await enqueueDigests()
        await startDue()
        await Promise.all(active.values())
      } while ((await dueTimes()).some((time) => time <= now()))
    },
    stop: async () => {
      const stopped = loop.stop()
      stopping.abort()
      await stopped
      await Promise.all(active.values())
    },
  }
}

/** Sends a claimed request and stores the result. */
async function deliver(
  options: AlerterOptions,
  delivery: deliveries.DeliveryRow,
  stopping: AbortSignal,
): Promise<void> {
  const { db, now, log, metrics } = options
  const { id, alert_id, attempts } = delivery
  const alert = await alerts.getById(db, alert_id)
  if (!alert) return
  const { accepted, detail } = await sendAlert(options, alert, delivery, stopping)
  // The shutdown may have interrupted the attempt. The next start, or another node, sends the request.
  if (!accepted && stopping.aborted) return deliveries.release(db, delivery, now())
  await alerts.setLatestError(db, alert_id, accepted ? null : detail)
  const seconds = accepted ? undefined : RETRY_SECONDS[attempts - 1]
  if (seconds === undefined) await deliveries.remove(db, id)
  else await deliveries.postpone(db, delivery, addMilliseconds(now(), seconds * 1000))
  metrics.webhook(accepted ? 'sent' : seconds === undefined ? 'failed' : 'postponed')
  const fields = { message: id, alert: alert_id, attempt: attempts, detail }
  if (accepted) log.info(fields, 'webhook sent')
  else if (seconds === undefined) log.error(fields, 'gave up sending a webhook')
  else log.warn(fields, `a webhook failed; next attempt in ${seconds} seconds`)
}

/** Sends one request to the webhook of an alert. */
export async function sendAlert(
  { vault, outbound, now }: Pick<AlerterOptions, 'vault' | 'outbound' | 'now'>,
  { id: alert_id, url, secret: encrypted }: alerts.AlertRow,
  { id, body }: { id: string; body: string },
  signal?: AbortSignal,
): Promise<WebhookResult> {
  const secret = encrypted && decryptIfReadable(vault, encrypted, ownerOf('alerts', alert_id))
  if (!url || !secret) return UNREADABLE
  return sendWebhook(outbound, { url, secret, id, body, now: now() }, signal)
}

/** The result for a webhook whose secret cannot be decrypted. */
const UNREADABLE: WebhookResult = {
  accepted: false,
  detail: 'The secret of this webhook cannot be decrypted. Create the alert again.',
}
