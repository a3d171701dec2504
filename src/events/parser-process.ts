/** Another process: unpacks, parses and shapes the events of one large request at a time. The server may kill it. */
import { lowerPriority } from '../background/priority.ts'
import { AppError, Unauthenticated } from '../errors.ts'
import type { NewEvent } from './normalize-event.ts'
import type { FromParser, ToParser } from './parser-messages.ts'
import { openLargePayload, type RawRequest } from './payload.ts'
import { receive, type Sender } from './receive.ts'

/** Below the server, which has others to serve. */
const NICENESS = 5
/** How much goes to the server at once: reading a portion keeps it busy for about two milliseconds. */
const PORTION_EVENTS = 256
const PORTION_CHARACTERS = 256 * 1024
/** How many portions may be on their way, so that neither side waits for the other. */
const PORTIONS_AHEAD = 3

const inbox: ToParser[] = []
let wake: (() => void) | undefined

async function next(): Promise<any> {
  while (inbox.length === 0) await new Promise<void>((resolve) => (wake = resolve))
  return inbox.shift()!
}

const send = (message: FromParser): Promise<void> => new Promise((resolve) => process.send!(message, () => resolve()))

async function parseOne(): Promise<void> {
  const { request, length } = (await next()) as Extract<ToParser, { length: unknown }>
  let bytes: Buffer | undefined
  if (length !== null) {
    bytes = Buffer.allocUnsafeSlow(length)
    for (let at = 0; at < length; ) {
      const { slice } = (await next()) as { slice: Buffer }
      bytes.set(slice, at)
      at += slice.length
    }
  }
  await send(await parse({ ...request, bytes }).catch(failureOf))
}

async function parse(request: RawRequest): Promise<FromParser> {
  const opened = await openLargePayload(request)
  await send({ token: opened.token })
  const { sender } = (await next()) as { sender: Sender | null }
  if (sender === null) return { done: [] }

  let portion: NewEvent[] = []
  let characters = 0
  let ahead = 0
  const flush = async (): Promise<void> => {
    await send({ events: portion })
    portion = []
    characters = 0
    if (++ahead < PORTIONS_AHEAD) return
    await next()
    ahead--
  }
  const refused = await receive(request, opened, sender, {
    // The server makes ids.
    uuid: () => '',
    each: (event) => {
      portion.push(event)
      characters += event.properties.length + event.elements_chain.length
      return portion.length >= PORTION_EVENTS || characters >= PORTION_CHARACTERS ? flush() : undefined
    },
  })
  if (portion.length) await flush()
  for (; ahead > 0; ahead--) await next()
  return { done: refused }
}

function failureOf(error: unknown): FromParser {
  if (!(error instanceof AppError)) return { broken: String((error as Error).stack ?? error) }
  const { code, message: detail, attr } = error
  return { failed: { code, detail, attr, unauthenticated: error instanceof Unauthenticated } }
}

lowerPriority(NICENESS)
process.on('disconnect', () => process.exit())
// Ctrl-C and service managers signal the whole process group. The server decides when its parsers end.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)
process.on('message', (message: ToParser) => {
  inbox.push(message)
  wake?.()
})
for (;;) await parseOne()
