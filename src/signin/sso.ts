/** Single sign-on: from a verified identity to a session. The protocols are in oidc.ts and saml.ts. */
import { sha256 } from '../auth/hash.ts'
import { type Client, createSession } from '../auth/sessions.ts'
import { recordInvite } from '../organizations/invites.ts'
import { addMember } from '../organizations/members.ts'
import { mayStillInvite, notifyMembers } from '../organizations/signup.ts'
import { supersede } from '../organizations/supersede.ts'
import type { Db } from '../sql/db.ts'
import * as accounts from '../store/accounts.ts'
import { SYSTEM, userActor } from '../store/activity_log.ts'
import * as domains from '../store/domains.ts'
import * as identities from '../store/identities.ts'
import * as invites from '../store/invites.ts'
import * as members from '../store/members.ts'
import { lockOrganization } from '../store/organizations.ts'
import * as removedMembers from '../store/removed_members.ts'
import type { SessionRow, SignInMethod } from '../store/sessions.ts'
import * as sessions from '../store/sessions.ts'
import * as users from '../store/users.ts'
import { recordSignIn } from './activity.ts'
import type { SignInService } from './service.ts'

const PENDING_MS = 10 * 60_000

/** The codes of `/login?error_code=…`. */
export type SsoErrorCode =
  | 'invalid_sso_provider'
  | 'improperly_configured_sso'
  | 'sso_failed'
  | 'sso_unavailable'
  | 'state_mismatch'
  | 'email_not_verified'
  | 'sso_enforced'
  | 'jit_not_enabled'
  | 'no_new_organizations'
  | 'invalid_invite'
  | 'password_required'

/** Becomes a redirect to the sign-in page, never an error response. */
export class SsoError extends Error {
  /** The rejected claims, if the provider's response was valid. */
  assertion?: Assertion
  /** The login domain of a SAML response that is invalid. */
  domain?: domains.DomainRow

  constructor(
    readonly error_code: SsoErrorCode,
    /** For the log. */
    reason: string,
  ) {
    super(reason)
    this.name = 'SsoError'
  }
}

/** The claims of a provider about a user. */
export interface Assertion extends identities.Identity {
  /** Whether the provider has verified the address. */
  email_verified: boolean
  first_name: string
  last_name: string
  /** The login domain, for SAML. */
  domain_id: string | null
}

export interface SsoSignIn {
  assertion: Assertion
  client: Client
  replaces: SessionRow | null
  invite_id: string | null
}

export type SsoResult =
  | { token: string; user: users.UserRow }
  /** The account has a password: its owner must sign in with it once before the identity is linked. */
  | { link_token: string }

/** Throws SsoError. */
export async function signInWithSso(service: SignInService, input: SsoSignIn): Promise<SsoResult> {
  const assertion = storable(input.assertion)
  const result = await service.db
    .tx((tx) => signIn(service, tx, { ...input, assertion }))
    .catch((error) => {
      if (error instanceof SsoError) error.assertion = assertion
      throw error
    })
  service.mailer?.wake()
  return result
}

async function signIn(
  service: SignInService,
  tx: Db,
  { assertion, client, replaces, invite_id }: SsoSignIn,
): Promise<SsoResult> {
  const { ids, now, milliseconds, limits } = service
  const domain = await domains.verifiedOf(tx, assertion.email)
  requireProvider(domain, assertion.provider)
  const known = await identities.userOf(tx, assertion)
  let account = known === undefined ? undefined : await accounts.lock(tx, known)
  if (known !== undefined && !account) throw new SsoError('sso_failed', 'the account of this identity is deactivated')
  if (account) requireProvider(await domains.verifiedOf(tx, account.email), assertion.provider)

  let removed = false
  if (!account) {
    if (!assertion.email_verified) throw new SsoError('email_not_verified', 'the provider did not verify the address')
    const found = await accounts.getByEmail(tx, assertion.email)
    const existing = found && (await accounts.lock(tx, found.id))
    if (existing && isUnverified(existing)) {
      removed = domain !== undefined && (await removedMembers.has(tx, domain.organization_id, existing.id))
      await supersede(tx, ids, now(), SYSTEM, existing)
    } else if (existing?.password_hash && domain?.sso_enforcement !== assertion.provider) {
      const link_token = ids.sessionToken()
      await identities.createPending(tx, {
        issuer: assertion.issuer,
        subject: assertion.subject,
        provider: assertion.provider,
        email: assertion.email,
        token_hash: sha256(link_token),
        user_id: existing.id,
        expires_at: new Date(milliseconds() + PENDING_MS).toISOString(),
      })
      return { link_token }
    } else account = existing
  }
  // A known identity may assert an address that is not the one of its account. That address lets nobody join.
  const vouched = assertion.email_verified && (!account || isAddressOf(account, assertion))
  const invite = await openInvite(service, tx, { email: assertion.email, vouched }, domain, invite_id)
  const provisioned = vouched && domain?.jit_provisioning_enabled ? domain.organization_id : undefined
  if (!account && !invite && (provisioned === undefined || removed))
    throw new SsoError(domain ? 'jit_not_enabled' : 'no_new_organizations', 'no invite and no provisioning')
  const user = account ?? (await createUser(service, tx, assertion, invite))
  await identities.link(tx, user.id, assertion, now())
  if (vouched) await users.verifyEmail(tx, user.id)
  if (invite) await joinByInvite(service, tx, user, invite, client.address)
  else if (provisioned !== undefined) await joinByDomain(service, tx, user, provisioned, client.address)
  if (replaces) await sessions.remove(tx, replaces.user_id, replaces.id)
  const { token, session } = await createSession(
    tx,
    { ids, now: now(), lifetime_hours: limits.lifetime_hours },
    { user_id: user.id, method: assertion.provider, domain_id: assertion.domain_id, second_factor: false, client },
  )
  await recordSignIn(service, tx, user, session)
  return { token, user }
}

