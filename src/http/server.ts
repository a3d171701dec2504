import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import {
  type ConnectionError,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import { areas } from '../api/areas.ts'
import { operations } from '../contract/table.ts'
import type { Deps } from '../deps.ts'
import { AppError, ERROR_RESPONSES, notFound, Unauthenticated, unavailable } from '../errors.ts'
import { notJson, requireBounded } from '../json/scan.ts'
import { decode, sanitizeBody } from '../json/text.ts'
import { isLostRace } from '../sql/db.ts'
import { bind } from './bind.ts'
import { createBodyMemory } from './body-memory.ts'
import { clientAddress, clientHost, clientProtocol } from './forwarded.ts'
import { createRateLimits } from './rate-limits.ts'
import { securityHeaders } from './security-headers.ts'
import { serializerCompiler } from './serialization.ts'

const BODY_LIMIT_BYTES = 1024 * 1024
/** More than any resource has. Parsing 1 MiB of tiny values takes 120 ms. */
const MOST_VALUES = 20_000
/** How often connections are looked at for requests that take too long to arrive. */
const LOOK_MS = 1_000
/** How long nothing may pass either way, beyond what an answer may take to be made: a reader that has stopped. */
const STALLED_MS = 60_000
/** More than any client sends ahead. Each holds its answer in memory until those before it are read. */
const PIPELINED = 100
/** Longer than the 60 seconds of common load balancers, so that they close idle connections, not we. */
const KEEP_ALIVE_MS = 72_000

export interface ServerOptions {
  /** Changes the instance before the contract is bound; tests check every answer against the contract this way. */
  prepare?: (app: FastifyInstance) => void
}

/** The application as a value: nothing listens yet. */
export async function buildServer(deps: Deps, { prepare }: ServerOptions = {}): Promise<FastifyInstance> {
  const { HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS, EVENTS_QUERY_TIMEOUT_MS, PLUGIN_FETCH_TIMEOUT_MS } = deps.config
  const headers = securityHeaders(deps.config)
  const id = deps.ids.uuid()
  let requests = 0
  const app = fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: Math.max(EVENTS_QUERY_TIMEOUT_MS, PLUGIN_FETCH_TIMEOUT_MS) + STALLED_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: LOOK_MS,
      // Checked below, because Node's own response lacks our body and headers.
      requireHostHeader: false,
    },
    // A shutdown answers what still arrives on open connections and then closes them.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true },
    genReqId: (request) => sentId(request.headers['x-request-id']) ?? `${id}-${(++requests).toString(36)}`,
    // A HEAD request runs the GET route. Separate HEAD routes would double the router, which costs 20 ms at start.
    exposeHeadRoutes: false,
    rewriteUrl: (raw) => {
      if (raw.method === 'HEAD') {
        headRequests.add(raw)
        raw.method = 'GET'
      }
      return decodeAt(raw.url ?? '/')
    },
    // A logger for each request would take as long as the answer of a small one: what is logged names the request.
    childLoggerFactory: (log) => log,
    // Malformed and overlong addresses: nothing is there.
    frameworkErrors: (_, request, reply) =>
      void fail(notFound(), request as FastifyRequest, (reply as FastifyReply).headers(headers)),
    clientErrorHandler: (error, socket) => clientError(error, socket, headers),
  }) as unknown as FastifyInstance

  if (deps.config.TRUST_PROXY) trustProxy(app)
  app.removeContentTypeParser('text/plain')
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    // Clients send a JSON content type with every DELETE; no bytes are no body.
    if (bytes.length === 0) return done(null, undefined)
    try {
      let body: unknown
      const text = decode(bytes)
      requireBounded(bytes, MOST_VALUES)
      parse(request, text, (error, parsed) => {
        if (error) throw notJson()
        body = parsed
      })
      done(null, sanitizeBody(body))
    } catch (error) {
      done(error as Error)
    }
  })

  app.setSerializerCompiler(serializerCompiler(deps.config.DIALECT))
  app.setErrorHandler((error: FastifyError, request, reply) => fail(error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const allowed = methodsAt(request.raw.url!.split('?', 1)[0]!)
    if (allowed.length === 0) return fail(notFound(), request, reply)
    reply.header('allow', allowed.join(', '))
    return fail(
      new AppError({
        code: 'method_not_allowed',
        detail: `${request.method} does not work here. Use ${allowed.join(' or ')}.`,
      }),
      request,
      reply,
    )
  })

  const bodies = createBodyMemory(deps.config.BODY_MEMORY_MB * 1024 * 1024)
  const underWay = new WeakMap<Socket, number>()
  const count = ({ raw: { socket } }: FastifyRequest, more: 1 | -1): number => {
    const now = (underWay.get(socket) ?? 0) + more
    underWay.set(socket, now)
    return now
  }
  app.addHook('onRequest', (request, reply, done) => {
    if (headRequests.delete(request.raw)) request.raw.method = 'HEAD'
    reply.headers(headers).header('x-request-id', request.id)
    // A client that keeps its connection open would hold up a shutdown until the deadline.
    if (deps.lifecycle.draining) reply.header('connection', 'close')
    if (count(request, 1) > PIPELINED)
      return done(
        new AppError({
          code: 'throttled',
          detail: `More than ${PIPELINED} requests wait here. Read their answers first.`,
          retry_after_seconds: 1,
        }),
      )
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      return done(new AppError({ code: 'parse_error', detail: 'The request has no Host header. Send one.' }))
    done()
  })
  app.addHook('preParsing', bodies.admit)
  app.addHook('onSend', bodies.discard)
  // Each request that waits listens for the end of its connection.
  app.server.on('connection', (socket) => socket.setMaxListeners(2 * PIPELINED + 20))
  app.addHook('onResponse', (request, reply, done) => {
    bodies.release(request)
    count(request, -1)
    // The answer to what came before could not say so. While the port is open, a request may be on its way.
    if (deps.lifecycle.draining && !app.server.listening) app.server.closeIdleConnections()
    const operation = request.operation?.id ?? 'none'
    const seconds = reply.elapsedTime / 1000
    deps.metrics.request(operation, reply.statusCode, seconds)
    const level = reply.statusCode >= 500 ? 'error' : operation.startsWith('service.') ? 'debug' : 'info'
    if (!deps.log.isLevelEnabled(level)) return done()
    // The path alone: query strings carry secrets of links.
    const path = request.raw.url!.split('?', 1)[0]
    deps.log[level](
      {
        reqId: request.id,
        operation,
        method: request.method,
        path,
        status: reply.statusCode,
        ms: Math.round(seconds * 1e6) / 1e3,
      },
      'answered',
    )
    done()
  })

  prepare?.(app)
  app.addHook('onSend', dropHeadBody)
  const guard = createRateLimits(deps)
  app.addHook('onClose', guard.stop)
  app.addHook('preClose', async () => deps.parsers.drain())
  await bind(app, deps, areas(deps), guard)
  return app
}

