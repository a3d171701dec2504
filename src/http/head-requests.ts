/** HEAD requests run the GET route and respond without the body. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** HEAD requests that the router sees as GET, until the first hook restores their method. */
const routedAsGet = new WeakSet<IncomingMessage>()

/** Called before routing. */
export function routeAsGet(raw: IncomingMessage): void {
  if (raw.method !== 'HEAD') return
  routedAsGet.add(raw)
  raw.method = 'GET'
}

/** Called by the first hook after routing. */
export function restoreMethod({ raw }: FastifyRequest): void {
  if (routedAsGet.delete(raw)) raw.method = 'HEAD'
}

/** An `onSend` hook: replaces the body by its length. */
export function dropHeadBody(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload: unknown) => void,
): void {
  const isHead = request.method === 'HEAD'
  if (isHead && payload instanceof Readable)
    payload.on('error', (error) => request.log.error({ reqId: request.id, err: error }, 'failed')).resume()
  else if (isHead) {
    const length = Buffer.isBuffer(payload) ? payload.length : Buffer.byteLength(String(payload ?? ''))
    reply.header('content-length', String(length))
  }
  done(null, isHead ? null : payload)
}
