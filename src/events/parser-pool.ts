/**
 * Large bodies are unpacked, parsed and shaped in a few processes, so that they never hold up the server. A process is
 * killed at the deadline and replaced; its memory is its own, and one that runs out of it takes nobody along.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { AppError, Unauthenticated, unavailable } from '../errors.ts'
import type { FromParser, ToParser } from './parser-messages.ts'
import { mostText, type RawRequest } from './payload.ts'
import type { Received, Sender } from './receive.ts'

/** One more than a busy request needs, so that it does not hold up the next. */
const AT_ONCE = 2
/** Waiting included. 20 MiB take about two seconds on an idle machine. */
const DEADLINE_MS = 60_000
/** 20 MiB of the worst JSON that is let through take 330 MB. */
const MEMORY_MB = 512
const IDLE_MS = 10_000
const MOST_WAITING = 200
/** The body goes over in slices: each is copied before it is sent. */
const SLICE_BYTES = 1024 * 1024

export interface ParserPool {
  /** Whether a new request would have to wait. */
  readonly busy: boolean
  /**
   * Reads a request. `accept` is given its token before anything is parsed; what it throws is thrown, and null leaves the
   * request unparsed. Throws unavailable when the server is too busy, at the deadline, and when the process dies.
   */
  read(request: RawRequest, accept: (token: string) => Promise<Sender | null>, options: ReadOptions): Promise<Received>
  /** Refuses what waits and what comes; what runs goes on. */
  drain(): void
  stop(): Promise<void>
}

export interface ReadOptions {
  uuid: () => string
  /** Whoever sent it has gone: it is dropped unless it has begun. */
  signal?: AbortSignal
}

export interface ParserPoolOptions {
  deadline_ms?: number
  memory_mb?: number
  /** Called when a process is killed or dies. */
  onLoss?: (why: string) => void
}

interface Job {
  size: number
  start(parser: Parser): void
  refuse(error: AppError): void
}

export function createParserPool({
  deadline_ms = DEADLINE_MS,
  memory_mb = MEMORY_MB,
  onLoss,
}: ParserPoolOptions = {}): ParserPool {
  const parsers = new Set<Parser>()
  const idle: Parser[] = []
  /** The smallest first. */
  const waiting: Job[] = []
  let running = 0
  let draining = false

  function take(): Parser {
    for (let parser = idle.pop(); parser; parser = idle.pop()) {
      clearTimeout(parser.idle)
      if (!parser.dead) return parser
    }
    const parser = startParser(memory_mb)
    parsers.add(parser)
    void parser.gone.then(() => parsers.delete(parser))
    return parser
  }

  function release(parser: Parser): void {
    running--
    if (!parser.dead) {
      idle.push(parser)
      parser.idle = setTimeout(() => {
        idle.splice(idle.indexOf(parser), 1)
        void parser.kill()
      }, IDLE_MS).unref()
    }
    next()
  }

  function next(): void {
    while (waiting.length > 0 && running < AT_ONCE) {
      running++
      waiting.shift()!.start(take())
    }
  }

  /** Resolves with a parser to be released; throws when there is none in time. */
  function enter(size: number, signal: AbortSignal | undefined, timedOut: Promise<never>): Promise<Parser> {
    if (draining) throw unavailable('The server is shutting down. Send the events again.')
    if (waiting.length >= MOST_WAITING) throw unavailable('Too many large requests are waiting. Send this one again.')
    return new Promise((resolve, reject) => {
      const job: Job = { size, start: resolve, refuse: reject }
      const leave = (error: unknown): void => {
        const place = waiting.indexOf(job)
        if (place < 0) return
        waiting.splice(place, 1)
        reject(error)
      }
      const gone = (): void => leave(unavailable('The sender has gone.'))
      timedOut.catch(leave)
      signal?.addEventListener('abort', gone, { once: true })
      const place = waiting.findIndex((other) => other.size > size)
      waiting.splice(place < 0 ? waiting.length : place, 0, job)
      if (signal?.aborted) gone()
      next()
    })
  }

  return {
    get busy() {
      return running >= AT_ONCE
    },
    read: async (request, accept, { uuid, signal }) => {
      let parser: Parser | undefined
      let expire: (error: AppError) => void = () => undefined
      const timedOut = new Promise<never>((_, reject) => (expire = reject))
      timedOut.catch(() => undefined)
      const timer = setTimeout(() => {
        expire(unavailable('Reading this request took too long. Send fewer events at once.'))
        if (!parser) return
        onLoss?.('a parser of events was killed at its deadline')
        void parser.kill()
      }, deadline_ms)
      try {
        parser = await enter(mostText(request), signal, timedOut)
        return await Promise.race([converse(parser, request, accept, uuid), timedOut])
      } catch (error) {
        if (!(error instanceof Lost)) throw error
        onLoss?.('a parser of events ended unexpectedly')
        throw unavailable('Reading this request failed. Send fewer events at once.')
      } finally {
        clearTimeout(timer)
        // A killed one takes up its place until its memory is free.
        if (parser?.dead) void parser.gone.then(() => release(parser!))
        else if (parser) release(parser)
      }
    },
    drain: () => {
      draining = true
      for (const { refuse } of waiting.splice(0))
        refuse(unavailable('The server is shutting down. Send the events again.'))
    },
    stop: async () => {
      draining = true
      await Promise.all([...parsers].map((parser) => parser.kill()))
    },
  }
}

