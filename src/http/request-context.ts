import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Cookies, Raw, RequestUrl } from '../api/handler-context.ts'
import { actorOf, type Caller } from '../auth/caller.ts'
import type { Client } from '../auth/sessions.ts'
import type { Deps } from '../deps.ts'
import type { UserActor } from '../store/activity_log.ts'
import type { OrganizationRow } from '../store/organizations.ts'
import type { MembersProjectRow } from '../store/projects.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { Authenticator } from './authentication.ts'
import { cookiesOf } from './cookies.ts'
import { cameThroughProxy } from './forwarded.ts'
import { originOf, splitUrl } from './request-url.ts'

/**
 * The `HandlerContext` of a request, before it has the types of its operation. A class, because most handlers read few
 * of the getters, and an object literal with getters takes longer to create.
 */
export class RequestContext {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly caller: Caller | undefined
  readonly organization: OrganizationRow | undefined
  readonly project: MembersProjectRow | undefined
  readonly subject: unknown
  readonly headers: IncomingHttpHeaders
  private abortSignal: AbortSignal | undefined

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly config: Deps['config'],
    readonly raw: Raw | undefined,
    private readonly authenticator: Authenticator,
  ) {
    this.params = request.params
    this.query = request.query
    this.body = request.body
    this.caller = request.access?.caller
    this.organization = request.access?.organization
    this.project = request.access?.project
    this.subject = request.subject
    this.headers = request.headers
  }

  get actor(): UserActor | undefined {
    return this.caller && actorOf(this.caller, this.request.ip)
  }
  get url(): RequestUrl {
    return { origin: originOf(this.request, this.config), ...splitUrl(this.request.raw) }
  }
  get peer(): { address: string; local: boolean } {
    const { ip, raw } = this.request
    return { address: ip, local: isLoopback(raw.socket.remoteAddress ?? '') && !cameThroughProxy(raw.headers) }
  }
  get client(): Client {
    const { ip, headers } = this.request
    return { address: ip, user_agent: headers['user-agent'] ?? '' }
  }
  get cookies(): Cookies {
    return cookiesOf(this.request, this.reply, this.config)
  }
  currentSession(): Promise<SessionRow | null> {
    return this.authenticator.currentSession(this.request)
  }
  currentCaller(): Promise<Caller | undefined> {
    return this.authenticator.currentCaller(this.request)
  }
  get signal(): AbortSignal {
    this.abortSignal ??= this.authenticator.pluginSignal(this.request) ?? this.watchConnection()
    return this.abortSignal
  }
  /** A pipelined response that is not being sent yet emits no `close` event, so the socket is watched. */
  private watchConnection(): AbortSignal {
    const controller = new AbortController()
    const abort = (): void => controller.abort()
    const { socket } = this.request.raw
    if (socket.destroyed) abort()
    socket.once('close', abort)
    this.reply.raw.once('finish', () => socket.off('close', abort))
    return controller.signal
  }
}

const isLoopback = (address: string): boolean => /^(127\.|::1$|::ffff:127\.)/.test(address)
