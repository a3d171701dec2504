/** Signing in: password or link, then a second factor where the account has one. */

import { sha256 } from '../auth/hash.ts'
import { needsRehash } from '../auth/passwords.ts'
import { type Client, createSession } from '../auth/sessions.ts'
import { ssoEnforced } from '../auth/sso-enforcement.ts'
import { AppError, invalid } from '../errors.ts'
import { enforcementProblem } from '../organizations/domains.ts'
import type { Db } from '../sql/db.ts'
import * as accounts from '../store/accounts.ts'
import * as domains from '../store/domains.ts'
import { levelOf, OWNER } from '../store/members.ts'
import * as tokens from '../store/one_time_tokens.ts'
import * as pending from '../store/pending_sign_ins.ts'
import type { SessionRow, SignInMethod } from '../store/sessions.ts'
import * as sessions from '../store/sessions.ts'
import { recordFailedSignIn, recordSignIn } from './activity.ts'
import { verifyCode } from './second-factor.ts'
import type { SignInService } from './service.ts'
import { linkPending } from './sso.ts'
import { codeThrottles, guess, isPassword } from './throttle.ts'

const PENDING_MS = 10 * 60_000

/** A session, or the token of a sign-in that waits for its second factor. */
export type SignedIn = { token: string; session: SessionRow; user: accounts.AccountRow } | { pending_token: string }

/** The browser that signs in. */
interface Browser {
  client: Client
  /** The session that the browser has now. It is replaced. */
  replaces: SessionRow | null
  /** An identity of single sign-on that waits for the password of its account. */
  link_token?: string | undefined
}

export interface PasswordSignIn extends Browser {
  email: string
  password: string
}

const invalidCredentials = (): AppError =>
  new AppError({
    code: 'invalid_credentials',
    detail: 'The address or the password is wrong. Check both, or reset the password.',
  })

/** Throws `sso_enforced`, `invalid_credentials` and `throttled`. */
export async function signInWithPassword(
  service: SignInService,
  { email, password, ...browser }: PasswordSignIn,
): Promise<SignedIn> {
  const { db, passwords } = service
  const { client } = browser
  const lapsed = await lapsedEnforcement(service, email)
  const user = await accounts.getByEmail(db, email)
  const account = { email, password_hash: user?.password_hash ?? null }
  const matches = await isPassword(service, client.address, account, password)
  if (!user || !matches) {
    if (!user) service.failures.add({ reason: 'unknown_address', client: client.address, email })
    // In the background, so the response time does not reveal whether the account exists.
    else
      service.background('recording a failed sign-in', () =>
        db.tx((tx) => recordFailedSignIn(service, tx, user, client.address, 'password')),
      )
    throw invalidCredentials()
  }
  const password_hash =
    user.password_hash && needsRehash(user.password_hash) ? await passwords.hash(password) : undefined
  const result = await db.tx(async (tx) => {
    const current = await accounts.lock(tx, user.id)
    // The password was changed, or the account deactivated, while the hash was computed.
    if (!current || current.password_hash !== user.password_hash) throw invalidCredentials()
    if (lapsed) await requireOwner(tx, lapsed, user.id)
    if (password_hash !== undefined) await accounts.setPassword(tx, user.id, password_hash)
    return firstStep(service, tx, current, { method: 'password', ...browser })
  })
  service.mailer?.wake()
  return result
}

/**
 * The domain of the address if it enforces a provider that cannot sign anyone in any more. Its owners may then use a
 * password, or nobody could change the rule. Throws `sso_enforced` while the provider works.
 */
async function lapsedEnforcement({ db, sso }: SignInService, email: string): Promise<domains.DomainRow | undefined> {
  const domain = await domains.verifiedOf(db, email)
  if (!domain?.sso_enforcement) return undefined
  if (enforcementProblem(sso, domain) === null) throw ssoEnforced(domain)
  return domain
}

/** After the password, so that nobody else learns who is an owner. */
async function requireOwner(
  tx: Db,
  { organization_id, sso_enforcement }: domains.DomainRow,
  user_id: number,
): Promise<void> {
  if ((await levelOf(tx, organization_id, user_id)) !== OWNER)
    throw new AppError({
      code: 'sso_enforced',
      detail: `The domain of this address requires single sign-on with ${sso_enforcement}, which is no longer set up on this server. Ask an owner of your organization to choose another way to sign in.`,
    })
}

