/** Failed sign-ins to unknown addresses and failed single sign-ons, as one line a minute in the operator's log. */
import { sha256 } from '../auth/hash.ts'
import { emailKey } from '../store/users.ts'

const INTERVAL_MS = 60_000
/** Counting stops there: anyone can send these requests, so memory must be bounded. */
const MAX_DISTINCT = 10_000
const MAX_DETAIL = 300

export interface Failure {
  /** `unknown_address`, or the code of a failed single sign-on. */
  reason: string
  /** The client address. */
  client: string
  /** The address that was entered or asserted. */
  email?: string
  /** Why it failed. Contains no user input. */
  detail?: string
}

export interface FailureLog {
  add(failure: Failure): void
  /** Writes the line of the failures so far. Called every minute and at shutdown. */
  flush(): void
}

interface Counts {
  failures: Map<string, number>
  /** The last one of each reason. */
  details: Map<string, string>
  /** Hashes: a user may enter the password in place of the address. */
  emails: Set<string>
  clients: Set<string>
}

const empty = (): Counts => ({ failures: new Map(), details: new Map(), emails: new Set(), clients: new Set() })

export function createFailureLog(log: { info(fields: object, message: string): void }): FailureLog {
  let counts = empty()
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const { failures, details, emails, clients } = counts
    if (failures.size === 0) return
    counts = empty()
    const fields = {
      failures: Object.fromEntries(failures),
      addresses: emails.size,
      clients: clients.size,
      ...(details.size > 0 && { details: Object.fromEntries(details) }),
    }
    log.info(fields, 'failed sign-ins')
  }

  return {
    add: ({ reason, client, email, detail }) => {
      const { failures, details, emails, clients } = counts
      failures.set(reason, (failures.get(reason) ?? 0) + 1)
      if (detail !== undefined) details.set(reason, detail.slice(0, MAX_DETAIL))
      if (email !== undefined && emails.size < MAX_DISTINCT) emails.add(sha256(emailKey(email)))
      if (clients.size < MAX_DISTINCT) clients.add(client)
      timer ??= setTimeout(flush, INTERVAL_MS).unref()
    },
    flush,
  }
}
