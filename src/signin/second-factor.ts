/** The caller's authenticator app and backup codes. */

import type { Caller } from '../auth/caller.ts'
import { removeTwoFactor } from '../auth/credentials.ts'
import { recordEndedSessions } from '../auth/ended-sessions.ts'
import { isSingleSignOn } from '../auth/sessions.ts'
import { backupCodeHash, createBackupCodes, createTotp, type TotpSetup, totpStep } from '../auth/two-factor.ts'
import { AppError, invalid } from '../errors.ts'
import { notifyUser } from '../mail/notices.ts'
import type { Db } from '../sql/db.ts'
import * as accounts from '../store/accounts.ts'
import type { UserActor } from '../store/activity_log.ts'
import * as backupCodes from '../store/backup_codes.ts'
import { ownerOf } from '../store/secrets.ts'
import * as sessions from '../store/sessions.ts'
import type { UserRow } from '../store/users.ts'
import { recordAccount } from './activity.ts'
import type { SignInService } from './service.ts'
import { codeThrottles, guess, isPassword } from './throttle.ts'

const SETUP_MS = 10 * 60_000

export interface TwoFactorStatus {
  is_enabled: boolean
  backup_codes: number
}

export async function status({ db }: SignInService, user: UserRow): Promise<TwoFactorStatus> {
  return { is_enabled: user.two_factor_enabled_at !== null, backup_codes: await backupCodes.count(db, user.id) }
}

/** Replaces a setup that was started before. Throws `2fa_already_enabled`. */
export async function startSetup({ db, ids, vault, now }: SignInService, user: UserRow): Promise<TotpSetup> {
  const setup = await createTotp(ids, user.email)
  const encrypted = vault.encrypt(setup.secret, ownerOf('users', user.id))
  if (!(await accounts.startTotpSetup(db, user.id, encrypted, now())))
    throw new AppError({
      code: '2fa_already_enabled',
      detail: 'Two-factor authentication is already on. Turn it off, with the password or a code, and set it up again.',
    })
  return setup
}

/** Turns two-factor authentication on and returns the backup codes. Throws `setup_expired` and `token_invalid`. */
export async function completeSetup(service: SignInService, actor: UserActor, code: string): Promise<string[]> {
  const { db, ids, now, milliseconds } = service
  const { session_id } = actor
  const { id } = actor.user
  return db.tx(async (tx) => {
    const user = await accounts.lock(tx, id)
    const started_at = user?.two_factor_enabled_at === null ? user.totp_setup_at : null
    if (!user?.totp_secret || !started_at || Date.parse(started_at) < milliseconds() - SETUP_MS)
      throw new AppError({ code: 'setup_expired', detail: 'The setup has expired. Start it again.' })
    const step = await totpStep(decryptSecret(service, user), code, milliseconds())
    if (step === null) throw tokenInvalid()
    await accounts.enableTwoFactor(tx, id, step, now())
    await recordAccount(service, tx, actor, user, 'two_factor_enabled')
    // Sessions without a second factor end, except the session that just verified a code.
    const ending = { ids, now: now(), actor, reason: 'two_factor_enabled' } as const
    await recordEndedSessions(tx, ending, await sessions.removeAll(tx, user, session_id))
    if (session_id !== null) await sessions.confirmSecondFactor(tx, session_id)
    const codes = await replaceBackupCodes(service, tx, id)
    await notifyUser(service, tx, user, 'two_factor_enabled')
    return codes
  })
}

/** Needs a proof. Throws `2fa_not_enabled` and the errors of a proof. */
export async function renewBackupCodes(
  service: SignInService,
  caller: Caller,
  actor: UserActor,
  proof: Proof,
): Promise<string[]> {
  await requireProof(service, caller, actor, proof)
  return service.db.tx(async (tx) => {
    const user = requireEnabled(await accounts.lock(tx, actor.user.id))
    await recordAccount(service, tx, actor, user, 'backup_codes_renewed')
    return replaceBackupCodes(service, tx, user.id)
  })
}

/** Needs a proof. Throws `2fa_not_enabled` and the errors of a proof. */
export async function disable(service: SignInService, caller: Caller, actor: UserActor, proof: Proof): Promise<void> {
  await requireProof(service, caller, actor, proof)
  await service.db.tx(async (tx) => {
    const user = requireEnabled(await accounts.lock(tx, actor.user.id))
    await removeTwoFactor(tx, user.id)
    await notifyUser(service, tx, user, 'two_factor_disabled')
    await recordAccount(service, tx, actor, user, 'two_factor_disabled')
  })
}

/** Shows that the user is at the browser of the session. */
export interface Proof {
  password?: string
  token?: string
}

/**
 * Needs the password or a code. A user without a password may sign in again with their provider instead. Throws
 * `2fa_not_enabled`, `required`, `incorrect_password`, `token_invalid`, `throttled` and `2fa_too_many_attempts`.
 */
async function requireProof(
  service: SignInService,
  { session }: Caller,
  actor: UserActor,
  { password, token }: Proof,
): Promise<void> {
  const { db } = service
  const user = requireEnabled(await accounts.get(db, actor.user.id))
  if (password !== undefined) {
    if (!(await isPassword(service, actor.address, user, password)))
      throw invalid('password', 'The password is wrong.', 'incorrect_password')
  } else if (token !== undefined) {
    const matches = await guess(service, codeThrottles(user.id), () =>
      db.tx(async (tx) => {
        const locked = await accounts.lock(tx, user.id)
        return locked && (await verifyCode(service, tx, locked, token)) ? true : undefined
      }),
    )
    if (!matches) throw tokenInvalid()
  } else if (user.password_hash !== null) throw invalid('password', 'Send "password" or "token".', 'required')
  // The session is fresh: the operations that need a proof are sensitive.
  else if (!session || !isSingleSignOn(session))
    throw invalid('token', 'Send "token", or sign in again with your provider.', 'required')
}

/** Accepts each time step and each backup code once. Needs the lock on the user. */
export async function verifyCode(
  service: SignInService,
  tx: Db,
  user: accounts.AccountRow,
  code: string,
): Promise<boolean> {
  if (!user.totp_secret || user.two_factor_enabled_at === null) return false
  const step = await totpStep(decryptSecret(service, user), code, service.milliseconds())
  if (step !== null) return accounts.useTotpStep(tx, user.id, step)
  if (!(await backupCodes.use(tx, user.id, backupCodeHash(code)))) return false
  await notifyUser(service, tx, user, 'backup_code_used')
  return true
}

const decryptSecret = ({ vault }: SignInService, { id, totp_secret }: accounts.AccountRow): string =>
  vault.decrypt(totp_secret ?? '', ownerOf('users', id))

async function replaceBackupCodes({ ids }: SignInService, tx: Db, user_id: number): Promise<string[]> {
  const codes = createBackupCodes(ids)
  await backupCodes.replace(tx, user_id, codes.map(backupCodeHash))
  return codes
}

function requireEnabled(user: accounts.AccountRow | undefined): accounts.AccountRow {
  if (!user || user.two_factor_enabled_at === null)
    throw new AppError({ code: '2fa_not_enabled', detail: 'Two-factor authentication is off. Set it up first.' })
  return user
}

const tokenInvalid = (): AppError => invalid('token', 'This code is wrong or was used before.', 'token_invalid')
