/**
 * Streams the rows of an export out of PostgreSQL with COPY, in pages of lines.
 *
 * Why not SELECT: the driver would decode each value into a string, and the export would encode it again. With COPY the
 * bytes stay bytes, which takes a quarter of the CPU time per event. One statement for many pages also lets PostgreSQL
 * look up each person once.
 *
 * The wire format (`format binary`): the driver passes on one message per row. The first message begins with a header of
 * 19 bytes. A row is the number of its values (16 bits), then each value after its length (32 bits, -1 for NULL). A last
 * message has -1 in place of the number of values.
 *
 * What holds:
 * - A row that has arrived is in `received` until a page contains it. Rows are appended at the end and read from `unread`.
 * - The pages depend only on the rows, `limit` and `max_bytes`, not on how the rows arrive: an attempt that is repeated
 *   after a crash writes the same files.
 * - The socket reads only while a page waits for rows, so PostgreSQL is at most a few socket buffers ahead.
 */
import type { Client, Connection, Submittable } from 'pg'
import { grow, type Layout, lineWriter, openOutput } from './line-writer.ts'

export interface CopiedRows {
  /** Resolves when `limit` rows or `max_bytes` have arrived. Returns fewer rows at the end, and null after it. */
  next(limit: number, max_bytes: number): Promise<CopiedPage | null>
  /** The number of rows returned so far. */
  count(): number
  /** Skips the remaining rows. Never throws. */
  discard(): Promise<void>
}

export interface CopiedPage {
  records: number
  /** The first two values of the last row. */
  last: [major: number, minor: Buffer]
  /** The lines of all rows. */
  text: Buffer
}

/** The signature, the flags and the length of the extension, before the first row. */
const HEADER_BYTES = 19
/** The length of a row, which is kept before it. */
const LENGTH_BYTES = 4
/** Where the first two values begin, each after its length of four bytes. */
const MAJOR_AT = 4
const MINOR_AT = 16

/** The first sizes of the buffers. */
const RECEIVED_BYTES = 256 * 1024
const LINES_BYTES = 1024 * 1024 + 256 * 1024

/** `query` selects the values of `layout`. The first two are the key of the row: an integer and another value, never NULL. */
export function copyRows(client: Client, query: string, layout: Layout): CopiedRows {
  const writeLine = lineWriter(layout)
  /** Rows that no page contains yet. */
  const received = openOutput(RECEIVED_BYTES)
  const lines = openOutput(LINES_BYTES)
  /** The start of the first of them. */
  let unread = 0
  let count = 0
  let isStarted = false
  let isDone = false
  let failure: unknown
  let onArrival: () => void = () => undefined
  let socket: Connection['stream'] | undefined

  const keep = (chunk: Buffer): void => {
    if (unread > received.bytes.length / 2) {
      received.bytes.copyWithin(0, unread, received.length)
      received.length -= unread
      unread = 0
    }
    const at = grow(received, LENGTH_BYTES + chunk.length)
    received.view.setInt32(at, chunk.length)
    chunk.copy(received.bytes, at + LENGTH_BYTES)
  }
  /** Returns where the first value of the next row begins. Undefined if no row has arrived. */
  const nextRow = (): number | undefined => {
    while (unread < received.length) {
      const start = unread + LENGTH_BYTES
      unread = start + received.view.getInt32(unread)
      const row = start + (isStarted ? 0 : HEADER_BYTES)
      isStarted = true
      // The last message has a mark in place of the number of columns.
      if (received.view.getInt16(row) === layout.values) return row + 2
    }
    return undefined
  }

  const keyOf = (row: number): CopiedPage['last'] => {
    const { bytes, view } = received
    const minor_at = row + MINOR_AT
    const minor = bytes.subarray(minor_at, minor_at + view.getInt32(minor_at - 4))
    return [Number(view.getBigInt64(row + MAJOR_AT)), Buffer.from(minor)]
  }

  const submittable = {
    submit: (connection: Connection) => {
      socket = connection.stream
      connection.query(`copy (${query}) to stdout (format binary)`)
    },
    /** The chunk is only valid during this call. */
    handleCopyData: ({ chunk }: { chunk: Buffer }) => {
      keep(chunk)
      onArrival()
    },
    handleError: (error: unknown) => {
      failure = error
      onArrival()
    },
    handleCommandComplete: () => undefined,
    handleReadyForQuery: () => {
      isDone = true
      onArrival()
    },
  } satisfies Submittable & Record<string, unknown>
  client.query(submittable)

  /** Reads from the socket until the condition is met. A paused socket stops PostgreSQL when its buffers are full. */
  const waitFor = async (isMet: () => boolean): Promise<void> => {
    if (!isMet() && failure === undefined && !isDone) {
      socket?.resume()
      await new Promise<void>((resolve) => {
        onArrival = () => {
          if (isMet() || failure !== undefined || isDone) resolve()
        }
      })
      onArrival = () => undefined
      // After the end of this statement the socket keeps reading, for the next one.
      if (failure === undefined && !isDone) socket?.pause()
    }
    if (failure !== undefined) throw failure
  }

  return {
    next: async (limit, max_bytes) => {
      lines.length = 0
      let records = 0
      let last_key: CopiedPage['last'] = [0, Buffer.alloc(0)]
      const readRows = (): boolean => {
        let last: number | undefined
        while (records < limit && lines.length < max_bytes) {
          const row = nextRow()
          if (row === undefined) break
          writeLine(received, row, lines)
          records++
          last = row
        }
        // The rows may have moved when the next ones arrive.
        if (last !== undefined) last_key = keyOf(last)
        return records >= limit || lines.length >= max_bytes
      }
      await waitFor(readRows)
      if (records === 0) return null
      count += records
      const text = Buffer.allocUnsafeSlow(lines.length)
      lines.bytes.copy(text, 0, 0, lines.length)
      return { records, last: last_key, text }
    },
    count: () => count,
    discard: async () => {
      const skipAll = (): boolean => {
        while (nextRow() !== undefined);
        return false
      }
      await waitFor(skipAll).catch(() => undefined)
    },
  }
}
