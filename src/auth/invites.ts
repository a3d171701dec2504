import { AppError, forbidden, invalid, notFound } from '../errors.ts'
import type { Ids } from '../ids.ts'
import * as outbox from '../mail/outbox.ts'
import type { Db } from '../sql/db.ts'
import * as invites from '../store/invites.ts'
import { EVERYTHING, reachesEverything } from '../store/key-restrictions.ts'
import * as members from '../store/members.ts'
import * as users from '../store/users.ts'
import { hashOf, issue } from './api_keys.ts'
import type { Caller } from './caller.ts'
import { countInvite } from './invite-limits.ts'
import { type Superseded, supersede } from './supersede.ts'

export interface Invitation {
  organization: { id: string; name: string }
  inviter: users.UserRow
  writes: invites.InviteWrite[]
  /** How the field of the write in this place is called, as in `3__target_email`. */
  attr: (index: number) => string | null
  mailed: boolean
  /** Whether rate limits are on. */
  limited: boolean
}

export type MadeInvite = invites.Invite & { signup_token?: string }

/** Makes all of the invites or none. Where a mail cannot carry the secret it is in the answer, and nowhere else. */
export function makeInvites(db: Db, ids: Ids, now: string, invitation: Invitation): Promise<MadeInvite[]> {
  const { organization, inviter, writes, attr, mailed, limited } = invitation
  return db.tx(async (tx) => {
    if (limited) await users.hold(tx, inviter.id)
    // Levels stand still meanwhile, so no invite is made above one that has just been lowered.
    await members.hold(tx, organization.id)
    const own = await members.levelOf(tx, organization.id, inviter.id)
    if (own === undefined) throw notFound()
    if (writes.some(({ level = members.MEMBER }) => level > own))
      throw forbidden(`Your level is ${own}; you cannot invite somebody at a higher one.`)

    const made: MadeInvite[] = []
    const seen = new Set<string>()
    for (const [index, write] of writes.entries()) {
      const target_email = lowerCasedDomain(write.target_email)
      if (seen.has(users.emailKey(target_email)))
        throw invalid(attr(index), 'This address stands twice in the list. Send each one once.', 'unique')
      seen.add(users.emailKey(target_email))
      if (await members.hasEmail(tx, organization.id, target_email))
        throw invalid(attr(index), 'This address belongs to a member already. Leave it out.')
      const signup_token = mailed ? undefined : ids.inviteToken()
      const id = ids.uuid()
      if (limited) {
        const counted = { id, organization_id: organization.id, inviter_id: inviter.id, target_email, now }
        await countInvite(tx, counted, attr(index))
      }
      await invites.create(tx, {
        ...write,
        id,
        target_email,
        organization_id: organization.id,
        created_by_id: inviter.id,
        emailing_attempt_made: mailed,
        token_hash: signup_token ? hashOf(signup_token) : null,
        now,
      })
      if (mailed) {
        const content: outbox.InviteContent = {
          invite_id: id,
          inviter: inviter.first_name || inviter.email,
          inviter_email: inviter.email,
          organization: organization.name,
          first_name: write.first_name ?? '',
          message: write.message || null,
        }
        await outbox.enqueue(tx, { id: ids.uuid(), kind: 'invite', recipient: target_email, content, now })
      }
      made.push({ ...(await invites.get(tx, organization.id, id))!, ...(signup_token && { signup_token }) })
    }
    return made
  })
}

/** Gives an invite a new secret, stored as a hash, and returns the link that carries it. Undefined when the invite is gone. */
export async function createInviteLink(
  db: Db,
  ids: Ids,
  site_url: string,
  invite_id: string,
): Promise<{ link: string; expires_at: string } | undefined> {
  const token = ids.inviteToken()
  const created_at = await invites.setToken(db, invite_id, hashOf(token))
  if (created_at === undefined) return undefined
  return {
    link: `${site_url}/signup/${invite_id}/?token=${token}`,
    expires_at: new Date(Date.parse(created_at) + invites.INVITE_LIFETIME_MS).toISOString(),
  }
}

/** The part after the last @ has no case; the part before it is its owner's business. */
const lowerCasedDomain = (email: string): string =>
  email.slice(0, email.lastIndexOf('@')) + email.slice(email.lastIndexOf('@')).toLowerCase()

type OpenInvite = invites.InviteRow & { organization_name: string }

const accountExists = (): AppError =>
  new AppError({
    code: 'account_exists',
    detail: "This address has an account. Send that account's own key along to join.",
  })

/** Only `false` means unverified. Null marks an account created by the operator. */
const isUnverified = ({ is_email_verified }: users.UserRow): boolean => is_email_verified !== null && !is_email_verified

/**
 * Returns the invite and the unverified account that accepting it supersedes. Throws
 * invalid_input for a wrong id or secret, already_used, expired, invalid_recipient for another account, account_exists
 * when the key of that account is missing, and user_already_member.
 */