/** Replaces Fastify's `trustProxy`, which keeps the port in the address and so sees a new client per connection. */
function trustProxy(app: FastifyInstance): void {
  const told = <Value>(read: (raw: IncomingMessage) => Value) => ({
    getter(this: FastifyRequest): Value {
      return read(this.raw)
    },
  })
  app.decorateRequest('ip', told(clientAddress) as never)
  app.decorateRequest('host', told(clientHost) as never)
  app.decorateRequest('protocol', told(clientProtocol) as never)
}

/** HEAD requests that the router sees as GET; the first hook restores their method. */
const headRequests = new WeakSet<IncomingMessage>()

type DoneWithPayload = (error: Error | null, payload: unknown) => void

/** Replaces the body of a response to HEAD by its length. */
function dropHeadBody(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: DoneWithPayload): void {
  const isHead = request.method === 'HEAD'
  if (isHead && payload instanceof Readable)
    payload.on('error', (error) => request.log.error({ reqId: request.id, err: error }, 'failed')).resume()
  else if (isHead) reply.header('content-length', String(Buffer.byteLength(String(payload ?? ''))))
  done(null, isHead ? null : payload)
}

/** `%40` is `@` in a path. The router does not decode it in fixed segments like `@me`. */
function decodeAt(url: string): string {
  if (!url.includes('%40')) return url
  const [path, ...query] = url.split('?')
  return [path!.replaceAll('%40', '@'), ...query].join('?')
}

