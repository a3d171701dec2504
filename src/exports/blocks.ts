/** Deliveries as a sequence of requests with a limited number of events each. Shared by HTTP and ClickHouse. */
import { createHash } from 'node:crypto'
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
  /** Delivers one block. A line break ends each event except the last one of a page. Returns the number of bytes. */
  send(lines: readonly Buffer[], number: number): Promise<number>
  close(): void
}

const LINE_BREAK = 0x0a
const BREAK = Buffer.from([LINE_BREAK])

/**
 * Blocks are split by events, not by pages, so that the n-th block of a range is the same in every attempt. A checkpoint
 * marks the end of a page and counts the events sent after it.
 */
export function openBlockReceiver(
  { checkpoint, tools }: Pick<Delivery<unknown>, 'checkpoint' | 'tools'>,
  limits: BlockLimits,
  { envelope_bytes, readsAhead, send, close }: BlockSender,
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
  const open: { cursor: Cursor; end: number }[] = []
  let finished = checkpoint && { cursor: checkpoint.cursor, end: checkpoint.records }
  /** The lines of the next block, with their line breaks. */
  let waiting: Buffer[] = []
  let [events, size] = [0, envelope_bytes]

  const flush = async (): Promise<void> => {
    await sending
    sending = sendBlock(waiting, events)
    // Awaited before the next block or the end.
    sending.catch(() => undefined)
    taken += events
    ;[waiting, events, size] = [[], 0, envelope_bytes]
    if (!readsAhead) await sending
  }
  const sendBlock = async (lines: readonly Buffer[], count: number): Promise<void> => {
    bytes += await send(lines, posts)
    posts++
    posted += count
    while (open[0] && open[0].end <= posted) finished = open.shift() ?? finished
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
      open.push({ cursor, end: read + records })
      // The start of the first line that is not in `waiting`.
      let from = 0
      const take = (to: number): void => {
        if (to > from) waiting.push(text.subarray(from, to))
        from = to
      }
      for (let at = 0; at < text.length; ) {
        const found = text.indexOf(LINE_BREAK, at)
        const next = found === -1 ? text.length : found + 1
        // Count the separator too: blocks are then split at the same event wherever pages end.
        const length = (found === -1 ? text.length : found) - at + 1
        const known = read++ < taken + events
        if (known) from = next
        else {
          if (events > 0 && size + length > limits.bytes) {
            take(at)
            await flush()
          }
          events++
          size += length
          if (events === limits.events) {
            take(next)
            await flush()
          }
        }
        at = next
      }
      take(text.length)
    },
    bytes: () => bytes,
    commit: async () => {
      if (events > 0) await flush()
      await sending
      close()
      return bytes
    },
    abort: async () => close(),
  }
}

/** Adds the line breaks between pages and removes the last one. JSON contains no raw line breaks. */
export const joinLines = (lines: readonly Buffer[]): Buffer[] =>
  lines.flatMap((part, i) => {
    const broken = part.at(-1) === LINE_BREAK
    if (i === lines.length - 1) return [broken ? part.subarray(0, -1) : part]
    return broken ? [part] : [part, BREAK]
  })

/**
 * The idempotency key of a block, the same in every attempt. It covers the events: a range that has changed, for example
 * because a backfill found more events, gets new keys.
 */
export function blockKey(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}
