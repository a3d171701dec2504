/** Delivers to the `/batch/` endpoint of another server. */
import { createHash, randomUUID } from 'node:crypto'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { components } from '../../contract/openapi.ts'
import { invalid } from '../../errors.ts'
import { type Cursor, EVENT_COLUMNS as c } from '../../events/extract.ts'
import {
  type Delivery,
  DeliveryError,
  type Destination,
  type Receiver,
  refused,
  type Tools,
  unreachable,
} from '../destination.ts'

type Config = components['schemas']['HTTPConfig']

export interface Limits {
  events: number
  /** The size of a request. A single event may be larger. */
  bytes: number
  /** Without any data in either direction. */
  idle_ms: number
  /** From the first byte of a request to its response. */
  post_ms: number
  /** Delays between attempts when the server does not send `Retry-After`. */
  pauses_ms: readonly number[]
  /** A longer `Retry-After` postpones the whole run. */
  longest_pause_ms: number
}
/** Our own `/batch/` accepts 20 MiB. */
const LIMITS: Limits = {
  events: 5_000,
  bytes: 10 * 1024 * 1024,
  idle_ms: 60_000,
  post_ms: 600_000,
  pauses_ms: [500, 2_000, 8_000],
  longest_pause_ms: 30_000,
}
/** The longest wait within an attempt. */
const LONGEST_RETRY_AFTER_SECONDS = 3_600
/** Responses are discarded. A longer one closes the connection. */
const ANSWER_BYTES = 64 * 1024
const LINE_BREAK = 0x0a
const COMMA = 0x2c

const STEPS = ['Reach it', 'Check the token'] as const

export const httpWithin = (limits: Limits): Destination<Config> => ({
  columns: [c.uuid, c.distinct_id, c.timestamp, c.event, c.batch_properties],
  takesQuery: false,
  encoding: 'json',
  steps: STEPS,

  check: ({ url }) => {
    if (!URL.canParse(url)) throw invalid('destination__config__url', 'This is no URL. Check how it is written.')
    const { username, password } = new URL(url)
    // The URL is visible in the export; the token is not.
    if (username || password)
      throw invalid('destination__config__url', 'Leave user and password out of the URL. The token says who sends.')
  },

  hosts: ({ url }) => {
    const { protocol, hostname, port } = new URL(url)
    return [{ host: hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)) }]
  },

  open: async (delivery) => receive(delivery, limits),

  /**
   * Sends a batch without events. The token is checked first: this server answers 401 to an
   * unknown token and 400 to an empty batch; other servers answer 200.
   */
  test: async function* ({ url, token }, tools) {
    const { post, close } = poster(url, tools, limits)
    try {
      const body = Buffer.concat([headOf(token), TAIL])
      const { status } = await post(body, randomUUID())
      yield { name: STEPS[0], detail: `The server answered with the status ${status}.` }
      const problem = problemOf(status)
      if (problem && status !== 400 && status !== 422) throw problem
      yield { name: STEPS[1], detail: 'A batch without events was understood, and the token not refused.' }
    } finally {
      close()
    }
  },
})

export const http = httpWithin(LIMITS)

const headOf = (token: string): Buffer =>
  Buffer.from(`{"api_key":${JSON.stringify(token)},"historical_migration":true,"batch":[`)
const TAIL = Buffer.from(']}')

/**
 * Requests are split by events, not by pages, so that the n-th request of a range is the same in every attempt.
 * A checkpoint marks the end of a page and counts the events sent after it.
 */
