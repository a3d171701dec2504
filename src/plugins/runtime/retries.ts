/** Waits between attempts of a call that may succeed later: 5, 10, 20 and 40 seconds. */
export const MAX_ATTEMPTS = 5
const FIRST_RETRY_MS = 5_000

/** `attempts`: the failed ones so far, at least one. */
export const retryDelay = (attempts: number): number => FIRST_RETRY_MS * 2 ** (attempts - 1)
