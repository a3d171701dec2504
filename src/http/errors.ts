/** Error responses. */
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, ERROR_RESPONSES, errorCode, Unauthenticated, unavailable } from '../errors.ts'
import { isLostRace } from '../sql/db.ts'

/** Messages quote keys and values of the request, so they are truncated. */
const MAX_DETAIL_CHARACTERS = 1_000
const MAX_ATTR_CHARACTERS = 400

const truncate = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`

const OUTAGE_LOG_PERIOD_MS = 1_000

/** Sends the response for anything thrown, and logs failures of the server. */
export function createErrorHandler(milliseconds: () => number) {
  let outage_logged_at = Number.NEGATIVE_INFINITY
  let unlogged = 0
  /** Requests that fail together have the same cause: one line per second. */
  const logOutage = (request: FastifyRequest, cause: unknown): void => {
    unlogged++
    const now = milliseconds()
    if (now - outage_logged_at < OUTAGE_LOG_PERIOD_MS) return
    request.log.error({ reqId: request.id, err: cause, requests: unlogged }, 'requests failed: unavailable')
    outage_logged_at = now
    unlogged = 0
  }

  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const error = toAppError(thrown, request)
    const [status] = responseOf(error)
    if (status === 503 && error.cause) logOutage(request, error.cause)
    else if (status === 500 || error.cause)
      request.log.error({ reqId: request.id, err: error.cause ?? thrown }, 'request failed')
    return sendError(error, reply)
  }
}

const responseOf = (error: AppError): readonly [status: number, type: string] =>
  error instanceof Unauthenticated ? [401, 'authentication_error'] : ERROR_RESPONSES[error.code]

export function sendError(error: AppError, reply: FastifyReply): FastifyReply {
  const { status, body } = errorResponse(error)
  if (error.retry_after_seconds !== undefined) reply.header('retry-after', error.retry_after_seconds)
  return reply.code(status).type('application/json; charset=utf-8').send(body)
}

/** `body` is JSON. */
export function errorResponse(error: AppError): { status: number; body: string } {
  const [status, type] = responseOf(error)
  const { code, position } = error
  const detail = truncate(error.message, MAX_DETAIL_CHARACTERS)
  const attr = error.attr && truncate(error.attr, MAX_ATTR_CHARACTERS)
  return { status, body: JSON.stringify({ type, code, detail, attr, position }) }
}

/** An unexpected error becomes a 500 that reveals only the request id. */
function toAppError(thrown: unknown, request: FastifyRequest): AppError {
  if (thrown instanceof AppError) return thrown
  if (isLostRace(thrown))
    return unavailable('The request conflicted with a concurrent change. Retry it in a moment.', thrown)
  switch (errorCode(thrown)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError({
        code: 'request_too_large',
        detail: `The body is larger than ${request.routeOptions.bodyLimit} bytes. Split it into several requests.`,
      })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError({
        code: 'unsupported_media_type',
        detail: 'Send the body as JSON with "Content-Type: application/json".',
      })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    // The client disconnected while it sent the body, so this is not a server error.
    case 'ECONNRESET':
      return new AppError({ code: 'parse_error', detail: 'The length of the body differs from its Content-Length.' })
  }
  return new AppError({
    code: 'error',
    detail: `Internal error. Report the request id ${request.id} to the operator of this server.`,
  })
}

/** Responds to input that Node cannot parse as an HTTP request. Fastify never sees it. */
export function sendSocketError(error: ConnectionError, socket: Socket, headers: Record<string, string>): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasStartedResponse(socket)) return void socket.destroy()
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

/** Clients would read an error written inside a started response as a part of that response. */
const hasStartedResponse = (socket: Socket & { _httpMessage?: { headersSent: boolean } | null }): boolean =>
  socket._httpMessage?.headersSent ?? false
