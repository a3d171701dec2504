/** The one fetcher for plugins: guarded on every hop, bounded in size and time, and telling nothing a peer said. */
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { AppError } from '../errors.ts'
import type { Outbound } from '../outbound/guard.ts'
import { invalidUrl } from './url.ts'

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]

export interface DownloadRequest {
  url: string
  /** Whose answer it is, for the words of a refusal. */
  host: string
  token: string | null
  max_bytes: number
  signal: AbortSignal
}

/** Follows redirects only to https, or to http where the operator has configured a host that speaks it. */
export async function download(outbound: Outbound, { url, host, token, max_bytes, signal }: DownloadRequest): Promise<Buffer> {
  const first = new URL(url)
  let at = first
  try {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const answer = await ask(outbound, at, at.origin === first.origin ? token : null, signal)
      const { statusCode: status = 0, headers } = answer
      if (!REDIRECTS.includes(status)) return await bodyOf(answer, status, host, token, max_bytes)
      answer.destroy()
      if (!headers.location || !URL.canParse(headers.location, at.href)) throw invalidUrl(`${host} redirects to no URL.`)
      at = new URL(headers.location, at)
      if (at.protocol !== 'https:' && at.protocol !== first.protocol)
        throw invalidUrl(`${host} redirects to something other than https, which is not followed.`)
    }
  } catch (error) {
    throw failureOf(error, host, signal)
  }
  throw invalidUrl(`${host} redirects more than ${MAX_REDIRECTS} times. Name the place where the plugin really is.`)
}

function ask(outbound: Outbound, url: URL, token: string | null, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestTls : requestPlain
  const headers = {
    accept: 'application/json, */*',
    'accept-encoding': 'identity',
    'user-agent': 'workspace-admin',
    ...(token && { authorization: `Bearer ${token}` }),
  }
  return new Promise((resolve, reject) =>
    request(url, { agent: outbound.agent(url.protocol as 'https:'), headers, signal }, resolve)
      .on('error', reject)
      .end(),
  )
}

async function bodyOf(
  answer: IncomingMessage,
  status: number,
  host: string,
  token: string | null,
  max_bytes: number,
): Promise<Buffer> {
  if (status !== 200) {
    answer.destroy()
    throw invalidUrl(sentenceOf(status, host, token !== null))
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > max_bytes) {
      answer.destroy()
      throw invalidUrl(
        `What ${host} sends is larger than ${max_bytes} bytes. Publish the plugin without what it does not need.`,
      )
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function sentenceOf(status: number, host: string, hadToken: boolean): string {
  if (status === 401 || status === 403)
    return `${host} answered ${status}: ${
      hadToken ? 'the token is not accepted there, or asks too often.' : 'it may want a token, or is asked too often.'
    } Check ?private_token=… in the URL, or try again later.`
  // GitHub says 409 of a repository without commits and 422 of a branch that is not there.
  if (status === 404 || status === 409 || status === 422)
    return `${host} has nothing there (${status}). Check the URL; for what is private, add ?private_token=… to it.`
  if (status === 429) return `${host} is asked too often (429). Try again later, or add ?private_token=… to the URL.`
  return `${host} answered ${status}. Try again later.`
}

function failureOf(error: unknown, host: string, signal: AbortSignal): AppError {
  // A host without an address is one that nobody but the operator has spelt.
  if (error instanceof AppError && error.code !== 'outbound_unresolved')
    return error.attr ? error : new AppError({ code: error.code, detail: error.message, attr: 'url' })
  if (signal.aborted) return invalidUrl(`${host} took too long to answer. Try again later.`)
  return invalidUrl(`${host} cannot be reached from this server. Try again later, or ask its operator.`)
}
