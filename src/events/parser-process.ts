/** The child process that decompresses, parses and normalizes the events of one large request at a time. */
import { connectToParent } from '../background/parent.ts'
import { AppError, Unauthenticated } from '../errors.ts'
import type { NewEvent } from './normalize-event.ts'
import type { ParserReply, ParserRequest } from './parser-messages.ts'
import { openLargePayload, type RawRequest } from './payload.ts'
import { receive } from './receive.ts'

/** Leaves the CPU to the server. */
const NICENESS = 5
/** Reading a chunk of this size blocks the server for about two milliseconds. */
const CHUNK_EVENTS = 256
const CHUNK_CHARACTERS = 256 * 1024
/** Chunks sent ahead. Neither side waits for the other. */
const MAX_UNACKNOWLEDGED = 3

const parent = connectToParent<ParserRequest, ParserReply>({ niceness: NICENESS })
const inbox: ParserRequest[] = []
let wake: (() => void) | undefined

async function nextMessage(): Promise<ParserRequest> {
  for (;;) {
    const message = inbox.shift()
    if (message) return message
    await new Promise<void>((resolve) => (wake = resolve))
  }
}

const unexpected = ({ kind }: ParserRequest): Error => new Error(`Unexpected message "${kind}" from the server.`)

async function parseRequest(): Promise<void> {
  const message = await nextMessage()
  if (message.kind !== 'request') throw unexpected(message)
  const bytes = message.length === null ? undefined : await receiveBody(message.length)
  await parent.send(await parse({ ...message.request, bytes }).catch(describeFailure))
}

async function receiveBody(length: number): Promise<Buffer> {
  const body = Buffer.allocUnsafeSlow(length)
  for (let at = 0; at < length; ) {
    const message = await nextMessage()
    if (message.kind !== 'slice') throw unexpected(message)
    body.set(message.bytes, at)
    at += message.bytes.length
  }
  return body
}

async function parse(request: RawRequest): Promise<ParserReply> {
  const opened = await openLargePayload(request)
  await parent.send({ kind: 'token', token: opened.token })
  const message = await nextMessage()
  if (message.kind !== 'sender') throw unexpected(message)
  if (message.sender === null) return { kind: 'done', refused: [] }

  let chunk: NewEvent[] = []
  let characters = 0
  let unacknowledged = 0
  const flush = async (): Promise<void> => {
    await parent.send({ kind: 'events', events: chunk })
    chunk = []
    characters = 0
    if (++unacknowledged < MAX_UNACKNOWLEDGED) return
    await nextMessage()
    unacknowledged--
  }
  const refused = await receive(request, opened, message.sender, {
    // The server assigns the missing uuids.
    uuid: () => '',
    each: (event) => {
      chunk.push(event)
      characters += event.properties.length + event.elements_chain.length
      return chunk.length >= CHUNK_EVENTS || characters >= CHUNK_CHARACTERS ? flush() : undefined
    },
  })
  if (chunk.length) await flush()
  for (; unacknowledged > 0; unacknowledged--) await nextMessage()
  return { kind: 'done', refused }
}

function describeFailure(error: unknown): ParserReply {
  if (!(error instanceof AppError))
    return { kind: 'crashed', stack: String(error instanceof Error ? error.stack : error) }
  const { code, message: detail, attr } = error
  return { kind: 'failed', code, detail, attr, unauthenticated: error instanceof Unauthenticated }
}

parent.onMessage((message) => {
  inbox.push(message)
  wake?.()
})
for (;;) await parseRequest()
