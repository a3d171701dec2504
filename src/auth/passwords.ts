/** Passwords: argon2id for storage, zxcvbn for strength. */
import { AppError, invalid } from '../errors.ts'
import type { PasswordProcesses } from './password-processes.ts'

const MIN_LENGTH = 8
const MIN_SCORE = 3

/** Algorithm 2 is argon2id. A stored hash with other parameters is replaced at the next sign-in. */
const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const PREFIX = '$argon2id$v=19$m=19456,t=2,p=1$'
/** Verified if the account has no hash, so an unknown address takes as long as a known one. */
const ABSENT = `${PREFIX}DfGOcDVsTq5mWhYgXX7wHg$0fQN4GtOrOw6+5mNe4t2rtyD/XETfyz1cVQMVgYYQYk`

export interface Passwords {
  hash(password: string): Promise<string>
  /** False for null. Takes the same time in every case. Throws `unavailable` when too many sign-ins are waiting. */
  verify(stored: string | null, password: string): Promise<boolean>
  /**
   * Throws `password_too_short` or `password_too_weak`. `personal` are words that make a password weak, such as the
   * user's name and address.
   */
  requireStrong(password: string, personal: readonly string[], attr?: string): Promise<void>
}

export const needsRehash = (stored: string): boolean => !stored.startsWith(PREFIX)

export function createPasswords(processes: PasswordProcesses): Passwords {
  return {
    hash: (password) => processes.hash(password, PARAMETERS),
    verify: async (stored, password) => (await processes.verify(stored ?? ABSENT, password)) && stored !== null,
    requireStrong: async (password, personal, attr = 'password') => {
      if ([...password].length < MIN_LENGTH)
        throw invalid(attr, `The password must have at least ${MIN_LENGTH} characters.`, 'password_too_short')
      const { score, advice } = await processes.measure(password, personal)
      if (score < MIN_SCORE)
        throw new AppError({ code: 'password_too_weak', detail: `This password is easy to guess. ${advice}`, attr })
    },
  }
}