export async function openInvite(
  db: Db,
  { invite_id, token, caller, now }: { invite_id: string; token: string; caller: Caller | undefined; now: string },
): Promise<OpenInvite & { superseded: users.UserRow | undefined }> {
  const invite = await invites.open(db, invite_id, hashOf(token))
  if (!invite) {
    if (await invites.wasUsed(db, invite_id, hashOf(token)))
      throw new AppError({
        code: 'already_used',
        detail: 'This invite has been accepted already. Go on with your key.',
      })
    throw invalid(null, 'This link opens no invite. Check that it is whole, or ask for a new invite.')
  }
  if (invite.created_at < invites.expiredBefore(now))
    throw new AppError({ code: 'expired', detail: 'This invite is more than three days old. Ask for a new one.' })
  const account = await users.getByEmail(db, invite.target_email)
  if (caller && caller.user.id !== account?.id)
    throw new AppError({
      code: 'invalid_recipient',
      detail: "This invite is for another address. Use that account's key, or none.",
    })
  // A secret from an API response does not prove the address, so it supersedes no account.
  const superseded = !caller && account && isUnverified(account) && invite.emailing_attempt_made ? account : undefined
  if (account && !caller && !superseded) throw accountExists()
  if (await members.hasEmail(db, invite.organization_id, invite.target_email))
    throw new AppError({
      code: 'user_already_member',
      detail: 'This address belongs to a member already. There is nothing to accept.',
    })
  return { ...invite, superseded }
}

export interface Acceptance {
  invite_id: string
  token: string
  first_name?: string
  last_name?: string
  caller: Caller | undefined
  mailed: boolean
}

export interface Accepted {
  user: users.UserRow
  organization_id: string
  api_key: string | null
  superseded: Superseded | undefined
}

/** Joins, once: an account and a first key for a new address, a membership for everybody. */
export async function acceptInvite(
  db: Db,
  ids: Ids,
  now: string,
  { caller, mailed, ...sent }: Acceptance,
): Promise<Accepted> {
  if (caller) demandWholeKey(caller)
  return db.tx(async (tx) => {
    const seen = await invites.open(tx, sent.invite_id, hashOf(sent.token))
    if (seen) {
      // Lock order: the account, then its organizations.
      await users.holdByEmail(tx, seen.target_email)
      // A concurrent acceptance waits for this lock and then finds the invite used.
      await members.hold(tx, seen.organization_id)
    }
    const invite = await openInvite(tx, { ...sent, caller, now })
    const { organization_id, level } = invite
    const inviterLevel = invite.created_by_id && (await members.levelOf(tx, organization_id, invite.created_by_id))
    if (!inviterLevel || inviterLevel < level)
      throw new AppError({
        code: 'inviter_not_allowed',
        detail: 'Whoever invited you may no longer do so. Ask for a new invite.',
      })
    if (!(await invites.use(tx, invite, hashOf(sent.token), now)))
      throw new AppError({
        code: 'already_used',
        detail: 'This invite has been accepted already. Go on with your key.',
      })

    const superseded = invite.superseded && (await supersede(tx, invite.superseded))
    const user = caller ? await provenBy(tx, caller.user, invite) : await newUser(tx, ids, now, invite, sent)
    if (caller) await users.forgetCurrent(tx, user.id, organization_id)
    await members.create(tx, { id: ids.uuid(), organization_id, user_id: user.id, level, now })
    const api_key = caller ? null : await firstKey(tx, ids, now, user)
    if (mailed) await tellOthers(tx, ids, now, invite, user)
    return { user, organization_id, api_key, superseded }
  })
}

/** Joining extends the access of the account, so a restricted key is not enough. */
function demandWholeKey({ key }: Caller): void {
  if (!key.scopes.includes('*') || !reachesEverything(key.reach))
    throw forbidden(
      "Joining needs a key with the scope '*' that is not limited to organizations or projects. Use such a key.",
    )
}

/** A mailed secret and the account's own key together prove that the address is the account's. */
async function provenBy(tx: Db, user: users.UserRow, invite: invites.InviteRow): Promise<users.UserRow> {
  if (!invite.emailing_attempt_made) return user
  await users.verifyEmail(tx, user.id)
  return { ...user, is_email_verified: true }
}

/** A key without restrictions. */
async function firstKey(tx: Db, ids: Ids, now: string, { id }: users.UserRow): Promise<string> {
  const key = { user_id: id, label: 'First key', scopes: ['*'], reach: EVERYTHING, expires_at: null }
  return (await issue(tx, ids, now, key)).value
}

async function newUser(
  tx: Db,
  ids: Ids,
  now: string,
  invite: invites.InviteRow,
  { first_name, last_name }: { first_name?: string; last_name?: string },
): Promise<users.UserRow> {
  const user = await users.create(tx, {
    uuid: ids.uuid(),
    distinct_id: ids.uuid(),
    email: invite.target_email,
    first_name: first_name || invite.first_name,
    ...(last_name && { last_name }),
    // Only a secret that came by mail proves the address.
    is_email_verified: Boolean(invite.emailing_attempt_made),
    now,
  })
  if (!user) throw accountExists()
  return user
}

async function tellOthers(tx: Db, ids: Ids, now: string, invite: OpenInvite, user: users.UserRow): Promise<void> {
  const name = `${user.first_name} ${user.last_name}`.trim()
  const content: outbox.MemberJoinedContent = { name, email: user.email, organization: invite.organization_name }
  for (const { email } of await members.toTell(tx, invite.organization_id, user.id))
    await outbox.enqueue(tx, { id: ids.uuid(), kind: 'member_joined', recipient: email, content, now })
}
