import { isUuid } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { sha256 } from '../auth/hash.ts'
import { requireFresh } from '../auth/session-rules.ts'
import { forbidden, invalid, notFound } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { ComposedInvites, Mailer } from '../mail/mailer.ts'
import * as outbox from '../mail/outbox.ts'
import type { Db } from '../sql/db.ts'
import { type Actor, record, type UserActor } from '../store/activity_log.ts'
import { type FieldChange, fieldChanges } from '../store/field-changes.ts'
import * as inviteMails from '../store/invite_mails.ts'
import * as store from '../store/invites.ts'
import * as members from '../store/members.ts'
import { lockOrganization, type OrganizationRow } from '../store/organizations.ts'
import { returnedRow } from '../store/rows.ts'
import * as users from '../store/users.ts'
import { addMilliseconds } from '../time/stored.ts'
import { countInvite } from './invite-limits.ts'
import { isSameInbox, mailboxHash } from './mailbox.ts'

export interface InviteDeps {
  db: Db
  ids: Ids
  now: () => string
  milliseconds: () => number
  /** Null when email is not configured. Responses then contain the token of the invite. */
  mailer: Pick<Mailer, 'wake'> | null
  log: { warn: (message: string) => void }
  config: { RATE_LIMITS: boolean }
}

type InvitingOrganization = Pick<OrganizationRow, 'id' | 'name'>

interface Inviter {
  caller: Caller
  actor: UserActor
}

export type CreatedInvite = store.Invite & { signup_token?: string }

export async function get({ db }: { db: Db }, organization: InvitingOrganization, id: string): Promise<store.Invite> {
  const invite = isUuid(id) ? await store.get(db, organization.id, id.toLowerCase()) : undefined
  if (!invite) throw notFound()
  return invite
}

export function create(
  deps: InviteDeps,
  inviter: Inviter,
  organization: InvitingOrganization,
  input: store.InviteInput,
): Promise<CreatedInvite> {
  return asInviter(deps, inviter, organization, [input], (tx, now) =>
    createInvite(deps, tx, now, { inviter: inviter.actor, organization, input, attr: null }),
  )
}

/** Creates all of the invites or none. Errors name the field by its index in the list. */
export function createMany(
  deps: InviteDeps,
  inviter: Inviter,
  organization: InvitingOrganization,
  inputs: store.InviteInput[],
): Promise<CreatedInvite[]> {
  return asInviter(deps, inviter, organization, inputs, async (tx, now) => {
    const created: CreatedInvite[] = []
    const addresses = new Set<string>()
    for (const [index, input] of inputs.entries()) {
      const attr = `${index}__target_email`
      const address = users.emailKey(input.target_email)
      if (addresses.has(address)) throw invalid(attr, 'Duplicate address in the list. Send it once.', 'unique')
      addresses.add(address)
      created.push(await createInvite(deps, tx, now, { inviter: inviter.actor, organization, input, attr }))
    }
    return created
  })
}

export async function remove(
  { db, ids, now }: Pick<InviteDeps, 'db' | 'ids' | 'now'>,
  actor: UserActor,
  invite: store.Invite,
): Promise<void> {
  await db.tx(async (tx) => {
    if (!(await store.remove(tx, invite.id))) throw notFound()
    await recordInvite(tx, ids, now(), actor, 'deleted', invite)
  })
}

export function recordInvite(
  tx: Db,
  ids: Ids,
  now: string,
  actor: Actor,
  activity: 'created' | 'deleted' | 'accepted',
  { id, organization_id, target_email }: store.InviteRow,
  changes: FieldChange[] = [],
): Promise<void> {
  const item = { item_id: id, item_name: target_email }
  return record(tx, ids, now, actor, { organization_id, area: 'invites', activity, ...item, changes })
}

/**
 * Runs `work` in a transaction with the levels locked, after checking that the inviter may grant those of the inputs.
 * Inviting an owner needs a fresh sign-in.
 */
async function asInviter<Result>(
  { db, now, milliseconds, mailer, log, config }: InviteDeps,
  { caller, actor: { user } }: Inviter,
  organization: InvitingOrganization,
  inputs: store.InviteInput[],
  work: (tx: Db, now: string) => Promise<Result>,
): Promise<Result> {
  const time = now()
  const result = await db.tx(async (tx) => {
    if (config.RATE_LIMITS) await users.lockUser(tx, user.id)
    await lockOrganization(tx, organization.id)
    const own = await members.levelOf(tx, organization.id, user.id)
    if (own === undefined) throw notFound()
    if (inputs.some(({ level = members.MEMBER }) => level > own))
      throw forbidden(`Your level is ${own}; you cannot invite at a higher level.`)
    if (inputs.some(({ level }) => level === members.OWNER)) requireFresh(caller, milliseconds())
    return work(tx, time)
  })
  if (mailer) mailer.wake()
  else log.warn('email is not configured, so the response contains the token of the invite; set SMTP_URL and SITE_URL')
  return result
}

