/** The alerts of an organization: their rules, and test messages. */
import { isIntegerId, isUuid } from '../auth/access.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import type { Ids } from '../ids.ts'
import * as outbox from '../mail/outbox.ts'
import type { Outbound } from '../outbound/guard.ts'
import type { Db } from '../sql/db.ts'
import { record, type UserActor } from '../store/activity_log.ts'
import * as deliveries from '../store/alert_deliveries.ts'
import * as digests from '../store/alert_digests.ts'
import * as incidents from '../store/alert_incidents.ts'
import type { AlertRow, Channel, Trigger } from '../store/alerts.ts'
import * as store from '../store/alerts.ts'
import { getById as getExport } from '../store/batch_exports.ts'
import { changedFields, isEmpty } from '../store/changes.ts'
import { type FieldChange, fieldChanges } from '../store/field-changes.ts'
import { withEmails } from '../store/members.ts'
import { lockOrganization, type OrganizationRow } from '../store/organizations.ts'
import { ownerOf } from '../store/secrets.ts'
import type { Vault } from '../store/vault.ts'
import { mailOf, testMessage, webhookOf } from './alert-messages.ts'
import { sendAlert } from './alerter.ts'
import { hostOf } from './object-stores.ts'

const MAX_ALERTS = 100
const LAG_MINUTES = 60

export interface AlertService {
  db: Db
  ids: Ids
  now: () => string
  vault: Vault
  outbound: Outbound
  /** Null when email is not configured. */
  mailer: { wake(): void } | null
}

/** The fields a caller may set. */
export interface AlertInput {
  name?: string
  enabled?: boolean
  triggers?: readonly Trigger[]
  lag_minutes?: number
  project_id?: number | null
  batch_export_id?: string | null
  channel?: Channel
  emails?: readonly string[]
  url?: string | null
}

/** An alert with the addresses of its recipients. */
export interface Alert extends AlertRow {
  emails: string[]
}

/** `new_secret` is the secret of a new webhook, or of one with a new URL. */
export type WrittenAlert = Alert & { new_secret: string | null }

export async function get({ db }: { db: Db }, organization: OrganizationRow, id: string): Promise<AlertRow> {
  const row = isUuid(id) ? await store.get(db, organization.id, id.toLowerCase()) : undefined
  if (!row) throw notFound()
  return row
}

export async function withRecipients(db: Db, rows: readonly AlertRow[]): Promise<Alert[]> {
  const ids = rows.flatMap(({ id, channel }) => (channel === 'email' ? [id] : []))
  const found = ids.length ? await store.recipients(db, ids) : []
  return rows.map((row) => ({
    ...row,
    emails: found.flatMap(({ alert_id, email }) => (alert_id === row.id ? [email] : [])),
  }))
}

export async function create(
  service: AlertService,
  actor: UserActor,
  organization: OrganizationRow,
  input: AlertInput & { name: string; triggers: readonly Trigger[]; channel: Channel },
): Promise<WrittenAlert> {
  const { db, ids, now, vault } = service
  const { name, channel, enabled = true, lag_minutes = LAG_MINUTES } = input
  // Checked again in the transaction, which keeps them from being deleted.
  await lockReferences(db, organization.id, input)
  const url = channelUrl(channel, input.url)
  if (channel === 'webhook' && url === null)
    throw invalid('url', '"url" is required for a webhook. Send it.', 'required')
  if (channel === 'email' && input.emails === undefined)
    throw invalid('emails', '"emails" is required for the channel "email". Send it.', 'required')
  if (url !== null) await checkUrl(service, url)
  return db.tx(async (tx) => {
    if (!(await lockOrganization(tx, organization.id))) throw notFound()
    if ((await store.count(tx, organization.id)) >= MAX_ALERTS)
      throw invalid(null, `An organization can have at most ${MAX_ALERTS} alerts. Delete one first.`)
    const references = await lockReferences(tx, organization.id, input)
    const members = await requireMembers(tx, organization.id, channel, input.emails ?? [])
    const id = ids.uuid()
    const new_secret = url === null ? null : ids.webhookSecret()
    const row = await store.create(tx, {
      id,
      organization_id: organization.id,
      name,
      enabled,
      ...triggerColumns(input.triggers),
      lag_minutes,
      project_id: references.project_id ?? null,
      batch_export_id: references.batch_export_id ?? null,
      channel,
      url,
      secret: new_secret && vault.encrypt(new_secret, ownerOf('alerts', id)),
      last_triggered_at: null,
      latest_error: null,
      created_at: now(),
      updated_at: now(),
    })
    await store.setRecipients(tx, id, members)
    const alert = await withEmailsOf(tx, row)
    await recordAlert(tx, service, actor, 'created', row, changesOf(null, alert))
    return { ...alert, new_secret }
  })
}

