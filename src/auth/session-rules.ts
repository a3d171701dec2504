/** Rules for sessions on top of scopes and levels. */
import type { OperationId } from '../contract/operations.ts'
import { AppError, forbidden } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import * as domains from '../store/domains.ts'
import type { KeyRestrictions } from '../store/key-restrictions.ts'
import { anyEnforcesTwoFactor, type Exemption } from '../store/organizations.ts'
import type { Caller } from './caller.ts'
import { isFresh, isSingleSignOn } from './sessions.ts'

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
  'session.end',
  'session.end_others',
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

/** Throws permission_denied for a key. */
export function requireSession({ session }: Caller): void {
  if (!session)
    throw forbidden('Keys cannot read or change the password, the second factor and the sessions of a user. Sign in.')
}

/** An organization, or a project with the rule of its organization. */
interface Place {
  organization_id?: string
  id: string | number
  enforce_2fa: boolean | number | null
}

/**
 * Where `enforce_2fa` does not apply to the caller. The operator's providers are trusted everywhere, the SAML of a domain in
 * the organization that verified it. Keys are exempt.
 */
export function exemptionOf({ session }: Caller): Exemption {
  if (!session || session.second_factor) return 'everywhere'
  if (session.method === 'saml') return { domain_id: session.domain_id }
  return isSingleSignOn(session) ? 'everywhere' : { domain_id: null }
}

/** Whether the caller may enter an organization or a project, as far as `enforce_2fa` is concerned. */
export async function hasRequiredSecondFactor(db: Db, caller: Caller, place: Place): Promise<boolean> {
  const exemption = place.enforce_2fa ? exemptionOf(caller) : 'everywhere'
  if (exemption === 'everywhere') return true
  const { domain_id } = exemption
  return domain_id !== null && domains.isVerifiedBy(db, domain_id, place.organization_id ?? String(place.id))
}

/** Throws `two_factor_setup_required` where the organization enforces it and the session has no second factor. */
export async function requireSecondFactor(db: Db, caller: Caller, place: Place): Promise<void> {
  if (!(await hasRequiredSecondFactor(db, caller, place))) throw secondFactorRequired()
}

/**
 * The rule for new or changed access of keys: where an organization that the key reaches, before or after the change,
 * enforces a second factor, the session must have one. A key has none. Throws `two_factor_setup_required`.
 */
export async function requireSecondFactorFor(db: Db, caller: Caller, reach: readonly KeyRestrictions[]): Promise<void> {
  const exemption = caller.key ? { domain_id: null } : exemptionOf(caller)
  for (const restrictions of reach)
    if (await anyEnforcesTwoFactor(db, caller.user.id, restrictions, exemption))
      throw caller.key
        ? new AppError({
            code: 'two_factor_setup_required',
            detail: 'An organization of this key requires two-factor authentication. Sign in with a second factor.',
          })
        : secondFactorRequired()
}

export const secondFactorRequired = (): AppError =>
  new AppError({
    code: 'two_factor_setup_required',
    detail: 'This organization requires two-factor authentication. Set it up, then sign in again.',
  })
