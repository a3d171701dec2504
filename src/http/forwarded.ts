/**
 * Client details from the headers of a trusted proxy. Only the last entry counts, because the proxy added it. The client
 * may have sent the entries before it.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import parseForwarded from 'forwarded-parse'

const MAX_FORWARDED_CHARACTERS = 2_048
const MAX_ADDRESS_CHARACTERS = 64
const MAX_HOST_CHARACTERS = 255

/** Replaces Fastify's `trustProxy`, which keeps the port in the address and counts each connection as a new client. */
export function trustProxy(app: FastifyInstance): void {
  const fromHeaders = <Value>(read: (raw: IncomingMessage) => Value) => ({
    getter(this: FastifyRequest): Value {
      return read(this.raw)
    },
  })
  app.decorateRequest('ip', fromHeaders(clientAddress))
  app.decorateRequest('host', fromHeaders(clientHost))
  app.decorateRequest('protocol', fromHeaders(clientProtocol))
}

/** The client's address without a port. Falls back to the proxy's address when headers are invalid or disagree. */
export function clientAddress({ headers, socket }: IncomingMessage): string {
  const entries = [lastEntry(headers['x-forwarded-for']), lastForwarded(headers).for]
  const addresses = entries.flatMap((text) => (text === undefined ? [] : [parseAddress(text)]))
  const [first] = addresses
  if (first !== undefined && addresses.every((address) => address === first)) return first
  return canonicalAddress(socket.remoteAddress ?? '')
}

export function clientProtocol({ headers, socket }: IncomingMessage): 'http' | 'https' {
  const protocol = (lastEntry(headers['x-forwarded-proto']) ?? lastForwarded(headers).proto)?.toLowerCase()
  if (protocol === 'http' || protocol === 'https') return protocol
  return 'encrypted' in socket && socket.encrypted ? 'https' : 'http'
}

export function clientHost({ headers }: IncomingMessage): string {
  const host = lastEntry(headers['x-forwarded-host']) ?? lastForwarded(headers).host
  return host !== undefined && isHost(host) ? host : (headers.host ?? '')
}

const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/** Whether the text is a host name or address with an optional port. URL rejects ports above 65535 and `1.2.3.4.5`. */
export const isHost = (text: string): boolean =>
  text.length <= MAX_HOST_CHARACTERS && HOST.test(text) && URL.canParse(`http://${text}`)

const PROXY_HEADERS = new Set([
  'forwarded',
  'via',
  'cdn-loop',
  'client-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'true-client-ip',
  'wl-proxy-client-ip',
  'x-client-ip',
  'x-cloud-trace-context',
  'x-cluster-client-ip',
  'x-proxyuser-ip',
  'x-real-ip',
])
const PROXY_HEADER_PREFIXES = [
  'cf-',
  'x-amz-cf-',
  'x-amzn-',
  'x-appengine-',
  'x-azure-',
  'x-envoy-',
  'x-forwarded',
  'x-original-',
]

/** Whether the request has headers of a proxy, trusted or not. */
export const cameThroughProxy = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some(
    (name) => PROXY_HEADERS.has(name) || PROXY_HEADER_PREFIXES.some((prefix) => name.startsWith(prefix)),
  )

/** Node joins the values of repeated headers with commas. */
function lastEntry(header: string | string[] | undefined): string | undefined {
  const text = header?.toString()
  return text?.slice(text.lastIndexOf(',') + 1).trim()
}

/** Represents an invalid `Forwarded` header. An empty address is invalid too. */
const INVALID = { for: '' }

/** The last element of the `Forwarded` header (RFC 7239). */
function lastForwarded({ forwarded }: IncomingHttpHeaders): { for?: string; proto?: string; host?: string } {
  if (forwarded === undefined) return {}
  if (forwarded.length > MAX_FORWARDED_CHARACTERS) return INVALID
  try {
    return parseForwarded(forwarded).at(-1) ?? INVALID
  } catch {
    return INVALID
  }
}

/** Parses `1.2.3.4`, `1.2.3.4:5555`, `::1`, `[::1]` and `[::1]:5555`. Undefined for any other text. */
function parseAddress(text: string): string | undefined {
  if (text.length > MAX_ADDRESS_CHARACTERS) return undefined
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  if (bracketed !== undefined && isIP(bracketed) !== 6) return undefined
  const address = bracketed ?? dotted ?? text
  return isIP(address) && !address.includes('%') ? canonicalAddress(address) : undefined
}

/** One spelling per address, for rate limits: IPv6 compressed, IPv4-mapped IPv6 as IPv4. */
function canonicalAddress(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return address
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical)?.slice(1)
  if (!mapped) return canonical
  return mapped.flatMap((half) => [Number.parseInt(half, 16) >> 8, Number.parseInt(half, 16) & 255]).join('.')
}