const sentId = (sent: string | string[] | undefined): string | undefined =>
  typeof sent === 'string' && /^[\w.-]{1,128}$/.test(sent) ? sent : undefined

/** Errors quote keys and values of the request, so they are truncated. */
const MAX_DETAIL = 1_000
const MAX_ATTR = 400

const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`

/** The one translator from anything thrown to an answer. What is no AppError reveals nothing but the request's id. */
function fail(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toAppError(thrown, request)
  const [status, type] = error instanceof Unauthenticated ? [401, 'authentication_error'] : ERROR_RESPONSES[error.code]
  if (status === 500 || error.cause) request.log.error({ reqId: request.id, err: error.cause ?? thrown }, 'failed')
  if (error.retry_after_seconds !== undefined) reply.header('retry-after', error.retry_after_seconds)
  const { code } = error
  const [detail, attr] = [shortened(error.message, MAX_DETAIL), error.attr && shortened(error.attr, MAX_ATTR)]
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify({ type, code, detail, attr }))
}

function toAppError(thrown: unknown, request: FastifyRequest): AppError {
  if (thrown instanceof AppError) return thrown
  if (isLostRace(thrown))
    return unavailable('Somebody else changed the same things at the same moment. Try again in a moment.', thrown)
  switch ((thrown as FastifyError).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError({
        code: 'request_too_large',
        detail: `The body is larger than ${request.routeOptions.bodyLimit} bytes. Send less at once.`,
      })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError({
        code: 'unsupported_media_type',
        detail: 'Send the body as JSON with "Content-Type: application/json".',
      })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    // Whoever went away in the middle of a body; nobody hears it, and it is no failure of ours.
    case 'ECONNRESET':
      return new AppError({ code: 'parse_error', detail: 'The body is not as long as its Content-Length says.' })
  }
  return new AppError({
    code: 'error',
    detail: `The server failed. Quote the request id ${request.id} to its operator.`,
  })
}

let routes: [segments: string[], method: string][] | undefined

const segmentsOf = (path: string): string[] => path.replace(/\/$/, '').split('/')

/** The methods that work at a path; none for a path that is not in the contract. Built on the first miss. */
function methodsAt(path: string): string[] {
  routes ??= operations.map(({ path, method }) => [segmentsOf(path), method])
  const asked = segmentsOf(path)
  const fits = (segments: readonly string[]): boolean =>
    segments.length === asked.length &&
    segments.every((segment, i) => segment === asked[i] || (segment.startsWith('{') && asked[i] !== ''))
  const found = routes.filter(([segments]) => fits(segments)).map(([, method]) => method)
  return [...new Set(found.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}

/** What is no HTTP at all never becomes a request; it is answered on the socket, in the house's shape. */
function clientError(error: ConnectionError, socket: Socket, headers: Record<string, string>): void {
  // Inside an answer that has begun, ours would be taken for a part of it.
  const begun = (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage?.headersSent
  if (error.code === 'ECONNRESET' || !socket.writable || begun) return void socket.destroy()
  const [status, phrase, detail] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', 'The headers are too large. Send fewer or shorter ones.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout', 'The request took too long to arrive. Send it faster.']
        : [400, 'Bad Request', 'This is not a valid HTTP request.']
  const body = JSON.stringify({ type: 'invalid_request', code: 'parse_error', detail, attr: null })
  const all = {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${phrase}`, ...lines, '', body].join('\r\n'))
}