const MAX_NAME = 150
const MAX_SUBJECT = 1_000
// Providers are trusted to verify addresses, not to send storable text.
const ADDRESS = /^[^\s\p{Cc}@]{1,64}@[^\s\p{Cc}@]{1,189}$/u

/** Rejects identities that cannot be stored, and sanitizes names. */
function storable(assertion: Assertion): Assertion {
  const { email, subject, first_name, last_name } = assertion
  if (!ADDRESS.test(email)) throw new SsoError('sso_failed', 'the provider sent an invalid address')
  if (subject === '' || subject.length > MAX_SUBJECT || /\p{Cc}/u.test(subject))
    throw new SsoError('sso_failed', 'the provider sent an invalid subject')
  const name = (text: string): string =>
    text
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, MAX_NAME)
      .toWellFormed()
  return { ...assertion, first_name: name(first_name), last_name: name(last_name) }
}

/** Only `false` means unverified. Null marks an account that the operator created. */
const isUnverified = ({ is_email_verified }: users.UserRow): boolean => is_email_verified !== null && !is_email_verified

const isAddressOf = (user: users.UserRow, { email }: Assertion): boolean =>
  users.emailKey(user.email) === users.emailKey(email)

function requireProvider(domain: domains.DomainRow | undefined, provider: SignInMethod): void {
  if (domain?.sso_enforcement && domain.sso_enforcement !== provider)
    throw new SsoError('sso_enforced', `the domain ${domain.domain} enforces ${domain.sso_enforcement}`)
}

/**
 * The invite in the request, or a pending invite of the organization that provisions the domain. The provider
 * vouches for the address, which replaces the token of the invite.
 */
async function openInvite(
  { now }: SignInService,
  tx: Db,
  { email, vouched }: { email: string; vouched: boolean },
  domain: domains.DomainRow | undefined,
  invite_id: string | null,
): Promise<invites.InviteRow | undefined> {
  if (invite_id !== null) {
    const invite = await invites.getOpen(tx, invite_id, now())
    if (!invite || !vouched || users.emailKey(invite.target_email) !== users.emailKey(email))
      throw new SsoError('invalid_invite', 'the invite is gone, expired or for another address')
    if (!(await mayStillInvite(tx, invite)))
      throw new SsoError('invalid_invite', 'the inviter may no longer invite at this level')
    return invite
  }
  if (!domain?.jit_provisioning_enabled || !vouched) return undefined
  const invite = await invites.getOpenTo(tx, domain.organization_id, email, now())
  return invite && (await mayStillInvite(tx, invite)) ? invite : undefined
}

async function createUser(
  { ids, now }: SignInService,
  tx: Db,
  { email, first_name, last_name }: Assertion,
  invite: invites.InviteRow | undefined,
): Promise<users.UserRow> {
  const user = await users.create(tx, {
    uuid: ids.uuid(),
    distinct_id: ids.uuid(),
    email,
    first_name: first_name || invite?.first_name || '',
    last_name,
    is_email_verified: true,
    now: now(),
  })
  if (!user) throw new SsoError('sso_failed', 'the address has a deactivated account')
  return user
}

/** Accepts the invite. An existing member keeps their level, and the invite is marked as used. */
async function joinByInvite(
  { ids, now, mailer }: SignInService,
  tx: Db,
  user: users.UserRow,
  invite: invites.InviteRow,
  address: string,
): Promise<void> {
  const { organization_id, level } = invite
  const organization = await lockOrganization(tx, organization_id)
  if (!organization || !(await invites.consumeWithoutToken(tx, invite, now())))
    throw new SsoError('invalid_invite', 'the invite was used or deleted in the meantime')
  if ((await members.levelOf(tx, organization_id, user.id)) !== undefined) return
  const actor = userActor(user, address)
  await recordInvite(tx, ids, now(), actor, 'accepted', invite)
  await users.clearCurrentWorkspace(tx, user.id, organization_id)
  await addMember(tx, ids, now(), actor, { organization_id, user, level })
  await removedMembers.remove(tx, organization_id, user.id)
  if (mailer) await notifyMembers(tx, ids, now(), { id: organization_id, name: organization.name }, user)
}

/** A member removed by an administrator can rejoin only with an invite. */
async function joinByDomain(
  { ids, now }: SignInService,
  tx: Db,
  user: users.UserRow,
  organization_id: string,
  address: string,
): Promise<void> {
  if ((await members.levelOf(tx, organization_id, user.id)) !== undefined) return
  if (!(await lockOrganization(tx, organization_id))) return
  // A concurrent sign-in of the same user won the race.
  if ((await members.levelOf(tx, organization_id, user.id)) !== undefined) return
  if (await removedMembers.has(tx, organization_id, user.id)) return
  await users.clearCurrentWorkspace(tx, user.id, organization_id)
  await addMember(tx, ids, now(), userActor(user, address), { organization_id, user, level: members.MEMBER })
}

/** Links an identity that waits for the password of its account. Called by a sign-in with that password. */
export async function linkPending(tx: Db, user_id: number, link_token: string, now: string): Promise<void> {
  const identity = await identities.usePending(tx, user_id, sha256(link_token), now)
  if (identity) await identities.link(tx, user_id, identity, now)
}
