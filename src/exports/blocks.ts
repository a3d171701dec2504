/** Deliveries as a sequence of requests with a limited number of events each. Shared by HTTP and ClickHouse. */
import { createHash, type Hash } from 'node:crypto'
import type { Cursor } from '../events/extract.ts'
import type { Delivery, Receiver } from './destination.ts'

export interface BlockLimits {
  events: number
  /** The size of a block. A single event may be larger. */
  bytes: number
}

export interface BlockSender {
  /** The size of a block without events. */
  envelope_bytes: number
  /** Whether to read the next block while one is sent. */
  readsAhead: boolean
  open(number: number): Block
  close(): void
}

export interface Block {
  /** Adds lines with their line breaks. Resolves when the block can take more. May free a text added whole. */
  add(lines: Buffer): Promise<void>
  /** Delivers the block. Returns the number of bytes. */
  send(): Promise<number>
}

const LINE_BREAK = 0x0a

/**
 * Blocks are split by events, not by pages, so that the n-th block of a range is the same in every attempt. A checkpoint
 * marks the end of a page and counts the events sent after it.
 */
export function openBlockReceiver(
  { checkpoint, tools }: Pick<Delivery<unknown>, 'checkpoint' | 'tools'>,
  limits: BlockLimits,
  { envelope_bytes, readsAhead, open, close }: BlockSender,
): Receiver {
  let posts = checkpoint?.posts ?? 0
  let bytes = checkpoint?.bytes ?? 0
  /** Events read and events acknowledged since the start of the range. */
  let read = checkpoint?.records ?? 0
  let posted = read + (checkpoint?.beyond ?? 0)
  /** Events acknowledged or being sent. */
  let taken = posted
  let sending: Promise<void> = Promise.resolve()
  /** Pages with events that are not acknowledged yet. */
  const pages: { cursor: Cursor; end: number }[] = []
  let finished = checkpoint && { cursor: checkpoint.cursor, end: checkpoint.records }
  /** The next block. */
  let number = posts
  let block: Block | undefined
  let [events, size] = [0, envelope_bytes]

  const add = async (lines: Buffer): Promise<void> => {
    if (lines.length === 0) return
    block ??= open(number)
    await block.add(lines)
  }
  const flush = async (): Promise<void> => {
    await sending
    if (!block) return
    sending = sendBlock(block, events)
    // Awaited before the next block or the end.
    sending.catch(() => undefined)
    taken += events
    number++
    ;[block, events, size] = [undefined, 0, envelope_bytes]
    if (!readsAhead) await sending
  }
  const sendBlock = async (block: Block, count: number): Promise<void> => {
    bytes += await block.send()
    posts++
    posted += count
    while (pages[0] && pages[0].end <= posted) finished = pages.shift() ?? finished
    if (finished)
      await tools.checkpoint({
        cursor: finished.cursor,
        records: finished.end,
        bytes,
        posts,
        beyond: posted - finished.end,
      })
  }

  return {
    write: async ({ text, records, cursor }) => {
      pages.push({ cursor, end: read + records })
      const isNew = read === taken + events
      if (isNew && events + records < limits.events && size + text.length <= limits.bytes) {
        read += records
        events += records
        size += text.length
        return add(text)
      }
      // The start of the first line that is not in a block.
      let from = 0
      for (let at = 0; at < text.length; ) {
        const end = text.indexOf(LINE_BREAK, at)
        const next = end === -1 ? text.length : end + 1
        const length = next - at
        const known = read++ < taken + events
        if (known) from = next
        else {
          if (events > 0 && size + length > limits.bytes) {
            await add(text.subarray(from, at))
            from = at
            await flush()
          }
          events++
          size += length
          if (events === limits.events) {
            await add(text.subarray(from, next))
            from = next
            await flush()
          }
        }
        at = next
      }
      await add(text.subarray(from))
    },
    bytes: () => bytes,
    commit: async () => {
      if (events > 0) await flush()
      await sending
      close()
      return bytes
    },
    abort: async () => {
      close()
      // A block that is still compressed is sent anyway. Its checkpoint belongs to this attempt.
      await sending.catch(() => undefined)
    },
  }
}

/**
 * The idempotency key of a block, the same in every attempt. It covers the events: a range that has changed, for example
 * because a backfill found more events, gets new keys.
 */
export const blockKey = (...parts: (string | Buffer)[]): string => hashOf(...parts).digest('hex')

export function hashOf(...parts: (string | Buffer)[]): Hash {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash
}
