/** Downloads plugins. Every hop goes through the outbound guard; errors never contain text from the peer. */
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { AppError } from '../errors.ts'
import type { Outbound } from '../outbound/guard.ts'
import { invalidUrl } from './url.ts'

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]

export interface DownloadRequest {
  url: string
  /** The name of the host in error messages. */
  host: string
  token: string | null
  max_bytes: number
  signal: AbortSignal
}

/** Follows redirects to https only, or to http when the configured host uses it. */
export async function download(
  outbound: Outbound,
  { url, host, token, max_bytes, signal }: DownloadRequest,
): Promise<Buffer> {
  const first = new URL(url)
  let at = first
  try {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await send(outbound, at, at.origin === first.origin ? token : null, signal)
      const { statusCode: status = 0, headers } = response
      if (!REDIRECTS.includes(status)) return await readBody(response, status, host, token, max_bytes)
      response.destroy()
      if (!headers.location || !URL.canParse(headers.location, at.href))
        throw invalidUrl(`${host} redirects to an invalid URL.`)
      at = new URL(headers.location, at)
      if (at.protocol !== 'https:' && at.protocol !== first.protocol)
        throw invalidUrl(
          `${host} redirects to a protocol other than https. Use a URL that leads to the plugin directly.`,
        )
    }
  } catch (error) {
    throw failureOf(error, host, signal)
  }
  throw invalidUrl(`${host} redirects more than ${MAX_REDIRECTS} times. Use a URL that leads to the plugin directly.`)
}

function send(outbound: Outbound, url: URL, token: string | null, signal: AbortSignal): Promise<IncomingMessage> {
  const protocol = url.protocol === 'https:' ? 'https:' : 'http:'
  const request = protocol === 'https:' ? requestTls : requestPlain
  const headers = {
    accept: 'application/json, */*',
    'accept-encoding': 'identity',
    'user-agent': 'workspace-admin',
    ...(token && { authorization: `Bearer ${token}` }),
  }
  return new Promise((resolve, reject) =>
    request(url, { agent: outbound.agent(protocol), headers, signal }, resolve)
      .on('error', reject)
      .end(),
  )
}

async function readBody(
  response: IncomingMessage,
  status: number,
  host: string,
  token: string | null,
  max_bytes: number,
): Promise<Buffer> {
  if (status !== 200) {
    response.destroy()
    throw invalidUrl(describeStatus(status, host, token !== null))
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > max_bytes) {
      response.destroy()
      throw invalidUrl(`The response of ${host} is larger than ${max_bytes} bytes. Publish a smaller plugin.`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function describeStatus(status: number, host: string, hadToken: boolean): string {
  if (status === 401 || status === 403)
    return `${host} returned ${status}: ${
      hadToken
        ? 'it rejected the token, or the rate limit was exceeded.'
        : 'it requires a token, or the rate limit was exceeded.'
    } Check ?private_token=… in the URL, or try again later.`
  // GitHub returns 409 for a repository without commits and 422 for a missing branch.
  if (status === 404 || status === 409 || status === 422)
    return `${host} did not find the plugin (${status}). Check the URL. For a private plugin, add ?private_token=… to it.`
  if (status === 429)
    return `The rate limit of ${host} was exceeded (429). Try again later, or add ?private_token=… to the URL.`
  return `${host} returned ${status}. Try again later.`
}

function failureOf(error: unknown, host: string, signal: AbortSignal): AppError {
  // Only the operator configures host names, so an unresolved one is reported as unreachable.
  if (error instanceof AppError && error.code !== 'outbound_unresolved')
    return error.attr ? error : new AppError({ code: error.code, detail: error.message, attr: 'url' })
  if (signal.aborted) return invalidUrl(`${host} took too long to respond. Try again later.`)
  return invalidUrl(`This server cannot reach ${host}. Try again later, or ask its operator.`)
}
