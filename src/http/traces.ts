import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Span, Tracing } from '../telemetry/tracing.ts'
import { pathOf } from './request-url.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | null
  }
}

/** Records every request as a span. Its attributes contain no query string, header or body. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.decorateRequest('span', null)
  app.addHook('onRequest', (request, _, done) => {
    request.span = tracing.start({ name: 'request', kind: 'server', client: request.headers.traceparent })
    request.span.run(done)
  })
  // The parser of the body calls back in the context of the socket.
  app.addHook('preValidation', (request, _, done) => (request.span ? request.span.run(done) : done()))
  app.addHook('onResponse', (request, reply, done) => {
    const { span } = request
    if (!span) return done()
    const { statusCode } = reply
    span.rename(`${request.method} ${request.operation?.path ?? 'none'}`)
    span.set({ ...requestAttributes(request), 'http.response.status_code': statusCode })
    if (statusCode >= 500) span.fail()
    span.end()
    done()
  })
}

const requestAttributes = ({ id, method, raw, operation, protocol, ip, caller }: FastifyRequest) => ({
  'http.request.method': method,
  'url.scheme': protocol,
  'url.path': pathOf(raw),
  'client.address': ip,
  'workspace.request.id': id,
  ...(operation && { 'http.route': operation.path, 'workspace.operation': operation.id }),
  ...(caller && { 'user.id': String(caller.user.id) }),
})
