/**
 * Large bodies are decompressed, parsed and normalized in child processes, where they cannot block the server. A process
 * that reaches its deadline is killed. One that runs out of memory fails only its own request.
 */
import { createProcessPool, type PooledProcess, ProcessExited } from '../background/process-pool.ts'
import { AppError, Unauthenticated, unavailable } from '../errors.ts'
import type { ParserFailure, ParserReply, ParserRequest } from './parser-messages.ts'
import { maxTextLength, type RawRequest } from './payload.ts'
import type { Received, Sender } from './receive.ts'

/** With two, a small body does not wait for a large one. */
const MAX_CONCURRENT = 2
/** Includes the time in the queue. 20 MiB take about two seconds on an idle machine. */
const TIMEOUT_MS = 60_000
/** The worst JSON of 20 MiB that the scanner accepts takes 330 MB. */
const MEMORY_MB = 512
const IDLE_MS = 10_000
const MAX_WAITING = 200
/** The body is sent in slices, because each message is copied. */
const SLICE_BYTES = 1024 * 1024

export interface ParserPool {
  /** Whether a new request would have to wait. */
  readonly busy: boolean
  /**
   * Parses a request. `accept` gets its token first and may throw, or return null to skip the request. Throws
   * `unavailable` when the queue is full, at the deadline, and when the process exits.
   */
  read(request: RawRequest, accept: Accept, options: ParseOptions): Promise<Received>
  /** Rejects waiting and new requests. Running ones finish. */
  drain(): void
  stop(): Promise<void>
}

type Accept = (token: string) => Promise<Sender | null>

export interface ParseOptions {
  /** Generates the uuids of events that were sent without one. */
  uuid: () => string
  /** Aborted when the client disconnects. A waiting request is dropped; a running one finishes. */
  signal?: AbortSignal
}

export interface ParserPoolOptions {
  timeout_ms?: number
  memory_mb?: number
  /** Called when a process is killed or crashes. */
  onLoss?: (reason: string) => void
}

type Parser = PooledProcess<ParserRequest, ParserReply>

interface QueuedBody {
  size: number
  start(parser: Parser): void
  reject(error: AppError): void
}

export function createParserPool({
  timeout_ms = TIMEOUT_MS,
  memory_mb = MEMORY_MB,
  onLoss,
}: ParserPoolOptions = {}): ParserPool {
  const pool = createProcessPool<ParserRequest, ParserReply>({
    program: new URL('./parser-process', import.meta.url),
    memory_mb,
    idle_ms: IDLE_MS,
    env: {},
    stderr: 'ignore',
    serialization: 'advanced',
  })
  /** The smallest first. */
  const waiting: QueuedBody[] = []
  let running = 0
  let draining = false

  function startNext(): void {
    while (running < MAX_CONCURRENT) {
      const next = waiting.shift()
      if (!next) return
      running++
      next.start(pool.take())
    }
  }

  async function release(parser: Parser): Promise<void> {
    // A killed process counts as running until its memory is free.
    if (parser.dead) await parser.exited
    pool.release(parser)
    running--
    startNext()
  }

  /** Resolves with a parser that must be released. */
  function enqueue(size: number, signal: AbortSignal | undefined, timedOut: Promise<never>): Promise<Parser> {
    if (draining) throw shuttingDown()
    if (waiting.length >= MAX_WAITING) throw unavailable('Too many large requests are waiting. Retry the request.')
    return new Promise((resolve, reject) => {
      const body: QueuedBody = { size, start: resolve, reject }
      const leave = (error: AppError): void => {
        const index = waiting.indexOf(body)
        if (index < 0) return
        waiting.splice(index, 1)
        reject(error)
      }
      const onAbort = (): void => leave(unavailable('The client disconnected.'))
      timedOut.catch(leave)
      signal?.addEventListener('abort', onAbort, { once: true })
      const index = waiting.findIndex((other) => other.size > size)
      waiting.splice(index < 0 ? waiting.length : index, 0, body)
      if (signal?.aborted) onAbort()
      startNext()
    })
  }

  function drain(): void {
    draining = true
    for (const { reject } of waiting.splice(0)) reject(shuttingDown())
  }

  return {
    get busy() {
      return running >= MAX_CONCURRENT
    },
    read: async (request, accept, { uuid, signal }) => {
      let parser: Parser | undefined
      let timer: NodeJS.Timeout | undefined
      const timedOut = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(unavailable('Parsing this request took too long. Send fewer events per request.'))
          if (!parser) return
          onLoss?.('killed an event parser at its deadline')
          void parser.kill()
        }, timeout_ms)
      })
      timedOut.catch(() => undefined)
      try {
        parser = await enqueue(maxTextLength(request), signal, timedOut)
        return await Promise.race([parse(parser, request, accept, uuid), timedOut])
      } catch (error) {
        if (!(error instanceof ProcessExited)) throw error
        onLoss?.('an event parser crashed')
        throw unavailable('Parsing this request failed. Send fewer events per request.')
      } finally {
        clearTimeout(timer)
        if (parser) void release(parser)
      }
    },
    drain,
    stop: async () => {
      drain()
      await pool.stop()
    },
  }
}

const shuttingDown = (): AppError => unavailable('The server is shutting down. Retry the request.')

/** Parses one request. Afterwards the parser is ready for the next one, or dead. */
async function parse(
  parser: Parser,
  { method, content_type, content_encoding, query, bytes }: RawRequest,
  accept: Accept,
  uuid: () => string,
): Promise<Received> {
  const request = { method, content_type, content_encoding, query: { ...query } }
  await parser.send({ kind: 'request', request, length: bytes?.length ?? null })
  for (let at = 0; bytes && at < bytes.length; at += SLICE_BYTES)
    await parser.send({ kind: 'slice', bytes: bytes.subarray(at, at + SLICE_BYTES) })
  const events: Received['events'] = []
  for (;;) {
    const reply = await parser.receive()
    switch (reply.kind) {
      case 'done':
        return { events, refused: reply.refused }
      case 'failed':
        throw errorOf(reply)
      case 'crashed':
        void parser.kill()
        throw new Error(reply.stack)
      case 'token': {
        const sender = await accept(reply.token).catch(async (error) => {
          await parser.send({ kind: 'sender', sender: null })
          await parser.receive()
          throw error
        })
        await parser.send({ kind: 'sender', sender })
        break
      }
      case 'events':
        for (const event of reply.events) {
          if (event.uuid === '') {
            event.uuid = uuid()
            if (event.person) event.person.event_uuid = event.uuid
          }
          events.push(event)
        }
        await parser.send({ kind: 'acknowledged' })
    }
  }
}

const errorOf = ({ code, detail, attr, unauthenticated }: ParserFailure): AppError =>
  unauthenticated ? new Unauthenticated({ code, detail, attr }) : new AppError({ code, detail, attr })
