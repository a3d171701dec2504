import type { Db } from '../sql/db.ts'
import * as accounts from '../store/accounts.ts'
import * as backupCodes from '../store/backup_codes.ts'
import * as identities from '../store/identities.ts'
import * as tokens from '../store/one_time_tokens.ts'
import * as pending from '../store/pending_sign_ins.ts'
import * as sessions from '../store/sessions.ts'
import type { UserRow } from '../store/users.ts'
import { type Ending, recordEndedSessions } from './ended-sessions.ts'

type Account = Pick<UserRow, 'id' | 'email'>

/** Ends the sessions, links and incomplete sign-ins of a user, except one session. */
export async function endSignIns(tx: Db, ending: Ending, user: Account, except: string | null = null): Promise<void> {
  await recordEndedSessions(tx, ending, await sessions.removeAll(tx, user, except))
  await pending.removeAll(tx, user.id)
  await tokens.removeAll(tx, user.id)
}

export async function removeTwoFactor(tx: Db, user_id: number): Promise<void> {
  await accounts.disableTwoFactor(tx, user_id)
  await backupCodes.removeAll(tx, user_id)
}

/** Removes all of a user's credentials. */
export async function removeCredentials(tx: Db, ending: Ending, user: Account): Promise<void> {
  await endSignIns(tx, ending, user)
  await removeTwoFactor(tx, user.id)
  await identities.removeAll(tx, user.id)
  await accounts.setPassword(tx, user.id, null)
  await accounts.setPendingEmail(tx, user.id, null)
}
