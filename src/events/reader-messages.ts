import type { Value } from '../sql/template.ts'

/** `first`: what an index answers at once, such as an unfiltered page. `slow`: whatever may have to look at many. */
export type LaneName = 'first' | 'slow'

/** What a reader is asked, one at a time. */
export interface Question {
  text: string
  values: Value[]
}

/** What a reader process answers. */
export type Reply = { rows: unknown[][]; failed?: undefined } | { failed: { message: string; code?: string } }

/** What runs one query at a time. */
export interface Reader {
  run(question: Question, left_ms: number): Promise<unknown[][]>
  /** Ends what runs; afterwards this reader is not used again. Resolves when it is gone. */
  discard(): Promise<void>
}