interface Invitation {
  inviter: UserActor
  organization: InvitingOrganization
  input: store.InviteInput
  /** The field that errors name. */
  attr: string | null
}

async function createInvite(
  { ids, mailer, config }: InviteDeps,
  tx: Db,
  now: string,
  { inviter, organization, input, attr }: Invitation,
): Promise<CreatedInvite> {
  const { user } = inviter
  const target_email = withLowerCaseDomain(input.target_email)
  if (await members.hasEmail(tx, organization.id, target_email))
    throw invalid(attr, 'This address already belongs to a member. Remove it from the request.')
  const id = ids.uuid()
  const signup_token = mailer ? undefined : ids.inviteToken()
  if (config.RATE_LIMITS) {
    const counted = { id, organization_id: organization.id, inviter_id: user.id, target_email, now }
    await countInvite(tx, counted, attr)
  }
  await store.create(tx, {
    ...input,
    id,
    target_email,
    organization_id: organization.id,
    created_by_id: user.id,
    emailing_attempt_made: mailer !== null,
    token_hash: signup_token === undefined ? null : sha256(signup_token),
    mailbox_hash: sha256(`${organization.id} ${mailboxHash(target_email)}`),
    now,
  })
  if (mailer)
    await outbox.enqueue(tx, {
      id: ids.uuid(),
      kind: 'invite',
      recipient: target_email,
      content: { invite_id: id },
      now,
    })
  const invite = returnedRow(await store.get(tx, organization.id, id))
  await recordInvite(tx, ids, now, inviter, 'created', invite, fieldChanges({}, { level: invite.level }))
  return signup_token === undefined ? invite : { ...invite, signup_token }
}

/** The local part of an address is case-sensitive, its domain is not. */
const withLowerCaseDomain = (email: string): string =>
  email.slice(0, email.lastIndexOf('@')) + email.slice(email.lastIndexOf('@')).toLowerCase()

/** The least time between two emails from one organization to one mailbox. */
const MAIL_INTERVAL_MS = 3_600_000

/**
 * The email of an invite, with all waiting invites of the organization to the same mailbox and a new token for each. Returns the
 * time to try again when the mailbox got an email within the last hour, and undefined when another email contains the invite.
 */
export function composeInvites(
  { db, ids, now, config }: Pick<InviteDeps, 'db' | 'ids' | 'now' | 'config'>,
  site_url: string,
  { id: mail_id, content: { invite_id } }: { id: string; content: outbox.InviteContent },
): Promise<ComposedInvites | { wait_until: string } | undefined> {
  const time = now()
  const ago = (milliseconds: number): string => addMilliseconds(time, -milliseconds)
  return db.tx(async (tx) => {
    const found = await store.getUnmailed(tx, invite_id, mail_id, time)
    // Changes of invites lock the organization too.
    if (!found || !(await lockOrganization(tx, found.organization_id))) return undefined
    const invite = await store.getUnmailed(tx, invite_id, mail_id, time)
    if (!invite) return undefined
    const { mailbox_hash, organization_name } = invite
    const others = (await store.listUnmailed(tx, mailbox_hash, mail_id, time)).filter(
      ({ id, target_email }) => id !== invite_id && isSameInbox(target_email, invite.target_email),
    )
    const since = config.RATE_LIMITS ? ago(MAIL_INTERVAL_MS) : time
    if (!(await inviteMails.reserve(tx, { mailbox_hash, mail_id, sent_at: time }, since))) {
      const last = Date.parse((await inviteMails.sentAt(tx, mailbox_hash)) ?? time)
      return { wait_until: new Date(last + MAIL_INTERVAL_MS).toISOString() }
    }
    await inviteMails.removeBefore(tx, ago(MAIL_INTERVAL_MS))
    const invites: ComposedInvites['invites'] = []
    for (const { id, created_at, inviter, inviter_email, first_name, message, target_email } of [invite, ...others]) {
      const token = ids.inviteToken()
      await store.setToken(tx, { id, mail_id, token_hash: sha256(token) })
      invites.push({
        inviter: inviter ?? 'A former member',
        inviter_email,
        target_email,
        first_name,
        message: message || null,
        link: `${site_url}/signup/${id}/?token=${token}`,
        expires_at: addMilliseconds(created_at, store.INVITE_LIFETIME_MS),
      })
    }
    return { organization: organization_name, invites }
  })
}
