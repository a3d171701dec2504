/** The Fastify scope of the capture operations: raw bodies, and CORS for every origin. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Raw } from '../api/handler-context.ts'
import { PAYLOAD_LIMIT_BYTES } from '../events/payload.ts'
import type { RateLimits } from './rate-limits.ts'

const MEDIA_TYPE = /^\s*[\w.+*-]+\/[\w.+*-]+\s*(;|$)/
/** Includes headers that tracing libraries add to requests. */
const ALLOWED_HEADERS = [
  'X-Requested-With, Content-Type, traceparent, request-id, request-context, x-amzn-trace-id, x-cloud-trace-context',
  'Sentry-Trace, Baggage, x-highlight-request, x-datadome-clientid',
].join(', ')

export function openCaptureScope(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  // Without an own parser for JSON, fastify-openapi-glue prints a warning at every start.
  for (const type of ['application/json', '*'])
    scope.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: PAYLOAD_LIMIT_BYTES }, (_, bytes, done) =>
      done(null, bytes),
    )
  scope.addHook('onRoute', (route) => {
    route.bodyLimit = PAYLOAD_LIMIT_BYTES
  })
  // Runs before all checks: scripts can read error responses only if they have these headers.
  scope.addHook('onRequest', async (request, reply) => {
    // Pages of other sites send events with images and beacons too.
    reply.header('cross-origin-resource-policy', 'cross-origin')
    const { origin, 'content-type': type, 'access-control-request-headers': requested } = request.headers
    if (origin !== undefined) {
      reply.header('access-control-allow-origin', hasHost(origin) ? origin : '*')
      // posthog-js sends XMLHttpRequests with credentials and would retry an event whose response it cannot read. Capture
      // reads and sets no cookie.
      reply.header('access-control-allow-credentials', 'true')
      reply.header('access-control-allow-methods', 'GET, POST, OPTIONS')
      reply.header('access-control-allow-headers', allowedHeaders(requested))
      reply.header('vary', 'Origin')
    }
    // An invalid content type counts as a missing one.
    if (type !== undefined && !MEDIA_TYPE.test(type)) delete request.headers['content-type']
  })
}

/** False for `null`, the origin of local files and sandboxed frames. */
const hasHost = (origin: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/i.test(origin)

/** Allows every requested header, because capture does not read any other header. */
const allowedHeaders = (requested: string | undefined): string =>
  requested !== undefined && /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/.test(requested)
    ? `${ALLOWED_HEADERS}, ${requested}`
    : ALLOWED_HEADERS

export const rawOf = (request: FastifyRequest, rateLimits: RateLimits): Raw => ({
  method: request.method,
  content_type: request.headers['content-type'],
  content_encoding: request.headers['content-encoding'],
  query: request.query as Record<string, string | undefined>,
  bytes: Buffer.isBuffer(request.body) ? request.body : undefined,
  countCapture: rateLimits.countCapture,
  checkCaptureAddress: () => rateLimits.checkCaptureAddress(request),
})
