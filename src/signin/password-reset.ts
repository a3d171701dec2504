/** Resets forgotten passwords with emailed links. */

import { endSignIns } from '../auth/credentials.ts'
import { sha256 } from '../auth/hash.ts'
import { requirePasswordAllowed } from '../auth/sso-enforcement.ts'
import { AppError } from '../errors.ts'
import { notifyUser } from '../mail/notices.ts'
import * as outbox from '../mail/outbox.ts'
import type { Db } from '../sql/db.ts'
import * as accounts from '../store/accounts.ts'
import { userActor } from '../store/activity_log.ts'
import * as tokens from '../store/one_time_tokens.ts'
import * as failures from '../store/sign_in_failures.ts'
import * as users from '../store/users.ts'
import { recordAccount } from './activity.ts'
import type { SignInService } from './service.ts'
import { invalidToken } from './sign-in.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LINK_MS = HOUR_MS
const MAX_MAILS_PER_DAY = 6

const noMail = (): AppError =>
  new AppError({
    code: 'email_not_available',
    detail: 'This server does not send email. Ask its operator for a sign-in link (`workspace-admin users link`).',
  })

/** Enqueues an email when the address has an account. Throws `email_not_available`, `sso_enforced` and `throttled`. */
export async function requestReset(service: SignInService, email: string): Promise<void> {
  const { db, ids, now, mailer, background } = service
  await requirePasswordAllowed(db, email)
  if (!mailer) throw noMail()
  await countMail(service, db, `reset ${users.emailKey(email)}`)
  // In the background, so the response time does not reveal whether the account exists.
  background('requesting a password reset', async () => {
    const user = await accounts.getByEmail(db, email)
    if (!user) return
    const content: outbox.AccountLinkContent = { user_id: user.id, first_name: user.first_name, email: user.email }
    await outbox.enqueue(db, { id: ids.uuid(), kind: 'password_reset', recipient: user.email, content, now: now() })
    mailer.wake()
  })
}

/** Throws `throttled` after six emails a day, whether or not the address has an account. */
export async function countMail(
  { milliseconds, throttled }: Pick<SignInService, 'milliseconds' | 'throttled'>,
  db: Db,
  name: string,
): Promise<void> {
  if (!throttled) return
  const time = milliseconds()
  const count = await failures.add(
    db,
    sha256(name),
    new Date(time).toISOString(),
    new Date(time - DAY_MS).toISOString(),
  )
  if (count > MAX_MAILS_PER_DAY)
    throw new AppError({
      code: 'throttled',
      detail: 'Too many emails to this address. Try again tomorrow.',
      retry_after_seconds: DAY_MS / 1000,
    })
}

/** Creates the token of an emailed link and voids earlier ones of its kind. Undefined when the user's address has changed. */
export async function createAccountLink(
  { db, ids, milliseconds }: Pick<SignInService, 'db' | 'ids' | 'milliseconds'>,
  kind: tokens.TokenKind,
  { user_id, email }: { user_id: number; email: string },
): Promise<{ token: string; uuid: string; expires_at: string } | undefined> {
  const token = ids.inviteToken()
  const created_at = new Date(milliseconds()).toISOString()
  const expires_at = new Date(milliseconds() + LINK_MS).toISOString()
  return db.tx(async (tx) => {
    const user = await accounts.lock(tx, user_id)
    if (!user || ![user.email, user.pending_email].includes(email)) return undefined
    await tokens.create(tx, { token_hash: sha256(token), kind, user_id, email, created_at, expires_at })
    return { token, uuid: user.uuid, expires_at }
  })
}

/** Throws `invalid_token` unless the link works. */
export async function checkReset(
  { db, now }: SignInService,
  uuid: string,
  token: string,
): Promise<accounts.AccountRow> {
  const link = await tokens.get(db, 'password_reset', sha256(token), now())
  const user = link && (await accounts.get(db, link.user_id))
  if (!user || user.uuid !== uuid.toLowerCase() || user.email !== link.email) throw invalidToken()
  return user
}

/** Sets the password and ends all sessions. Does not sign in. */
export async function completeReset(
  service: SignInService,
  { uuid, token, password, address }: { uuid: string; token: string; password: string; address: string },
): Promise<accounts.AccountRow> {
  const { db, ids, passwords, now } = service
  const user = await checkReset(service, uuid, token)
  await requirePasswordAllowed(db, user.email)
  await passwords.requireStrong(password, [user.email, user.first_name, user.last_name])
  const password_hash = await passwords.hash(password)
  await db.tx(async (tx) => {
    const link = await tokens.use(tx, 'password_reset', sha256(token), now())
    const current = await accounts.lock(tx, user.id)
    if (!link || current?.email !== link.email) throw invalidToken()
    await accounts.setPassword(tx, user.id, password_hash)
    // The emailed token proves the address.
    await users.verifyEmail(tx, user.id)
    const actor = userActor(current, address)
    await recordAccount(service, tx, actor, current, 'password_changed')
    await endSignIns(tx, { ids, now: now(), actor, reason: 'password_reset' }, current)
    await notifyUser(service, tx, current, 'password_changed')
  })
  service.mailer?.wake()
  return user
}
