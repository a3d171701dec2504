/** Measures passwords with zxcvbn. It takes up to 130 ms for 64 characters, so it runs in a child process. */
import { createProcessPool } from '../background/process-pool.ts'
import { unavailable } from '../errors.ts'

const IDLE_MS = 10_000
const TIMEOUT_MS = 30_000
const MAX_CONCURRENT = 4

export interface StrengthRequest {
  password: string
  /** Words that make a password weak, such as the user's name. */
  personal: readonly string[]
}

export interface Strength {
  /** From 0, guessed at once, to 4. */
  score: number
  /** What to do about a weak password. */
  advice: string
}

export interface PasswordStrength {
  /** Throws `unavailable` when too many passwords are measured at the same time. */
  measure(password: string, personal: readonly string[]): Promise<Strength>
  stop(): Promise<void>
}

export function createPasswordStrength(): PasswordStrength {
  const pool = createProcessPool<StrengthRequest, Strength>({
    program: new URL('./strength-process', import.meta.url),
    idle_ms: IDLE_MS,
    env: {},
    stderr: 'ignore',
  })
  let running = 0

  return {
    measure: async (password, personal) => {
      if (running >= MAX_CONCURRENT) throw unavailable('Too many passwords are being checked. Retry in a few seconds.')
      running++
      const child = pool.take()
      const timer = setTimeout(() => void child.kill(), TIMEOUT_MS)
      try {
        await child.send({ password, personal })
        return await child.receive()
      } catch (cause) {
        throw unavailable('The password could not be checked. Retry the request.', cause)
      } finally {
        clearTimeout(timer)
        running--
        pool.release(child)
      }
    },
    stop: () => pool.stop(),
  }
}
