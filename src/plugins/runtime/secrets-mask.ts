/** Hides the secrets of a configuration in logs and errors. */
import type { Outcome, PluginError } from './messages.ts'

const SECRET_MASK = '**REDACTED**'
/** Shorter secrets would mask parts of ordinary words. */
const MIN_SECRET_LENGTH = 4

export type Mask = (text: string) => string

/** The longest secrets first: one may contain another. */
export function maskOf(secrets: readonly string[]): Mask {
  const hidden = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).sort((a, b) => b.length - a.length)
  return (text) => hidden.reduce((masked, secret) => masked.replaceAll(secret, SECRET_MASK), text)
}

export const maskError = <Failure extends PluginError>(error: Failure, mask: Mask): Failure => ({
  ...error,
  message: mask(error.message),
  stack: mask(error.stack),
})

export const maskOutcome = (outcome: Outcome, mask: Mask): Outcome =>
  typeof outcome === 'object' && outcome !== null ? { error: maskError(outcome.error, mask) } : outcome
