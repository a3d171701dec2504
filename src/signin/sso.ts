/** Single sign-on: from a verified identity to a session. The protocols are in oidc.ts and saml.ts. */
import { sha256 } from '../auth/hash.ts'
import { type Client, createSession } from '../auth/sessions.ts'
import { recordInvite } from '../organizations/invites.ts'
import { addMember } from '../organizations/members.ts'
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
  | 'state_mismatch'
  | 'email_not_verified'
  | 'sso_enforced'
  | 'jit_not_enabled'
  | 'no_new_organizations'
  | 'invalid_invite'
  | 'password_required'

/** Ends in a redirect to the sign-in page, never in an error response. */
export class SsoError extends Error {
  constructor(
    readonly error_code: SsoErrorCode,
    /** For the log. */
    reason: string,
  ) {
    super(reason)
    this.name = 'SsoError'
  }
}

/** What a provider vouches for. */
export interface Assertion extends identities.Identity {
  /** Whether the provider says that the address belongs to the user. */
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
  const result = await service.db.tx((tx) => signIn(service, tx, input))
  service.mailer?.wake()
  return result
}

async function signIn(service: SignInService, tx: Db, input: SsoSignIn): Promise<SsoResult> {
  const { assertion, client, replaces } = input
  const { ids, now, milliseconds, limits } = service
  const domain = await domains.verifiedOf(tx, assertion.email)
  requireProvider(domain, assertion.provider)
  const known = await identities.userOf(tx, assertion)
  let account = known === undefined ? undefined : await accounts.lock(tx, known)
  if (known !== undefined && !account) throw new SsoError('sso_failed', 'the account of this identity is deactivated')
  if (account) requireProvider(await domains.verifiedOf(tx, account.email), assertion.provider)

  if (!account) {
    if (!assertion.email_verified) throw new SsoError('email_not_verified', 'the provider did not verify the address')
    const existing = await accounts.getByEmail(tx, assertion.email)
    if (existing && isUnverified(existing)) {
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
  const user = account ?? (await createUser(service, tx, input, domain))
  await identities.link(tx, user.id, assertion, now())
  await users.verifyEmail(tx, user.id)
  if (domain) await joinByDomain(service, tx, user, domain, client.address)
  if (replaces) await sessions.remove(tx, replaces.user_id, replaces.id)
  const { token, session } = await createSession(
    tx,
    { ids, now: now(), lifetime_hours: limits.lifetime_hours },
    { user_id: user.id, method: assertion.provider, domain_id: assertion.domain_id, second_factor: false, client },
  )
  await recordSignIn(service, tx, user, session)
  return { token, user }
}

/** Only `false` means unverified. Null marks an account that the operator created. */
const isUnverified = ({ is_email_verified }: users.UserRow): boolean => is_email_verified !== null && !is_email_verified

function requireProvider(domain: domains.DomainRow | undefined, provider: SignInMethod): void {
  if (domain?.sso_enforcement && domain.sso_enforcement !== provider)
    throw new SsoError('sso_enforced', `the domain ${domain.domain} enforces ${domain.sso_enforcement}`)
}

/** A new user needs an invite or a domain with just-in-time provisioning. */
async function createUser(
  { ids, now }: SignInService,
  tx: Db,
  { assertion: { email, first_name, last_name }, client, invite_id }: SsoSignIn,
  domain: domains.DomainRow | undefined,
): Promise<users.UserRow> {
  const invite = invite_id === null ? undefined : await invites.getOpen(tx, invite_id, now())
  if (invite_id !== null && (!invite || users.emailKey(invite.target_email) !== users.emailKey(email)))
    throw new SsoError('invalid_invite', 'the invite is gone, expired or for another address')
  if (!invite && !domain?.jit_provisioning_enabled)
    throw new SsoError(domain ? 'jit_not_enabled' : 'no_new_organizations', 'no invite and no provisioning')
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
  if (invite) await join({ ids, now }, tx, user, invite.organization_id, invite, client.address)
  return user
}

/** A pending invite to the address wins over level 1. A member that an administrator removed needs an invite. */
async function joinByDomain(
  service: SignInService,
  tx: Db,
  user: users.UserRow,
  { organization_id, jit_provisioning_enabled }: domains.DomainRow,
  address: string,
): Promise<void> {
  if ((await members.levelOf(tx, organization_id, user.id)) !== undefined) return
  const invite = await invites.getOpenTo(tx, organization_id, user.email, service.now())
  if (!invite && !jit_provisioning_enabled) return
  if (!invite && (await removedMembers.has(tx, organization_id, user.id))) return
  await join(service, tx, user, organization_id, invite, address)
}

async function join(
  { ids, now }: Pick<SignInService, 'ids' | 'now'>,
  tx: Db,
  user: users.UserRow,
  organization_id: string,
  invite: invites.InviteRow | undefined,
  address: string,
): Promise<void> {
  await lockOrganization(tx, organization_id)
  if ((await members.levelOf(tx, organization_id, user.id)) !== undefined) return
  const actor = userActor(user, address)
  if (invite) {
    await invites.remove(tx, invite.id)
    await recordInvite(tx, ids, now(), actor, 'accepted', invite)
  }
  const level = invite?.level ?? members.MEMBER
  await addMember(tx, ids, now(), actor, { organization_id, user, level })
  await removedMembers.remove(tx, organization_id, user.id)
}

/** Links an identity that waits for the password of its account. Called by a sign-in with that password. */
export async function linkPending(service: SignInService, user_id: number, link_token: string): Promise<void> {
  const { db, now } = service
  await db.tx(async (tx) => {
    const identity = await identities.usePending(tx, user_id, sha256(link_token), now())
    if (identity) await identities.link(tx, user_id, identity, now())
  })
}
