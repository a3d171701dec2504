import type { OperationId } from '../contract/operations.ts'

type Hint = (answer: Record<string, any>) => string | undefined

/** What somebody at a terminal needs to hear beyond the answer itself. */
export const HINTS: Partial<Record<OperationId, Hint>> = {
  'domains.verify': ({ domain, is_verified, verification_challenge }) =>
    is_verified
      ? undefined
      : `Not found yet. Create this TXT record where the domain's DNS is kept, wait until it is published, and try again:

  _workspace-challenge.${domain}.  TXT  "${verification_challenge}"`,
  'invites.create': ({ id, signup_token }) =>
    signup_token &&
    `No mail is configured, so hand this link to the person yourself; it works once:

  <where people reach this server>/signup/${id}/?token=${signup_token}`,
}
