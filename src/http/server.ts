import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import { areas } from '../api/areas.ts'
import { endWork } from '../background/event-loop.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { areaLog } from '../telemetry/log.ts'
import { bind } from './bind.ts'
import { createBodyMemory } from './body-memory.ts'
import { createErrorHandler, sendError, sendSocketError } from './errors.ts'
import { addFormParser } from './form-body.ts'
import { isHost, trustProxy } from './forwarded.ts'
import { dropHeadBody, restoreMethod, routeAsGet } from './head-requests.ts'
import { addJsonParser } from './json-body.ts'
import { sendNotFound } from './not-found.ts'
import { limitPipelining } from './pipelining.ts'
import { createPluginCalls, type PluginCallers } from './plugin-api.ts'
import { createRateLimits } from './rate-limits.ts'
import { decodeAtSigns, loggedUrl } from './request-url.ts'
import { securityHeaders } from './security-headers.ts'
import { serializerCompiler } from './serialization.ts'
import { traceRequests } from './traces.ts'
import { createUnusedConnections } from './unused-connections.ts'

const BODY_LIMIT_BYTES = 1024 * 1024
/** A query parameter has up to 16,384 characters, and percent-encoding triples its length. */
const MAX_HEADERS_BYTES = 64 * 1024
/** How often Node checks for requests that take too long to arrive. */
const CONNECTION_CHECK_MS = 1_000
/** Closes a connection without traffic, in addition to the longest time that a handler may take. */
const IDLE_CONNECTION_MS = 60_000
/** Longer than the 60 s idle timeout of common load balancers. */
const KEEP_ALIVE_MS = 72_000

export interface ServerOptions {
  /** Changes the instance before the contract is bound. Tests use it to validate every response. */
  prepare?: (app: FastifyInstance) => void
}

/** Builds the server without listening. */
export async function buildServer(deps: Deps, { prepare }: ServerOptions = {}): Promise<FastifyInstance> {
  const { config } = deps
  const headers = securityHeaders(config)
  const instanceId = deps.ids.uuid()
  let requests = 0
  const log = areaLog(deps.log, config, 'requests')
  const app: FastifyInstance = fastify<Server, IncomingMessage, ServerResponse, FastifyBaseLogger>({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: config.REQUEST_TIMEOUT_MS,
    connectionTimeout: Math.max(config.EVENTS_QUERY_TIMEOUT_MS, config.PLUGIN_FETCH_TIMEOUT_MS) + IDLE_CONNECTION_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: config.HEADERS_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADERS_BYTES,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
      // The onRequest hook checks it, because Node's own response lacks our body and headers.
      requireHostHeader: false,
    },
    // During a shutdown, requests on open connections are still served before the connections are closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true },
    genReqId: (request) =>
      validRequestId(request.headers['x-request-id']) ?? `${instanceId}-${(++requests).toString(36)}`,
    // A HEAD request runs the GET route. Separate HEAD routes would double the router, which costs 20 ms at start.
    exposeHeadRoutes: false,
    rewriteUrl: (raw) => {
      routeAsGet(raw)
      return decodeAtSigns(raw)
    },
    // A child logger per request takes as long as a small response. Log lines contain the request id instead.
    childLoggerFactory: (log) => log,
    // Malformed and overlong URLs.
    frameworkErrors: (_error, _request, reply) => void sendError(notFound(), reply.headers(headers)),
    clientErrorHandler: (error, socket) => sendSocketError(error, socket, headers),
  })

  if (config.TRUST_PROXY) trustProxy(app)
  addJsonParser(app)
  addFormParser(app)
  app.setSerializerCompiler(serializerCompiler(config.DIALECT))
  app.setErrorHandler(createErrorHandler(deps.milliseconds))
  app.setNotFoundHandler(sendNotFound)

  if (deps.tracing) traceRequests(app, deps.tracing)
  const bodies = createBodyMemory(config.BODY_MEMORY_MB * 1024 * 1024)
  limitPipelining(app.server)
  const unused = createUnusedConnections(app.server)
  app.addHook('onRequest', (request, reply, done) => {
    restoreMethod(request)
    unused.use(request.raw.socket)
    reply.headers(headers).header('x-request-id', request.id)
    // A connection that stays open would delay a shutdown until its deadline.
    if (deps.lifecycle.draining) reply.header('connection', 'close')
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      return done(new AppError({ code: 'parse_error', detail: 'The Host header is missing. Send one.' }))
    // Without SITE_URL, it is part of links, and of the origin that browsers must have.
    if (!config.SITE_URL && request.host && !isHost(request.host))
      return done(new AppError({ code: 'parse_error', detail: 'The Host header is not valid. Send a host name.' }))
    done()
  })
  app.addHook('preParsing', bodies.count)
  app.addHook('onSend', bodies.discard)
  app.addHook('onResponse', (request, reply, done) => {
    bodies.release(request)
    // Responses from before the shutdown lack `connection: close`. While the port is open, requests may be in flight.
    if (deps.lifecycle.draining && !app.server.listening) app.server.closeIdleConnections()
    if (request.operation) endWork(request.operation.id)
    const operation = request.operation?.id ?? 'none'
    const seconds = reply.elapsedTime / 1000
    deps.metrics.request(operation, reply.statusCode, seconds)
    // An outage is logged once per second, with its cause.
    const isFailure = reply.statusCode >= 500 && reply.statusCode !== 503
    const level = isFailure ? 'error' : operation.startsWith('service.') ? 'debug' : 'info'
    if (log.isLevelEnabled(level)) log[level](requestLine(request, reply, operation), 'request completed')
    done()
  })

  prepare?.(app)
  app.addHook('onSend', dropHeadBody)
  const rateLimits = createRateLimits(deps)
  app.addHook('onClose', rateLimits.stop)
  app.addHook('preClose', async () => {
    unused.closeSoon()
    deps.parsers.drain()
  })
  const pluginCallers: PluginCallers = new Map()
  await bind(app, deps, areas(deps), rateLimits, pluginCallers)
  deps.pluginApi.connect(createPluginCalls(app, deps.db, pluginCallers))
  return app
}

/** Contains the ids of the user and of the key or session, never their secrets. */
const requestLine = (request: FastifyRequest, reply: FastifyReply, operation: string): object => ({
  reqId: request.id,
  operation,
  method: request.method,
  route: request.operation?.path,
  url: loggedUrl(request.raw),
  status: reply.statusCode,
  ms: Math.round(reply.elapsedTime * 1e3) / 1e3,
  address: request.ip,
  user: request.caller?.user.id,
  key: request.caller?.key?.id,
  session: request.caller?.session?.id,
  plugin_config: request.caller?.plugin_config_id ?? undefined,
})

const validRequestId = (id: string | string[] | undefined): string | undefined =>
  typeof id === 'string' && /^[\w.-]{1,128}$/.test(id) ? id : undefined