function receive(delivery: Delivery<Config>, limits: Limits): Receiver {
  const { config, checkpoint, tools, batch_export_id, range_key } = delivery
  const { post, close } = poster(config.url, tools, limits)
  const head = headOf(config.token)
  const around = head.length + TAIL.length

  let posts = checkpoint?.posts ?? 0
  let bytes = checkpoint?.bytes ?? 0
  /** Events received and events acknowledged since the start of the range. */
  let read = checkpoint?.records ?? 0
  let posted = read + (checkpoint?.beyond ?? 0)
  /** Pages that are not completely sent. */
  const open: { cursor: Cursor; end: number }[] = []
  let finished = checkpoint && { cursor: checkpoint.cursor, end: checkpoint.records }
  /** Lines with their line breaks, and the number of events. */
  let waiting: Buffer[] = []
  let [events, size] = [0, around]

  const flush = async (): Promise<void> => {
    const body = bodyOf(head, waiting)
    const key = keyOf(batch_export_id, range_key, String(posts), body)
    await accepted(() => post(body, key), tools, limits)
    posts++
    posted += events
    bytes += body.length
    ;[waiting, events, size] = [[], 0, around]
    while (open[0] && open[0].end <= posted) finished = open.shift()!
    if (finished)
      await tools.checkpoint({
        cursor: finished.cursor,
        records: finished.end,
        bytes,
        posts,
        beyond: posted - finished.end,
      })
  }

  return {
    write: async ({ text, records, cursor }) => {
      open.push({ cursor, end: read + records })
      // The start of the first line of `text` that is not in `waiting`.
      let from = 0
      const take = (to: number): void => {
        if (to > from) waiting.push(text.subarray(from, to))
        from = to
      }
      for (let at = 0; at < text.length; ) {
        const found = text.indexOf(LINE_BREAK, at)
        const next = found === -1 ? text.length : found + 1
        // Count the separator too, so that a request is split at the same place wherever pages end.
        const length = (found === -1 ? text.length : found) - at + 1
        const known = read++ < posted + events
        if (known) from = next
        else {
          if (events > 0 && size + length > limits.bytes) {
            take(at)
            await flush()
          }
          events++
          size += length
          if (events === limits.events) {
            take(next)
            await flush()
          }
        }
        at = next
      }
      take(text.length)
    },
    commit: async () => {
      if (events > 0) await flush()
      close()
      return bytes
    },
    abort: async () => close(),
  }
}

/** JSON contains no raw line breaks, so each line break ends an event. */
function bodyOf(head: Buffer, lines: readonly Buffer[]): Buffer {
  const parts = lines.flatMap((part, i) => {
    const broken = part.at(-1) === LINE_BREAK
    if (i === lines.length - 1) return [broken ? part.subarray(0, -1) : part]
    return broken ? [part] : [part, BREAK]
  })
  const body = Buffer.concat([head, ...parts, TAIL])
  for (let at = body.indexOf(LINE_BREAK); at !== -1; at = body.indexOf(LINE_BREAK, at + 1)) body[at] = COMMA
  return body
}
const BREAK = Buffer.from([LINE_BREAK])

/**
 * The idempotency key of a request, the same in every attempt. It includes the events: when a range has changed,
 * for example because a backfill found more events, the request is a new one.
 */
function keyOf(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}

interface Answer {
  status: number
  /** The delay of `Retry-After`, by the server's clock when it is a date. */
  retry_after_ms: number | null
}

