/** Changes to the caller's own password and address. */

import { endSignIns } from '../auth/credentials.ts'
import { sha256 } from '../auth/hash.ts'
import { requirePasswordAllowed } from '../auth/sso-enforcement.ts'
import { AppError, invalid } from '../errors.ts'
import { notifyUser } from '../mail/notices.ts'
import * as outbox from '../mail/outbox.ts'
import type { Db } from '../sql/db.ts'
import * as accounts from '../store/accounts.ts'
import { type Actor, type UserActor, userActor } from '../store/activity_log.ts'
import * as domains from '../store/domains.ts'
import { fieldChanges } from '../store/field-changes.ts'
import * as tokens from '../store/one_time_tokens.ts'
import * as users from '../store/users.ts'
import { recordAccount } from './activity.ts'
import { countMail } from './password-reset.ts'
import type { SignInService } from './service.ts'
import { invalidToken } from './sign-in.ts'
import { isPassword } from './throttle.ts'

export interface CredentialChange {
  email?: string
  password?: string
  current_password?: string
}

/** The slow part of a change, done before the transaction. */
export interface PreparedChange {
  password_hash: string | undefined
  email: string | undefined
}

/** Throws `required`, `incorrect_password`, `throttled`, `sso_enforced` and the errors of weak passwords. */
export async function prepareChange(
  service: SignInService,
  actor: UserActor,
  user: accounts.AccountRow,
  { email, password, current_password }: CredentialChange,
): Promise<PreparedChange> {
  const { db, passwords } = service
  const changesEmail = email !== undefined && email !== user.email
  if (password !== undefined) {
    await requirePasswordAllowed(db, user.email)
    if (user.password_hash !== null && current_password === undefined)
      throw invalid('current_password', 'Send "current_password" to change the password.', 'required')
    if (user.password_hash !== null && !(await isPassword(service, actor.address, user, current_password ?? '')))
      throw invalid('current_password', 'The current password is wrong.', 'incorrect_password')
    await passwords.requireStrong(password, [user.email, user.first_name, user.last_name])
  }
  if (changesEmail) await requireMovableAddress(db, user.email, email)
  return {
    password_hash: password === undefined ? undefined : await passwords.hash(password),
    email: changesEmail ? email : undefined,
  }
}

/** An address under enforced single sign-on keeps its domain. */
async function requireMovableAddress(db: Db, from: string, to: string): Promise<void> {
  const [old, next] = [await domains.verifiedOf(db, from), await domains.verifiedOf(db, to)]
  if (old?.sso_enforcement && old.id !== next?.id)
    throw new AppError({
      code: 'sso_enforced',
      detail: 'The domain of this address requires single sign-on. The address cannot move to another domain.',
      attr: 'email',
    })
}

/** Applies a change in the transaction of the profile. Needs the lock on the user. Throws `unique`. */
export async function applyChange(
  service: SignInService,
  tx: Db,
  actor: UserActor,
  user: accounts.AccountRow,
  { password_hash, email }: PreparedChange,
): Promise<accounts.AccountRow> {
  let current = user
  if (password_hash !== undefined) {
    await accounts.setPassword(tx, user.id, password_hash)
    await recordAccount(service, tx, actor, user, 'password_changed')
    const ending = { ids: service.ids, now: service.now(), actor, reason: 'password_changed' } as const
    await endSignIns(tx, ending, user, actor.session_id)
    await notifyUser(service, tx, user, 'password_changed')
    current = { ...current, password_hash }
  }
  if (email === undefined) return current
  const holder = await accounts.getByEmail(tx, email)
  if (holder && holder.id !== user.id)
    throw invalid('email', 'Another account has this address. Use another one.', 'unique')
  // Without mail nothing can be verified. A change of case alone needs no verification.
  if (!service.mailer || users.emailKey(email) === users.emailKey(user.email))
    return changeEmail(service, tx, actor, current, email, false)
  // In this transaction: on SQLite another write would wait for it.
  await countMail(service, tx, `verification ${user.id}`)
  await accounts.setPendingEmail(tx, user.id, email)
  await enqueueVerification(service, tx, user, email)
  await notifyUser(service, tx, user, 'email_change_requested', email)
  return { ...current, pending_email: email }
}

/** Throws `unique` when another account has taken the address in the meantime. */
async function changeEmail(
  service: SignInService,
  tx: Db,
  actor: Actor,
  user: accounts.AccountRow,
  email: string,
  verified: boolean,
): Promise<accounts.AccountRow> {
  const changed = await accounts.changeEmail(tx, user, email, verified)
  if (!changed) throw invalid('email', 'Another account has this address. Use another one.', 'unique')
  await tokens.removeAll(tx, user.id)
  await notifyUser(service, tx, user, 'email_changed', email)
  await recordAccount(service, tx, actor, changed, 'email_changed', fieldChanges({ email: user.email }, { email }))
  return changed
}

async function enqueueVerification(
  { ids, now }: SignInService,
  tx: Db,
  { id, first_name }: accounts.AccountRow,
  email: string,
): Promise<void> {
  const content: outbox.AccountLinkContent = { user_id: id, first_name, email }
  await outbox.enqueue(tx, { id: ids.uuid(), kind: 'email_verification', recipient: email, content, now: now() })
}

/** Emails a verification link to the pending address, or to the current one if there is none. Throws `email_not_available` and `throttled`. */
export async function requestVerification(
  service: SignInService,
  { id }: Pick<accounts.AccountRow, 'id'>,
): Promise<void> {
  const { db, mailer } = service
  if (!mailer)
    throw new AppError({
      code: 'email_not_available',
      detail: 'This server does not send email, so it cannot verify addresses.',
    })
  await countMail(service, db, `verification ${id}`)
  await db.tx(async (tx) => {
    const user = await accounts.lock(tx, id)
    if (user) await enqueueVerification(service, tx, user, user.pending_email ?? user.email)
  })
  mailer.wake()
}

/** Throws `invalid_token`. */
export async function verifyEmail(
  service: SignInService,
  { uuid, token, address }: { uuid: string; token: string; address: string },
): Promise<void> {
  const { db, now } = service
  await db.tx(async (tx) => {
    const link = await tokens.use(tx, 'email_verification', sha256(token), now())
    const user = link && (await accounts.lock(tx, link.user_id))
    if (!user || user.uuid !== uuid.toLowerCase()) throw invalidToken()
    if (link.email === user.email) return users.verifyEmail(tx, user.id)
    if (link.email !== user.pending_email) throw invalidToken()
    await changeEmail(service, tx, userActor(user, address), user, link.email, true)
  })
  service.mailer?.wake()
}
