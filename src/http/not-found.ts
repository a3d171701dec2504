import type { FastifyReply, FastifyRequest } from 'fastify'
import { operations } from '../contract/table.ts'
import { AppError, notFound } from '../errors.ts'
import { sendConsole } from './console.ts'
import { sendError } from './errors.ts'
import { pathOf } from './request-url.ts'

/** Responds with 405 and an `Allow` header if the path exists with other methods, else with the console or 404. */
export async function sendNotFound(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const allowed = methodsAt(pathOf(request.raw))
  if (allowed.length === 0) {
    // A reply is thenable: awaited, it resolves with undefined when the response has been sent.
    if (!(await sendConsole(request, reply))) sendError(notFound(), reply)
    return reply
  }
  reply.header('allow', allowed.join(', '))
  return sendError(
    new AppError({
      code: 'method_not_allowed',
      detail: `${request.method} is not supported on this path. Use ${allowed.join(' or ')}.`,
    }),
    reply,
  )
}

let routes: [segments: string[], method: string][] | undefined

const segmentsOf = (path: string): string[] => path.replace(/\/$/, '').split('/')

/** The methods that the contract has for a path. The route list is built on first use. */
function methodsAt(path: string): string[] {
  routes ??= operations.map(({ path, method }) => [segmentsOf(path), method])
  const requested = segmentsOf(path)
  const matches = (segments: readonly string[]): boolean =>
    segments.length === requested.length &&
    segments.every((segment, i) => segment === requested[i] || (segment.startsWith('{') && requested[i] !== ''))
  const methods = routes.filter(([segments]) => matches(segments)).map(([, method]) => method)
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}
