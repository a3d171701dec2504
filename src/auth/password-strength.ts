/** How strong a password is. zxcvbn takes up to 130 ms for 64 characters, so it runs in a child process. */

/** More characters make zxcvbn slower and no password weaker. */
export const MEASURED_CHARACTERS = 64

export interface Strength {
  /** 0 (guessed at once) to 4. */
  score: number
  /** What to do about a weak password. */
  advice: string
}

export interface PasswordStrength {
  measure(password: string, personal: readonly string[]): Promise<Strength>
  stop(): Promise<void>
}
