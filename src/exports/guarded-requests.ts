/**
 * HTTP requests to the API of a cloud warehouse, through the outbound guard. The official libraries derive hosts, follow
 * redirects and read metadata services with connections of their own, which the guard cannot check.
 */

import {
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  request as requestPlain,
} from 'node:http'
import { request as requestTls } from 'node:https'
import { Readable } from 'node:stream'
import { errorCode } from '../errors.ts'
import { freeText } from '../events/page-memory.ts'
import { parseJson } from '../json/parse.ts'
import type { Outbound } from '../outbound/guard.ts'
import { DeliveryError, permanentError, retryableError } from './destination.ts'

export interface RequestLimits {
  connect_ms: number
  /** Time without data in either direction. */
  idle_ms: number
}

export const DEFAULT_LIMITS: RequestLimits = { connect_ms: 15_000, idle_ms: 120_000 }

/** The machine's clock, in milliseconds. Peers compare the times in tokens and signatures with their own clock. */
export const machineTime = (): number => Date.now()

/** Responses are JSON with few rows. A longer one fails the request. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
const MAX_DISCARDED_BYTES = 64 * 1024

export interface OutgoingRequest {
  method: string
  url: string
  headers?: Record<string, string>
  /** A stream needs a `content-length` header. */
  body?: string | Buffer | Readable
  /** For responses that the server delays on purpose. */
  idle_ms?: number
}

export interface IncomingResponse {
  status: number
  headers: IncomingHttpHeaders
  /** The parsed body; undefined if it is not JSON. */
  body: unknown
}

export interface Requester {
  /** Returns responses of any status. Throws DeliveryError without a response, and errors of the guard or the signal. */
  send(request: OutgoingRequest): Promise<IncomingResponse>
  close(): void
}

/** `peer` names the service in messages. Redirects are not followed. */
export function createRequester(
  peer: string,
  { outbound, signal }: { outbound: Outbound; signal: AbortSignal },
  limits: RequestLimits,
): Requester {
  // Requests without TLS carry credentials, so they go only to addresses that the operator allows.
  const plain = outbound.agent('http:', { keepAlive: true, allowed_only: true })
  const tls = outbound.agent('https:', { keepAlive: true })

  return {
    send: async (request) => {
      signal.throwIfAborted()
      try {
        const { url, idle_ms = limits.idle_ms } = request
        const agent = url.startsWith('http:') ? plain : tls
        const { text, ...response } = await sendRequest(request, { agent, signal, limits: { ...limits, idle_ms } })
        return { ...response, body: parseJson(text) }
      } catch (error) {
        signal.throwIfAborted()
        if (request.url.startsWith('http:') && errorCode(error) === 'outbound_refused') throw NO_TLS
        throw describeConnectionError(peer, error)
      }
    },
    close: () => {
      plain.destroy()
      tls.destroy()
    },
  }
}

export interface TextResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Sends one request and reads the whole response, so that the connection can be reused. */
export function sendRequest(
  { method, url, headers, body }: OutgoingRequest,
  { agent, signal, limits }: { agent: Agent; signal: AbortSignal; limits: RequestLimits },
): Promise<TextResponse> {
  return new Promise((done, fail) => {
    const isPlain = url.startsWith('http:')
    const sending = (isPlain ? requestPlain : requestTls)(url, {
      method,
      agent,
      signal,
      timeout: limits.idle_ms,
      headers: {
        'user-agent': 'workspace-admin',
        ...(typeof body === 'string' || Buffer.isBuffer(body)
          ? { 'content-length': Buffer.byteLength(body) }
          : body === undefined && method !== 'GET' && { 'content-length': 0 }),
        ...headers,
      },
    })
    const stop = (): void => void sending.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }))
    const connecting = setTimeout(stop, limits.connect_ms)
    sending.on('socket', (socket) => {
      if (socket.connecting) socket.once(isPlain ? 'connect' : 'secureConnect', () => clearTimeout(connecting))
      else clearTimeout(connecting)
    })
    sending.on('timeout', stop)
    sending.on('close', () => clearTimeout(connecting))
    sending.on('error', fail)
    sending.on('response', (response) =>
      readBody(response).then(
        (text) => done({ status: response.statusCode ?? 0, headers: response.headers, text }),
        fail,
      ),
    )
    if (body instanceof Readable) sendStream(body, sending).catch((error) => void sending.destroy(error))
    else sending.end(body)
  })
}

