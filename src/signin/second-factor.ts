/** The caller's authenticator app and backup codes. */

import { removeTwoFactor } from '../auth/credentials.ts'
import { recordEndedSessions } from '../auth/ended-sessions.ts'
import { backupCodeHash, createBackupCodes, createTotp, type TotpSetup, totpStep } from '../auth/two-factor.ts'
import { AppError, invalid } from '../errors.ts'
import { notifyUser } from '../mail/notices.ts'
import type { Db } from '../sql/db.ts'
import * as accounts from '../store/accounts.ts'
import type { UserActor } from '../store/activity_log.ts'
import * as backupCodes from '../store/backup_codes.ts'
import { placeOf } from '../store/secrets.ts'
import * as sessions from '../store/sessions.ts'
import type { UserRow } from '../store/users.ts'
import { recordAccount } from './activity.ts'
import type { SignInService } from './service.ts'

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
  const encrypted = vault.encrypt(setup.secret, placeOf('users', user.id))
  if (!(await accounts.startTotpSetup(db, user.id, encrypted, now())))
    throw new AppError({
      code: '2fa_already_enabled',
      detail: 'Two-factor authentication is already on. Turn it off before you set it up again.',
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

/** Throws `2fa_not_enabled`. */
export async function renewBackupCodes(service: SignInService, actor: UserActor): Promise<string[]> {
  return service.db.tx(async (tx) => {
    const user = requireEnabled(await accounts.lock(tx, actor.user.id))
    await recordAccount(service, tx, actor, user, 'backup_codes_renewed')
    return replaceBackupCodes(service, tx, user.id)
  })
}

export interface Proof {
  password?: string
  token?: string
}

/** Needs the password or a code. Throws `2fa_not_enabled`, `required`, `incorrect_password` and `token_invalid`. */
export async function disable(service: SignInService, actor: UserActor, { password, token }: Proof): Promise<void> {
  const { db, passwords } = service
  const user = requireEnabled(await accounts.get(db, actor.user.id))
  if (password === undefined && token === undefined)
    throw invalid('password', 'Send "password" or "token".', 'required')
  if (password !== undefined && !(await passwords.verify(user.password_hash, password)))
    throw invalid('password', 'The password is wrong.', 'incorrect_password')
  await db.tx(async (tx) => {
    const current = requireEnabled(await accounts.lock(tx, user.id))
    if (password === undefined && !(await verifyCode(service, tx, current, token ?? ''))) throw tokenInvalid()
    await removeTwoFactor(tx, user.id)
    await notifyUser(service, tx, current, 'two_factor_disabled')
    await recordAccount(service, tx, actor, current, 'two_factor_disabled')
  })
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
  vault.decrypt(totp_secret ?? '', placeOf('users', id))

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
