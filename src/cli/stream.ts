/** Prints rows that arrive over time, and reads from a server that may restart in the meantime. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '../contract/table.ts'
import { type Body, get } from './client.ts'
import { columnsOf, valueAt } from './columns.ts'
import type { Connection } from './connection.ts'
import { describeFailure, EXIT } from './failure.ts'
import { note, type Output, printBodies, rowSchema, write } from './output.ts'
import { type Column, singleLine, widthOf } from './print.ts'

export const POLL_MS = 1_000
const MAX_WAIT_MS = 8_000
/** The longest window of the server's limits. */
const MAX_LIMIT_SECONDS = 3_600
/** A server that vanishes without closing its connections never answers. Queries of the server have shorter limits. */
const REQUEST_TIMEOUT_MS = 120_000
/** A longer cell moves the rest of its own line only. */
const MAX_CELL_WIDTH = 40

/** Prints each page of rows as soon as it arrives. A table has no heading. */
export async function printStream(
  pages: AsyncIterable<Body[]>,
  output: Output,
  operation: Operation,
  format: (row: Body) => string = lineFormat(columnsFor(output, operation)),
): Promise<void> {
  if (output.format !== 'table') {
    await printBodies(pages, output, operation)
    return
  }
  for await (const rows of pages) for (const row of rows) await write(`${format(row)}\n`)
}

export function columnsFor({ fields }: Output, operation: Operation): Column[] {
  if (fields) return fields.map((path) => ({ heading: path, value: (row) => valueAt(row, path) }))
  return (columnsOf(rowSchema(operation)?.name) ?? []).filter(({ isOptional }) => !isOptional)
}

/** Formats a row as one line. A column is as wide as its widest cell so far. */
export function lineFormat(columns: readonly Column[]): (row: Body) => string {
  const widths = columns.map(() => 0)
  return (row) =>
    columns
      .map(({ value }, i) => {
        const cell = singleLine(value(row))
        widths[i] = Math.max(widths[i] ?? 0, Math.min(widthOf(cell), MAX_CELL_WIDTH))
        return cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - widthOf(cell)))
      })
      .join('  ')
      .trimEnd()
}

const TEMPORARY: number[] = [EXIT.not_reachable, EXIT.server_error, EXIT.throttled]

/** Reads a resource. While the server restarts, fails or limits requests, waits and asks again. */
export async function getThroughRestart(server: Connection, path: string): Promise<Body> {
  for (let failures = 0; ; ) {
    try {
      const limited = { ...server, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }
      const body = await get(limited, path, { patient: false })
      if (failures) note('The server responds again.')
      return body
    } catch (error) {
      const { exit, message, retry_seconds } = describeFailure(error)
      if (!TEMPORARY.includes(exit)) throw error
      if (exit === EXIT.throttled) {
        const seconds = Math.min(MAX_LIMIT_SECONDS, Math.max(1, retry_seconds ?? MAX_WAIT_MS / 1000))
        note(`The server limits requests. Continuing in ${seconds} s.`)
        await sleep(seconds * 1000)
        continue
      }
      const reason = exit === EXIT.not_reachable ? `${server.url} does not respond.` : message
      if (failures === 0) note(`${reason} Waiting for the server; stop with Ctrl-C.`)
      await sleep(Math.min(MAX_WAIT_MS, POLL_MS * 2 ** failures++))
    }
  }
}
