/** Calls the handler of an operation for an admitted request, and sends its result. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type HandlerContext, RawResponse } from '../api/handler-context.ts'
import { Page } from '../api/page.ts'
import type { Config } from '../config.ts'
import type { OpenApiSchema } from '../contract/document.ts'
import type { OperationId } from '../contract/operations.ts'
import { JSON_TYPE, type Operation, resolve } from '../contract/table.ts'
import type { Authenticator } from './authentication.ts'
import { rawOf } from './capture-scope.ts'
import type { RateLimits } from './rate-limits.ts'
import { RequestContext } from './request-context.ts'

/** Takes a context of any subject type: each area finds its own subjects. */
export type Handler<Id extends OperationId> = (context: HandlerContext<Id, never>) => Promise<unknown>

export interface CallOptions {
  config: Config
  authenticator: Authenticator
  rateLimits: RateLimits
}

export function routeHandler<Id extends OperationId>(
  handler: Handler<Id>,
  operation: Operation,
  { config, authenticator, rateLimits }: CallOptions,
) {
  // Fastify compiles the serializer of an object once.
  const itemSchema = { ...pageItemSchema(operation) }
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const raw = operation.area === 'capture' ? rawOf(request, rateLimits) : undefined
    const context: Pick<RequestContext, keyof RequestContext> = new RequestContext(
      request,
      reply,
      config,
      raw,
      authenticator,
    )
    // The validators and `admit` have checked that the values have the types of the operation.
    const result = await handler(context as HandlerContext<Id, never>).catch((error) => {
      if (raw) rateLimits.countRejectedCapture(request, error)
      throw error
    })
    reply.code(operation.status)
    if (result instanceof RawResponse) return sendRaw(reply, result)
    if (result instanceof Page) {
      const item = reply.compileSerializationSchema(itemSchema)
      const body = await result.write({ page: (page) => String(reply.serialize(page)), item })
      return reply.type(`${JSON_TYPE}; charset=utf-8`).send(body)
    }
    if (operation.mediaType) reply.type(operation.mediaType)
    return result
  }
}

function sendRaw(reply: FastifyReply, { status, headers, type, body }: RawResponse): FastifyReply {
  reply.headers(headers)
  return status === 304 ? reply.code(status).send() : reply.type(`${type}; charset=utf-8`).send(body)
}

/** The schema of one item of a page. Operations that return no page have none. */
function pageItemSchema({ response }: Operation): OpenApiSchema {
  const schema = response.content?.[JSON_TYPE]?.schema ?? {}
  return resolve(schema).properties?.results?.items ?? {}
}