/** Throws `invalid_token` for a link that is unknown, used or expired. */
export async function signInWithLink(
  service: SignInService,
  { token, ...browser }: Browser & { token: string },
): Promise<SignedIn> {
  const result = await service.db.tx(async (tx) => {
    const link = await tokens.use(tx, 'sign_in', sha256(token), service.now())
    const user = link && (await accounts.lock(tx, link.user_id))
    if (!user || user.email !== link.email) throw invalidToken()
    return firstStep(service, tx, user, { method: 'link', ...browser })
  })
  service.mailer?.wake()
  return result
}

export const invalidToken = (): AppError =>
  invalid('token', 'This link is unknown, used or expired. Request a new one.', 'invalid_token')

interface Step extends Browser {
  method: SignInMethod
}

async function firstStep(service: SignInService, tx: Db, user: accounts.AccountRow, step: Step): Promise<SignedIn> {
  if (user.two_factor_enabled_at === null) return startSession(service, tx, user, step, false)
  const pending_token = service.ids.sessionToken()
  await pending.create(tx, {
    token_hash: sha256(pending_token),
    user_id: user.id,
    method: step.method,
    expires_at: new Date(service.milliseconds() + PENDING_MS).toISOString(),
  })
  return { pending_token }
}

/** Every sign-in gets a new session id; the browser's old session ends. Wake the mailer after the commit. */
export async function startSession(
  service: Pick<SignInService, 'ids' | 'now' | 'limits' | 'mailer'>,
  tx: Db,
  user: accounts.AccountRow,
  { method, client, replaces, link_token }: Step,
  second_factor: boolean,
): Promise<{ token: string; session: SessionRow; user: accounts.AccountRow }> {
  const { ids, now, limits } = service
  if (replaces) await sessions.remove(tx, replaces.user_id, replaces.id)
  // The password proves that the provider's user owns the account. A link does not.
  if (method === 'password' && link_token !== undefined) await linkPending(tx, user.id, link_token, now())
  const created = await createSession(
    tx,
    { ids, now: now(), lifetime_hours: limits.lifetime_hours },
    { user_id: user.id, method, second_factor, client },
  )
  await recordSignIn(service, tx, user, created.session)
  return { ...created, user }
}

const expired = (): AppError =>
  new AppError({ code: '2fa_expired', detail: 'This sign-in has expired. Sign in with the password again.' })

export interface SecondStep extends Browser {
  /** The token that the first step returned. */
  pending_token: string | undefined
  code: string
}

/** Throws `2fa_expired`, `2fa_too_many_attempts` and `2fa_invalid`. */
export async function completeSecondFactor(
  service: SignInService,
  { pending_token, code, ...browser }: SecondStep,
): Promise<{ token: string; session: SessionRow; user: accounts.AccountRow }> {
  const { db, now } = service
  const token_hash = sha256(pending_token ?? '')
  const waiting = pending_token ? await pending.get(db, token_hash, now()) : undefined
  if (!waiting) throw expired()
  const signedIn = await guess(service, codeThrottles(waiting.user_id), () =>
    db.tx(async (tx) => {
      const user = await accounts.lock(tx, waiting.user_id)
      if (!user) throw expired()
      if (!(await verifyCode(service, tx, user, code))) {
        await recordFailedSignIn(service, tx, user, browser.client.address, waiting.method)
        return undefined
      }
      if (!(await pending.remove(tx, token_hash))) throw expired()
      return startSession(service, tx, user, { method: waiting.method, ...browser }, true)
    }),
  )
  if (!signedIn)
    throw new AppError({
      code: '2fa_invalid',
      detail: 'This code is wrong or was used before. Enter the current code.',
    })
  service.mailer?.wake()
  return signedIn
}

/** How an address signs in. Depends only on its domain. */
export async function precheck(
  { db, sso }: SignInService,
  email: string,
): Promise<{ sso_enforcement: domains.SsoEnforcement; sso_available: boolean; saml_available: boolean }> {
  const domain = await domains.verifiedOf(db, email)
  return {
    sso_enforcement: domain?.sso_enforcement ?? '',
    sso_available: domain !== undefined && domain.sso_enforcement !== '' && enforcementProblem(sso, domain) === null,
    saml_available: domain !== undefined && domains.hasSaml(domain),
  }
}