/** Retries short failures here. Longer ones are left to the run. */
async function accepted(attempt: () => Promise<Answer>, { signal, log }: Tools, limits: Limits): Promise<void> {
  for (const pause_ms of [...limits.pauses_ms, null]) {
    let asked_ms: number | null = null
    let problem: DeliveryError | undefined
    try {
      const { status, retry_after_ms } = await attempt()
      problem = problemOf(status)
      if (!problem) return
      asked_ms = retry_after_ms
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      problem = error
    }
    if (!problem.options.retryable) throw problem
    const seconds = asked_ms === null ? undefined : Math.min(Math.ceil(asked_ms / 1000), LONGEST_RETRY_AFTER_SECONDS)
    if (pause_ms === null || (asked_ms ?? 0) > limits.longest_pause_ms) throw unreachable(problem.message, seconds)
    log('WARNING', `${problem.message} It is tried again.`)
    await sleep(asked_ms ?? pause_ms, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

/** Undefined for a successful response. */
function problemOf(status: number): DeliveryError | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400)
    return refused(`The server answered ${status}, and redirects are not followed. Name the place it leads to.`)
  if (status === 408 || status === 429) return unreachable(`The server answered ${status}: it wants to be asked later.`)
  if (status >= 500) return unreachable(`The server answered ${status}: it cannot take the events at present.`)
  if (status === 401 || status === 403)
    return refused(`The server answered ${status}. Check that "token" is the token of a project there.`)
  if (status === 404 || status === 405)
    return refused(`The server answered ${status}. Check that "url" has the path that takes batches, such as /batch/.`)
  if (status === 413) return refused('The server answered 413: it takes no posts of 10 MiB. Raise its limit.')
  return refused(`The server answered ${status}: it does not take these events. Its log may say why.`)
}

interface Poster {
  /** Throws DeliveryError without a response, and errors of the guard or the signal. */
  post(body: Buffer, key: string): Promise<Answer>
  close(): void
}

function poster(url: string, { outbound, signal }: Tools, limits: Limits): Poster {
  const { protocol } = new URL(url)
  const agent = outbound.agent(protocol as 'http:' | 'https:', { keepAlive: true, maxSockets: 1 })
  const request = protocol === 'https:' ? requestTls : requestPlain

  const send = (body: Buffer, key: string, deadline: AbortSignal): Promise<Answer> =>
    new Promise((done, fail) => {
      const sending = request(url, {
        method: 'POST',
        agent,
        signal: deadline,
        timeout: limits.idle_ms,
        headers: {
          'content-type': 'application/json',
          'content-length': body.length,
          'idempotency-key': key,
          'user-agent': 'workspace-admin',
        },
      })
      sending.on('timeout', () => sending.destroy(Object.assign(new Error('idle'), { code: 'ETIMEDOUT' })))
      // The status decides, even if reading the body fails.
      let answer: Answer | undefined
      sending.on('error', (error) => (answer ? done(answer) : fail(error)))
      sending.on('response', (message) => {
        const { statusCode, headers } = message
        const answered = { status: statusCode!, retry_after_ms: retryAfter(headers['retry-after'], headers.date) }
        answer = answered
        discard(message)
        message.on('close', () => done(answered))
      })
      sending.end(body)
    })

  return {
    post: async (body, key) => {
      const deadline = new AbortController()
      const stop = (): void => deadline.abort()
      const timer = setTimeout(stop, limits.post_ms)
      signal.addEventListener('abort', stop, { once: true })
      try {
        signal.throwIfAborted()
        return await send(body, key, deadline.signal)
      } catch (error) {
        signal.throwIfAborted()
        throw translated(error)
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
      }
    },
    close: () => agent.destroy(),
  }
}

/** Drains the body, so that the connection can be reused. */
function discard(answer: IncomingMessage): void {
  let length = 0
  answer.on('error', () => undefined)
  answer.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > ANSWER_BYTES) answer.destroy()
  })
}

/** Parses seconds or a date relative to the server's clock. Null for anything else. */
function retryAfter(told: string | undefined, date: string | undefined): number | null {
  if (told === undefined) return null
  if (/^\s*\d{1,9}\s*$/.test(told)) return Number(told) * 1000
  const pause_ms = Date.parse(told) - Date.parse(date ?? '')
  return Number.isNaN(pause_ms) ? null : Math.max(0, pause_ms)
}

const UNTRUSTED = /^(CERT_|ERR_TLS_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/

function translated(error: unknown): unknown {
  const code = String((error as { code?: unknown }).code)
  if (code.startsWith('outbound_')) return error
  if (UNTRUSTED.test(code))
    return refused("The server's certificate is not one that its name and a known authority vouch for. Renew it there.")
  if (/^(EPROTO|ERR_SSL_)/.test(code)) return unreachable('The server does not speak TLS as it should. Check "url".')
  return unreachable('The connection to the server was lost, or not answered in time.')
}
