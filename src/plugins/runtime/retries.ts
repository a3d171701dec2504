/** When calls of plugins are repeated, and when a configuration is switched off. */
import type { LoadError } from './messages.ts'

/** Waits between attempts of a call that may succeed later: 5, 10, 20 and 40 seconds. */
export const MAX_ATTEMPTS = 5
const FIRST_RETRY_MS = 5_000

/** `attempts`: the failed ones so far, at least one. */
export const retryDelay = (attempts: number): number => FIRST_RETRY_MS * 2 ** (attempts - 1)

/**
 * Whether a configuration whose code or `setupPlugin` failed is switched off. On a busy machine good code can take too long to
 * load, so only an error of the code itself is final at once.
 */
export const isFinal = ({ stage, stopped }: LoadError, attempts: number): boolean =>
  (stage === 'load' && stopped === undefined) || attempts >= MAX_ATTEMPTS

export const describeLoadError = ({ stage, message }: LoadError): string =>
  stage === 'load' ? `The code does not load: ${message}` : `setupPlugin failed: ${message}`
