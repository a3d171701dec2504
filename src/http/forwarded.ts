/**
 * Client details from the headers of a trusted proxy. Only the last entry counts, which the proxy added;
 * earlier ones may come from the client.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import parseForwarded from 'forwarded-parse'

const MAX_FORWARDED_CHARACTERS = 2_048
const MAX_ADDRESS_CHARACTERS = 64
const MAX_HOST_CHARACTERS = 255

/** The client's address without a port. Falls back to the proxy's address when headers are invalid or disagree. */
export function clientAddress({ headers, socket }: IncomingMessage): string | undefined {
  const sent = lastEntry(headers['x-forwarded-for'])
  const { for: standard } = lastForwarded(headers)
  const told = [sent, standard].flatMap((text) => (text === undefined ? [] : [addressOf(text)]))
  const [first] = told
  return first !== undefined && told.every((address) => address === first) ? first : plainAddress(socket.remoteAddress)
}

export function clientProtocol({ headers, socket }: IncomingMessage): 'http' | 'https' {
  const told = (lastEntry(headers['x-forwarded-proto']) ?? lastForwarded(headers).proto)?.toLowerCase()
  if (told === 'http' || told === 'https') return told
  return (socket as { encrypted?: boolean }).encrypted ? 'https' : 'http'
}

export function clientHost({ headers }: IncomingMessage): string {
  const told = lastEntry(headers['x-forwarded-host']) ?? lastForwarded(headers).host
  const valid = told !== undefined && told.length <= MAX_HOST_CHARACTERS && HOST.test(told)
  return valid ? told : (headers.host ?? '')
}

const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

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

/** Whether a proxy, trusted or not, passed the request on. */
export const cameThroughProxy = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some(
    (name) => PROXY_HEADERS.has(name) || PROXY_HEADER_PREFIXES.some((prefix) => name.startsWith(prefix)),
  )

/** Node joins the values of repeated headers with commas. */
function lastEntry(header: string | string[] | undefined): string | undefined {
  const text = header?.toString()
  return text?.slice(text.lastIndexOf(',') + 1).trim()
}

/** An invalid `Forwarded` header. */
const UNREADABLE = { for: '' }

/** The last element of the `Forwarded` header (RFC 7239). */
function lastForwarded({ forwarded }: IncomingHttpHeaders): { for?: string; proto?: string; host?: string } {
  if (forwarded === undefined) return {}
  if (forwarded.length > MAX_FORWARDED_CHARACTERS) return UNREADABLE
  try {
    return parseForwarded(forwarded).at(-1) ?? UNREADABLE
  } catch {
    return UNREADABLE
  }
}

/** `1.2.3.4`, `1.2.3.4:5555`, `::1`, `[::1]`, `[::1]:5555`; undefined for anything else. */
function addressOf(text: string): string | undefined {
  if (text.length > MAX_ADDRESS_CHARACTERS) return undefined
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  if (bracketed !== undefined && isIP(bracketed) !== 6) return undefined
  const address = bracketed ?? dotted ?? text
  return isIP(address) && !address.includes('%') ? plainAddress(address) : undefined
}

/** One spelling per address, so that limits count it once: IPv6 compressed, IPv4 in IPv6 as IPv4. */
function plainAddress(address: string): string
function plainAddress(address: string | undefined): string | undefined
function plainAddress(address: string | undefined): string | undefined {
  if (address === undefined || isIP(address) !== 6 || address.includes('%')) return address
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? []
  if (high === undefined) return canonical
  return [high, low].flatMap((half) => [Number.parseInt(half!, 16) >> 8, Number.parseInt(half!, 16) & 255]).join('.')
}
