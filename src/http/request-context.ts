import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Raw, RequestUrl } from '../api/handler-context.ts'
import type { Caller } from '../auth/caller.ts'
import type { Deps } from '../deps.ts'
import type { OrganizationRow } from '../store/organizations.ts'
import type { MembersProjectRow } from '../store/projects.ts'
import { cameThroughProxy } from './forwarded.ts'
import { splitUrl } from './request-url.ts'

/**
 * The `HandlerContext` of a request, before it has the types of its operation. A class, because most handlers read few
 * of these properties, and an object literal with getters takes longer to create.
 */
export class RequestContext {
  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly config: Deps['config'],
    readonly raw: Raw | undefined,
  ) {}

  get params(): unknown {
    return this.request.params
  }
  get query(): unknown {
    return this.request.query
  }
  get body(): unknown {
    return this.request.body
  }
  get caller(): Caller | undefined {
    return this.request.caller
  }
  get organization(): OrganizationRow | undefined {
    return this.request.access?.organization
  }
  get project(): MembersProjectRow | undefined {
    return this.request.access?.project
  }
  get subject(): unknown {
    return this.request.subject
  }
  get url(): RequestUrl {
    const { raw, protocol, host } = this.request
    return { origin: this.config.SITE_URL ?? `${protocol}://${host || 'localhost'}`, ...splitUrl(raw) }
  }
  get peer(): { address: string; local: boolean } {
    const { ip, raw } = this.request
    return { address: ip, local: isLoopback(raw.socket.remoteAddress ?? '') && !cameThroughProxy(raw.headers) }
  }
  get authorization(): string | undefined {
    return this.request.headers.authorization
  }
  get accept(): string | undefined {
    return this.request.headers.accept
  }
  /** Watches the connection: a pipelined response that is not being sent yet emits no `close` event. */
  get signal(): AbortSignal {
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
