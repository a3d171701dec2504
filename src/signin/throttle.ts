/** Throttles password and code guessing. Counts are in the database, so all nodes share them. */

import { sha256 } from '../auth/hash.ts'
import { AppError } from '../errors.ts'
import type { AccountRow } from '../store/accounts.ts'
import * as failures from '../store/sign_in_failures.ts'
import { emailKey } from '../store/users.ts'
import type { SignInService } from './service.ts'

const MINUTE_MS = 60_000
const MAX_BLOCK_MS = 15 * MINUTE_MS
/** Failures are forgotten after an hour without another one. */
export const FORGET_MS = 60 * MINUTE_MS

/** After `limit` failures, each further one doubles the wait, from `first_wait_ms` up to 15 minutes. */
interface Throttle {
  name: string
  limit: number
  first_wait_ms: number
  /** The error of an attempt during the wait. */
  code: 'throttled' | '2fa_too_many_attempts'
  /** Whether a success forgets the earlier failures. */
  forgives: boolean
}

/** By account at one address, so an attacker elsewhere cannot lock out its owner, and by address. */
const passwordThrottles = (email_key: string, address: string): Throttle[] => [
  {
    name: sha256(`account ${email_key} ${address}`),
    limit: 10,
    first_wait_ms: 30_000,
    code: 'throttled',
    forgives: true,
  },
  { name: sha256(`address ${address}`), limit: 100, first_wait_ms: 30_000, code: 'throttled', forgives: false },
]

/** The limit counts all addresses together: there are only a million codes. */
export const codeThrottles = (user_id: number): Throttle[] => [
  {
    name: sha256(`second factor ${user_id}`),
    limit: 1,
    first_wait_ms: 1_000,
    code: '2fa_too_many_attempts',
    forgives: true,
  },
]

type Clock = Pick<SignInService, 'db' | 'milliseconds' | 'throttled'>

/** An attempt that counts as a failure until it succeeds. */
interface Attempt {
  throttle: Throttle
  counted: failures.FailureRow
}

/**
 * Counts a guess and evaluates it. `evaluate` returns undefined for a wrong guess. The guess is counted first, so
 * concurrent guesses cannot exceed the limits. Throws the code of a throttle that blocks.
 */
export async function guess<Result>(
  clock: Clock,
  throttles: readonly Throttle[],
  evaluate: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  if (!clock.throttled) return evaluate()
  const attempts = await reserve(clock, throttles)
  try {
    const result = await evaluate()
    if (result !== undefined) await settle(clock, attempts, ({ forgives }) => forgives)
    return result
  } catch (error) {
    // The guess was not evaluated, for example because too many sign-ins are waiting.
    await settle(clock, attempts, () => false)
    throw error
  }
}

/** Whether this is the user's password. Sign-in and the checks of signed-in users are throttled together. */
export async function isPassword(
  service: SignInService,
  address: string,
  { email, password_hash }: Pick<AccountRow, 'email' | 'password_hash'>,
  password: string,
): Promise<boolean> {
  const matches = await guess(service, passwordThrottles(emailKey(email), address), async () =>
    (await service.passwords.verify(password_hash, password)) ? true : undefined,
  )
  return matches === true
}

async function reserve(clock: Clock, throttles: readonly Throttle[]): Promise<Attempt[]> {
  const { db, milliseconds } = clock
  const attempts: Attempt[] = []
  for (const throttle of throttles) {
    const counted = await failures.reserve(db, throttle.name, reservation(throttle, milliseconds()))
    if (counted) attempts.push({ throttle, counted })
    else {
      await settle(clock, attempts, () => false)
      throw await blocked(clock, throttle)
    }
  }
  return attempts
}

function reservation({ limit, first_wait_ms }: Throttle, time: number): failures.Reservation {
  const blocked_until: string[] = []
  for (let wait_ms = first_wait_ms; wait_ms < MAX_BLOCK_MS; wait_ms *= 2) blocked_until.push(iso(time + wait_ms))
  return {
    now: iso(time),
    forget_before: iso(time - FORGET_MS),
    limit,
    blocked_until: [...blocked_until, iso(time + MAX_BLOCK_MS)],
  }
}

/** Takes the attempts back, with all earlier failures where `forgives` says so. */
async function settle({ db }: Clock, attempts: readonly Attempt[], forgives: (throttle: Throttle) => boolean) {
  for (const { throttle, counted } of attempts)
    if (forgives(throttle)) await failures.remove(db, throttle.name)
    else await failures.release(db, throttle.name, counted)
}

async function blocked({ db, milliseconds }: Clock, { name, code }: Throttle): Promise<AppError> {
  const row = await failures.get(db, name)
  const seconds = row ? Math.max(1, Math.ceil((Date.parse(row.blocked_until) - milliseconds()) / 1000)) : 1
  return new AppError({
    code,
    detail: `Too many ${code === 'throttled' ? 'failed attempts' : 'wrong codes'}. Try again in ${seconds} seconds.`,
    retry_after_seconds: seconds,
  })
}

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()
