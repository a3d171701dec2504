/** Delivers to the `/batch/` endpoint of a server. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { components } from '../../contract/openapi.ts'
import { errorCode, invalid } from '../../errors.ts'
import { EVENT_COLUMNS as c } from '../../events/extract.ts'
import { type BlockLimits, blockKey, openBlockReceiver } from '../blocks.ts'
import {
  type Delivery,
  DeliveryError,
  type Destination,
  permanentError,
  type Receiver,
  retryableError,
  type Tools,
} from '../destination.ts'
import { connectionFailure, isCertificateError, post } from '../guarded-requests.ts'
import { hostOf } from '../object-stores.ts'

type Config = components['schemas']['HTTPConfig']

export interface HttpLimits extends BlockLimits {
  /** Time without data in either direction. */
  idle_ms: number
  /** Time from the first byte of a request to its response. */
  request_ms: number
  /** Delays between attempts when the server does not send `Retry-After`. */
  retry_delays_ms: readonly number[]
  /** A longer `Retry-After` postpones the whole run. */
  max_delay_ms: number
}
/** `/batch/` of this server accepts 20 MiB. */
const LIMITS: HttpLimits = {
  events: 5_000,
  bytes: 10 * 1024 * 1024,
  idle_ms: 60_000,
  request_ms: 600_000,
  retry_delays_ms: [500, 2_000, 8_000],
  max_delay_ms: 30_000,
}
/** Limits `Retry-After`. */
const MAX_RETRY_AFTER_SECONDS = 3_600
const LINE_BREAK = 0x0a
const COMMA = 0x2c

export const createHttp = (limits: HttpLimits): Destination<Config> => ({
  columns: [c.uuid, c.distinct_id, c.timestamp, c.event, c.batch_properties],
  supportsQuery: false,
  eventsOnly: true,
  encoding: () => 'json',
  steps: ['Reach the server', 'Check the token'],

  validate: ({ url }) => {
    if (!URL.canParse(url)) throw invalid('destination__config__url', '"url" is not a valid URL.')
    const { username, password } = new URL(url)
    // The URL is visible in the export; the token is not.
    if (username || password)
      throw invalid(
        'destination__config__url',
        'Remove the user and password from the URL. The token authenticates the requests.',
      )
  },

  hosts: ({ url }) => [hostOf(new URL(url))],

  open: async (delivery) => openReceiver(delivery, limits),

  /**
   * Sends a batch without events. Servers check the token first: this one returns 401 for an unknown token and 400 for an
   * empty batch; others return 200.
   */
  test: async function* ({ url, token }, tools) {
    const poster = createPoster(url, tools, limits)
    try {
      const body = Buffer.concat([headOf(token), TAIL])
      const { status } = await poster.post(body, randomUUID())
      yield `The server responded with status ${status}.`
      const error = describeStatus(status)
      if (error && status !== 400 && status !== 422) throw error
      yield 'The server accepted the token of a batch without events.'
    } finally {
      poster.close()
    }
  },
})

export const http = createHttp(LIMITS)

const headOf = (token: string): Buffer =>
  Buffer.from(`{"api_key":${JSON.stringify(token)},"historical_migration":true,"batch":[`)
const TAIL = Buffer.from(']}')

function openReceiver(delivery: Delivery<Config>, limits: HttpLimits): Receiver {
  const { config, tools, batch_export_id, range_key } = delivery
  const poster = createPoster(config.url, tools, limits)
  const head = headOf(config.token)
  return openBlockReceiver(delivery, limits, {
    envelope_bytes: head.length + TAIL.length,
    readsAhead: false,
    open: (number) => {
      const parts: Buffer[] = []
      return {
        add: async (lines) => void parts.push(lines),
        send: async () => {
          const body = bodyOf(head, parts)
          const key = blockKey(batch_export_id, range_key, String(number), body)
          await postWithRetries(() => poster.post(body, key), tools, limits)
          return body.length
        },
      }
    },
    close: poster.close,
  })
}

