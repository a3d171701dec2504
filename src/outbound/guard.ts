/**
 * Connections to hosts that users choose. Only public addresses and those in OUTBOUND_ALLOW are allowed. The address is
 * checked when the connection is opened: a name may resolve to another address than at an earlier check.
 */
import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import { Agent as HttpAgent } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent } from 'node:https'
import { BlockList, isIP, type LookupFunction, Socket } from 'node:net'
import { type OutboundRule, parseOutboundRule, splitList } from '../config.ts'
import { AppError } from '../errors.ts'

export interface Outbound {
  /**
   * Throws `outbound_refused` for an address that is not allowed, and `outbound_unresolved` for a name without an address.
   * Only for early feedback: agents and sockets check again when they connect.
   */
  checkHost(host: string, port: number): Promise<void>
  /** An agent for `http.request` and the libraries that accept one. */
  agent(protocol: 'http:', options?: GuardedAgentOptions): HttpAgent
  agent(protocol: 'https:', options?: GuardedAgentOptions): HttpsAgent
  agent(protocol: 'http:' | 'https:', options?: GuardedAgentOptions): HttpAgent | HttpsAgent
  /** A socket that checks the address in `connect`, for `pg` as `stream: () => outbound.socket()`. */
  socket(options?: GuardOptions): Socket
}

export interface GuardOptions {
  /** Only addresses in OUTBOUND_ALLOW are allowed: unencrypted connections must not cross the internet. */
  allowed_only?: boolean
}

type GuardedAgentOptions = AgentOptions & GuardOptions

export interface OutboundOptions {
  /** The value of OUTBOUND_ALLOW. */
  allow?: string | undefined
  /** Replaces `dns.lookup`. */
  resolve?: ResolveHost
}

