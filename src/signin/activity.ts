/** Records sign-ins and changes of accounts in the activity log of each organization of the user. */
import { notifyUser } from '../mail/notices.ts'
import type { Db } from '../sql/db.ts'
import { type Activity, type Actor, earlierSignIns, recordForUser, userActor } from '../store/activity_log.ts'
import { type FieldChange, fieldChanges, secretChange } from '../store/field-changes.ts'
import type { SessionRow, SignInMethod } from '../store/sessions.ts'
import type { UserRow } from '../store/users.ts'
import type { SignInService } from './service.ts'

type Recorder = Pick<SignInService, 'ids' | 'now'>

/** Also enqueues an email about the first sign-in from an address. Wake the mailer after the commit. */
export async function recordSignIn(
  service: Recorder & Pick<SignInService, 'mailer'>,
  tx: Db,
  user: UserRow,
  { id, address, method }: SessionRow,
): Promise<void> {
  const earlier = await earlierSignIns(tx, user.id, address)
  await recordSession(service, tx, userActor(user, address, { session_id: id }), user, {
    activity: 'signed_in',
    item_id: id,
    changes: fieldChanges({}, { method }),
  })
  if (earlier.any && !earlier.from_address) await notifyUser(service, tx, user, 'new_sign_in', address)
}

/** For a known account only: a user may enter the password in place of the address. */
export function recordFailedSignIn(
  service: Recorder,
  tx: Db,
  user: UserRow,
  address: string,
  method: SignInMethod,
  /** Of single sign-on. */
  error_code: string | null = null,
): Promise<void> {
  return recordSession(service, tx, userActor(user, address), user, {
    activity: 'sign_in_failed',
    item_id: null,
    changes: fieldChanges({}, { method, error_code }),
  })
}

type SessionActivity = 'signed_in' | 'sign_in_failed' | 'signed_out'

export function recordSession(
  { ids, now }: Recorder,
  tx: Db,
  actor: Actor,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  entry: Pick<Activity, 'item_id' | 'changes'> & { activity: SessionActivity },
): Promise<void> {
  return recordForUser(tx, ids, now(), actor, id, { area: 'sessions', item_name: email, ...entry })
}

const SECRETS = {
  password_changed: 'password',
  email_changed: null,
  name_changed: null,
  two_factor_enabled: 'totp_secret',
  two_factor_disabled: 'totp_secret',
  backup_codes_renewed: 'backup_codes',
  sign_in_link_created: null,
} as const

/** Records a change of credentials or of the name. `changes` contains no secrets. */
export function recordAccount(
  { ids, now }: Recorder,
  tx: Db,
  actor: Actor,
  { id, uuid, email }: Pick<UserRow, 'id' | 'uuid' | 'email'>,
  activity: keyof typeof SECRETS,
  changes: FieldChange[] = [],
): Promise<void> {
  const secret = SECRETS[activity]
  return recordForUser(tx, ids, now(), actor, id, {
    area: 'users',
    activity,
    item_id: uuid,
    item_name: email,
    changes: secret === null ? changes : [secretChange(secret)],
  })
}
