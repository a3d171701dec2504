import { isUuid } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import { sha256 } from '../auth/hash.ts'
import { requireFresh } from '../auth/session-rules.ts'
import { forbidden, invalid, notFound } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Mailer } from '../mail/mailer.ts'
import * as outbox from '../mail/outbox.ts'
import type { Db } from '../sql/db.ts'
import { type Actor, record, type UserActor } from '../store/activity_log.ts'
import { type FieldChange, fieldChanges } from '../store/field-changes.ts'
import * as store from '../store/invites.ts'
import * as members from '../store/members.ts'
import { lockOrganization, type OrganizationRow } from '../store/organizations.ts'
import { returnedRow } from '../store/rows.ts'
import * as users from '../store/users.ts'
import { countInvite } from './invite-limits.ts'

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
    now,
  })
  if (mailer) {
    const content: outbox.InviteContent = {
      invite_id: id,
      inviter: user.first_name || user.email,
      inviter_email: user.email,
      organization: organization.name,
      first_name: input.first_name ?? '',
      message: input.message || null,
    }
    await outbox.enqueue(tx, { id: ids.uuid(), kind: 'invite', recipient: target_email, content, now })
  }
  const invite = returnedRow(await store.get(tx, organization.id, id))
  await recordInvite(tx, ids, now, inviter, 'created', invite, fieldChanges({}, { level: invite.level }))
  return signup_token === undefined ? invite : { ...invite, signup_token }
}

/** The local part of an address is case-sensitive, its domain is not. */
const withLowerCaseDomain = (email: string): string =>
  email.slice(0, email.lastIndexOf('@')) + email.slice(email.lastIndexOf('@')).toLowerCase()

/** Replaces the token of an invite and returns its link. Undefined when the invite was deleted. */
export async function createInviteLink(
  db: Db,
  ids: Ids,
  site_url: string,
  invite_id: string,
): Promise<{ link: string; expires_at: string } | undefined> {
  const token = ids.inviteToken()
  const created_at = await store.setToken(db, invite_id, sha256(token))
  if (created_at === undefined) return undefined
  return {
    link: `${site_url}/signup/${invite_id}/?token=${token}`,
    expires_at: new Date(Date.parse(created_at) + store.INVITE_LIFETIME_MS).toISOString(),
  }
}
