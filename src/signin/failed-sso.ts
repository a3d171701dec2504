/** Records failed single sign-ons. */
import type { Client } from '../auth/sessions.ts'
import type { Db } from '../sql/db.ts'
import * as accounts from '../store/accounts.ts'
import { record, SYSTEM } from '../store/activity_log.ts'
import * as domains from '../store/domains.ts'
import { fieldChanges } from '../store/field-changes.ts'
import * as identities from '../store/identities.ts'
import { recordFailedSignIn } from './activity.ts'
import type { SignInService } from './service.ts'
import type { Assertion, SsoError } from './sso.ts'

/** Counts it for the operator, and records it in the background where the user or the organization is known. */
export function reportFailedSso(service: SignInService, error: SsoError, { address }: Client): void {
  // Not a failure: the sign-in page prompts for the password.
  if (error.error_code === 'password_required') return
  const { error_code: reason, message: detail, assertion, domain } = error
  service.failures.add({ reason, detail, client: address, ...(assertion && { email: assertion.email }) })
  if (assertion || domain)
    service.background('recording a failed single sign-on', () =>
      service.db.tx((tx) => recordFailedSso(service, tx, error, address)),
    )
}

/** Records the failure for the user, or for the organization that verified the domain. */
async function recordFailedSso(
  service: SignInService,
  tx: Db,
  { error_code, assertion, domain: samlDomain }: SsoError,
  address: string,
): Promise<void> {
  const user = assertion && (await accountOf(tx, assertion))
  if (user) return recordFailedSignIn(service, tx, user, address, assertion.provider, error_code)
  const domain = assertion?.email_verified ? await domains.verifiedOf(tx, assertion.email) : samlDomain
  if (!domain) return
  const { ids, now } = service
  await record(tx, ids, now(), SYSTEM, {
    organization_id: domain.organization_id,
    area: 'sessions',
    activity: 'sign_in_failed',
    item_id: null,
    item_name: assertion?.email ?? domain.domain,
    changes: fieldChanges({}, { method: assertion?.provider ?? 'saml', error_code, address }),
  })
}

/** The active account of an identity, or else of its address. */
async function accountOf(tx: Db, assertion: Assertion): Promise<accounts.AccountRow | undefined> {
  const id = await identities.userOf(tx, assertion)
  return id === undefined ? accounts.getByEmail(tx, assertion.email) : accounts.get(tx, id)
}
