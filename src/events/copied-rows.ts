/**
 * Streams rows out of PostgreSQL with COPY. Their bytes stay bytes: the rows of a SELECT would become strings first. One
 * statement for many pages also lets PostgreSQL look up each person once. Measured on 200,000 events: 2.0 s of CPU time
 * in PostgreSQL, against 4.7 s with a statement for each page.
 */
import type { Client, Connection, Submittable } from 'pg'

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
  /** The first column of the last row. */
  place: string
  /** The second column of all rows. */
  text: Buffer
}

/** The signature, the flags and the length of the extension. */
const HEADER_BYTES = 19
const COLUMNS = 2

/** The first sizes of the buffers of the two columns. */
const PLACES_BYTES = 64 * 1024
const LINES_BYTES = 1024 * 1024 + 256 * 1024

/** `query` selects two columns of text, neither of which is NULL. */
export function copyRows(client: Client, query: string): CopiedRows {
  const places = openColumn(PLACES_BYTES)
  const lines = openColumn(LINES_BYTES)
  let count = 0
  let isStarted = false
  let isDone = false
  let isDiscarding = false
  let failure: unknown
  let onArrival: () => void = () => undefined
  let socket: Connection['stream'] | undefined

  const readTuples = (message: Buffer): void => {
    let at = isStarted ? 0 : HEADER_BYTES
    isStarted = true
    while (at < message.length && message.readInt16BE(at) === COLUMNS) {
      const place_at = at + 6
      const line_at = place_at + message.readInt32BE(at + 2) + 4
      at = line_at + message.readInt32BE(line_at - 4)
      if (isDiscarding) continue
      places.add(message, place_at, line_at - 4)
      lines.add(message, line_at, at)
    }
  }
  const submittable = {
    submit: (connection: Connection) => {
      socket = connection.stream
      connection.query(`copy (${query}) to stdout (format binary)`)
    },
    handleCopyData: ({ chunk }: { chunk: Buffer }) => {
      readTuples(chunk)
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
      await waitFor(() => lines.ends.length >= limit || (lines.ends.at(-1) ?? 0) >= max_bytes)
      const full = lines.ends.findIndex((end) => end >= max_bytes)
      const records = Math.min(limit, full === -1 ? lines.ends.length : full + 1)
      if (records === 0) return null
      count += records
      const place_at = places.ends[records - 2] ?? 0
      const place = places.take(records).toString('utf8', place_at)
      return { records, place, text: lines.take(records) }
    },
    count: () => count,
    discard: async () => {
      isDiscarding = true
      await waitFor(() => false).catch(() => undefined)
    },
  }
}

interface Column {
  /** Where the value of each row ends. */
  ends: readonly number[]
  /** Copies the value, because the driver reuses its buffer. */
  add(message: Buffer, start: number, end: number): void
  /** Removes the values of the first rows. Returns their bytes. */
  take(rows: number): Buffer
}

/** The values of one column, one after the other in one buffer. Buffers for each row would need 40 % more CPU time. */
function openColumn(initial_bytes: number): Column {
  let bytes = Buffer.allocUnsafeSlow(initial_bytes)
  let length = 0
  const ends: number[] = []
  return {
    ends,
    add: (message, start, end) => {
      const needed = length + end - start
      if (needed > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(2 * needed)
        bytes.copy(larger, 0, 0, length)
        bytes = larger
      }
      message.copy(bytes, length, start, end)
      length = needed
      ends.push(length)
    },
    take: (rows) => {
      const size = ends[rows - 1] ?? 0
      const taken = Buffer.allocUnsafeSlow(size)
      bytes.copy(taken, 0, 0, size)
      bytes.copyWithin(0, size, length)
      length -= size
      ends.splice(0, rows)
      for (const [i, end] of ends.entries()) ends[i] = end - size
      return taken
    },
  }
}
