import type { OperationId } from '../contract/operations.ts'
import { isBody } from './client.ts'
import { singleLine } from './print.ts'

/** Lines below a response, or undefined. `url` is the address of the server. */
type Hint = (content: unknown, url: string) => string | undefined

const FAMILIES = ['pipeline_destinations', 'pipeline_frontend_apps', 'pipeline_import_apps'] as const

type Body = Record<string, unknown>

const about =
  (hint: (body: Body, url: string) => string | undefined): Hint =>
  (body, url) => {
    const text = isBody(body) ? hint(body, url) : undefined
    return text === undefined ? undefined : `\n${text}`
  }

const hintWithoutUpstream = ({ plugin_type, url }: Body): string | undefined =>
  url === null || plugin_type === 'local'
    ? 'Nothing changed: this plugin was not installed from a URL, so it has no newer revision.'
    : undefined

const hintAboutUpdate = (family: string, body: Body): string =>
  body.tag === body.latest_tag
    ? 'The latest revision is installed.'
    : `A newer revision is available. Install it with:\n\n  workspace-admin ${family} upgrade ${body.id}`

/** The token is in no other response, so the links are never columns that could be left out. */
const signupLinks: Hint = (content, url) => {
  const links = [content].flat().flatMap((invite) => {
    if (!isBody(invite) || !invite.signup_token) return []
    return [`  ${singleLine(invite.target_email)}  ${url}/signup/${invite.id}/?token=${invite.signup_token}`]
  })
  const rule = 'Email is not configured, so send the links yourself. Each works once, and they are not shown again:'
  return links.length ? ['', rule, '', ...links].join('\n') : undefined
}

const keyValue = about(({ value }) => (value ? `Store the key now: it is not shown again.\n  ${value}` : undefined))

const webhookSecret = about(({ secret }) =>
  secret ? `Store the secret now: it is not shown again. Verify requests with it.\n  ${secret}` : undefined,
)

/** The next step for a person at a terminal, printed below the response. */
export const HINTS: Partial<Record<OperationId, Hint>> = {
  'domains.create': about(
    ({ id, verification_record_name, verification_challenge }) =>
      `Create this record in the DNS of the domain, then run \`workspace-admin domains verify ${id}\`:\n\n  ${verification_record_name}.  TXT  "${verification_challenge}"`,
  ),
  'domains.verify': about(({ is_verified, verification_record_name, verification_challenge }) =>
    is_verified
      ? undefined
      : `The TXT record was not found. Create this record in the DNS of the domain, wait until it is published, and retry:

  ${verification_record_name}.  TXT  "${verification_challenge}"`,
  ),
  'invites.create': signupLinks,
  'invites.bulk': signupLinks,
  'alerts.create': webhookSecret,
  'alerts.update': webhookSecret,
  'api_keys.create': keyValue,
  'api_keys.roll': keyValue,
  'two_factor.validate': about(backupCodes),
  'two_factor.backup_codes': about(backupCodes),
  'signup.accept': about(({ api_key }) =>
    api_key ? `Store the API key now: it is not shown again.\n  ${api_key}` : undefined,
  ),
  ...Object.fromEntries(
    FAMILIES.flatMap((family): [string, Hint][] => [
      [`${family}.check_for_updates`, about((body) => hintWithoutUpstream(body) ?? hintAboutUpdate(family, body))],
      [`${family}.upgrade`, about(hintWithoutUpstream)],
    ]),
  ),
}

function backupCodes({ backup_codes }: Body): string | undefined {
  if (!Array.isArray(backup_codes)) return undefined
  return `Store the backup codes now: they are not shown again.\n${backup_codes.map((code) => `  ${code}`).join('\n')}`
}
