/** Writes long responses in chunks and yields to other requests, because one item may be a megabyte long. */
import { Readable } from 'node:stream'
import { createYielder } from '../events/yield.ts'

const CHUNK_LENGTH = 128 * 1024
/** The clock is read once per this length, because reading it after every item slowed down small pages. */
const CHECK_LENGTH = 8 * 1024
/** Shorter responses are sent as one string with a `content-length`. */
const STREAMED_LENGTH = 1024 * 1024

/** How items are joined to one text. */
export interface Frame {
  head?: string
  separator?: string
  tail?: string
}

export async function* textChunks<Item>(
  items: Iterable<Item>,
  write: (item: Item) => string,
  { head = '', separator = '', tail = '' }: Frame = {},
): AsyncGenerator<string> {
  const yieldIfDue = createYielder()
  let text = head
  let before = ''
  let checkAt = CHECK_LENGTH
  for (const item of items) {
    text += before
    text += write(item)
    before = separator
    if (text.length < checkAt) continue
    checkAt = text.length + CHECK_LENGTH
    if (text.length >= CHUNK_LENGTH) {
      yield text
      text = ''
      checkAt = CHECK_LENGTH
    }
    const pause = yieldIfDue()
    if (pause) await pause
  }
  yield text + tail
}

/** Returns a string, or a stream once the text is long. */
export async function joinOrStream(chunks: AsyncGenerator<string>): Promise<string | Readable> {
  let start = ''
  while (start.length < STREAMED_LENGTH) {
    const { done, value } = await chunks.next()
    if (done) return start
    start += value
  }
  return Readable.from(prepend(start, chunks))
}

async function* prepend(start: string, chunks: AsyncGenerator<string>): AsyncGenerator<string> {
  yield start
  yield* chunks
}
