/** Rules for sessions on top of scopes and levels. Keys are exempt. */
import type { OperationId } from '../contract/operations.ts'
import { AppError } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import * as domains from '../store/domains.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { Caller } from './caller.ts'
import { isFresh } from './sessions.ts'

/** Operations that need a sign-in within the last hour. Those that depend on the body call `requireFresh`. */
const SENSITIVE: readonly OperationId[] = [
  'api_keys.create',
  'api_keys.update',
  'api_keys.roll',
  'api_keys.revoke',
  'two_factor.start_setup',
  'two_factor.validate',
  'two_factor.backup_codes',
  'two_factor.disable',
  'domains.create',
  'domains.update',
  'domains.delete',
  'domains.verify',
  'organizations.delete',
]

export function requireFreshSignIn(caller: Caller, id: OperationId, milliseconds: number): void {
  if (SENSITIVE.includes(id)) requireFresh(caller, milliseconds)
}

/** Throws `reauthentication_required` for a session that was signed in more than an hour ago. */
export function requireFresh({ session }: Caller, milliseconds: number): void {
  if (session && !isFresh(session, milliseconds))
    throw new AppError({
      code: 'reauthentication_required',
      detail: 'This needs a sign-in within the last hour. Sign in again and repeat the request.',
    })
}

/** An organization, or a project with the rule of its organization. */
interface Place {
  organization_id?: string
  id: string | number
  enforce_2fa: boolean | number | null
}

/** Throws `two_factor_setup_required` where the organization enforces it and the session has no second factor. */
export async function requireSecondFactor(db: Db, { session }: Caller, place: Place): Promise<void> {
  if (!place.enforce_2fa || !session || session.second_factor) return
  if (await isExempt(db, session, place.organization_id ?? String(place.id))) return
  throw secondFactorRequired()
}

export const secondFactorRequired = (): AppError =>
  new AppError({
    code: 'two_factor_setup_required',
    detail: 'This organization requires two-factor authentication. Set it up, then sign in again.',
  })

/** The operator's providers are trusted everywhere, the SAML of a domain in the organization that verified it. */
async function isExempt(db: Db, { method, domain_id }: SessionRow, organization_id: string): Promise<boolean> {
  if (method === 'saml') return domain_id !== null && (await domains.isVerifiedBy(db, domain_id, organization_id))
  return method === 'google-oauth2' || method === 'github' || method === 'gitlab' || method === 'oidc'
}
