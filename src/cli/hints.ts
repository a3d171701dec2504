import type { OperationId } from '../contract/operations.ts'

type Body = Record<string, unknown>
type Hint = (body: Body) => string | undefined

const FAMILIES = ['pipeline_destinations', 'pipeline_frontend_apps', 'pipeline_import_apps'] as const

const hintWithoutUpstream: Hint = ({ plugin_type, url }) =>
  url === null || plugin_type === 'local'
    ? 'Nothing changed: this plugin was not installed from a URL, so it has no newer revision.'
    : undefined

const hintAboutUpdate = (family: string, body: Body): string =>
  body.tag === body.latest_tag
    ? 'The latest revision is installed.'
    : `A newer revision is available. Install it with:\n\n  workspace-admin ${family} upgrade ${body.id}`

/** The next step for a person at a terminal, printed below the response. */
export const HINTS: Partial<Record<OperationId, Hint>> = {
  'domains.verify': ({ is_verified, verification_record_name, verification_challenge }) =>
    is_verified
      ? undefined
      : `The TXT record was not found. Create this record in the DNS of the domain, wait until it is published, and retry:

  ${verification_record_name}.  TXT  "${verification_challenge}"`,
  'invites.create': ({ id, signup_token }) =>
    signup_token
      ? `Email is not configured, so send this link to the user yourself. It works once:

  <public URL of this server>/signup/${id}/?token=${signup_token}`
      : undefined,
  ...Object.fromEntries(
    FAMILIES.flatMap((family): [string, Hint][] => [
      [`${family}.check_for_updates`, (body) => hintWithoutUpstream(body) ?? hintAboutUpdate(family, body)],
      [`${family}.upgrade`, hintWithoutUpstream],
    ]),
  ),
}
