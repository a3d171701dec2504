/** Leases: rows in the database that decide which node does some work. Times are ISO 8601. */
import { addMilliseconds } from '../time/stored.ts'

export interface Lease {
  /** Unique to one start of a process. */
  owner: string
  now: string
  until: string
  /** A lease that ends after this was taken before the clock was set back. */
  latest: string
}

export function leaseFor(owner: string, now: string, milliseconds: number): Lease {
  const at = (delay: number): string => addMilliseconds(now, delay)
  return { owner, now, until: at(milliseconds), latest: at(2 * milliseconds) }
}

/** The reason of the signal when the lease is lost. */
export const LEASE_LOST = new Error('the work was cancelled, deleted or claimed by another node')

export interface LeaseOptions<Change> {
  /** Extends the lease, and may store a change with it. Returns false when the lease is lost. */
  renew(change?: Change): Promise<boolean>
  every_ms: number
  /** Ends the work for other reasons too. */
  abort?: AbortController
}

export interface HeldLease<Change> {
  /** Aborted when the lease is lost. */
  signal: AbortSignal
  /** Renews the lease now, after the renewals before. */
  renew(change?: Change): Promise<void>
}

/** Renews a lease while `work` runs. Returns undefined when the work ended because the lease was lost. */
export async function whileLeased<Result, Change = never>(
  { renew, every_ms, abort = new AbortController() }: LeaseOptions<Change>,
  work: (lease: HeldLease<Change>) => Promise<Result>,
): Promise<Result | undefined> {
  let tail: Promise<unknown> = Promise.resolve()
  const renewNow = (change?: Change): Promise<void> => {
    const renewed = tail.then(async () => {
      if (!(await renew(change))) abort.abort(LEASE_LOST)
    })
    // A short outage of the database does not end the work: a lease outlasts several renewals.
    tail = renewed.catch(() => undefined)
    return renewed
  }
  // Not unref'ed: without other handles the process would exit before the lost lease ends the work.
  const timer = setInterval(() => void renewNow().catch(() => undefined), every_ms)
  try {
    return await work({ signal: abort.signal, renew: renewNow })
  } catch (error) {
    if (error !== LEASE_LOST) throw error
    return undefined
  } finally {
    clearInterval(timer)
    await tail
  }
}