export type ResolveHost = (
  host: string,
  options: { all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

const systemResolve: ResolveHost = (host, options, done) => systemLookup(host, options, done)

export function createOutbound({ allow, resolve = systemResolve }: OutboundOptions = {}): Outbound {
  // `readConfig` rejects invalid entries.
  const rules = allow ? splitList(allow).flatMap((entry) => parseOutboundRule(entry) ?? []) : []
  const isListed = addressFilter(rules)
  const isAllowed: AddressFilter = (host, port, address) => isPublic(address) || isListed(host, port, address)

  /** Returns only allowed addresses. Node tries them in order. */
  const lookupFor =
    (port: number, filter: AddressFilter = isAllowed): LookupFunction =>
    (host, { family, all }: LookupOptions, done) =>
      resolve(host, { all: true }, (error, found) => {
        if (error) return done(unresolved(host), '')
        const wanted = family === 4 || family === 6 ? found.filter((entry) => entry.family === family) : found
        if (wanted.length === 0) return done(unresolved(host), '')
        const allowed = wanted.filter(({ address }) => filter(host, port, address))
        const [first] = allowed
        if (!first) return done(refused(host), '')
        if (all) return done(null, allowed)
        done(null, first.address, first.family)
      })

  /** Checks targets that Node does not look up: IP addresses and paths of local sockets. */
  const refusal = (
    { host, port, path, socketPath }: Target,
    filter: AddressFilter = isAllowed,
  ): AppError | undefined => {
    if (path || socketPath) return refused(String(path ?? socketPath))
    const address = withoutBrackets(host ?? 'localhost')
    return isIP(address) && !filter(address, Number(port), address) ? refused(address) : undefined
  }

  class GuardedSocket extends Socket {
    constructor(private readonly isAllowedAddress: AddressFilter) {
      super()
    }

    // `connect` has five signatures.
    override connect(...args: unknown[]): this {
      const done = args.findLast((arg): arg is () => void => typeof arg === 'function')
      const target = targetOf(args)
      const error = refusal(target, this.isAllowedAddress)
      if (error) {
        process.nextTick(() => this.destroy(error))
        return this
      }
      const port = Number(target.port)
      const lookup = lookupFor(port, this.isAllowedAddress)
      return super.connect({ ...target, host: target.host ?? 'localhost', port, lookup }, done)
    }
  }

  /** A rejected address becomes the `error` event of the request, as a failed connection does. */
  function guardAgent(agent: HttpAgent, filter: AddressFilter): void {
    const connect = agent.createConnection.bind(agent)
    agent.createConnection = (options, done) => {
      const error = refusal({ ...options, path: null }, filter)
      if (!error) return connect({ ...options, lookup: lookupFor(Number(options.port), filter) }, done)
      if (done) process.nextTick(done, error)
      return undefined
    }
  }

  function agent(protocol: 'http:', options?: GuardedAgentOptions): HttpAgent
  function agent(protocol: 'https:', options?: GuardedAgentOptions): HttpsAgent
  function agent(protocol: 'http:' | 'https:', options?: GuardedAgentOptions): HttpAgent | HttpsAgent
  function agent(
    protocol: 'http:' | 'https:',
    { allowed_only = false, ...options }: GuardedAgentOptions = {},
  ): HttpAgent | HttpsAgent {
    const created = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
    guardAgent(created, allowed_only ? isListed : isAllowed)
    return created
  }

  return {
    checkHost: async (host, port) => {
      const error = refusal({ host, port })
      if (error) throw error
      const name = withoutBrackets(host)
      if (isIP(name)) return
      await new Promise<void>((done, fail) =>
        lookupFor(port)(name, { all: true }, (error) => (error ? fail(error) : done())),
      )
    },
    agent,
    socket: ({ allowed_only = false } = {}) => new GuardedSocket(allowed_only ? isListed : isAllowed),
  }
}

/** Whether a connection to the address is allowed. `host` is the name that resolved to it. */
type AddressFilter = (host: string, port: number, address: string) => boolean

interface Target {
  host?: string | null | undefined
  port?: number | string | null | undefined
  /** The path of a local socket; in the options of an agent, the path of the URL. */
  path?: string | null | undefined
  socketPath?: string | null | undefined
}

/** The arguments of `net.Socket.connect`: options, a path, or a port and a host. */
function targetOf([first, second]: unknown[]): Target {
  if (typeof first === 'object' && first !== null) return first
  if (typeof first === 'string' && !/^\d+$/.test(first)) return { path: first }
  return { port: Number(first), ...(typeof second === 'string' && { host: second }) }
}

/** `[::1]` in a URL is the address `::1`. */
const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

const refused = (host: string): AppError =>
  new AppError({
    code: 'outbound_refused',
    detail: `This server does not connect to "${host}", because its address is private or reserved. Use a public host, or ask the operator to allow it with OUTBOUND_ALLOW.`,
  })

const unresolved = (host: string): AppError =>
  new AppError({ code: 'outbound_unresolved', detail: `"${host}" cannot be resolved. Check the host name.` })

/** The special-purpose registries of IANA: ranges that are not globally reachable, and transition mechanisms. */
const RESERVED_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // The metadata service of Azure, which is not in the registries.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const
/** The global unicast range of IPv6, and the reserved ranges within it. */
const GLOBAL_IPV6 = ['2000::', 3] as const
const RESERVED_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

const reserved = new BlockList()
for (const [address, prefix] of RESERVED_IPV4) reserved.addSubnet(address, prefix, 'ipv4')
for (const [address, prefix] of RESERVED_IPV6) reserved.addSubnet(address, prefix, 'ipv6')
const global = new BlockList()
global.addSubnet(...GLOBAL_IPV6, 'ipv6')

function isPublic(address: string): boolean {
  const { text, family } = canonicalAddress(address)
  if (family === 'ipv4') return !reserved.check(text, 'ipv4')
  return global.check(text, 'ipv6') && !reserved.check(text, 'ipv6')
}

/** Removes the zone, and extracts the IPv4 address from a mapped or translated IPv6 address. */
function canonicalAddress(address: string): { text: string; family: 'ipv4' | 'ipv6' } {
  const [text = ''] = address.split('%', 1)
  if (isIP(text) === 4) return { text, family: 'ipv4' }
  // A URL has one notation for each address.
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1)
  const [, high, low] = /^(?:::ffff|64:ff9b:):([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? []
  if (high === undefined || low === undefined) return { text: canonical, family: 'ipv6' }
  const number = Number.parseInt(high, 16) * 65536 + Number.parseInt(low, 16)
  return { text: [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.'), family: 'ipv4' }
}

/** Matches the addresses and names of OUTBOUND_ALLOW. */
function addressFilter(rules: OutboundRule[]): AddressFilter {
  const filters = rules.map((rule): AddressFilter => {
    const matchesPort = (port: number): boolean => rule.port === undefined || rule.port === port
    if ('name' in rule) return (host, port) => matchesPort(port) && host.toLowerCase().replace(/\.$/, '') === rule.name
    const range = new BlockList()
    range.addSubnet(rule.address, rule.prefix, rule.family)
    return (_, port, address) => {
      const { text, family } = canonicalAddress(address)
      return matchesPort(port) && range.check(text, family)
    }
  })
  return (host, port, address) => filters.some((filter) => filter(host, port, address))
}
