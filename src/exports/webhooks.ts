/** Sends signed webhook requests through the outbound guard. The headers follow Standard Webhooks. */
import { createHmac } from 'node:crypto'
import { AppError, errorCode } from '../errors.ts'
import type { Outbound } from '../outbound/guard.ts'
import { isCertificateError, post } from './guarded-requests.ts'

/** The time of a whole request. */
export const REQUEST_MS = 15_000
const PREFIX = 'whsec_'

export interface Webhook {
  url: string
  secret: string
  /** The id of the message, the same for every attempt. */
  id: string
  /** JSON. */
  body: string
  /** ISO 8601. */
  now: string
}

/** `detail` never contains text from the receiver. */
export interface WebhookResult {
  accepted: boolean
  detail: string
}

/** The base64 of HMAC-SHA256 over `id.timestamp.body`, with the decoded secret as key. */
export const signatureOf = (secret: string, id: string, timestamp: number, body: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64')

/** Sends one request. Redirects are not followed. Every status but 2xx is a failure. */
export async function sendWebhook(outbound: Outbound, webhook: Webhook, signal?: AbortSignal): Promise<WebhookResult> {
  const deadline = AbortSignal.timeout(REQUEST_MS)
  try {
    return describeStatus(await send(outbound, webhook, signal ? AbortSignal.any([deadline, signal]) : deadline))
  } catch (error) {
    return { accepted: false, detail: describeError(webhook.url, error) }
  }
}

async function send(outbound: Outbound, { url, secret, id, body, now }: Webhook, signal: AbortSignal): Promise<number> {
  const isPlain = new URL(url).protocol === 'http:'
  // Names and errors do not cross the internet unencrypted.
  const agent = isPlain ? outbound.agent('http:', { allowed_only: true }) : outbound.agent('https:')
  const timestamp = Math.floor(Date.parse(now) / 1000)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signatureOf(secret, id, timestamp, body)}`,
  }
  const { status } = await post(url, body, { agent, signal, headers }).finally(() => agent.destroy())
  return status
}

function describeStatus(status: number): WebhookResult {
  if (status >= 200 && status < 300) return { accepted: true, detail: `The server returned ${status}.` }
  if (status >= 300 && status < 400)
    return {
      accepted: false,
      detail: `The server returned ${status}. Redirects are not followed: set "url" to the final address.`,
    }
  return { accepted: false, detail: `The server returned ${status}. Check its log.` }
}

function describeError(url: string, error: unknown): string {
  const code = errorCode(error)
  if (code === 'outbound_refused' && url.startsWith('http:'))
    return 'This server connects without TLS only to addresses in OUTBOUND_ALLOW. Use https, or ask the operator to allow the address.'
  if (error instanceof AppError) return error.message
  if (isCertificateError(code))
    return "The server's certificate is not trusted or is for another name. Replace it on the server."
  if (code === 'ABORT_ERR' || code === 'ETIMEDOUT' || code === '23') return 'The server did not respond in time.'
  return 'The connection to the server failed. Check "url" and that the server is running.'
}
