/**
 * Connections to where a user's data says: public addresses, and what the operator has opened, and nothing else.
 * The address is judged when the connection is made, after the name was resolved: a name that was checked before may
 * stand for another address by now.
 */
import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import { Agent as HttpAgent } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent } from 'node:https'
import { BlockList, isIP, type LookupFunction, Socket } from 'node:net'
import { listOf, type OutboundRule, outboundRule } from '../config.ts'
import { AppError } from '../errors.ts'

export interface Outbound {
  /**
   * Whether a connection to this host would be made now. Throws outbound_refused, or outbound_unresolved for a name
   * without an address. For an early word to the caller only: every way out below judges again when it connects.
   */
  checkHost(host: string, port: number): Promise<void>
  /** For http(s).request, the AWS SDK's NodeHttpHandler and whatever else takes one of Node's agents. */
  agent(protocol: 'http:', options?: AgentOptions): HttpAgent
  agent(protocol: 'https:', options?: AgentOptions): HttpsAgent
  agent(protocol: 'http:' | 'https:', options?: AgentOptions): HttpAgent | HttpsAgent
  /**
   * A socket whose `connect` is guarded: `pg` takes it as `stream: () => outbound.socket()`. With `opened_only` it goes
   * to what the operator has opened and not to the public: for what must not cross the internet in the clear.
   */
  socket(options?: { opened_only?: boolean }): Socket
}

export interface OutboundOptions {
  /** As OUTBOUND_ALLOW. */
  allow?: string | undefined
  /** As dns.lookup. */
  resolve?: Resolve
}

export type Resolve = (
  host: string,
  options: { all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

export function createOutbound({ allow, resolve = systemLookup as Resolve }: OutboundOptions = {}): Outbound {
  const isOpen = allowing(allow ? listOf(allow).map((entry) => outboundRule(entry)!) : [])
  const mayReach: Judge = (host, port, address) => isPublic(address) || isOpen(host, port, address)

  /** Only the addresses that may be reached; Node tries one after the other. */
  const lookupFor =
    (port: number, may: Judge = mayReach): LookupFunction =>
    (host, { family, all }: LookupOptions, done) =>
      resolve(host, { all: true }, (error, found) => {
        if (error) return done(unresolved(host), '')
        const wanted = family === 4 || family === 6 ? found.filter((entry) => entry.family === family) : found
        if (wanted.length === 0) return done(unresolved(host), '')
        const open = wanted.filter(({ address }) => may(host, port, address))
        if (open.length === 0) return done(refused(host), '')
        if (all) return done(null, open)
        done(null, open[0]!.address, open[0]!.family)
      })

  /** Node looks up no address that is one already, and no path of a local socket. */
  const refusal = (
    { host = 'localhost', port, path, socketPath }: Target,
    may: Judge = mayReach,
  ): AppError | undefined => {
    if (path || socketPath) return refused(String(path ?? socketPath))
    const address = bare(host)
    return isIP(address) && !may(address, Number(port), address) ? refused(address) : undefined
  }

  class GuardedSocket extends Socket {
    constructor(private readonly may: Judge) {
      super()
    }

    // Node has five signatures for it.
    override connect(...args: any[]): this {
      const done = args.findLast((arg) => typeof arg === 'function') as (() => void) | undefined
      const target = targetOf(args)
      const problem = refusal(target, this.may)
      if (problem) {
        process.nextTick(() => this.destroy(problem))
        return this
      }
      const port = Number(target.port)
      return super.connect({ ...target, port, lookup: lookupFor(port, this.may) }, done)
    }
  }

  type Create = (error: Error | null, stream?: Socket) => void
  /** Refusals arrive where failed connections do, as the request's `error`. */
  const guarded = <Connect extends (options: any, done: Create) => unknown>(connect: Connect) =>
    function (this: unknown, options: Target, done: Create): unknown {
      const problem = refusal({ ...options, path: undefined })
      if (problem) return void process.nextTick(done, problem)
      return connect.call(this, { ...options, lookup: lookupFor(Number(options.port)) }, done)
    }

  return {
    checkHost: async (host, port) => {
      const problem = refusal({ host, port })
      if (problem) throw problem
      if (isIP(bare(host))) return
      await new Promise<void>((done, fail) =>
        lookupFor(port)(bare(host), { all: true }, (error) => (error ? fail(error) : done())),
      )
    },
    agent: (protocol: 'http:' | 'https:', options?: AgentOptions) => {
      const agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
      const connecting = agent as unknown as { createConnection(options: object, done: Create): unknown }
      connecting.createConnection = guarded(connecting.createConnection)
      return agent as HttpsAgent
    },
    socket: ({ opened_only = false } = {}) => new GuardedSocket(opened_only ? isOpen : mayReach),
  }
}

type Judge = (host: string, port: number, address: string) => boolean

interface Target {
  host?: string
  port?: number | string
  /** Of a local socket; for an agent, the path of the URL. */
  path?: string
  socketPath?: string
}

/** What net.Socket.connect takes: options, a path, or a port and a host. */
function targetOf([first, second]: unknown[]): Target {
  if (typeof first === 'object' && first !== null) return first as Target
  if (typeof first === 'string' && !/^\d+$/.test(first)) return { path: first }
  return { port: Number(first), ...(typeof second === 'string' && { host: second }) }
}

/** Without the brackets that addresses wear in URLs. */
const bare = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

const refused = (host: string): AppError =>
  new AppError({
    code: 'outbound_refused',
    detail: `This server does not connect to "${host}", whose address is private or reserved. Name a public host, or ask the operator to open it with OUTBOUND_ALLOW.`,
  })

const unresolved = (host: string): AppError =>
  new AppError({ code: 'outbound_unresolved', detail: `"${host}" has no address. Check how the host is spelt.` })

/** The special-purpose registries of IANA: what is not reachable for everybody, or leads elsewhere than it says. */
const RESERVED_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Not in the registries: where Azure serves its machines their settings.
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
/** Of IPv6 only this part is given to the public, and these ranges within it are not. */
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
  const { text, family } = plain(address)
  if (family === 'ipv4') return !reserved.check(text, 'ipv4')
  return global.check(text, 'ipv6') && !reserved.check(text, 'ipv6')
}

/** The address that is meant: without a zone, and the IPv4 address inside where a mapped or translated one wraps it. */
function plain(address: string): { text: string; family: 'ipv4' | 'ipv6' } {
  const text = address.split('%', 1)[0]!
  if (isIP(text) === 4) return { text, family: 'ipv4' }
  // Node writes addresses in many ways; a URL writes each in one.
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1)
  const [, high, low] = /^(?:::ffff|64:ff9b:):([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? []
  if (high === undefined || low === undefined) return { text: canonical, family: 'ipv6' }
  const number = Number.parseInt(high, 16) * 65536 + Number.parseInt(low, 16)
  return { text: [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.'), family: 'ipv4' }
}

/** Whether the operator has opened an address, or the name that led to it. */
function allowing(rules: OutboundRule[]): Judge {
  const tests = rules.map((rule) => {
    if ('name' in rule) return (host: string) => host.toLowerCase().replace(/\.$/, '') === rule.name
    const range = new BlockList()
    range.addSubnet(rule.address, rule.prefix, rule.family)
    return (_: string, address: string) => {
      const { text, family } = plain(address)
      return range.check(text, family)
    }
  })
  return (host, port, address) =>
    rules.some((rule, i) => (rule.port === undefined || rule.port === port) && tests[i]!(host, address))
}