/** JSON contains no raw line breaks, so each line break ends an event. */
function bodyOf(head: Buffer, lines: readonly Buffer[]): Buffer {
  const last = lines.at(-1)?.subarray(0, -1) ?? Buffer.alloc(0)
  const body = Buffer.concat([head, ...lines.slice(0, -1), last, TAIL])
  for (let at = body.indexOf(LINE_BREAK); at !== -1; at = body.indexOf(LINE_BREAK, at + 1)) body[at] = COMMA
  return body
}

interface PostResult {
  status: number
  retry_after_ms: number | null
}

/** Retries short failures within the attempt. Longer ones fail the attempt, which the exporter retries. */
async function postWithRetries(
  attempt: () => Promise<PostResult>,
  { signal, log }: Tools,
  limits: HttpLimits,
): Promise<void> {
  for (const delay_ms of [...limits.retry_delays_ms, null]) {
    let requested_ms: number | null = null
    let failure: DeliveryError | undefined
    try {
      const { status, retry_after_ms } = await attempt()
      failure = describeStatus(status)
      if (!failure) return
      requested_ms = retry_after_ms
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      failure = error
    }
    if (!failure.options.retryable) throw failure
    const seconds =
      requested_ms === null ? undefined : Math.min(Math.ceil(requested_ms / 1000), MAX_RETRY_AFTER_SECONDS)
    if (delay_ms === null || (requested_ms ?? 0) > limits.max_delay_ms) throw retryableError(failure.message, seconds)
    log('WARNING', `${failure.message} The request is retried.`)
    await sleep(requested_ms ?? delay_ms, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

/** Undefined for a successful response. */
function describeStatus(status: number): DeliveryError | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400)
    return permanentError(
      `The server returned ${status}. Redirects are not followed: set "url" to the final address.`,
      'url',
    )
  if (status === 408 || status === 429)
    return retryableError(`The server returned ${status}. It may be rate limiting requests.`)
  if (status >= 500) return retryableError(`The server returned ${status}. It may be temporarily unavailable.`)
  if (status === 401 || status === 403)
    return permanentError(`The server returned ${status}. Check that "token" is the token of a project there.`, 'token')
  if (status === 404 || status === 405)
    return permanentError(
      `The server returned ${status}. Check that "url" has the path of the batch endpoint, such as /batch/.`,
      'url',
    )
  if (status === 413) return permanentError('The server returned 413. Raise its body limit to at least 10 MiB.')
  return permanentError(`The server returned ${status} and rejected the events. Check its log.`)
}

function createPoster(url: string, { outbound, signal }: Tools, limits: HttpLimits) {
  const protocol = new URL(url).protocol === 'http:' ? 'http:' : 'https:'
  const agent = outbound.agent(protocol, { keepAlive: true, maxSockets: 1 })
  return {
    /** Throws DeliveryError when there is no response, and errors of the guard or the signal. */
    post: async (body: Buffer, key: string): Promise<PostResult> => {
      signal.throwIfAborted()
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.request_ms)])
      const options = { agent, signal: deadline, timeout: limits.idle_ms, headers: { 'idempotency-key': key } }
      try {
        const { status, headers } = await post(url, body, options)
        return { status, retry_after_ms: retryAfter(headers['retry-after'], headers.date) }
      } catch (error) {
        signal.throwIfAborted()
        throw describeConnectionError(error)
      }
    },
    close: (): void => agent.destroy(),
  }
}

/** Parses seconds or a date relative to the server's clock. Null for anything else. */
function retryAfter(value: string | undefined, date: string | undefined): number | null {
  if (value === undefined) return null
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000
  const delay_ms = Date.parse(value) - Date.parse(date ?? '')
  return Number.isNaN(delay_ms) ? null : Math.max(0, delay_ms)
}

function describeConnectionError(error: unknown): unknown {
  const code = errorCode(error)
  if (code.startsWith('outbound_')) return error
  if (isCertificateError(code))
    return permanentError("The server's certificate is not trusted or is for another name. Replace it on the server.")
  if (connectionFailure(code) === 'handshake')
    return new DeliveryError('The TLS handshake with the server failed. Check "url".', {
      retryable: true,
      setting: 'url',
    })
  return retryableError('The connection to the server failed or timed out.')
}
