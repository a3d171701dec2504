import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import type { FastifyRequest, onSendHookHandler, preParsingHookHandler } from 'fastify'
import { unavailable } from '../errors.ts'

/** Smaller bodies are not counted. They take about as much memory as their connection. */
const SMALL_BYTES = 16 * 1024
/** Limits for discarding the rest of a rejected body: bytes, total time, idle time. */
const DISCARD_BYTES = 64 * 1024 * 1024
const DISCARD_MS = 10_000
const DISCARD_IDLE_MS = 2_000

/** Limits the memory of all request bodies together. A body counts from its first byte until the response is sent. */
export interface BodyMemory {
  /** Counts the bytes of a body while they arrive. */
  count: preParsingHookHandler
  /**
   * Reads the rest of a body before a response that closes the connection. Closing it while the client sends would reset
   * the connection, and most clients then report a broken pipe instead of the response.
   */
  discard: onSendHookHandler
  /** Frees the memory of a request after its response. */
  release(request: FastifyRequest): void
}

interface Body {
  bytes: number
  stream: Transform
  /** Removes the `close` listener. A connection can carry a thousand bodies. */
  unwatch: () => void
}

/**
 * Above the limit, the bodies that have been arriving for the longest time are rejected with 503. Slow
 * senders cannot block fast ones.
 */
export function createBodyMemory(max_bytes: number): BodyMemory {
  const bodies = new WeakMap<FastifyRequest, Body>()
  /** The bodies in the order of their start. */
  const arriving = new Set<Body>()
  let bytes = 0

  const forget = (body: Body): void => {
    bytes -= body.bytes
    body.bytes = 0
    arriving.delete(body)
    body.unwatch()
  }

  function rejectOldest(): void {
    for (const body of arriving) {
      if (bytes <= max_bytes) return
      forget(body)
      body.stream.destroy(unavailable('The server has no memory left for request bodies. Retry in a moment.'))
    }
  }

  const release = (request: FastifyRequest): void => {
    const body = bodies.get(request)
    if (body) forget(body)
  }

  return {
    count: (request, reply, payload, done) => {
      const { 'content-length': length, 'transfer-encoding': chunked } = request.headers
      if (chunked === undefined && !(Number(length) > SMALL_BYTES)) return done(null, payload)
      const { socket } = request.raw
      // Watches the connection: a pipelined response that is not being sent yet emits no `close` event.
      const onClose = (): void => forget(body)
      socket.once('close', onClose)
      const body: Body = {
        bytes: 0,
        unwatch: () => socket.off('close', onClose),
        stream: new Transform({
          transform: (chunk: Buffer, _, pass) => {
            body.bytes += chunk.length
            bytes += chunk.length
            rejectOldest()
            pass(null, chunk)
          },
          flush: (pass) => {
            arriving.delete(body)
            pass()
          },
          destroy: (error, destroyed) => {
            if (error) {
              forget(body)
              reply.header('connection', 'close')
            }
            destroyed(error)
          },
        }),
      }
      bodies.set(request, body)
      arriving.add(body)
      payload.on('error', (error) => body.stream.destroy(error))
      done(null, payload.pipe(body.stream))
    },
    discard: (request, reply, payload, done) => {
      const { raw } = request
      const closes = reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive
      // Requests by `inject` have no `complete`.
      if (raw.complete !== false || !closes) return done(null, payload)
      release(request)
      discardRest(raw, () => done(null, payload))
    },
    release,
  }
}

/** Discards the rest of a body, up to the limits above, then calls `done`. */
function discardRest(body: IncomingMessage, done: () => void): void {
  let left = DISCARD_BYTES
  const count = (chunk: Buffer): void => {
    left -= chunk.length
    idle.refresh()
    if (left < 0) finish()
  }
  const finish = (): void => {
    clearTimeout(idle)
    clearTimeout(deadline)
    body.off('data', count)
    for (const event of ['end', 'error', 'close']) body.off(event, finish)
    // Keep discarding while the response is being sent.
    body.on('error', () => undefined).resume()
    done()
  }
  const idle = setTimeout(finish, DISCARD_IDLE_MS)
  const deadline = setTimeout(finish, DISCARD_MS)
  for (const event of ['end', 'error', 'close']) body.on(event, finish)
  body.unpipe()
  body.on('data', count).resume()
}
