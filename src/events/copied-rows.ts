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

/** `query` selects two columns of text, neither of which is NULL. */
export function copyRows(client: Client, query: string): CopiedRows {
  const queue: { place: Buffer; line: Buffer }[] = []
  let queued_bytes = 0
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
      // Copied, because the driver reuses its buffer.
      const place = Buffer.from(message.subarray(place_at, line_at - 4))
      queue.push({ place, line: Buffer.from(message.subarray(line_at, at)) })
      queued_bytes += at - line_at
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
      await waitFor(() => queue.length >= limit || queued_bytes >= max_bytes)
      let [records, length] = [0, 0]
      for (const { line } of queue) {
        if (records === limit || length >= max_bytes) break
        records++
        length += line.length
      }
      const rows = queue.splice(0, records)
      const last = rows.at(-1)
      if (!last) return null
      queued_bytes -= length
      count += records
      const lines = rows.map(({ line }) => line)
      return { records, place: last.place.toString(), text: Buffer.concat(lines, length) }
    },
    count: () => count,
    discard: async () => {
      isDiscarding = true
      queue.length = 0
      await waitFor(() => false).catch(() => undefined)
    },
  }
}
