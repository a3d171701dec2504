import { AppError } from '../errors.ts'
import type { Db } from '../sql/db.ts'
import * as domains from '../store/domains.ts'

/** Throws `sso_enforced` for an address whose verified domain enforces a provider. */
export async function requirePasswordAllowed(db: Db, email: string): Promise<void> {
  const domain = await domains.verifiedOf(db, email)
  if (domain?.sso_enforcement) throw ssoEnforced(domain)
}

export const ssoEnforced = ({ sso_enforcement }: domains.DomainRow): AppError =>
  new AppError({
    code: 'sso_enforced',
    detail: `The domain of this address requires single sign-on with ${sso_enforcement}. Sign in there.`,
  })
