import type { Db } from '../sql/db.ts'
import * as accounts from '../store/accounts.ts'
import * as backupCodes from '../store/backup_codes.ts'
import * as identities from '../store/identities.ts'
import * as tokens from '../store/one_time_tokens.ts'
import * as pending from '../store/pending_sign_ins.ts'
import * as sessions from '../store/sessions.ts'

/** Ends the sessions, links and half-finished sign-ins of a user, except one session. */
export async function endSignIns(tx: Db, user_id: number, except: string | null = null): Promise<void> {
  await sessions.removeAll(tx, user_id, except)
  await pending.removeAll(tx, user_id)
  await tokens.removeAll(tx, user_id)
}

export async function removeTwoFactor(tx: Db, user_id: number): Promise<void> {
  await accounts.disableTwoFactor(tx, user_id)
  await backupCodes.removeAll(tx, user_id)
}

/** Removes everything that a user can sign in with. */
export async function removeCredentials(tx: Db, user_id: number): Promise<void> {
  await endSignIns(tx, user_id)
  await removeTwoFactor(tx, user_id)
  await identities.removeAll(tx, user_id)
  await accounts.setPassword(tx, user_id, null)
  await accounts.setPendingEmail(tx, user_id, null)
}
