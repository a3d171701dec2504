/** The requests of `composeWebhook`. */
import type { Outbound } from '../../outbound/guard.ts'
import { FetchError, fetchForPlugin } from './fetch.ts'
import { errorOfOutcome, type Outcome, type PluginError } from './messages.ts'

const failed = (message: string, retry = false): PluginError => ({ name: 'WebhookError', message, stack: '', retry })

/** Sends what `composeWebhook` returned. Returns the error. */
export async function sendWebhook(
  outbound: Outbound,
  outcome: Outcome,
  signal: AbortSignal = new AbortController().signal,
): Promise<PluginError | null> {
  if (typeof outcome !== 'string') return errorOfOutcome(outcome)
  // A function and an object with `toJSON` may become null.
  const { url, body, headers, method }: Record<string, unknown> = JSON.parse(outcome) ?? {}
  if (typeof url !== 'string') return failed('composeWebhook returned no url.')
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? null)
  const list = Object.entries(headers ?? { 'Content-Type': 'application/json' }).map(
    ([name, value]): [string, string] => [name, String(value)],
  )
  const request = { url, method: String(method ?? 'POST').toUpperCase(), headers: list, redirect: 'follow' }
  try {
    const { status } = await fetchForPlugin(outbound, request, Buffer.from(text), signal)
    if (status >= 200 && status < 300) return null
    return failed(`The request to ${new URL(url).host} failed with status ${status}.`, status >= 500 || status === 429)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof FetchError)) throw error
    return failed(error.message, true)
  }
}
