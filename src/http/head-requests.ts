/** HEAD requests run the GET route and answer without the body. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

const headRequests = new WeakSet<IncomingMessage>()

/** Called before routing. */
export function headAsGet(raw: IncomingMessage): void {
  if (raw.method !== 'HEAD') return
  headRequests.add(raw)
  raw.method = 'GET'
}

/** The method that the client sent. */
export const methodOf = ({ raw, method }: FastifyRequest): string => (headRequests.has(raw) ? 'HEAD' : method)

/** An `onSend` hook: replaces the body by its length. */
export function dropHeadBody(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload: unknown) => void,
): void {
  const isHead = headRequests.has(request.raw)
  if (isHead && payload instanceof Readable)
    payload.on('error', (error) => request.log.error({ reqId: request.id, err: error }, 'failed')).resume()
  else if (isHead) reply.header('content-length', Buffer.byteLength(String(payload ?? '')))
  done(null, isHead ? null : payload)
}
