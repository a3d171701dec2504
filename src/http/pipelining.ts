import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that are handled concurrently. The response of each waits for those before it. */
const MAX_PENDING = 10
/** The time for pipelined requests of all connections in one turn of the event loop. */
const SLICE_MS = 2

/** The state of one connection. */
interface Pipeline {
  socket: Socket
  /** Requests whose response is not sent. */
  pending: number
  waiting: [IncomingMessage, ServerResponse][]
  isReady: boolean
}

/**
 * A request that arrives before the response to the one before it waits for its turn. Nothing more is read from its
 * connection in the meantime: a client that pipelines requests or does not read responses slows down only itself. One read of
 * 64 KiB can contain 2,000 requests, and Node's parser cannot stop in between.
 */
export function limitPipelining(server: Server): void {
  const pipelines = new WeakMap<Socket, Pipeline>()
  /** Connections with a waiting request that may start. They take turns. */
  const ready: Pipeline[] = []
  let isScheduled = false
  const handlers = server.listeners('request') as RequestListener[]

  function start(pipeline: Pipeline, request: IncomingMessage, response: ServerResponse): void {
    pipeline.pending++
    response.once('finish', () => {
      pipeline.pending--
      schedule(pipeline)
    })
    for (const handler of handlers) handler.call(server, request, response)
  }

  function schedule(pipeline: Pipeline): void {
    if (pipeline.isReady || pipeline.waiting.length === 0 || pipeline.pending >= MAX_PENDING) return
    pipeline.isReady = true
    ready.push(pipeline)
    if (isScheduled) return
    isScheduled = true
    setImmediate(startReady)
  }

  function startReady(): void {
    isScheduled = false
    const begun = performance.now()
    const turn = ready.splice(0)
    while (performance.now() - begun < SLICE_MS) {
      const pipeline = turn.shift()
      if (!pipeline) break
      pipeline.isReady = false
      const next = pipeline.waiting.shift()
      if (pipeline.waiting.length === 0) pipeline.socket.resume()
      if (next) start(pipeline, ...next)
      schedule(pipeline)
    }
    ready.unshift(...turn)
    if (ready.length === 0 || isScheduled) return
    isScheduled = true
    setImmediate(startReady)
  }

  function open(socket: Socket): Pipeline {
    const pipeline: Pipeline = { socket, pending: 0, waiting: [], isReady: false }
    pipelines.set(socket, pipeline)
    // Node resumes a connection when its output is sent, and to read a body.
    socket.on('resume', () => {
      if (pipeline.waiting.length > 0) socket.pause()
    })
    // Node creates an error for each request that waits. Without a stack, that takes a fifth of the time.
    const { stackTraceLimit } = Error
    socket.prependOnceListener('close', () => {
      if (pipeline.waiting.length > MAX_PENDING) Error.stackTraceLimit = 0
      pipeline.waiting = []
    })
    socket.once('close', () => {
      Error.stackTraceLimit = stackTraceLimit
    })
    // Each pending request adds up to two `close` listeners to its connection.
    socket.setMaxListeners(2 * MAX_PENDING + 20)
    return pipeline
  }

  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const pipeline = pipelines.get(request.socket) ?? open(request.socket)
    if (pipeline.pending === 0 && pipeline.waiting.length === 0) return start(pipeline, request, response)
    pipeline.waiting.push([request, response])
    request.socket.pause()
    schedule(pipeline)
  })
}
