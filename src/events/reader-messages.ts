import { AppError, errorCode } from '../errors.ts'
import type { Value } from '../sql/template.ts'

/** `fast`: queries that only read an index range, such as an unfiltered page. `slow`: queries that may scan many events. */
export type LaneName = 'fast' | 'slow'

export interface Statement {
  text: string
  values: Value[]
  /** Whether the best plan is the same for all values. PostgreSQL then plans the statement once per connection. */
  one_plan?: boolean | undefined
  /** The project whose events the mirror opens. */
  project_id?: number
}

/** The reply of a reader process to a statement. Long results take several replies, all but the last with `more`. */
export type ReaderReply = { rows: unknown[][]; more: boolean } | { failed: { message: string; code: string } }

/** Runs statements for the scheduler in `readers.ts`. */
export interface ReaderBackend {
  /** How many statements each lane runs concurrently. */
  readonly slots: Readonly<Record<LaneName, number>>
  /** Aborting the signal stops the statement. `convert` is called when a row arrives, while others are still read. */
  run<Item>(
    lane: LaneName,
    statement: Statement,
    convert: (row: unknown[]) => Item,
    timeout_ms: number,
    signal: AbortSignal,
  ): Promise<Item[]>
  stop(): Promise<void>
}

/** Characters per message between processes. JSON.parse blocks the event loop for about 5 ms per MB. */
export const MESSAGE_LENGTH = 256 * 1024
/** Characters per result, which is copied several times in memory. */
export const MAX_RESULT_LENGTH = 128 * 1024 * 1024
/** The marker in the error that a statement raises itself. */
export const TOO_LARGE = 'result_too_large'

export const resultTooLarge = (): AppError =>
  new AppError({
    code: TOO_LARGE,
    detail: 'The result, or a string that the query computes, is too large. Request fewer events or shorter strings.',
  })

/** The approximate number of characters of a row. */
export const rowLength = (row: readonly unknown[]): number =>
  row.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0)

/** Returns a function to call with every row. It throws `result_too_large` when the rows exceed the limit. */
export function resultLimit(): (row: readonly unknown[]) => void {
  let length = 0
  return (row) => {
    length += rowLength(row)
    if (length > MAX_RESULT_LENGTH) throw resultTooLarge()
  }
}

const TOO_LARGE_CODES = ['SQLITE_TOOBIG', 'ERR_STRING_TOO_LONG', '54000', TOO_LARGE]
const TOO_LARGE_MESSAGES = [
  'string or blob too big',
  'Invalid string length',
  'Invalid array length',
  'invalid memory alloc',
  TOO_LARGE,
]

/** Whether SQLite, PostgreSQL or V8 failed on a string that is too long. */
export function isTooLarge(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return TOO_LARGE_CODES.includes(errorCode(error)) || TOO_LARGE_MESSAGES.some((part) => message.includes(part))
}