/** Leads one request through a parser, which is ready for the next one afterwards. */
async function converse(
  parser: Parser,
  { method, content_type, content_encoding, query, bytes }: RawRequest,
  accept: (token: string) => Promise<Sender | null>,
  uuid: () => string,
): Promise<Received> {
  const request = { method, content_type, content_encoding, query: { ...query } }
  await parser.send({ request, length: bytes?.length ?? null })
  for (let at = 0; bytes && at < bytes.length; at += SLICE_BYTES)
    await parser.send({ slice: bytes.subarray(at, at + SLICE_BYTES) })
  const events: Received['events'] = []
  for (;;) {
    const reply = await parser.reply()
    if ('done' in reply) return { events, refused: reply.done }
    if ('failed' in reply) throw errorOf(reply.failed)
    if ('broken' in reply) {
      void parser.kill()
      throw new Error(reply.broken)
    }
    if ('token' in reply) {
      const sender = await accept(reply.token).catch(async (error) => {
        await parser.send({ sender: null })
        await parser.reply()
        throw error
      })
      await parser.send({ sender })
      continue
    }
    for (const event of reply.events) {
      if (event.uuid === '') {
        event.uuid = uuid()
        if (event.person) event.person.event_uuid = event.uuid
      }
      events.push(event)
    }
    await parser.send({ more: true })
  }
}

const errorOf = ({
  code,
  detail,
  attr,
  unauthenticated,
}: Extract<FromParser, { failed: object }>['failed']): AppError =>
  unauthenticated ? new Unauthenticated({ code, detail, attr }) : new AppError({ code, detail, attr })

/** The process is gone, and with it the request. */
class Lost extends Error {}

interface Parser {
  readonly dead: boolean
  readonly gone: Promise<void>
  /** Ends it when nobody has used it for a while. */
  idle?: NodeJS.Timeout
  /** Both throw Lost when the process ends. */
  send(message: ToParser): Promise<void>
  reply(): Promise<FromParser>
  kill(): Promise<void>
}

/** Beside this file when built; from the sources it runs under their loader. */
const fromSources = import.meta.url.endsWith('.ts')
const PROGRAM = fileURLToPath(new URL(fromSources ? './parser-process.ts' : './parser-process.js', import.meta.url))

function startParser(memory_mb: number): Parser {
  const child: ChildProcess = fork(PROGRAM, [], {
    execArgv: [`--max-old-space-size=${memory_mb}`, ...(fromSources ? ['--import=tsx'] : [])],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // A request that waits for it holds the server open by the timer of its deadline.
  child.unref()
  child.channel?.unref()
  let dead = false
  const heard: FromParser[] = []
  /** What waits for the process: a conversation does one thing at a time. */
  let pending: { hear?: (reply: FromParser) => void; fail: (error: Lost) => void } | undefined
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.on('error', () => resolve())
  }).then(() => {
    dead = true
    pending?.fail(new Lost())
  })
  child.on('message', (reply: FromParser) => {
    if (pending?.hear) {
      pending.hear(reply)
      pending = undefined
    } else heard.push(reply)
  })
  return {
    get dead() {
      return dead
    },
    gone,
    send: (message) =>
      new Promise((resolve, fail) => {
        if (dead) return fail(new Lost())
        pending = { fail }
        child.send(message, (error) => (error ? fail(new Lost()) : resolve()))
      }),
    reply: () =>
      new Promise((resolve, fail) => {
        if (dead) return fail(new Lost())
        const reply = heard.shift()
        if (reply) return resolve(reply)
        pending = { hear: resolve, fail }
      }),
    kill: async () => {
      // From now on nobody is given it, although it takes a moment to go.
      dead = true
      child.ref()
      child.kill('SIGKILL')
      await gone
    },
  }
}