/** A new URL gets a new secret: the old receiver must not accept requests that were signed for another one. */
export async function update(
  service: AlertService,
  actor: UserActor,
  { id, organization_id, channel, url: known }: AlertRow,
  input: AlertInput,
): Promise<WrittenAlert> {
  const { db, ids, now, vault } = service
  if (input.channel !== undefined && input.channel !== channel)
    throw invalid('channel', 'The channel of an alert cannot be changed. Create another alert.')
  await lockReferences(db, organization_id, input)
  const url = input.url === undefined ? undefined : channelUrl(channel, input.url)
  if (channel === 'webhook' && url === null) throw invalid('url', 'A webhook needs a URL. Send one.', 'null')
  if (url && url !== known) await checkUrl(service, url)
  return db.tx(async (tx) => {
    const references = await lockReferences(tx, organization_id, input)
    const locked = await store.lock(tx, id)
    if (!locked) throw notFound()
    const before = await withEmailsOf(tx, locked)
    const emails = input.emails && !isSameSet(input.emails, before.emails) ? input.emails : undefined
    const members = emails && (await requireMembers(tx, organization_id, channel, emails))
    const new_secret = url && url !== locked.url ? ids.webhookSecret() : null
    const changes: store.AlertChanges = changedFields(locked, {
      ...(input.name !== undefined && { name: input.name }),
      ...(input.enabled !== undefined && { enabled: input.enabled }),
      ...(input.triggers && triggerColumns(input.triggers)),
      ...(input.lag_minutes !== undefined && { lag_minutes: input.lag_minutes }),
      ...references,
      ...(new_secret !== null && {
        url,
        secret: vault.encrypt(new_secret, ownerOf('alerts', id)),
        latest_error: null,
      }),
    })
    if (isEmpty(changes) && !members) return { ...before, new_secret: null }
    await requireExportOfProject(tx, { ...locked, ...changes })
    const row = await store.update(tx, id, { ...changes, updated_at: now() })
    if (members) await store.setRecipients(tx, id, members)
    await discardObsolete(tx, row)
    const after = await withEmailsOf(tx, row)
    await recordAlert(tx, service, actor, 'updated', row, changesOf(before, after))
    return { ...after, new_secret }
  })
}

export async function remove(service: AlertService, actor: UserActor, row: AlertRow): Promise<void> {
  await service.db.tx(async (tx) => {
    if (!(await store.remove(tx, row.id))) throw notFound()
    await recordAlert(tx, service, actor, 'deleted', row, [])
  })
}

/** Sends one webhook request, or enqueues the emails. */
export async function sendTest(
  service: AlertService,
  organization: OrganizationRow,
  alert: AlertRow,
): Promise<{ sent: boolean; detail: string }> {
  const { db, ids, now, mailer } = service
  const { id, name, channel } = alert
  const message = testMessage({
    id: ids.uuid(),
    timestamp: now(),
    alert: { id, name },
    organization: { id: organization.id, name: organization.name },
  })
  if (channel === 'email') {
    if (!mailer) return { sent: false, detail: NO_MAIL }
    const addresses = await db.tx(async (tx) => {
      const recipients = await store.recipients(tx, [id])
      for (const { email: recipient } of recipients)
        await outbox.enqueue(tx, { id: ids.uuid(), kind: 'alert', recipient, content: mailOf([message]), now: now() })
      return recipients.map(({ email }) => email)
    })
    if (addresses.length === 0) return { sent: false, detail: NO_RECIPIENTS }
    mailer.wake()
    return {
      sent: true,
      detail: `Enqueued ${addresses.length === 1 ? 'an email' : 'emails'} to ${addresses.join(', ')}.`,
    }
  }
  const sent = { id: message.id, body: JSON.stringify(webhookOf([message])) }
  const { accepted, detail } = await sendAlert(service, alert, sent)
  await store.setLatestError(db, id, accepted ? null : detail)
  return { sent: accepted, detail }
}

export const NO_MAIL = 'Email is not configured on this server. Ask the operator to set SMTP_URL and SITE_URL.'
export const NO_RECIPIENTS = 'No recipient of this alert is an active member of the organization. Choose others.'

async function withEmailsOf(tx: Db, row: AlertRow): Promise<Alert> {
  const [alert] = await withRecipients(tx, [row])
  return { ...row, emails: alert?.emails ?? [] }
}

const isSameSet = (first: readonly string[], second: readonly string[]): boolean =>
  first.length === second.length && new Set([...first, ...second]).size === first.length

const triggerColumns = (
  triggers: readonly Trigger[],
): Pick<AlertRow, 'on_failure' | 'on_recovery' | 'on_pause' | 'on_lag'> => ({
  on_failure: triggers.includes('failure'),
  on_recovery: triggers.includes('recovery'),
  on_pause: triggers.includes('pause'),
  on_lag: triggers.includes('lag'),
})

const TRIGGERS = ['failure', 'recovery', 'pause', 'lag'] as const satisfies Trigger[]

export const triggersOf = (row: AlertRow): Trigger[] => TRIGGERS.filter((trigger) => row[`on_${trigger}`])

