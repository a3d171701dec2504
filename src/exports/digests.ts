/** Sends the messages of an organization together: an email for each person, and a webhook request for each alert. */

import type { Ids } from '../ids.ts'
import { storedJson } from '../json/stored.ts'
import * as outbox from '../mail/outbox.ts'
import type { Db } from '../sql/db.ts'
import * as deliveries from '../store/alert_deliveries.ts'
import * as store from '../store/alert_digests.ts'
import type { AlertRow } from '../store/alerts.ts'
import * as alerts from '../store/alerts.ts'
import { administrators } from '../store/members.ts'
import { addMilliseconds } from '../time/stored.ts'
import { type AlertMessage, mailOf, webhookOf } from './alert-messages.ts'

/** The shortest time between two digests of an organization. The first message after it is sent at once. */
export const QUIET_MS = 300_000
/** Messages in a digest. The others wait for the next. */
const MAX_MESSAGES = 500

export interface DigestInputs {
  ids: Ids
  now: string
  /** False when email is not configured. */
  byMail: boolean
}

/** The messages of a digest. There is at least one. */
type Messages = [AlertMessage, ...AlertMessage[]]

/** Enqueues the emails and requests of the next digest. Returns the number of emails. */
export async function enqueueDigest(tx: Db, inputs: DigestInputs, organization_id: string): Promise<number> {
  const next_at = addMilliseconds(inputs.now, QUIET_MS)
  const waiting = await store.take(tx, organization_id, { now: inputs.now, next_at, limit: MAX_MESSAGES })
  const messages = waiting.map(({ body }) => storedJson<AlertMessage>(body))
  const ids = [...new Set(messages.flatMap(({ alert }) => (alert ? [alert.id] : [])))]
  const senders = await alerts.withIds(tx, ids)
  const triggered = await enqueueWebhooks(tx, inputs, senders, messages)
  const { mails, alert_ids } = inputs.byMail ? await enqueueMails(tx, inputs, messages) : { mails: 0, alert_ids: [] }
  const last = messages.at(-1)
  if (last) await alerts.setTriggered(tx, [...triggered, ...alert_ids], last.timestamp)
  return mails
}

/** One request for each alert and type of message. Returns the alerts. */
async function enqueueWebhooks(
  tx: Db,
  { now }: DigestInputs,
  senders: readonly AlertRow[],
  messages: readonly AlertMessage[],
): Promise<string[]> {
  const webhooks = senders.flatMap(({ id, channel }) => (channel === 'webhook' ? [id] : []))
  const requests = groups(messages, ({ alert, type }) =>
    alert && webhooks.includes(alert.id) ? [`${alert.id} ${type}`] : [],
  )
  for (const [key, group] of requests) {
    const alert_id = key.slice(0, key.indexOf(' '))
    await deliveries.enqueue(tx, { id: group[0].id, alert_id, body: JSON.stringify(webhookOf(group)), now })
  }
  return webhooks
}

/** One email for each person. Two alerts with the same news are one message in it. */
async function enqueueMails(
  tx: Db,
  { ids, now }: DigestInputs,
  messages: readonly AlertMessage[],
): Promise<{ mails: number; alert_ids: string[] }> {
  const recipients = await alerts.recipients(
    tx,
    messages.flatMap(({ alert }) => (alert ? [alert.id] : [])),
  )
  const project = messages.find(({ alert }) => alert === null)?.project
  const admins = project ? await administrators(tx, project.id) : []
  const emailsOf = groupBy(recipients)
  const mails = groups(messages, ({ alert }) =>
    alert ? (emailsOf.get(alert.id) ?? []) : admins.map(({ email }) => email),
  )
  for (const [recipient, group] of mails)
    await outbox.enqueue(tx, { id: ids.uuid(), kind: 'alert', recipient, content: mailOf(withoutRepeats(group)), now })
  return { mails: mails.size, alert_ids: [...emailsOf.keys()] }
}

const groupBy = (recipients: readonly { alert_id: string; email: string }[]): Map<string, string[]> => {
  const emails = new Map<string, string[]>()
  for (const { alert_id, email } of recipients) emails.set(alert_id, [...(emails.get(alert_id) ?? []), email])
  return emails
}

function groups(messages: readonly AlertMessage[], keysOf: (message: AlertMessage) => string[]): Map<string, Messages> {
  const found = new Map<string, Messages>()
  for (const message of messages)
    for (const key of keysOf(message)) {
      const group = found.get(key)
      if (group) group.push(message)
      else found.set(key, [message])
    }
  return found
}

/** The message of an alert comes before that to administrators, and names the alert. */
function withoutRepeats(messages: Messages): Messages {
  const newsOf = ({ type, batch_export, run }: AlertMessage): string => `${type} ${batch_export?.id} ${run?.id}`
  const [first, ...others] = messages
  const known = new Set([newsOf(first)])
  return [first, ...others.filter((message) => !known.has(newsOf(message)) && known.add(newsOf(message)))]
}
