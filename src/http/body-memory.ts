import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import type { FastifyRequest, onSendHookHandler, preParsingHookHandler } from 'fastify'
import { unavailable } from '../errors.ts'

/** What is not counted: about what a connection costs anyway. */
const SMALL_BYTES = 16 * 1024
/** Limits for discarding the rest of a refused body: bytes, total time, idle time. */
const DISCARD_BYTES = 64 * 1024 * 1024
const DISCARD_MS = 10_000
const DISCARD_IDLE_MS = 2_000

/** Bounds what the bodies of all requests together take in memory, from their first byte to their answer. */
export interface BodyMemory {
  /** Reads on only while there is room. */
  admit: preParsingHookHandler
  /**
   * Reads the rest of a body before an answer that closes the connection. Closing it while the client is sending resets
   * it, and most clients then report a broken pipe instead of the answer.
   */
  discard: onSendHookHandler
  /** The request has its answer. */
  release(request: FastifyRequest): void
}

interface Body {
  bytes: number
  stream: Transform
  /** No longer listens for the end of the connection: there may be a thousand bodies on one. */
  forget: () => void
}

/**
 * Where there is no more room, the body that has been arriving for the longest makes some: it is refused with 503. So
 * whoever sends slowly, or stops in the middle, takes nothing from those who do not.
 */
export function createBodyMemory(most_bytes: number): BodyMemory {
  const held = new WeakMap<FastifyRequest, Body>()
  /** In the order of their beginning. */
  const arriving = new Set<Body>()
  let bytes = 0

  const drop = (body: Body): void => {
    bytes -= body.bytes
    body.bytes = 0
    arriving.delete(body)
    body.forget()
  }

  function makeRoom(): void {
    for (const body of arriving) {
      if (bytes <= most_bytes) return
      drop(body)
      body.stream.destroy(unavailable('More arrives than this server has memory for. Send it again in a moment.'))
    }
  }

  const release = (request: FastifyRequest): void => {
    const body = held.get(request)
    if (body) drop(body)
  }

  return {
    admit: (request, reply, payload, done) => {
      const { 'content-length': length, 'transfer-encoding': chunked } = request.headers
      if (chunked === undefined && !(Number(length) > SMALL_BYTES)) return done(null, payload)
      const { socket } = request.raw
      // An answer that waits behind others on a connection hears nothing of its end.
      const leave = (): void => drop(body)
      socket.once('close', leave)
      const body: Body = {
        bytes: 0,
        forget: () => socket.off('close', leave),
        stream: new Transform({
          transform: (chunk: Buffer, _, pass) => {
            body.bytes += chunk.length
            bytes += chunk.length
            makeRoom()
            pass(null, chunk)
          },
          flush: (pass) => {
            arriving.delete(body)
            pass()
          },
          destroy: (error, destroyed) => {
            if (error) {
              drop(body)
              reply.header('connection', 'close')
            }
            destroyed(error)
          },
        }),
      }
      held.set(request, body)
      arriving.add(body)
      payload.on('error', (error) => body.stream.destroy(error))
      done(null, payload.pipe(body.stream))
    },
    discard: (request, reply, payload, done) => {
      const { raw } = request
      const closes = reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive
      // Injected requests have no `complete`.
      if (raw.complete !== false || !closes) return done(null, payload)
      release(request)
      discardRest(raw, () => done(null, payload))
    },
    release,
  }
}

/** Discards the rest of a body up to those limits, then calls `done`. */
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
