/** Connects requests that need a fresh sign-in with the dialog that asks for it. */
type Ask = () => Promise<boolean>

let ask: Ask | undefined
let pending: Promise<boolean> | undefined

/** The dialog registers itself while it is mounted. */
export function onReauthentication(next: Ask | undefined): void {
  ask = next
}

/** Returns whether the user signed in again. Concurrent requests share one dialog. */
export function reauthenticate(): Promise<boolean> {
  pending ??= (ask?.() ?? Promise.resolve(false)).finally(() => {
    pending = undefined
  })
  return pending
}
