import { isUuid } from '../auth/access.ts'
import { issue, recordKeyActivity } from '../auth/api_keys.ts'
import { actorOf, type Caller } from '../auth/caller.ts'
import { sha256 } from '../auth/hash.ts'
import { secondFactorRequired } from '../auth/session-rules.ts'
import { requirePasswordAllowed } from '../auth/sso-enforcement.ts'
import { AppError, forbidden, invalid } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Mailer } from '../mail/mailer.ts'
import * as outbox from '../mail/outbox.ts'
import type { Db } from '../sql/db.ts'
import * as accounts from '../store/accounts.ts'
import { SYSTEM, type UserActor, userActor } from '../store/activity_log.ts'
import * as invites from '../store/invites.ts'
import { isUnrestricted, UNRESTRICTED } from '../store/key-restrictions.ts'
import * as members from '../store/members.ts'
import { enforcesTwoFactor, lockOrganization } from '../store/organizations.ts'
import * as removedMembers from '../store/removed_members.ts'
import * as users from '../store/users.ts'
import { recordInvite } from './invites.ts'
import { addMember } from './members.ts'
import { type Superseded, supersede } from './supersede.ts'

/** Replaces ids that are not uuids: they get the error of an unknown invite. */
const NO_INVITE = '00000000-0000-0000-0000-000000000000'

interface InviteLink {
  invite_id: string
  token: string
}

export type OpenInvite = invites.ReceivedInvite & {
  /** The unverified account that is disabled when the invite is accepted. */
  superseded: users.UserRow | undefined
}

const alreadyUsed = (): AppError =>
  new AppError({
    code: 'already_used',
    detail: 'This invite was already accepted. Sign in, or continue with your key.',
  })

const accountExists = (): AppError =>
  new AppError({
    code: 'account_exists',
    detail: 'This address has an account. Sign in with that account, or send its key, to join.',
  })

/** Only `false` means unverified. Null marks an account created by the operator. */
const isUnverified = ({ is_email_verified }: users.UserRow): boolean => is_email_verified !== null && !is_email_verified

const storedId = ({ invite_id }: InviteLink): string => (isUuid(invite_id) ? invite_id.toLowerCase() : NO_INVITE)

/**
 * Throws invalid_input for a wrong id or token, already_used, expired, invalid_recipient for the key of another account,
 * account_exists when the key of the account is missing, and user_already_member.
 */
export async function openInvite(
  { db, now }: { db: Db; now: () => string },
  link: InviteLink,
  caller: Caller | undefined,
): Promise<OpenInvite> {
  const [id, token_hash] = [storedId(link), sha256(link.token)]
  const invite = await invites.getByToken(db, id, token_hash)
  if (!invite) {
    if (await invites.wasUsed(db, id, token_hash)) throw alreadyUsed()
    throw invalid(null, 'This link is invalid. Check that it is complete, or request a new invite.')
  }
  if (invite.created_at < invites.expiryCutoff(now()))
    throw new AppError({ code: 'expired', detail: 'This invite has expired after three days. Ask for a new one.' })
  const account = await users.getByEmail(db, invite.target_email)
  if (caller && caller.user.id !== account?.id)
    throw new AppError({
      code: 'invalid_recipient',
      detail: 'This invite is for another address. Send the key of that account, or no key.',
    })
  // Only an emailed token proves the address, so only an emailed invite supersedes an account.
  const superseded = !caller && account && isUnverified(account) && invite.emailing_attempt_made ? account : undefined
  if (account && !caller && !superseded) throw accountExists()
  if (await members.hasEmail(db, invite.organization_id, invite.target_email))
    throw new AppError({ code: 'user_already_member', detail: 'This address already belongs to a member.' })
  return { ...invite, superseded }
}

export interface Acceptance extends InviteLink {
  /** The hash of the password of a new account. Without one, the account gets a key. */
  password_hash?: string
  first_name?: string
  last_name?: string
}

export interface Accepted {
  user: users.UserRow
  organization_id: string
  /** The first key of a new account. */
  api_key: string | null
}

/** The address of the invite that a link opens. Undefined for an invalid or used link. */
export async function recipientOf({ db }: { db: Db }, link: InviteLink): Promise<string | undefined> {
  return (await invites.getByToken(db, storedId(link), sha256(link.token)))?.target_email
}

/** The user of a session, if the invite is for their address. Otherwise the session is ignored. */
export async function recipientSession(
  deps: { db: Db },
  link: InviteLink,
  caller: Caller | undefined,
): Promise<Caller | undefined> {
  if (!caller) return undefined
  const recipient = await recipientOf(deps, link)
  return recipient?.toLowerCase() === caller.user.email.toLowerCase() ? caller : undefined
}

export interface SignupDeps {
  db: Db
  ids: Ids
  now: () => string
  mailer: Pick<Mailer, 'wake'> | null
  log: { warn: (fields: { superseded: Superseded; by: string }, message: string) => void }
}

