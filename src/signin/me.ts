/** The caller's own profile, including credentials and the rules of the session. */
import type { Caller } from '../auth/caller.ts'
import { requireFresh, requireSession } from '../auth/session-rules.ts'
import { FRESH_MS } from '../auth/sessions.ts'
import * as users from '../auth/users.ts'
import { invalid, notFound } from '../errors.ts'
import * as accounts from '../store/accounts.ts'
import type { UserActor } from '../store/activity_log.ts'
import { definedFields } from '../store/changes.ts'
import { fieldChanges } from '../store/field-changes.ts'
import { addMilliseconds } from '../time/stored.ts'
import { recordAccount } from './activity.ts'
import { applyChange, type CredentialChange, prepareChange } from './profile.ts'
import type { SignInService } from './service.ts'

export interface Me extends users.Profile {
  has_password: boolean
  has_social_auth: boolean
  /** Null with a key. */
  reauthenticate_by: string | null
}

export async function get(service: SignInService, caller: Caller): Promise<Me> {
  const [account, profile] = await Promise.all([accounts.get(service.db, caller.user.id), users.get(service, caller)])
  if (!account) throw notFound()
  return meOf(caller, account, profile)
}

const meOf = ({ session }: Caller, account: accounts.AccountRow, profile: users.Profile): Me => ({
  ...profile,
  user: account,
  has_password: account.password_hash !== null,
  has_social_auth: Boolean(account.has_social_auth),
  reauthenticate_by: session && addMilliseconds(session.created_at, FRESH_MS),
})

const namesOf = ({ first_name, last_name }: accounts.AccountRow) => ({ first_name, last_name })

/** Changes all fields or none. A new password or address needs a fresh sign-in, and a new password a session. */
export async function update(
  service: SignInService,
  caller: Caller,
  actor: UserActor,
  input: users.ProfileInput & CredentialChange,
): Promise<Me> {
  if (input.password !== undefined) requireSession(caller)
  if (input.password !== undefined || input.email !== undefined) requireFresh(caller, service.milliseconds())
  users.requireMayUpdate(caller)
  const account = await accounts.get(service.db, caller.user.id)
  if (!account) throw notFound()
  const change = await prepareChange(service, actor, account, input)
  await service.db.tx(async (tx) => {
    const locked = await accounts.lock(tx, account.id)
    if (!locked) throw notFound()
    if (change.password_hash !== undefined && locked.password_hash !== account.password_hash)
      throw invalid(
        'current_password',
        'The password was changed in the meantime. Retry with the new password.',
        'incorrect_password',
      )
    await users.updateLocked(tx, { ...caller, user: locked }, input)
    const renamed = fieldChanges(namesOf(locked), namesOf({ ...locked, ...definedFields(input) }))
    if (renamed.length) await recordAccount(service, tx, actor, locked, 'name_changed', renamed)
    await applyChange(service, tx, actor, locked, change)
  })
  service.mailer?.wake()
  const updated = await accounts.get(service.db, account.id)
  if (!updated) throw notFound()
  return meOf(caller, updated, await users.get(service, { ...caller, user: updated }))
}
