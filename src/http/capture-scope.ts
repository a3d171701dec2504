/** Where capture lives: every body arrives as bytes, and pages of every site may send. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Raw } from '../api/handler-context.ts'
import { PAYLOAD_LIMIT_BYTES } from '../events/payload.ts'
import type { RateLimits } from './rate-limits.ts'

const MEDIA_TYPE = /^\s*[\w.+*-]+\/[\w.+*-]+\s*(;|$)/
/** What libraries that trace requests send along, beside the ordinary two. */
const HEADERS = [
  'X-Requested-With, Content-Type, traceparent, request-id, request-context, x-amzn-trace-id, x-cloud-trace-context',
  'Sentry-Trace, Baggage, x-highlight-request, x-datadome-clientid',
].join(', ')

export function openCaptureScope(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  // JSON by name too: glue warns at every start where only the star would read it.
  for (const type of ['application/json', '*'])
    scope.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: PAYLOAD_LIMIT_BYTES }, (_, bytes, done) =>
      done(null, bytes),
    )
  scope.addHook('onRoute', (route) => {
    route.bodyLimit = PAYLOAD_LIMIT_BYTES
  })
  // Before anything can fail: a page may read why, too.
  scope.addHook('onRequest', async (request, reply) => {
    const { origin, 'content-type': type, 'access-control-request-headers': asked } = request.headers
    if (origin !== undefined) {
      reply.header('access-control-allow-origin', hasHost(origin) ? origin : '*')
      reply.header('access-control-allow-credentials', 'true')
      reply.header('access-control-allow-methods', 'GET, POST, OPTIONS')
      reply.header('access-control-allow-headers', allowed(asked))
      reply.header('vary', 'Origin')
    }
    // A content type that is none counts as none.
    if (type !== undefined && !MEDIA_TYPE.test(type)) delete request.headers['content-type']
  })
}

/** Pages in files and sandboxes have an origin without a host. */
const hasHost = (origin: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/i.test(origin)

/** Whatever a page wants to send along it may: nothing here looks at it. */
const allowed = (asked: string | undefined): string =>
  asked !== undefined && /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/.test(asked)
    ? `${HEADERS}, ${asked}`
    : HEADERS

export const rawOf = (request: FastifyRequest, guard: RateLimits): Raw => ({
  method: request.method,
  content_type: request.headers['content-type'],
  content_encoding: request.headers['content-encoding'],
  query: request.query as Record<string, string | undefined>,
  bytes: request.body as Buffer | undefined,
  admit: guard.admitCapture,
  requireGoodStanding: () => guard.demandGoodStanding(request),
})