/** Accepts an invite once. Creates a membership, and for a new address an account with a key. */
export async function acceptInvite(
  { db, ids, now, mailer, log }: SignupDeps,
  input: Acceptance,
  caller: Caller | undefined,
  address: string,
): Promise<Accepted> {
  if (caller) requireUnrestrictedKey(caller)
  const time = now()
  const { superseded, ...accepted } = await db.tx(async (tx) => {
    const found = await invites.getByToken(tx, storedId(input), sha256(input.token))
    if (found) {
      // Lock order: the account, then its organizations.
      await users.lockUserByEmail(tx, found.target_email)
      // A concurrent acceptance waits for this lock and then finds the invite used.
      await lockOrganization(tx, found.organization_id)
    }
    const invite = await openInvite({ db: tx, now: () => time }, input, caller)
    if (!caller) await requirePasswordAllowed(tx, invite.target_email)
    const { organization_id, level } = invite
    if (!(await mayStillInvite(tx, invite)))
      throw new AppError({
        code: 'inviter_not_allowed',
        detail: 'The member who invited you may no longer invite at this level. Ask for a new invite.',
      })
    if (!(await invites.consume(tx, invite, sha256(input.token), time))) throw alreadyUsed()

    const superseded = invite.superseded && (await supersede(tx, ids, time, SYSTEM, invite.superseded))
    const user = caller ? await verifiedBy(tx, caller.user, invite) : await createUser(tx, ids, time, invite, input)
    if (caller) await users.clearCurrentWorkspace(tx, user.id, organization_id)
    const actor = caller ? actorOf(caller, address) : userActor(user, address)
    await recordInvite(tx, ids, time, actor, 'accepted', invite)
    await addMember(tx, ids, time, actor, { organization_id, user, level })
    if (!caller && input.password_hash !== undefined) await accounts.setPassword(tx, user.id, input.password_hash)
    if (!caller && input.password_hash === undefined) await requireKeyAllowed(tx, organization_id)
    const api_key = caller || input.password_hash !== undefined ? null : await issueFirstKey(tx, ids, time, actor)
    await removedMembers.remove(tx, organization_id, user.id)
    if (mailer) await notifyMembers(tx, ids, time, { id: organization_id, name: invite.organization_name }, user)
    return { user, organization_id, api_key, superseded }
  })
  mailer?.wake()
  if (superseded) log.warn({ superseded, by: accepted.user.uuid }, 'superseded an unverified account')
  return accepted
}

/** An organization that enforces two-factor authentication does not issue keys to accounts without a second factor. */
async function requireKeyAllowed(tx: Db, organization_id: string): Promise<void> {
  if (await enforcesTwoFactor(tx, organization_id)) throw secondFactorRequired()
}

/** Whether the inviter is still a member with at least the level of the invite. */
export async function mayStillInvite(tx: Db, invite: invites.InviteRow): Promise<boolean> {
  const { organization_id, created_by_id, level } = invite
  const own = created_by_id === null ? undefined : await members.levelOf(tx, organization_id, created_by_id)
  return own !== undefined && own >= level
}

/** Joining extends the access of the account, so a restricted key is not enough. */
function requireUnrestrictedKey({ scopes, restrictions }: Caller): void {
  if (!scopes.includes('*') || !isUnrestricted(restrictions))
    throw forbidden(
      "Joining requires a key with the scope '*' that is not restricted to organizations or projects. Use an unrestricted key.",
    )
}

/** An emailed token together with the key of the account proves that the address belongs to the account. */
async function verifiedBy(tx: Db, user: users.UserRow, invite: invites.InviteRow): Promise<users.UserRow> {
  if (!invite.emailing_attempt_made) return user
  await users.verifyEmail(tx, user.id)
  return { ...user, is_email_verified: true }
}

async function issueFirstKey(tx: Db, ids: Ids, now: string, actor: UserActor): Promise<string> {
  const user_id = actor.user.id
  const key = { user_id, label: 'First key', scopes: ['*'], restrictions: UNRESTRICTED, expires_at: null }
  const issued = await issue(tx, ids, now, key)
  await recordKeyActivity(tx, ids, now, actor, 'created', { after: issued })
  return issued.value
}

async function createUser(
  tx: Db,
  ids: Ids,
  now: string,
  invite: invites.InviteRow,
  { first_name, last_name }: Acceptance,
): Promise<users.UserRow> {
  const user = await users.create(tx, {
    uuid: ids.uuid(),
    distinct_id: ids.uuid(),
    email: invite.target_email,
    first_name: first_name || invite.first_name,
    last_name,
    // Only an emailed token proves the address.
    is_email_verified: Boolean(invite.emailing_attempt_made),
    now,
  })
  if (!user) throw accountExists()
  return user
}

/** Enqueues the emails about a new member. */
export async function notifyMembers(
  tx: Db,
  ids: Ids,
  now: string,
  organization: { id: string; name: string },
  user: users.UserRow,
): Promise<void> {
  const name = `${user.first_name} ${user.last_name}`.trim()
  const content: outbox.MemberJoinedContent = { name, email: user.email, organization: organization.name }
  for (const { email } of await members.membersToNotify(tx, organization.id, user.id))
    await outbox.enqueue(tx, { id: ids.uuid(), kind: 'member_joined', recipient: email, content, now })
}