/** The URL of a webhook. Null for the other channel, and for a webhook without one. */
function channelUrl(channel: Channel, url: string | null | undefined): string | null {
  if (channel === 'email' && url) throw invalid('url', 'Only webhooks have a URL. Omit it.')
  return url ?? null
}

async function checkUrl({ outbound }: AlertService, text: string): Promise<void> {
  if (!URL.canParse(text)) throw invalid('url', '"url" is not a valid URL.')
  const { username, password } = new URL(text)
  if (username || password)
    throw invalid('url', 'Remove the user and password from the URL. The signature authenticates the requests.')
  const { host, port } = hostOf(new URL(text))
  await outbound.checkHost(host, port).catch((error) => {
    // A host that does not resolve now may resolve later.
    if (error instanceof AppError && error.code === 'outbound_refused') throw invalid('url', error.message, error.code)
  })
}

type References = Pick<AlertInput, 'project_id' | 'batch_export_id'>

const missing = (attr: string, noun: string): AppError =>
  invalid(attr, `The organization has no such ${noun}. Send the id of one of its ${noun}s.`, 'does_not_exist')

/** Returns the references that were sent, in stored form. They cannot be deleted until the transaction ends. */
async function lockReferences(
  tx: Db,
  organization_id: string,
  { project_id, batch_export_id }: References,
): Promise<References> {
  if (typeof project_id === 'number') {
    const exists = isIntegerId(String(project_id)) && (await store.lockProject(tx, organization_id, project_id))
    if (!exists) throw missing('team_id', 'project')
  }
  if (typeof batch_export_id !== 'string')
    return { ...(project_id !== undefined && { project_id }), ...(batch_export_id === null && { batch_export_id }) }
  const found = isUuid(batch_export_id)
    ? await store.lockExport(tx, organization_id, batch_export_id.toLowerCase())
    : undefined
  if (!found) throw missing('batch_export_id', 'batch export')
  if (typeof project_id === 'number' && found.project_id !== project_id) throw otherProject()
  return { ...(project_id !== undefined && { project_id }), batch_export_id: found.id }
}

const otherProject = (): AppError =>
  invalid('batch_export_id', 'The batch export belongs to another project than "team_id". Send one of them.')

/** An update may send only one of the two. Locks nothing: the export is locked before the alert. */
async function requireExportOfProject(tx: Db, { project_id, batch_export_id }: AlertRow): Promise<void> {
  if (project_id === null || batch_export_id === null) return
  const found = await getExport(tx, batch_export_id)
  if (found && found.project_id !== project_id) throw otherProject()
}

/** The ids of the members with these addresses. Throws `does_not_exist` for the first address without an active member. */
async function requireMembers(
  tx: Db,
  organization_id: string,
  channel: Channel,
  emails: readonly string[],
): Promise<string[]> {
  if (channel === 'webhook') {
    if (emails.length) throw invalid('emails', 'Only alerts with the channel "email" have recipients. Omit them.')
    return []
  }
  if (emails.length === 0) throw invalid('emails', '"emails" must have at least one address.', 'empty')
  const found = new Set<string>()
  for (const [i, email] of emails.entries()) {
    const [member] = await withEmails(tx, organization_id, [email])
    if (!member)
      throw invalid(
        `emails__${i}`,
        'No active member of the organization has this address. Send the address of a member.',
        'does_not_exist',
      )
    found.add(member.id)
  }
  return [...found]
}

/** Forgets problems and messages that the alert no longer reports. */
async function discardObsolete(tx: Db, row: AlertRow): Promise<void> {
  const { id, enabled, on_failure, on_recovery, on_lag } = row
  if (!enabled) {
    await deliveries.removeOfAlert(tx, id)
    await digests.removeOfAlert(tx, id)
  }
  if (!enabled || !on_lag) await incidents.discard(tx, id, ['lag'])
  if (!enabled || !(on_failure || on_recovery)) await incidents.discard(tx, id, ['runs', 'backfills'])
}

/** The URL may contain a token of the receiver, so its values are not recorded. */
const changesOf = (before: Alert | null, after: Alert): FieldChange[] =>
  fieldChanges(before ? settingsOf(before) : {}, settingsOf(after), ['url'])

const settingsOf = (alert: Alert): object => ({
  name: alert.name,
  enabled: Boolean(alert.enabled),
  triggers: triggersOf(alert),
  lag_minutes: alert.lag_minutes,
  team_id: alert.project_id,
  batch_export_id: alert.batch_export_id,
  channel: alert.channel,
  emails: alert.emails.length ? alert.emails : null,
  url: alert.url,
})

function recordAlert(
  tx: Db,
  { ids, now }: AlertService,
  actor: UserActor,
  activity: 'created' | 'updated' | 'deleted',
  { id, organization_id, name }: AlertRow,
  changes: FieldChange[],
): Promise<void> {
  const item = { item_id: id, item_name: name }
  return record(tx, ids, now(), actor, { organization_id, area: 'alerts', activity, ...item, changes })
}