/** Frees each chunk when it is sent. The garbage collector would free them after tens of megabytes. */
async function sendStream(body: Readable, sending: ClientRequest): Promise<void> {
  sending.on('close', () => body.destroy())
  for await (const chunk of body) {
    await new Promise<void>((done, fail) => void sending.write(chunk, (error) => (error ? fail(error) : done())))
    freeText(chunk)
  }
  sending.end()
}

/** Posts JSON and discards the body of the response. The status decides, even if reading the body fails. */
export function post(
  url: string,
  body: string | Buffer,
  { headers, ...options }: Pick<RequestOptions, 'agent' | 'signal' | 'timeout'> & { headers: Record<string, string> },
): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  return new Promise((done, fail) => {
    const sending = (new URL(url).protocol === 'http:' ? requestPlain : requestTls)(url, {
      ...options,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'workspace-admin',
        ...headers,
      },
    })
    sending.on('timeout', () => sending.destroy(Object.assign(new Error('idle'), { code: 'ETIMEDOUT' })))
    let result: { status: number; headers: IncomingHttpHeaders } | undefined
    sending.on('error', (error) => (result ? done(result) : fail(error)))
    sending.on('response', (response) => {
      const received = { status: response.statusCode ?? 0, headers: response.headers }
      result = received
      discard(response)
      response.on('close', () => done(received))
    })
    sending.end(body)
  })
}

/** Reads the rest of a response and ignores it, so that the connection can be reused. A long one is cut off. */
function discard(response: IncomingMessage): void {
  let length = 0
  response.on('error', () => undefined)
  response.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > MAX_DISCARDED_BYTES) response.destroy()
  })
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > MAX_RESPONSE_BYTES) throw Object.assign(new Error('the response is too long'), { code: 'EMSGSIZE' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const NO_TLS = permanentError(
  'This server connects without TLS only to addresses in OUTBOUND_ALLOW. Use https, or ask the operator to allow the address.',
)

export type ConnectionFailure = 'untrusted_certificate' | 'wrong_certificate' | 'handshake' | 'timeout' | 'connection'

/**
 * Classifies the code of a connection error. Somebody has to replace a certificate, so such an error is permanent. A handshake
 * can also fail because the peer restarts, so it is retried.
 */
export function connectionFailure(code: string): ConnectionFailure {
  if (/^(DEPTH_ZERO_)?SELF_SIGNED|^UNABLE_TO_/.test(code)) return 'untrusted_certificate'
  if (/^(CERT_|ERR_TLS_)/.test(code)) return 'wrong_certificate'
  if (/^(EPROTO|ERR_SSL_)/.test(code)) return 'handshake'
  return code === 'ETIMEDOUT' ? 'timeout' : 'connection'
}

/** Whether the certificate of the peer is not trusted, has expired or is for another name. */
export const isCertificateError = (code: string): boolean =>
  ['untrusted_certificate', 'wrong_certificate'].includes(connectionFailure(code))

function describeConnectionError(peer: string, error: unknown): unknown {
  if (error instanceof DeliveryError) return error
  const code = errorCode(error)
  if (code.startsWith('outbound_')) return error
  if (isCertificateError(code))
    return permanentError(`The certificate of ${peer} is not trusted or is for another name. Check the address.`)
  if (connectionFailure(code) === 'timeout') return retryableError(`${peer} did not respond in time.`)
  return retryableError(`The connection to ${peer} failed.`)
}

/** Reads a path in a JSON response. Undefined unless the value is a string of at most 4,096 characters. */
export function textAt(body: unknown, ...path: (string | number)[]): string | undefined {
  const value = valueAt(body, ...path)
  return typeof value === 'string' && value.length <= 4_096 ? value : undefined
}

export function valueAt(body: unknown, ...path: (string | number)[]): unknown {
  let value: unknown = body
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string | number, unknown>)[key]
  }
  return value
}
