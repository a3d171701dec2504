/**
 * Streams rows out of PostgreSQL with COPY. Their bytes stay bytes: the rows of a SELECT would become strings first. One
 * statement for many pages also lets PostgreSQL look up each person once.
 */
import type { Client, Connection, Submittable } from 'pg'
import { append, type Layout, lineWriter, openOutput, viewed } from './line-writer.ts'
import { freeText } from './page-memory.ts'

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
  place: [major: number, minor: Buffer]
  /** The lines of all rows. */
  text: Buffer
}

/** The types of the message before the rows, and of messages with a row. */
const COPY_OUT_RESPONSE = 'H'.charCodeAt(0)
const COPY_DATA = 'd'.charCodeAt(0)
/** The types of messages that may arrive between rows: notices, parameters and notifications. */
const ASIDES = Buffer.from('NSA')
/** The type of a message and its length. */
const MESSAGE_HEADER_BYTES = 5
/** The signature, the flags and the length of the extension, before the first row. */
const HEADER_BYTES = 19
/** Where the first two values begin, each after its length of four bytes. */
const MAJOR_AT = 4
const MINOR_AT = 16

/** The first sizes of the buffers. */
const RECEIVED_BYTES = 256 * 1024
const LINES_BYTES = 1024 * 1024 + 256 * 1024

/** `query` selects the values of `layout`. The first two are the place of the row: an integer and another value, never NULL. */
export function copyRows(client: Client, query: string, layout: Layout): CopiedRows {
  const writeLine = lineWriter(layout)
  const received = openOutput(RECEIVED_BYTES)
  const lines = openOutput(LINES_BYTES)
  /** The start of the first message that has not been read. */
  let unread = 0
  let count = 0
  let isStarted = false
  let isDone = false
  let failure: unknown
  let onArrival: () => void = () => undefined
  let socket: Connection['stream'] | undefined
  let driver: ((chunk: Buffer) => void)[] = []

  const onData = (chunk: Buffer): void => {
    received.bytes.copyWithin(0, unread, received.length)
    received.length -= unread
    unread = 0
    append(viewed(chunk), 0, chunk.length, received)
    freeText(chunk)
    onArrival()
  }
  /** The driver would create two objects for each row, and leave its bytes to the garbage collector. */
  const takeSocket = (stream: Connection['stream']): void => {
    socket = stream
    driver = stream.listeners('data') as typeof driver
    stream.removeAllListeners('data').on('data', onData)
  }
  const returnSocket = (): void => {
    const rest = Buffer.from(received.bytes.subarray(unread, received.length))
    unread = received.length
    socket?.removeListener('data', onData)
    for (const listener of driver) socket?.on('data', listener)
    // The rest of the statement may not have arrived.
    socket?.resume()
    socket?.emit('data', rest)
  }
  /** Returns where the first value of the next row begins. Undefined if no whole row has arrived. */
  const nextRow = (): number | undefined => {
    while (received.length - unread >= MESSAGE_HEADER_BYTES) {
      const start = unread
      const type = received.view.getUint8(start)
      const isAside = type !== COPY_DATA && ASIDES.includes(type)
      if (type !== COPY_DATA && type !== COPY_OUT_RESPONSE && !isAside) return void returnSocket()
      const end = start + 1 + received.view.getInt32(start + 1)
      if (end > received.length) return undefined
      unread = end
      if (isAside) for (const listener of driver) listener(Buffer.from(received.bytes.subarray(start, end)))
      if (type !== COPY_DATA) continue
      // Each message has one row. The last one has a mark in place of the number of columns.
      const row = start + MESSAGE_HEADER_BYTES + (isStarted ? 0 : HEADER_BYTES)
      isStarted = true
      if (received.view.getInt16(row) === layout.values) return row + 2
    }
    return undefined
  }

  const placeOf = (row: number): CopiedPage['place'] => {
    const { bytes, view } = received
    const minor_at = row + MINOR_AT
    const minor = bytes.subarray(minor_at, minor_at + view.getInt32(minor_at - 4))
    return [Number(view.getBigInt64(row + MAJOR_AT)), Buffer.from(minor)]
  }

  const submittable = {
    submit: (connection: Connection) => {
      takeSocket(connection.stream)
      connection.query(`copy (${query}) to stdout (format binary)`)
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
      let place: CopiedPage['place'] = [0, Buffer.alloc(0)]
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
        if (last !== undefined) place = placeOf(last)
        return records >= limit || lines.length >= max_bytes
      }
      await waitFor(readRows)
      if (records === 0) return null
      count += records
      const text = Buffer.allocUnsafeSlow(lines.length)
      lines.bytes.copy(text, 0, 0, lines.length)
      return { records, place, text }
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
