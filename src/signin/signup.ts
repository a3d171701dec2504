/** Accepts an invite with a password and creates a session. */
import type { Caller } from '../auth/caller.ts'
import type { Client } from '../auth/sessions.ts'
import * as invites from '../organizations/signup.ts'
import * as accounts from '../store/accounts.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { SignInService } from './service.ts'
import { startSession } from './sign-in.ts'

export interface SignupInput extends invites.Acceptance {
  password?: string
}

export interface SignedUp extends invites.Accepted {
  /** The value of the session cookie; null without a password. */
  session_token: string | null
}

/** Throws the errors of `acceptInvite`, those of weak passwords, and `sso_enforced`. */
export async function acceptInvite(
  service: SignInService & invites.SignupDeps,
  { password, ...input }: SignupInput,
  caller: Caller | undefined,
  { client, replaces }: { client: Client; replaces: SessionRow | null },
): Promise<SignedUp> {
  // The transaction below checks the invite. An invalid link must not cost a password hash.
  const recipient = caller || password === undefined ? undefined : await invites.recipientOf(service, input)
  if (recipient === undefined || password === undefined)
    return { ...(await invites.acceptInvite(service, input, caller, client.address)), session_token: null }
  const { passwords, db } = service
  await passwords.requireStrong(password, [recipient, input.first_name ?? '', input.last_name ?? ''])
  const accepted = await invites.acceptInvite(
    service,
    { ...input, password_hash: await passwords.hash(password) },
    undefined,
    client.address,
  )
  const session_token = await db.tx(async (tx) => {
    const account = await accounts.lock(tx, accepted.user.id)
    if (!account) return null
    return (await startSession(service, tx, account, { method: 'signup', client, replaces }, false)).token
  })
  return { ...accepted, session_token }
}
