import type { Passwords } from '../auth/passwords.ts'
import type { SessionLimits } from '../auth/sessions.ts'
import type { Ids } from '../ids.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { SsoSettings } from '../organizations/domains.ts'
import type { Database } from '../sql/db.ts'
import type { Vault } from '../store/vault.ts'
import type { FailureLog } from './failure-log.ts'

/** The dependencies of every sign-in flow. */
export interface SignInService {
  db: Database
  ids: Ids
  now: () => string
  milliseconds: () => number
  passwords: Passwords
  vault: Vault
  limits: SessionLimits
  sso: SsoSettings
  /** Whether repeated failures are throttled. */
  throttled: boolean
  /** Null when email is not configured. */
  mailer: Mailer | null
  /** Failed sign-ins for the operator's log. */
  failures: FailureLog
  /** Starts work that the response does not wait for. */
  background(name: string, work: () => Promise<unknown>): void
}
