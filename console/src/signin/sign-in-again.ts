/** Connects requests that need another sign-in with the components that ask for it. */
export type Reason = 'session_ended' | 'reauthentication_required'

type Ask = () => Promise<boolean>

const asks = new Map<Reason, Ask>()
const pending = new Map<Reason, Promise<boolean>>()

/** Registers a component while it is mounted. Returns the function that removes it. */
export function onSignInNeeded(reason: Reason, ask: Ask): () => void {
  asks.set(reason, ask)
  return () => void asks.delete(reason)
}

/** Returns whether the user signed in again. Concurrent requests ask once. */
export function signInAgain(reason: Reason): Promise<boolean> {
  const asked = pending.get(reason)
  if (asked) return asked
  const answer = (asks.get(reason)?.() ?? Promise.resolve(false)).finally(() => pending.delete(reason))
  pending.set(reason, answer)
  return answer
}
