import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { LEASE_LOST, leaseFor, whileLeased } from '../../src/background/leases.ts'

const HOUR_MS = 3_600_000
const ended = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

t.test('a lease has a length, and one that is twice as long is from before a change of the clock', async (t) => {
  t.strictSame(leaseFor('node', '2026-01-01T00:00:00.000Z', 60_000), {
    owner: 'node',
    now: '2026-01-01T00:00:00.000Z',
    until: '2026-01-01T00:01:00.000Z',
    latest: '2026-01-01T00:02:00.000Z',
  })
})

t.test('renews the lease until the work ends', async (t) => {
  let renewals = 0
  const renew = async (): Promise<boolean> => ++renewals > 0
  const result = await whileLeased({ renew, every_ms: 1 }, async ({ signal }) => {
    while (renewals < 3) await pause(1)
    return signal.aborted
  })
  t.equal(result, false)
  const before = renewals
  await pause(20)
  t.equal(renewals, before)
})

t.test('ends the work when the lease is lost', async (t) => {
  const left = [true, true, false]
  const renew = async (): Promise<boolean> => left.shift() ?? false
  t.equal(await whileLeased({ renew, every_ms: 1 }, ({ signal }) => ended(signal)), undefined)

  t.equal(await whileLeased({ renew, every_ms: 1 }, ({ signal }) => ended(signal).catch(() => 'done')), 'done')
  const failed = new Error('another reason')
  const failing = ({ signal }: { signal: AbortSignal }): Promise<never> =>
    ended(signal).catch(() => Promise.reject(failed))
  await t.rejects(whileLeased({ renew, every_ms: 1 }, failing), failed)
})

t.test('a renewal that fails does not end the work, and the next one is tried', async (t) => {
  let renewals = 0
  const renew = async (): Promise<boolean> => {
    if (++renewals < 4) throw new Error('no database')
    return false
  }
  t.equal(await whileLeased({ renew, every_ms: 1 }, ({ signal }) => ended(signal)), undefined)
  t.equal(renewals, 4)
})

t.test('the work renews the lease itself, one renewal after the other, and sees their errors', async (t) => {
  const changes: (string | undefined)[] = []
  let active = 0
  const renew = async (change?: string): Promise<boolean> => {
    t.equal(++active, 1)
    await pause(2)
    active--
    changes.push(change)
    if (change === 'bad') throw new Error('no database')
    return change !== 'last'
  }
  await whileLeased({ renew, every_ms: HOUR_MS }, async (lease) => {
    const [bad, good] = await Promise.allSettled([lease.renew('bad'), lease.renew('good')])
    t.match([bad.status, good.status], ['rejected', 'fulfilled'])
    void lease.renew('last')
  })
  t.strictSame(changes, ['bad', 'good', 'last'], 'the renewal that runs is awaited')
})

t.test('the caller can end the work for other reasons', async (t) => {
  const abort = new AbortController()
  const reason = new Error('the server is shutting down')
  const working = whileLeased({ renew: async () => false, every_ms: HOUR_MS, abort }, async (lease) => {
    abort.abort(reason)
    await lease.renew()
    t.not(lease.signal.reason, LEASE_LOST)
    lease.signal.throwIfAborted()
  })
  await t.rejects(working, reason)
})
