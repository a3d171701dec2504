import { AppError } from '../errors.ts'
import type { Value } from '../sql/template.ts'

/** `first`: what an index answers at once, such as an unfiltered page. `slow`: whatever may have to look at many. */
export type LaneName = 'first' | 'slow'

/** What a reader is asked, one at a time. */
export interface Question {
  text: string
  values: Value[]
}

/** A reply of a reader process. Many rows come in several messages, all but the last with `more`. */
export type Reply =
  | { rows: unknown[][]; more?: true; failed?: undefined }
  | { failed: { message: string; code?: string } }

/** What runs one query at a time. */
export interface Reader {
  run(question: Question, left_ms: number): Promise<unknown[][]>
  /** Ends what runs; afterwards this reader is not used again. Resolves when it is gone. */
  discard(): Promise<void>
}

/** Characters per message between processes. JSON.parse blocks the event loop for about 5 ms per MB. */
export const MESSAGE_LENGTH = 256 * 1024
/** Characters per result, which is copied several times in memory. */
export const MAX_ANSWER_LENGTH = 128 * 1024 * 1024
/** The marker in the error that a statement raises itself. */
export const TOO_LARGE = 'result_too_large'

export const tooLarge = (): AppError =>
  new AppError({
    code: TOO_LARGE,
    detail: 'The result, or a text that the query computes, is too large. Ask for fewer events, or shorten the texts.',
  })

/** The approximate number of characters of a row. */
export const lengthOf = (row: readonly unknown[]): number =>
  row.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0)

/** Sums the size of rows. Throws `result_too_large` beyond the limit. */
export function answerSize(): (row: readonly unknown[]) => void {
  let size = 0
  return (row) => {
    size += lengthOf(row)
    if (size > MAX_ANSWER_LENGTH) throw tooLarge()
  }
}

/** Failures of SQLite, PostgreSQL and V8 to hold a text that a query computes. */
export function isTooLarge(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return (
    ['SQLITE_TOOBIG', 'ERR_STRING_TOO_LONG', '54000', TOO_LARGE].includes(code) ||
    ['string or blob too big', 'Invalid string length', 'Invalid array length', 'invalid memory alloc'].some((words) =>
      message.includes(words),
    ) ||
    message.includes(TOO_LARGE)
  )
}
