import type { OperationId } from '../contract/operations.ts'

type Hint = (answer: Record<string, any>) => string | undefined

const FAMILIES = ['pipeline_destinations', 'pipeline_frontend_apps', 'pipeline_import_apps'] as const

const notFetched: Hint = ({ plugin_type, url }) =>
  url === null || plugin_type === 'local'
    ? 'Nothing was done: this plugin was not fetched from elsewhere, so no newer revision can be there.'
    : undefined

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
  ...Object.fromEntries(
    FAMILIES.flatMap((family) => [
      [
        `${family}.check_for_updates`,
        (answer: Record<string, any>) =>
          notFetched(answer) ??
          (answer.tag === answer.latest_tag
            ? 'The newest revision is installed.'
            : `There is a newer revision. Install it with:\n\n  workspace-admin ${family} upgrade ${answer.id}`),
      ],
      [`${family}.upgrade`, notFetched],
    ]),
  ),
}
