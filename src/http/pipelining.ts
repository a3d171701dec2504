import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/** The server buffers the response of each pipelined request until the client has read the responses before it. */
const MAX_PIPELINED = 100

/** Limits the number of concurrent requests on one connection. */
export function createPipelineLimit(server: Server) {
  const pending = new WeakMap<Socket, number>()
  const add = ({ raw: { socket } }: FastifyRequest, difference: 1 | -1): number => {
    const count = (pending.get(socket) ?? 0) + difference
    pending.set(socket, count)
    return count
  }
  // Each pending request adds up to two `close` listeners to its connection.
  server.on('connection', (socket) => socket.setMaxListeners(2 * MAX_PIPELINED + 20))
  return {
    /** Counts a request. Returns `throttled` if its connection has too many. */
    start(request: FastifyRequest): AppError | undefined {
      if (add(request, 1) <= MAX_PIPELINED) return undefined
      return new AppError({
        code: 'throttled',
        detail: `This connection has more than ${MAX_PIPELINED} pending requests. Read their responses first.`,
        retry_after_seconds: 1,
      })
    },
    finish: (request: FastifyRequest): void => void add(request, -1),
  }
}
