/** The requests of plugins. Every hop goes through the outbound guard. */
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { AppError } from '../../errors.ts'
import type { Outbound } from '../../outbound/guard.ts'

export interface FetchRequest {
  url: string
  method: string
  headers: [string, string][]
  redirect: string
  timeout?: number
}

export interface FetchResponse {
  status: number
  statusText: string
  headers: [string, string][]
  url: string
  redirected: boolean
  body: Uint8Array
}

/** A request that failed. Plugins and their logs see the message, which has no text from the peer. */
export class FetchError extends Error {
  override readonly name = 'FetchError'
}

const TIMEOUT_MS = 10_000
const MAX_REDIRECTS = 5
const MAX_REQUEST_BYTES = 5 * 1024 * 1024
const MAX_RESPONSE_BYTES = 5 * 1024 * 1024
export const MAX_URL_LENGTH = 16_000
const MAX_HEADERS = 100
const REDIRECTS = [301, 302, 303, 307, 308]
const METHOD = /^[A-Z]{1,20}$/
/** Headers that describe the connection. The server sets them. */
const OWN_HEADERS = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]
/** Headers that are not sent to another host. */
const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization']
const BODY_HEADERS = ['content-type', 'content-encoding', 'content-language', 'content-location']

export async function fetchForPlugin(
  outbound: Outbound,
  request: FetchRequest,
  body: Uint8Array | undefined,
  signal: AbortSignal,
): Promise<FetchResponse> {
  if (!METHOD.test(request.method)) throw new FetchError('The method of the request is not valid.')
  if (request.headers.length > MAX_HEADERS) throw new FetchError(`A request has at most ${MAX_HEADERS} headers.`)
  if (body && body.length > MAX_REQUEST_BYTES)
    throw new FetchError(`The body of a request has at most ${MAX_REQUEST_BYTES} bytes.`)
  const timeout_ms = Math.min(TIMEOUT_MS, request.timeout ?? TIMEOUT_MS)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)])
  let url = parseUrl(request.url)
  let hop = { method: request.method, headers: request.headers, body }
  for (let count = 0; ; count++) {
    const response = await send(outbound, url, hop, deadline).catch((error) => {
      throw failureOf(error, url, deadline)
    })
    const { statusCode: status = 0, statusMessage: statusText = '', headers } = response
    const isRedirect = REDIRECTS.includes(status) && headers.location !== undefined && request.redirect !== 'manual'
    if (!isRedirect) {
      const bytes = await readBody(response).catch((error) => {
        throw failureOf(error, url, deadline)
      })
      return { status, statusText, headers: listOf(response), url: url.href, redirected: count > 0, body: bytes }
    }
    response.destroy()
    if (request.redirect === 'error') throw new FetchError(`${url.host} redirects, which the plugin does not allow.`)
    if (count >= MAX_REDIRECTS) throw new FetchError(`${url.host} redirects more than ${MAX_REDIRECTS} times.`)
    const next = parseUrl(headers.location ?? '', url)
    hop = afterRedirect(hop, status, next.host === url.host)
    url = next
  }
}

interface Hop {
  method: string
  headers: [string, string][]
  body: Uint8Array | undefined
}

function afterRedirect({ method, headers, body }: Hop, status: number, isSameHost: boolean): Hop {
  const kept = isSameHost ? headers : headers.filter(([name]) => !CREDENTIALS.includes(name.toLowerCase()))
  const becomesGet = status === 303 ? method !== 'HEAD' : (status === 301 || status === 302) && method === 'POST'
  if (!becomesGet) return { method, headers: kept, body }
  return {
    method: 'GET',
    headers: kept.filter(([name]) => !BODY_HEADERS.includes(name.toLowerCase())),
    body: undefined,
  }
}

function parseUrl(text: string, base?: URL): URL {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text, base?.href)) throw new FetchError('Invalid URL')
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new FetchError('Scheme must be either HTTP or HTTPS')
  return url
}

function send(
  outbound: Outbound,
  url: URL,
  { method, headers, body }: Hop,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const protocol = url.protocol === 'https:' ? 'https:' : 'http:'
  const values: Record<string, string> = {
    accept: '*/*',
    'accept-encoding': 'gzip, deflate',
    'user-agent': 'workspace-admin',
  }
  for (const [name, value] of headers) if (!OWN_HEADERS.includes(name.toLowerCase())) values[name.toLowerCase()] = value
  if (body) values['content-length'] = String(body.length)
  else if (method !== 'GET' && method !== 'HEAD') values['content-length'] = '0'
  return new Promise((resolve, reject) => {
    const request = protocol === 'https:' ? requestTls : requestPlain
    // Throws for headers that HTTP does not allow.
    request(url, { method, agent: outbound.agent(protocol), headers: values, signal }, resolve)
      .on('error', reject)
      .end(body)
  })
}

const TOO_LONG = 'The response is longer than allowed.'

const readBody = async (response: IncomingMessage): Promise<Uint8Array> =>
  decompress(await readBytes(response), response.headers['content-encoding'])

/** Throws for a response that is too long for a plugin. */
export async function readBytes(response: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > MAX_RESPONSE_BYTES) throw new FetchError(TOO_LONG)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const DECOMPRESS = new Map([
  ['gzip', promisify<Buffer, object, Buffer>(gunzip)],
  ['x-gzip', promisify<Buffer, object, Buffer>(gunzip)],
  ['deflate', promisify<Buffer, object, Buffer>(inflate)],
  ['br', promisify<Buffer, object, Buffer>(brotliDecompress)],
])

async function decompress(bytes: Buffer, encoding: string | undefined): Promise<Uint8Array> {
  const work = DECOMPRESS.get(encoding?.toLowerCase() ?? '')
  if (!work || bytes.length === 0) return bytes
  return work(bytes, { maxOutputLength: MAX_RESPONSE_BYTES }).catch((error: unknown) => {
    throw new FetchError(error instanceof RangeError ? TOO_LONG : 'The response cannot be decompressed.')
  })
}

const listOf = ({ headers }: IncomingMessage): [string, string][] =>
  Object.entries(headers)
    .filter(([name]) => name !== 'content-encoding')
    .map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')])

function failureOf(error: unknown, { host }: URL, signal: AbortSignal): Error {
  if (error instanceof FetchError) return error
  if (error instanceof AppError) return new FetchError(error.message)
  if (signal.aborted) return new FetchError(`The request to ${host} took too long.`)
  if (error instanceof TypeError) return new FetchError('A header of the request is not valid.')
  return new FetchError(`The request to ${host} failed: the connection was refused or lost.`)
}
